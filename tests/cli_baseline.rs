//! `--baseline` and `--write-baseline`: an old project sees only what is new.

#[path = "common/folder.rs"]
mod folder;

use std::fs;

use folder::{Folder, Run};

const GLOBAL: &str = "x = redis.call('GET', KEYS[1])\nreturn x\n";
const TWO: &str = "x = redis.call('GET', KEYS[1])\ny = redis.call('GET', KEYS[1])\nreturn 1\n";
const THREE: &str = "x = 1\ny = 2\nz = 3\nreturn KEYS[1]\n";

fn text(folder: &Folder, path: &str) -> String {
    fs::read_to_string(folder.0.join(path)).unwrap()
}

fn ends(run: &Run, code: i32) {
    assert_eq!(run.code, code, "{}\n{}", run.out, run.err);
}

fn json(run: &Run) -> serde_json::Value {
    serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}\n{}", run.out, run.err))
}

/// `path:line rule` of each finding.
fn told(run: &Run) -> Vec<String> {
    let json = json(run);
    let told = |one: &serde_json::Value| {
        format!("{}:{} {}", one["path"].as_str().unwrap(), one["span"]["start"]["line"], one["rule"].as_str().unwrap())
    };
    json["diagnostics"].as_array().unwrap().iter().map(told).collect()
}

#[test]
fn what_is_in_the_baseline_is_not_told() {
    let folder = Folder::new("known").with("lua/a.lua", TWO).with("lua/b c.lua", GLOBAL);
    let wrote = folder.run(&["--write-baseline", "base.json"]);
    ends(&wrote, 0);
    assert_eq!(wrote.out, "");
    assert!(wrote.err.contains("wrote base.json: 3 findings in 2 files\n"), "{}", wrote.err);
    let expected = "{\n  \"version\": 1,\n  \"findings\": {\n    \"lua/a.lua\": {\n      \"global-assignment\": 2\n    },\n    \
                    \"lua/b c.lua\": {\n      \"global-assignment\": 1\n    }\n  }\n}\n";
    assert_eq!(text(&folder, "base.json"), expected);
    let run = folder.run(&["--baseline", "base.json"]);
    ends(&run, 0);
    assert_eq!((run.out.as_str(), run.err.as_str()), ("", "checked 2 scripts: nothing found (3 in the baseline)\n"));
    assert_eq!(json(&folder.run(&["--baseline", "base.json", "--format", "json"]))["summary"]["baselined"], 3);
    // Lines that move change nothing.
    let folder = folder.with("lua/a.lua", format!("\n-- more\n{TWO}"));
    assert_eq!(folder.run(&["--baseline", "base.json", "lua"]).out, "");
    // It is the same from any folder, however a path is written.
    let sub = folder.0.join("lua");
    for arguments in [&["--baseline", "../base.json"][..], &["--baseline", "../base.json", "../lua/./a.lua", "b c.lua"]]
    {
        let output = folder.command(arguments).current_dir(&sub).output().unwrap();
        assert_eq!(Run::from(output).out, "");
    }
    let whole = folder.0.join("lua/a.lua");
    assert_eq!(folder.run(&["--baseline", "base.json", whole.to_str().unwrap()]).out, "");
    assert_eq!(folder.pipe(&["--baseline", "base.json", "--stdin-filename", "lua/a.lua"], TWO.as_bytes()).out, "");
    ends(&folder.pipe(&["--baseline", "base.json", "-"], TWO.as_bytes()), 1);
}

#[test]
fn more_than_the_baseline_has_is_told_whole() {
    let folder = Folder::new("more").with("a.lua", TWO).with("b.lua", GLOBAL);
    folder.run(&["--write-baseline", "base.json"]);
    let folder = folder.with("a.lua", THREE).with("c.lua", GLOBAL);
    let run = folder.run(&["--baseline", "base.json", "--format", "json"]);
    ends(&run, 1);
    let expected = ["a.lua:1", "a.lua:2", "a.lua:3", "c.lua:1"].map(|place| format!("{place} global-assignment"));
    assert_eq!(told(&run), expected);
    assert!(run.err.contains("a.lua: the baseline has 2 of these 3 findings of `global-assignment`\n"), "{}", run.err);
    assert!(!run.err.contains("c.lua"), "{}", run.err);
}

#[test]
fn a_baseline_with_more_than_there_is_can_be_tightened() {
    let folder = Folder::new("fewer").with("a.lua", TWO).with("b.lua", GLOBAL).with("c.lua", GLOBAL);
    folder.run(&["--write-baseline", "base.json"]);
    let folder = folder.with("a.lua", GLOBAL);
    fs::remove_file(folder.0.join("c.lua")).unwrap();
    let run = folder.run(&["--baseline", "base.json"]);
    ends(&run, 0);
    for note in [
        "base.json: there is no `c.lua` any more\n",
        "base.json: 1 finding of it is gone\n",
        "`--write-baseline base.json` brings it up to date\n",
    ] {
        assert!(run.err.contains(note), "{note} is not in {}", run.err);
    }
    // What the run does not look for is not gone.
    assert!(!folder.run(&["--baseline", "base.json", "--ignore", "sandbox"]).err.contains("is gone"));
    assert!(!folder.run(&["--baseline", "base.json", "b.lua"]).err.contains("is gone"));
    ends(&folder.run(&["--write-baseline", "base.json"]), 0);
    let base = text(&folder, "base.json");
    assert!(!base.contains("c.lua") && base.matches("\"global-assignment\": 1").count() == 2, "{base}");
    assert!(!folder.run(&["--baseline", "base.json"]).err.contains("base.json"));
}

/// A run over a part of the project changes the counts of that part only.
#[test]
fn what_a_run_does_not_look_at_stays_in_the_baseline() {
    let folder = Folder::new("part").with("a.lua", TWO).with("b.lua", GLOBAL);
    folder.run(&["--write-baseline", "base.json"]);
    let before = text(&folder, "base.json");
    ends(&folder.run(&["--write-baseline", "base.json", "b.lua"]), 0);
    assert_eq!(text(&folder, "base.json"), before);
    ends(&folder.run(&["--write-baseline", "base.json", "--select", "keys"]), 0);
    assert_eq!(text(&folder, "base.json"), before);
    // A script that can't be parsed does not tell what else is in it.
    let folder = folder.with("b.lua", "x = = KEYS[1]");
    ends(&folder.run(&["--write-baseline", "base.json"]), 0);
    let base = text(&folder, "base.json");
    assert!(base.contains("\"global-assignment\": 1,\n      \"syntax-error\": 1"), "{base}");
    assert_eq!(folder.run(&["--baseline", "base.json"]).out, "");
}

#[test]
fn a_baseline_stands_in_the_settings() {
    let folder = Folder::new("settings").with("evalint.toml", "baseline = 'known/base.json'").with("lua/a.lua", TWO);
    fs::create_dir(folder.0.join("known")).unwrap();
    folder.run(&["lua"]).trouble(&["base.json: does not exist; `--write-baseline"]);
    ends(&folder.run(&["--write-baseline", "known/base.json"]), 0);
    assert!(text(&folder, "known/base.json").contains("\"../lua/a.lua\""));
    ends(&folder.run(&[]), 0);
    let output = folder.command(&["a.lua"]).current_dir(folder.0.join("lua")).output().unwrap();
    ends(&Run::from(output), 0);
    ends(&folder.run(&["--isolated"]), 1);
    let other = folder.with("other.json", "{\"version\": 1, \"findings\": {}}");
    ends(&other.run(&["--baseline", "other.json"]), 1);
    assert!(other.run(&["--show-config", "lua/a.lua"]).out.contains("baseline = \"known/base.json\""));
    other.with("evalint.toml", "baseline = 3").run(&[]).trouble(&["a string is expected here"]);
}

#[test]
fn a_broken_baseline_is_named_with_its_place() {
    let folder =
        Folder::new("broken").with("a.lua", GLOBAL).with("base.json", "{\n  \"version\": 1,\n  \"findings\": 3\n}");
    let run = folder.run(&["--baseline", "base.json"]);
    run.trouble(&["base.json: is no baseline: ", "(line 3, column 15)"]);
    assert_eq!(run.out, "", "what it governs is left out");
    folder.run(&["--write-baseline", "base.json"]).trouble(&["is no baseline"]);
    assert!(text(&folder, "base.json").contains("\"findings\": 3"));
    folder
        .run(&["--baseline", "gone.json"])
        .trouble(&["gone.json: does not exist; `--write-baseline gone.json` makes it"]);
    folder.run(&["--write-baseline", "gone/base.json"]).trouble(&["base.json: can't be written"]);
    folder.run(&["--write-baseline", "a.lua"]).trouble(&["a.lua: is no baseline"]);
    assert_eq!(text(&folder, "a.lua"), GLOBAL);
    let later = folder.with("base.json", "{\"version\": 2}");
    later.run(&["--baseline", "base.json"]).trouble(&["it is of version 2; this evalint reads version 1"]);
    let named = later.with("base.json", "{\"version\": 1, \"findings\": {\"a.lua\": {\"global-asignment\": 1}}}");
    assert!(named.run(&["--baseline", "base.json"]).err.contains("no rule is called `global-asignment`"));
    for arguments in [
        &["--baseline", "base.json", "--write-baseline", "base.json"][..],
        &["--write-baseline", "base.json", "--diff"],
        &["--write-baseline", "base.json", "--add-allow"],
        &["--write-baseline", "base.json", "--format", "json"],
    ] {
        named.run(arguments).trouble(&["cannot be used"]);
    }
}

#[test]
fn findings_in_included_files_are_counted_once() {
    let part = "local function drop(key)\n  return redis.call('DEL', key, nil)\nend\n";
    let script = "--- @include \"parts/drop\"\nreturn drop(KEYS[1])\n";
    let folder = Folder::new("include").with("a.lua", script).with("b.lua", script).with("parts/drop.lua", part);
    ends(&folder.run(&["--write-baseline", "base.json"]), 0);
    assert!(text(&folder, "base.json").contains("\"parts/drop.lua\": {\n      \"non-string-argument\": 1"));
    ends(&folder.run(&["--baseline", "base.json"]), 0);
    ends(&folder.run(&["--baseline", "base.json", "b.lua"]), 0);
    let more = part.replace("end", "  return redis.call('DEL', key, nil)\nend").replacen(
        "  return",
        "  if key then return",
        1,
    );
    let folder = folder.with("parts/drop.lua", more.replacen("nil)\n", "nil) end\n", 1));
    let run = folder.run(&["--baseline", "base.json", "--format", "json"]);
    assert_eq!(told(&run), ["parts/drop.lua:2 non-string-argument", "parts/drop.lua:3 non-string-argument"]);
    assert!(run.err.contains("parts/drop.lua: the baseline has 1 of these 2 findings"), "{}", run.err);
    // A run over one script knows little of the part.
    let before = text(&folder, "base.json");
    let named = folder.with("parts/drop.lua", "local function drop(key) return key end\n");
    ends(&named.run(&["--write-baseline", "base.json", "a.lua"]), 0);
    assert_eq!(text(&named, "base.json"), before);
}

#[test]
fn fixes_come_before_the_baseline_and_comments_only_for_what_is_new() {
    let nil = "local v = redis.call('GET', KEYS[1])\nif v == nil then return 1 end\nreturn v\n";
    let folder = Folder::new("change").with("a.lua", nil).with("b.lua", TWO);
    folder.run(&["--write-baseline", "base.json"]);
    let run = folder.run(&["fix", "--baseline", "base.json"]);
    ends(&run, 0);
    assert!(text(&folder, "a.lua").contains("if not v") && run.err.contains("1 fixed"), "{}", run.err);
    assert!(run.err.contains("1 finding of it is gone"), "{}", run.err);
    let folder = folder.with("c.lua", GLOBAL);
    let run = folder.run(&["--add-allow", "--baseline", "base.json"]);
    ends(&run, 0);
    assert_eq!(text(&folder, "b.lua"), TWO);
    assert!(text(&folder, "c.lua").contains("evalint: allow(global-assignment)"));
    assert!(run.err.contains("1 allowed by new comments in 1 file\n"), "{}", run.err);
    ends(&folder.run(&["fix", "--write-baseline", "base.json"]), 0);
    assert!(!text(&folder, "base.json").contains("a.lua"));
}

#[test]
fn the_order_of_threads_makes_no_difference() {
    let mut folder = Folder::new("threads");
    for number in 0..40 {
        folder = folder.with(&format!("{}/{number}.lua", number % 7), GLOBAL);
    }
    folder.run(&["--write-baseline", "one.json", "--threads", "1"]);
    folder.run(&["--write-baseline", "two.json", "--threads", "3"]);
    assert_eq!(text(&folder, "one.json"), text(&folder, "two.json"));
    assert_eq!(folder.run(&["--baseline", "one.json", "--threads", "3"]).out, "");
}
