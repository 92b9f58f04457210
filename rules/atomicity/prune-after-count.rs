use rustc_hash::FxHashSet;

use crate::{
    events::Event,
    expiry,
    facts::{Facts, Root},
    graph::Order,
    ir::{Op, Terminator, ValueId},
    rule::{Finding, one_per_root},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    for root in &facts.roots {
        let prunes = |event: &&Event| expiry::name(event) == "ZREMRANGEBYSCORE";
        let Some(_) = root.events().iter().find(prunes) else { continue };
        let deciding = deciding(facts, root);
        for count in root.events().iter().filter(|event| deciding.contains(&event.at)) {
            found.extend(late(facts, root, count).map(|finding| (count.at, finding)));
        }
    }
    one_per_root(found, "counted here too")
}

/// The calls whose replies are held against a limit.
fn deciding(facts: &Facts, root: &Root) -> FxHashSet<ValueId> {
    let mut deciding = FxHashSet::default();
    for block in root.blocks() {
        let Terminator::Branch { cond, .. } = root.function.block(block).end else { continue };
        let Op::Binary(op, a, b) = *root.op(cond) else { continue };
        // Whether there is anything at all is another question.
        let is_zero = |value| facts.number(root.value(value)) == Some(0.0);
        if !op.is_order() || is_zero(a) || is_zero(b) {
            continue;
        }
        facts.origins.leaves(root.origin(cond), &mut |leaf, _| deciding.extend(facts.origins.reply(leaf)));
    }
    deciding
}

/// A count that decides, of a set whose expired members are only removed later.
fn late(facts: &Facts, root: &Root, count: &Event) -> Option<Finding> {
    if expiry::name(count) != "ZCARD" {
        return None;
    }
    let key = expiry::key(facts, count)?;
    // It is a window only if something is added; else the removal may take what was worked on.
    let uses = expiry::uses(facts, root, key)?.map(|(event, _)| event);
    if !uses.clone().any(|event| expiry::name(event) == "ZADD") {
        return None;
    }
    let mut prunes = uses.filter(|event| expiry::name(event) == "ZREMRANGEBYSCORE").peekable();
    let first = *prunes.peek()?;
    // Of a loop's rounds the one before has pruned.
    if prunes.any(|prune| expiry::may_precede(root, prune, count)) || root.before(count.at, first.at) == Order::Never {
        return None;
    }
    let message = "ZCARD counts expired members too: they are only removed later";
    let finding = Finding::new(root.span(count.at), message)
        .label(root.span(first.at), "removed here")
        .help("call ZREMRANGEBYSCORE first, or count with ZCOUNT");
    Some(finding.labels(root.call_labels(count.at)))
}
