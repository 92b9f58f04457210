use rustc_hash::FxHashSet;

use crate::{
    facts::{Facts, Root},
    graph::Order,
    ir::ValueId,
    keys::{self, Base, Nature, Use},
    origin::{Input, OriginId},
    rule::{Finding, Severity},
    slots::Hashed,
    source::Span,
};

/// A key whose slot is known, as far as one can be.
struct Known {
    hashed: Hashed,
    /// Which call uses it.
    event: ValueId,
    span: Span,
    shown: String,
    /// Does only a comment or the config say its name?
    told: bool,
}

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    if facts.cluster == Some(false) {
        return Vec::new();
    }
    let mut findings: Vec<Finding> = Vec::new();
    for root in &facts.roots {
        if let Some(finding) = first_pair(facts, root)
            && !findings.iter().any(|known| known.span == finding.span)
        {
            findings.push(finding);
        }
    }
    findings
}

/// Kinds of keys that are compared with each other; real scripts have a handful.
const COMPARED: usize = 32;

/// The first two keys of one run that are not in one slot.
fn first_pair(facts: &Facts, root: &Root) -> Option<Finding> {
    let mut known = known_keys(facts, root);
    known.sort_by_key(|key| key.span);
    let mut seen: Vec<&Known> = Vec::new();
    for second in &known {
        // Two keys on different paths are no two keys of one run.
        let meets = |first: &Known| {
            first.event == second.event
                || root.before(first.event, second.event) != Order::Never
                || root.before(second.event, first.event) != Order::Never
        };
        let apart = |first: &Known| first.hashed.same_slot(&second.hashed) == Some(false);
        // KEYS has to be of one slot, used or not.
        if let Some(first) = seen.iter().find(|first| apart(first) && (first.told && second.told || meets(first))) {
            return Some(pair(facts, first, second));
        }
        if seen.len() < COMPARED
            && !seen.iter().any(|first| first.event == second.event && first.hashed == second.hashed)
        {
            seen.push(second);
        }
    }
    None
}

fn known_keys(facts: &Facts, root: &Root) -> Vec<Known> {
    let mut known: Vec<Known> = Vec::new();
    let mut names: FxHashSet<OriginId> = FxHashSet::default();
    for one in keys::uses(facts, root) {
        let Some(class) = one.class else { continue };
        let is_element = matches!(facts.origins.element(one.origin()), Some((Input::Keys, _)));
        let counts = match class.nature {
            Nature::Declared => is_element,
            // Of a key made of one of KEYS `derived-key` tells whether it is in that one's slot.
            Nature::Raw | Nature::Built => class.base != Base::Key,
            Nature::Scanned => false,
        };
        if !counts || !names.insert(one.origin()) {
            continue;
        }
        let Some(pattern) = keys::pattern(facts, one.origin()) else { continue };
        let Some(hashed) = pattern.hashed() else { continue };
        known.push(Known {
            hashed,
            event: one.event.at,
            span: one.span(),
            shown: shown(facts, &one, &pattern.shown()),
            told: class.nature == Nature::Declared,
        });
    }
    known
}

fn shown(facts: &Facts, one: &Use, pattern: &str) -> String {
    let name = facts.show(one.root, one.arg.at);
    match facts.origins.element(one.origin()) {
        Some(_) => format!("`{name}` (`{pattern}`)"),
        None => format!("`{name}`"),
    }
}

fn pair(facts: &Facts, first: &Known, second: &Known) -> Finding {
    let message = format!("on a cluster {} and {} are not in one slot", first.shown, second.shown);
    let tag = |key: &Known| match key.hashed.slot() {
        Some(slot) => format!("slot {slot}"),
        None if key.hashed.is_tag => format!("its slot is that of the tag `{}`", key.hashed.shown()),
        None => "its slot is that of the whole name".into(),
    };
    let finding = Finding::new(second.span, message)
        .aside(first.span, tag(first))
        .aside(second.span, tag(second))
        .help("give both the same hash tag, like `{id}`, or use them in two scripts");
    match facts.cluster {
        Some(true) => finding.grade(Severity::Error),
        _ if first.told || second.told => finding.grade(Severity::Info),
        _ => finding,
    }
}
