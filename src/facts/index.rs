//! Who reads what, of the instructions that can be reached.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "asks for some forms of an instruction or origin; all others are none of them"
)]

use crate::{
    eval::Values,
    graph::Graph,
    ir::{Function, LocalId, Op, Terminator, ValueId},
    origin::{Origin, Origins},
};

/// Lists in one array, one for each number of a range.
struct Lists {
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

    fn of(&self, number: usize) -> &[ValueId] {
        match (self.start.get(number), self.start.get(number + 1)) {
            (Some(&start), Some(&end)) => &self.all[start as usize..end as usize],
            (Some(_), None) | (None, _) => &[],
        }
    }
}

/// Instructions of one form, which have a list of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    Binary,
    Call,
    Global,
    Index,
    Length,
    Not,
    SetGlobal,
    SetIndex,
}

impl Form {
    const COUNT: usize = Form::SetIndex as usize + 1;

    fn of(op: &Op) -> Option<Form> {
        Some(match op {
            Op::Binary(..) => Form::Binary,
            Op::Call { .. } => Form::Call,
            Op::Global(_) => Form::Global,
            Op::Index(..) => Form::Index,
            Op::Length(_) => Form::Length,
            Op::Not(_) => Form::Not,
            Op::SetGlobal(..) => Form::SetGlobal,
            Op::SetIndex { .. } => Form::SetIndex,
            Op::Const(_)
            | Op::Unknown
            | Op::Vararg
            | Op::Closure(_)
            | Op::Table
            | Op::Get(_)
            | Op::Set(..)
            | Op::Forget(_)
            | Op::SetTail { .. }
            | Op::Negate(_)
            | Op::Extra(..) => return None,
        })
    }
}

pub(super) struct Index {
    /// The instructions of reached blocks, in reverse postorder.
    pub(super) insts: Vec<ValueId>,
    /// Calls of builtins with their names, in the same order.
    pub(super) builtin_calls: Vec<(ValueId, &'static str)>,
    /// By value: does a branch test it, or a `return` give it?
    pub(super) ends: Vec<bool>,
    /// By form; then by local: the instructions that read it, those that assign it; then by value: those that read it.
    lists: Lists,
    locals: usize,
}

impl Index {
    /// `locals`: how many there are, copies included.
    pub(super) fn new(function: &Function, graph: &Graph, values: &Values, origins: &Origins, locals: usize) -> Index {
        let count = function.insts.len();
        let mut insts = Vec::with_capacity(count);
        let mut ends = vec![false; count];
        for &block in graph.rpo.iter().filter(|block| values.reached[block.index()]) {
            let code = function.block(block);
            insts.extend_from_slice(&code.insts);
            match &code.end {
                Terminator::Branch { cond, .. } => ends[cond.index()] = true,
                Terminator::Return { values, .. } => values.iter().for_each(|value| ends[value.index()] = true),
                Terminator::Goto(_) | Terminator::Raise => {}
            }
        }
        let (gets, sets, readers) = (Form::COUNT, Form::COUNT + locals, Form::COUNT + 2 * locals);
        let lists = Lists::new(readers + count, |put| {
            for &at in &insts {
                let op = function.op(at);
                match op {
                    Op::Get(local) => put(gets + local.index(), at),
                    Op::Set(local, _) => put(sets + local.index(), at),
                    _ => {
                        if let Some(form) = Form::of(op) {
                            put(form as usize, at);
                        }
                    }
                }
                op.operands(|operand| put(readers + operand.index(), at));
            }
        });
        let name = |&at: &ValueId| {
            let Op::Call { callee, .. } = function.op(at) else { return None };
            match *origins.get(values.values[callee.index()].origin) {
                Origin::Builtin(builtin) => Some((at, builtin.name())),
                _ => None,
            }
        };
        let builtin_calls = lists.of(Form::Call as usize).iter().filter_map(name).collect();
        Index { insts, builtin_calls, ends, lists, locals }
    }

    pub(super) fn of_form(&self, form: Form) -> &[ValueId] {
        self.lists.of(form as usize)
    }

    /// The instructions that read the local.
    pub(super) fn gets(&self, local: LocalId) -> &[ValueId] {
        self.lists.of(Form::COUNT + local.index())
    }

    /// The instructions that assign the local.
    pub(super) fn sets(&self, local: LocalId) -> &[ValueId] {
        self.lists.of(Form::COUNT + self.locals + local.index())
    }

    /// The instructions that read the value.
    pub(super) fn readers(&self, value: ValueId) -> &[ValueId] {
        self.lists.of(Form::COUNT + 2 * self.locals + value.index())
    }
}
