//! What the compiler does not hold: the layers, the sizes, the form of the files in `rules/`.

use std::{path::Path, process::Command};

/// A Rust file of the package.
struct File {
    /// From the root, with `/`.
    path: String,
    text: String,
}

impl File {
    /// The lines with their numbers, without comments and unit tests.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let text = self.text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        lines.enumerate().map(|(at, line)| (at + 1, line))
    }

    /// Is it `src/MODULE.rs` or below `src/MODULE/`, for one of the modules?
    fn is_of(&self, modules: &[&str]) -> bool {
        let inner = self.path.strip_prefix("src/").unwrap_or_default();
        modules
            .iter()
            .any(|module| inner.strip_prefix(module).is_some_and(|rest| rest == ".rs" || rest.starts_with('/')))
    }
}

fn files(folder: &str) -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(root.join(folder)).sort_by_file_name() {
        let path = entry.expect("the source can be read").into_path();
        let is_test = path.file_name().is_some_and(|name| name == "tests.rs");
        if !is_test && path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("the source can be read");
            let path = path.strip_prefix(root).expect("it is below the root");
            files.push(File { path: path.to_string_lossy().replace('\\', "/"), text });
        }
    }
    files
}

/// The rules' code; `build.rs` is none.
fn rules() -> Vec<File> {
    let mut rules = files("rules");
    rules.retain(|file| file.path != "rules/build.rs");
    rules
}

/// Only the files of `allowed` may hold one of the words in their code.
fn assert_only(allowed: &[&str], words: &[&str], why: &str) {
    let mut faults = String::new();
    for file in files("src").into_iter().chain(rules()) {
        if file.is_of(allowed) {
            continue;
        }
        for (number, line) in file.code() {
            if let Some(word) = words.iter().find(|word| line.contains(*word)) {
                faults += &format!("{}:{number}: `{word}`; {why}\n", file.path);
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
fn only_parse_and_lower_know_the_parser() {
    assert_only(&["parse", "lower"], &["full_moon"], "only parse and lower know full_moon");
}

#[test]
fn only_the_edges_know_the_renderer() {
    assert_only(&["render", "config"], &["codespan_reporting"], "only render and config know codespan");
}

#[test]
fn only_the_command_line_prints() {
    let printing = ["println!", "print!(", "eprintln!", "eprint!(", "dbg!", "stdout()", "stderr()"];
    assert_only(&["main", "cli", "lsp"], &printing, "only cli prints");
}

#[test]
fn the_core_is_pure() {
    let world = ["std::fs", "std::env", "std::net", "std::time", "std::process", "static mut", "thread_local!"];
    let edges = ["main", "cli", "config", "include/disk", "fix", "baseline", "lsp", "render"];
    assert_only(&edges, &world, "a check reads no file, clock or environment and keeps no state");
}

/// The modules that a rule may use; it sees no text positions, no config and no tree.
#[test]
fn rules_see_facts_only() {
    let allowed = [
        "facts",
        "value",
        "origin",
        "absence",
        "chains",
        "trips",
        "commands",
        "target",
        "rule",
        "rules",
        "source",
        "slots",
        "ir",
        "events",
        "builtins",
        "keyspace",
        "limits",
        "contract",
        "host",
        "graph",
        "keys",
        "refusals",
        "history",
        "names",
        "returns",
        "decoded",
        "expiry",
        "holes",
        "fractions",
        "magnitude",
        "suppress",
        "shebang",
        "registrations",
        "roots",
    ];
    let own = [("rules/sandbox/syntax-error.rs", "parse")];
    let mut faults = String::new();
    for file in rules() {
        for module in modules(&file.text) {
            let excepted = own.contains(&(file.path.as_str(), module.as_str()));
            if !allowed.contains(&module.as_str()) && !excepted {
                faults += &format!("{}: a rule does not use `crate::{module}`\n", file.path);
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
fn facts_know_no_rule_and_the_core_no_edge() {
    let edges = ["cli", "render", "explain", "lsp", "fix", "baseline"];
    let core = [
        "source", "parse", "ir", "lower", "inline", "roots", "graph", "flow", "value", "eval", "keyspace", "builtins",
        "commands", "events", "slots", "facts", "target", "limits",
    ];
    let mut faults = String::new();
    for file in files("src").iter().filter(|file| file.is_of(&core)) {
        for module in modules(&file.text) {
            if edges.contains(&module.as_str()) {
                faults += &format!("{}: the core does not use `crate::{module}`\n", file.path);
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// The names after `crate::`, in `use crate::{...}` too.
fn modules(text: &str) -> Vec<String> {
    let mut modules = Vec::new();
    for (at, found) in text.match_indices("crate::") {
        let rest = &text[at + found.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            modules.push(name(rest));
            continue;
        };
        let mut depth = 0;
        let mut start = true;
        for (at, letter) in group.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => start = true,
                _ if letter.is_whitespace() => {}
                _ if start => {
                    modules.push(name(&group[at..]));
                    start = false;
                }
                _ => {}
            }
        }
    }
    modules
}

fn name(text: &str) -> String {
    text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
}

#[test]
fn files_stay_small() {
    let long: String = files("src")
        .into_iter()
        .chain(files("rules"))
        .filter(|file| 450 < file.text.lines().count())
        .map(|file| format!("{}: {} lines, split it below 450\n", file.path, file.text.lines().count()))
        .collect();
    assert!(long.is_empty(), "\n{long}");
}

/// `cargo fmt` does not follow the modules that the build script generates.
#[test]
fn rules_are_formatted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new("rustfmt")
        .current_dir(root)
        .args(["--check", "--edition", "2024"])
        .args(rules().iter().map(|file| &file.path))
        .output()
        .expect("rustfmt is installed");
    assert!(
        output.status.success(),
        "run rustfmt --edition 2024 rules/**/*.rs\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Every list prints them one below the other.
#[test]
fn summaries_end_without_a_full_stop() {
    for rule in evalint::rule::RULES {
        assert!(!rule.summary.ends_with('.'), "{}: `{}`", rule.name, rule.summary);
    }
}
