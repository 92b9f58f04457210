//! How often each rule was found, and how much in each file.

use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};

use crate::{
    Report,
    render::{human::printable, plural},
    source::Source,
};

/// Files that are listed if not all are asked for.
const FILES: usize = 20;

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Detail {
    Rules,
    /// Files too, for `--statistics`: that takes memory for each of them.
    Files,
}

/// Counts of a script or of a run.
#[derive(Default)]
pub(super) struct Statistics {
    rules: BTreeMap<&'static str, u32>,
    files: BTreeMap<Arc<str>, u32>,
}

impl Statistics {
    pub(super) fn of(source: &Source, report: &Report, detail: Detail) -> Statistics {
        let mut counts = Statistics::default();
        for one in &report.diagnostics {
            *counts.rules.entry(one.rule.name).or_default() += 1;
            if detail == Detail::Files {
                let file = source.file_of(one.finding.span.start);
                *counts.files.entry(source.files[file.0 as usize].path.clone()).or_default() += 1;
            }
        }
        counts
    }

    pub(super) fn add(&mut self, other: Statistics) {
        for (rule, count) in other.rules {
            *self.rules.entry(rule).or_default() += count;
        }
        for (path, count) in other.files {
            *self.files.entry(path).or_default() += count;
        }
    }

    /// Was the rule found?
    pub(super) fn has(&self, rule: &str) -> bool {
        self.rules.contains_key(rule)
    }

    /// A line a rule, then a line a file, those with the most findings first.
    pub(super) fn lines(&self, all: bool) -> Vec<String> {
        let mut lines: Vec<String> = sorted(&self.rules).map(|(count, rule)| format!("{count:6}  {rule}")).collect();
        let shown = if all { usize::MAX } else { FILES };
        lines.extend(sorted(&self.files).take(shown).map(|(count, path)| format!("{count:6}  {}", printable(&path))));
        let more = self.files.len().saturating_sub(shown);
        if more != 0 {
            lines.push(format!("{:6}  in {}; --verbose shows all", "", plural(more as u32, "more file")));
        }
        lines
    }
}

fn sorted<K: Ord + Clone>(counts: &BTreeMap<K, u32>) -> impl Iterator<Item = (u32, K)> {
    let mut sorted: Vec<_> = counts.iter().map(|(key, &count)| (Reverse(count), key.clone())).collect();
    sorted.sort();
    sorted.into_iter().map(|(Reverse(count), key)| (count, key))
}
