//! Expressions.

use full_moon::ast::punctuated::Punctuated;
use full_moon::ast::{
    BinOp, Call, Expression, Field, FunctionArgs, Index, Prefix, Suffix, TableConstructor, UnOp, Var,
};
use full_moon::tokenizer::{Symbol, TokenReference, TokenType};
use smallvec::SmallVec;

use super::extent::end_of_args;
use super::{Form, Lower, Term, span};
use crate::ir::{BinaryOp, Const, Number, Op, Terminator, ValueId};
use crate::parse::literal;
use crate::source::Span;

/// Does it give all its results where a list ends with it? In parentheses it gives one.
pub(super) fn is_multiple(expr: &Expression) -> bool {
    match expr {
        Expression::FunctionCall(_) => true,
        Expression::Symbol(token) => token.is_symbol(Symbol::Ellipsis),
        _ => false,
    }
}

fn binary_op(operator: &BinOp) -> Option<BinaryOp> {
    Some(match operator {
        BinOp::Plus(_) => BinaryOp::Add,
        BinOp::Minus(_) => BinaryOp::Sub,
        BinOp::Star(_) => BinaryOp::Mul,
        BinOp::Slash(_) => BinaryOp::Div,
        BinOp::Percent(_) => BinaryOp::Mod,
        BinOp::Caret(_) => BinaryOp::Pow,
        BinOp::TwoDots(_) => BinaryOp::Concat,
        BinOp::TwoEqual(_) => BinaryOp::Eq,
        BinOp::TildeEqual(_) => BinaryOp::Ne,
        BinOp::LessThan(_) => BinaryOp::Lt,
        BinOp::LessThanEqual(_) => BinaryOp::Le,
        BinOp::GreaterThan(_) => BinaryOp::Gt,
        BinOp::GreaterThanEqual(_) => BinaryOp::Ge,
        _ => return None,
    })
}

impl<'a> Lower<'a> {
    pub(super) fn expr(&mut self, expr: &Expression) -> Term {
        match expr {
            Expression::BinaryOperator { binop: BinOp::And(_) | BinOp::Or(_), .. } => self.choice(expr),
            Expression::BinaryOperator { .. } => self.binary(expr),
            Expression::Parentheses { contained, expression } => {
                let (open, close) = contained.tokens();
                Term { value: self.expr(expression).value, span: span(open).to(span(close)) }
            }
            Expression::UnaryOperator { unop, expression } => self.unary(unop, expression),
            Expression::Function(function) => {
                self.closure(span(function.function_token()), function.body(), Form::Function)
            }
            Expression::FunctionCall(call) => self.suffixed(call.prefix(), call.suffixes()),
            Expression::TableConstructor(table) => self.table(table),
            Expression::Number(token) => self.number(token),
            Expression::String(token) => self.string(token),
            Expression::Symbol(token) => self.symbol(token),
            Expression::Var(Var::Name(name)) => self.name(name),
            Expression::Var(Var::Expression(var)) => self.suffixed(var.prefix(), var.suffixes()),
            _ => self.unknown(),
        }
    }

    fn unknown(&mut self) -> Term {
        let span = Span::default();
        Term { value: self.emit(Op::Unknown, span), span }
    }

    fn binary(&mut self, expr: &Expression) -> Term {
        // A chain of operators leans to the left and may be as long as the script.
        let mut right_sides = SmallVec::<[(BinaryOp, &Expression); 4]>::new();
        let mut expr = expr;
        while let Expression::BinaryOperator { lhs, binop, rhs } = expr
            && let Some(op) = binary_op(binop)
        {
            right_sides.push((op, rhs));
            expr = lhs;
        }
        if right_sides.is_empty() {
            return self.unknown();
        }
        let mut left = self.expr(expr);
        while let Some((op, rhs)) = right_sides.pop() {
            let right = self.expr(rhs);
            let span = left.span.to(right.span);
            let value = self.emit(Op::Binary(op, left.value, right.value), span);
            left = Term { value, span };
        }
        left
    }

    fn unary(&mut self, operator: &UnOp, operand: &Expression) -> Term {
        let operand = self.expr(operand);
        let op = match operator {
            UnOp::Minus(_) => Op::Negate(operand.value),
            UnOp::Not(_) => Op::Not(operand.value),
            UnOp::Hash(_) => Op::Length(operand.value),
            _ => Op::Unknown,
        };
        let span = span(operator.token()).to(operand.span);
        Term { value: self.emit(op, span), span }
    }

    pub(super) fn number(&mut self, token: &TokenReference) -> Term {
        let span = span(token);
        let op = match literal::number(self.bytes(span)) {
            Some(number) => Op::Const(Const::Number(Number::new(number))),
            None => Op::Unknown,
        };
        Term { value: self.emit(op, span), span }
    }

    fn string(&mut self, token: &TokenReference) -> Term {
        let span = span(token);
        let text = self.program.texts.intern(&literal::string(self.bytes(span)));
        Term { value: self.constant(Const::Text(text), span), span }
    }

    fn symbol(&mut self, token: &TokenReference) -> Term {
        let span = span(token);
        let op = match token.token().token_type() {
            TokenType::Symbol { symbol } => match symbol {
                Symbol::Nil => Op::Const(Const::Nil),
                Symbol::True => Op::Const(Const::True),
                Symbol::False => Op::Const(Const::False),
                Symbol::Ellipsis => Op::Vararg,
                _ => Op::Unknown,
            },
            _ => Op::Unknown,
        };
        Term { value: self.emit(op, span), span }
    }

    pub(super) fn name(&mut self, token: &TokenReference) -> Term {
        let span = span(token);
        let name = self.bytes(span);
        let op = match self.resolve(name) {
            Some(local) => Op::Get(local),
            None => Op::Global(self.program.texts.intern(name)),
        };
        Term { value: self.emit(op, span), span }
    }

    /// A name as a constant: `f` in `o.f`.
    pub(super) fn field_name(&mut self, token: &TokenReference) -> Term {
        let span = span(token);
        let text = self.program.texts.intern(self.bytes(span));
        Term { value: self.constant(Const::Text(text), span), span }
    }

    pub(super) fn suffixed<'t>(&mut self, prefix: &Prefix, suffixes: impl Iterator<Item = &'t Suffix>) -> Term {
        let (mut term, mut raises) = match prefix {
            Prefix::Name(name) => (self.name(name), self.raises(self.bytes(span(name)))),
            Prefix::Expression(expression) => (self.expr(expression), false),
            _ => (self.unknown(), false),
        };
        for suffix in suffixes {
            term = match suffix {
                Suffix::Index(index) => self.index(term, index),
                Suffix::Call(Call::AnonymousCall(args)) => self.call(term, args, None),
                Suffix::Call(Call::MethodCall(method)) => {
                    let key = self.field_name(method.name());
                    let callee = self.indexed(term, key);
                    self.call(callee, method.args(), Some(term.value))
                }
                _ => self.unknown(),
            };
            if raises && matches!(suffix, Suffix::Call(Call::AnonymousCall(_))) {
                self.end(Terminator::Raise);
            }
            raises = false;
        }
        term
    }

    /// Does the name mean Lua's function `error` here?
    fn raises(&self, name: &[u8]) -> bool {
        match self.visible.get(name) {
            Some(local) => self.trust_aliases && self.error_aliases.contains(local),
            None => name == b"error",
        }
    }

    fn index(&mut self, table: Term, index: &Index) -> Term {
        let key = self.key(index);
        self.indexed(table, key)
    }

    /// The key of an index; its span ends with the bracket.
    pub(super) fn key(&mut self, index: &Index) -> Term {
        match index {
            Index::Brackets { brackets, expression } => {
                Term { span: span(brackets.tokens().1), value: self.expr(expression).value }
            }
            Index::Dot { name, .. } => self.field_name(name),
            _ => self.unknown(),
        }
    }

    pub(super) fn indexed(&mut self, table: Term, key: Term) -> Term {
        let span = table.span.to(key.span);
        Term { value: self.emit(Op::Index(table.value, key.value), span), span }
    }

    fn call(&mut self, callee: Term, args: &FunctionArgs, object: Option<ValueId>) -> Term {
        let mut values: Vec<ValueId> = object.into_iter().collect();
        let mut tail = false;
        match args {
            FunctionArgs::Parentheses { arguments, .. } => {
                tail = self.list(arguments, &mut values);
            }
            FunctionArgs::String(token) => values.push(self.string(token).value),
            FunctionArgs::TableConstructor(table) => values.push(self.table(table).value),
            _ => {}
        }
        let span = callee.span.to(end_of_args(args));
        let op = Op::Call { callee: callee.value, args: values, tail };
        Term { value: self.emit(op, span), span }
    }

    /// Appends the values of a list; is the last one multiple?
    pub(super) fn list(&mut self, exprs: &Punctuated<Expression>, values: &mut Vec<ValueId>) -> bool {
        values.reserve(exprs.len());
        let mut tail = false;
        for expr in exprs {
            values.push(self.expr(expr).value);
            tail = is_multiple(expr);
        }
        tail
    }

    fn table(&mut self, constructor: &TableConstructor) -> Term {
        let (open, close) = constructor.braces().tokens();
        let whole = span(open).to(span(close));
        let table = self.emit(Op::Table, whole);
        let fields = constructor.fields();
        let mut position = 0;
        for (at, field) in fields.iter().enumerate() {
            let (key, value) = match field {
                Field::ExpressionKey { brackets, key, value, .. } => {
                    let key = Term { span: span(brackets.tokens().0), value: self.expr(key).value };
                    (key, self.expr(value))
                }
                Field::NameKey { key, value, .. } => {
                    let name = self.field_name(key);
                    let value = self.expr(value);
                    self.name_function(value.value, name.span);
                    (name, value)
                }
                Field::NoKey(expr) => {
                    position += 1;
                    let value = self.expr(expr);
                    if at + 1 == fields.len() && is_multiple(expr) {
                        let op = Op::SetTail { table, first: position, tail: value.value };
                        self.emit(op, value.span);
                        continue;
                    }
                    let number = Const::Number(Number::new(f64::from(position)));
                    let key = Term { value: self.constant(number, value.span), span: value.span };
                    (key, value)
                }
                _ => continue,
            };
            let op = Op::SetIndex { table, key: key.value, value: value.value };
            self.emit(op, key.span.to(value.span));
        }
        Term { value: table, span: whole }
    }
}
