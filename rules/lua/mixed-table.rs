use rustc_hash::FxHashMap;

use crate::{
    facts::Facts,
    ir::{Const, Op, ValueId},
    rule::Finding,
};

/// What a constructor holds.
#[derive(Clone, Copy, Default)]
struct Holds {
    elements: bool,
    fields: bool,
}

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for function in &facts.program.functions {
        let mut tables: FxHashMap<ValueId, Holds> = FxHashMap::default();
        for inst in &function.insts {
            let (table, element) = match inst.op {
                Op::SetIndex { table, key, .. } => match function.op(key) {
                    // `[1] = x` names its number.
                    Op::Const(Const::Number(_)) => {
                        (table, facts.source.text.get(inst.span.start as usize) != Some(&b'['))
                    }
                    _ => (table, false),
                },
                Op::SetTail { table, .. } => (table, true),
                _ => continue,
            };
            if *function.op(table) != Op::Table || !function.span(table).contains(inst.span) {
                continue;
            }
            let holds = tables.entry(table).or_default();
            if element && holds.fields && !holds.elements || !element && holds.elements && !holds.fields {
                let message = "the table has elements and named fields: clients and `cjson` see only one kind";
                findings.push(Finding::new(function.span(table), message).help("make two tables"));
            }
            holds.elements |= element;
            holds.fields |= !element;
        }
    }
    findings
}
