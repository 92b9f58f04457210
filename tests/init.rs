//! `evalint init` on projects of several kinds.

#[path = "common/folder.rs"]
mod folder;

use std::fs;

use folder::Folder;

/// A folder without settings, in one without.
fn project(name: &str) -> Folder {
    let folder = Folder::new(&format!("init-{name}"));
    fs::remove_file(folder.0.join("evalint.toml")).unwrap();
    Folder(folder.with("project/.gitignore", "").0.join("project"))
}

/// What `init` writes, which both the schema and the program take.
fn written(folder: &Folder) -> String {
    let run = folder.run(&["init"]);
    assert_eq!((run.code, run.out.as_str()), (0, ""), "{}", run.err);
    let text = folder.read("evalint.toml");
    // Taken as it is, and with everything switched on that it only suggests.
    for text in [text.clone(), switched_on(&text)] {
        let table: toml::Table = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
        let schema = jsonschema::draft7::new(&evalint::config::schema::schema()).unwrap();
        schema.validate(&serde_json::to_value(table).unwrap()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
    assert_eq!(folder.run(&["--show-config", "a.lua"]).code, 0);
    text
}

/// Settings that are comments, where they are not said already.
fn switched_on(text: &str) -> String {
    let is_setting = |line: &str| line.split_once(" = ").is_some_and(|(key, _)| !key.contains([' ', '.', ':']));
    let lines = text.lines().map(|line| line.strip_prefix("# ").filter(|line| is_setting(line)).unwrap_or(line));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn what_is_seen_is_said_with_its_place() {
    let folder = project("seen")
        .with("compose.yaml", "services:\n  cache:\n    image: redis:7.2-alpine # the cache\n    command: [redis-server, --cluster-enabled, 'yes']\n    environment: ['URL=redis://redis:6379']\n# image: redis:6.2\n")
        .with(".github/workflows/ci.yml", "services:\n  v:\n    image: \"valkey/valkey:8.1.2\"\n  again:\n    image: redis:7.2\n")
        .with("lua/a.lua", "--- @include \"stock\"\n--- @include \"beside\"\nreturn redis.call('GET', KEYS[1])\n")
        .with("lua/beside.lua", "local function f() end")
        .with("lua/parts/stock.lua", "local function g() return redis.call('GET', KEYS[1]) end")
        .with("lua/plain.lua", "return 1")
        .with("lua/client.lua", "local redis = require 'redis'");
    let text = written(&folder);
    insta::with_settings!({ snapshot_path => "../testdata/cli", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("init", text);
    });
    let run = folder.run(&["init"]);
    run.trouble(&["evalint.toml exists already"]);
    assert_eq!(folder.read("evalint.toml"), text);
}

/// Nothing that is found changes, but by servers that the project names.
#[test]
fn guesses_stay_comments() {
    let folder = project("guesses")
        .with("a.lua", "redis.call('SET', 'stock:{' .. ARGV[1] .. '}', 1)\nreturn { redis.call('GET', KEYS[1]), redis.call('GET', 'config') }")
        .with("b.lua", "return 1");
    let before = folder.run(&["--format=json"]);
    assert_eq!(before.code, 1, "the key of GET is a literal");
    let text = written(&folder);
    let settings: toml::Table = text.parse().unwrap();
    assert_eq!(settings.keys().collect::<Vec<_>>(), ["rules"], "{text}");
    assert!(settings["rules"].as_table().unwrap().is_empty());
    assert!(text.contains("# a.lua:1 writes a hash tag: 'stock:{'"), "{text}");
    assert!(text.contains("# scripts = [\"/b.lua\"]"), "{text}");
    assert_eq!(folder.run(&["--format=json"]).out, before.out);
}

#[test]
fn settings_above_stay() {
    let folder =
        project("above").with("a.lua", "return redis.call('GET', 'config')").with("compose.yaml", "image: redis:7.2");
    fs::write(
        folder.0.join("../package.json"),
        "{ \"evalint\": { \"rules\": { \"literal-key\": \"off\" }, \"target\": \"redis@6.2\" } }",
    )
    .unwrap();
    assert_eq!(folder.run(&[]).code, 0);
    let text = written(&folder);
    assert!(
        text.contains("\nextends = \"../package.json\"\n") && text.contains("\n# target = \"redis@7.2\"\n"),
        "{text}"
    );
    assert_eq!(folder.run(&[]).code, 0);
    assert!(folder.run(&["--show-config", "a.lua"]).out.contains("target = \"redis@6.2\""));
}

#[test]
fn settings_of_a_manifest_are_not_replaced() {
    let folder = project("manifest").with("pyproject.toml", "[project]\nname = 'x'");
    assert!(written(&folder).contains("No file here looks like a script yet."));
    fs::remove_file(folder.0.join("evalint.toml")).unwrap();
    let folder = folder.with("pyproject.toml", "[tool.evalint]\npreset = 'strict'");
    folder.run(&["init"]).trouble(&["pyproject.toml has settings already"]);
    assert!(!folder.0.join("evalint.toml").exists());
    folder.with("pyproject.toml", "[tool.evalint]\npreset = 1").run(&["init"]).trouble(&["a string is expected here"]);
}

#[cfg(unix)]
#[test]
fn a_link_is_not_written_through() {
    let folder = project("link");
    std::os::unix::fs::symlink("elsewhere.toml", folder.0.join("evalint.toml")).unwrap();
    folder.run(&["init"]).trouble(&["evalint.toml exists already"]);
    assert!(!folder.0.join("elsewhere.toml").exists());
}

#[test]
fn strange_names_stay_in_their_strings_and_comments() {
    let folder = project("strange")
        .with("a.lua", "--- @include \"x\"\nreturn redis.call('GET', KEYS[1])")
        .with("in \"quotes\" [a]*/x.lua", "");
    let folder = folder.with("b{c}*'.lua", "return 1").with("d\ne.lua", "return 2");
    let text = written(&folder);
    assert!(text.contains("include-dirs = [\"in \\\"quotes\\\" [a]*\"]"), "{text}");
}
