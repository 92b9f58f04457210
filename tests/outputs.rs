//! Every format, as it looks and as its own schema or a reader of others judges it.

#[path = "common/folder.rs"]
mod folder;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use evalint::render::FORMATS;
use folder::Folder;
use serde_json::Value;

/// What is checked: a fix and labels, an included file, a file that is not there, wide characters and tabs, a long line, bytes that
/// are no text, names that formats have to escape.
const PATHS: [&str; 9] = [
    "lua/fix.lua",
    "lua/main.lua",
    "gone & lost.lua",
    "lua/wide.lua",
    "lua/long.lua",
    "lua/bytes.lua",
    "lua/100%, a:b <c>.lua",
    "lua/bom.lua",
    "lua/healthy.lua",
];

fn corpus(name: &str) -> Folder {
    let long = format!("local x = 1 {}x = redis.call('GET', 'lost') return x", "x = x + 1 ".repeat(300));
    Folder::new(name)
        .with("evalint.toml", "[[overrides]]\nfiles = ['wide.lua', 'long.lua']\nrules = { literal-key = 'warning' }\n")
        .with(
            "lua/fix.lua",
            "local seen = redis.call('GET', KEYS[1])\r\nif seen == nil then\r\n\treturn 0\r\nend\r\nreturn seen\r\n",
        )
        .with("lua/main.lua", "local rcall = redis.call\n--- @include \"parts/drop\"\nreturn drop(KEYS[1])\n")
        .with("lua/parts/drop.lua", "local function drop(key)\n  return rcall('SET', key, false)\nend\n")
        .with("lua/wide.lua", "local s = '漢字🦀é'\t\treturn redis.call('GET', 'キー\t' .. s)\n")
        .with("lua/long.lua", long)
        .with("lua/bytes.lua", b"-- \xff\x1b\nreturn redis.call('GET', '\xff\x1b[31m\x00<&>') .. '\xe2\x80\xae'\n")
        .with("lua/100%, a:b <c>.lua", "return redis.call('GETT', KEYS[1])\n")
        .with("lua/bom.lua", "\u{feff}return 1\n")
        .with("lua/healthy.lua", "return redis.call('GET', KEYS[1])\n")
}

fn written(folder: &Folder, format: &str) -> String {
    let run = folder.run(&[&["--format", format, "--color", "never"], &PATHS[..]].concat());
    run.trouble(&["gone & lost.lua: does not exist"]);
    run.out
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}:\n{text}"))
}

#[test]
fn every_format_looks_like_this() {
    let folder = corpus("formats");
    for format in FORMATS.map(|format| format.name) {
        let mut text = written(&folder, format);
        if format == "sarif" {
            let mut json = json(&text);
            let rules = json["runs"][0]["tool"]["driver"]["rules"].take();
            let rules = rules.as_array().unwrap();
            assert_eq!(rules.len(), evalint::rule::RULES.len());
            // A new rule moves others.
            for result in json["runs"][0]["results"].as_array_mut().unwrap() {
                let index = result["ruleIndex"].take().as_u64().unwrap();
                assert_eq!(rules[index as usize]["id"], result["ruleId"]);
            }
            text = serde_json::to_string_pretty(&json).unwrap();
        }
        insta::with_settings!({ snapshot_path => "../testdata/cli", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(format!("format-{format}"), text);
        });
    }
}

#[test]
fn every_format_is_whole_without_findings() {
    let folder = Folder::new("formats-empty").with("a.lua", "return redis.call('GET', KEYS[1])\n");
    for format in FORMATS.map(|format| format.name) {
        for paths in [&["a.lua"][..], &["--detect", "evalint.toml"]] {
            let run = folder.run(&[&["--format", format], paths].concat());
            assert_eq!(run.code, 0, "{format}: {}", run.err);
            match format {
                "json" | "sarif" | "gitlab" | "rdjson" => drop(json(&run.out)),
                "junit" | "checkstyle" => {
                    assert!(run.out.ends_with("s>\n") || run.out.ends_with("e>\n"), "{}", run.out)
                }
                _ => assert_eq!(run.out, ""),
            }
        }
    }
}

#[test]
fn an_unknown_format_is_refused() {
    let folder = Folder::new("formats-unknown");
    for later in ["html", "lsp", "contract"] {
        folder.run(&["--format", later]).trouble(&[later]);
    }
}

/// Byte and column regions lead to the text that they are about.
#[test]
fn regions_of_sarif_are_right() {
    let folder = corpus("formats-regions");
    let report = json(&written(&folder, "sarif"));
    let run = &report["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let mut seen = 0;
    for result in run["results"].as_array().unwrap() {
        let place = &result["locations"][0]["physicalLocation"];
        let (region, uri) = (&place["region"], place["artifactLocation"]["uri"].as_str().unwrap());
        let path = uri.replace("%25", "%").replace("%2C", ",").replace("%20", " ").replace("%3A", ":");
        let bytes = fs::read(folder.0.join(path.replace("%3C", "<").replace("%3E", ">"))).unwrap();
        let (start, length) = (number(&region["byteOffset"]), number(&region["byteLength"]));
        let snippet = region["snippet"]["text"].as_str().unwrap();
        assert_eq!(String::from_utf8_lossy(&bytes[start..start + length]), snippet);
        // Columns count characters, and a BOM or a byte that is no text is none or one.
        let text: String = bytes
            .utf8_chunks()
            .flat_map(|chunk| chunk.valid().chars().chain(chunk.invalid().iter().map(|_| '?')))
            .collect();
        let line =
            text.trim_start_matches('\u{feff}').lines().nth(number(&region["startLine"]) - 1).unwrap().to_owned();
        let [from, to] = ["startColumn", "endColumn"].map(|column| number(&region[column]) - 1);
        let shown: String = line.chars().skip(from).take(to - from).collect();
        assert_eq!(shown.replace('?', ""), snippet.replace(['\u{fffd}', '\u{feff}'], ""));
        seen += 1;
    }
    assert!(5 <= seen, "{seen} results");
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number")) as usize
}

/// The code flow of a finding goes the way that a run goes.
#[test]
fn code_flows_follow_the_run() {
    let script = "local function check(id)\n  if id == '' then\n    return redis.error_reply('ERR no id')\n  end\nend\n\
                  redis.call('SET', KEYS[1], 1)\nlocal bad = ARGV[1] == ''\nif bad then return redis.error_reply('ERR no id') end\nreturn 1\n";
    let run = Folder::new("formats-flow").with("a.lua", script).run(&["--format=sarif", "a.lua"]);
    let report = json(&run.out);
    let results = report["runs"][0]["results"].as_array().unwrap();
    let one =
        results.iter().find(|one| one["ruleId"] == "write-before-validation").unwrap_or_else(|| panic!("{report}"));
    let steps = one["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
    let lines: Vec<_> =
        steps.iter().map(|step| number(&step["location"]["physicalLocation"]["region"]["startLine"])).collect();
    assert_eq!(lines, [6, 8, 8], "{one}");
}

/// The fingerprints by rule, path and line of the findings.
fn fingerprints(folder: &Folder) -> Vec<String> {
    let gitlab = json(&folder.run(&["--format=gitlab", "a.lua"]).out);
    let sarif = json(&folder.run(&["--format=sarif", "a.lua"]).out);
    let of_gitlab = gitlab.as_array().unwrap().iter().map(|issue| issue["fingerprint"].as_str().unwrap().to_owned());
    let of_gitlab: Vec<_> = of_gitlab.collect();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let of_sarif = results.iter().map(|one| one["partialFingerprints"]["evalint/v1"].as_str().unwrap().to_owned());
    assert_eq!(of_gitlab, of_sarif.collect::<Vec<_>>());
    of_gitlab
}

#[test]
fn fingerprints_are_unique_and_survive_moved_lines() {
    let script = "redis.call('GET', 'a')\nredis.call('GET', 'b')\nredis.call('GET', 'b') redis.call('GET', 'b')\nredis.call('GET', 'b')\n";
    let folder = Folder::new("formats-fingerprints")
        .with("evalint.toml", "[rules]\nliteral-key = 'error'")
        .with("a.lua", script);
    let before = fingerprints(&folder);
    assert!(2 <= before.len(), "{before:?}");
    let mut unique = before.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), before.len(), "{before:?}");
    let moved = format!(
        "-- new\n\nlocal x = ARGV[1]\n{}return x\n",
        script.replace("redis.call('GET', 'a')", "\t  redis.call('GET', 'a')")
    );
    let folder = folder.with("a.lua", moved);
    assert_eq!(before, fingerprints(&folder));
    let folder = folder.with("a.lua", script.replace("'a'", "'c'"));
    let after = fingerprints(&folder);
    assert_eq!(after.iter().filter(|one| before.contains(one)).count(), before.len() - 1);
}

/// What `tools/formats` brought.
fn formats() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(".formats")
}

/// A file with the findings of the corpus in the format.
fn report(format: &str, name: &str) -> PathBuf {
    let folder = corpus(&format!("formats-{format}"));
    let text = written(&folder, format);
    let path = folder.0.join(name);
    fs::write(&path, text).unwrap();
    path
}

fn judged(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; tools/formats brings it"));
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}");
    text
}

fn python(script: &str, arguments: &[&Path]) -> String {
    judged(Command::new(formats().join("venv/bin/python")).args(["-c", script]).args(arguments))
}

#[test]
#[ignore = "needs tools/formats"]
fn sarif_obeys_its_schema_and_the_rules_of_its_makers() {
    let path = report("sarif", "report.sarif");
    let tool = formats().join("node_modules/@microsoft/sarif-multitool-linux");
    let schema = tool.join("sarif-2.1.0.json");
    let check = "import json, sys, jsonschema\n\
                 schema = json.load(open(sys.argv[1]))\n\
                 jsonschema.validators.validator_for(schema)(schema).validate(json.load(open(sys.argv[2])))";
    python(check, &[&schema, &path]);
    let mut command = Command::new(tool.join("Sarif.Multitool"));
    command
        .env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1")
        .arg("validate")
        .arg(&path)
        .arg("--json-schema")
        .arg(&schema);
    let told = judged(command.args(["--rule-kind", "Sarif;Gh", "--level", "Error;Warning"]));
    // The project has no public address.
    let faults: Vec<_> = told
        .lines()
        .filter(|line| line.contains(": error ") || line.contains(": warning ") && !line.contains("SARIF2005"))
        .collect();
    assert!(faults.is_empty() && told.contains("1 files scanned"), "{told}");
}

#[test]
#[ignore = "needs tools/formats"]
fn junit_obeys_its_schema() {
    let check = "import sys, xmlschema\nxmlschema.XMLSchema(sys.argv[1]).validate(sys.argv[2])";
    python(check, &[&formats().join("junit-10.xsd"), &report("junit", "report.xml")]);
}

#[test]
#[ignore = "needs tools/formats"]
fn rdjson_obeys_its_schema() {
    let path = report("rdjson", "report.json");
    let mut command = Command::new(formats().join("node_modules/.bin/rdformat-validator"));
    judged(command.args(["--strict", "--no-extra-fields"]).arg(path));
}

/// GitLab's report is an array of Code Climate's issues; a compiler holds it against their type.
#[test]
#[ignore = "needs tools/formats"]
fn gitlab_has_the_type_of_its_issues() {
    let path = report("gitlab", "report.json");
    let issues = fs::read_to_string(path).unwrap();
    let place = formats().join("report.ts");
    fs::write(
        &place,
        format!("import type {{ Issue }} from 'codeclimate-types'\nexport const issues: Issue[] = {issues}"),
    )
    .unwrap();
    let mut command = Command::new(formats().join("node_modules/.bin/tsc"));
    judged(command.args(["--noEmit", "--strict"]).arg(place).current_dir(formats()));
}

/// A reader of others finds every finding at its place.
#[test]
#[ignore = "needs tools/formats"]
fn checkstyle_is_read() {
    let path = report("checkstyle", "report.xml");
    let read = "const { xml2js } = require('xml-js'), fs = require('fs');\n\
                const { parseCheckstyle } = require('danger-plugin-lint-report/dist/parse/checkstyle_parser');\n\
                const found = parseCheckstyle(xml2js(fs.readFileSync(process.argv[1], 'utf8')), '');\n\
                for (const one of found) console.log([one.file, one.line, one.column, one.severity].join(' '));";
    let told = judged(Command::new("node").args(["-e", read]).arg(&path).current_dir(formats()));
    let folder = corpus("formats-checkstyle-concise");
    let places = written(&folder, "concise");
    let mut wanted: Vec<_> = places
        .lines()
        .map(|line| {
            let (place, rest) = line.split_once(": ").unwrap();
            let (place, column) = place.rsplit_once(':').unwrap();
            let (path, line) = place.rsplit_once(':').unwrap();
            format!("{path} {line} {column} {}", rest.split('[').next().unwrap())
        })
        .collect();
    wanted.insert(0, "gone & lost.lua 1 NaN error".into());
    let read: Vec<_> = told.lines().map(str::to_owned).collect();
    assert_eq!(read, wanted);
}
