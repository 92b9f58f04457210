use rustc_hash::FxHashSet;

use crate::{
    events::Event,
    expiry,
    facts::{Facts, Root},
    ir::{BlockId, Op, Terminator, ValueId},
    origin::{Input, Origin, OriginId},
    rule::Finding,
    source::Span,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in facts.roots.iter().filter(|root| root.is_whole()) {
        findings.extend(root.events().iter().filter_map(|counter| without(facts, root, counter)));
    }
    findings
}

fn without(facts: &Facts, root: &Root, counter: &Event) -> Option<Finding> {
    if !expiry::counts(counter) || !counter.raises() {
        return None;
    }
    let key = expiry::key(facts, counter)?;
    let mut uses = expiry::uses(facts, root, key)?;
    let (given, _) = uses.clone().find(|(_, gives)| *gives)?;
    // It was looked at, or made, before.
    if uses.any(|(event, _)| event.at != counter.at && expiry::may_precede(root, event, counter)) {
        return None;
    }
    let exit = exit_without(facts, root, counter, key)?;
    let name = counter.shown_name();
    let message = format!("a path from {name} to the end gives the counter no expiry: it may count for ever");
    let finding = Finding::new(root.span(counter.at), message)
        .label(exit, "the script ends here")
        .label(root.span(given.at), "the expiry is given here")
        .help(format!("call {} right after {name}, if {name} gives 1", given.shown_name()));
    Some(finding.labels(root.call_labels(counter.at)))
}

/// Where the script can end before anything is done about the key, on a path that nothing about the counter decides.
fn exit_without(facts: &Facts, root: &Root, counter: &Event, key: OriginId) -> Option<Span> {
    let start = root.block_of(counter.at)?;
    let insts = &root.function.block(start).insts;
    let from = insts.iter().position(|&at| at == counter.at)? + 1;
    let mut seen = FxHashSet::default();
    let mut work = vec![(start, from)];
    while let Some((id, from)) = work.pop() {
        let block = root.function.block(id);
        if block.insts[from..].iter().any(|&at| may_settle(facts, root, at, key)) {
            continue;
        }
        match &block.end {
            Terminator::Return { span, .. } => return Some(*span),
            Terminator::Raise => {}
            Terminator::Branch { cond, .. } if decides(facts, root, *cond, counter, key) => {}
            Terminator::Goto(_) | Terminator::Branch { .. } => {
                let next = block.end.successors().filter(|&to| root.is_reached(to) && seen.insert(to));
                work.extend(next.map(|to: BlockId| (to, 0)));
            }
        }
    }
    None
}

/// May the instruction give the key an expiry, remove it, or ask about it: is it a call about the key, or one of which nobody knows?
fn may_settle(facts: &Facts, root: &Root, at: ValueId, key: OriginId) -> bool {
    if let Some(event) = root.event(at) {
        let about = event.key_args().any(|(_, arg)| arg.spread.is_some() || arg.value.origin == key);
        return about || event.command.is_none() || event.keys_partial;
    }
    matches!(root.op(at), Op::Call { .. }) && root.callee(facts, at).is_none()
}

/// Does the condition ask about the counter or its key, or for a mode that the caller chose?
fn decides(facts: &Facts, root: &Root, cond: ValueId, counter: &Event, key: OriginId) -> bool {
    let mut found = false;
    facts.origins.leaves(root.origin(cond), &mut |leaf, origin| {
        let reply = facts.origins.reply(leaf).and_then(|at| root.event(at));
        let about = reply.is_some_and(|event| event.at == counter.at || expiry::key(facts, event) == Some(key));
        let chosen = matches!(facts.origins.element(leaf), Some((Input::Argv, _)));
        found |= about || chosen || matches!(origin, Origin::Unknown | Origin::Opaque(_) | Origin::Phi(..));
    });
    found
}
