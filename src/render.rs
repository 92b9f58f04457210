//! From diagnostics to bytes. A format is a row of [`FORMATS`], made by a module of its own; it prints nothing and knows no facts.
//!
//! A document is written in parts, so that a run over many scripts need not hold it: a head, a *fragment* for each script and each
//! failure, separators between those that are not empty, a tail. Workers render fragments; they come in the order of the paths.

pub mod human;
pub mod json;

use std::cell::OnceCell;

use crate::{
    Report,
    config::Config,
    rule::{Diagnostic, Severity},
    source::{FileId, LineIndex, Source},
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
pub const FORMATS: [&Format; 2] = [&human::FORMAT, &json::FORMAT];

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

/// How a run's output looks; each format heeds what it can.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    pub color: bool,
    /// Is all shown, or are infos folded to one line a file and many findings cut?
    pub whole: bool,
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

/// The lines of a script's files, found where they are needed.
struct Lines<'a> {
    source: &'a Source,
    indexes: Vec<OnceCell<LineIndex<'a>>>,
}

impl<'a> Lines<'a> {
    fn new(source: &'a Source) -> Lines<'a> {
        Lines { source, indexes: source.files.iter().map(|_| OnceCell::new()).collect() }
    }

    fn of(&self, file: FileId) -> &LineIndex<'a> {
        let at = file.0 as usize;
        self.indexes[at].get_or_init(|| LineIndex::new(&self.source.files[at].text))
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
}

impl Summary {
    pub fn count(&mut self, report: &Report) {
        self.scripts += 1;
        self.allowed += report.allowed;
        for Diagnostic { severity, .. } in &report.diagnostics {
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
