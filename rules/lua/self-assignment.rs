use crate::{
    facts::Facts,
    ir::{Function, Op, ValueId},
    rule::Finding,
    source::Span,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for function in &facts.program.functions {
        for inst in &function.insts {
            let same = match inst.op {
                Op::Set(local, value) => *function.op(value) == Op::Get(local),
                Op::SetGlobal(name, value) => *function.op(value) == Op::Global(name),
                Op::SetIndex { table, key, value } => match *function.op(value) {
                    Op::Index(from, read) => is_same(function, table, from) && is_same(function, key, read),
                    _ => false,
                },
                _ => false,
            };
            if same && !is_hidden(facts, inst.span) {
                let message = format!("`{}` is assigned to itself", facts.source.snippet(inst.span));
                findings.push(Finding::new(inst.span, message).help("remove it, or assign what was meant"));
            }
        }
    }
    findings
}

/// Do both read the same, without running other code?
fn is_same(function: &Function, a: ValueId, b: ValueId) -> bool {
    match (function.op(a), function.op(b)) {
        (Op::Get(one), Op::Get(other)) => one == other,
        (Op::Global(one), Op::Global(other)) => one == other,
        (Op::Const(one), Op::Const(other)) => one == other,
        (Op::Index(base, key), Op::Index(other, read)) => {
            is_same(function, *base, *other) && is_same(function, *key, *read)
        }
        _ => false,
    }
}

/// Is it no assignment of the text's: the value of `and` and `or`, the step of a loop?
fn is_hidden(facts: &Facts, span: Span) -> bool {
    let behind = facts.source.text[span.end as usize..].trim_ascii_start();
    let assigned = behind.starts_with(b"=") && !behind.starts_with(b"==");
    !assigned && !behind.starts_with(b",")
}
