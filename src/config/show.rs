//! `--show-config`: the settings of one file as TOML, each with the place that says it.

use std::{fmt::Write, path::Path, sync::Arc};

use super::{
    Selector,
    file::{self, File},
    project::{self, Chain, ConfigError, Options, Project},
    tree::{Entry, Node, Value},
};
use crate::{config::Config, rule::Preset};

impl Project {
    /// The settings of the file at `path`, which need not exist. Patterns and paths are as their config writes them, relative to its
    /// folder.
    ///
    /// # Errors
    ///
    /// Its config can't be used.
    pub fn show(&self, path: &Path) -> Result<String, Arc<ConfigError>> {
        let whole = project::absolute(path);
        let chain = self.chain(&whole)?;
        let files = chain.as_deref().map_or(&[][..], |Chain { files, .. }| files);
        Ok(Shown { path: &whole, files, options: self.options() }.text(path))
    }
}

const DEFAULT: &str = "default";
const COMMAND_LINE: &str = "command line";

struct Shown<'a> {
    path: &'a Path,
    /// The farthest first.
    files: &'a [File],
    options: &'a Options,
}

/// A line of `[rules]`.
struct Rule {
    selector: Selector,
    name: String,
    level: String,
    origin: String,
}

impl<'a> Shown<'a> {
    fn text(&self, path: &Path) -> String {
        let mut out = format!("# the settings of {}", printable(&path.display().to_string()));
        let mut names = self.files.iter().rev().map(|file| printable(&file.path.display().to_string()));
        match names.next() {
            Some(nearest) => write!(out, ", from {nearest}"),
            None => write!(out, "; no config governs it"),
        }
        .expect("a String takes all");
        for base in names {
            write!(out, ", which extends {base}").expect("a String takes all");
        }
        out += "\n# patterns and paths are relative to the folder of the file that says them\n";
        for (file, entry) in self.said("exclude") {
            if file.exclude.matches(self.path) {
                line(&mut out, "# it is excluded and not checked", &origin(file, &entry.key.span));
            }
        }
        out.push('\n');
        self.scalars(&mut out);
        for name in ["exclude", "scripts", "globals", "prelude", "include-dirs"] {
            self.list(&mut out, name, self.said(name).map(|(file, entry)| (file, &entry.value)));
        }
        let prefixes: Vec<_> = self
            .said("keys")
            .filter_map(|(file, entry)| Some((file, &member(&entry.value, "prefixes")?.value)))
            .collect();
        if !prefixes.is_empty() {
            out += "\n[keys]\n";
            self.list(&mut out, "prefixes", prefixes.into_iter());
        }
        let rules = self.rules();
        if !rules.is_empty() {
            out += "\n[rules]\n";
        }
        for Rule { name, level, origin, .. } in rules {
            line(&mut out, &format!("{name} = {level}"), &origin);
        }
        self.contract(&mut out);
        self.commands(&mut out);
        out
    }

    /// The files that have the setting, in the order in which they hold.
    fn said(&self, name: &'a str) -> impl Iterator<Item = (&'a File, &'a Entry)> + use<'a> {
        self.files.iter().filter_map(move |file| Some((file, member(&file.root, name)?)))
    }

    fn scalars(&self, out: &mut String) {
        let Options { targets, cluster, preset, select, ignore } = self.options;
        let last =
            |name| self.said(name).last().map(|(file, entry)| (toml(&entry.value), origin(file, &entry.key.span)));
        let named = |names: Vec<String>| {
            let texts = names.into_iter().map(|name| quoted(&name)).collect::<Vec<_>>();
            format!("[{}]", texts.join(", "))
        };
        let texts = |targets: &[crate::target::Target]| named(targets.iter().map(ToString::to_string).collect());
        let (value, from) = match targets.is_empty() {
            false => (texts(targets), COMMAND_LINE.into()),
            true => last("target").unwrap_or_else(|| (texts(&Config::default().targets), DEFAULT.into())),
        };
        // Without a named target only what holds on all of them is reported: that can't be said by naming them.
        match from.as_str() {
            DEFAULT => line(out, &format!("# target = {value}"), DEFAULT),
            from => line(out, &format!("target = {value}"), from),
        }
        match cluster.map(|cluster| (cluster.to_string(), COMMAND_LINE.into())).or_else(|| last("cluster")) {
            Some((value, from)) => line(out, &format!("cluster = {value}"), &from),
            None => line(out, "# cluster is not known", DEFAULT),
        }
        let preset = preset.map(|preset| (quoted(preset.name()), COMMAND_LINE.into()));
        let usual = || (quoted(Preset::Recommended.name()), DEFAULT.into());
        let (value, from) = preset.or_else(|| last("preset")).unwrap_or_else(usual);
        line(out, &format!("preset = {value}"), &from);
        if let Some((value, from)) = last("baseline") {
            line(out, &format!("baseline = {value}"), &from);
        }
        if !select.is_empty() {
            let names =
                |selectors: &[Selector]| selectors.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
            line(out, &format!("# instead of the preset: --select {}", names(select)), COMMAND_LINE);
            if !ignore.is_empty() {
                line(out, &format!("# and not: --ignore {}", names(ignore)), COMMAND_LINE);
            }
        }
    }

    /// What all files say, one below the other.
    fn list<'n>(&self, out: &mut String, name: &str, said: impl Iterator<Item = (&'n File, &'n Node)>) {
        let items = said.flat_map(|(file, node)| node.array().unwrap_or_default().iter().map(move |one| (file, one)));
        let items: Vec<_> = items.map(|(file, one)| (toml(one), origin(file, &one.span))).collect();
        if items.is_empty() {
            return;
        }
        writeln!(out, "{name} = [").expect("a String takes all");
        for (item, origin) in items {
            line(out, &format!("    {item},"), &origin);
        }
        out.push_str("]\n");
    }

    /// One layer that says what all layers say together.
    fn rules(&self) -> Vec<Rule> {
        let mut all: Vec<Rule> = Vec::new();
        let mut layer = |rules: Vec<Rule>| {
            all.retain(|before| !rules.iter().any(|new| covers(new.selector, before.selector)));
            all.extend(rules);
        };
        let of_table = |file: &File, node: &Node| {
            let entries = node.table().unwrap_or_default().iter();
            let rule = |Entry { key, value }: &Entry| {
                let selector = key.name.parse().ok()?;
                Some(Rule { selector, name: key.name.clone(), level: toml(value), origin: origin(file, &key.span) })
            };
            entries.filter_map(rule).collect::<Vec<_>>()
        };
        for file in self.files {
            if let Some(rules) = member(&file.root, "rules") {
                layer(of_table(file, &rules.value));
            }
            let entries = member(&file.root, "overrides").and_then(|entry| entry.value.array()).unwrap_or_default();
            for (entry, one) in entries.iter().zip(&file.overrides) {
                if let Some(rules) = member(entry, "rules").filter(|_| one.files.matches(self.path)) {
                    layer(of_table(file, &rules.value));
                }
            }
        }
        if self.options.select.is_empty() {
            let ignored = self.options.ignore.iter().map(|&selector| Rule {
                selector,
                name: selector.to_string(),
                level: quoted("off"),
                origin: COMMAND_LINE.into(),
            });
            layer(ignored.collect());
        }
        all
    }

    /// The key patterns that hold for the file: the last that name it.
    fn contract(&self, out: &mut String) {
        let mut found = None;
        for (file, entry) in self.said("scripts-contract") {
            let entries = entry.value.array().unwrap_or_default();
            let matching = entries.iter().zip(&file.contracts).filter(|(_, one)| one.files.matches(self.path));
            found = matching.map(|(entry, _)| (file, entry)).next_back().or(found);
        }
        let Some((file, entry)) = found else { return };
        out.push_str("\n[[scripts-contract]]\n");
        for Entry { key, value } in entry.table().unwrap_or_default() {
            line(out, &format!("{} = {}", key.name, toml(value)), &origin(file, &key.span));
        }
    }

    fn commands(&self, out: &mut String) {
        let mut all: Vec<(&File, &Entry)> = Vec::new();
        for (file, entry) in self.said("commands") {
            for command in entry.value.table().unwrap_or_default() {
                all.retain(|(_, before)| !before.key.name.eq_ignore_ascii_case(&command.key.name));
                all.push((file, command));
            }
        }
        for (file, command) in all {
            write!(out, "\n[commands.{}]\n", bare(&command.key.name)).expect("a String takes all");
            for Entry { key, value } in command.value.table().unwrap_or_default() {
                line(out, &format!("{} = {}", key.name, toml(value)), &origin(file, &key.span));
            }
        }
    }
}

/// The last setting of that name is the only one: a table with two was refused.
fn member<'n>(node: &'n Node, name: &str) -> Option<&'n Entry> {
    node.table()?.iter().find(|entry| entry.key.name == name)
}

fn line(out: &mut String, text: &str, origin: &str) {
    writeln!(out, "{text}  # {origin}").expect("a String takes all");
}

/// `evalint.toml:3`
fn origin(file: &File, span: &std::ops::Range<usize>) -> String {
    let line = file::line(&file.text, span.start);
    format!("{}:{line}", printable(&file.path.display().to_string()))
}

/// Does what is said of `one` settle what is said of `other`?
fn covers(one: Selector, other: Selector) -> bool {
    match (one, other) {
        (Selector::All, _) => true,
        (Selector::Category(category), Selector::Category(other)) => category == other,
        (Selector::Category(category), Selector::Rule(rule)) => rule.category == category,
        (Selector::Rule(rule), Selector::Rule(other)) => rule == other,
        (Selector::Category(_) | Selector::Rule(_), Selector::All) | (Selector::Rule(_), Selector::Category(_)) => {
            false
        }
    }
}

/// On one line.
fn toml(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => quoted(text),
        Value::Integer(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Array(items) => format!("[{}]", items.iter().map(toml).collect::<Vec<_>>().join(", ")),
        Value::Table(entries) => {
            let members = entries.iter().map(|entry| format!("{} = {}", bare(&entry.key.name), toml(&entry.value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        // Nothing that was accepted is of that kind.
        Value::Other => quoted(""),
    }
}

/// A TOML string on one line. JSON's escapes are all TOML's; it lets DEL stand.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

/// A key, quoted where it has to be.
fn bare(key: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    if !key.is_empty() && key.chars().all(plain) { key.to_owned() } else { quoted(key) }
}

/// A path within a comment.
fn printable(path: &str) -> String {
    path.replace(char::is_control, "\u{fffd}")
}
