//! `--watch`: the binary runs while files change.

#[path = "common/folder.rs"]
mod folder;

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    process::{Child, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use folder::{Folder, HEALTHY, SICK};

/// Longer than the slowest machine needs.
const LONG: Duration = Duration::from_secs(30);

/// Lines of both streams, as they come.
struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn new(folder: &Folder, arguments: &[&str]) -> Watching {
        let mut command = folder.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        let streams: [Box<dyn Read + Send>; 2] =
            [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
        for stream in streams {
            let sender = sender.clone();
            thread::spawn(move || {
                BufReader::new(stream).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
            });
        }
        Watching { child, lines }
    }

    /// All lines until one holds `part`, it too.
    fn until(&self, part: &str) -> Vec<String> {
        let end = Instant::now() + LONG;
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => seen.push(line),
                Err(error) => panic!("`{part}`: {error} after {seen:#?}"),
            }
            if seen.last().is_some_and(|line| line.contains(part)) {
                return seen;
            }
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Each step waits for one line, and everything before it was awaited: nothing else is told.
#[test]
fn only_what_changes_is_told() {
    let folder = Folder::new("watch")
        .with("evalint.toml", "")
        .with(".ignore", "out/\n")
        .with("lua/a.lua", SICK)
        .with("lua/b.lua", HEALTHY)
        .with("lua/old.lua", SICK);
    let path = |name: &str| folder.0.join(name);
    let watching = Watching::new(&folder, &["--watch", "--format=concise", "."]);
    // Two streams: in any order.
    let mut first = vec!["lua/a.lua:1", "lua/old.lua:1", "watching 1 folder; Ctrl-C ends"];
    while !first.is_empty() {
        let line = watching.until("").pop().unwrap();
        first.retain(|part| !line.contains(part));
    }
    let only = |part: &str| {
        let seen = watching.until(part);
        assert_eq!(seen.len(), 1, "{seen:#?}");
    };
    fs::write(path("lua/b.lua"), SICK).unwrap();
    only("lua/b.lua:1");
    fs::write(path("lua/b.lua"), HEALTHY).unwrap();
    only("lua/b.lua: 1 finding gone");
    // As editors save.
    fs::write(path("lua/b.lua~"), SICK).unwrap();
    fs::rename(path("lua/b.lua~"), path("lua/b.lua")).unwrap();
    only("lua/b.lua:1");
    fs::remove_file(path("lua/old.lua")).unwrap();
    only("lua/old.lua: 1 finding gone");
    fs::create_dir(path("lua/new")).unwrap();
    fs::write(path("lua/new/c.lua"), SICK).unwrap();
    only("lua/new/c.lua:1");
    // What is left out stays silent: the next line is of another file.
    fs::create_dir(path("out")).unwrap();
    fs::write(path("out/d.lua"), SICK).unwrap();
    fs::remove_file(path("lua/new/c.lua")).unwrap();
    only("lua/new/c.lua: 1 finding gone");
    fs::write(path("evalint.toml"), "[rules]\nunknown-rule = 'off'\n").unwrap();
    only("lua/a.lua: 1 finding gone");
    only("lua/b.lua: 1 finding gone");
    fs::write(path("evalint.toml"), "rulez = 1\n").unwrap();
    watching.until("rulez");
}

/// A script is checked again when the file that it includes changes, wherever that lies.
#[test]
fn included_files_are_watched() {
    let folder = Folder::new("watch-include")
        .with("lib/part.lua", "local function get(key) return redis.call('GET', key) end\n")
        .with("lua/a.lua", "--- @include \"../lib/part\"\nreturn get(KEYS[1])\n");
    let watching = Watching::new(&folder, &["--watch", "--format=concise", "lua"]);
    watching.until("watching 1 folder");
    fs::write(folder.0.join("lib/part.lua"), "local function get(key) return redis.call('GETT', key) end\n").unwrap();
    watching.until("lib/part.lua:1");
}

#[test]
fn what_can_not_be_watched_is_refused() {
    let folder = Folder::new("watch-refused").with("a.lua", HEALTHY);
    for option in [
        "--fix",
        "--diff",
        "--add-allow",
        "--write-baseline=b",
        "--since=HEAD",
        "--output=json=o",
        "--statistics",
        "--dump=ir",
    ] {
        folder.run(&["--watch", option, "."]).trouble(&["cannot be used with"]);
    }
    folder.run(&["--watch", "-"]).trouble(&["standard input"]);
    folder.run(&["--watch", "--format=json"]).trouble(&["--format human"]);
    folder.run(&["fix", "--watch"]).trouble(&["`fix`"]);
}
