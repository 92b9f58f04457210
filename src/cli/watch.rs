//! `--watch`: checks again on every change, and tells what has become different.
//!
//! A round checks everything: the caches that would spare it are more to get wrong than the second that they save. So settings, ignore
//! files and included files need no care of their own.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
    sync::mpsc,
    time::{Duration, Instant},
};

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use rustc_hash::FxHashSet;

use super::{
    Exit,
    args::Check,
    check,
    ledger::Ledgers,
    output::{self, Output},
    printer::{self, Printer, Told, Total},
    session::{self, Session},
    walk,
};
use crate::{
    config::project::{self, Project},
    include::disk::{Disk, Included},
    render::{Failure, Summary, human, plural},
};

/// An editor that saves makes several events: a round starts when nothing has come for so long.
const QUIET: Duration = Duration::from_millis(100);

/// What never comes to rest is still checked so often.
const LONGEST: Duration = Duration::from_secs(2);

/// Files that change what is checked, wherever they lie.
const SETTINGS: [&str; 5] = ["evalint.toml", "pyproject.toml", "package.json", ".gitignore", ".ignore"];

/// Checks until nobody reads any more, or until it is stopped.
pub(super) fn run(arguments: &Check, out: &mut Output) -> io::Result<Exit> {
    if let Some(reason) = refused(arguments) {
        output::error(reason);
        return Ok(Exit::Trouble);
    }
    session::catch_panics();
    let (sender, events) = mpsc::channel();
    // Nobody listens any more only when the program ends.
    let mut watched = match notify::recommended_watcher(move |event| _ = sender.send(event)) {
        Ok(watcher) => Watched::new(watcher, arguments),
        Err(error) => {
            output::error(&format!("changes can't be watched: {error}"));
            return Ok(Exit::Trouble);
        }
    };
    let mut before = Round::default();
    let mut first = true;
    loop {
        let round = Round::new(arguments)?;
        watched.follow(&round.others);
        round.tell(&before, out)?;
        before = round;
        if first {
            if !arguments.quiet {
                output::note(&human::summary(before.summary));
            }
            output::note(&format!("watching {}; Ctrl-C ends", plural(watched.roots.len() as u32, "folder")));
        }
        first = false;
        if out.is_closed() || !watched.wait(&events) {
            return Ok(Exit::Clean);
        }
    }
}

/// Why these arguments can't be watched, as far as they do not say it themselves.
fn refused(arguments: &Check) -> Option<&'static str> {
    if arguments.purpose().is_some() {
        return Some("`--watch` can't be used with `fix`: it would change files while they are edited");
    }
    if arguments.paths.iter().any(|path| path.as_os_str() == "-") {
        return Some("`--watch` can't be used for standard input, which comes only once");
    }
    if !["human", "concise"].contains(&arguments.format.name) {
        return Some("`--watch` tells only what has changed, which people read: use `--format human` or `concise`");
    }
    None
}

struct Watched {
    watcher: RecommendedWatcher,
    /// Folders whose files may be scripts.
    roots: FxHashSet<PathBuf>,
    /// Other files: named ones, and included ones in other folders.
    files: FxHashSet<PathBuf>,
    /// Folders that are watched without what is below them.
    flat: FxHashSet<PathBuf>,
}

impl Watched {
    fn new(watcher: RecommendedWatcher, arguments: &Check) -> Watched {
        let mut watched =
            Watched { watcher, roots: FxHashSet::default(), files: FxHashSet::default(), flat: FxHashSet::default() };
        for path in &arguments.paths {
            let path = project::absolute(path);
            let folder = match path.is_dir() {
                true => path.clone(),
                false => path.parent().unwrap_or(&path).to_owned(),
            };
            if path.is_dir() {
                watched.flat.remove(&folder);
                watched.watch(&folder, RecursiveMode::Recursive);
            } else {
                watched.files.insert(path.clone());
                watched.flat(&folder);
            }
            // Settings come from the folders above, too.
            folder.ancestors().skip(1).for_each(|above| watched.flat(above));
            watched.roots.insert(folder);
        }
        watched.follow(&arguments.settings().map(project::absolute).collect());
        watched
    }

    /// Watches these files, too.
    fn follow(&mut self, files: &FxHashSet<PathBuf>) {
        for path in files {
            if self.files.insert(path.clone())
                && let Some(folder) = path.parent().filter(|folder| folder.is_dir())
            {
                self.flat(folder);
            }
        }
    }

    /// A folder, as editors that save by renaming would escape a watched file.
    fn flat(&mut self, folder: &Path) {
        let below = self.roots.iter().any(|root| folder.starts_with(root) && !self.flat.contains(root));
        if !below && self.flat.insert(folder.to_owned()) {
            self.watch(folder, RecursiveMode::NonRecursive);
        }
    }

    fn watch(&mut self, folder: &Path, mode: RecursiveMode) {
        // The walk tells what does not exist; folders above may be closed to us.
        if let Err(error) = self.watcher.watch(folder, mode)
            && mode == RecursiveMode::Recursive
        {
            let shown = walk::shown(folder);
            output::error(&format!("{} can't be watched: {error}", human::printable(&shown)));
        }
    }

    /// Waits for a change and the rest after it. `false`: none will come.
    fn wait(&self, events: &mpsc::Receiver<notify::Result<Event>>) -> bool {
        loop {
            match events.recv() {
                Ok(event) if self.matters(&event) => break,
                Ok(_) => {}
                Err(mpsc::RecvError) => return false,
            }
        }
        let begun = Instant::now();
        let mut last = begun;
        while last.elapsed() < QUIET && begun.elapsed() < LONGEST {
            match events.recv_timeout(QUIET.saturating_sub(last.elapsed())) {
                Ok(event) if self.matters(&event) => last = Instant::now(),
                Ok(_) | Err(_) => {}
            }
        }
        true
    }

    /// May it change what is found? What was lost may.
    fn matters(&self, event: &notify::Result<Event>) -> bool {
        let Ok(event) = event else { return true };
        if event.need_rescan() {
            return true;
        }
        // Our own reading is an event, too.
        !event.kind.is_access()
            && event.paths.iter().any(|path| {
                let settings = path.file_name().is_some_and(|name| SETTINGS.iter().any(|one| name == *one));
                let below = self.roots.iter().any(|root| path.starts_with(root) && !self.flat.contains(root));
                let of_git = path.components().any(|part| part.as_os_str() == ".git");
                self.files.contains(path) || settings || (below && !of_git)
            })
    }
}

/// What was found of one script.
#[derive(Default)]
struct Found {
    rendered: Vec<u8>,
    findings: u32,
}

/// Everything that was found.
#[derive(Default)]
struct Round {
    found: BTreeMap<String, Found>,
    failures: Vec<Failure>,
    /// What is wrong with settings.
    broken: Vec<Vec<u8>>,
    summary: Summary,
    /// Files that scripts include, or would.
    others: FxHashSet<PathBuf>,
}

impl Round {
    fn new(arguments: &Check) -> io::Result<Round> {
        let color = output::color(arguments.color, &io::stdout());
        let mut session = Session {
            arguments,
            project: Project::new(arguments.options(), &arguments.lookup()),
            styles: check::styles(arguments, color),
            disk: Disk::default(),
            included: FxHashSet::default(),
            ledgers: Ledgers::new(arguments.baseline.as_deref(), None),
            pool: None,
        };
        let mut round = Round::default();
        // A named config that is broken governs everything.
        if session.project.broken().is_empty() {
            round.check(&mut session)?;
        }
        let color = output::color(arguments.color, &io::stderr());
        round.broken = session.project.broken().iter().map(|error| human::config_error(error, color)).collect();
        Ok(round)
    }

    fn check(&mut self, session: &mut Session) -> io::Result<()> {
        let arguments = session.arguments;
        let threads = arguments.threads.map_or(0, usize::from);
        let (inputs, failures) = walk::files(&arguments.paths, &session.project, arguments.detect, threads);
        session.pool = check::pool(threads, inputs.len())?;
        for Included { found, missing } in session.each(&inputs, |input| session.included_by(input)) {
            // One file alone is judged alone.
            if 1 < inputs.len() {
                session.included.extend(found.iter().cloned());
            }
            self.others.extend(found);
            self.others.extend(missing);
        }
        let judged = check::judged(session, &inputs);
        let mut printer = Printer {
            sinks: Vec::new(),
            styles: session.styles.clone(),
            detail: arguments.detail(),
            total: Total { failures, ..Total::default() },
            told: Told::default(),
            judged,
            waiting: Vec::new(),
            kept: Some(Vec::new()),
        };
        session
            .each(&inputs, |input| session.file(input))
            .into_iter()
            .try_for_each(|outcome| printer.print(outcome))?;
        printer.finish(session)?;
        for one in printer.kept.take().into_iter().flatten() {
            let found = self.found.entry(one.path).or_default();
            found.rendered.extend(one.rendered.into_iter().next().unwrap_or_default());
            found.findings += one.summary.errors + one.summary.warnings + one.summary.infos;
        }
        self.failures = printer.total.failures;
        self.failures.extend(session.ledgers.failures());
        self.summary = printer.total.summary;
        Ok(())
    }

    /// Tells what the round before did not have, and how much it had that is gone.
    fn tell(&self, before: &Round, out: &mut Output) -> io::Result<()> {
        self.broken.iter().filter(|one| !before.broken.contains(one)).for_each(|one| output::raw(one));
        self.failures.iter().filter(|one| !before.failures.contains(one)).for_each(printer::tell);
        let none = Found::default();
        let paths: BTreeSet<&String> = before.found.keys().chain(self.found.keys()).collect();
        for path in paths {
            let old = before.found.get(path).unwrap_or(&none);
            let new = self.found.get(path).unwrap_or(&none);
            if old.rendered == new.rendered {
                continue;
            }
            out.write(&new.rendered)?;
            if new.findings < old.findings {
                let gone = plural(old.findings - new.findings, "finding");
                out.write(format!("{}: {gone} gone\n", human::printable(path)).as_bytes())?;
            }
        }
        out.flush()
    }
}
