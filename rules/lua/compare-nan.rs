use crate::{
    facts::{Facts, Form, Root},
    ir::{BinaryOp, Op, ValueId},
    origin::Origin,
    rule::{Finding, one_per_root},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    for root in &facts.roots {
        for at in root.all(Form::Binary) {
            let Op::Binary(op, a, b) = *root.op(at) else { continue };
            let outcome = match op {
                BinaryOp::Ne => "true",
                BinaryOp::Eq => "false",
                _ if op.is_order() => "false",
                _ => continue,
            };
            if [a, b].into_iter().any(|operand| is_nan(facts, root, operand)) {
                let message = format!("`{}` is always {outcome}: NaN is equal to nothing", facts.snippet(root, at));
                let finding = Finding::new(root.span(at), message).help("test for NaN with `x ~= x`");
                found.push((at, finding.labels(root.call_labels(at))));
            }
        }
    }
    one_per_root(found, "here too")
}

/// `0/0`, or a local that holds it.
fn is_nan(facts: &Facts, root: &Root, value: ValueId) -> bool {
    let known = root.value(value);
    let zero = |origin| {
        facts.origins.constant(origin).is_some_and(|zero| zero == crate::ir::Const::Number(crate::ir::Number::new(0.0)))
    };
    match *facts.origins.get(known.origin) {
        Origin::Binary(BinaryOp::Div, a, b) => zero(a) && zero(b),
        _ => facts.number(known).is_some_and(f64::is_nan),
    }
}
