//! One frame's instructions and blocks.

use super::{FrameId, Inliner};
use crate::ir::{BinaryOp, Block, BlockId, Const, Inst, LocalId, LoopKind, Number, Op, Terminator, ValueId};
use crate::source::Span;

impl Inliner<'_> {
    pub(super) fn copy_frame(&mut self, frame: FrameId) {
        let function = self.statics.function(self.frame(frame).entry.function);
        for (at, block) in (0..).zip(&function.blocks) {
            self.at = BlockId(self.frame(frame).blocks + at);
            self.dirty = false;
            for &value in &block.insts {
                self.copy(frame, value, function.inst(value));
            }
            self.copy_end(frame, &block.end);
        }
        // Only what asks for a static value looks at a frame again.
        self.frame_mut(frame).lists = Default::default();
        self.frame_mut(frame).same = Default::default();
    }

    fn copy(&mut self, frame: FrameId, value: ValueId, inst: &Inst) {
        if self.frame(frame).same.contains_key(&value) {
            return;
        }
        // What a closure captured lives on.
        if let Op::Forget(local) = inst.op
            && self.statics.program.locals[local.index()].captured
        {
            return;
        }
        // Placed with the call that it reads.
        if let Op::Extra(of, _) = inst.op
            && self.frame(frame).lists.contains_key(&of)
        {
            return;
        }
        if let Op::SetTail { table, first, tail } = inst.op
            && self.frame(frame).lists.contains_key(&tail)
        {
            return self.set_each(frame, value, table, first, tail);
        }
        let Op::Call { callee, args, tail } = &inst.op else {
            return self.place(frame, value, self.mapped_op(frame, &inst.op));
        };
        if let Some(target) = self.target(frame, value, *callee, args) {
            return self.splice(frame, value, args, *tail, target);
        }
        let callee = self.mapped(frame, *callee);
        let (args, tail) = self.list(frame, args, *tail).into_values();
        self.place(frame, value, Op::Call { callee, args, tail });
    }

    /// `{..., f()}` where it is known what `f()` gives.
    fn set_each(&mut self, frame: FrameId, value: ValueId, table: ValueId, first: u32, tail: ValueId) {
        let table = self.mapped(frame, table);
        let list = self.list(frame, &[tail], true);
        let Inst { span, via, .. } = *self.result.inst(self.own(frame, value));
        for (at, &value) in (first..).zip(&list.values) {
            let key = Op::Const(Const::Number(Number::new(f64::from(at))));
            let key = self.emit(key, span, via);
            self.emit(Op::SetIndex { table, key, value }, span, via);
        }
        if let Some(tail) = list.rest {
            let first = first + list.values.len() as u32;
            self.place(frame, value, Op::SetTail { table, first, tail });
        }
    }

    fn copy_end(&mut self, frame: FrameId, end: &Terminator) {
        let to = |block: BlockId| BlockId(self.frame(frame).blocks + block.0);
        let end = match end {
            Terminator::Goto(block) => Terminator::Goto(to(*block)),
            Terminator::Branch { cond, yes, no, whole } => {
                Terminator::Branch { cond: self.mapped(frame, *cond), yes: to(*yes), no: to(*no), whole: *whole }
            }
            Terminator::Return { values, tail, span } => {
                let list = self.list(frame, values, *tail);
                match self.frame(frame).exit.clone() {
                    Some(exit) => {
                        let via = self.frame(frame).entry.via;
                        self.set_results(&list, &exit.results, *span, via);
                        Terminator::Goto(exit.to)
                    }
                    None => {
                        let (values, tail) = list.into_values();
                        Terminator::Return { values, tail, span: *span }
                    }
                }
            }
            Terminator::Raise => Terminator::Raise,
        };
        self.result.blocks[self.at.index()].end = end;
    }

    /// The copy's own number of a frame's value.
    pub(super) fn own(&self, frame: FrameId, value: ValueId) -> ValueId {
        ValueId(self.frame(frame).values + value.0)
    }

    /// The value of the result that a frame's value is.
    pub(super) fn mapped(&self, frame: FrameId, value: ValueId) -> ValueId {
        match self.frame(frame).same.get(&value) {
            Some(&same) => same,
            None => self.own(frame, value),
        }
    }

    pub(super) fn mapped_local(&self, frame: FrameId, local: LocalId) -> LocalId {
        let declared = self.statics.program.locals[local.index()].function;
        let mut at = Some(frame);
        while let Some(id) = at {
            let frame = self.frame(id);
            if frame.entry.function == declared {
                return match frame.locals {
                    Some(offset) => LocalId(offset + self.statics.slots[local.index()]),
                    None => local,
                };
            }
            at = frame.entry.outer;
        }
        local
    }

    fn mapped_op(&self, frame: FrameId, op: &Op) -> Op {
        let value = |value: ValueId| self.mapped(frame, value);
        let local = |local: LocalId| self.mapped_local(frame, local);
        match *op {
            Op::Const(_) | Op::Unknown | Op::Vararg | Op::Closure(_) | Op::Table | Op::Global(_) => op.clone(),
            Op::SetGlobal(name, a) => Op::SetGlobal(name, value(a)),
            Op::Get(id) => Op::Get(local(id)),
            Op::Set(id, a) => Op::Set(local(id), value(a)),
            Op::Forget(id) => Op::Forget(local(id)),
            Op::Index(a, b) => Op::Index(value(a), value(b)),
            Op::SetIndex { table, key, value: stored } => {
                Op::SetIndex { table: value(table), key: value(key), value: value(stored) }
            }
            Op::SetTail { table, first, tail } => Op::SetTail { table: value(table), first, tail: value(tail) },
            Op::Not(a) => Op::Not(value(a)),
            Op::Negate(a) => Op::Negate(value(a)),
            Op::Length(a) => Op::Length(value(a)),
            Op::Binary(op, a, b) => Op::Binary(op, value(a), value(b)),
            Op::Call { callee, ref args, tail } => {
                Op::Call { callee: value(callee), args: args.iter().map(|&arg| value(arg)).collect(), tail }
            }
            Op::Extra(a, number) => Op::Extra(value(a), number),
        }
    }

    /// Puts the copy of a frame's instruction here.
    pub(super) fn place(&mut self, frame: FrameId, value: ValueId, op: Op) {
        let own = self.own(frame, value);
        self.result.insts[own.index()].op = op;
        self.put(own);
    }

    /// Puts a new instruction here.
    pub(super) fn emit(&mut self, op: Op, span: Span, via: Option<ValueId>) -> ValueId {
        let value = ValueId(self.result.insts.len() as u32);
        self.result.insts.push(Inst { op, span, via });
        self.put(value);
        value
    }

    fn put(&mut self, value: ValueId) {
        let op = self.result.op(value);
        let (call, stores, raises) = (matches!(op, Op::Call { .. }), stores(op), raises(op));
        if self.dirty && raises && self.result.block(self.at).unwind.is_some() {
            let Block { within, unwind, .. } = *self.result.block(self.at);
            let next = self.block(Block { insts: Vec::new(), end: Terminator::Raise, within, unwind });
            self.result.blocks[self.at.index()].end = Terminator::Goto(next);
            self.at = next;
            self.dirty = false;
        }
        self.dirty = (self.dirty || stores) && !call;
        self.result.blocks[self.at.index()].insts.push(value);
    }

    pub(super) fn block(&mut self, block: Block) -> BlockId {
        self.result.blocks.push(block);
        BlockId(self.result.blocks.len() as u32 - 1)
    }
}

pub(super) fn loop_kind(kind: LoopKind, offset: u32) -> LoopKind {
    let value = |value: ValueId| ValueId(offset + value.0);
    match kind {
        LoopKind::Numeric { start, limit, step } => {
            LoopKind::Numeric { start: value(start), limit: value(limit), step: step.map(value) }
        }
        LoopKind::Generic { step } => LoopKind::Generic { step: value(step) },
        LoopKind::While => LoopKind::While,
        LoopKind::Repeat => LoopKind::Repeat,
    }
}

/// Does it change what later instructions may read?
fn stores(op: &Op) -> bool {
    match op {
        Op::SetGlobal(..) | Op::Set(..) | Op::SetIndex { .. } | Op::SetTail { .. } => true,
        Op::Const(_)
        | Op::Unknown
        | Op::Vararg
        | Op::Closure(_)
        | Op::Table
        | Op::Global(_)
        | Op::Get(_)
        | Op::Forget(_)
        | Op::Index(..)
        | Op::Not(_)
        | Op::Negate(_)
        | Op::Length(_)
        | Op::Binary(..)
        | Op::Call { .. }
        | Op::Extra(..) => false,
    }
}

/// May it raise by itself? Calls do too, but after each call the state is seen anyway.
fn raises(op: &Op) -> bool {
    match op {
        // Redis raises on globals that don't exist and on every write to one.
        Op::Global(_) | Op::SetGlobal(..) => true,
        Op::Index(..) | Op::SetIndex { .. } | Op::Negate(_) | Op::Length(_) => true,
        Op::Binary(op, ..) => !matches!(op, BinaryOp::Eq | BinaryOp::Ne),
        Op::Const(_)
        | Op::Unknown
        | Op::Vararg
        | Op::Closure(_)
        | Op::Table
        | Op::Get(_)
        | Op::Set(..)
        | Op::Forget(_)
        | Op::SetTail { .. }
        | Op::Not(_)
        | Op::Call { .. }
        | Op::Extra(..) => false,
    }
}
