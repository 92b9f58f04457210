//! What a rule is and what it finds.
//!
//! A rule is one page and one function in `rules/CATEGORY/`; `rules/build.rs` turns every pair into a row of [`RULES`].

use std::{cmp::Ordering, collections::hash_map::Entry, hash::Hash};

use rustc_hash::FxHashMap;

use crate::{
    facts::Facts,
    source::{FileId, Source, Span},
    target::Target,
};

/// How bad a finding is. Ordered: `Info < Warning < Error`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    Info,
    Warning,
    /// It fails or is wrong on every run that reaches it.
    Error,
}

impl Severity {
    pub const ALL: [Severity; 3] = [Severity::Info, Severity::Warning, Severity::Error];

    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// Which rules are on without being named. Ordered: what `Recommended` has, `Strict` has too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Preset {
    Recommended,
    Strict,
}

impl Preset {
    pub const ALL: [Preset; 2] = [Preset::Recommended, Preset::Strict];

    pub fn name(self) -> &'static str {
        match self {
            Preset::Recommended => "recommended",
            Preset::Strict => "strict",
        }
    }
}

/// What a run of the bad example shows; the page's transcript proves it unless it is `None`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Effect {
    /// The script ends in an error.
    Raises,
    /// A condition or value is always the same.
    Constant,
    /// Data is lost or wrong.
    Lost,
    /// The server serves nobody else for long.
    Blocks,
    None,
}

/// Ordered: `Safe < Unsafe`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Safety {
    /// The script does the same, but for the fault.
    Safe,
    /// Somebody should look at the result.
    Unsafe,
}

impl Safety {
    pub fn name(self) -> &'static str {
        match self {
            Safety::Safe => "safe",
            Safety::Unsafe => "unsafe",
        }
    }
}

/// One row of the catalogue; all but `check` is the page's front matter.
pub struct Rule {
    pub name: &'static str,
    pub category: &'static str,
    pub summary: &'static str,
    pub severity: Severity,
    pub preset: Preset,
    /// The strongest fix that the rule offers.
    pub fix: Option<Safety>,
    pub effect: Effect,
    /// The Markdown below the front matter, marks in its examples included.
    pub page: &'static str,
    pub check: Check,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Rule) -> bool {
        self.name == other.name
    }
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Which stage finds a rule's findings.
#[derive(Clone, Copy)]
pub enum Check {
    Facts(fn(&Facts) -> Vec<Finding>),
    /// It is about what the script was made of, whether or not it is one.
    Include(fn(&Source) -> Vec<Finding>),
    /// `parse` finds it.
    Parse,
    /// `suppress` finds it.
    Suppress,
}

/// A second place that belongs to the story.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    pub span: Span,
    pub message: String,
    pub part: Part,
}

/// What part a label has in its story.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// A run passes it on its way to the fault or from there on.
    Step,
    /// A call through which a run comes to the fault.
    Call,
    /// It is no step: the same somewhere else, or what the fault is compared with.
    Aside,
}

/// Replaces the bytes of `span` by `text`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edit {
    pub span: Span,
    pub text: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    pub safety: Safety,
    pub edits: Vec<Edit>,
}

/// What one rule says about one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    pub span: Span,
    /// One sentence: lower case, no full stop, code in backticks.
    pub message: String,
    pub labels: Vec<Label>,
    /// What to write instead, as an order.
    pub help: Option<String>,
    pub fix: Option<Fix>,
    /// Replaces the rule's default severity; a severity set in the config wins over it.
    pub grade: Option<Severity>,
    /// Only shown in the strict preset, or where the config names the rule.
    pub strict: bool,
    /// The targets it holds for; empty: all.
    pub targets: Vec<Target>,
}

impl Finding {
    pub fn new(span: Span, message: impl Into<String>) -> Finding {
        Finding {
            span,
            message: message.into(),
            labels: Vec::new(),
            help: None,
            fix: None,
            grade: None,
            strict: false,
            targets: Vec::new(),
        }
    }

    /// Adds a step of the story.
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Finding {
        self.labels.push(Label { span, message: message.into(), part: Part::Step });
        self
    }

    /// Adds a place that is no step of the story.
    pub fn aside(mut self, span: Span, message: impl Into<String>) -> Finding {
        self.labels.push(Label { span, message: message.into(), part: Part::Aside });
        self
    }

    pub fn labels(mut self, labels: impl IntoIterator<Item = Label>) -> Finding {
        self.labels.extend(labels);
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Finding {
        self.help = Some(help.into());
        self
    }

    pub fn fix(mut self, safety: Safety, edits: Vec<Edit>) -> Finding {
        self.fix = Some(Fix { safety, edits });
        self
    }

    pub fn grade(mut self, severity: Severity) -> Finding {
        self.grade = Some(severity);
        self
    }

    pub fn strict(mut self) -> Finding {
        self.strict = true;
        self
    }
}

/// One finding for each root cause: at its first place in the text, the other places as labels.
pub(crate) fn one_per_root<K: Eq + Hash>(found: impl IntoIterator<Item = (K, Finding)>, also: &str) -> Vec<Finding> {
    let mut found: Vec<(K, Finding)> = found.into_iter().collect();
    found.sort_by_key(|(_, finding)| finding.span.start);
    let mut firsts: Vec<Finding> = Vec::new();
    let mut by_cause: FxHashMap<K, usize> = FxHashMap::default();
    for (cause, finding) in found {
        match by_cause.entry(cause) {
            Entry::Occupied(entry) => {
                let first = &mut firsts[*entry.get()];
                if first.span != finding.span {
                    first.labels.push(Label { span: finding.span, message: also.into(), part: Part::Aside });
                }
            }
            Entry::Vacant(entry) => {
                entry.insert(firsts.len());
                firsts.push(finding);
            }
        }
    }
    firsts
}

/// A finding that is to be shown, with the severity that the config gives it.
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnostic {
    pub rule: &'static Rule,
    pub severity: Severity,
    pub finding: Finding,
}

impl Diagnostic {
    /// The order in every output: the script's own file before those that it includes, by position, then rule.
    pub fn order(&self, other: &Diagnostic, source: &Source) -> Ordering {
        let place = |one: &Diagnostic| source.place(one.finding.span);
        let (one, two) = (place(self), place(other));
        let path = |file: FileId| (file != FileId::MAIN).then(|| &source.files[file.0 as usize].path);
        let files = if one.file == two.file { Ordering::Equal } else { path(one.file).cmp(&path(two.file)) };
        files
            .then_with(|| {
                (one.span.start, one.span.end, self.rule.name).cmp(&(two.span.start, two.span.end, other.rule.name))
            })
            .then_with(|| self.finding.message.cmp(&other.finding.message))
    }
}

include!(concat!(env!("OUT_DIR"), "/rules.rs"));

/// The rule of that name.
pub fn rule(name: &str) -> Option<&'static Rule> {
    RULES.binary_search_by(|rule| rule.name.cmp(name)).ok().map(|at| &RULES[at])
}

/// Is this the name of a category?
pub fn is_category(name: &str) -> bool {
    RULES.iter().any(|rule| rule.category == name)
}
