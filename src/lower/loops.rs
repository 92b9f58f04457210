//! Loops.

use full_moon::ast::{Block, Expression, GenericFor, NumericFor, Repeat, UnOp, While};
use full_moon::tokenizer::TokenReference;
use smallvec::SmallVec;

use super::extent::extent;
use super::{Lower, span};
use crate::ir::{BinaryOp, BlockId, Const, LocalId, Loop, LoopId, LoopKind, Number, Op, ValueId};
use crate::parse::literal;
use crate::source::Span;

/// A loop that is being lowered.
pub(super) struct OpenLoop {
    pub(super) id: LoopId,
    exit: BlockId,
    /// How many locals were in scope before it.
    outside: usize,
    /// Its locals that are in scope where it is left by `break` or `until`, ascending; they are forgotten at its exit.
    left_alive: Vec<LocalId>,
}

impl<'a> Lower<'a> {
    /// Opens a loop and starts its head; its exit comes second.
    fn enter_loop(&mut self) -> (BlockId, BlockId) {
        self.here();
        let exit = self.block();
        let parent = self.open.loops.last().map(|open| open.id);
        let id = LoopId(self.function().loops.len() as u32);
        self.open.loops.push(OpenLoop { id, exit, outside: self.declared.len(), left_alive: Vec::new() });
        let head = self.block();
        self.function().loops.push(Loop { head, kind: LoopKind::While, span: Span::default(), parent });
        self.goto(head);
        self.start(head);
        (head, exit)
    }

    /// Closes the innermost loop, whose kind and span are known by now, and goes on at its exit.
    fn leave_loop(&mut self, kind: LoopKind, span: Span) {
        let Some(open) = self.open.loops.pop() else {
            return;
        };
        let each = &mut self.function().loops[open.id.index()];
        each.kind = kind;
        each.span = span;
        self.start(open.exit);
        for &local in open.left_alive.iter().rev() {
            self.forget(local);
        }
    }

    pub(super) fn r#break(&mut self, token: &TokenReference) -> Span {
        if let Some(open) = self.open.loops.last() {
            let exit = open.exit;
            self.leave_alive();
            self.here();
            self.goto(exit);
        }
        span(token)
    }

    /// Here the innermost loop is left: its locals that are in scope will be forgotten at its exit. Once for all the ways out, or many locals
    /// and many breaks would make a great many instructions.
    fn leave_alive(&mut self) {
        let Some(open) = self.open.loops.last_mut() else {
            return;
        };
        // Scopes nest: what was in scope at an earlier way out and is so still has been noted then.
        let noted = open.left_alive.last().copied();
        let fresh = self.declared[open.outside..]
            .iter()
            .rev()
            .map(|declared| declared.local)
            .take_while(|&local| noted < Some(local));
        let at = open.left_alive.len();
        open.left_alive.extend(fresh);
        open.left_alive[at..].reverse();
    }

    pub(super) fn r#while(&mut self, stmt: &While) -> Span {
        self.note_empty(stmt.block(), stmt.while_token(), stmt.end_token());
        let (head, exit) = self.enter_loop();
        let body = self.block();
        self.condition(stmt.condition(), body, exit);
        self.start(body);
        self.scope(stmt.block());
        self.goto(head);
        let whole = span(stmt.while_token()).to(span(stmt.end_token()));
        self.leave_loop(LoopKind::While, whole);
        whole
    }

    pub(super) fn repeat(&mut self, stmt: &Repeat) -> Span {
        let (head, exit) = self.enter_loop();
        let outside = self.declared.len();
        self.body(stmt.block());
        let again = if self.declared.len() == outside { head } else { self.block() };
        // The condition sees the body's locals.
        self.condition(stmt.until(), exit, again);
        self.leave_alive();
        if again != head {
            self.start(again);
            self.leave(outside);
            self.goto(head);
        }
        let whole = span(stmt.repeat_token()).to(extent(stmt.until()));
        self.leave_loop(LoopKind::Repeat, whole);
        whole
    }

    pub(super) fn numeric_for(&mut self, stmt: &NumericFor) -> Span {
        self.note_empty(stmt.block(), stmt.for_token(), stmt.end_token());
        let start = self.expr(stmt.start());
        let limit = self.expr(stmt.end());
        let step = stmt.step().map(|step| (self.expr(step), step));
        let outside = self.declared.len();
        let name = span(stmt.index_variable());
        let range = name.to(step.map_or(limit.span, |(term, _)| term.span));
        let index = self.hidden(start.value, start.span);
        let bound = self.hidden(limit.value, limit.span);

        let (head, exit) = self.enter_loop();
        let body = self.block();
        let upward = match step {
            None => Some(true),
            Some((_, step)) => literal_number(self.text, step).map(|step| 0.0 < step),
        };
        let cond = match upward {
            Some(upward) => {
                let at = self.emit(Op::Get(index), name);
                let bound = self.emit(Op::Get(bound), limit.span);
                let op = if upward { BinaryOp::Le } else { BinaryOp::Ge };
                self.emit(Op::Binary(op, at, bound), range)
            }
            None => self.emit(Op::Unknown, range),
        };
        self.branch(cond, body, exit, range);

        self.start(body);
        let at = self.emit(Op::Get(index), name);
        self.loop_body(&[(name, at)], stmt.block());
        if self.open.current.is_some() {
            let at = self.emit(Op::Get(index), name);
            let step = match step {
                Some((step, _)) => step.value,
                None => self.constant(Const::Number(Number::new(1.0)), name),
            };
            let next = self.emit(Op::Binary(BinaryOp::Add, at, step), name);
            self.emit(Op::Set(index, next), name);
            self.goto(head);
        }
        let whole = span(stmt.for_token()).to(span(stmt.end_token()));
        let kind = LoopKind::Numeric { start: start.value, limit: limit.value, step: step.map(|(step, _)| step.value) };
        self.leave_loop(kind, whole);
        self.leave(outside);
        whole
    }

    pub(super) fn generic_for(&mut self, stmt: &GenericFor) -> Span {
        self.note_empty(stmt.block(), stmt.for_token(), stmt.end_token());
        let exprs = stmt.expressions();
        let ends = exprs.first().zip(exprs.last());
        let source = ends.map_or(Span::default(), |(first, last)| extent(first.value()).to(extent(last.value())));
        let outside = self.declared.len();
        let values = self.values(exprs, &[source; 3]);
        let [iterator, state, control] = [0, 1, 2].map(|at| self.hidden(values[at], source));

        let (head, exit) = self.enter_loop();
        let body = self.block();
        let callee = self.emit(Op::Get(iterator), source);
        let args = [state, control].map(|local| self.emit(Op::Get(local), source));
        let op = Op::Call { callee, args: args.to_vec(), tail: false };
        let call = self.emit(op, source);
        self.emit(Op::Set(control, call), source);
        let first = self.emit(Op::Get(control), source);
        let nil = self.constant(Const::Nil, source);
        let cond = self.emit(Op::Binary(BinaryOp::Ne, first, nil), source);
        self.branch(cond, body, exit, source);

        self.start(body);
        let mut variables = SmallVec::<[(Span, ValueId); 4]>::new();
        for (at, name) in stmt.names().iter().enumerate() {
            let name = span(name);
            let op = match at {
                // What the condition says of it is known there.
                0 => Op::Get(control),
                _ => Op::Extra(call, at as u32),
            };
            variables.push((name, self.emit(op, name)));
        }
        self.loop_body(&variables, stmt.block());
        self.goto(head);
        let whole = span(stmt.for_token()).to(span(stmt.end_token()));
        self.leave_loop(LoopKind::Generic { step: call }, whole);
        self.leave(outside);
        whole
    }

    fn loop_body(&mut self, variables: &[(Span, ValueId)], block: &Block) {
        let outside = self.declared.len();
        for &(name, value) in variables {
            let local = self.declare(name);
            self.emit(Op::Set(local, value), name);
        }
        self.body(block);
        self.leave(outside);
    }
}

/// The number that the text says, with its sign.
fn literal_number(text: &[u8], expr: &Expression) -> Option<f64> {
    match expr {
        Expression::Number(token) => literal::number(text.get(span(token).range())?),
        Expression::Parentheses { expression, .. } => literal_number(text, expression),
        Expression::UnaryOperator { unop: UnOp::Minus(_), expression } => {
            literal_number(text, expression).map(|number| -number)
        }
        _ => None,
    }
}
