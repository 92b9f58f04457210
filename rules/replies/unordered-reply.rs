use crate::{
    chains,
    facts::{Facts, Form, Root},
    ir::{Op, ValueId},
    origin::{Origin, OriginId},
    rule::Finding,
    value::Interval,
};

/// Commands that answer in no order that means anything.
const UNORDERED: [&str; 7] = ["HKEYS", "HVALS", "KEYS", "SDIFF", "SINTER", "SMEMBERS", "SUNION"];

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        findings.extend(root.all(Form::Index).filter_map(|at| unordered(facts, root, at)));
    }
    findings
}

/// `reply[1]` as a value; as a condition it only tells whether there is any.
fn unordered(facts: &Facts, root: &Root, at: ValueId) -> Option<Finding> {
    let Op::Index(base, key) = *root.op(at) else { return None };
    facts.number(root.value(key))?;
    let origin = facts.origins.present(root.origin(base));
    let Origin::Reply(call) = *facts.origins.get(origin) else { return None };
    let event = root.event(call)?;
    let name = event.shown_name();
    if !UNORDERED.contains(&name)
        || !root.is_read(at)
        || is_sorted(facts, root, origin)
        || is_single(facts, root, origin)
    {
        return None;
    }
    let only_tests = root.users(at).iter().all(|&one| matches!(root.op(one), Op::Not(_) | Op::Binary(..)));
    if only_tests && (!root.ends_block(at) || chains::is_condition(root, at)) {
        return None;
    }
    let message = format!("`{}` is any element: {name} answers in no order", facts.snippet(root, at));
    let finding = Finding::new(root.span(at), message)
        .help("sort the reply first, or ask for any one on purpose: SRANDMEMBER, SPOP");
    Some(Finding { labels: root.call_labels(at), ..finding })
}

fn is_sorted(facts: &Facts, root: &Root, origin: OriginId) -> bool {
    root.calls_of("table.sort").any(|at| match root.op(at) {
        Op::Call { args, .. } => args.first().is_some_and(|&arg| facts.origins.present(root.origin(arg)) == origin),
        _ => false,
    })
}

/// Does the script ask for its length? Of one element there is no order.
fn is_single(facts: &Facts, root: &Root, origin: OriginId) -> bool {
    root.all(Form::Binary).any(|at| {
        let one = |value: ValueId| root.value(value).range == Interval::new(1, 1);
        matches!(*root.op(at), Op::Binary(_, a, b) if [(a, b), (b, a)].into_iter().any(|(length, number)| {
            matches!(*facts.origins.get(root.origin(length)), Origin::Length(of) if facts.origins.present(of) == origin) && one(number)
        }))
    })
}
