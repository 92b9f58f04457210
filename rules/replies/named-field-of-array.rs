use crate::{
    commands::Shape,
    facts::{Facts, Form, Root},
    ir::{BinaryOp, LoopKind, Op, ValueId},
    origin::Origin,
    rule::Finding,
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        findings.extend(root.all(Form::Index).filter_map(|at| named_field(facts, root, at)));
        for one in &root.function.loops {
            if let LoopKind::Generic { step } = one.kind {
                findings.extend(index_as_name(facts, root, step));
            }
        }
    }
    findings
}

/// `reply.field`
fn named_field(facts: &Facts, root: &Root, at: ValueId) -> Option<Finding> {
    let Op::Index(base, key) = *root.op(at) else { return None };
    let value = root.value(base);
    let name = String::from_utf8_lossy(facts.text(root.value(key))?).into_owned();
    let array = value.kinds.may_be(Kinds::TABLE) && value.kinds.within(Kinds::TABLE.or(Kinds::FALSY));
    let call = facts.origins.reply(value.origin)?;
    let event = root.event(call)?;
    if !array || root.block_of(at).is_none() {
        return None;
    }
    if event.reply.shape == Shape::Named && matches!(name.as_str(), "map" | "set" | "double") {
        return None;
    }
    let shown = facts.snippet(root, at);
    let command = event.shown_name();
    let finding = Finding::new(root.span(at), format!("`{shown}` is always nil: {command} gives an array"));
    let finding = match event.reply.shape {
        Shape::Pairs => finding.help(format!("look for `{name}` among the names at 1, 3, 5, or read the one field")),
        Shape::Named => finding.help(format!("read the reply's own field first: `.map.{name}`")),
        Shape::Flat | Shape::Nested => finding.help("read the element by its number"),
    };
    let finding = match root.span(call) == root.span(base) {
        true => finding,
        false => finding.label(root.span(call), format!("the reply of {command}")),
    };
    Some(Finding { labels: finding.labels.into_iter().chain(root.call_labels(at)).collect(), ..finding })
}

/// `for name, value in pairs(reply)` where the name is used as one: it is 1, 2, 3.
fn index_as_name(facts: &Facts, root: &Root, step: ValueId) -> Option<Finding> {
    let Op::Call { callee, .. } = root.op(step) else { return None };
    let Origin::Apply(iterator, parts, 0) = facts.origins.get(root.origin(*callee)) else { return None };
    let Origin::Reply(call) = *facts.origins.get(facts.origins.present(*parts.first()?)) else { return None };
    let event = root.event(call)?;
    if !matches!(iterator.name(), "pairs" | "ipairs")
        || event.reply.shape != Shape::Pairs
        || event.reply.kinds == Kinds::ANY
    {
        return None;
    }
    let origin = root.origin(step);
    let is_name =
        |value: ValueId| facts.origins.present(root.origin(value)) == facts.origins.present(origin) && value != step;
    let used = root.insts().find_map(|at| match root.op(at) {
        Op::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) => {
            let compared = |one: ValueId, other: ValueId| is_name(one) && facts.text(root.value(other)).is_some();
            [(*a, *b), (*b, *a)].into_iter().find(|&(one, other)| compared(one, other)).map(|(one, _)| one)
        }
        Op::Binary(BinaryOp::Concat, a, b) => [*a, *b].into_iter().find(|&value| is_name(value)),
        Op::Call { .. } => root.event(at)?.args.iter().map(|arg| arg.at).find(|&value| is_name(value)),
        _ => None,
    })?;
    let (shown, name) = (facts.snippet(root, used), event.shown_name());
    let finding = Finding::new(
        root.span(used),
        format!("`{shown}` is 1, 2, 3, not a name: {name} gives names and values in turn"),
    )
    .label(root.span(call), format!("the reply of {name}"))
    .help("go by two: `for i = 1, #reply, 2 do local name, value = reply[i], reply[i + 1]`");
    Some(Finding { labels: finding.labels.into_iter().chain(root.call_labels(used)).collect(), ..finding })
}
