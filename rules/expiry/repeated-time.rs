use crate::{
    events::Event,
    facts::{Facts, Form, Root},
    graph::Order,
    ir::{BinaryOp, Op, ValueId},
    origin::OriginId,
    rule::{Finding, one_per_root},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    for root in &facts.roots {
        let reads = root.events().iter().filter(|event| is_clock(event)).count();
        if reads < 2 {
            continue;
        }
        for at in root.all(Form::Binary) {
            let Op::Binary(op, a, b) = *root.op(at) else { continue };
            if op != BinaryOp::Sub && !op.is_comparison() {
                continue;
            }
            found.extend(compared(facts, root, at, [a, b]));
        }
    }
    one_per_root(found, "compared here too")
}

fn is_clock(event: &Event) -> bool {
    event.command.is_some_and(|command| matches!(command.name, "TIME" | "TTL" | "PTTL" | "EXPIRETIME" | "PEXPIRETIME"))
}

fn compared(facts: &Facts, root: &Root, at: ValueId, [a, b]: [ValueId; 2]) -> Option<(ValueId, Finding)> {
    let (one, other) = (clock(facts, root, a)?, clock(facts, root, b)?);
    let key = |event: &Event| event.args.first().map(|arg| arg.value.origin);
    if one.at == other.at
        || one.command != other.command
        || key(one) != key(other)
        || key(one) == Some(OriginId::UNKNOWN)
    {
        return None;
    }
    let (first, second) = if root.before(one.at, other.at) == Order::Never { (other, one) } else { (one, other) };
    // What was written in between may have changed it.
    let changed = second.command?.name != "TIME"
        && root.writes().any(|write| {
            let touches = write.key_args().any(|(_, arg)| Some(arg.value.origin) == key(first)) || write.keys_partial;
            touches
                && root.before(first.at, write.at) != Order::Never
                && root.before(write.at, second.at) != Order::Never
        });
    if changed {
        return None;
    }
    let name = second.shown_name();
    let message = format!("this {name} answers what the first one did: from 7.2 on time stands still in a script");
    let finding = Finding::new(root.span(second.at), message)
        .label(root.span(first.at), "the first")
        .label(root.span(at), "compared here")
        .help("read it once, and measure time outside of the script")
        .labels(root.call_labels(second.at));
    Some((second.at, finding))
}

/// The one read of a clock that the value is computed from.
fn clock<'a>(facts: &Facts, root: &'a Root, value: ValueId) -> Option<&'a Event> {
    let mut found: Option<&Event> = None;
    let mut several = false;
    facts.origins.leaves(root.origin(value), &mut |leaf, _| {
        if let Some(event) = facts.origins.reply(leaf).and_then(|at| root.event(at)) {
            several |= !is_clock(event) || found.is_some_and(|known| known.at != event.at);
            found = Some(event);
        }
    });
    found.filter(|_| !several)
}
