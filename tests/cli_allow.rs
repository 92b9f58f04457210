//! `allow` comments over the files of a run.

#[path = "common/folder.rs"]
mod folder;

use folder::{Folder, Run};

const INCLUDE: &str = "--- @include \"parts/drop\"\n";

fn told(run: &Run) -> Vec<String> {
    let json: serde_json::Value = serde_json::from_str(&run.out).expect("it is JSON");
    let all = json["diagnostics"].as_array().unwrap();
    let told = |one: &serde_json::Value| {
        format!("{}:{} {}", one["path"].as_str().unwrap(), one["span"]["start"]["line"], one["rule"].as_str().unwrap())
    };
    all.iter().map(told).collect()
}

fn allowed(run: &Run) -> u64 {
    let json: serde_json::Value = serde_json::from_str(&run.out).expect("it is JSON");
    json["summary"]["allowed"].as_u64().unwrap()
}

/// What one script needs is no fault of the other that includes the file.
#[test]
fn an_allow_of_an_included_file_is_judged_by_all_scripts() {
    let part = "-- evalint: allow(undefined-global) a host's\nlocal function drop(key)\n  return limit or key\nend\n";
    let needs = format!("{INCLUDE}return drop(KEYS[1])\n");
    let has = format!("local limit = 1\n{INCLUDE}return drop(KEYS[1])\n");
    let folder = Folder::new("judged").with("a.lua", &has).with("b.lua", &needs).with("parts/drop.lua", part);
    let both = folder.run(&["--format", "json"]);
    assert_eq!(told(&both), Vec::<String>::new(), "{}", both.out);
    assert_eq!(allowed(&both), 1, "{}", both.out);
    let folder = folder.with("b.lua", &has);
    let neither = folder.run(&["--format", "json"]);
    assert_eq!(told(&neither), ["parts/drop.lua:1 unused-allow"]);
    assert!(neither.out.contains("\"start\":{\"offset\":18,\"line\":1,\"column\":19}"), "{}", neither.out);
    assert!(neither.out.contains("\"scripts\":2,"), "{}", neither.out);
    // Others may need it, which nobody named.
    assert_eq!(told(&folder.run(&["--format", "json", "a.lua", "b.lua", "parts/drop.lua"])), Vec::<String>::new());
    assert_eq!(told(&folder.run(&["--format", "json", "a.lua"])), Vec::<String>::new());
    let folder = folder.with("parts/evalint.toml", "rules.unused-allow = 'off'");
    assert_eq!(told(&folder.run(&["--format", "json"])), Vec::<String>::new());
}

#[test]
fn an_included_script_is_judged_with_those_that_include_it() {
    let part = "return redis.call('DEL', KEYS[1], nil) -- evalint: allow(non-string-argument)\n";
    // In `a.lua` it is never reached.
    let folder = Folder::new("script")
        .with("a.lua", format!("if true then return 1 end -- evalint: allow(constant-condition)\n{INCLUDE}"))
        .with("parts/drop.lua", part);
    assert_eq!(told(&folder.run(&["--format", "json", "a.lua"])), Vec::<String>::new());
    let run = folder.run(&["--format", "json"]);
    assert_eq!(told(&run), Vec::<String>::new(), "{}", run.out);
}

#[test]
fn what_is_allowed_in_an_included_file_is_counted_once() {
    let part =
        "local function drop(key)\n  return redis.call('DEL', key, nil) -- evalint: allow(non-string-argument)\nend\n";
    let script = format!("{INCLUDE}return drop(KEYS[1])\n");
    let mut folder = Folder::new("once").with("parts/drop.lua", part);
    for name in ["a.lua", "b.lua", "c.lua"] {
        folder = folder.with(name, &script);
    }
    let run = folder.run(&["--format", "json"]);
    assert_eq!((told(&run).len(), allowed(&run)), (0, 1), "{}", run.out);
}

#[test]
fn an_allow_above_an_include_covers_it() {
    let folder = Folder::new("above")
        .with("a.lua", "-- evalint: allow(unresolved-include)\n--- @include \"lost\"\nreturn KEYS[1]\n")
        .with("b.lua", "-- evalint: allow(derived-key)\n--- @include \"parts/drop\"\nreturn drop(KEYS[1])\n")
        .with("parts/drop.lua", "local function drop(key) return redis.call('DEL', key .. ':x') end\n");
    let run = folder.run(&["--format", "json", "--select", "unresolved-include,derived-key,unused-allow"]);
    assert_eq!(told(&run), ["b.lua:1 unused-allow", "parts/drop.lua:1 derived-key"], "{}", run.out);
}
