//! Writes what was found, file by file, in their order.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use rustc_hash::FxHashMap;

use super::{
    args::OutputFormat,
    output::{self, Output},
};
use crate::{
    Report,
    config::{Config, project},
    render::{Failure, Summary, View, human, json},
    rule::Severity,
    source::{Source, Span},
};

/// What is left of one file: its source is gone.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) rendered: Vec<u8>,
    pub(super) summary: Summary,
    pub(super) failure: Option<Failure>,
    /// A line for `--verbose`.
    pub(super) note: Option<String>,
    pub(super) rules: Vec<&'static str>,
    /// Findings in files that several scripts have in common are rendered in their turn: each is told once.
    pub(super) common: Option<Box<Common>>,
}

pub(super) struct Common {
    pub(super) source: Source,
    pub(super) report: Report,
    pub(super) config: Config,
}

impl Outcome {
    pub(super) fn failed(path: &str, message: String) -> Outcome {
        let failure = Failure { path: path.to_owned(), message };
        Outcome { failure: Some(failure), ..Outcome::default() }
    }
}

/// What is known at the end of a run.
#[derive(Default)]
pub(super) struct Total {
    pub(super) summary: Summary,
    pub(super) failures: Vec<Failure>,
    pub(super) rules: BTreeMap<&'static str, u32>,
}

/// Writes outcomes in their order.
pub(super) struct Printer<'a> {
    pub(super) out: &'a mut Output,
    pub(super) format: OutputFormat,
    pub(super) look: human::Look,
    pub(super) any: bool,
    pub(super) total: Total,
    /// What was told of files that several scripts have in common.
    pub(super) told: FxHashMap<(PathBuf, Span, &'static str), Severity>,
}

impl Printer<'_> {
    pub(super) fn head(&mut self) -> io::Result<()> {
        match self.format {
            OutputFormat::Human => Ok(()),
            OutputFormat::Json => self.out.write(json::head().as_bytes()),
        }
    }

    pub(super) fn print(&mut self, mut outcome: Outcome) -> io::Result<()> {
        if let Some(mut common) = outcome.common.take() {
            self.keep_new(&common.source, &mut common.report);
            let Common { source, report, config } = *common;
            outcome.summary.files = 1;
            outcome.summary.count(&report);
            outcome.rules = report.diagnostics.iter().map(|one| one.rule.name).collect();
            outcome.rendered = rendered(self.format, self.look, &source, &report, &config);
        }
        if let Some(failure) = outcome.failure {
            self.fail(failure);
        }
        if let Some(note) = outcome.note {
            output::note(&note);
        }
        self.total.summary.add(outcome.summary);
        for rule in outcome.rules {
            *self.total.rules.entry(rule).or_default() += 1;
        }
        if outcome.rendered.is_empty() {
            return Ok(());
        }
        if self.any && self.format == OutputFormat::Json {
            self.out.write(b",\n")?;
        }
        self.any = true;
        self.out.write(&outcome.rendered)
    }

    /// Leaves out what was told before; what is worse here is told again.
    fn keep_new(&mut self, source: &Source, report: &mut Report) {
        let paths: Vec<PathBuf> = source.files.iter().map(|file| project::absolute(Path::new(&*file.path))).collect();
        report.diagnostics.retain(|one| {
            let place = source.place(one.finding.span);
            let key = (paths[place.file.0 as usize].clone(), place.span, one.rule.name);
            self.told.insert(key, one.severity).is_none_or(|before| before < one.severity)
        });
    }

    pub(super) fn fail(&mut self, failure: Failure) {
        output::error(&format!("{}: {}", human::printable(&failure.path), human::printable(&failure.message)));
        self.total.failures.push(failure);
    }

    pub(super) fn tail(self) -> io::Result<Total> {
        if self.format == OutputFormat::Json {
            self.out.write(json::tail(&self.total.failures, self.total.summary).as_bytes())?;
        }
        // Before the summary, which is about what was printed.
        self.out.flush()?;
        Ok(self.total)
    }
}

pub(super) fn rendered(
    format: OutputFormat,
    look: human::Look,
    source: &Source,
    report: &Report,
    config: &Config,
) -> Vec<u8> {
    let view = View { source, report, config };
    match format {
        OutputFormat::Human => human::diagnostics(view, look),
        OutputFormat::Json => json::diagnostics(view).into_bytes(),
    }
}
