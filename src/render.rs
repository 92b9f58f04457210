//! From diagnostics to bytes. A format is a function of a [`View`]; it prints nothing itself and knows no facts.

pub mod human;
pub mod json;

use std::cell::OnceCell;

use crate::{
    Report,
    config::Config,
    rule::{Diagnostic, Severity},
    source::{FileId, LineIndex, Source},
};

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
