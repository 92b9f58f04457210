//! What all workers of a run share, and what they do with one file.

use std::{
    cell::RefCell,
    fs,
    io::{self, Read},
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    sync::Arc,
};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Exit,
    args::{Check, Dump},
    detect,
    ledger::{Ledger, Ledgers},
    output::{self, Output},
    printer::Outcome,
    sink::{self, Style},
    statistics::Statistics,
    walk::{self, Input},
};
use crate::{
    Report,
    config::{
        Config,
        project::{self, Project, Verdict},
    },
    include::{
        self,
        disk::{Disk, Included},
    },
    ir, limits, lower, parse,
    render::{Failure, Summary, View, human},
    rule::{self, Diagnostic},
    source::{File, FileId, Source},
};

/// What all workers share.
pub(super) struct Session<'a> {
    pub(super) arguments: &'a Check,
    pub(super) project: Project,
    pub(super) styles: Vec<Style>,
    pub(super) disk: Disk,
    /// The files that others of this run include.
    pub(super) included: FxHashSet<PathBuf>,
    pub(super) ledgers: Ledgers,
    /// `None`: one thread is enough.
    pub(super) pool: Option<rayon::ThreadPool>,
}

/// A script that was checked.
pub(super) struct Script {
    pub(super) source: Source,
    pub(super) report: Report,
    pub(super) config: Config,
    pub(super) ledger: Option<Arc<Ledger>>,
    /// Does another script of the run include it?
    pub(super) included: bool,
}

impl Session<'_> {
    pub(super) fn show_config(&self, path: &Path, out: &mut Output) -> io::Result<Exit> {
        match self.project.show(path) {
            Ok(text) => out.write(text.as_bytes()).map(|()| Exit::Clean),
            Err(error) => {
                output::raw(&human::config_error(&error, output::color(self.arguments.color, &io::stderr())));
                Ok(Exit::Trouble)
            }
        }
    }

    /// Tells what is wrong with configs; returns how many are.
    pub(super) fn configs(&self) -> io::Result<usize> {
        let broken = self.project.broken();
        for error in &broken {
            output::raw(&human::config_error(error, output::color(self.arguments.color, &io::stderr())));
        }
        Ok(broken.len())
    }

    /// What `run` makes of each item, in their order.
    pub(super) fn each<I: Sync, T: Send>(&self, items: &[I], run: impl Fn(&I) -> T + Sync) -> Vec<T> {
        match &self.pool {
            Some(pool) => pool.install(|| items.par_iter().map(&run).collect()),
            None => items.iter().map(run).collect(),
        }
    }

    /// The files that the input includes, or that these include.
    pub(super) fn included_by(&self, input: &Input) -> Included {
        if let Ok(text) = read(&input.path)
            && include::names(&text).next().is_some()
            && let Verdict::Check(config) = self.project.verdict(&input.path)
        {
            return self.disk.included(&input.path, &text, &config.include_dirs);
        }
        Included::default()
    }

    /// The outcome of standard input.
    pub(super) fn stdin(&self, text: Vec<u8>) -> Outcome {
        let (path, shown) = self.stdin_name();
        if let Some(failure) = path.and_then(walk::host) {
            return Outcome { failure: Some(failure), ..Outcome::default() };
        }
        self.outcome(path, &shown, text, !self.arguments.detect)
    }

    /// Where standard input lies, if anybody said, and how it is called.
    pub(super) fn stdin_name(&self) -> (Option<&Path>, String) {
        let name = self.arguments.stdin_filename.as_deref();
        (name, name.map_or("-".to_owned(), walk::shown))
    }

    /// The outcome of a file.
    pub(super) fn file(&self, input: &Input) -> Outcome {
        match self.read(input) {
            Ok(text) => self.outcome(Some(&input.path), &input.shown, text, input.taken),
            Err(failure) => Outcome { failure: Some(failure), ..Outcome::default() },
        }
    }

    pub(super) fn read(&self, input: &Input) -> Result<Vec<u8>, Failure> {
        if let Some(text) = self.disk.changed(&input.path) {
            return Ok(text.to_vec());
        }
        read(&input.path).map_err(|message| Failure { path: input.shown.clone(), message })
    }

    fn outcome(&self, path: Option<&Path>, shown: &str, text: Vec<u8>, taken: bool) -> Outcome {
        if let Some(dump) = self.arguments.dump {
            return match self.source(path, shown, text, taken) {
                Ok(Some((source, _))) => {
                    let rendered = guarded(|| dumped(&source, dump)).unwrap_or_default().into_bytes();
                    Outcome { rendered: vec![rendered], ..Outcome::default() }
                }
                Ok(None) => Outcome::default(),
                Err(failure) => Outcome { failure: Some(failure), ..Outcome::default() },
            };
        }
        match self.script(path, shown, text, taken) {
            Ok(Some(script)) => self.told(script),
            Ok(None) => Outcome::default(),
            Err(failure) => Outcome { failure: Some(failure), ..Outcome::default() },
        }
    }

    /// The script that the text makes, and its settings; `None`: it is none, or left out. `path`: where the text lies, if anybody
    /// knows.
    fn source(
        &self,
        path: Option<&Path>,
        shown: &str,
        text: Vec<u8>,
        taken: bool,
    ) -> Result<Option<(Source, Config)>, Failure> {
        // Settings are only looked for where there may be a script.
        let includes = include::names(&text).next().is_some();
        let taken = taken || detect::is_script(&text);
        if !taken && !includes {
            return Ok(None);
        }
        let config = match self.project.verdict(path.unwrap_or(Path::new("-"))) {
            Verdict::Check(config) => config,
            Verdict::Excluded | Verdict::Broken => return Ok(None),
        };
        if limits::SCRIPT_BYTES < text.len() {
            let message = format!("is too big: a script may have {} MiB", limits::SCRIPT_BYTES >> 20);
            return Err(Failure { path: shown.to_owned(), message });
        }
        let file = File { path: shown.into(), text: text.into() };
        let source = match includes {
            true => self.disk.compose(path, file, &config.include_dirs),
            false => Source::file(file.path, file.text),
        };
        let taken = taken || detect::is_script(&source.text);
        Ok(taken.then_some((source, *config)))
    }

    /// The script that the text makes, checked; `None`: it is none, left out, or only checked with those that include it.
    pub(super) fn script(
        &self,
        path: Option<&Path>,
        shown: &str,
        text: Vec<u8>,
        taken: bool,
    ) -> Result<Option<Script>, Failure> {
        let Some((source, config)) = self.source(path, shown, text, taken)? else { return Ok(None) };
        // As with a config that can't be used, what it governs is left out.
        let Ok(ledger) = self.ledgers.of(&config) else { return Ok(None) };
        let included =
            !self.included.is_empty() && path.is_some_and(|path| self.included.contains(&project::absolute(path)));
        match guarded(|| crate::check(&source, &config)) {
            // What is wrong in it is told with the scripts that include it, if it is not in a circle of its own.
            Ok(report) if included && report.fragment && !source.is_in_circle() => Ok(None),
            Ok(report) => {
                let mut script = Script { source, report, config, ledger, included };
                if script.has_others() {
                    self.keep_wanted(&mut script);
                }
                Ok(Some(script))
            }
            Err(panic) => {
                let message = format!("made evalint fail, please report it: {panic}");
                Err(Failure { path: shown.to_owned(), message })
            }
        }
    }

    fn told(&self, script: Script) -> Outcome {
        let cut = self.arguments.verbose && script.report.cut;
        let note = cut.then(|| {
            let path = human::printable(script.source.path());
            format!("{path}: the analysis was cut, parts of the script count as unknown")
        });
        let outcome = Outcome { note, ..Outcome::default() };
        if script.has_others() {
            return Outcome { common: Some(Box::new(script)), ..outcome };
        }
        let Script { source, mut report, config, ledger, .. } = script;
        let mut summary = Summary { files: 1, ..Summary::default() };
        if let Some(ledger) = ledger {
            ledger.count(&source, &report, &config, |_| true);
            summary.baselined = ledger.hide(&source, &mut report);
        }
        summary.count(&report);
        Outcome {
            path: source.path().to_owned(),
            rendered: sink::rendered(&self.styles, View { source: &source, report: &report, config: &config }),
            summary,
            statistics: Statistics::of(&source, &report, self.arguments.detail()),
            ..outcome
        }
    }

    /// In an included file, the settings of that file hold too; and what its `allow` comments are good for, all scripts tell together.
    fn keep_wanted(&self, script: &mut Script) {
        let Script { source, report, included, .. } = script;
        let mut configs: FxHashMap<FileId, Option<Config>> = FxHashMap::default();
        let mut wanted = |one: &mut Diagnostic| {
            let file = source.file_of(one.finding.span.start);
            if file == FileId::MAIN {
                return true;
            }
            let config = configs.entry(file).or_insert_with(|| {
                match self.project.verdict(Path::new(&*source.files[file.0 as usize].path)) {
                    // The servers are those of the script.
                    Verdict::Check(config) => Some(Config { targets_named: true, ..*config }),
                    Verdict::Excluded | Verdict::Broken => None,
                }
            });
            let severity = config.as_ref().and_then(|config| config.severity(one.rule, &one.finding));
            severity.map(|severity| one.severity = severity).is_some()
        };
        report.diagnostics.retain_mut(&mut wanted);
        for name in &mut report.names {
            name.unused = name.unused.take().and_then(|mut one| wanted(&mut one).then_some(one));
        }
        if !*included {
            return;
        }
        let Some(rule) = rule::rule("unused-allow") else { return };
        let (own, rest) = std::mem::take(&mut report.diagnostics).into_iter().partition(|one: &Diagnostic| {
            one.rule == rule && report.names.iter().any(|name| name.span == one.finding.span)
        });
        report.diagnostics = rest;
        for one in own {
            if let Some(name) = report.names.iter_mut().find(|name| name.span == one.finding.span) {
                name.unused = Some(one);
            }
        }
    }
}

impl Script {
    /// Is it made of several files, or part of another? Then what is found in it may be found again.
    pub(super) fn has_others(&self) -> bool {
        self.included || 1 < self.source.files.len()
    }
}

/// A stage of the analysis as text; of what is no script, nothing.
fn dumped(source: &Source, Dump::Ir: Dump) -> String {
    let parsed = parse::parse(source);
    parsed.map(|parsed| ir::print::print_all(&lower::lower(source, parsed), source)).unwrap_or_default()
}

/// The bytes of a file, one more than the limit at most.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    // Opening a pipe would wait for its writer.
    let found = path.metadata().map_err(|error| walk::reason(path, &error))?;
    if !found.is_file() {
        return Err("is no regular file; `evalint -` reads standard input".into());
    }
    let limit = limits::SCRIPT_BYTES + 1;
    // One byte more than the file has, so that its end is seen without growing.
    let mut text = Vec::with_capacity(limit.min(found.len() as usize + 1));
    fs::File::open(path)
        .and_then(|file| file.take(limit as u64).read_to_end(&mut text))
        .map_err(|error| walk::reason(path, &error))?;
    Ok(text)
}

thread_local! {
    /// The message of the last panic of a guarded call; `None` outside of one.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps the messages of panics in guarded calls off standard error.
pub(super) fn catch_panics() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let guarded = PANIC.with_borrow_mut(|panic| {
            panic.as_mut().map(|message| *message = info.to_string().replace('\n', " ")).is_some()
        });
        if !guarded {
            usual(info);
        }
    }));
}

/// A bug that one script brings to light must not end the run.
fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    PANIC.set(Some(String::new()));
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    let message = PANIC.take().unwrap_or_default();
    result.map_err(|_| message)
}
