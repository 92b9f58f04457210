//! The schema and the reader of settings agree, and every example in the documents is valid for both.

#[path = "common/folder.rs"]
mod folder;

use std::{fs, path::Path, str::FromStr};

use evalint::{config, target::Target};
use folder::Folder;
use jsonschema::Validator;
use serde_json::Value;

fn validator() -> Validator {
    jsonschema::draft7::new(&config::schema::schema()).expect("it is a schema")
}

fn json(text: &str) -> Value {
    let table: toml::Table = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    serde_json::to_value(table).expect("what settings are made of is JSON")
}

/// A folder in which every file that examples name lies.
fn folder(name: &str) -> Folder {
    let folder = Folder::new(&format!("schema-{name}"));
    fs::remove_file(folder.0.join("evalint.toml")).unwrap();
    folder
        .with("evalint.toml", "")
        .with("project/lua/common.lua", "limit = 1")
        .with("project/lua/includes/x.lua", "")
        .with("project/lua/a.lua", "return 1")
}

/// Does the program take the text as the settings in a file of that name? If not, what it says.
fn load(folder: &Folder, name: &str, text: &str) -> Result<(), String> {
    fs::write(folder.0.join("project").join(name), text).unwrap();
    let run = folder.run(&["--show-config", "project/lua/a.lua", "--config", &format!("project/{name}")]);
    if run.code == 0 { Ok(()) } else { Err(run.err) }
}

#[test]
fn the_schema_names_every_setting() {
    let schema = config::schema::schema();
    jsonschema::draft7::meta::validate(&schema).expect("it is a schema of draft 7");
    let mut names: Vec<_> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    let mut keys = config::file::KEYS.to_vec();
    names.sort_unstable();
    keys.sort_unstable();
    assert_eq!(names, keys);
    for (name, one) in schema["properties"].as_object().unwrap() {
        assert!(one["description"].is_string(), "{name} has no description");
    }
    let folder = folder("printed");
    assert_eq!(serde_json::from_str::<Value>(&folder.run(&["schema"]).out).unwrap(), schema);
}

#[test]
fn the_reader_and_the_schema_agree() {
    let validator = validator();
    let folder = folder("agree");
    let (good, bad) = (true, false);
    let command = "commands.'X.Y'";
    for (is_good, text) in [
        (good, String::new()),
        (bad, "targt = 'redis'".into()),
        (good, "target = 'redis@7.2'".into()),
        (good, "target = ['redis', 'valkey@8']".into()),
        (bad, "target = []".into()),
        (bad, "target = 7".into()),
        (bad, "target = [7]".into()),
        (good, "cluster = false".into()),
        (bad, "cluster = 'yes'".into()),
        (good, "preset = 'strict'".into()),
        (bad, "preset = 'Strict'".into()),
        (good, "exclude = ['a/**', '!b']\nscripts = []".into()),
        (bad, "exclude = 'a'".into()),
        (bad, "scripts = [1]".into()),
        (good, "globals = ['a']".into()),
        (bad, "prelude = [1]".into()),
        (good, "prelude = ['lua/common.lua']".into()),
        (good, "extends = '../evalint.toml'".into()),
        (bad, "extends = ['../evalint.toml']".into()),
        (good, "rules = { all = 'off', keys = 'info', literal-key = 'warning', wire = 'error' }".into()),
        (bad, "rules = { literal-keys = 'off' }".into()),
        (bad, "rules = { keys = 'on' }".into()),
        (bad, "rules = { keys = false }".into()),
        (bad, "rules = ['keys']".into()),
        (good, "[[overrides]]\nfiles = ['a']\n[[overrides]]\nfiles = []\nrules = { keys = 'off' }".into()),
        (bad, "[[overrides]]\nrules = { keys = 'off' }".into()),
        (bad, "[[overrides]]\nfiles = ['a']\nrules = { key = 'off' }".into()),
        (bad, "[[overrides]]\nfiles = ['a']\npreset = 'strict'".into()),
        (bad, "[overrides]\nfiles = ['a']".into()),
        (good, "[[scripts-contract]]\nfiles = ['a']\nkeys = ['a:{b}']".into()),
        (bad, "[[scripts-contract]]\nkeys = ['a:{b}']".into()),
        (bad, "[[scripts-contract]]\nfiles = ['a']\nkeys = [{}]".into()),
        (good, "keys = {}".into()),
        (good, "keys.prefixes = ['KEYS[1]', 'ARGV[12]']".into()),
        (bad, "keys.prefixes = ['KEYS[0]']".into()),
        (bad, "keys.prefixes = ['KEYS']".into()),
        (bad, "keys.prefixes = [' KEYS[1]']".into()),
        (bad, "keys.prefix = ['KEYS[1]']".into()),
        (good, format!("{command} = {{ flags = [] }}")),
        (bad, format!("{command} = {{ arity = 1 }}")),
        (bad, format!("{command} = {{ flags = ['writes'] }}")),
        (good, format!("{command} = {{ flags = ['write', 'denyoom'], arity = -3, reply = 'array | false|nil' }}")),
        (bad, format!("{command} = {{ flags = [], reply = 'arrays' }}")),
        (bad, format!("{command} = {{ flags = [], reply = 'never' }}")),
        (bad, format!("{command} = {{ flags = [], reply = '' }}")),
        (bad, format!("{command} = {{ flags = [], arity = 1.5 }}")),
        (bad, format!("{command} = {{ flags = [], arity = 40000 }}")),
        (good, format!("{command} = {{ flags = [], keys = {{ first = 2, last = -1, step = 2 }} }}")),
        (bad, format!("{command} = {{ flags = [], keys = {{ first = 0 }} }}")),
        (bad, format!("{command} = {{ flags = [], keys = {{ step = 0 }} }}")),
        (bad, format!("{command} = {{ flags = [], keys = {{ frist = 1 }} }}")),
        (bad, format!("{command} = []")),
        (good, "include-dirs = ['lua/includes']".into()),
        (bad, "include-dirs = 'lua/includes'".into()),
        (good, "baseline = 'known.json'".into()),
        (bad, "baseline = ['known.json']".into()),
    ] {
        let value = json(&text);
        let error = validator.validate(&value).err().map(|error| error.to_string());
        assert_eq!(error.is_none(), is_good, "the schema on {text}: {error:?}");
        assert_eq!(load(&folder, "x.toml", &text).is_ok(), is_good, "the reader on {text}");
        // JSON says the same.
        let json = serde_json::json!({ "evalint": value }).to_string();
        assert_eq!(load(&folder, "package.json", &json).is_ok(), is_good, "the reader on {json}");
    }
    let null = serde_json::json!({ "cluster": null });
    assert!(!validator.is_valid(&null));
}

#[test]
fn the_schema_knows_the_targets() {
    let validator = validator();
    let products = ["redis", "valkey", "dragonfly", "kvrocks", "keydb", "reddis", ""];
    let mut versions: Vec<String> =
        ["", "@", "@x", "@7.", "@7.2.4.1", "@07", "@+7", "@7.02", " ", "@latest"].map(String::from).into();
    for major in 0..12 {
        versions.push(format!("@{major}"));
        for minor in 0..12 {
            versions.extend([format!("@{major}.{minor}"), format!("@{major}.{minor}.{minor}")]);
        }
    }
    for text in products.iter().flat_map(|product| versions.iter().map(move |version| format!("{product}{version}"))) {
        let known = Target::from_str(&text).is_ok();
        assert_eq!(validator.is_valid(&serde_json::json!({ "target": text })), known, "{text}");
    }
}

/// The fences ```` ```toml ```` and ```` ```json ```` that hold settings, with their lines.
fn examples(text: &str) -> Vec<(usize, &'static str, String)> {
    let mut examples = Vec::new();
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else { continue };
        let body: String = lines
            .by_ref()
            .map(|(line, _)| line)
            .take_while(|line| !line.starts_with("```"))
            .map(|line| format!("{line}\n"))
            .collect();
        match info {
            "toml" if body.contains("[tool.") => examples.push((number, "pyproject.toml", body)),
            "toml" => examples.push((number, "x.toml", body)),
            "json" if body.contains("\"evalint\": {") => examples.push((number, "package.json", body)),
            _ => {}
        }
    }
    examples
}

#[test]
fn the_documents_show_settings_that_are_valid() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let validator = validator();
    let folder = folder("documents");
    let mut count = 0;
    let documents = walkdir::WalkDir::new(root.join("docs")).sort_by_file_name().into_iter().filter_map(Result::ok);
    let documents = documents.map(walkdir::DirEntry::into_path).chain(["README.md"].map(|name| root.join(name)));
    for path in documents.filter(|path| path.extension().is_some_and(|extension| extension == "md")) {
        for (line, name, text) in examples(&fs::read_to_string(&path).unwrap()) {
            let place = format!("{}:{line}", path.display());
            let value = match name {
                "package.json" => serde_json::from_str::<Value>(&text).unwrap()["evalint"].take(),
                "pyproject.toml" => json(&text)["tool"]["evalint"].take(),
                _ => json(&text),
            };
            if let Err(error) = validator.validate(&value) {
                panic!("{place}: {error}");
            }
            if let Err(error) = load(&folder, name, &text) {
                panic!("{place}: {error}");
            }
            count += 1;
        }
    }
    assert!(1 <= count, "no document shows settings");
}
