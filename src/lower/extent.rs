//! Where an expression that isn't lowered yet begins and ends. Needed once per condition: its branches are made before its end is known.

use full_moon::ast::{Call, Expression, FunctionArgs, Index, Prefix, Suffix, Var};

use super::span;
use crate::source::Span;

/// The whole expression, with its parentheses. Walks the left and the right spine, so don't ask for each of nested expressions.
pub(super) fn extent(expr: &Expression) -> Span {
    first(expr).to(last(expr))
}

fn first(mut expr: &Expression) -> Span {
    loop {
        match expr {
            Expression::BinaryOperator { lhs, .. } => expr = lhs,
            Expression::UnaryOperator { unop, .. } => return span(unop.token()),
            Expression::Function(function) => return span(function.function_token()),
            Expression::FunctionCall(call) => match call.prefix() {
                Prefix::Expression(prefix) => expr = prefix,
                Prefix::Name(name) => return span(name),
                _ => return Span::default(),
            },
            Expression::Var(Var::Expression(var)) => match var.prefix() {
                Prefix::Expression(prefix) => expr = prefix,
                Prefix::Name(name) => return span(name),
                _ => return Span::default(),
            },
            _ => return last(expr),
        }
    }
}

/// The last token, or for brackets and such the whole of what ends there.
fn last(mut expr: &Expression) -> Span {
    loop {
        match expr {
            Expression::BinaryOperator { rhs, .. } => expr = rhs,
            Expression::UnaryOperator { expression, .. } => expr = expression,
            Expression::Parentheses { contained, .. } => {
                let (open, close) = contained.tokens();
                return span(open).to(span(close));
            }
            Expression::Function(function) => return span(function.body().end_token()),
            Expression::FunctionCall(call) => {
                return call.suffixes().last().map_or(Span::default(), end_of);
            }
            Expression::Var(Var::Expression(var)) => {
                return var.suffixes().last().map_or(Span::default(), end_of);
            }
            Expression::TableConstructor(table) => {
                let (open, close) = table.braces().tokens();
                return span(open).to(span(close));
            }
            Expression::Number(token)
            | Expression::String(token)
            | Expression::Symbol(token)
            | Expression::Var(Var::Name(token)) => return span(token),
            _ => return Span::default(),
        }
    }
}

fn end_of(suffix: &Suffix) -> Span {
    match suffix {
        Suffix::Index(Index::Brackets { brackets, .. }) => span(brackets.tokens().1),
        Suffix::Index(Index::Dot { name, .. }) => span(name),
        Suffix::Call(Call::AnonymousCall(args)) => end_of_args(args),
        Suffix::Call(Call::MethodCall(call)) => end_of_args(call.args()),
        _ => Span::default(),
    }
}

/// The last token of a call's arguments.
pub(super) fn end_of_args(args: &FunctionArgs) -> Span {
    match args {
        FunctionArgs::Parentheses { parentheses, .. } => span(parentheses.tokens().1),
        FunctionArgs::String(token) => span(token),
        FunctionArgs::TableConstructor(table) => span(table.braces().tokens().1),
        _ => Span::default(),
    }
}
