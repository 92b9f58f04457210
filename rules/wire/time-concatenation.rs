use crate::{
    facts::{Facts, Form, Root},
    ir::{BinaryOp, Const, Number, Op, ValueId},
    magnitude,
    origin::{Origin, OriginId},
    rule::{Finding, one_per_root},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    for root in &facts.roots {
        if !root.events().iter().any(|event| event.command.is_some_and(|command| command.name == "TIME")) {
            continue;
        }
        let joined = root.all(Form::Binary).filter_map(|at| joined(facts, root, at));
        found.extend(joined.chain(root.calls_of("table.concat").filter_map(|at| concatenated(facts, root, at))));
    }
    one_per_root(found, "here too")
}

/// `t[1] .. t[2]` and, where it is taken for a number, `t[1] .. '.' .. t[2]`.
fn joined(facts: &Facts, root: &Root, at: ValueId) -> Option<(OriginId, Finding)> {
    let Op::Binary(BinaryOp::Concat, left, right) = *root.op(at) else { return None };
    let seconds = last(root, left);
    let time = part(facts, root, root.origin(seconds), 1.0)?;
    let (first, rest) = first(root, right);
    let dotted = facts.text(root.value(first)) == Some(b".");
    let micros = if dotted { self::first(root, rest?).0 } else { first };
    if part(facts, root, root.origin(micros), 2.0)? != time || (dotted && !is_number(facts, root, at)) {
        return None;
    }
    Some((time, no_time(facts, root, at)))
}

fn no_time(facts: &Facts, root: &Root, at: ValueId) -> Finding {
    let shown = facts.snippet(root, at);
    let message = format!(
        "`{shown}` is no time: the microseconds have no leading zeros, so that later times may read as smaller"
    );
    Finding::new(root.span(at), message)
        .help("compute it, `t[1] * 1000000 + t[2]`, or pad it, `string.format('%s%06d', t[1], t[2])`")
        .labels(root.call_labels(at))
}

/// `table.concat(t)` of the whole reply.
fn concatenated(facts: &Facts, root: &Root, at: ValueId) -> Option<(OriginId, Finding)> {
    let Op::Call { args, .. } = root.op(at) else { return None };
    let time = root.origin(*args.first()?);
    let plain = args.get(1).is_none_or(|&separator| facts.text(root.value(separator)) == Some(b""));
    if !plain || !magnitude::is_time(facts, root, time) {
        return None;
    }
    Some((facts.origins.present(time), no_time(facts, root, at)))
}

/// TIME's reply, if the value is this part of it.
fn part(facts: &Facts, root: &Root, origin: OriginId, number: f64) -> Option<OriginId> {
    let Origin::Index(base, key) = *facts.origins.get(facts.origins.present(origin)) else { return None };
    let is_it = facts.origins.constant(key) == Some(Const::Number(Number::new(number)));
    (is_it && magnitude::is_time(facts, root, base)).then_some(base)
}

/// The last piece of a concatenation.
fn last(root: &Root, mut at: ValueId) -> ValueId {
    while let Op::Binary(BinaryOp::Concat, _, right) = *root.op(at) {
        at = right;
    }
    at
}

/// The first piece of a concatenation, and what follows.
fn first(root: &Root, at: ValueId) -> (ValueId, Option<ValueId>) {
    match *root.op(at) {
        Op::Binary(BinaryOp::Concat, left, right) => (left, Some(right)),
        _ => (at, None),
    }
}

/// Is the text converted, or sent where a command takes a number?
fn is_number(facts: &Facts, root: &Root, at: ValueId) -> bool {
    let text = root.origin(at);
    let is_it = |value: ValueId| text != OriginId::UNKNOWN && root.origin(value) == text;
    root.all(Form::Binary).chain(root.all(Form::Call)).any(|user| match root.op(user) {
        Op::Binary(op, a, b) => (op.is_arithmetic() || op.is_order()) && (is_it(*a) || is_it(*b)),
        Op::Call { args, .. } => match root.event(user) {
            Some(event) => {
                event.args.iter().any(|arg| arg.takes.is_some_and(|takes| takes.is_number()) && is_it(arg.at))
            }
            None => root.callee(facts, user) == Some("tonumber") && args.first().is_some_and(|&arg| is_it(arg)),
        },
        _ => false,
    })
}
