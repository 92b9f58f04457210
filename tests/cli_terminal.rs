//! Manners in a terminal: how much is shown, how wide it is, what is said beside findings.

#[path = "common/folder.rs"]
mod folder;

use folder::{Folder, SICK};

/// Of one file only so much is shown as somebody may read, the worst of it, and the rest is counted.
#[test]
fn many_findings_of_a_file_are_cut() {
    let many = "redis.call('GETT', KEYS[1])\n";
    let text = format!("{}{}", "local x = redis.call('GET', 'lost')\n".repeat(60), many.repeat(55));
    let folder = Folder::new("terminal-cut")
        .with("evalint.toml", "[rules]\nunused-local = 'warning'\nliteral-key = 'off'")
        .with("a.lua", text)
        .with("b.lua", many);
    let run = folder.run(&["."]);
    let count = |text: &str, what: &str| text.matches(what).count();
    assert_eq!(count(&run.out, "error[unknown-command]"), 51, "{}", run.out);
    assert_eq!(count(&run.out, "warning["), 0, "the worst are shown");
    let rest = run.out.lines().find(|line| line.starts_with("a.lua: ")).expect("the rest is counted");
    assert!(rest.ends_with(" more; --verbose shows all"), "{rest}");
    let all = folder.run(&[".", "--verbose"]);
    assert_eq!(count(&all.out, "error[unknown-command]"), 56);
    let hidden: usize = rest["a.lua: ".len()..].split(' ').next().unwrap().parse().unwrap();
    assert_eq!(count(&all.out, "warning[") + count(&all.out, "error[") - 51, hidden);
    // For programs nothing is left out.
    assert_eq!(count(&folder.run(&["--format=concise"]).out, "error[unknown-command]"), 56);
    assert!(!folder.run(&["b.lua"]).out.contains("more;"));
}

/// The carets stand below what they mark, in columns of the terminal.
#[test]
fn carets_stand_below_wide_text_and_tabs() {
    let script = "\tlocal s = '漢字🦀é' if s then return redis.call('GETT', '鍵', KEYS[1]) end\n";
    let run = Folder::new("terminal-wide").with("a.lua", script).run(&["--select=unknown-command", "a.lua"]);
    let lines: Vec<&str> = run.out.lines().collect();
    let at = lines.iter().position(|line| line.starts_with("1 │")).expect("the line is shown");
    let columns =
        |text: &str| text.chars().map(|letter| if "漢字🦀鍵".contains(letter) { 2 } else { 1 }).sum::<usize>();
    let (start, end) = (lines[at].find("redis.call").unwrap(), lines[at].find(" end").unwrap());
    let carets = lines[at + 1];
    assert_eq!(columns(&carets[..carets.find('^').unwrap()]), columns(&lines[at][..start]), "{}", run.out);
    assert_eq!(carets.matches('^').count(), columns(&lines[at][start..end]), "{}", run.out);
}

/// A line of wide characters is as wide as one of narrow ones.
#[test]
fn a_long_line_of_wide_characters_is_cropped() {
    let padding = "漢".repeat(500);
    let script = format!("local s = '{padding}' redis.call('GETT', KEYS[1]) return '{padding}'\n");
    let run = Folder::new("terminal-crop").with("a.lua", script).run(&["--select=unknown-command", "a.lua"]);
    let line = run.out.lines().find(|line| line.starts_with("1 │")).expect("the line is shown");
    let wide = line.matches('漢').count();
    assert!(line.contains("redis.call('GETT', KEYS[1])") && 10 < wide && wide < 50, "{line}");
}

/// The project has no public address, so nothing is linked.
#[test]
fn nothing_links_to_nowhere() {
    let folder = Folder::new("terminal-links").with("a.lua", SICK);
    let output = folder.command(&["--color=always", "a.lua"]).env("FORCE_HYPERLINK", "1").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\x1b[") && !text.contains("\x1b]8"), "{text}");
}

#[test]
fn statistics_count_by_rule_and_by_file() {
    let mut folder = Folder::new("terminal-statistics")
        .with("a.lua", format!("-- evalint: allow(unusd-allow)\n{SICK}"))
        .with("b.lua", "return redis.call('GETT')");
    let run = folder.run(&["--statistics"]);
    let counts: Vec<&str> = run.err.lines().filter(|line| line.starts_with("     ")).collect();
    assert_eq!(
        counts,
        ["     2  unknown-rule", "     1  unknown-command", "     2  a.lua", "     1  b.lua"],
        "{}",
        run.err
    );
    for number in 0..30 {
        folder = folder.with(&format!("more/{number}.lua"), SICK);
    }
    let err = folder.run(&["--statistics"]).err;
    assert!(err.contains("        in 12 more files; --verbose shows all\n"), "{err}");
    assert!(folder.run(&["--statistics", "--verbose"]).err.contains("     1  more/29.lua"));
}

#[test]
fn verbose_tells_the_times() {
    let err = Folder::new("terminal-times").with("a.lua", SICK).with("b.lua", SICK).run(&["-v"]).err;
    let line = err.lines().find(|line| line.starts_with("took ")).expect("the time is told");
    assert!(line.contains(" to find 2 files; slowest: ") && line.contains("a.lua "), "{line}");
}

/// A terminal of `script` stands for the user's.
#[cfg(target_os = "linux")]
#[test]
fn a_long_run_tells_how_far_it_is() {
    use std::process::Command;

    let long = "redis.call('SET', KEYS[1], ARGV[1] .. 'x')\n".repeat(600);
    let mut folder = Folder::new("terminal-progress");
    for number in 0..40 {
        folder = folder.with(&format!("{number}.lua"), &long);
    }
    let seen = |options: &str| {
        let line =
            format!("{} --threads 1 --exit-zero --select unknown-command {options}", env!("CARGO_BIN_EXE_evalint"));
        let output = Command::new("script").args(["-qec", &line, "/dev/null"]).current_dir(&folder.0).output();
        String::from_utf8(output.expect("script is part of the system").stdout).unwrap()
    };
    let shown = seen("");
    assert!(shown.contains(" of 40 files"), "{shown}");
    assert!(shown.contains("checked 40 scripts"), "{shown}");
    assert!(!seen("2>errors").contains(" of 40 files"), "standard error is a file");
    assert!(!seen("--quiet").contains(" of 40 files"));
}
