//! `evalint.toml` as text: every mistake gets its place and, if near, the name that was meant.

use std::{
    ops::Range,
    path::{Path, PathBuf},
    str::FromStr,
};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{Level, Selector};
use crate::{
    commands::{self, Command},
    rule::{Preset, Severity},
    target::{Target, closest},
};

/// What one `evalint.toml` says.
#[derive(Debug)]
pub struct File {
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
    pub commands: Vec<&'static Command>,
    /// Absolute.
    pub include_dirs: Vec<PathBuf>,
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

pub(super) type Value<'a> = Spanned<DeValue<'a>>;

const KEYS: [&str; 14] = [
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
];

/// Reads the text of an `evalint.toml` that lies in `folder`.
pub fn read(folder: &Path, text: &str) -> Result<File, Vec<Problem>> {
    let table = DeTable::parse(text).map_err(|error| {
        let message = error.message().lines().collect::<Vec<_>>().join(", ");
        vec![Problem::new(error.span().unwrap_or(0..0), message)]
    })?;
    let mut reader = Reader { folder: folder.to_owned(), problems: Vec::new() };
    let file = reader.file(table.get_ref());
    // The table is sorted by key, the user reads by line.
    reader.problems.sort_by_key(|problem| problem.span.start);
    if reader.problems.is_empty() { Ok(file) } else { Err(reader.problems) }
}

pub(super) struct Reader {
    folder: PathBuf,
    problems: Vec<Problem>,
}

impl Reader {
    fn file(&mut self, table: &DeTable) -> File {
        let mut file = File {
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
        };
        for (key, value) in table {
            match self.known(key, &KEYS) {
                Some("extends") => {
                    file.extends = self.string(value).map(|path| (path.to_owned(), value.span()));
                }
                Some("target") => file.targets = self.targets(value),
                Some("cluster") => {
                    file.cluster = value.get_ref().as_bool();
                    if file.cluster.is_none() {
                        self.problem(value, "`cluster` is `true` or `false`", None);
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
                    for entry in self.tables(value) {
                        let (files, rules) = self.entry(entry, "rules", |reader, value| reader.rules(value));
                        file.overrides.push(Override { files, rules });
                    }
                }
                Some("scripts-contract") => {
                    for entry in self.tables(value) {
                        let (files, keys) = self.entry(entry, "keys", |reader, value| reader.texts(value));
                        file.contracts.push(Contract { files, keys });
                    }
                }
                Some("keys") => {
                    for (key, value) in self.table(value).into_iter().flatten() {
                        if self.known(key, &["prefixes"]).is_some() {
                            file.prefixes = self.prefixes(value);
                        }
                    }
                }
                Some("globals") => file.globals = self.texts(value),
                Some("prelude") => {
                    let values: Vec<_> = self.array(value).collect();
                    let path = |one: &Value| Some((one.get_ref().as_str()?.to_owned(), one.span()));
                    file.prelude = values.iter().copied().filter_map(path).collect();
                }
                Some("commands") => {
                    let declared = self.commands(value).into_iter().enumerate();
                    file.commands = declared.map(|(number, one)| commands::declare(&one, number)).collect();
                }
                Some("include-dirs") => {
                    file.include_dirs = self.texts(value).iter().map(|folder| self.folder.join(folder)).collect();
                }
                Some(_) | None => {}
            }
        }
        file
    }

    pub(super) fn problem<T>(&mut self, at: &Spanned<T>, message: impl Into<String>, help: Option<String>) {
        self.problems.push(Problem { span: at.span(), message: message.into(), help });
    }

    /// The key, if it is one of `keys`.
    pub(super) fn known<'k>(&mut self, key: &Spanned<std::borrow::Cow<str>>, keys: &[&'k str]) -> Option<&'k str> {
        let name = key.get_ref().as_ref();
        let found = keys.iter().copied().find(|known| *known == name);
        if found.is_none() {
            let help = match closest(name, keys.iter().copied()) {
                Some(near) => format!("write `{near}`"),
                None => format!("use one of {}", keys.join(", ")),
            };
            self.problem(key, format!("no setting is called `{name}`"), Some(help));
        }
        found
    }

    pub(super) fn string<'v>(&mut self, value: &'v Value) -> Option<&'v str> {
        let text = value.get_ref().as_str();
        if text.is_none() {
            self.problem(value, "a string is expected here", None);
        }
        text
    }

    pub(super) fn array<'v, 't>(&mut self, value: &'v Value<'t>) -> impl Iterator<Item = &'v Value<'t>> + use<'v, 't> {
        let array = value.get_ref().as_array();
        if array.is_none() {
            self.problem(value, "an array is expected here", None);
        }
        array.into_iter().flat_map(|array| array.iter())
    }

    pub(super) fn table<'v, 't>(&mut self, value: &'v Value<'t>) -> Option<&'v DeTable<'t>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.problem(value, "a table is expected here", None);
        }
        table
    }

    fn tables<'v, 't>(&mut self, value: &'v Value<'t>) -> Vec<&'v Value<'t>> {
        self.array(value).collect()
    }

    fn texts(&mut self, value: &Value) -> Vec<String> {
        let values: Vec<_> = self.array(value).collect();
        let texts = values.into_iter().filter_map(|value| self.string(value));
        texts.map(str::to_owned).collect()
    }

    pub(super) fn one_of<T: Copy>(&mut self, value: &Value, what: &str, all: &[(&str, T)]) -> Option<T> {
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
            self.problem(value, format!("no {what} is called `{text}`"), Some(help));
        }
        found.map(|&(_, one)| one)
    }

    /// One string or several.
    fn targets(&mut self, value: &Value) -> Option<Vec<Target>> {
        let several: Vec<_> = match value.get_ref().as_str() {
            Some(_) => vec![value],
            None => self.array(value).collect(),
        };
        let mut targets = Vec::new();
        for one in several {
            match Target::from_str(self.string(one)?) {
                Ok(target) => targets.push(target),
                Err(message) => self.problem(one, message, None),
            }
        }
        if targets.is_empty() && self.problems.is_empty() {
            self.problem(value, "no target is named", Some("remove the line or name one".into()));
        }
        Some(targets)
    }

    fn rules(&mut self, value: &Value) -> Vec<(Selector, Level)> {
        let levels = [
            ("off", Level::Off),
            ("info", Level::At(Severity::Info)),
            ("warning", Level::At(Severity::Warning)),
            ("error", Level::At(Severity::Error)),
        ];
        let mut rules = Vec::new();
        for (key, value) in self.table(value).into_iter().flatten() {
            let level = self.one_of(value, "level", &levels);
            match (Selector::from_str(key.get_ref()), level) {
                (Ok(selector), Some(level)) => rules.push((selector, level)),
                (Ok(_), None) => {}
                (Err(unknown), _) => {
                    let help = match unknown.near {
                        Some(near) => format!("write `{near}`"),
                        None => "`evalint rules` lists them".into(),
                    };
                    let message = format!("no rule or category is called `{}`", unknown.name);
                    self.problem(key, message, Some(help));
                }
            }
        }
        rules
    }

    /// An entry of an array of tables: `files` and one more setting.
    fn entry<T: Default>(
        &mut self,
        entry: &Value,
        setting: &str,
        read: impl Fn(&mut Reader, &Value) -> T,
    ) -> (Globs, T) {
        let mut files = None;
        let mut rest = T::default();
        for (key, value) in self.table(entry).into_iter().flatten() {
            match self.known(key, &["files", setting]) {
                Some("files") => files = Some(self.globs(value)),
                Some(_) => rest = read(self, value),
                None => {}
            }
        }
        if files.is_none() && entry.get_ref().is_table() {
            self.problem(entry, "`files` is missing", Some("say which files it is for".into()));
        }
        (files.unwrap_or(Globs(Gitignore::empty())), rest)
    }

    fn globs(&mut self, value: &Value) -> Globs {
        let mut builder = GitignoreBuilder::new(&self.folder);
        let values: Vec<_> = self.array(value).collect();
        for one in values {
            let Some(glob) = self.string(one) else {
                continue;
            };
            if let Err(error) = builder.add_line(None, glob) {
                self.problem(one, format!("`{glob}` is no pattern of paths: {error}"), None);
            }
        }
        match builder.build() {
            Ok(globs) => Globs(globs),
            Err(error) => {
                self.problem(value, error.to_string(), None);
                Globs(Gitignore::empty())
            }
        }
    }

    fn prefixes(&mut self, value: &Value) -> Vec<String> {
        let values: Vec<_> = self.array(value).collect();
        let mut prefixes = Vec::new();
        for one in values {
            let Some(text) = self.string(one) else {
                continue;
            };
            match crate::contract::input(text) {
                Some(input) => prefixes.push(input),
                None => self.problem(
                    one,
                    format!("`{text}` is no input of a script"),
                    Some("write it like \"KEYS[1]\" or \"ARGV[1]\"".into()),
                ),
            }
        }
        prefixes
    }
}
