//! `--fix` and `--add-allow`: round after round, until the scripts offer nothing more, and none is worse than before.
//!
//! All is done in memory; [`super::write`] puts the result on the disk. A file that several scripts include gets what all of them
//! offer: what is right in one of them may be wrong in another.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    args::Purpose,
    session::{Script, Session},
    walk::Input,
};
use crate::{
    fix::{self, Offer},
    limits,
    render::Failure,
    rule::{Check, Diagnostic, Rule, Severity},
    source::{FileId, Source, Span},
    suppress::add,
};

/// What is to be changed.
pub(super) enum Subject<'a> {
    File(&'a Input),
    /// Standard input.
    Text(Vec<u8>),
}

/// What came of it.
#[derive(Default)]
pub(super) struct Rewrite {
    /// The files that have become others, by their real path.
    pub(super) files: BTreeMap<PathBuf, Rewritten>,
    /// What could not be checked.
    pub(super) unread: Vec<Failure>,
    /// What was not done because the result would be worse.
    pub(super) refused: Vec<Failure>,
    /// Files with offers that the run was not asked to change, as shown.
    pub(super) others: BTreeSet<String>,
    /// Was there more to do after the last round?
    pub(super) unfinished: bool,
}

pub(super) struct Rewritten {
    pub(super) shown: String,
    pub(super) before: Arc<[u8]>,
    pub(super) now: Arc<[u8]>,
    /// How many findings it was for.
    pub(super) findings: usize,
}

impl Rewrite {
    pub(super) fn findings(&self) -> usize {
        self.files.values().map(|file| file.findings).sum()
    }
}

/// What is known of one script.
#[derive(Default)]
struct State {
    offers: Vec<(PathBuf, Offer)>,
    /// The files that it is made of.
    files: Vec<File>,
    /// How many errors of each rule are told.
    errors: BTreeMap<&'static str, usize>,
    failure: Option<Failure>,
}

struct File {
    path: PathBuf,
    shown: String,
    text: Arc<[u8]>,
    /// Which parts of it the script has.
    parts: Vec<Span>,
}

/// The rule that several scripts decide on together.
const UNUSED: &str = "unused-allow";

/// Where the text of standard input is kept.
pub(super) const STDIN: &str = "-";

/// Changes the subjects as the purpose says. `judged`: the included files of which every script that includes them is among the
/// subjects.
pub(super) fn run(
    session: &mut Session,
    subjects: &[Subject],
    purpose: Purpose,
    judged: &FxHashSet<PathBuf>,
) -> Rewrite {
    let keys: Vec<PathBuf> = subjects.iter().map(Subject::key).collect();
    let judged: FxHashSet<PathBuf> = judged.iter().map(|path| real(path)).collect();
    let look = Look { subjects, keys: &keys, purpose, judged: &judged };
    let own: FxHashSet<&PathBuf> = keys.iter().collect();
    let all: Vec<usize> = (0..subjects.len()).collect();
    if purpose == Purpose::Allow {
        look.count(session, &all);
    }
    let mut states = look.at(session, &all);
    let mut rewrite = Rewrite::default();
    // Files in which one fix goes wrong get the others one at a time.
    let mut careful: FxHashSet<PathBuf> = FxHashSet::default();
    let mut banned: FxHashSet<(PathBuf, Offer)> = FxHashSet::default();
    for round in 0.. {
        let mut chosen: BTreeMap<PathBuf, Vec<Offer>> = BTreeMap::new();
        for (path, mut offers) in agreed(&states, purpose) {
            offers.retain(|offer| !banned.contains(&(path.clone(), offer.clone())));
            if offers.is_empty() {
                continue;
            }
            if !own.contains(&path) {
                rewrite.others.extend(shown(&states, &path));
                continue;
            }
            let mut offers = fix::choose(offers);
            if careful.contains(&path) {
                let first = offers[0].edits.clone();
                offers.retain(|offer| offer.edits == first);
            }
            chosen.insert(path, offers);
        }
        if chosen.is_empty() || limits::FIX_ROUNDS <= round {
            rewrite.unfinished = !chosen.is_empty();
            break;
        }
        let mut before: BTreeMap<PathBuf, Arc<[u8]>> = BTreeMap::new();
        for (path, offers) in &chosen {
            let Some(file) = states.iter().flat_map(|state| &state.files).find(|file| file.path == *path) else {
                continue;
            };
            let (old, shown) = (file.text.clone(), file.shown.clone());
            let now: Arc<[u8]> = fix::apply(&old, offers).into();
            before.insert(path.clone(), old.clone());
            session.disk.change(path.clone(), now.clone());
            let new = || Rewritten { shown, before: old, now: now.clone(), findings: 0 };
            let rewritten = rewrite.files.entry(path.clone()).or_insert_with(new);
            rewritten.now = now.clone();
            rewritten.findings += offers.len();
        }
        // What made a script worse is taken back; that may need more than one step, as files are parts of several scripts.
        let mut changed: BTreeSet<PathBuf> = before.keys().cloned().collect();
        while !changed.is_empty() {
            let touched: Vec<usize> = (0..subjects.len())
                .filter(|&at| {
                    changed.contains(&keys[at]) || states[at].files.iter().any(|file| changed.contains(&file.path))
                })
                .collect();
            let fresh = look.at(session, &touched);
            let mut back: BTreeSet<PathBuf> = BTreeSet::new();
            for (&at, state) in touched.iter().zip(&fresh) {
                let Some(fault) = worse(&states[at], state) else { continue };
                let files = states[at].files.iter().map(|file| &file.path).chain([&keys[at]]);
                for path in files.filter(|path| before.contains_key(*path)) {
                    if back.insert(path.clone()) {
                        let offers = &chosen[path];
                        if offers.iter().all(|offer| offer.edits == offers[0].edits) {
                            rewrite
                                .refused
                                .extend(shown(&states, path).map(|path| refused(path, offers[0].rule, &fault)));
                            banned.extend(offers.iter().map(|offer| (path.clone(), offer.clone())));
                        }
                        careful.insert(path.clone());
                    }
                }
            }
            if back.is_empty() {
                for (at, state) in touched.into_iter().zip(fresh) {
                    states[at] = state;
                }
                break;
            }
            for path in &back {
                let Some(text) = before.remove(path) else { continue };
                if let Some(rewritten) = rewrite.files.get_mut(path) {
                    rewritten.now = text.clone();
                    rewritten.findings -= chosen[path].len();
                }
                session.disk.change(path.clone(), text);
            }
            // The rest is judged again, from where it was before this round.
            changed = before.keys().cloned().collect();
        }
    }
    rewrite.files.retain(|_, file| file.now != file.before);
    rewrite.unread = states.into_iter().filter_map(|state| state.failure).collect();
    rewrite
}

impl Subject<'_> {
    fn key(&self) -> PathBuf {
        match self {
            Subject::File(input) => real(&input.path),
            Subject::Text(_) => STDIN.into(),
        }
    }
}

/// The path without links.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// What each script is looked at with.
struct Look<'a> {
    subjects: &'a [Subject<'a>],
    keys: &'a [PathBuf],
    purpose: Purpose,
    judged: &'a FxHashSet<PathBuf>,
}

impl Look<'_> {
    fn at(&self, session: &Session, which: &[usize]) -> Vec<State> {
        session.each(which, |&at| match self.script(session, at) {
            Ok(Some(script)) => self.state(script, &self.keys[at]),
            Ok(None) => State::default(),
            Err(failure) => State { failure: Some(failure), ..State::default() },
        })
    }

    /// Counts what is found, each finding once, so that what a baseline has is known.
    fn count(&self, session: &Session, which: &[usize]) {
        let mut told: FxHashSet<(PathBuf, Span, &'static str)> = FxHashSet::default();
        for script in
            session.each(which, |&at| self.script(session, at).ok().flatten().filter(|one| one.ledger.is_some()))
        {
            let Some(Script { source, mut report, config, ledger: Some(ledger), .. }) = script else { continue };
            let paths: Vec<PathBuf> = source.files.iter().map(|file| real(Path::new(&*file.path))).collect();
            report.diagnostics.retain(|one| {
                let place = source.place(one.finding.span);
                told.insert((paths[place.file.0 as usize].clone(), place.span, one.rule.name))
            });
            ledger.count(&source, &report, &config, |_| false);
        }
    }

    fn script(&self, session: &Session, at: usize) -> Result<Option<Script>, Failure> {
        match &self.subjects[at] {
            Subject::File(input) => {
                let text = session.read(input)?;
                session.script(Some(&input.path), &input.shown, text, input.taken)
            }
            Subject::Text(text) => {
                let (path, shown) = session.stdin_name();
                let text = session.disk.changed(Path::new(STDIN)).map_or_else(|| text.clone(), |text| text.to_vec());
                session.script(path, &shown, text, !session.arguments.detect)
            }
        }
    }

    fn state(&self, script: Script, key: &Path) -> State {
        let Script { source, mut report, ledger, .. } = script;
        let source = &source;
        if let (Purpose::Allow, Some(ledger)) = (self.purpose, ledger) {
            ledger.hide(source, &mut report);
        }
        let path = |(at, file): (usize, &crate::source::File)| {
            if at == 0 { key.to_owned() } else { real(Path::new(&*file.path)) }
        };
        let paths: Vec<PathBuf> = source.files.iter().enumerate().map(path).collect();
        let path_of = |file: FileId| &paths[file.0 as usize];
        let judged = report.names.iter().filter_map(|name| name.unused.as_ref());
        let judged = judged.filter(|one| self.judged.contains(path_of(source.file_of(one.finding.span.start))));
        let offers = match self.purpose {
            Purpose::Fix(safety) => fix::offers(source, report.diagnostics.iter().chain(judged), safety),
            // What the other scripts have a say in is written apart from what this one needs.
            Purpose::Allow => [comments(source, report.diagnostics.iter()), comments(source, judged)].concat(),
        };
        let mut errors: BTreeMap<&'static str, usize> = BTreeMap::new();
        for one in report.diagnostics.iter().filter(|one| one.severity == Severity::Error) {
            *errors.entry(one.rule.name).or_default() += 1;
        }
        let files = source.files.iter().enumerate().map(|(at, file)| {
            let spans = source.spans_of(FileId(at as u32)).into_iter();
            let parts = spans.map(|span| source.place(span).span);
            File {
                path: paths[at].clone(),
                shown: file.path.to_string(),
                text: file.text.clone(),
                parts: parts.collect(),
            }
        });
        let offers = offers.into_iter().map(|(file, offer)| (path_of(file).clone(), offer)).collect();
        State { offers, files: files.collect(), errors, failure: None }
    }
}

/// The comments that allow what was found. A text that can't be parsed has none.
fn comments<'a>(source: &Source, found: impl Iterator<Item = &'a Diagnostic>) -> Vec<(FileId, Offer)> {
    let found = found.filter(|one| !matches!(one.rule.check, Check::Parse));
    let found: Vec<(&'static Rule, Span)> = found.map(|one| (one.rule, one.finding.span)).collect();
    let additions = if found.is_empty() { Vec::new() } else { add::additions(source, &found) };
    let offers = additions.into_iter().flat_map(|add::Addition { edit, findings }| {
        let offer =
            move |(rule, at): (&'static Rule, Span)| Offer::new(source, rule.name, at, std::slice::from_ref(&edit));
        findings.into_iter().filter_map(offer)
    });
    offers.collect()
}

/// What may be done to each file: a fix only where every script that has the place offers it.
fn agreed(states: &[State], purpose: Purpose) -> BTreeMap<PathBuf, Vec<Offer>> {
    let mut votes: FxHashMap<(&PathBuf, &Offer), usize> = FxHashMap::default();
    for (path, offer) in states.iter().flat_map(|state| &state.offers) {
        *votes.entry((path, offer)).or_default() += 1;
    }
    let mut parts: FxHashMap<&PathBuf, Vec<Span>> = FxHashMap::default();
    for file in states.iter().flat_map(|state| &state.files) {
        parts.entry(&file.path).or_default().extend(&file.parts);
    }
    let mut agreed: BTreeMap<PathBuf, Vec<Offer>> = BTreeMap::new();
    for ((path, offer), votes) in votes {
        let hull = offer.hull();
        let all = parts.get(path).into_iter().flatten().filter(|part| part.contains(hull)).count();
        let enough = match purpose {
            Purpose::Fix(_) => all <= votes,
            // What one script does not need another may.
            Purpose::Allow => offer.rule != UNUSED || all <= votes,
        };
        if enough {
            agreed.entry(path.clone()).or_default().push(offer.clone());
        }
    }
    agreed
}

/// The rule whose errors have become more, or that the script can't be checked any more.
fn worse(before: &State, now: &State) -> Option<String> {
    if now.failure.is_some() && before.failure.is_none() {
        return Some("could not be checked".into());
    }
    let more = now.errors.iter().find(|(rule, count)| before.errors.get(*rule).is_none_or(|before| before < *count));
    more.map(|(rule, _)| format!("would have a new error, `{rule}`"))
}

fn refused(path: String, rule: &str, fault: &str) -> Failure {
    Failure { path, message: format!("was not changed for `{rule}`: the result {fault}") }
}

/// How the path is written by the first script that has it.
fn shown(states: &[State], path: &Path) -> Option<String> {
    states.iter().flat_map(|state| &state.files).find(|file| file.path == path).map(|file| file.shown.clone())
}
