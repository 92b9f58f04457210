//! Statements.

use full_moon::ast::punctuated::Punctuated;
use full_moon::ast::{
    Assignment, Block, Expression, FunctionDeclaration, GenericFor, If, LastStmt, LocalAssignment, LocalFunction,
    NumericFor, Repeat, Return, Stmt, Suffix, UnOp, Var, While,
};
use full_moon::tokenizer::TokenReference;
use smallvec::SmallVec;

use super::expr::is_multiple;
use super::extent::extent;
use super::{Lower, Method, literal, span};
use crate::ir::{BinaryOp, Const, LocalId, LoopKind, Number, Op, Statement, Terminator, TextId, ValueId};
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

    fn scope(&mut self, block: &Block) {
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

    fn r#break(&mut self, token: &TokenReference) -> Span {
        if let Some(open) = self.open.loops.last() {
            let exit = open.exit;
            self.leave_alive();
            self.here();
            self.goto(exit);
        }
        span(token)
    }

    /// Evaluates all expressions and fits them to the targets, which name the functions among them.
    fn values(&mut self, exprs: &Punctuated<Expression>, targets: &[Span]) -> Values {
        let mut values = Values::new();
        let mut tail = None;
        for expr in exprs {
            let term = self.named(expr, targets.get(values.len()).copied());
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

    fn local_assignment(&mut self, stmt: &LocalAssignment) -> Span {
        let mut whole = span(stmt.local_token());
        let names: Spans = stmt.names().iter().map(span).collect();
        let values = self.values(stmt.expressions(), &names);
        for (&name, &value) in names.iter().zip(&values) {
            let local = self.declare(name);
            self.emit(Op::Set(local, value), name);
            if let Op::Global(global) = *self.function().op(value)
                && self.program.texts.get(global) == b"error"
            {
                self.error_aliases.push(local);
            }
            whole = whole.to(name);
        }
        match stmt.expressions().last() {
            Some(last) => whole.to(extent(last.value())),
            None => whole,
        }
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
        spans.first().map_or(end, |first| first.to(end))
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
        let method = method.map(|_| Method);
        let closure = self.closure(function, stmt.body(), Some(name), method);
        self.store(target, closure.value, name);
        closure.span
    }

    fn local_function(&mut self, stmt: &LocalFunction) -> Span {
        let name = span(stmt.name());
        let local = self.declare(name);
        let function = span(stmt.function_token());
        let closure = self.closure(function, stmt.body(), Some(name), None);
        self.emit(Op::Set(local, closure.value), name);
        span(stmt.local_token()).to(closure.span)
    }

    fn r#if(&mut self, stmt: &If) -> Span {
        let join = self.block();
        let more = stmt.else_if().map(Vec::as_slice).unwrap_or_default();
        let others = more.iter().map(|arm| (arm.condition(), arm.block()));
        let mut arms = std::iter::once((stmt.condition(), stmt.block())).chain(others).peekable();
        while let Some((condition, block)) = arms.next() {
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
            self.scope(block);
            self.goto(join);
        }
        self.start(join);
        span(stmt.if_token()).to(span(stmt.end_token()))
    }

    fn r#while(&mut self, stmt: &While) -> Span {
        let open = self.enter_loop();
        let body = self.block();
        self.condition(stmt.condition(), body, open.exit);
        self.start(body);
        self.scope(stmt.block());
        self.goto(open.head);
        let whole = span(stmt.while_token()).to(span(stmt.end_token()));
        self.leave_loop(LoopKind::While, whole);
        whole
    }

    fn repeat(&mut self, stmt: &Repeat) -> Span {
        let open = self.enter_loop();
        let outside = self.declared.len();
        self.body(stmt.block());
        let again = if self.declared.len() == outside { open.head } else { self.block() };
        // The condition sees the body's locals.
        self.condition(stmt.until(), open.exit, again);
        self.leave_alive();
        if again != open.head {
            self.start(again);
            self.leave(outside);
            self.goto(open.head);
        }
        let whole = span(stmt.repeat_token()).to(extent(stmt.until()));
        self.leave_loop(LoopKind::Repeat, whole);
        whole
    }

    fn numeric_for(&mut self, stmt: &NumericFor) -> Span {
        let start = self.expr(stmt.start());
        let limit = self.expr(stmt.end());
        let step = stmt.step().map(|step| (self.expr(step), step));
        let outside = self.declared.len();
        let name = span(stmt.index_variable());
        let head = name.to(step.map_or(limit.span, |(term, _)| term.span));
        let index = self.hidden(start.value, start.span);
        let bound = self.hidden(limit.value, limit.span);

        let open = self.enter_loop();
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
                self.emit(Op::Binary(op, at, bound), head)
            }
            None => self.emit(Op::Unknown, head),
        };
        self.branch(cond, body, open.exit, head);

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
            self.goto(open.head);
        }
        let whole = span(stmt.for_token()).to(span(stmt.end_token()));
        let kind = LoopKind::Numeric { start: start.value, limit: limit.value, step: step.map(|(step, _)| step.value) };
        self.leave_loop(kind, whole);
        self.leave(outside);
        whole
    }

    fn generic_for(&mut self, stmt: &GenericFor) -> Span {
        let exprs = stmt.expressions();
        let ends = exprs.first().zip(exprs.last());
        let source = ends.map_or(Span::default(), |(first, last)| extent(first.value()).to(extent(last.value())));
        let outside = self.declared.len();
        let values = self.values(exprs, &[source; 3]);
        let [iterator, state, control] = [0, 1, 2].map(|at| self.hidden(values[at], source));

        let open = self.enter_loop();
        let body = self.block();
        let callee = self.emit(Op::Get(iterator), source);
        let args = [state, control].map(|local| self.emit(Op::Get(local), source));
        let op = Op::Call { callee, args: args.to_vec(), tail: false };
        let call = self.emit(op, source);
        self.emit(Op::Set(control, call), source);
        let first = self.emit(Op::Get(control), source);
        let nil = self.constant(Const::Nil, source);
        let cond = self.emit(Op::Binary(BinaryOp::Ne, first, nil), source);
        self.branch(cond, body, open.exit, source);

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
        self.goto(open.head);
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
