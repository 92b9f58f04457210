use rustc_hash::FxHashMap;

use crate::{
    facts::Facts,
    ir::{Const, Op, ValueId},
    rule::Finding,
    source::Span,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for function in &facts.program.functions {
        // By table and key: where the constructor gives the field.
        let mut given: FxHashMap<(ValueId, Const), Span> = FxHashMap::default();
        for inst in &function.insts {
            let Op::SetIndex { table, key, .. } = inst.op else { continue };
            let (Op::Table, Op::Const(key)) = (function.op(table), function.op(key)) else { continue };
            if !function.span(table).contains(inst.span) {
                continue;
            }
            if let Some(&first) = given.get(&(table, *key)) {
                let name = match *key {
                    Const::Text(text) => facts.texts.show(text).into_owned(),
                    Const::Number(number) => format!("[{}]", number.get()),
                    Const::Nil | Const::False | Const::True => continue,
                };
                let message = format!("the table has the field `{name}` twice: the first value is lost");
                findings.push(Finding::new(inst.span, message).label(first, "the first one").help("remove one"));
            } else {
                given.insert((table, *key), inst.span);
            }
        }
    }
    findings
}
