use crate::{
    facts::Facts,
    ir::{BinaryOp, Const, Function, Op, ValueId},
    rule::Finding,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for function in &facts.program.functions {
        for inst in &function.insts {
            let Op::Binary(op, left, right) = inst.op else { continue };
            // In parentheses it begins before its first operand.
            if !op.is_comparison() || function.span(left).start != inst.span.start {
                continue;
            }
            let message = || {
                let shown = facts.source.snippet(inst.span);
                let part = facts.source.snippet(function.span(left));
                let other = facts.source.snippet(function.span(right));
                format!("`{shown}` compares `{part}`, which is true or false, with `{other}`")
            };
            let finding = match *function.op(left) {
                Op::Not(inner) if !is_boolean(function, right) => {
                    let other = facts.source.snippet(function.span(right));
                    let inner = facts.source.snippet(function.span(inner));
                    Finding::new(inst.span, message()).help(match op {
                        BinaryOp::Eq => format!("write `{inner} ~= {other}`"),
                        BinaryOp::Ne => format!("write `{inner} == {other}`"),
                        _ => format!("write `not ({inner} {} {other})`", op.symbol()),
                    })
                }
                // Of a longer chain the first two are enough.
                Op::Binary(inner, first, _) if inner.is_comparison() && !is_chained(function, left, first) => {
                    Finding::new(inst.span, message())
                        .help("join two comparisons with `and`, or put one in parentheses")
                }
                _ => continue,
            };
            findings.push(finding);
        }
    }
    findings
}

/// Is the comparison's first operand another one, without parentheses?
fn is_chained(function: &Function, comparison: ValueId, first: ValueId) -> bool {
    let is_inner = matches!(*function.op(first), Op::Binary(op, ..) if op.is_comparison());
    is_inner && function.span(first).start == function.span(comparison).start
}

/// Is it true or false by its form?
fn is_boolean(function: &Function, value: ValueId) -> bool {
    match *function.op(value) {
        Op::Not(_) | Op::Const(Const::True | Const::False) => true,
        Op::Binary(op, ..) => op.is_comparison(),
        _ => false,
    }
}
