//! What the settings of one file mean: every mistake gets its place and, if near, the name that was meant.

use std::{
    ops::Range,
    path::{Path, PathBuf},
    str::FromStr,
};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::{
    Level, Selector,
    tree::{Entry, Key, Node, Value},
};
use crate::{
    commands::Declared,
    rule::{Preset, Severity},
    target::{Target, closest},
};

/// What one file of settings says.
#[derive(Debug)]
pub struct File {
    /// As the user would write it.
    pub path: PathBuf,
    /// Where it lies, absolute.
    pub folder: PathBuf,
    pub text: String,
    /// What was read.
    pub(super) root: Node,
    /// The path of the config to start from, with its place.
    pub extends: Option<(String, Range<usize>)>,
    pub targets: Option<Vec<Target>>,
    pub cluster: Option<bool>,
    pub preset: Option<Preset>,
    pub exclude: Globs,
    /// Files that are scripts even if they look general.
    pub scripts: Globs,
    pub rules: Vec<(Selector, Level)>,
    pub overrides: Vec<Override>,
    pub contracts: Vec<Contract>,
    pub prefixes: Vec<String>,
    pub globals: Vec<String>,
    /// Files that the host puts before each script, with their places; relative to the config's folder.
    pub prelude: Vec<(String, Range<usize>)>,
    /// Commands of modules.
    pub commands: Vec<Declared>,
    /// Folders where included files are looked for, with their places; relative to the config's folder.
    pub include_dirs: Vec<(String, Range<usize>)>,
    /// The file with the findings that are known, as it is written.
    pub baseline: Option<String>,
}

#[derive(Debug)]
pub struct Override {
    pub files: Globs,
    pub rules: Vec<(Selector, Level)>,
}

/// The patterns of a script's keys, where it does not say them itself.
#[derive(Debug)]
pub struct Contract {
    pub files: Globs,
    pub keys: Vec<String>,
}

/// Patterns as in `.gitignore`, relative to the folder of the config.
#[derive(Debug)]
pub struct Globs(Gitignore);

impl Globs {
    /// `path` is absolute.
    pub fn matches(&self, path: &Path) -> bool {
        !self.0.is_empty()
            && path.starts_with(self.0.path())
            && self.0.matched_path_or_any_parents(path, false).is_ignore()
    }
}

/// What is wrong, and where in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    pub span: Range<usize>,
    pub message: String,
    pub help: Option<String>,
}

impl Problem {
    pub(super) fn new(span: Range<usize>, message: String) -> Problem {
        Problem { span, message, help: None }
    }
}

/// The settings at the top.
pub const KEYS: [&str; 15] = [
    "extends",
    "target",
    "cluster",
    "preset",
    "exclude",
    "scripts",
    "rules",
    "overrides",
    "scripts-contract",
    "keys",
    "globals",
    "prelude",
    "commands",
    "include-dirs",
    "baseline",
];

/// The meaning of the settings `root` in the text of the config at `path`, which lies in `folder`.
pub(super) fn read(path: PathBuf, folder: &Path, text: String, root: Node) -> Result<File, (String, Vec<Problem>)> {
    let mut reader = Reader { folder: folder.to_owned(), problems: Vec::new() };
    let file = reader.file(path, text, root);
    reader.problems.sort_by_key(|problem| problem.span.start);
    if reader.problems.is_empty() { Ok(file) } else { Err((file.text, reader.problems)) }
}

/// The line of the byte at `offset`, from 1.
pub(super) fn line(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|&&byte| byte == b'\n').count()
}

pub(super) struct Reader {
    folder: PathBuf,
    problems: Vec<Problem>,
}

impl Reader {
    fn file(&mut self, path: PathBuf, text: String, root: Node) -> File {
        let mut file = File {
            path,
            folder: self.folder.clone(),
            text,
            root,
            extends: None,
            targets: None,
            cluster: None,
            preset: None,
            exclude: Globs(Gitignore::empty()),
            scripts: Globs(Gitignore::empty()),
            rules: Vec::new(),
            overrides: Vec::new(),
            contracts: Vec::new(),
            prefixes: Vec::new(),
            globals: Vec::new(),
            prelude: Vec::new(),
            commands: Vec::new(),
            include_dirs: Vec::new(),
            baseline: None,
        };
        let root = std::mem::replace(&mut file.root, Node { span: 0..0, value: Value::Other });
        for Entry { key, value } in self.table(&root) {
            match self.known(key, &KEYS) {
                Some("extends") => {
                    file.extends = self.string(value).map(|path| (path.to_owned(), value.span.clone()));
                }
                Some("target") => file.targets = self.targets(value),
                Some("cluster") => {
                    if let Value::Bool(cluster) = value.value {
                        file.cluster = Some(cluster);
                    } else {
                        self.problem(&value.span, "`cluster` is `true` or `false`", None);
                    }
                }
                Some("preset") => {
                    let presets = Preset::ALL.map(|preset| (preset.name(), preset));
                    file.preset = self.one_of(value, "preset", &presets);
                }
                Some("exclude") => file.exclude = self.globs(value),
                Some("scripts") => file.scripts = self.globs(value),
                Some("rules") => file.rules = self.rules(value),
                Some("overrides") => {
                    for entry in self.array(value) {
                        let (files, rules) = self.entry(entry, "rules", |reader, value| reader.rules(value));
                        file.overrides.push(Override { files, rules });
                    }
                }
                Some("scripts-contract") => {
                    for entry in self.array(value) {
                        let (files, keys) = self.entry(entry, "keys", |reader, value| reader.texts(value));
                        file.contracts.push(Contract { files, keys });
                    }
                }
                Some("keys") => {
                    for Entry { key, value } in self.table(value) {
                        if self.known(key, &["prefixes"]).is_some() {
                            file.prefixes = self.prefixes(value);
                        }
                    }
                }
                Some("globals") => file.globals = self.texts(value),
                Some("prelude") => file.prelude = self.places(value),
                Some("commands") => file.commands = self.commands(value),
                Some("include-dirs") => file.include_dirs = self.places(value),
                Some("baseline") => file.baseline = self.string(value).map(str::to_owned),
                Some(_) | None => {}
            }
        }
        file.root = root;
        file
    }

    pub(super) fn problem(&mut self, at: &Range<usize>, message: impl Into<String>, help: Option<String>) {
        self.problems.push(Problem { span: at.clone(), message: message.into(), help });
    }

    /// The key, if it is one of `keys`.
    pub(super) fn known<'k>(&mut self, key: &Key, keys: &[&'k str]) -> Option<&'k str> {
        let name = key.name.as_str();
        let found = keys.iter().copied().find(|known| *known == name);
        if found.is_none() {
            let help = match closest(name, keys.iter().copied()) {
                Some(near) => format!("write `{near}`"),
                None => format!("use one of {}", keys.join(", ")),
            };
            self.problem(&key.span, format!("no setting is called `{name}`"), Some(help));
        }
        found
    }

    pub(super) fn string<'n>(&mut self, node: &'n Node) -> Option<&'n str> {
        let text = node.text();
        if text.is_none() {
            self.problem(&node.span, "a string is expected here", None);
        }
        text
    }

    /// What is in the array; of anything else, nothing.
    pub(super) fn array<'n>(&mut self, node: &'n Node) -> &'n [Node] {
        let array = node.array();
        if array.is_none() {
            self.problem(&node.span, "an array is expected here", None);
        }
        array.unwrap_or_default()
    }

    /// What is in the table; of anything else, nothing. JSON lets a key stand twice.
    pub(super) fn table<'n>(&mut self, node: &'n Node) -> &'n [Entry] {
        let Some(entries) = node.table() else {
            self.problem(&node.span, "a table is expected here", None);
            return &[];
        };
        for (at, Entry { key, .. }) in entries.iter().enumerate() {
            if entries[..at].iter().any(|before| before.key.name == key.name) {
                self.problem(&key.span, format!("`{}` stands here twice", key.name), None);
            }
        }
        entries
    }

    fn texts(&mut self, node: &Node) -> Vec<String> {
        self.array(node).iter().filter_map(|one| self.string(one)).map(str::to_owned).collect()
    }

    fn places(&mut self, node: &Node) -> Vec<(String, Range<usize>)> {
        self.array(node).iter().filter_map(|one| Some((self.string(one)?.to_owned(), one.span.clone()))).collect()
    }

    pub(super) fn one_of<T: Copy>(&mut self, value: &Node, what: &str, all: &[(&str, T)]) -> Option<T> {
        let text = self.string(value)?;
        let found = all.iter().find(|(name, _)| *name == text);
        if found.is_none() {
            let help = match closest(text, all.iter().map(|(name, _)| *name)) {
                Some(near) => format!("write \"{near}\""),
                None => {
                    let names: Vec<_> = all.iter().map(|(name, _)| format!("\"{name}\"")).collect();
                    format!("use one of {}", names.join(", "))
                }
            };
            self.problem(&value.span, format!("no {what} is called `{text}`"), Some(help));
        }
        found.map(|&(_, one)| one)
    }

    /// One string or several.
    fn targets(&mut self, value: &Node) -> Option<Vec<Target>> {
        let several = match value.text() {
            Some(_) => std::slice::from_ref(value),
            None => self.array(value),
        };
        let mut targets = Vec::new();
        for one in several {
            match Target::from_str(self.string(one)?) {
                Ok(target) => targets.push(target),
                Err(message) => self.problem(&one.span, message, None),
            }
        }
        if several.is_empty() && value.array().is_some() {
            self.problem(&value.span, "no target is named", Some("remove the line or name one".into()));
        }
        Some(targets)
    }

    fn rules(&mut self, value: &Node) -> Vec<(Selector, Level)> {
        let levels = [
            ("off", Level::Off),
            ("info", Level::At(Severity::Info)),
            ("warning", Level::At(Severity::Warning)),
            ("error", Level::At(Severity::Error)),
        ];
        let mut rules = Vec::new();
        for Entry { key, value } in self.table(value) {
            let level = self.one_of(value, "level", &levels);
            match (Selector::from_str(&key.name), level) {
                (Ok(selector), Some(level)) => rules.push((selector, level)),
                (Ok(_), None) => {}
                (Err(unknown), _) => {
                    let help = match unknown.near {
                        Some(near) => format!("write `{near}`"),
                        None => "`evalint rules` lists them".into(),
                    };
                    let message = format!("no rule or category is called `{}`", unknown.name);
                    self.problem(&key.span, message, Some(help));
                }
            }
        }
        rules
    }

    /// An entry of an array of tables: `files` and one more setting.
    fn entry<T: Default>(&mut self, entry: &Node, setting: &str, read: impl Fn(&mut Reader, &Node) -> T) -> (Globs, T) {
        let mut files = None;
        let mut rest = T::default();
        // A misspelt key is what is missing.
        let mut misspelt = false;
        for Entry { key, value } in self.table(entry) {
            match self.known(key, &["files", setting]) {
                Some("files") => files = Some(self.globs(value)),
                Some(_) => rest = read(self, value),
                None => misspelt = true,
            }
        }
        if files.is_none() && !misspelt && entry.table().is_some() {
            self.problem(&entry.span, "`files` is missing", Some("say which files it is for".into()));
        }
        (files.unwrap_or(Globs(Gitignore::empty())), rest)
    }

    fn globs(&mut self, value: &Node) -> Globs {
        let mut builder = GitignoreBuilder::new(&self.folder);
        for one in self.array(value) {
            let Some(glob) = self.string(one) else {
                continue;
            };
            if let Err(error) = builder.add_line(None, glob) {
                self.problem(&one.span, format!("`{glob}` is no pattern of paths: {error}"), None);
            }
        }
        match builder.build() {
            Ok(globs) => Globs(globs),
            Err(error) => {
                self.problem(&value.span, error.to_string(), None);
                Globs(Gitignore::empty())
            }
        }
    }

    fn prefixes(&mut self, value: &Node) -> Vec<String> {
        let mut prefixes = Vec::new();
        for one in self.array(value) {
            let Some(text) = self.string(one) else {
                continue;
            };
            match crate::contract::input(text) {
                Some(input) => prefixes.push(input),
                None => self.problem(
                    &one.span,
                    format!("`{text}` is no input of a script"),
                    Some("write it like \"KEYS[1]\" or \"ARGV[1]\"".into()),
                ),
            }
        }
        prefixes
    }
}
