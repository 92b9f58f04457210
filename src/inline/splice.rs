//! Calls: what is called, and its body in place of the call.

use super::list::List;
use super::statics::{Place, Select};
use super::{Copy, Entry, Exit, FrameId, Inliner, Static};
use crate::ir::{Block, BlockId, Const, FuncId, Inst, Local, LocalId, Number, Op, Terminator, ValueId};
use crate::limits;
use crate::source::Span;

/// What stands in place of a call.
#[derive(Clone, Copy)]
pub(super) enum Target {
    Body(Callee),
    /// `pcall(f)`, `xpcall(f, handler)`.
    Protected {
        body: Callee,
        handler: Option<Callee>,
        takes_args: bool,
    },
}

#[derive(Clone, Copy)]
pub(super) struct Callee {
    function: FuncId,
    outer: Option<FrameId>,
}

impl Inliner<'_> {
    /// What the call of a frame is to be replaced by; `None`: it stays.
    pub(super) fn target(
        &mut self,
        frame: FrameId,
        call: ValueId,
        callee: ValueId,
        args: &[ValueId],
    ) -> Option<Target> {
        let function = self.frame(frame).entry.function;
        let target = match self.callee(frame, callee) {
            Some(callee) => Target::Body(callee),
            None => {
                let body = *args.first()?;
                match self.statics.global(Place { function, value: callee })? {
                    b"pcall" => Target::Protected { body: self.callee(frame, body)?, handler: None, takes_args: true },
                    b"xpcall" => Target::Protected {
                        body: self.callee(frame, body)?,
                        handler: args.get(1).and_then(|&handler| self.callee(frame, handler)),
                        takes_args: false,
                    },
                    _ => return None,
                }
            }
        };
        self.afford(frame, call, target, args).then_some(target)
    }

    fn callee(&self, frame: FrameId, value: ValueId) -> Option<Callee> {
        match self.origin(frame, value)? {
            Static::Closure { function, outer } => Some(Callee { function, outer }),
            Static::Table { .. } => None,
        }
    }

    /// Recursion is no cut: a function that stands in the chain of calls already is never copied again.
    fn afford(&mut self, frame: FrameId, call: ValueId, target: Target, args: &[ValueId]) -> bool {
        let (body, handler) = match target {
            Target::Body(body) => (body, None),
            Target::Protected { body, handler, .. } => (body, handler),
        };
        let mut at = Some(frame);
        while let Some(id) = at {
            let entry = &self.frame(id).entry;
            if entry.function == body.function || handler.is_some_and(|handler| handler.function == entry.function) {
                return false;
            }
            at = entry.caller;
        }
        let function = self.frame(frame).entry.function;
        let results = self.result_count(frame, call, function, target);
        let rest = args.last().and_then(|last| self.frame(frame).lists.get(last));
        let given = args.len() + rest.map_or(0, |list| list.values.len());
        let cost = |callee: Callee| {
            let shape = &self.statics.shapes[callee.function.index()];
            let body = self.statics.function(callee.function);
            let uses = 1 + shape.varargs.len();
            body.insts.len() + shape.locals.len() + body.params.len() + uses * given + shape.returns.count * results
        };
        let cost = results + cost(body) + handler.map_or(0, cost);
        if self.budget < cost || limits::INLINE_DEPTH <= self.frame(frame).depth {
            self.cut = true;
            return false;
        }
        self.budget -= cost;
        true
    }

    /// How many results of the call are to be kept apart.
    fn result_count(&self, frame: FrameId, call: ValueId, function: FuncId, target: Target) -> usize {
        let shape = &self.statics.shapes[function.index()];
        let extras = shape.extras.get(&call);
        let read = 1 + extras.into_iter().flatten().map(|&(number, _)| number as usize).max().unwrap_or(0);
        if !shape.tails.contains(&call) {
            return read;
        }
        let most = |callee: Callee| self.statics.shapes[callee.function.index()].returns.most;
        let given = match target {
            Target::Body(body) => most(body),
            Target::Protected { body, .. } => 2.max(1 + most(body)),
        };
        let wanted = self.frame(frame).exit.as_ref().map_or(0, |exit| exit.results.len());
        read.max(given).max(wanted)
    }

    pub(super) fn splice(&mut self, frame: FrameId, call: ValueId, args: &[ValueId], tail: bool, target: Target) {
        let function = self.frame(frame).entry.function;
        for &arg in args {
            if let Some(origin) = self.origin(frame, arg) {
                let arg = self.mapped(frame, arg);
                self.known.insert(arg, origin);
            }
        }
        let args = self.list(frame, args, tail);
        let count = self.result_count(frame, call, function, target);
        let first = self.statics.program.locals.len() + self.copies.len();
        let results: Vec<LocalId> = (first..first + count).map(|id| LocalId(id as u32)).collect();
        let assigned = match target {
            Target::Body(body) => self.returns(body),
            Target::Protected { body, handler, .. } => self.returns(body) + handler.map_or(1, |it| self.returns(it)),
        };
        let local = Local { name: None, function, assigned: assigned as u32, captured: false, shadows: None };
        self.copies.extend(results.iter().map(|_| Copy { local, of: None }));
        let Block { within, unwind, .. } = *self.result.block(self.at);
        let to = self.block(Block { insts: Vec::new(), end: Terminator::Raise, within, unwind });
        let via = self.own(frame, call);
        let exit = Exit { to, results: results.clone() };
        let span = self.result.span(via);
        let left = match target {
            Target::Body(body) => {
                let inner = self.enter(frame, via, body, &args, exit, unwind);
                self.frame_mut(frame).calls.insert(call, inner);
                vec![inner]
            }
            Target::Protected { body, handler, takes_args } => {
                let caught = self.block(Block { insts: Vec::new(), end: Terminator::Goto(to), within, unwind });
                let given = match takes_args {
                    true => self.list_after(&args, 1, span, Some(via)),
                    false => List::default(),
                };
                let inner = self.protect(frame, via, body, &given, exit.clone(), caught);
                self.at = caught;
                std::iter::once(inner).chain(self.catch(frame, via, handler, exit)).collect()
            }
        };
        self.at = to;
        self.dirty = false;
        self.read_results(frame, call, target, &results);
        for callee in left {
            self.forget_locals(callee);
        }
    }

    fn returns(&self, callee: Callee) -> usize {
        self.statics.shapes[callee.function.index()].returns.count
    }

    /// Goes from here to a copy of the callee, with its parameters set.
    fn enter(
        &mut self,
        frame: FrameId,
        via: ValueId,
        callee: Callee,
        args: &List,
        exit: Exit,
        unwind: Option<BlockId>,
    ) -> FrameId {
        let body = self.statics.function(callee.function);
        let span = self.result.span(via);
        let within = self.result.block(self.at).within;
        let Callee { function, outer } = callee;
        let id = self.push_frame(Entry { function, outer, caller: Some(frame), via: Some(via), within, unwind });
        for (at, &param) in body.params.iter().enumerate() {
            let value = self.nth(args, at, span, Some(via));
            if let Some(&known) = self.known.get(&value)
                && self.statics.program.locals[param.index()].assigned == 1
            {
                self.frame_mut(id).bindings.insert(param, known);
            }
            let copy = self.mapped_local(id, param);
            let name = self.statics.program.locals[param.index()].name.unwrap_or(span);
            self.emit(Op::Set(copy, value), name, Some(via));
        }
        if body.vararg {
            let rest = self.list_after(args, body.params.len(), span, Some(via));
            self.bind_varargs(id, via, &rest);
        }
        let entry = BlockId(self.frame(id).blocks);
        self.result.blocks[self.at.index()].end = Terminator::Goto(entry);
        self.frame_mut(id).exit = Some(exit);
        id
    }

    /// Decides what `...` is in a copy, and what `select` gives of it.
    fn bind_varargs(&mut self, id: FrameId, via: ValueId, rest: &List) {
        let shape = &self.statics.shapes[self.frame(id).entry.function.index()];
        for &vararg in &shape.varargs {
            self.bind_list(id, via, vararg, rest.clone());
        }
        for &(call, select) in &shape.selects {
            match select {
                Select::Count if rest.rest.is_none() => {
                    let count = Const::Number(Number::new(rest.values.len() as f64));
                    let span = self.result.span(self.own(id, call));
                    let count = self.emit(Op::Const(count), span, Some(via));
                    self.frame_mut(id).same.insert(call, count);
                }
                Select::From(number) => {
                    let skipped = match usize::try_from(number) {
                        Ok(number) => Some(number - 1),
                        Err(_) if rest.rest.is_some() => None,
                        Err(_) => rest.values.len().checked_sub(number.unsigned_abs() as usize),
                    };
                    if let Some(list) = skipped.and_then(|n| rest.after(n)) {
                        self.bind_list(id, via, call, list);
                    }
                }
                Select::Count => {}
            }
        }
    }

    fn bind_list(&mut self, id: FrameId, via: ValueId, value: ValueId, list: List) {
        let shape = &self.statics.shapes[self.frame(id).entry.function.index()];
        let first = [(0, value)];
        for &(number, extra) in first.iter().chain(shape.extras.get(&value).into_iter().flatten()) {
            let span = self.result.span(self.own(id, extra));
            let same = self.nth(&list, number as usize, span, Some(via));
            self.frame_mut(id).same.insert(extra, same);
        }
        self.frame_mut(id).lists.insert(value, list);
    }

    /// As `enter`, for the body of `pcall`.
    fn protect(
        &mut self,
        frame: FrameId,
        via: ValueId,
        body: Callee,
        args: &List,
        exit: Exit,
        caught: BlockId,
    ) -> FrameId {
        let Block { within, unwind, .. } = *self.result.block(self.at);
        let succeeded = self.block(Block { insts: Vec::new(), end: Terminator::Goto(exit.to), within, unwind });
        let results = exit.results.get(1..).unwrap_or_default().to_vec();
        let id = self.enter(frame, via, body, args, Exit { to: succeeded, results }, Some(caught));
        let entry = BlockId(self.frame(id).blocks);
        let gate = Block { insts: Vec::new(), end: Terminator::Goto(entry), within, unwind: Some(caught) };
        let gate = self.block(gate);
        self.result.blocks[self.at.index()].end = Terminator::Goto(gate);
        self.at = succeeded;
        self.set_first(via, &exit, Const::True);
        id
    }

    /// Here a raise has been caught.
    fn catch(&mut self, frame: FrameId, via: ValueId, handler: Option<Callee>, exit: Exit) -> Option<FrameId> {
        let span = self.result.span(via);
        self.set_first(via, &exit, Const::False);
        let error = List { values: vec![self.emit(Op::Unknown, span, Some(via))], rest: None };
        let results = exit.results.get(1..).unwrap_or_default();
        let Some(handler) = handler else {
            self.set_results(&error, results, span, Some(via));
            return None;
        };
        let unwind = self.result.block(self.at).unwind;
        Some(self.enter(frame, via, handler, &error, Exit { to: exit.to, results: results.to_vec() }, unwind))
    }

    fn set_first(&mut self, via: ValueId, exit: &Exit, value: Const) {
        let span = self.result.span(via);
        if let Some(&first) = exit.results.first() {
            let value = self.emit(Op::Const(value), span, Some(via));
            self.emit(Op::Set(first, value), span, Some(via));
        }
    }

    pub(super) fn set_results(&mut self, list: &List, results: &[LocalId], span: Span, via: Option<ValueId>) {
        for (at, &result) in results.iter().enumerate() {
            let value = self.nth(list, at, span, via);
            let span = self.result.span(value);
            self.emit(Op::Set(result, value), span, via);
        }
    }

    /// Here the call has come back: its value, the further ones that are read, and all of them as a list.
    fn read_results(&mut self, frame: FrameId, call: ValueId, target: Target, results: &[LocalId]) {
        let shape = &self.statics.shapes[self.frame(frame).entry.function.index()];
        let Inst { span, via, .. } = *self.result.inst(self.own(frame, call));
        let mut own = vec![None; results.len()];
        own[0] = Some(call);
        for &(number, extra) in shape.extras.get(&call).into_iter().flatten() {
            own[number as usize] = Some(extra);
        }
        let mut values = Vec::with_capacity(results.len());
        for (&result, own) in results.iter().zip(own) {
            values.push(match own {
                Some(value) => {
                    self.place(frame, value, Op::Get(result));
                    self.own(frame, value)
                }
                None => self.emit(Op::Get(result), span, via),
            });
        }
        for &result in results {
            self.emit(Op::Forget(result), span, via);
        }
        let (fixed, least) = match target {
            Target::Body(body) => {
                let returns = self.statics.shapes[body.function.index()].returns;
                (returns.fixed(), returns.least)
            }
            Target::Protected { body, handler, .. } => {
                let returns = self.statics.shapes[body.function.index()].returns;
                let caught = handler.map_or(Some(1), |it| self.statics.shapes[it.function.index()].returns.fixed());
                (returns.fixed().filter(|&n| Some(n) == caught).map(|n| n + 1), 1 + returns.least.min(1))
            }
        };
        let rest = match fixed {
            Some(fixed) => {
                values.truncate(fixed);
                None
            }
            None if shape.tails.contains(&call) => {
                values.truncate(least.max(1));
                Some(self.emit(Op::Unknown, span, via))
            }
            None => None,
        };
        self.frame_mut(frame).lists.insert(call, List { values, rest });
    }

    /// A function that is left forgets its locals on every way out.
    fn forget_locals(&mut self, id: FrameId) {
        let entry = &self.frame(id).entry;
        let (function, via) = (entry.function, entry.via);
        for &local in &self.statics.shapes[function.index()].locals {
            let declared = &self.statics.program.locals[local.index()];
            if !declared.captured {
                let copy = self.mapped_local(id, local);
                self.emit(Op::Forget(copy), declared.name.unwrap_or_default(), via);
            }
        }
    }
}
