//! From diagnostics to bytes. A format is a row of [`FORMATS`], made by a module of its own; it prints nothing and knows no facts.
//!
//! A document is written in parts, so that a run over many scripts need not hold it: a head, a *fragment* for each script and each
//! failure, separators between those that are not empty, a tail. Workers render fragments; they come in the order of the paths.

mod checkstyle;
mod concise;
mod fingerprint;
mod github;
mod gitlab;
pub mod human;
mod json;
mod jsonl;
mod junit;
mod place;
mod rdjson;
mod sarif;
mod xml;

use self::place::{Lines, Spot};
use crate::{
    Report,
    config::Config,
    rule::{self, Diagnostic, Finding, Severity},
    source::{File, FileId, Source},
    target::closest,
};

/// How a document is written.
pub struct Format {
    /// As `--format` takes it.
    pub name: &'static str,
    /// For the help: what it is for.
    pub about: &'static str,
    pub head: fn() -> String,
    /// The fragment of a script.
    pub script: fn(View, Look) -> Vec<u8>,
    /// The fragment of something that could not be done, where the format tells it among the findings.
    pub failure: fn(&Failure) -> String,
    pub separator: &'static str,
    pub tail: fn(&[Failure], Summary) -> String,
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.name == other.name
    }
}

/// All formats, in the order of the help.
pub const FORMATS: [&Format; 10] = [
    &human::FORMAT,
    &concise::FORMAT,
    &json::FORMAT,
    &jsonl::FORMAT,
    &sarif::FORMAT,
    &github::FORMAT,
    &gitlab::FORMAT,
    &junit::FORMAT,
    &checkstyle::FORMAT,
    &rdjson::FORMAT,
];

/// The format of that name; an error that says what was meant.
pub fn format(name: &str) -> Result<&'static Format, String> {
    FORMATS.into_iter().find(|format| format.name == name).ok_or_else(|| {
        let names = FORMATS.map(|format| format.name);
        match closest(name, names) {
            Some(near) => format!("no format is called `{name}`; did you mean `{near}`?"),
            None => format!("no format is called `{name}`; use one of {}", names.join(", ")),
        }
    })
}

/// The formats as a Markdown table, for the README.
pub fn table() -> String {
    let rows = FORMATS.iter().map(|format| format!("| `{}` | {} |\n", format.name, format.about));
    format!("| format | is |\n|---|---|\n{}", rows.collect::<String>())
}

/// How a run's output looks; each format heeds what it can.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    pub color: bool,
    /// Does the terminal take links?
    pub links: bool,
    /// Are infos shown whole, or folded to one line a file?
    pub infos: bool,
    /// Are all findings of a file shown, or only so many that somebody may read them?
    pub all: bool,
    /// The least severity that fails a run.
    pub fail_on: Severity,
}

/// For formats that need no head, or tell no failures.
fn nothing() -> String {
    String::new()
}

fn no_failure(_: &Failure) -> String {
    String::new()
}

fn no_tail(_: &[Failure], _: Summary) -> String {
    String::new()
}

/// What one format shows of one script.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub source: &'a Source,
    pub report: &'a Report,
    pub config: &'a Config,
}

/// The diagnostics by the file that they lie in, in the order of the report.
fn by_file<'a>(view: View<'a>) -> Vec<(&'a File, Vec<(&'a Diagnostic, Spot<'a>)>)> {
    let lines = Lines::new(view.source);
    let mut files: Vec<(FileId, Vec<(&Diagnostic, Spot)>)> = Vec::new();
    for one in &view.report.diagnostics {
        let spot = lines.spot(one.finding.span);
        match files.iter_mut().find(|(id, _)| *id == spot.id) {
            Some((_, found)) => found.push((one, spot)),
            None => files.push((spot.id, vec![(one, spot)])),
        }
    }
    files.into_iter().map(|(id, found)| (&view.source.files[id.0 as usize], found)).collect()
}

/// The message and the help, for formats that have one text for both.
fn story(finding: &Finding) -> String {
    match &finding.help {
        Some(help) => format!("{}\nhelp: {help}", finding.message),
        None => finding.message.clone(),
    }
}

/// Something that could not be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    pub path: String,
    pub message: String,
}

/// Counts over a whole run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    pub files: u32,
    pub scripts: u32,
    pub errors: u32,
    pub warnings: u32,
    pub infos: u32,
    /// Findings that `allow` comments silenced.
    pub allowed: u32,
    /// Findings that a baseline has.
    pub baselined: u32,
    /// Findings with a safe fix.
    pub fixable: u32,
}

impl Summary {
    pub fn count(&mut self, report: &Report) {
        self.scripts += 1;
        self.allowed += report.allowed.len() as u32;
        for Diagnostic { severity, finding, .. } in &report.diagnostics {
            self.fixable += u32::from(finding.fix.as_ref().is_some_and(|fix| fix.safety == rule::Safety::Safe));
            match severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Info => self.infos += 1,
            }
        }
    }

    pub fn add(&mut self, other: Summary) {
        self.files += other.files;
        self.scripts += other.scripts;
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.infos += other.infos;
        self.allowed += other.allowed;
        self.baselined += other.baselined;
        self.fixable += other.fixable;
    }

    /// Is there a finding at or above `severity`?
    pub fn reaches(&self, severity: Severity) -> bool {
        let infos = severity <= Severity::Info && self.infos != 0;
        let warnings = severity <= Severity::Warning && self.warnings != 0;
        infos || warnings || self.errors != 0
    }
}

/// `1 error`, `2 errors`
pub(crate) fn plural(count: u32, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
