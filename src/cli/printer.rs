//! Writes what was found, file by file, in their order.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use rustc_hash::FxHashMap;

use super::{
    output,
    sink::{self, Sink, Style},
};
use crate::{
    Report,
    config::{Config, project},
    render::{Failure, Summary, View, human},
    rule::Severity,
    source::{Source, Span},
};

/// What is left of one file: its source is gone.
#[derive(Default)]
pub(super) struct Outcome {
    /// A fragment for each sink; none at all if there is nothing to write.
    pub(super) rendered: Vec<Vec<u8>>,
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
    pub(super) sinks: Vec<Sink<'a>>,
    pub(super) styles: Vec<Style>,
    pub(super) total: Total,
    /// What was told of files that several scripts have in common.
    pub(super) told: FxHashMap<(PathBuf, Span, &'static str), Severity>,
}

impl Printer<'_> {
    pub(super) fn head(&mut self) -> io::Result<()> {
        self.sinks.iter_mut().try_for_each(|sink| {
            let head = (sink.style.format.head)();
            sink.write(head.as_bytes())
        })
    }

    pub(super) fn print(&mut self, mut outcome: Outcome) -> io::Result<()> {
        if let Some(mut common) = outcome.common.take() {
            self.keep_new(&common.source, &mut common.report);
            let Common { source, report, config } = *common;
            outcome.summary.files = 1;
            outcome.summary.count(&report);
            outcome.rules = report.diagnostics.iter().map(|one| one.rule.name).collect();
            let view = View { source: &source, report: &report, config: &config };
            outcome.rendered = sink::rendered(&self.styles, view);
        }
        if let Some(failure) = outcome.failure {
            self.fail(failure)?;
        }
        if let Some(note) = outcome.note {
            output::note(&note);
        }
        self.total.summary.add(outcome.summary);
        for rule in outcome.rules {
            *self.total.rules.entry(rule).or_default() += 1;
        }
        self.sinks.iter_mut().zip(outcome.rendered).try_for_each(|(sink, fragment)| sink.fragment(&fragment))
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

    pub(super) fn fail(&mut self, failure: Failure) -> io::Result<()> {
        output::error(&format!("{}: {}", human::printable(&failure.path), human::printable(&failure.message)));
        for sink in &mut self.sinks {
            let fragment = (sink.style.format.failure)(&failure);
            sink.fragment(fragment.as_bytes())?;
        }
        self.total.failures.push(failure);
        Ok(())
    }

    /// Is there nobody who reads what comes?
    pub(super) fn is_closed(&self) -> bool {
        self.sinks.iter().all(Sink::is_closed)
    }

    /// Ends every document. Was a file lost?
    pub(super) fn tail(mut self) -> io::Result<(Total, bool)> {
        for sink in &mut self.sinks {
            let tail = (sink.style.format.tail)(&self.total.failures, self.total.summary);
            sink.write(tail.as_bytes())?;
            // Before the summary, which is about what was printed.
            sink.finish()?;
        }
        let lost = self.sinks.iter().any(Sink::is_lost);
        Ok((self.total, lost))
    }
}
