//! Who reads what, of the instructions that can be reached.

use crate::{
    graph::Graph,
    ir::{Function, Op, Terminator, ValueId},
};

/// Lists in one array, one for each number of a range.
pub(super) struct Lists {
    /// By number: where its list begins; one more for the end of the last.
    start: Vec<u32>,
    all: Vec<ValueId>,
}

impl Lists {
    /// `visit` calls its argument with each number and what to put into its list, the same each time that it is called.
    fn new(numbers: usize, visit: impl Fn(&mut dyn FnMut(usize, ValueId))) -> Lists {
        let mut start = vec![0; numbers + 1];
        visit(&mut |number, _| start[number + 1] += 1);
        for number in 0..numbers {
            start[number + 1] += start[number];
        }
        let mut next = start.clone();
        let mut all = vec![ValueId(0); start[numbers] as usize];
        visit(&mut |number, item| {
            all[next[number] as usize] = item;
            next[number] += 1;
        });
        Lists { start, all }
    }

    pub(super) fn of(&self, number: usize) -> &[ValueId] {
        match (self.start.get(number), self.start.get(number + 1)) {
            (Some(&start), Some(&end)) => &self.all[start as usize..end as usize],
            (Some(_), None) | (None, _) => &[],
        }
    }
}

pub(super) struct Index {
    /// The instructions of reached blocks, in reverse postorder.
    pub(super) insts: Vec<ValueId>,
    /// By value: the instructions that read it.
    pub(super) readers: Lists,
    /// By local: the instructions that read it.
    pub(super) gets: Lists,
    /// By local: the instructions that assign it.
    pub(super) sets: Lists,
    /// By value: does a branch test it, or a `return` give it?
    pub(super) ends: Vec<bool>,
}

impl Index {
    /// `locals`: how many there are, copies included.
    pub(super) fn new(function: &Function, graph: &Graph, reached: &[bool], locals: usize) -> Index {
        let count = function.insts.len();
        let mut insts = Vec::with_capacity(count);
        let mut ends = vec![false; count];
        for &block in graph.rpo.iter().filter(|block| reached[block.index()]) {
            let code = function.block(block);
            insts.extend_from_slice(&code.insts);
            match &code.end {
                Terminator::Branch { cond, .. } => ends[cond.index()] = true,
                Terminator::Return { values, .. } => values.iter().for_each(|value| ends[value.index()] = true),
                Terminator::Goto(_) | Terminator::Raise => {}
            }
        }
        let readers = Lists::new(count, |put| {
            for &at in &insts {
                function.op(at).operands(|operand| put(operand.index(), at));
            }
        });
        let gets = Lists::new(locals, |put| {
            for &at in &insts {
                if let Op::Get(local) = function.op(at) {
                    put(local.index(), at);
                }
            }
        });
        let sets = Lists::new(locals, |put| {
            for &at in &insts {
                if let Op::Set(local, _) = function.op(at) {
                    put(local.index(), at);
                }
            }
        });
        Index { insts, readers, gets, sets, ends }
    }
}
