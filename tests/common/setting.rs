//! What a test script is checked with and run with: the words of a page's fence, or the `--:` lines of a script's head.

#![allow(dead_code, reason = "each test uses a part")]

use std::{path::Path, thread};

use evalint::{
    check,
    config::Config,
    limits,
    rule::{Diagnostic, Preset},
    source::Source,
    target::Target,
};

/// How a script is checked: the default preset and the selected rules, or all of the strict preset.
#[derive(Clone, Default)]
pub(crate) struct Setting {
    pub(crate) target: Option<Target>,
    pub(crate) cluster: bool,
    pub(crate) strict: bool,
    pub(crate) select: Vec<String>,
}

impl Setting {
    /// Takes in `target=redis@7.0`, `cluster` or `strict`.
    pub(crate) fn word(&mut self, word: &str) -> Result<(), String> {
        match word.split_once('=').unwrap_or((word, "")) {
            ("target", target) => self.target = Some(target.parse()?),
            ("cluster", "") => self.cluster = true,
            ("strict", "") => self.strict = true,
            _ => {
                return Err(format!("`{word}` is none of `target=`, `cluster`, `strict`"));
            }
        }
        Ok(())
    }

    pub(crate) fn config(&self, preset: Preset) -> Config {
        let mut config = Config { cluster: self.cluster.then_some(true), preset, ..Config::default() };
        if let Some(target) = self.target {
            config.targets = vec![target];
            config.targets_named = true;
        }
        config
    }

    pub(crate) fn check(&self, source: &Source) -> Vec<Diagnostic> {
        let recommended = self.config(Preset::Recommended);
        let shown = |one: &Diagnostic| {
            self.strict
                || self.select.iter().any(|rule| rule == one.rule.name)
                || recommended.severity(one.rule, &one.finding).is_some()
        };
        let config = self.config(Preset::Strict);
        let mut diagnostics = on_big_stack(|| check(source, &config)).diagnostics;
        diagnostics.retain(shown);
        diagnostics
    }
}

/// The lines `--: word ...` of a script.
#[derive(Default)]
pub(crate) struct Head {
    pub(crate) setting: Setting,
    pub(crate) keys: Vec<String>,
    /// One run of the script each; none: one run without arguments.
    pub(crate) args: Vec<Vec<String>>,
    /// Commands that are run before the script.
    pub(crate) before: Vec<Vec<String>>,
}

impl Head {
    pub(crate) fn parse(script: &[u8]) -> Result<Head, String> {
        let mut head = Head::default();
        for (line, number) in String::from_utf8_lossy(script).lines().zip(1..) {
            let Some(line) = line.strip_prefix("--: ") else {
                continue;
            };
            let mut words = words(line);
            if words.is_empty() {
                continue;
            }
            let place = |error| format!("line {number}: {error}");
            match (words.remove(0).as_str(), words.as_slice()) {
                ("keys", _) => head.keys = words,
                ("args", _) => head.args.push(words),
                ("before", _) => head.before.push(words),
                ("target", [target]) => {
                    head.setting.target = Some(target.parse().map_err(place)?);
                }
                ("cluster", []) => head.setting.cluster = true,
                ("strict", []) => head.setting.strict = true,
                ("select", _) => head.setting.select = words,
                (other, _) => return Err(place(format!("no head line starts with `{other}`"))),
            }
        }
        Ok(head)
    }
}

/// Splits at blanks as a shell does: words may be quoted by `'` or `"`, and within `"` a backslash takes the next letter as it is.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = None;
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, blank) if blank.is_whitespace() => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_with(String::new);
            }
            (Some(open), _) if open == letter => quote = None,
            (Some('"'), '\\') => word.get_or_insert_with(String::new).extend(letters.next()),
            _ => word.get_or_insert_with(String::new).push(letter),
        }
    }
    words.extend(word);
    words
}

/// Runs it with the stack that the program itself gives to checks.
pub(crate) fn on_big_stack<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .stack_size(limits::STACK_BYTES)
            .spawn_scoped(scope, f)
            .expect("a thread can be started");
        match thread.join() {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The Lua files below a folder of `testdata`, by path from the root.
pub(crate) fn scripts(folder: &str) -> Vec<(String, Vec<u8>)> {
    let mut scripts = Vec::new();
    for entry in walkdir::WalkDir::new(root().join("testdata").join(folder)).sort_by_file_name() {
        let path = entry.expect("testdata can be read").into_path();
        if path.extension().is_some_and(|extension| extension == "lua") {
            let name = path.strip_prefix(root()).expect("it is below the root");
            let text = std::fs::read(&path).expect("testdata can be read");
            scripts.push((name.to_string_lossy().replace('\\', "/"), text));
        }
    }
    assert!(!scripts.is_empty(), "testdata/{folder} has no scripts");
    scripts
}
