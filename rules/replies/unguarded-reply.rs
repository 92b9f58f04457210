use rustc_hash::FxHashSet;

use crate::{
    absence::{self, Need, Use},
    events::{Event, Protection},
    facts::{Facts, Root},
    ir::{Op, ValueId},
    rule::Finding,
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        let mut told = FxHashSet::default();
        for &(at, need) in root.needs(facts) {
            if let Some((event, finding)) = unguarded(facts, root, at, need)
                && told.insert(event.at)
            {
                findings.push(finding);
            }
        }
    }
    findings
}

fn unguarded<'a>(facts: &Facts, root: &'a Root, at: ValueId, need: Need) -> Option<(&'a Event, Finding)> {
    let event = absence::absent(facts, root, need.value)?;
    // What the caught error is, is another story.
    let caught = event.protection != Protection::None || root.is_protected(at);
    if caught || always_raises(root, at, need) || absence::is_known_present(facts, root, event, need.at) {
        return None;
    }
    let shown = facts.snippet(root, need.at);
    let name = event.shown_name();
    let message = format!("`{shown}` may be false, then {}: {name} gives false if there is nothing", need.what.fails());
    let mut finding = Finding::new(root.span(need.at), message);
    if root.span(event.at) != root.span(need.at) {
        finding = finding.label(root.span(event.at), format!("the reply of {name}"));
    }
    finding.labels.extend(root.call_labels(at));
    Some((event, finding.help("test it first, or give a default with `or`")))
}

/// A string or false and a number are never ordered: `mismatched-comparison` tells it.
fn always_raises(root: &Root, at: ValueId, need: Need) -> bool {
    let Op::Binary(_, a, b) = *root.op(at) else { return false };
    let other = root.value(if a == need.at { b } else { a }).kinds;
    need.what == Use::Comparison
        && !need.value.kinds.may_be(Kinds::NUMBER)
        && other.within(Kinds::NUMBER.or(Kinds::NIL))
}
