//! The output for people. Only this module knows codespan-reporting.
//!
//! What is shown of a file is an *excerpt*: the lines that hold a label, made fit for a terminal. Bytes that are no text and
//! characters that steer a terminal are written as escapes, long lines are cropped around their labels.

mod excerpt;

use std::{cmp::Reverse, collections::BTreeMap};

use codespan_reporting::{
    diagnostic::{self, LabelStyle},
    term::{
        self,
        termcolor::{Ansi, NoColor, WriteColor},
    },
};

use self::excerpt::{Excerpts, Mark};
use super::{Format, Lines, Look, Summary, View, plural};
use crate::{
    config::project::ConfigError,
    explain,
    rule::{Diagnostic, Severity},
    source::{FileId, LineIndex, Span},
};

pub(super) const FORMAT: Format = Format {
    name: "human",
    about: "for people: the lines, what belongs to them, and help",
    head: super::nothing,
    script: diagnostics,
    failure: super::no_failure,
    separator: "",
    tail: super::no_tail,
};

/// Findings of a file that are shown if not all are asked for: of more, the worst ones.
const SHOWN: usize = 50;

/// All that is shown of one script.
fn diagnostics(view: View, look: Look) -> Vec<u8> {
    let source = view.source;
    let lines = Lines::new(source);
    let mut out = Vec::new();
    let wanted = |one: &&Diagnostic| look.infos || Severity::Info < one.severity;
    let mut wanted: Vec<&Diagnostic> = view.report.diagnostics.iter().filter(wanted).collect();
    let cut = if look.all { Vec::new() } else { cut(view, &mut wanted) };
    for one in wanted {
        let finding = &one.finding;
        let mark = |span, message: &str, style| {
            let place = source.place(span);
            Mark { file: place.file.0 as usize, span: place.span, message: message.to_owned(), style }
        };
        // What a label says of the primary place stands at its carets.
        let own = finding.labels.iter().position(|label| label.span == finding.span);
        let mut marks =
            vec![mark(finding.span, own.map_or("", |own| &finding.labels[own].message), LabelStyle::Primary)];
        let others = finding.labels.iter().enumerate().filter(|(at, _)| Some(*at) != own);
        marks.extend(others.map(|(_, label)| mark(label.span, &label.message, LabelStyle::Secondary)));
        let mut notes: Vec<String> = finding.help.iter().map(|help| format!("help: {help}")).collect();
        if view.config.targets_named && 1 < view.config.targets.len() && !finding.targets.is_empty() {
            let targets: Vec<_> = finding.targets.iter().map(ToString::to_string).collect();
            notes.push(format!("on {}", targets.join(", ")));
        }
        let story =
            Story { severity: one.severity, code: Some(one.rule.name), message: &finding.message, marks, notes };
        let file = |file: usize| {
            let id = FileId(file as u32);
            (&*source.files[file].path, &*source.files[file].text, lines.of(id))
        };
        let told = story.tell(file, look.color);
        match explain::url(one.rule).filter(|_| look.links) {
            Some(url) => out.extend(linked(&told, one.rule.name, &url)),
            None => out.extend(told),
        }
    }
    for (file, count) in cut {
        let path = excerpt::printable(&source.files[file.0 as usize].path);
        out.extend(format!("{path}: {count} more; --verbose shows all\n\n").into_bytes());
    }
    if !look.infos {
        for at in 0..source.files.len() {
            out.extend(folded(view, FileId(at as u32), &lines).into_bytes());
        }
    }
    out
}

/// Leaves the worst findings of each file; returns how many others there were.
fn cut(view: View, wanted: &mut Vec<&Diagnostic>) -> Vec<(FileId, usize)> {
    let mut files: BTreeMap<FileId, Vec<(usize, Severity)>> = BTreeMap::new();
    for (at, one) in wanted.iter().enumerate() {
        files.entry(view.source.file_of(one.finding.span.start)).or_default().push((at, one.severity));
    }
    let mut left_out = vec![false; wanted.len()];
    let mut cut = Vec::new();
    for (file, mut found) in files {
        found.sort_by_key(|&(at, severity)| (Reverse(severity), at));
        found.iter().skip(SHOWN).for_each(|&(at, _)| left_out[at] = true);
        if SHOWN < found.len() {
            cut.push((file, found.len() - SHOWN));
        }
    }
    let mut left_out = left_out.into_iter();
    wanted.retain(|_| !left_out.next().unwrap_or_default());
    cut
}

/// The text with its first mention of the rule as a link for terminals (OSC 8).
fn linked(text: &[u8], rule: &str, url: &str) -> Vec<u8> {
    let name = format!("[{rule}]");
    let Some(at) = text.windows(name.len()).position(|window| window == name.as_bytes()) else {
        return text.to_owned();
    };
    let link = format!("[\x1b]8;;{url}\x1b\\{rule}\x1b]8;;\x1b\\]");
    [&text[..at], link.as_bytes(), &text[at + name.len()..]].concat()
}

/// `a.lua: 3 infos: derived-key (lines 4 and 9), cross-slot-keys (line 2); --verbose shows them`
fn folded(view: View, file: FileId, lines: &Lines) -> String {
    const LINES: usize = 3;
    let infos = view.report.diagnostics.iter().filter(|one| one.severity == Severity::Info);
    let infos: Vec<&Diagnostic> = infos.filter(|one| view.source.file_of(one.finding.span.start) == file).collect();
    if infos.is_empty() {
        return String::new();
    }
    let mut rules: Vec<(&str, Vec<u32>)> = Vec::new();
    for one in &infos {
        let line = lines.of(file).line(view.source.place(one.finding.span).span.start);
        match rules.iter_mut().find(|(rule, _)| *rule == one.rule.name) {
            Some((_, lines)) => lines.push(line),
            None => rules.push((one.rule.name, vec![line])),
        }
    }
    let rules: Vec<_> = rules
        .into_iter()
        .map(|(rule, mut lines)| {
            lines.dedup();
            match &lines[..] {
                [line] => format!("{rule} (line {line})"),
                [first, last] => format!("{rule} (lines {first} and {last})"),
                lines => {
                    let first: Vec<_> = lines.iter().take(LINES).map(ToString::to_string).collect();
                    let rest = match lines.len().saturating_sub(LINES) {
                        0 => String::new(),
                        rest => format!(" and {rest} more"),
                    };
                    format!("{rule} (lines {}{rest})", first.join(", "))
                }
            }
        })
        .collect();
    let (count, path) =
        (plural(infos.len() as u32, "info"), excerpt::printable(&view.source.files[file.0 as usize].path));
    format!(
        "{path}: {count}: {}; --verbose shows {}\n\n",
        rules.join(", "),
        if infos.len() == 1 { "it" } else { "them" }
    )
}

/// What is wrong in a config.
pub fn config_error(error: &ConfigError, color: bool) -> Vec<u8> {
    let path = error.path.display().to_string().replace('\\', "/");
    let lines = LineIndex::new(error.text.as_bytes());
    let mut out = Vec::new();
    for problem in &error.problems {
        let span = Span::new(problem.span.start as u32, problem.span.end as u32);
        if error.text.is_empty() {
            out.extend(format!("error: {}: {}\n", excerpt::printable(&path), problem.message).into_bytes());
            continue;
        }
        let story = Story {
            severity: Severity::Error,
            code: None,
            message: &problem.message,
            marks: vec![Mark { file: 0, span, message: String::new(), style: LabelStyle::Primary }],
            notes: problem.help.iter().map(|help| format!("help: {help}")).collect(),
        };
        out.extend(story.tell(|_| (path.as_str(), error.text.as_bytes(), &lines), color));
    }
    out
}

/// `checked 12 scripts: 1 error, 2 warnings`
pub fn summary(summary: Summary) -> String {
    let Summary { scripts, errors, warnings, infos, allowed, baselined, files: _, fixable: _ } = summary;
    if scripts == 0 {
        return "found no scripts to check".into();
    }
    let counts = [(errors, "error"), (warnings, "warning"), (infos, "info")];
    let counts: Vec<_> =
        counts.into_iter().filter(|(count, _)| *count != 0).map(|(count, noun)| plural(count, noun)).collect();
    let counts = if counts.is_empty() { "nothing found".into() } else { counts.join(", ") };
    let silent = [(allowed, "allowed"), (baselined, "in the baseline")];
    let silent: Vec<_> =
        silent.iter().filter(|(count, _)| *count != 0).map(|(n, what)| format!("{n} {what}")).collect();
    let silent = if silent.is_empty() { String::new() } else { format!(" ({})", silent.join(", ")) };
    format!("checked {}: {counts}{silent}", plural(scripts, "script"))
}

/// Text that can't steer the terminal.
pub fn printable(text: &str) -> String {
    excerpt::printable(text)
}

/// One message with its places.
struct Story<'a> {
    severity: Severity,
    code: Option<&'a str>,
    message: &'a str,
    /// The primary one is the first.
    marks: Vec<Mark>,
    notes: Vec<String>,
}

impl Story<'_> {
    /// `file` gives path, bytes and lines of the files that marks name.
    fn tell<'f>(self, file: impl Fn(usize) -> (&'f str, &'f [u8], &'f LineIndex<'f>), color: bool) -> Vec<u8> {
        let (excerpts, labels) = excerpt::excerpts(file, &self.marks);
        let severity = match self.severity {
            Severity::Error => diagnostic::Severity::Error,
            Severity::Warning => diagnostic::Severity::Warning,
            Severity::Info => diagnostic::Severity::Note,
        };
        let mut diagnostic = diagnostic::Diagnostic::new(severity)
            .with_message(printable(self.message))
            .with_labels(labels)
            .with_notes(self.notes.iter().map(|note| printable(note)).collect());
        diagnostic.code = self.code.map(str::to_owned);
        let text = if color {
            emit(Ansi::new(Vec::new()), &excerpts, &diagnostic).into_inner()
        } else {
            emit(NoColor::new(Vec::new()), &excerpts, &diagnostic).into_inner()
        };
        if self.severity != Severity::Info {
            return text;
        }
        // The library's word for it is "note"; it is the first word of the text.
        const NOTE: &[u8] = b"note";
        let at = text.windows(NOTE.len()).position(|window| window == NOTE).unwrap_or(0);
        [&text[..at], b"info", &text[at + NOTE.len()..]].concat()
    }
}

fn emit<W: WriteColor>(mut out: W, excerpts: &Excerpts, diagnostic: &diagnostic::Diagnostic<usize>) -> W {
    // Tabs are widened by the excerpt.
    let config = term::Config::default();
    term::emit_to_write_style(&mut out, &config, excerpts, diagnostic)
        .expect("an excerpt holds the lines of its labels");
    out
}

#[cfg(test)]
mod tests {
    use super::linked;

    #[test]
    fn the_name_of_the_rule_becomes_a_link() {
        let linked = linked(b"error[a-rule]: x[a-rule]", "a-rule", "https://x/a");
        assert_eq!(linked, b"error[\x1b]8;;https://x/a\x1b\\a-rule\x1b]8;;\x1b\\]: x[a-rule]");
    }
}
