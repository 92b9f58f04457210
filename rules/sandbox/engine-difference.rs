use crate::{
    facts::{Facts, Form, Root},
    ir::{BinaryOp, Op, ValueId},
    origin::{Origin, OriginId},
    rule::{Finding, one_per_root},
    target::{Product, Target},
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let targets = facts.targets_where(runs_lua_54);
    if targets.is_empty() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for root in &facts.roots {
        let found = one_per_root(
            root.all(Form::Binary).chain(root.calls_of("tostring")).flat_map(|at| told_apart(facts, root, at)),
            "and here",
        );
        findings.extend(found.into_iter().map(|finding| Finding { targets: targets.clone(), ..finding }));
    }
    findings
}

fn runs_lua_54(target: Target) -> bool {
    match target.product {
        Product::Dragonfly => true,
        Product::Redis | Product::Valkey | Product::Kvrocks | Product::KeyDb => false,
    }
}

/// Texts made of what is a float in Lua 5.4 even if it is whole.
fn told_apart(facts: &Facts, root: &Root, at: ValueId) -> Vec<(OriginId, Finding)> {
    let operands = match root.op(at) {
        Op::Binary(BinaryOp::Concat, a, b) => vec![*a, *b],
        Op::Call { args, .. } => args.first().copied().into_iter().collect(),
        _ => return Vec::new(),
    };
    let float = |&operand: &ValueId| {
        let value = root.value(operand);
        let origin = facts.origins.present(value.origin);
        matches!(facts.origins.get(origin), Origin::Binary(BinaryOp::Div | BinaryOp::Pow, ..))
            && value.kinds.within(Kinds::NUMBER)
            && value.kinds.may_be(Kinds::INTEGER)
    };
    let finding = |operand: ValueId| {
        let shown = facts.show(root, operand);
        let message = format!("`{shown}` is written with a point there, like `5.0`, where others write `5`");
        let finding = Finding::new(root.span(operand), message).help("say how: `string.format('%d', ...)`");
        (root.origin(operand), finding.labels(root.call_labels(at)))
    };
    operands.into_iter().filter(float).map(finding).collect()
}
