//! What a test script is checked with and run with: the words of a page's fence, or the `--:` lines of a script's head.

#![allow(dead_code, reason = "each test uses a part")]

use std::{path::Path, thread};

use evalint::{
    check,
    config::{Config, Level, Selector},
    limits,
    rule::{Diagnostic, Preset, rule},
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

    pub(crate) fn config(&self) -> Config {
        // A level in the config adds a rule to the preset, all its strict findings included.
        let selected = self.select.iter().filter_map(|name| rule(name));
        let mut config = Config {
            cluster: self.cluster.then_some(true),
            preset: if self.strict { Preset::Strict } else { Preset::Recommended },
            levels: vec![selected.map(|rule| (Selector::Rule(rule), Level::At(rule.severity))).collect()],
            ..Config::default()
        };
        if let Some(target) = self.target {
            config.targets = vec![target];
            config.targets_named = true;
        }
        config
    }

    pub(crate) fn check(&self, source: &Source) -> Vec<Diagnostic> {
        let config = self.config();
        on_big_stack(|| check(source, &config)).diagnostics
    }
}

/// A word of a command: any bytes.
pub(crate) type Word = Vec<u8>;

/// The lines `--: word ...` of a script.
#[derive(Default)]
pub(crate) struct Head {
    pub(crate) setting: Setting,
    pub(crate) keys: Vec<Word>,
    /// One run of the script each; none: one run without arguments.
    pub(crate) args: Vec<Vec<Word>>,
    /// Commands that are run before the script.
    pub(crate) before: Vec<Vec<Word>>,
    /// Part of a script, which no server can run.
    pub(crate) piece: bool,
}

impl Head {
    pub(crate) fn parse(script: &[u8]) -> Result<Head, String> {
        let mut head = Head::default();
        for (line, number) in String::from_utf8_lossy(script).lines().zip(1..) {
            let Some(line) = line.strip_prefix("--: ") else { continue };
            let place = |error: String| format!("line {number}: {error}");
            let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
            match (first, rest) {
                ("keys", _) => head.keys = words(rest),
                ("args", _) => head.args.push(words(rest)),
                ("before", _) => head.before.push(words(rest)),
                ("target", _) => head.setting.target = Some(rest.parse().map_err(place)?),
                ("cluster", "") => head.setting.cluster = true,
                ("strict", "") => head.setting.strict = true,
                ("piece", "") => head.piece = true,
                ("select", _) => head.setting.select = rest.split(' ').map(String::from).collect(),
                _ => return Err(place(format!("no head line is `{line}`"))),
            }
        }
        Ok(head)
    }

    /// What `EVAL script` is followed by in each run.
    pub(crate) fn runs(&self) -> Vec<Vec<Word>> {
        let one = |args: &[Word]| {
            let mut words = vec![self.keys.len().to_string().into_bytes()];
            words.extend_from_slice(&self.keys);
            words.extend_from_slice(args);
            words
        };
        if self.args.is_empty() { vec![one(&[])] } else { self.args.iter().map(|args| one(args)).collect() }
    }
}

/// Splits at blanks as redis-cli does: words may be quoted by `'` or `"`; within `"`, `\n`, `\r`, `\t` and `\xHH` are the bytes
/// that they name, and a backslash takes any other letter as it is.
pub(crate) fn words(line: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut word: Option<Word> = None;
    let mut quote = None;
    let mut bytes = line.bytes();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (None, blank) if blank.is_ascii_whitespace() => words.extend(word.take()),
            (None, b'\'' | b'"') => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (Some(open), _) if open == byte => quote = None,
            (Some(b'"'), b'\\') => word.get_or_insert_default().extend(escaped(&mut bytes)),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words
}

/// The byte that the letters after a backslash name.
fn escaped(bytes: &mut impl Iterator<Item = u8>) -> Option<u8> {
    let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
    Some(match bytes.next()? {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'x' => (digit(bytes.next())? * 16 + digit(bytes.next())?) as u8,
        other => other,
    })
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
