use crate::{
    events::{Event, Protection},
    facts::{Facts, Root},
    ir::{BinaryOp, Op, Terminator, ValueId},
    origin::{Origin, OriginId},
    rule::Finding,
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for event in root.events() {
            findings.extend(match event.protection {
                Protection::None => None,
                Protection::Reply => unchecked_reply(facts, root, event),
                Protection::Caught => ignored_outcome(root, event),
            });
        }
    }
    findings
}

/// `pcall(redis.call, ...)` whose first result nobody reads.
fn ignored_outcome(root: &Root, event: &Event) -> Option<Finding> {
    if is_read(root, event.at) {
        return None;
    }
    let name = event.shown_name();
    let finding = Finding::new(root.span(event.at), format!("nobody looks whether {name} failed"))
        .help("test the first result of `pcall`, or use `redis.call` so that an error ends the script");
    Some(removal(event, finding.labels(root.call_labels(event.at))))
}

/// A removal that fails leaves behind what was there: many scripts don't care.
fn removal(event: &Event, finding: Finding) -> Finding {
    let name = event.shown_name();
    let removes = matches!(name, "DEL" | "UNLINK") || name.ends_with("REM") || name == "HDEL";
    if removes { finding.strict() } else { finding }
}

/// Is the value used by more than assignments to locals that nobody reads?
fn is_read(root: &Root, value: ValueId) -> bool {
    let mut locals = Vec::new();
    let reads = |at: ValueId| {
        let mut found = false;
        root.op(at).operands(|operand| found |= operand == value);
        found
    };
    for at in root.insts() {
        match root.op(at) {
            Op::Set(local, new) if *new == value => locals.push(*local),
            _ if reads(at) => return true,
            _ => {}
        }
    }
    let ends = root.blocks().any(|block| match &root.function.block(block).end {
        Terminator::Branch { cond, .. } => *cond == value,
        Terminator::Return { values, .. } => values.contains(&value),
        Terminator::Goto(_) | Terminator::Raise => false,
    });
    ends || root.insts().any(|at| matches!(root.op(at), Op::Get(local) if locals.contains(local)))
}

fn unchecked_reply(facts: &Facts, root: &Root, event: &Event) -> Option<Finding> {
    let name = event.shown_name();
    if !is_read(root, event.at) {
        let finding = Finding::new(
            root.span(event.at),
            format!("an error of {name} is dropped: nobody looks at what `redis.pcall` gives"),
        )
        .help("test `.err` of the reply, or use `redis.call` so that an error ends the script");
        return Some(removal(event, finding.labels(root.call_labels(event.at))));
    }
    let is_it = |value: ValueId| is_error(facts, root, value, event);
    let looks = root.insts().any(|at| {
        matches!(root.op(at), Op::Index(base, key)
        if facts.origins.reply(root.origin(*base)) == Some(event.at) && is_outcome(facts, root, *key))
    });
    let used = root.insts().find_map(|at| match root.op(at) {
        Op::Index(base, key) if is_it(*base) && !is_outcome(facts, root, *key) => Some(*base),
        Op::Binary(op, a, b) if !matches!(op, BinaryOp::Eq | BinaryOp::Ne) => {
            [*a, *b].into_iter().find(|&value| is_it(value))
        }
        Op::Length(of) | Op::Negate(of) => Some(*of).filter(|&value| is_it(value)),
        Op::Call { args, .. } => {
            // A builtin that takes anything (`type`) is a test, a function that isn't seen may be.
            let callee = root.callee(facts, at)?;
            let tests = matches!(
                callee,
                "type" | "tostring" | "assert" | "redis.log" | "cjson.encode" | "pcall" | "unpack" | "select"
            );
            args.iter().copied().find(|&value| !tests && is_it(value))
        }
        _ => None,
    });
    let tested = || {
        root.blocks().find_map(|block| match root.function.block(block).end {
            Terminator::Branch { cond, .. } if !looks && is_it(cond) => Some(cond),
            Terminator::Branch { .. } | Terminator::Goto(_) | Terminator::Return { .. } | Terminator::Raise => None,
        })
    };
    let (at, message) = match (used, tested()) {
        (Some(used), _) => {
            (used, format!("`{}` may be the error of {name}: nothing tested `.err`", facts.snippet(root, used)))
        }
        (None, Some(cond)) => {
            (cond, format!("`{}` is true for an error of {name} too: an error is a table", facts.snippet(root, cond)))
        }
        (None, None) => return None,
    };
    let finding = Finding::new(root.span(at), message)
        .label(root.span(event.at), "an error comes back as a table with `err`")
        .help("test it first: `if type(reply) == 'table' and reply.err then return reply end`");
    Some(finding.labels(root.call_labels(at)))
}

/// `err` or `ok`: looking at either tells an error from a reply.
fn is_outcome(facts: &Facts, root: &Root, key: ValueId) -> bool {
    matches!(facts.text(root.value(key)), Some(b"err" | b"ok"))
}

/// Is it the call's reply itself, and may it still be an error here?
fn is_error(facts: &Facts, root: &Root, value: ValueId, event: &Event) -> bool {
    let known = root.value(value);
    let origin: OriginId = facts.origins.present(known.origin);
    *facts.origins.get(origin) == Origin::Reply(event.at) && known.kinds.may_be(Kinds::ERROR)
}
