//! `evalint check`.

use std::{
    cell::RefCell,
    fs,
    io::{self, Read},
    iter,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    time::Instant,
};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Exit,
    args::{Check, ColorChoice, Dump},
    detect,
    output::{self, Output},
    printer::{Common, Outcome, Printer, Total},
    sink::{self, Sink, Style},
    walk::{self, Input},
};
use crate::{
    Report,
    config::{
        Config,
        project::{self, Project, Verdict},
    },
    include::{self, disk::Disk},
    ir, limits, lower, parse,
    render::{Look, Summary, View, human},
    rule::Severity,
    source::{File, FileId, Source},
};

/// Files that one thread checks sooner than a pool has started.
const FEW: usize = 8;

/// Files that are checked before their output is written: it bounds what is held in memory.
const BATCH: usize = 1024;

/// What all workers share.
struct Session<'a> {
    arguments: &'a Check,
    project: Project,
    styles: Vec<Style>,
    disk: Disk,
    /// The files that others of this run include.
    included: FxHashSet<PathBuf>,
}

pub(super) fn run(arguments: &Check, out: &mut Output) -> io::Result<Exit> {
    let started = Instant::now();
    let styles = styles(arguments);
    let mut session = Session {
        arguments,
        project: Project::new(arguments.options(), &arguments.lookup()),
        styles,
        disk: Disk::default(),
        included: FxHashSet::default(),
    };
    // A named config that is broken governs everything.
    if !session.project.broken().is_empty() {
        return session.configs().map(|_| Exit::Trouble);
    }
    if let Some(path) = &arguments.show_config {
        return session.show_config(path, out);
    }
    // A name for standard input asks for it, where nothing else is named.
    let implied = arguments.stdin_filename.is_some() && arguments.paths == [Path::new(".")];
    let is_stdin = |path: &Path| path.as_os_str() == "-" || implied;
    let stdin = arguments.paths.iter().any(|path| is_stdin(path));
    // 0: as many as there are processors.
    let threads = arguments.threads.map_or(0, usize::from);
    let paths: Vec<_> = arguments.paths.iter().filter(|path| !is_stdin(path)).cloned().collect();
    let (inputs, failures) = walk::files(&paths, &session.project, arguments.detect, threads);
    if let Some(reason) = sink::clash(&arguments.outputs, &inputs) {
        output::error(&reason);
        return Ok(Exit::Trouble);
    }
    let pool = if threads == 1 || inputs.len() <= FEW {
        None
    } else {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(limits::STACK_BYTES).build();
        Some(pool.map_err(io::Error::other)?)
    };
    // One file alone is judged alone.
    if 1 < inputs.len() {
        session.included = match &pool {
            Some(pool) => pool.install(|| {
                inputs.par_iter().map(|input| session.included_by(input)).reduce(FxHashSet::default, union)
            }),
            None => inputs.iter().map(|input| session.included_by(input)).fold(FxHashSet::default(), union),
        };
    }
    let files = arguments.outputs.iter().zip(&session.styles[1..]);
    let files: Vec<Sink> = files.map(|(output, &style)| Sink::file(&output.path, style)).collect();
    let mut printer = Printer {
        sinks: iter::once(Sink::standard(out, session.styles[0])).chain(files).collect(),
        styles: session.styles.clone(),
        total: Total::default(),
        told: FxHashMap::default(),
    };
    printer.head()?;
    for failure in failures {
        printer.fail(failure)?;
    }
    catch_panics();
    if stdin {
        printer.print(session.stdin())?;
    }
    for batch in inputs.chunks(BATCH) {
        let outcomes: Vec<_> = match &pool {
            Some(pool) => pool.install(|| batch.par_iter().map(|input| session.file(input)).collect()),
            None => batch.iter().map(|input| session.file(input)).collect(),
        };
        for outcome in outcomes {
            printer.print(outcome)?;
        }
        if printer.is_closed() {
            break;
        }
    }
    let broken = session.configs()?;
    let (Total { summary, failures, rules }, lost) = printer.tail()?;
    let trouble = broken != 0 || lost || !failures.is_empty();
    if arguments.statistics {
        let mut rules: Vec<_> = rules.into_iter().collect();
        rules.sort_by_key(|&(rule, count)| (std::cmp::Reverse(count), rule));
        for (rule, count) in rules {
            output::note(&format!("{count:6}  {rule}"));
        }
    }
    if !arguments.quiet && arguments.dump.is_none() {
        output::note(&human::summary(summary));
        if !failures.is_empty() {
            output::note(&format!("{} could not be checked", crate::render::plural(failures.len() as u32, "path")));
        }
    }
    if arguments.verbose {
        output::note(&format!("took {:.1} ms", started.elapsed().as_secs_f64() * 1e3));
    }
    Ok(if trouble {
        Exit::Trouble
    } else if summary.reaches(arguments.fail_on) && !arguments.exit_zero {
        Exit::Findings
    } else {
        Exit::Clean
    })
}

impl Session<'_> {
    fn show_config(&self, path: &Path, out: &mut Output) -> io::Result<Exit> {
        match self.project.show(path) {
            Ok(text) => out.write(text.as_bytes()).map(|()| Exit::Clean),
            Err(error) => {
                output::raw(&human::config_error(&error, output::color(self.arguments.color, &io::stderr())));
                Ok(Exit::Trouble)
            }
        }
    }

    /// Tells what is wrong with configs; returns how many are.
    fn configs(&self) -> io::Result<usize> {
        let broken = self.project.broken();
        for error in &broken {
            output::raw(&human::config_error(error, output::color(self.arguments.color, &io::stderr())));
        }
        Ok(broken.len())
    }

    fn stdin(&self) -> Outcome {
        let name = self.arguments.stdin_filename.as_deref();
        if let Some(failure) = name.and_then(walk::host) {
            return Outcome { failure: Some(failure), ..Outcome::default() };
        }
        let shown = name.map_or("-".to_owned(), walk::shown);
        let mut text = Vec::new();
        let read = io::stdin().lock().take(limits::SCRIPT_BYTES as u64 + 1).read_to_end(&mut text);
        let taken = !self.arguments.detect;
        match read {
            Ok(_) => self.text(name, &shown, text, taken),
            Err(error) => Outcome::failed(&shown, format!("can't be read: {error}")),
        }
    }

    fn file(&self, input: &Input) -> Outcome {
        match read(&input.path) {
            Ok(text) => self.text(Some(&input.path), &input.shown, text, input.taken),
            Err(message) => Outcome::failed(&input.shown, message),
        }
    }

    /// The files that the input includes, or that these include.
    fn included_by(&self, input: &Input) -> FxHashSet<PathBuf> {
        let mut all = FxHashSet::default();
        if let Ok(text) = read(&input.path)
            && include::names(&text).next().is_some()
            && let Verdict::Check(config) = self.project.verdict(&input.path)
        {
            self.disk.included(&input.path, &text, &config.include_dirs, &mut all);
        }
        all
    }

    /// `path`: where the text lies, if anybody knows.
    fn text(&self, path: Option<&Path>, shown: &str, text: Vec<u8>, taken: bool) -> Outcome {
        // Settings are only looked for where there may be a script.
        let includes = include::names(&text).next().is_some();
        let taken = taken || detect::is_script(&text);
        if !taken && !includes {
            return Outcome::default();
        }
        let config = match self.project.verdict(path.unwrap_or(Path::new("-"))) {
            Verdict::Check(config) => config,
            Verdict::Excluded | Verdict::Broken => return Outcome::default(),
        };
        if limits::SCRIPT_BYTES < text.len() {
            let message = format!("is too big: a script may have {} MiB", limits::SCRIPT_BYTES >> 20);
            return Outcome::failed(shown, message);
        }
        let file = File { path: shown.into(), text: text.into() };
        let source = match includes {
            true => self.disk.compose(path, file, &config.include_dirs),
            false => Source::file(file.path, file.text),
        };
        if !taken && !detect::is_script(&source.text) {
            return Outcome::default();
        }
        if let Some(dump) = self.arguments.dump {
            let rendered = guarded(|| dumped(&source, dump)).unwrap_or_default().into_bytes();
            return Outcome { rendered: vec![rendered], ..Outcome::default() };
        }
        let included =
            !self.included.is_empty() && path.is_some_and(|path| self.included.contains(&project::absolute(path)));
        match guarded(|| crate::check(&source, &config)) {
            // What is wrong in it is told with the scripts that include it, if it is not in a circle of its own.
            Ok(report) if included && report.fragment && !source.is_in_circle() => Outcome::default(),
            Ok(report) => self.outcome(source, report, *config, included),
            Err(panic) => Outcome::failed(shown, format!("made evalint fail, please report it: {panic}")),
        }
    }

    fn outcome(&self, source: Source, mut report: Report, config: Config, included: bool) -> Outcome {
        let cut = self.arguments.verbose && report.cut;
        let note = cut.then(|| {
            format!("{}: the analysis was cut, parts of the script count as unknown", human::printable(source.path()))
        });
        let outcome = Outcome { note, ..Outcome::default() };
        if included || 1 < source.files.len() {
            self.keep_wanted(&source, &mut report);
            return Outcome { common: Some(Box::new(Common { source, report, config })), ..outcome };
        }
        let mut summary = Summary { files: 1, ..Summary::default() };
        summary.count(&report);
        let rules = report.diagnostics.iter().map(|one| one.rule.name).collect();
        Outcome {
            rendered: sink::rendered(&self.styles, View { source: &source, report: &report, config: &config }),
            summary,
            rules,
            ..outcome
        }
    }

    /// In an included file, the settings of that file hold too.
    fn keep_wanted(&self, source: &Source, report: &mut Report) {
        let mut configs: FxHashMap<FileId, Option<Config>> = FxHashMap::default();
        report.diagnostics.retain_mut(|one| {
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
        });
    }
}

/// Standard output first, then the files of `--output`.
fn styles(arguments: &Check) -> Vec<Style> {
    let look = |color| Look {
        color,
        whole: arguments.verbose || arguments.fail_on == Severity::Info,
        fail_on: arguments.fail_on,
    };
    let standard = Style { format: arguments.format, look: look(output::color(arguments.color, &io::stdout())) };
    let color = arguments.color == ColorChoice::Always;
    let files = arguments.outputs.iter().map(|output| Style { format: output.format, look: look(color) });
    iter::once(standard).chain(files).collect()
}

fn union(mut one: FxHashSet<PathBuf>, other: FxHashSet<PathBuf>) -> FxHashSet<PathBuf> {
    one.extend(other);
    one
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
fn catch_panics() {
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
