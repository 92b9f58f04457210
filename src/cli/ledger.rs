//! `--baseline` and `--write-baseline`: what the findings of a run are held against.
//!
//! A *ledger* is a baseline with what the run found so far. Invariant: findings of a file are hidden only when all of them were
//! counted.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{self, Write},
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::walk;
use crate::{
    Report,
    baseline::Baseline,
    config::{Config, project},
    render::{Failure, human, plural},
    rule::{self, Diagnostic},
    source::{FileId, Source},
};

/// The ledgers of a run, by the paths of their baselines. Workers share it.
#[derive(Default)]
pub(super) struct Ledgers {
    /// `--baseline` or `--write-baseline`, which go before the settings.
    named: Option<PathBuf>,
    writes: bool,
    /// `None`: it can't be used.
    known: Mutex<BTreeMap<PathBuf, Option<Arc<Ledger>>>>,
    failures: Mutex<Vec<Failure>>,
}

/// A baseline, and what was found.
pub(super) struct Ledger {
    path: PathBuf,
    /// Where its paths start.
    folder: PathBuf,
    baseline: Baseline,
    /// Is all that is found to be its new content?
    writes: bool,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    counts: BTreeMap<(String, &'static str), u32>,
    /// Files of which all is known, and of their entries those that the run did not look for.
    checked: BTreeSet<String>,
    unjudged: BTreeSet<(String, String)>,
}

/// A baseline can't be used; the user is told at the end.
pub(super) struct Unusable;

impl Ledgers {
    pub(super) fn new(reads: Option<&Path>, writes: Option<&Path>) -> Ledgers {
        Ledgers { named: writes.or(reads).map(Path::to_owned), writes: writes.is_some(), ..Ledgers::default() }
    }

    /// The ledger for scripts with these settings.
    pub(super) fn of(&self, config: &Config) -> Result<Option<Arc<Ledger>>, Unusable> {
        let Some(path) = self.named.as_ref().or(config.baseline.as_ref()) else { return Ok(None) };
        let mut known = lock(&self.known);
        if let Some(ledger) = known.get(path) {
            return ledger.clone().map(Some).ok_or(Unusable);
        }
        let ledger = Ledger::load(path, self.writes).map(Arc::new);
        let ledger = ledger.map_err(|failure| lock(&self.failures).push(failure)).ok();
        known.insert(path.clone(), ledger.clone());
        ledger.map(Some).ok_or(Unusable)
    }

    /// Takes the baselines that can't be used.
    pub(super) fn failures(&self) -> Vec<Failure> {
        std::mem::take(&mut lock(&self.failures))
    }

    /// Forgets what was found.
    pub(super) fn reset(&self) {
        lock(&self.known).values().flatten().for_each(|ledger| *lock(&ledger.found) = Found::default());
    }

    /// Writes what is to be written, and says how what was found differs from the baselines.
    pub(super) fn finish(&self) -> (Vec<String>, Vec<Failure>) {
        let mut notes = Vec::new();
        let mut failures = Vec::new();
        // Without any script no ledger was asked for.
        if self.writes
            && let Some(path) = &self.named
        {
            let mut known = lock(&self.known);
            if !known.contains_key(path) {
                let ledger = Ledger::load(path, true).map(Arc::new);
                known.insert(path.clone(), ledger.map_err(|failure| failures.push(failure)).ok());
            }
        }
        for ledger in lock(&self.known).values().flatten() {
            if ledger.writes {
                match ledger.write() {
                    Ok(note) => notes.push(note),
                    Err(error) => failures.push(Failure {
                        path: walk::shown(&ledger.path),
                        message: format!("can't be written: {error}"),
                    }),
                }
            } else {
                notes.extend(ledger.differences());
            }
        }
        (notes, failures)
    }
}

impl Ledger {
    fn load(path: &Path, writes: bool) -> Result<Ledger, Failure> {
        let fail = |message: String| Failure { path: walk::shown(path), message };
        let whole = project::absolute(path);
        let folder = whole.parent().map(real).unwrap_or_default();
        let baseline = match fs::read(path) {
            Ok(text) => Baseline::read(&text).map_err(|fault| match fault.line {
                0 => fail(format!("is no baseline: {}", fault.message)),
                line => fail(format!("is no baseline: {} (line {line}, column {})", fault.message, fault.column)),
            })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound && writes => Baseline::default(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let shown = human::printable(&walk::shown(path));
                return Err(fail(format!("does not exist; `--write-baseline {shown}` makes it")));
            }
            Err(error) => return Err(fail(walk::reason(path, &error))),
        };
        Ok(Ledger { path: path.to_owned(), folder, baseline, writes, found: Mutex::default() })
    }

    /// Counts what is told of a script. `whole`: files of which nothing more will be told.
    pub(super) fn count(&self, source: &Source, report: &Report, config: &Config, whole: impl Fn(FileId) -> bool) {
        let paths = self.paths(source);
        let mut found = lock(&self.found);
        let broken = report.diagnostics.iter().any(|one| one.rule.name == "syntax-error");
        let files = (0..).map(FileId).zip(&paths).filter(|&(file, _)| !broken && whole(file));
        for path in files.filter_map(|(_, path)| path.as_ref()) {
            let entries = self.baseline.findings.get(path).into_iter().flat_map(BTreeMap::keys);
            let off = |name: &&String| rule::rule(name).is_some_and(|rule| !config.enabled(rule));
            found.unjudged.extend(entries.filter(off).map(|name| (path.clone(), name.clone())));
            found.checked.insert(path.clone());
        }
        for one in &report.diagnostics {
            if let Some(path) = &paths[source.file_of(one.finding.span.start).0 as usize] {
                *found.counts.entry((path.clone(), one.rule.name)).or_default() += 1;
            }
        }
    }

    /// Takes out what the baseline has; returns how much.
    pub(super) fn hide(&self, source: &Source, report: &mut Report) -> u32 {
        let paths = self.paths(source);
        let found = lock(&self.found);
        let before = report.diagnostics.len();
        report.diagnostics.retain(|one| !self.has(source, &paths, one, &found));
        (before - report.diagnostics.len()) as u32
    }

    /// Is it in the baseline?
    fn has(&self, source: &Source, paths: &[Option<String>], one: &Diagnostic, found: &Found) -> bool {
        let Some(path) = &paths[source.file_of(one.finding.span.start).0 as usize] else { return false };
        let count = found.counts.get(&(path.clone(), one.rule.name)).copied().unwrap_or(0);
        self.writes || count <= self.baseline.count(path, one.rule.name)
    }

    /// How the baseline calls the files of the script; text without a name can't be found again.
    fn paths(&self, source: &Source) -> Vec<Option<String>> {
        let path = |path: &str| (path != "-").then(|| self.relative(Path::new(path)));
        source.files.iter().map(|file| path(&file.path)).collect()
    }

    fn relative(&self, path: &Path) -> String {
        let whole = project::absolute(path);
        let whole = match (whole.parent(), whole.file_name()) {
            (Some(folder), Some(name)) => real(folder).join(name),
            _ => whole,
        };
        let (mut from, mut to) = (self.folder.components().peekable(), whole.components().peekable());
        while from.peek().is_some() && from.peek() == to.peek() {
            from.next();
            to.next();
        }
        let up = from.map(|_| Component::ParentDir);
        walk::shown(&up.chain(to).collect::<PathBuf>())
    }

    fn write(&self) -> io::Result<String> {
        let found = lock(&self.found);
        let mut baseline = Baseline::default();
        // What this run did not look at stays as it was.
        for (path, rules) in &self.baseline.findings {
            let exists = self.folder.join(path).exists();
            for (rule, &count) in rules {
                let unjudged = found.unjudged.contains(&(path.clone(), rule.clone()));
                if exists && rule::rule(rule).is_some() && (unjudged || !found.checked.contains(path)) {
                    baseline.findings.entry(path.clone()).or_default().insert(rule.clone(), count);
                }
            }
        }
        for ((path, rule), &count) in &found.counts {
            let known = baseline.findings.entry(path.clone()).or_default().entry((*rule).to_owned()).or_default();
            *known = count.max(*known);
        }
        let mut file = tempfile::Builder::new().prefix(".evalint-").tempfile_in(&self.folder)?;
        file.write_all(baseline.text().as_bytes())?;
        let place = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&place).map_or(0o644, |found| found.permissions().mode());
            file.as_file().set_permissions(fs::Permissions::from_mode(mode))?;
        }
        file.persist(place).map_err(|error| error.error)?;
        let total: u32 = baseline.findings.values().flat_map(BTreeMap::values).sum();
        let files = plural(baseline.findings.len() as u32, "file");
        let path = human::printable(&walk::shown(&self.path));
        Ok(format!("wrote {path}: {} in {files}", plural(total, "finding")))
    }

    fn differences(&self) -> Vec<String> {
        const NAMED: usize = 10;
        let found = lock(&self.found);
        let name = human::printable(&walk::shown(&self.path));
        let mut more = Vec::new();
        for ((path, rule), &count) in &found.counts {
            let known = self.baseline.count(path, rule);
            if 0 < known && known < count {
                let path = human::printable(path);
                more.push(format!("{path}: the baseline has {known} of these {count} findings of `{rule}`"));
            }
        }
        let mut lost = Vec::new();
        let mut fewer = 0;
        for (path, rules) in &self.baseline.findings {
            if fs::symlink_metadata(self.folder.join(path)).is_err() {
                lost.push(format!("{name}: there is no `{}` any more", human::printable(path)));
                continue;
            }
            for (rule, &count) in rules {
                let Some(rule) = rule::rule(rule) else {
                    lost.push(format!("{name}: no rule is called `{}`", human::printable(rule)));
                    continue;
                };
                if found.checked.contains(path) && !found.unjudged.contains(&(path.clone(), rule.name.to_owned())) {
                    let now = found.counts.get(&(path.clone(), rule.name)).copied().unwrap_or(0);
                    fewer += count.saturating_sub(now);
                }
            }
        }
        lost.sort();
        lost.dedup();
        let tighter = fewer != 0 || !lost.is_empty();
        let mut notes = Vec::new();
        for mut list in [more, lost] {
            let rest = list.len().saturating_sub(NAMED);
            list.truncate(NAMED);
            notes.extend(list);
            notes.extend((0 < rest).then(|| format!("and {rest} more of this kind")));
        }
        if fewer != 0 {
            notes.push(format!(
                "{name}: {} of it {} gone",
                plural(fewer, "finding"),
                if fewer == 1 { "is" } else { "are" }
            ));
        }
        notes.extend(tighter.then(|| format!("`--write-baseline {name}` brings it up to date")));
        notes
    }
}

fn real(folder: &Path) -> PathBuf {
    fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}

/// A worker that panicked left nothing half-done behind.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
