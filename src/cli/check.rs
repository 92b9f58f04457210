//! `evalint check`.

use std::{
    io::{self, Read},
    iter,
    path::Path,
    time::Instant,
};

use rustc_hash::FxHashSet;

use super::{
    Exit,
    args::{Check, ColorChoice},
    output::{self, Output},
    printer::{Outcome, Printer, Told, Total},
    session::{self, Session},
    sink::{self, Sink, Style},
    walk,
};
use crate::{
    config::project::{self, Project},
    include::disk::Disk,
    limits,
    render::{Look, human},
    rule::Severity,
};

/// Files that one thread checks sooner than a pool has started.
const FEW: usize = 8;

/// Files that are checked before their output is written: it bounds what is held in memory.
const BATCH: usize = 1024;

pub(super) fn run(arguments: &Check, out: &mut Output) -> io::Result<Exit> {
    let started = Instant::now();
    let styles = styles(arguments);
    let mut session = Session {
        arguments,
        project: Project::new(arguments.options(), &arguments.lookup()),
        styles,
        disk: Disk::default(),
        included: FxHashSet::default(),
        pool: None,
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
    if threads != 1 && FEW < inputs.len() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(limits::STACK_BYTES).build();
        session.pool = Some(pool.map_err(io::Error::other)?);
    }
    // One file alone is judged alone.
    if 1 < inputs.len() {
        session.included = session.each(&inputs, |input| session.included_by(input)).into_iter().flatten().collect();
    }
    let walked = inputs.iter().filter(|input| !input.named).map(|input| project::absolute(&input.path));
    let files = arguments.outputs.iter().zip(&session.styles[1..]);
    let files: Vec<Sink> = files.map(|(output, &style)| Sink::file(&output.path, style)).collect();
    let mut printer = Printer {
        sinks: iter::once(Sink::standard(out, session.styles[0])).chain(files).collect(),
        styles: session.styles.clone(),
        total: Total::default(),
        told: Told::default(),
        judged: walked.filter(|path| session.included.contains(path)).collect(),
    };
    printer.head()?;
    for failure in failures {
        printer.fail(failure)?;
    }
    session::catch_panics();
    if stdin {
        let mut text = Vec::new();
        let read = io::stdin().lock().take(limits::SCRIPT_BYTES as u64 + 1).read_to_end(&mut text);
        printer.print(match read {
            Ok(_) => session.stdin(text),
            Err(error) => Outcome::failed(&session.stdin_name().1, format!("can't be read: {error}")),
        })?;
    }
    for batch in inputs.chunks(BATCH) {
        for outcome in session.each(batch, |input| session.file(input)) {
            printer.print(outcome)?;
        }
        if printer.is_closed() {
            break;
        }
    }
    printer.unused(&session)?;
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
