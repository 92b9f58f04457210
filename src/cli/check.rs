//! `evalint check`.

use std::{
    io::{self, Read},
    iter,
    path::{Path, PathBuf},
    time::Instant,
};

use rustc_hash::FxHashSet;

use super::{
    Exit,
    args::{Check, ColorChoice, Purpose},
    change,
    ledger::Ledgers,
    manual,
    output::{self, Output},
    printer::{self, Printer, Told, Total},
    progress::Progress,
    session::{self, Session},
    since,
    sink::{self, Sink, Style},
    times::Times,
    walk::{self, Input},
    watch,
};
use crate::{
    config::project::{self, Project},
    include::disk::Disk,
    limits,
    render::{Failure, Look, human},
    rule::Severity,
};

/// Files that one thread checks sooner than a pool has started.
const FEW: usize = 8;

/// Files that are checked before their output is written: it bounds what is held in memory.
const BATCH: usize = 1024;

pub(super) fn run(arguments: &Check, out: &mut Output) -> io::Result<Exit> {
    if arguments.watch {
        return watch::run(arguments, out);
    }
    let mut times = Times::start();
    let purpose = arguments.purpose();
    // `evalint fix` implies what can't be written together.
    if arguments.fix && arguments.add_allow {
        output::error("`--add-allow` can't be used with `fix`: fix first, then allow what is left");
        return Ok(Exit::Trouble);
    }
    // A name for standard input asks for it, where nothing else is named.
    let implied = arguments.stdin_filename.is_some() && arguments.paths == [Path::new(".")];
    let is_stdin = |path: &Path| path.as_os_str() == "-" || implied;
    let stdin = arguments.paths.iter().any(|path| is_stdin(path));
    let paths: Vec<_> = arguments.paths.iter().filter(|path| !is_stdin(path)).cloned().collect();
    if stdin && arguments.since.is_some() {
        output::error("`--since` can't be used for standard input, of which git knows nothing");
        return Ok(Exit::Trouble);
    }
    if stdin && arguments.write_baseline.is_some() {
        output::error("`--write-baseline` can't be used for standard input: a baseline counts findings by file");
        return Ok(Exit::Trouble);
    }
    if stdin && purpose.is_some() && !paths.is_empty() {
        output::error(
            "standard input is changed by itself: its text goes to standard output; leave out the other paths",
        );
        return Ok(Exit::Trouble);
    }
    // Standard output gets the changed text.
    let echoes = stdin && purpose.is_some();
    let color = match echoes {
        true => output::color(arguments.color, &io::stderr()),
        false => output::color(arguments.color, &io::stdout()),
    };
    let styles = styles(arguments, color);
    let mut session = Session {
        arguments,
        project: Project::new(arguments.options(), &arguments.lookup()),
        styles,
        disk: Disk::default(),
        included: FxHashSet::default(),
        ledgers: Ledgers::new(arguments.baseline.as_deref(), arguments.write_baseline.as_deref()),
        pool: None,
    };
    // A named config that is broken governs everything.
    if !session.project.broken().is_empty() {
        return session.configs().map(|_| Exit::Trouble);
    }
    if let Some(path) = &arguments.show_config {
        return session.show_config(path, out);
    }
    // 0: as many as there are processors.
    let threads = arguments.threads.map_or(0, usize::from);
    let (mut inputs, mut failures) = walk::files(&paths, &session.project, arguments.detect, threads);
    times.found(inputs.len());
    // `evalint chek` names a path, as far as the arguments go.
    if let Some(first) = failures.iter_mut().find(|failure| arguments.paths[0] == *failure.path)
        && let Some(command) = manual::meant(&arguments.paths[0])
    {
        first.message = format!("{}; did you mean `evalint {command}`?", first.message);
    }
    if let Some(reason) = sink::clash(&arguments.outputs, &inputs) {
        output::error(&reason);
        return Ok(Exit::Trouble);
    }
    session.pool = pool(threads, inputs.len())?;
    // One file alone is judged alone.
    if 1 < inputs.len() || arguments.since.is_some() {
        let mut included = session.each(&inputs, |input| session.included_by(input));
        if let Some(revision) = &arguments.since {
            let (changed, unknown) = since::changed(revision, &paths);
            failures.extend(unknown);
            let mut all = included.iter();
            inputs.retain(|input| all.next().is_some_and(|included| changed.touches(&input.path, included)));
        }
        session.included = included.iter_mut().flat_map(|included| std::mem::take(&mut included.found)).collect();
    }
    let judged = judged(&session, &inputs);
    session::catch_panics();
    let mut text = Vec::new();
    let mut unread = None;
    if stdin && let Err(error) = io::stdin().lock().take(limits::SCRIPT_BYTES as u64 + 1).read_to_end(&mut text) {
        unread = Some(Failure { path: session.stdin_name().1, message: format!("can't be read: {error}") });
    }
    let mut notes = Vec::new();
    let mut other = Output::standard_error();
    if let Some(purpose) = purpose.filter(|_| unread.is_none()) {
        let stdin = stdin.then_some(&*text);
        if arguments.diff {
            let (wrong, exit) = change::show(&mut session, &inputs, stdin, purpose, &judged, out)?;
            failures.extend(wrong);
            failures.iter().for_each(printer::tell);
            let trouble = session.configs()? != 0 || !failures.is_empty();
            return Ok(if trouble { Exit::Trouble } else { exit });
        }
        let change = change::make(&mut session, &inputs, stdin, purpose, &judged);
        failures.extend(change.failures);
        notes = change.notes;
        if let Some(changed) = change.text {
            out.write(&changed)?;
            text = changed;
        }
    }
    let files = arguments.outputs.iter().zip(&session.styles[1..]);
    let files: Vec<Sink> = files.map(|(output, &style)| Sink::file(&output.path, style)).collect();
    let mut printer = Printer {
        sinks: iter::once(Sink::standard(if echoes { &mut other } else { out }, session.styles[0]))
            .chain(files)
            .collect(),
        styles: session.styles.clone(),
        detail: arguments.detail(),
        total: Total::default(),
        told: Told::default(),
        judged,
        waiting: Vec::new(),
        kept: None,
    };
    printer.head()?;
    for failure in failures {
        printer.fail(failure)?;
    }
    if let Some(failure) = unread {
        printer.fail(failure)?;
    } else if stdin {
        printer.print(session.stdin(text))?;
    }
    let progress = Progress::new(inputs.len(), arguments.quiet);
    let check = |input: &Input| {
        let begun = Instant::now();
        let outcome = session.file(input);
        progress.step();
        (outcome, begun.elapsed())
    };
    for batch in inputs.chunks(BATCH) {
        let outcomes = session.each(batch, check);
        progress.aside(|| {
            batch.iter().zip(outcomes).try_for_each(|(input, (outcome, took))| {
                times.file(&input.shown, took);
                printer.print(outcome)
            })
        })?;
        if printer.is_closed() {
            break;
        }
    }
    drop(progress);
    printer.finish(&session)?;
    let (differences, unwritten) = session.ledgers.finish();
    notes.extend(differences);
    for failure in session.ledgers.failures().into_iter().chain(unwritten) {
        printer.fail(failure)?;
    }
    let broken = session.configs()?;
    let (Total { summary, failures, statistics }, lost) = printer.tail()?;
    let trouble = broken != 0 || lost || !failures.is_empty();
    if arguments.statistics {
        statistics.lines(arguments.verbose).iter().for_each(|line| output::note(line));
    }
    if !arguments.quiet && arguments.dump.is_none() {
        if purpose == Some(Purpose::Allow) && statistics.has("syntax-error") {
            notes.push("a syntax error can't be allowed by a comment".into());
        }
        notes.iter().for_each(|note| output::note(note));
        match &arguments.since {
            Some(revision) if summary.scripts == 0 && failures.is_empty() => {
                output::note(&format!("no script has changed since {}", human::printable(revision)));
            }
            // What could not be asked was told.
            Some(_) if summary.scripts == 0 => {}
            Some(_) | None => output::note(&human::summary(summary)),
        }
        if purpose.is_none() && summary.fixable != 0 {
            output::note(&format!("`evalint fix` mends {} of them", summary.fixable));
        }
        if !failures.is_empty() {
            output::note(&format!("{} told above", crate::render::plural(failures.len() as u32, "problem")));
        }
    }
    if arguments.verbose {
        output::note(&times.line());
    }
    Ok(if trouble {
        Exit::Trouble
    } else if summary.reaches(arguments.fail_on) && !arguments.exit_zero {
        Exit::Findings
    } else {
        Exit::Clean
    })
}

/// The threads for so many files; `None`: one is enough.
pub(super) fn pool(threads: usize, files: usize) -> io::Result<Option<rayon::ThreadPool>> {
    if threads == 1 || files <= FEW {
        return Ok(None);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(limits::STACK_BYTES).build();
    pool.map(Some).map_err(io::Error::other)
}

/// The included files of which the run surely has every script that includes them.
pub(super) fn judged(session: &Session, inputs: &[Input]) -> FxHashSet<PathBuf> {
    let walked = inputs.iter().filter(|input| !input.named).map(|input| project::absolute(&input.path));
    walked.filter(|path| session.included.contains(path)).collect()
}

/// Standard output first, then the files of `--output`.
pub(super) fn styles(arguments: &Check, color: bool) -> Vec<Style> {
    let look = |color, links| Look {
        color,
        links,
        infos: arguments.verbose || arguments.fail_on == Severity::Info,
        all: arguments.verbose,
        fail_on: arguments.fail_on,
    };
    let standard = Style { format: arguments.format, look: look(color, color && output::links()) };
    let color = arguments.color == ColorChoice::Always;
    let files = arguments.outputs.iter().map(|output| Style { format: output.format, look: look(color, false) });
    iter::once(standard).chain(files).collect()
}
