//! The built binary as a user meets it: output, exit codes, and what it says when something is wrong.

#[path = "common/folder.rs"]
mod folder;

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use folder::{Folder, HEALTHY, Run, SICK};

fn snapshot(name: &str, run: &Run) {
    let text = format!("{}--- standard error, exit status {}\n{}", run.out, run.code, run.err);
    insta::with_settings!({ snapshot_path => "../testdata/cli", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}

#[test]
fn findings_end_with_one_and_nothing_with_zero() {
    let folder = Folder::new("exit").with("sick.lua", SICK).with("healthy.lua", HEALTHY);
    assert_eq!(folder.run(&["healthy.lua"]).code, 0);
    assert_eq!(folder.run(&["check", "healthy.lua"]).out, "");
    assert_eq!(folder.run(&["sick.lua"]).code, 1);
    assert_eq!(folder.run(&["."]).code, 1);
    assert_eq!(folder.run(&[]).code, 1);
    assert_eq!(folder.run(&["--exit-zero"]).code, 0);
    assert_eq!(folder.run(&["--ignore", "suppression"]).code, 0);
    assert_eq!(folder.run(&["--select", "unknown-rule"]).code, 1);
    assert_eq!(folder.run(&["--select", "syntax-error"]).code, 0);
    folder.run(&["--exit-zero", "sick.lua", "gone.lua"]).trouble(&["gone.lua"]);
}

#[test]
fn findings_look_like_this() {
    let folder = Folder::new("human").with("a.lua", SICK).with("b/deep.lua", format!("\n\n{SICK}"));
    snapshot("human", &folder.run(&["--statistics"]));
}

#[test]
fn a_long_line_is_cropped_around_its_finding() {
    let padding = "x = x + 1 ".repeat(500);
    let text = format!("local x = 1 {padding}--[[ evalint: allow(unusd-allow) ]] {padding}return KEYS[1]");
    snapshot("long-line", &Folder::new("long").with("a.lua", text).run(&["a.lua"]));
}

#[test]
fn a_name_longer_than_the_terminal_is_cut_in_its_middle() {
    let text = format!("-- evalint: allow(a{}b)\nreturn KEYS[1]", "-very".repeat(200));
    let run = Folder::new("long-name").with("a.lua", text).run(&["a.lua"]);
    let snippet = run.out.lines().find(|line| line.starts_with("1 │")).expect("the line is shown");
    assert!(snippet.chars().count() < 160 && snippet.contains('…'), "{snippet}");
}

#[test]
fn control_characters_never_reach_the_terminal() {
    let text = b"local s = '\x1b[31m\xff\x00\t\xe2\x80\xae' -- evalint: allow(\x1b[2J) \r\nreturn KEYS[1]";
    let run = Folder::new("control").with("a.lua", text).run(&["--color", "never", "a.lua"]);
    let steering = |letter: char| letter.is_control() && letter != '\n' || letter == '\u{202e}';
    assert!(!run.out.contains(steering), "{:?}", run.out);
    snapshot("control-characters", &run);
}

#[test]
fn colors_follow_the_option_then_the_environment() {
    let folder = Folder::new("color").with("a.lua", SICK);
    let colored = |arguments: &[&str], name: &str, value: &str| {
        let output = folder.command(arguments).env(name, value).output().unwrap();
        Run::from(output).out.contains('\x1b')
    };
    assert!(!folder.run(&["a.lua"]).out.contains('\x1b'), "a pipe gets no color");
    assert!(colored(&["a.lua"], "CLICOLOR_FORCE", "1"));
    assert!(!colored(&["a.lua"], "CLICOLOR_FORCE", "0"));
    assert!(colored(&["--color=always", "a.lua"], "NO_COLOR", "1"));
    assert!(!colored(&["--color=never", "a.lua"], "CLICOLOR_FORCE", "1"));
}

#[test]
fn json_has_the_promised_shape() {
    let folder = Folder::new("json").with("a.lua", format!("local s = 'é' {SICK}"));
    let run = folder.run(&["--format", "json", "--target", "redis@7.2", "gone.lua", "a.lua"]);
    run.trouble(&["gone.lua: does not exist"]);
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    insta::with_settings!({ snapshot_path => "../testdata/cli", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("json", serde_json::to_string_pretty(&json).unwrap());
    });
}

#[test]
fn json_is_whole_without_findings_too() {
    let run = Folder::new("json-empty").run(&["--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["version"], 1);
    assert_eq!(json["diagnostics"].as_array().unwrap().len(), 0);
    assert_eq!(json["summary"]["scripts"], 0);
}

#[test]
fn the_order_is_the_same_on_every_number_of_threads() {
    let mut folder = Folder::new("threads");
    for number in 0..60 {
        folder = folder.with(&format!("{}/{number}.lua", number % 7), SICK.repeat(1 + number % 3));
    }
    let one = folder.run(&["--threads", "1", "--format", "json"]);
    assert_eq!(one.out, folder.run(&["--threads", "2", "--format", "json"]).out);
    assert_eq!(folder.run(&["--threads", "1"]).out, folder.run(&["--threads", "3"]).out);
    let paths = one.paths();
    assert_eq!(paths.len(), 60);
    assert!(paths.is_sorted());
}

#[test]
fn standard_input_is_a_script() {
    let folder = Folder::new("stdin")
        .with("evalint.toml", "exclude = ['vendor']")
        .with("lua/evalint.toml", "[rules]\nunknown-rule = 'info'");
    let run = folder.pipe(&["-"], SICK.as_bytes());
    assert_eq!(run.code, 1);
    assert!(run.out.contains("┌─ -:1:19"), "{}", run.out);
    assert_eq!(folder.pipe(&["--stdin-filename", "lua/a.lua", "-"], SICK.as_bytes()).code, 0);
    assert_eq!(folder.pipe(&["--stdin-filename", "vendor/a.lua", "-"], SICK.as_bytes()).code, 0);
    assert_eq!(folder.pipe(&["-"], b"").code, 0);
}

#[test]
fn a_walk_takes_what_is_ours() {
    let folder = Folder::new("walk")
        .with("a.lua", SICK)
        .with("general.lua", SICK.replace("redis.call('GET', KEYS[1])", "require 'x'"))
        .with("named.lua", format!("{SICK} -- require('x')"))
        .with("strings.lua", "-- evalint: allow(x)\nreturn 'KEYS[1]'")
        .with(".hidden/a.lua", SICK)
        .with(".ignore", "ignored")
        .with("ignored/a.lua", SICK)
        .with(".evalintignore", "ours")
        .with("ours/a.lua", SICK)
        .with("a.txt", SICK)
        .with("a.py", SICK);
    #[cfg(unix)]
    std::os::unix::fs::symlink("..", folder.0.join("ours-not")).unwrap();
    assert_eq!(folder.run(&["--format=json"]).paths(), ["a.lua", "named.lua"]);
    assert_eq!(folder.run(&["--format=json", "."]).paths(), ["a.lua", "named.lua"]);
    assert_eq!(folder.run(&["--format=json", ".", "./a.lua", "a.lua"]).paths().len(), 2);
    let explicit = ["--format=json", "general.lua", "ignored/a.lua", "a.txt"];
    assert_eq!(folder.run(&explicit).paths(), ["a.txt", "general.lua", "ignored/a.lua"]);
    let detected = ["--format=json", "--detect", "general.lua", "ignored/a.lua", "strings.lua", "a.txt", "a.py"];
    assert_eq!(folder.run(&detected).paths(), ["ignored/a.lua"]);
    folder.run(&["a.py"]).trouble(&["a.py: is no Lua file"]);
}

#[test]
fn a_config_governs_the_files_below_it() {
    let folder = Folder::new("config")
        .with(
            "evalint.toml",
            "exclude = ['vendor/**']\nscripts = ['lib/*.lua']\n[rules]\nsuppression = 'warning'\nall = 'off'",
        )
        .with("a.lua", SICK)
        .with("vendor/a.lua", SICK)
        .with("lib/general.lua", SICK.replace("redis.call('GET', KEYS[1])", "require 'x'"))
        .with(
            "own/evalint.toml",
            "extends = '../evalint.toml'\n[[overrides]]\nfiles = ['legacy']\nrules = { suppression = 'off' }",
        )
        .with("own/a.lua", SICK)
        .with("own/legacy/deep/a.lua", SICK);
    let run = folder.run(&["--format=json"]);
    assert_eq!(run.paths(), ["a.lua", "lib/general.lua", "own/a.lua"], "{}", run.err);
    assert!(run.out.contains("\"severity\":\"warning\""));
    assert_eq!(folder.run(&["vendor/a.lua"]).code, 0, "`exclude` holds for named files");
    assert_eq!(folder.run(&["--isolated", "vendor/a.lua"]).code, 1);
    assert_eq!(folder.run(&["--config", "evalint.toml", "own/legacy/deep/a.lua"]).code, 1);
    assert_eq!(folder.run(&["own/../own/legacy/deep/a.lua"]).code, 0);
    assert_eq!(folder.run(&["--select=unknown-rule", "own/legacy/deep/a.lua"]).code, 1);
}

#[test]
fn a_config_declares_commands_and_what_the_host_puts_before() {
    let command = "[commands.'JSON.GET']\narity = -2\nkeys = { first = 1, last = 1, step = 1 }\nflags = ['readonly']\nreply = 'string|false'";
    let folder = Folder::new("modules")
        .with("evalint.toml", format!("prelude = ['common.lua']\nexclude = ['common.lua']\n{command}"))
        .with("common.lua", "local function get(key) return redis.call('GET', key) end\nlimit = 10")
        .with("a.lua", "local value = redis.call('JSON.GET', KEYS[1])\nif value == nil then return limit end\nreturn { get(KEYS[1]), lost }")
        .with("b.lua", "return redis.call('json.get')");
    let run = folder.run(&["--format=json"]);
    let found = |rule: &str| run.out.matches(&format!("\"rule\":\"{rule}\"")).count();
    assert_eq!(["nil-check-on-reply", "undefined-global", "wrong-arity"].map(found), [1, 1, 1], "{}", run.out);
    let lost = folder.with("evalint.toml", "prelude = ['nosuch.lua']").run(&[]);
    assert_eq!(lost.code, 2);
    assert!(lost.err.contains("`nosuch.lua` can't be read"), "{}", lost.err);
}

#[test]
fn a_broken_config_stops_only_what_it_governs() {
    let folder = Folder::new("broken-config")
        .with("a.lua", SICK)
        .with(
            "bad/evalint.toml",
            "targt = 'redis@7'\npreset = 'strikt'\n[rules]\nunused-alow = 'of'\n[[overrides]]\nrules = {}\n",
        )
        .with("bad/a.lua", SICK)
        .with("worse/evalint.toml", "[rules\n")
        .with("worse/a.lua", SICK)
        .with("loop/evalint.toml", "extends = '../loop/evalint.toml'")
        .with("loop/a.lua", SICK)
        .with("unused/evalint.toml", "nobody = 'needs me'");
    let run = folder.run(&[]);
    run.trouble(&[]);
    snapshot("broken-config", &run);
    folder.run(&["--config", "gone.toml"]).trouble(&["gone.toml"]);
    folder.run(&["--config", "bad/evalint.toml", "a.lua"]).trouble(&["targt", "write `target`"]);
}

#[test]
fn wrong_options_are_named_with_what_was_meant() {
    let folder = Folder::new("options").with("a.lua", HEALTHY);
    folder.run(&["--select", "unused-alow"]).trouble(&["unused-alow", "did you mean `unused-allow`?"]);
    folder.run(&["--target", "reddis@7"]).trouble(&["did you mean `redis`?"]);
    folder.run(&["--target", "redis@seven"]).trouble(&["`seven` is no version"]);
    folder.run(&["--preset", "mild"]).trouble(&["recommended, strict"]);
    folder.run(&["--fail-on", "never"]).trouble(&["info, warning, error"]);
    folder.run(&["--threads", "0"]).trouble(&["--threads"]);
    folder.run(&["--formt", "json"]).trouble(&["--format"]);
    folder.run(&["explain", "unknown-rul"]).trouble(&["did you mean `unknown-rule`?"]);
    folder.run(&["rulez"]).trouble(&["rulez: does not exist; did you mean `evalint rules`?"]);
    folder.run(&["chek", "a.lua"]).trouble(&["chek: does not exist; did you mean `evalint check`?"]);
    assert!(!folder.run(&["a.lua", "rulez"]).err.contains("did you mean"));
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_checked() {
    let folder = Folder::new("unreadable").with("a.lua", SICK);
    let big = vec![b' '; evalint::limits::SCRIPT_BYTES + 1];
    let folder = folder.with("big.lua", big);
    let run = folder.run(&["gone.lua", "big.lua", "a.lua"]);
    run.trouble(&["gone.lua: does not exist", "big.lua: is too big"]);
    assert!(run.out.contains("unknown-rule"), "{}", run.out);
}

#[cfg(unix)]
#[test]
fn pipes_links_and_closed_folders_are_named() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = Folder::new("unix").with("closed/a.lua", SICK).with("a.lua", SICK);
    symlink("nowhere", folder.0.join("dangling.lua")).unwrap();
    symlink("loop.lua", folder.0.join("loop.lua")).unwrap();
    symlink("a.lua", folder.0.join("link.lua")).unwrap();
    let made = Command::new("mkfifo").arg(folder.0.join("pipe.lua")).status().unwrap();
    assert!(made.success());
    let run = folder.run(&["dangling.lua", "loop.lua", "pipe.lua", "link.lua"]);
    run.trouble(&["dangling.lua: is a link to nothing", "loop.lua: can't be read", "pipe.lua: is no regular file"]);
    assert!(run.out.contains("link.lua:1"), "{}", run.out);
    let walked = folder.run(&["--format=json"]);
    assert_eq!((walked.code, walked.paths()), (1, vec!["a.lua".into(), "closed/a.lua".into()]), "{}", walked.err);

    let closed = folder.0.join("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o0)).unwrap();
    // The superuser may read everything.
    let superuser = fs::read_dir(&closed).is_ok();
    let run = folder.run(&["--format=json", "."]);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    if !superuser {
        run.trouble(&["closed: may not be read"]);
        assert_eq!(run.paths(), ["a.lua"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = Folder::new("full").with("a.lua", SICK);
    for arguments in [["a.lua"].as_slice(), &["--format=json", "a.lua"], &["rules"], &["--help"], &["man"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = folder.command(arguments).stdout(full).output().unwrap();
        Run::from(output).trouble(&["standard output can't be written"]);
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let folder = Folder::new("closed-pipe").with("a.lua", SICK.repeat(5000));
    let mut child =
        folder.command(&["--quiet", "a.lua"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let run = Run::from(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.err.as_str()), (1, ""));
}

#[test]
fn strange_scripts_end_well() {
    let folder = Folder::new("strange")
        .with("nul.lua", b"return '\0' .. KEYS[1]")
        .with("bytes.lua", b"return '\xff\xfe' .. KEYS[1]")
        .with("bom.lua", b"\xEF\xBB\xBFreturn 1")
        .with("deep.lua", format!("return {}1{}", "(".repeat(5000), ")".repeat(5000)))
        .with("chain.lua", format!("return 1{}", " + 1".repeat(50_000)))
        .with("string.lua", format!("return '{}'", "x".repeat(2 << 20)))
        .with("empty.lua", "")
        .with("backtick.lua", "`");
    let files: Vec<_> = ["nul", "bytes", "bom", "deep", "chain", "string", "empty", "backtick"]
        .map(|name| format!("{name}.lua"))
        .into();
    let mut arguments = vec!["--format=json"];
    arguments.extend(files.iter().map(String::as_str));
    let run = folder.run(&arguments);
    assert_eq!(
        (run.code, run.paths()),
        (1, vec!["backtick.lua".into(), "bom.lua".into(), "deep.lua".into()]),
        "{}",
        run.err
    );
}

#[test]
fn allow_comments_silence_what_they_cover() {
    let script = |comment: &str| format!("{comment}\nlocal a = --[[ evalint: allow(x) ]] KEYS[1]\nreturn a");
    let folder = Folder::new("allow")
        .with("file.lua", script("-- evalint: allow-file(unknown-rule) known"))
        .with("above.lua", script("-- evalint: allow(suppression)"))
        .with("far.lua", script("-- evalint: allow(unknown-rule)\nlocal b = 1"));
    let run = folder.run(&["--format=json"]);
    assert_eq!(run.paths(), ["far.lua"], "{}", run.out);
    assert!(run.out.contains("\"allowed\":2"), "{}", run.out);
}

#[test]
fn pages_are_printed_for_a_terminal() {
    let folder = Folder::new("explain");
    let page = folder.run(&["explain", "unknown-rule"]);
    assert_eq!(page.code, 0);
    assert!(page.out.starts_with("unknown-rule (suppression, error, recommended)\n"), "{}", page.out);
    assert!(!page.out.contains("--~") && !page.out.contains("```"), "{}", page.out);
    let category = folder.run(&["explain", "suppression"]);
    assert!(category.out.contains("unused-allow") && !category.out.contains("syntax-error"), "{}", category.out);
    let json = folder.run(&["rules", "--format", "json"]);
    let rows: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), evalint::rule::RULES.len());
    assert!(folder.run(&["completions", "bash"]).out.contains("_evalint"));
    assert!(folder.run(&["man"]).out.contains(".TH evalint"));
    assert!(folder.run(&["--version"]).out.starts_with("evalint "));
}

/// `EVALINT_UPDATE=1 cargo test --test cli` writes it anew.
#[test]
fn the_readme_shows_the_rules_and_the_output_as_they_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let run = ["--isolated", "testdata/cli/checkout.lua"];
    let output = Command::new(env!("CARGO_BIN_EXE_evalint")).args(run).current_dir(root).output().unwrap();
    let run = Run::from(output);
    let path = root.join("README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let current = replaced(&readme, "rules", &evalint::explain::table());
    let current = replaced(&current, "formats", &evalint::render::table());
    let current = replaced(&current, "output", &format!("```text\n{}{}```\n", run.out, run.err));
    if std::env::var_os("EVALINT_UPDATE").is_some() {
        fs::write(&path, current).unwrap();
    } else {
        assert!(readme == current, "run `EVALINT_UPDATE=1 cargo test --test cli` and look at the difference");
    }
}

/// The text with another part between `<!-- name -->` and `<!-- end of name -->`.
fn replaced(text: &str, name: &str, part: &str) -> String {
    let (start, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let (head, rest) = text.split_once(&start).expect("a mark stands before the part");
    let (_, tail) = rest.split_once(&end).expect("a mark stands behind the part");
    format!("{head}{start}{part}{end}{tail}")
}

const FRAGMENT: &str = "local function drop(key)\n  return rcall('DEL', key, nil)\nend\n";

/// What an included file is wrong in is told at its place, once, and never for the file alone.
#[test]
fn included_files_are_checked_with_those_that_include_them() {
    let script = |name: &str| format!("local rcall = redis.call\n--- @include \"{name}\"\nreturn drop(KEYS[1])\n");
    let folder = Folder::new("include")
        .with("lua/a.lua", script("parts/drop"))
        .with("lua/b.lua", script("parts/drop.lua"))
        .with("lua/parts/drop.lua", FRAGMENT)
        .with("lua/parts/names.lua", "return redis.call('GET', notMine)\n")
        .with("lua/c.lua", "local notMine = KEYS[1]\n-- $include(parts/names.lua)\n");
    let json = |arguments: &[&str]| {
        let run = folder.run(&[&["--format", "json"], arguments].concat());
        let json: serde_json::Value = serde_json::from_str(&run.out).expect("it is JSON");
        (json, run.paths())
    };
    for arguments in [&["lua"][..], &["lua", "--threads", "1"], &["lua/b.lua", "lua/a.lua", "lua/parts/drop.lua"]] {
        let (json, paths) = json(arguments);
        assert_eq!(paths, ["lua/parts/drop.lua"], "{json}");
        let all = json["diagnostics"].as_array().unwrap();
        let [one] = &all[..] else { panic!("{json}") };
        assert_eq!(one["rule"], "non-string-argument");
        assert_eq!(one["span"]["start"], serde_json::json!({"offset": 52, "line": 2, "column": 28}));
        assert_eq!(one["labels"][0]["path"], "lua/a.lua");
        assert_eq!(json["summary"]["errors"], 1);
    }
    let human = folder.run(&["lua", "--color", "never"]);
    assert!(human.out.contains("┌─ lua/parts/drop.lua:2:28"), "{}", human.out);
    assert!(human.out.contains("┌─ lua/a.lua:3:8"), "{}", human.out);
    // A fragment that is named alone is judged as a piece.
    assert_eq!(folder.run(&["lua/parts/drop.lua"]).code, 0);
    assert_eq!(folder.pipe(&["-", "--stdin-filename", "lua/a.lua"], script("parts/drop").as_bytes()).code, 1);
    assert_eq!(folder.pipe(&["--stdin-filename", "lua/a.lua"], script("parts/drop").as_bytes()).code, 1);
    assert_eq!(folder.pipe(&["-", "--stdin-filename", "lua/a.lua"], script("parts/no").as_bytes()).code, 1);
    assert_eq!(folder.pipe(&["-"], script("parts/drop").as_bytes()).code, 0);
}

/// None of them is a script that others include, and yet each fault is told once.
#[test]
fn what_only_includes_is_checked_too() {
    let folder = Folder::new("include-only")
        .with("main.lua", "--- @include \"part\"\nreturn run()\n")
        .with("part.lua", "local function run()\n  return redis.call('GETT', KEYS[1])\nend\n")
        .with("a.lua", "--- @include \"b\"\nlocal function a() return KEYS[1] end\n")
        .with("b.lua", "--- @include \"a\"\nlocal function b() return KEYS[2] end\n")
        .with("c.lua", "--- @include \"broken\"\nreturn KEYS[1]\n")
        .with("broken.lua", "local n = #KEYS[1]\nif n = 1 then end\n");
    let run = folder.run(&["--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&run.out).expect("it is JSON");
    let all = json["diagnostics"].as_array().unwrap();
    let told = |one: &serde_json::Value| {
        format!("{}:{} {}", one["path"].as_str().unwrap(), one["span"]["start"]["line"], one["rule"].as_str().unwrap())
    };
    let mut told: Vec<String> = all.iter().map(told).collect();
    told.sort();
    assert_eq!(told, ["b.lua:1 include-cycle", "broken.lua:2 syntax-error", "part.lua:2 unknown-command"], "{json}");
}

#[test]
fn included_files_obey_the_settings() {
    let folder = Folder::new("include-settings")
        .with("a.lua", "local rcall = redis.call\n--- @include \"drop\"\nreturn drop(KEYS[1])\n")
        .with("shared/parts/drop.lua", FRAGMENT);
    assert_eq!(folder.run(&["a.lua", "--select", "unresolved-include"]).code, 1);
    let folder = folder.with("evalint.toml", "include-dirs = ['shared/parts']");
    let run = folder.run(&["a.lua"]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("┌─ shared/parts/drop.lua:2:28"), "{}", run.out);
    let folder = folder.with("shared/evalint.toml", "rules.non-string-argument = 'off'");
    assert_eq!(folder.run(&["a.lua"]).code, 0);
    let folder = folder.with("shared/evalint.toml", "exclude = ['parts']");
    assert_eq!(folder.run(&["a.lua"]).code, 0);
}
