//! The text of a new `evalint.toml`.

use std::{
    collections::BTreeMap,
    fmt::Write,
    path::{Path, PathBuf},
};

use super::signs::{Sign, Signs};
use crate::{cli::walk, config::show::quoted, render::plural, target::Product};

/// Places that one comment names.
const NAMED: usize = 3;

/// `base` is the config of a folder above, which the new one starts from.
pub(super) fn settings(signs: &Signs, base: Option<&str>) -> String {
    let mut out = String::from(
        "# The settings of evalint, first written by `evalint init`. Patterns and paths are relative to this folder;\n\
         # `evalint --show-config PATH` tells what holds for a file, `evalint schema` all that can be said.\n",
    );
    if let Some(base) = base {
        section(
            &mut out,
            &["These settings held here before, and still do; what is said below goes before them.".into()],
        );
        setting(&mut out, &format!("extends = {}", quoted(base)));
    }
    // Where settings hold already, what was seen does not change them.
    let doubt = if base.is_some() { "# " } else { "" };
    target(&mut out, signs, doubt);
    cluster(&mut out, signs, doubt);
    section(&mut out, &["\"strict\" adds rules that need somebody's judgement.".into()]);
    setting(&mut out, "# preset = \"strict\"");
    section(&mut out, &["Files that are not checked. What .gitignore names is not, anyway.".into()]);
    setting(&mut out, "# exclude = [\"vendor/**\"]");
    scripts(&mut out, signs);
    include_dirs(&mut out, signs, doubt);
    section(
        &mut out,
        &["How bad what is found is: \"off\", \"info\", \"warning\" or \"error\", for a rule, a category or `all`."
            .into()],
    );
    setting(
        &mut out,
        "# `evalint rules` lists them, `evalint explain RULE` has the page of one.\n[rules]\n# derived-key = \"off\"",
    );
    out
}

fn target(out: &mut String, signs: &Signs, doubt: &str) {
    let mut lines = vec!["The servers that the scripts are for; a finding holds for at least one of them.".into()];
    let names: Vec<_> = signs.targets.iter().map(|sign| quoted(&sign.what.to_string())).collect();
    if names.is_empty() {
        lines.push("Without it, only what holds on the newest Redis and the newest Valkey is reported.".into());
    }
    lines.extend(seen(&signs.targets));
    section(out, &lines);
    match &names[..] {
        [] => {
            let newest = Product::Redis.series().last().copied().unwrap_or_default();
            setting(out, &format!("# target = \"redis@{}.{}\"", newest.0, newest.1));
        }
        [one] => setting(out, &format!("{doubt}target = {one}")),
        several => setting(out, &format!("{doubt}target = [{}]", several.join(", "))),
    }
}

fn cluster(out: &mut String, signs: &Signs, doubt: &str) {
    let mut lines = vec![
        "Do the scripts run on a cluster? `true`: keys that do not share a slot are errors. `false`: they are fine."
            .into(),
    ];
    match (&signs.cluster, &signs.hash_tag) {
        (Some(sign), _) => {
            lines.push(comment(&sign.seen));
            section(out, &lines);
            setting(out, &format!("{doubt}cluster = true"));
        }
        (None, Some(sign)) => {
            lines.push(format!("{}; that is only needed on one.", comment(&sign.seen)));
            section(out, &lines);
            setting(out, "# cluster = true");
        }
        (None, None) => {
            section(out, &lines);
            setting(out, "# cluster = false");
        }
    }
}

fn scripts(out: &mut String, signs: &Signs) {
    let mut folders: BTreeMap<&Path, usize> = BTreeMap::new();
    for path in &signs.scripts {
        *folders.entry(path.parent().unwrap_or(Path::new(""))).or_default() += 1;
    }
    let places: Vec<_> = folders.iter().map(|(folder, count)| format!("{count} in {}", named(folder))).collect();
    let mut lines = vec!["Files that are scripts even if they do not look like it.".into()];
    lines.push(match places.len() {
        0 => "No file here looks like a script yet.".into(),
        _ => format!("Known by what they call: {}.", listed(&places)),
    });
    let unlike: Vec<String> = signs.unlike.iter().map(|path| comment(&walk::shown(path))).collect();
    if unlike.is_empty() {
        section(out, &lines);
        return setting(out, "# scripts = [\"lua/**/*.lua\"]");
    }
    lines.push(format!("Beside them, but not like them: {}.", listed(&unlike)));
    section(out, &lines);
    let patterns: Vec<_> = signs.unlike.iter().take(NAMED).map(|path| quoted(&pattern(path))).collect();
    setting(out, &format!("# scripts = [{}]", patterns.join(", ")));
}

fn include_dirs(out: &mut String, signs: &Signs, doubt: &str) {
    let mut lines =
        vec!["Folders where included files are looked for, beside those of the files that include them.".into()];
    lines.extend(seen(&signs.include_dirs));
    section(out, &lines);
    let folders: Vec<_> = signs.include_dirs.iter().map(|sign| quoted(&walk::shown(&sign.what))).collect();
    match folders.is_empty() {
        true => setting(out, "# include-dirs = [\"lua/includes\"]"),
        false => setting(out, &format!("{doubt}include-dirs = [{}]", folders.join(", "))),
    }
}

fn seen<T>(signs: &[Sign<T>]) -> Vec<String> {
    let mut lines: Vec<_> = signs.iter().take(NAMED).map(|sign| comment(&sign.seen)).collect();
    if NAMED < signs.len() {
        lines.push(format!("And so on, {}.", plural((signs.len() - NAMED) as u32, "more place")));
    }
    lines
}

/// `a, b and 3 more`
fn listed(names: &[String]) -> String {
    let rest = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        rest => format!(" and {rest} more"),
    };
    format!("{}{rest}", names[..names.len().min(NAMED)].join(", "))
}

fn named(folder: &Path) -> String {
    if folder == Path::new("") { "this folder".into() } else { comment(&walk::shown(folder)) }
}

/// The pattern that is this path and no other.
fn pattern(path: &Path) -> String {
    let mut pattern = String::from("/");
    for letter in walk::shown(&PathBuf::from(path)).chars() {
        if matches!(letter, '*' | '?' | '[' | ']' | '\\' | '{' | '}') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

fn section(out: &mut String, lines: &[String]) {
    out.push('\n');
    for line in lines {
        writeln!(out, "# {line}").expect("a String takes all");
    }
}

fn setting(out: &mut String, line: &str) {
    writeln!(out, "{line}").expect("a String takes all");
}

/// Text that stays within its comment.
fn comment(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}
