//! Statements.

use full_moon::ast::punctuated::Punctuated;
use full_moon::ast::{
    Assignment, Block, Expression, FunctionDeclaration, If, LastStmt, LocalAssignment, LocalFunction, Return, Stmt,
    Suffix, Var,
};
use full_moon::tokenizer::{Symbol, TokenReference};
use smallvec::SmallVec;

use super::expr::is_multiple;
use super::extent::extent;
use super::{Form, Lower, span};
use crate::ir::{Const, LocalId, Op, Remark, Statement, Terminator, TextId, ValueId};
use crate::source::Span;

type Values = SmallVec<[ValueId; 4]>;
type Spans = SmallVec<[Span; 4]>;

/// What can be assigned to.
#[derive(Clone, Copy)]
enum Target {
    Local(LocalId),
    Global(TextId),
    Index(ValueId, ValueId),
    /// What Lua refuses, as `(a) = 1`.
    Nothing,
}

impl<'a> Lower<'a> {
    /// The statements of a block, in the scope that is open.
    pub(super) fn body(&mut self, block: &Block) {
        for stmt in block.stmts() {
            let at = self.begin_statement();
            let functions = self.program.functions.len();
            let span = self.stmt(stmt);
            let plain = matches!(stmt, Stmt::Assignment(_) | Stmt::LocalAssignment(_) | Stmt::FunctionCall(_));
            let simple = plain && functions == self.program.functions.len();
            self.program.statements[at] = Statement { span, simple };
        }
        let Some(last) = block.last_stmt() else {
            return;
        };
        let at = self.begin_statement();
        let functions = self.program.functions.len();
        let span = match last {
            LastStmt::Return(stmt) => self.r#return(stmt),
            LastStmt::Break(token) => self.r#break(token),
            _ => Span::default(),
        };
        let simple = functions == self.program.functions.len();
        self.program.statements[at] = Statement { span, simple };
    }

    /// Takes the statement's place in the list, as the inner ones come after it.
    fn begin_statement(&mut self) -> usize {
        let statements = &mut self.program.statements;
        statements.push(Statement { span: Span::default(), simple: true });
        statements.len() - 1
    }

    pub(super) fn scope(&mut self, block: &Block) {
        let outside = self.declared.len();
        self.body(block);
        self.leave(outside);
    }

    fn stmt(&mut self, stmt: &Stmt) -> Span {
        match stmt {
            Stmt::Assignment(stmt) => self.assignment(stmt),
            Stmt::Do(stmt) => {
                self.scope(stmt.block());
                span(stmt.do_token()).to(span(stmt.end_token()))
            }
            Stmt::FunctionCall(call) => self.suffixed(call.prefix(), call.suffixes()).span,
            Stmt::FunctionDeclaration(stmt) => self.function_declaration(stmt),
            Stmt::GenericFor(stmt) => self.generic_for(stmt),
            Stmt::If(stmt) => self.r#if(stmt),
            Stmt::LocalAssignment(stmt) => self.local_assignment(stmt),
            Stmt::LocalFunction(stmt) => self.local_function(stmt),
            Stmt::NumericFor(stmt) => self.numeric_for(stmt),
            Stmt::Repeat(stmt) => self.repeat(stmt),
            Stmt::While(stmt) => self.r#while(stmt),
            _ => Span::default(),
        }
    }

    fn r#return(&mut self, stmt: &Return) -> Span {
        let token = span(stmt.token());
        let mut values = Vec::new();
        let tail = self.list(stmt.returns(), &mut values);
        let whole = match stmt.returns().last() {
            Some(last) => token.to(extent(last.value())),
            None => token,
        };
        if values.is_empty() {
            self.here();
        }
        self.end(Terminator::Return { values, tail, span: whole });
        whole
    }

    /// Evaluates all expressions and fits them to the targets.
    pub(super) fn values(&mut self, exprs: &Punctuated<Expression>, targets: &[Span]) -> Values {
        let mut values = Values::new();
        let mut tail = None;
        for expr in exprs {
            let term = self.expr(expr);
            values.push(term.value);
            tail = is_multiple(expr).then_some(term);
        }
        let given = values.len() as u32;
        while values.len() < targets.len() {
            let next = values.len() as u32;
            values.push(match tail {
                Some(term) => self.emit(Op::Extra(term.value, next + 1 - given), term.span),
                None => self.constant(Const::Nil, targets[values.len()]),
            });
        }
        values.truncate(targets.len());
        values
    }

    /// Notes an assignment that does not give each name one value.
    fn balance(&mut self, names: u32, exprs: &Punctuated<Expression>, whole: Span) {
        let values = exprs.len() as u32;
        let Some(last) = exprs.last().map(|last| last.value()) else { return };
        // `a, b = nil` and `a, b = f()`
        let fills = is_multiple(last) || matches!(last, Expression::Symbol(token) if token.is_symbol(Symbol::Nil));
        if names < values || (values < names && !fills) {
            self.program.remarks.push(Remark::Unbalanced { span: whole, names, values });
        }
    }

    /// Notes a block without statements between two keywords.
    pub(super) fn note_empty(&mut self, block: &Block, before: &TokenReference, behind: &TokenReference) {
        if block.stmts().next().is_none() && block.last_stmt().is_none() {
            self.program.remarks.push(Remark::Empty(span(before).to(span(behind))));
        }
    }

    fn local_assignment(&mut self, stmt: &LocalAssignment) -> Span {
        let mut whole = span(stmt.local_token());
        let names: Spans = stmt.names().iter().map(span).collect();
        let values = self.values(stmt.expressions(), &names);
        for (&name, &value) in names.iter().zip(&values) {
            let local = self.declare(name);
            self.store(Target::Local(local), value, name);
            if let Op::Global(global) = *self.function().op(value)
                && self.program.texts.get(global) == b"error"
            {
                self.error_aliases.insert(local);
            }
            whole = whole.to(name);
        }
        if let Some(last) = stmt.expressions().last() {
            whole = whole.to(extent(last.value()));
            self.balance(names.len() as u32, stmt.expressions(), whole);
        }
        whole
    }

    fn assignment(&mut self, stmt: &Assignment) -> Span {
        let mut targets = SmallVec::<[Target; 4]>::new();
        let mut spans = Spans::new();
        for var in stmt.variables() {
            let (target, span) = self.target(var);
            targets.push(target);
            spans.push(span);
        }
        let values = self.values(stmt.expressions(), &spans);
        // Lua stores from the last to the first.
        for (at, &value) in values.iter().enumerate().rev() {
            self.store(targets[at], value, spans[at]);
        }
        let last = stmt.expressions().last();
        let end = last.map_or(Span::default(), |last| extent(last.value()));
        let whole = spans.first().map_or(end, |first| first.to(end));
        self.balance(spans.len() as u32, stmt.expressions(), whole);
        whole
    }

    fn target(&mut self, var: &Var) -> (Target, Span) {
        match var {
            Var::Name(name) => self.named_target(name),
            Var::Expression(var) => {
                let mut before: SmallVec<[&Suffix; 4]> = var.suffixes().collect();
                let last = before.pop();
                let table = self.suffixed(var.prefix(), before.into_iter());
                let Some(Suffix::Index(index)) = last else {
                    return (Target::Nothing, table.span);
                };
                let key = self.key(index);
                let target = Target::Index(table.value, key.value);
                (target, table.span.to(key.span))
            }
            _ => (Target::Nothing, Span::default()),
        }
    }

    fn named_target(&mut self, token: &TokenReference) -> (Target, Span) {
        let span = span(token);
        let name = self.bytes(span);
        let target = match self.resolve(name) {
            Some(local) => Target::Local(local),
            None => Target::Global(self.program.texts.intern(name)),
        };
        (target, span)
    }

    fn store(&mut self, target: Target, value: ValueId, span: Span) {
        let op = match target {
            Target::Local(local) => Op::Set(local, value),
            Target::Global(name) => Op::SetGlobal(name, value),
            Target::Index(table, key) => Op::SetIndex { table, key, value },
            Target::Nothing => return,
        };
        self.emit(op, span);
        self.name_function(value, span);
    }

    fn function_declaration(&mut self, stmt: &FunctionDeclaration) -> Span {
        let function = span(stmt.function_token());
        let names = stmt.name().names();
        let method = stmt.name().method_name();
        let mut path: SmallVec<[&TokenReference; 4]> = names.iter().chain(method).collect();
        let Some(last) = path.pop() else {
            return function;
        };
        let (target, name) = match path.split_first() {
            None => self.named_target(last),
            Some((first, fields)) => {
                let mut table = self.name(first);
                for field in fields {
                    let key = self.field_name(field);
                    table = self.indexed(table, key);
                }
                let key = self.field_name(last);
                let target = Target::Index(table.value, key.value);
                (target, table.span.to(key.span))
            }
        };
        let form = method.map_or(Form::Function, |_| Form::Method);
        let closure = self.closure(function, stmt.body(), form);
        self.store(target, closure.value, name);
        closure.span
    }

    fn local_function(&mut self, stmt: &LocalFunction) -> Span {
        let name = span(stmt.name());
        let local = self.declare(name);
        let function = span(stmt.function_token());
        let closure = self.closure(function, stmt.body(), Form::Function);
        self.store(Target::Local(local), closure.value, name);
        span(stmt.local_token()).to(closure.span)
    }

    fn r#if(&mut self, stmt: &If) -> Span {
        let join = self.block();
        let more = stmt.else_if().map(Vec::as_slice).unwrap_or_default();
        let others = more.iter().map(|arm| (arm.else_if_token(), arm.condition(), arm.block()));
        let first = (stmt.if_token(), stmt.condition(), stmt.block());
        let mut arms = std::iter::once(first).chain(others).peekable();
        let end = stmt.end_token();
        while let Some((keyword, condition, block)) = arms.next() {
            let behind = arms.peek().map(|(keyword, ..)| *keyword).or(stmt.else_token());
            self.note_empty(block, keyword, behind.unwrap_or(end));
            let yes = self.block();
            let last = arms.peek().is_none() && stmt.else_block().is_none();
            let no = if last { join } else { self.block() };
            self.condition(condition, yes, no);
            self.start(yes);
            self.scope(block);
            self.goto(join);
            if !last {
                self.start(no);
            }
        }
        if let Some(block) = stmt.else_block() {
            self.note_empty(block, stmt.else_token().unwrap_or(end), end);
            self.scope(block);
            self.goto(join);
        }
        self.start(join);
        span(stmt.if_token()).to(span(end))
    }
}
