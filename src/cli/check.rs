//! `evalint check`.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    fs::File,
    io::{self, Read},
    panic::{self, AssertUnwindSafe},
    path::Path,
    time::Instant,
};

use rayon::prelude::*;

use super::{
    Exit,
    args::{Check, Dump, OutputFormat},
    detect,
    output::{self, Output},
    walk::{self, Input},
};
use crate::{
    Report,
    config::project::{Project, Verdict},
    ir, limits, lower, parse,
    render::{Failure, Summary, View, human, json},
    rule::Severity,
    source::Source,
};

/// Files that one thread checks sooner than a pool has started.
const FEW: usize = 8;

/// Files that are checked before their output is written: it bounds what is held in memory.
const BATCH: usize = 1024;

/// What all workers share.
struct Session<'a> {
    arguments: &'a Check,
    project: Project,
    look: human::Look,
}

/// What is left of one file: its source is gone.
#[derive(Default)]
struct Outcome {
    rendered: Vec<u8>,
    summary: Summary,
    failure: Option<Failure>,
    /// A line for `--verbose`.
    note: Option<String>,
    rules: Vec<&'static str>,
}

pub(super) fn run(arguments: &Check, out: &mut Output) -> io::Result<Exit> {
    let started = Instant::now();
    let look = human::Look {
        color: output::color(arguments.color, &io::stdout()),
        infos: arguments.verbose || arguments.fail_on == Severity::Info,
    };
    let session = Session { arguments, project: Project::new(arguments.options(), &arguments.lookup()), look };
    // A named config that is broken governs everything.
    if !session.project.broken().is_empty() {
        return session.configs().map(|_| Exit::Trouble);
    }
    let stdin = arguments.paths.iter().any(|path| path.as_os_str() == "-");
    // 0: as many as there are processors.
    let threads = arguments.threads.map_or(0, usize::from);
    let paths: Vec<_> = arguments.paths.iter().filter(|path| path.as_os_str() != "-").cloned().collect();
    let (inputs, failures) = walk::files(&paths, &session.project, arguments.detect, threads);
    let mut printer = Printer { out, format: arguments.format, any: false, total: Total::default() };
    printer.head()?;
    for failure in failures {
        printer.fail(failure);
    }
    catch_panics();
    if stdin {
        printer.print(session.stdin())?;
    }
    let pool = if threads == 1 || inputs.len() <= FEW {
        None
    } else {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(limits::STACK_BYTES).build();
        Some(pool.map_err(io::Error::other)?)
    };
    for batch in inputs.chunks(BATCH) {
        let outcomes: Vec<_> = match &pool {
            Some(pool) => pool.install(|| batch.par_iter().map(|input| session.file(input)).collect()),
            None => batch.iter().map(|input| session.file(input)).collect(),
        };
        for outcome in outcomes {
            printer.print(outcome)?;
        }
        if printer.out.is_closed() {
            break;
        }
    }
    let trouble = session.configs()? != 0 || !printer.total.failures.is_empty();
    let Total { summary, failures, rules } = printer.tail()?;
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
            Ok(_) => self.text(name.unwrap_or(Path::new("-")), &shown, text, taken),
            Err(error) => Outcome::failed(&shown, format!("can't be read: {error}")),
        }
    }

    fn file(&self, input: &Input) -> Outcome {
        match read(&input.path) {
            Ok(text) => self.text(&input.path, &input.shown, text, input.taken),
            Err(message) => Outcome::failed(&input.shown, message),
        }
    }

    fn text(&self, path: &Path, shown: &str, text: Vec<u8>, taken: bool) -> Outcome {
        // Settings are only looked for where there is a script.
        if !taken && !detect::is_script(&text) {
            return Outcome::default();
        }
        let config = match self.project.verdict(path) {
            Verdict::Check(config) => config,
            Verdict::Excluded | Verdict::Broken => return Outcome::default(),
        };
        if limits::SCRIPT_BYTES < text.len() {
            let message = format!("is too big: a script may have {} MiB", limits::SCRIPT_BYTES >> 20);
            return Outcome::failed(shown, message);
        }
        let source = Source::file(shown, text);
        if let Some(dump) = self.arguments.dump {
            let rendered = guarded(|| dumped(&source, dump)).unwrap_or_default().into_bytes();
            return Outcome { rendered, ..Outcome::default() };
        }
        match guarded(|| crate::check(&source, &config)) {
            Ok(report) => self.outcome(&source, &report, &config),
            Err(panic) => Outcome::failed(shown, format!("made evalint fail, please report it: {panic}")),
        }
    }

    fn outcome(&self, source: &Source, report: &Report, config: &crate::config::Config) -> Outcome {
        let view = View { source, file: &source.text, report, config };
        let rendered = match self.arguments.format {
            OutputFormat::Human => human::diagnostics(view, self.look),
            OutputFormat::Json => json::diagnostics(view).into_bytes(),
        };
        let mut summary = Summary { files: 1, ..Summary::default() };
        summary.count(report);
        let cut = self.arguments.verbose && report.cut;
        Outcome {
            rendered,
            summary,
            failure: None,
            note: cut.then(|| {
                format!(
                    "{}: the analysis was cut, parts of the script count as unknown",
                    human::printable(&source.path)
                )
            }),
            rules: report.diagnostics.iter().map(|one| one.rule.name).collect(),
        }
    }
}

impl Outcome {
    fn failed(path: &str, message: String) -> Outcome {
        let failure = Failure { path: path.to_owned(), message };
        Outcome { failure: Some(failure), ..Outcome::default() }
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
    File::open(path)
        .and_then(|file| file.take(limit as u64).read_to_end(&mut text))
        .map_err(|error| walk::reason(path, &error))?;
    Ok(text)
}

/// What is known at the end of a run.
#[derive(Default)]
struct Total {
    summary: Summary,
    failures: Vec<Failure>,
    rules: BTreeMap<&'static str, u32>,
}

/// Writes outcomes in their order.
struct Printer<'a> {
    out: &'a mut Output,
    format: OutputFormat,
    any: bool,
    total: Total,
}

impl Printer<'_> {
    fn head(&mut self) -> io::Result<()> {
        match self.format {
            OutputFormat::Human => Ok(()),
            OutputFormat::Json => self.out.write(json::head().as_bytes()),
        }
    }

    fn print(&mut self, outcome: Outcome) -> io::Result<()> {
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

    fn fail(&mut self, failure: Failure) {
        output::error(&format!("{}: {}", human::printable(&failure.path), human::printable(&failure.message)));
        self.total.failures.push(failure);
    }

    fn tail(self) -> io::Result<Total> {
        if self.format == OutputFormat::Json {
            self.out.write(json::tail(&self.total.failures, self.total.summary).as_bytes())?;
        }
        // Before the summary, which is about what was printed.
        self.out.flush()?;
        Ok(self.total)
    }
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
