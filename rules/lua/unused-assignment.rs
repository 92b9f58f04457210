use rustc_hash::FxHashSet;

use crate::{
    facts::Facts,
    ir::{BlockId, Function, LocalId, Op, Terminator, ValueId},
    limits,
    rule::Finding,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    let read = facts.program.read_locals();
    for function in &facts.program.functions {
        for id in function.block_ids() {
            for (at, &inst) in function.block(id).insts.iter().enumerate() {
                let Op::Set(local, value) = *function.op(inst) else { continue };
                let known = &facts.program.locals[local.index()];
                // What a function reads later, nobody follows; a local that is never read is for another rule.
                let Some(name) = known.name.filter(|_| !known.captured && read.contains(&local)) else { continue };
                let declares = function.span(inst) == name;
                let is_quiet = facts.source.snippet(name).starts_with('_');
                if is_quiet || is_binding(function, value) || (declares && is_default(function, value)) {
                    continue;
                }
                if !is_read(function, id, at + 1, local) {
                    let span = function.span(inst);
                    let message = format!("what `{}` gets here is never read", facts.source.snippet(span));
                    findings.push(Finding::new(span, message).help("remove the assignment, or use the value"));
                }
            }
        }
    }
    findings
}

/// What binds a loop's variable or a parameter, and what is fitted to several names.
fn is_binding(function: &Function, value: ValueId) -> bool {
    matches!(function.op(value), Op::Unknown | Op::Closure(_) | Op::Extra(..))
}

/// A value that a local begins with, whether or not it is needed: a literal, an empty table, another local.
fn is_default(function: &Function, value: ValueId) -> bool {
    matches!(function.op(value), Op::Const(_) | Op::Table | Op::Get(_))
}

/// Is there a path from the place to an instruction that reads the local before another one sets it?
fn is_read(function: &Function, block: BlockId, from: usize, local: LocalId) -> bool {
    let mut seen = FxHashSet::default();
    let mut work = vec![(block, from)];
    while let Some((id, from)) = work.pop() {
        let block = function.block(id);
        let ends = block.insts[from..].iter().find_map(|&at| match *function.op(at) {
            Op::Get(read) if read == local => Some(true),
            Op::Set(set, _) if set == local => Some(false),
            Op::Forget(gone) if gone == local => Some(false),
            _ => None,
        });
        match ends {
            Some(true) => return true,
            Some(false) => continue,
            None => {}
        }
        if limits::READ_SEARCH < seen.len() {
            return true;
        }
        match &block.end {
            Terminator::Goto(_) | Terminator::Branch { .. } => {
                work.extend(block.end.successors().filter(|&to| seen.insert(to)).map(|to| (to, 0)));
            }
            Terminator::Return { .. } | Terminator::Raise => {}
        }
    }
    false
}
