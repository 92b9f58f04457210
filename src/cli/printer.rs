//! Writes what was found, file by file, in their order.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    output,
    session::{Script, Session},
    sink::{self, Sink, Style},
    statistics::{Detail, Statistics},
};
use crate::{
    Report,
    config::project::{self, Verdict},
    render::{Failure, Summary, View, human},
    rule::{Diagnostic, Severity},
    source::{File, FileId, Source, Span},
};

/// What is left of one file: its source is gone.
#[derive(Default)]
pub(super) struct Outcome {
    /// The script, as it is shown; empty if there is none.
    pub(super) path: String,
    /// A fragment for each sink; none at all if there is nothing to write.
    pub(super) rendered: Vec<Vec<u8>>,
    pub(super) summary: Summary,
    pub(super) failure: Option<Failure>,
    /// A line for `--verbose`.
    pub(super) note: Option<String>,
    pub(super) statistics: Statistics,
    /// Findings in files that several scripts have in common are rendered in their turn: each is told once.
    pub(super) common: Option<Box<Script>>,
}

/// What is known at the end of a run.
#[derive(Default)]
pub(super) struct Total {
    pub(super) summary: Summary,
    pub(super) failures: Vec<Failure>,
    pub(super) statistics: Statistics,
}

/// Writes outcomes in their order.
pub(super) struct Printer<'a> {
    pub(super) sinks: Vec<Sink<'a>>,
    pub(super) styles: Vec<Style>,
    pub(super) detail: Detail,
    pub(super) total: Total,
    pub(super) told: Told,
    /// Included files of which the run surely has every script that includes them.
    pub(super) judged: FxHashSet<PathBuf>,
    pub(super) waiting: Vec<Outcome>,
    /// For who compares them: what was rendered, in its order.
    pub(super) kept: Option<Vec<Outcome>>,
}

/// A place in a file, by its absolute path.
type Spot = (PathBuf, Span);

/// What was told of files that several scripts have in common.
#[derive(Default)]
pub(super) struct Told {
    findings: FxHashMap<(Spot, &'static str), Severity>,
    allowed: FxHashSet<(Spot, &'static str)>,
    /// Names in `allow` comments that silence something, and others as findings of their files.
    used: FxHashSet<Spot>,
    unused: BTreeMap<Spot, (File, Diagnostic)>,
}

impl Printer<'_> {
    pub(super) fn head(&mut self) -> io::Result<()> {
        self.sinks.iter_mut().try_for_each(|sink| {
            let head = (sink.style.format.head)();
            sink.write(head.as_bytes())
        })
    }

    /// Takes an outcome in its turn. With a baseline, what several scripts have in common waits until all of it is known.
    pub(super) fn print(&mut self, mut outcome: Outcome) -> io::Result<()> {
        if let Some(common) = &mut outcome.common {
            let paths = self.keep_new(&common.source, &mut common.report);
            if let Some(ledger) = &common.ledger {
                let alone = |file| file == FileId::MAIN && !common.included;
                let whole = |file: FileId| alone(file) || self.judged.contains(&paths[file.0 as usize]);
                ledger.count(&common.source, &common.report, &common.config, whole);
            }
        }
        let waits = outcome.common.as_ref().is_some_and(|common| common.ledger.is_some());
        if waits || !self.waiting.is_empty() {
            self.waiting.push(outcome);
            return Ok(());
        }
        self.write(outcome)
    }

    /// Writes what has waited.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        std::mem::take(&mut self.waiting).into_iter().try_for_each(|outcome| self.write(outcome))
    }

    fn write(&mut self, mut outcome: Outcome) -> io::Result<()> {
        if let Some(common) = outcome.common.take() {
            let Script { source, mut report, config, ledger, .. } = *common;
            if let Some(ledger) = ledger {
                outcome.summary.baselined = ledger.hide(&source, &mut report);
            }
            outcome.path = source.path().to_owned();
            outcome.summary.files = 1;
            outcome.summary.count(&report);
            outcome.statistics = Statistics::of(&source, &report, self.detail);
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
        self.total.statistics.add(outcome.statistics);
        if let Some(kept) = &mut self.kept {
            kept.push(Outcome {
                path: outcome.path,
                rendered: outcome.rendered,
                summary: outcome.summary,
                ..Outcome::default()
            });
            return Ok(());
        }
        self.sinks.iter_mut().zip(outcome.rendered).try_for_each(|(sink, fragment)| sink.fragment(&fragment))
    }

    /// Leaves out what was told before; what is worse here is told again. Returns where the files are.
    fn keep_new(&mut self, source: &Source, report: &mut Report) -> Vec<PathBuf> {
        let paths: Vec<PathBuf> = source.files.iter().map(|file| project::absolute(Path::new(&*file.path))).collect();
        let spot = |span| {
            let place = source.place(span);
            (paths[place.file.0 as usize].clone(), place.span)
        };
        report.diagnostics.retain(|one| {
            let before = self.told.findings.insert((spot(one.finding.span), one.rule.name), one.severity);
            before.is_none_or(|before| before < one.severity)
        });
        report.allowed.retain(|&(rule, span)| self.told.allowed.insert((spot(span), rule.name)));
        for name in report.names.drain(..) {
            let spot = spot(name.span);
            match name.unused {
                None => _ = self.told.used.insert(spot),
                Some(mut one) => {
                    let file = source.files[source.place(name.span).file.0 as usize].clone();
                    one.finding.span = spot.1;
                    let edits = one.finding.fix.iter_mut().flat_map(|fix| &mut fix.edits);
                    edits.for_each(|edit| edit.span = source.place(edit.span).span);
                    self.told.unused.insert(spot, (file, one));
                }
            }
        }
        paths
    }

    /// Ends the findings: tells what has waited, and the names in `allow` comments that no script needs which includes their file.
    pub(super) fn finish(&mut self, session: &Session) -> io::Result<()> {
        // What could not be checked may need them.
        if !self.total.failures.is_empty() || !session.project.broken().is_empty() {
            return self.flush();
        }
        let Told { used, unused, .. } = std::mem::take(&mut self.told);
        let mut files: BTreeMap<PathBuf, (File, Report)> = BTreeMap::new();
        for (spot, (file, one)) in unused {
            if !used.contains(&spot) && self.judged.contains(&spot.0) {
                files.entry(spot.0).or_insert_with(|| (file, Report::default())).1.diagnostics.push(one);
            }
        }
        let mut last = Vec::new();
        for (path, (file, report)) in files {
            let source = Source::file(file.path, file.text);
            let config = match session.project.verdict(&path) {
                Verdict::Check(config) => *config,
                Verdict::Excluded | Verdict::Broken => continue,
            };
            let ledger = session.ledgers.of(&config).ok().flatten();
            if let Some(ledger) = &ledger {
                ledger.count(&source, &report, &config, |_| true);
            }
            last.push((source, report, config, ledger));
        }
        self.flush()?;
        for (source, mut report, config, ledger) in last {
            let baselined = ledger.map_or(0, |ledger| ledger.hide(&source, &mut report));
            let mut summary = Summary { baselined, ..Summary::default() };
            summary.count(&report);
            // The file was counted, or is no script.
            summary.scripts = 0;
            let statistics = Statistics::of(&source, &report, self.detail);
            let rendered = sink::rendered(&self.styles, View { source: &source, report: &report, config: &config });
            let path = source.path().to_owned();
            self.write(Outcome { path, rendered, summary, statistics, ..Outcome::default() })?;
        }
        Ok(())
    }

    pub(super) fn fail(&mut self, failure: Failure) -> io::Result<()> {
        if self.kept.is_none() {
            tell(&failure);
        }
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

/// Says on standard error what could not be done.
pub(super) fn tell(failure: &Failure) {
    output::error(&format!("{}: {}", human::printable(&failure.path), human::printable(&failure.message)));
}
