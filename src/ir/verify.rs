//! What must hold of every [`Function`], whoever made it.

use super::{BlockId, Function, Op, Terminator, ValueId};

/// Panics with the first thing that is wrong. `functions` and `locals` are how many there are.
pub(crate) fn verify(function: &Function, functions: usize, locals: usize) {
    assert!(!function.blocks.is_empty(), "no block");
    for param in &function.params {
        assert!(param.index() < locals, "{param:?} is no local");
    }
    for (at, each) in function.loops.iter().enumerate() {
        let parent = each.parent.map_or(-1, |parent| parent.0 as i64);
        assert!(parent < at as i64, "loop {at} stands before its parent");
        let within = function.block(each.head).within;
        assert_eq!(within.map(|l| l.index()), Some(at), "head of loop {at}");
    }

    // Where each value is made: its block and its place there.
    let mut made = vec![None; function.insts.len()];
    for id in function.block_ids() {
        let block = function.block(id);
        for (at, value) in block.insts.iter().enumerate() {
            let before = made[value.index()].replace((id, at));
            assert_eq!(before, None, "{value:?} is made twice");
        }
        if let Some(within) = block.within {
            assert!(within.index() < function.loops.len(), "{within:?}");
        }
        for to in block.end.successors().chain(block.unwind) {
            assert!(to.index() < function.blocks.len(), "{id:?} leads to {to:?}");
        }
    }
    let dominators = dominators(function);
    let dominates = |above: BlockId, below: BlockId| {
        let mut at = below;
        while at != above && at != BlockId(0) {
            at = dominators[at.index()].expect("dominators of what can be reached can be reached");
        }
        at == above
    };
    for id in function.block_ids() {
        let block = function.block(id);
        let check = |value: ValueId, place: usize| {
            let (from, at) = made[value.index()].expect("what is used is made somewhere");
            if from == id {
                assert!(at < place, "{value:?} is used before it is made");
            } else if dominators[id.index()].is_some() {
                assert!(dominates(from, id), "{value:?} may be missing in {id:?}");
            }
        };
        for (at, &value) in block.insts.iter().enumerate() {
            let inst = function.inst(value);
            inst.op.operands(|operand| check(operand, at));
            if let Some(via) = inst.via {
                assert!(via.index() < function.insts.len(), "{via:?}");
            }
            match &inst.op {
                Op::Get(local) | Op::Set(local, _) | Op::Forget(local) => {
                    assert!(local.index() < locals, "{local:?} is no local");
                }
                Op::Closure(id) => assert!(id.index() < functions, "{id:?} is no function"),
                Op::Call { args, tail: true, .. } => multiple(function, args),
                Op::SetTail { tail, .. } => multiple(function, &[*tail]),
                Op::Extra(value, number) => {
                    assert!(*number != 0, "the first result is the value itself");
                    multiple(function, &[*value]);
                }
                Op::Const(_)
                | Op::Unknown
                | Op::Vararg
                | Op::Table
                | Op::Global(_)
                | Op::SetGlobal(..)
                | Op::Index(..)
                | Op::SetIndex { .. }
                | Op::Not(_)
                | Op::Negate(_)
                | Op::Length(_)
                | Op::Binary(..)
                | Op::Call { .. } => {}
            }
        }
        match &block.end {
            Terminator::Goto(_) => {}
            Terminator::Branch { cond, .. } => check(*cond, block.insts.len()),
            Terminator::Return { values, tail, .. } => {
                values.iter().for_each(|&value| check(value, block.insts.len()));
                if *tail {
                    multiple(function, values);
                }
            }
            Terminator::Raise => {
                let last = block.insts.last().map(|&value| function.op(value));
                assert!(matches!(last, Some(Op::Call { .. })), "{id:?} just raises");
            }
        }
    }
}

/// The last of the values can have more results.
fn multiple(function: &Function, values: &[ValueId]) {
    let op = values.last().map(|&last| function.op(last));
    let fits = matches!(op, Some(Op::Call { .. } | Op::Vararg | Op::Unknown));
    assert!(fits, "{op:?} has one result");
}

/// The immediate dominator of each block that can be reached; the entry's is itself.
fn dominators(function: &Function) -> Vec<Option<BlockId>> {
    let successors = |id: BlockId| {
        let block = function.block(id);
        block.end.successors().chain(block.unwind)
    };
    let mut order = Vec::new();
    let mut seen = vec![false; function.blocks.len()];
    let mut stack = vec![(BlockId(0), successors(BlockId(0)))];
    seen[0] = true;
    while let Some((id, next)) = stack.last_mut() {
        match next.find(|to| !seen[to.index()]) {
            Some(to) => {
                seen[to.index()] = true;
                stack.push((to, successors(to)));
            }
            None => {
                order.push(*id);
                stack.pop();
            }
        }
    }
    let mut number = vec![0; function.blocks.len()];
    for (at, id) in order.iter().enumerate() {
        number[id.index()] = at;
    }
    let mut above: Vec<Option<BlockId>> = vec![None; function.blocks.len()];
    above[0] = Some(BlockId(0));
    let mut changed = true;
    while changed {
        changed = false;
        for &id in order.iter().rev() {
            let from = above[id.index()].map(|_| id);
            let Some(from) = from else { continue };
            for to in successors(id).filter(|&to| to != BlockId(0)) {
                let mut meet = above[to.index()].unwrap_or(from);
                let mut other = from;
                while meet != other {
                    if number[meet.index()] < number[other.index()] {
                        meet = above[meet.index()].expect("reached before");
                    } else {
                        other = above[other.index()].expect("reached before");
                    }
                }
                changed |= above[to.index()] != Some(meet);
                above[to.index()] = Some(meet);
            }
        }
    }
    above
}
