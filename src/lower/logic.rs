//! `and`, `or` and `not`: branches.

use full_moon::ast::{BinOp, Expression, UnOp};
use smallvec::SmallVec;

use super::extent::extent;
use super::{Lower, Term};
use crate::ir::{BlockId, LocalId, Op, Terminator, ValueId};
use crate::source::Span;

/// Where an operand leads if it is true, or if it is false.
#[derive(Clone, Copy)]
struct Exit {
    to: BlockId,
    /// The temporary that then must hold the operand's value.
    keep: Option<LocalId>,
}

impl<'a> Lower<'a> {
    /// Goes to `yes` if the condition holds, else to `no`.
    pub(super) fn condition(&mut self, expr: &Expression, yes: BlockId, no: BlockId) {
        let yes = Exit { to: yes, keep: None };
        let no = Exit { to: no, keep: None };
        self.decide(expr, yes, no, extent(expr));
    }

    /// The value of `a and b` or `a or b`.
    pub(super) fn choice(&mut self, expr: &Expression) -> Term {
        let span = extent(expr);
        let temporary = self.local(None);
        let join = self.block();
        let exit = Exit { to: join, keep: Some(temporary) };
        self.decide(expr, exit, exit, span);
        self.start(join);
        let value = self.emit(Op::Get(temporary), span);
        self.forget(temporary);
        Term { value, span }
    }

    fn decide(&mut self, expr: &Expression, yes: Exit, no: Exit, whole: Span) {
        let (mut expr, mut yes, mut no) = (expr, yes, no);
        // A chain of operators leans to the left and may be as long as the script.
        let mut right_sides = SmallVec::<[(BlockId, &Expression, Exit, Exit); 4]>::new();
        loop {
            match expr {
                Expression::Parentheses { expression, .. } => expr = expression,
                Expression::UnaryOperator { unop: UnOp::Not(_), expression } if yes.keep.or(no.keep).is_none() => {
                    (yes, no) = (no, yes);
                    expr = expression;
                }
                Expression::BinaryOperator { lhs, binop: binop @ (BinOp::And(_) | BinOp::Or(_)), rhs } => {
                    let right = self.block();
                    right_sides.push((right, rhs, yes, no));
                    let next = Exit { to: right, keep: None };
                    match binop {
                        BinOp::And(_) => yes = next,
                        _ => no = next,
                    }
                    expr = lhs;
                }
                _ => break,
            }
        }
        let operand = self.expr(expr);
        self.split(operand, yes, no, whole);
        while let Some((right, rhs, yes, no)) = right_sides.pop() {
            self.start(right);
            self.decide(rhs, yes, no, whole);
        }
    }

    fn split(&mut self, operand: Term, yes: Exit, no: Exit, whole: Span) {
        if let Some(temporary) = yes.keep.or(no.keep) {
            self.emit(Op::Set(temporary, operand.value), operand.span);
        }
        if yes.to == no.to {
            self.goto(yes.to);
        } else {
            self.branch(operand.value, yes.to, no.to, whole);
        }
    }

    pub(super) fn branch(&mut self, cond: ValueId, yes: BlockId, no: BlockId, whole: Span) {
        self.end(Terminator::Branch { cond, yes, no, whole });
    }
}
