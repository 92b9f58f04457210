//! Real scripts: the `.lua` files of the packages that `testdata/real/packages.txt` pins. What is found in them, as `path:line rule`,
//! is kept in `testdata/real/NAME.txt`, so that each change shows what it does to them. `EVALINT_UPDATE=1` writes the lists anew.

#[path = "common/server.rs"]
mod server;
#[path = "common/setting.rs"]
mod setting;

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use evalint::{check, config::Config, source::Source};
use server::{Reply, Server};
use setting::on_big_stack;

struct Package {
    name: String,
    folder: PathBuf,
    /// Path inside the package and text. Of equal files the first.
    scripts: Vec<(String, Vec<u8>)>,
}

fn packages() -> Vec<Package> {
    let list = include_str!("../testdata/real/packages.txt").lines();
    let packages = list.map(|line| {
        let [_, name, version] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("`{line}` names no package") };
        let folder = setting::root().join(".packages").join(format!("{name}-{version}"));
        assert!(folder.is_dir(), "{name} is not there; run tools/packages");
        Package { name: name.into(), scripts: scripts(&folder), folder }
    });
    packages.collect()
}

fn scripts(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut scripts = Vec::new();
    let mut known = BTreeSet::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let path = entry.expect("the package can be read").into_path();
        if path.extension().is_some_and(|extension| extension == "lua") {
            let text = fs::read(&path).expect("the package can be read");
            if known.insert(text.clone()) {
                let inside = path.strip_prefix(folder).expect("it was found there");
                scripts.push((inside.to_string_lossy().replace('\\', "/"), text));
            }
        }
    }
    assert!(!scripts.is_empty(), "{} has no scripts", folder.display());
    scripts
}

#[test]
#[ignore = "needs the network: run tools/test"]
fn findings_in_real_scripts_are_the_kept_ones() {
    let mut faults = String::new();
    for package in packages() {
        let found = findings(&package);
        let path = format!("testdata/real/{}.txt", package.name);
        if env::var_os("EVALINT_UPDATE").is_some() {
            fs::write(setting::root().join(&path), found.concat()).expect("testdata can be written");
            continue;
        }
        let kept = fs::read_to_string(setting::root().join(&path)).unwrap_or_default();
        let kept: Vec<&str> = kept.split_inclusive('\n').collect();
        let lost = kept.iter().filter(|line| !found.iter().any(|other| other == *line));
        let new = found.iter().filter(|line| !kept.contains(&line.as_str()));
        let lines: String = lost.map(|line| format!("- {line}")).chain(new.map(|line| format!("+ {line}"))).collect();
        if !lines.is_empty() {
            faults += &format!("{path} (EVALINT_UPDATE=1 writes it):\n{lines}");
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// What the default preset finds, a line each. All scripts are named, so that each is checked whatever it looks like.
fn findings(package: &Package) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_evalint"))
        .args(["check", "--isolated", "--format", "json"])
        .args(package.scripts.iter().map(|(path, _)| path))
        .current_dir(&package.folder)
        .output()
        .expect("the binary runs");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it writes JSON");
    let all = report["diagnostics"].as_array().expect("there are diagnostics");
    let line = |one: &serde_json::Value| {
        let path = one["path"].as_str().expect("it has a path");
        let rule = one["rule"].as_str().expect("it has a rule");
        format!("{path}:{} {rule}\n", one["span"]["start"]["line"])
    };
    all.iter().map(line).collect()
}

#[test]
#[ignore = "needs the network and real servers: run tools/test"]
fn real_scripts_have_a_syntax_error_where_the_server_says_so() {
    let mut server = Server::start(&server::newest("redis")).unwrap();
    let mut faults = String::new();
    for package in packages() {
        for (path, text) in &package.scripts {
            let source = Source::file(path.as_str(), text.as_slice());
            let report = on_big_stack(|| check(&source, &Config::default()));
            let ours = report.diagnostics.iter().find(|one| one.rule.name == "syntax-error");
            let theirs = match server.command(&[b"SCRIPT".as_slice(), b"LOAD", text]) {
                Reply::Error(error) => Some(error),
                Reply::Status(_) | Reply::Integer(_) | Reply::Bulk(_) | Reply::Nil | Reply::Array(_) => None,
            };
            if ours.is_some() != theirs.is_some() {
                let ours = ours.map(|one| &one.finding.message);
                faults += &format!("{} {path}: found {ours:?}, the server says {theirs:?}\n", package.name);
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}
