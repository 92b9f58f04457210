//! From the tree to the IR; names are resolved on the way.
//!
//! An expression is lowered to the value that it makes and the span that it covers, bottom-up: no node is asked for its range, which would walk
//! it again at each level. Blocks are numbered in the order of the text. After a `return`, `break` or `error(...)` there is no current block; if
//! more follows, it goes to a fresh block that nothing leads to.

#![expect(clippy::wildcard_enum_match_arm, reason = "full_moon's enums are non-exhaustive")]

mod expr;
mod extent;
mod logic;
mod loops;
mod stmt;
#[cfg(test)]
mod tests;

use full_moon::ast::{Ast, FunctionBody, Parameter};
use full_moon::tokenizer::TokenReference;
use rustc_hash::{FxHashMap, FxHashSet};

use self::loops::OpenLoop;
use crate::ir::{Block, BlockId, Const, FuncId, Function, Inst, Local, LocalId, Op, Program, Terminator, ValueId};
use crate::parse::Parsed;
use crate::source::{Source, Span};

/// Lowers a script. What the tree can hold but Lua 5.1 can't say becomes an unknown value.
pub fn lower(source: &Source, parsed: Parsed) -> Program {
    let (program, mistaken) = lower_tree(source, &parsed.ast, true);
    if mistaken {
        return lower_tree(source, &parsed.ast, false).0;
    }
    program
}

/// Scripts have more text for each instruction.
const BYTES_PER_INST: usize = 12;

/// Also: was a local taken for the function `error` that is assigned again? Then its calls may return.
fn lower_tree(source: &Source, ast: &Ast, trust_aliases: bool) -> (Program, bool) {
    let mut lower = Lower {
        text: &source.text,
        program: Program::default(),
        open: Open::new(FuncId(0)),
        visible: FxHashMap::default(),
        declared: Vec::new(),
        error_aliases: FxHashSet::default(),
        trust_aliases,
    };
    let end = source.text.len() as u32;
    lower.new_function(Span::new(0, end), None);
    lower.function().vararg = true;
    lower.function().insts.reserve(source.text.len() / BYTES_PER_INST);
    lower.here();
    lower.body(ast.nodes());
    lower.close();
    let reassigned = |local: &LocalId| 1 < lower.program.locals[local.index()].assigned;
    let mistaken = lower.error_aliases.iter().any(reassigned);
    (lower.program, mistaken)
}

/// What has been lowered, and what is in scope.
struct Lower<'a> {
    text: &'a [u8],
    program: Program,
    /// The function that is being lowered.
    open: Open,
    /// What each name means here, if it is a local.
    visible: FxHashMap<&'a [u8], LocalId>,
    /// The locals in scope, those of outer functions too, in the order of their declaration.
    declared: Vec<Declared<'a>>,
    /// Locals declared as `local x = error`.
    error_aliases: FxHashSet<LocalId>,
    trust_aliases: bool,
}

struct Declared<'a> {
    local: LocalId,
    /// `None`: a temporary.
    name: Option<&'a [u8]>,
    /// What the name meant before.
    shadowed: Option<LocalId>,
}

/// A function that is being lowered.
struct Open {
    id: FuncId,
    /// Where instructions go; `None`: what comes next can't be reached.
    current: Option<BlockId>,
    /// By [`BlockId`]: does a terminator lead there?
    targeted: Vec<bool>,
    /// The blocks that were started, in the order of the text.
    started: Vec<BlockId>,
    loops: Vec<OpenLoop>,
}

/// An expression that has been lowered.
#[derive(Clone, Copy)]
struct Term {
    value: ValueId,
    /// With its parentheses; the value's own span is without.
    span: Span,
}

impl Open {
    fn new(id: FuncId) -> Open {
        Open { id, current: None, targeted: Vec::new(), started: Vec::new(), loops: Vec::new() }
    }
}

/// The token, without the space around it.
fn span(token: &TokenReference) -> Span {
    let token = token.token();
    Span::new(token.start_position().bytes() as u32, token.end_position().bytes() as u32)
}

/// Blocks and instructions.
impl<'a> Lower<'a> {
    fn function(&mut self) -> &mut Function {
        &mut self.program.functions[self.open.id.index()]
    }

    fn new_function(&mut self, span: Span, parent: Option<FuncId>) -> FuncId {
        let id = FuncId(self.program.functions.len() as u32);
        self.program.functions.push(Function {
            params: Vec::new(),
            vararg: false,
            insts: Vec::new(),
            blocks: Vec::new(),
            loops: Vec::new(),
            span,
            parent,
            name: None,
        });
        id
    }

    /// A new block inside the innermost loop. Nothing is put there before it is started.
    fn block(&mut self) -> BlockId {
        let within = self.open.loops.last().map(|open| open.id);
        self.open.targeted.push(false);
        let blocks = &mut self.function().blocks;
        let id = BlockId(blocks.len() as u32);
        blocks.push(Block { insts: Vec::new(), end: Terminator::Raise, within, unwind: None });
        id
    }

    /// Goes on in `block`, if anything leads there. For a loop's head that is the way into the loop.
    fn start(&mut self, block: BlockId) {
        self.open.current = self.open.targeted[block.index()].then_some(block);
        self.open.started.extend(self.open.current);
    }

    /// The current block; what can't be reached gets one too.
    fn here(&mut self) -> BlockId {
        if let Some(block) = self.open.current {
            return block;
        }
        let block = self.block();
        self.open.started.push(block);
        self.open.current = Some(block);
        block
    }

    /// Ends the current block, if there is one.
    fn end(&mut self, terminator: Terminator) {
        let Some(block) = self.open.current.take() else {
            return;
        };
        for to in terminator.successors() {
            self.open.targeted[to.index()] = true;
        }
        self.function().blocks[block.index()].end = terminator;
    }

    fn goto(&mut self, to: BlockId) {
        self.end(Terminator::Goto(to));
    }

    fn emit(&mut self, op: Op, span: Span) -> ValueId {
        if let Op::Set(local, _) = op {
            self.program.locals[local.index()].assigned += 1;
        }
        let block = self.here();
        let function = self.function();
        let value = ValueId(function.insts.len() as u32);
        function.insts.push(Inst { op, span, via: None });
        function.blocks[block.index()].insts.push(value);
        value
    }

    fn constant(&mut self, constant: Const, span: Span) -> ValueId {
        self.emit(Op::Const(constant), span)
    }

    /// Ends the open function: returns where its text ends, and renumbers its blocks in the order of the text.
    fn close(&mut self) {
        let end = self.function().span.end;
        self.end(Terminator::Return { values: Vec::new(), tail: false, span: Span::new(end, end) });
        let started = std::mem::take(&mut self.open.started);
        let function = self.function();
        let mut place = vec![BlockId(0); function.blocks.len()];
        for (new, old) in started.iter().enumerate() {
            place[old.index()] = BlockId(new as u32);
        }
        let mut blocks: Vec<Option<Block>> = std::mem::take(&mut function.blocks).into_iter().map(Some).collect();
        function.blocks = started.iter().filter_map(|old| blocks[old.index()].take()).collect();
        for block in &mut function.blocks {
            match &mut block.end {
                Terminator::Goto(to) => *to = place[to.index()],
                Terminator::Branch { yes, no, .. } => {
                    *yes = place[yes.index()];
                    *no = place[no.index()];
                }
                Terminator::Return { .. } | Terminator::Raise => {}
            }
        }
        for each in &mut function.loops {
            each.head = place[each.head.index()];
        }
    }
}

/// Names and scopes.
impl<'a> Lower<'a> {
    fn bytes(&self, span: Span) -> &'a [u8] {
        self.text.get(span.range()).unwrap_or_default()
    }

    fn local(&mut self, name: Option<Span>) -> LocalId {
        let id = LocalId(self.program.locals.len() as u32);
        self.program.locals.push(Local { name, function: self.open.id, assigned: 0, captured: false, shadows: None });
        id
    }

    fn declare(&mut self, name: Span) -> LocalId {
        let local = self.local(Some(name));
        self.bind(local, self.bytes(name));
        local
    }

    /// Brings the local into scope.
    fn bind(&mut self, local: LocalId, name: &'a [u8]) {
        let shadowed = self.visible.insert(name, local);
        self.program.locals[local.index()].shadows = shadowed;
        self.declared.push(Declared { local, name: Some(name), shadowed });
    }

    /// A local that no name means, until the scope's end.
    fn hidden(&mut self, value: ValueId, span: Span) -> LocalId {
        let local = self.local(None);
        self.declared.push(Declared { local, name: None, shadowed: None });
        self.emit(Op::Set(local, value), span);
        local
    }

    /// The local that the name means here.
    fn resolve(&mut self, name: &[u8]) -> Option<LocalId> {
        let local = *self.visible.get(name)?;
        let entry = &mut self.program.locals[local.index()];
        entry.captured |= entry.function != self.open.id;
        Some(local)
    }

    /// Ends the scope of all locals but the first `outside`.
    fn leave(&mut self, outside: usize) {
        while self.declared.len() > outside
            && let Some(local) = self.unbind()
        {
            self.forget(local);
        }
    }

    fn unbind(&mut self) -> Option<LocalId> {
        let declared = self.declared.pop()?;
        if let Some(name) = declared.name {
            match declared.shadowed {
                Some(shadowed) => self.visible.insert(name, shadowed),
                None => self.visible.remove(name),
            };
        }
        Some(declared.local)
    }

    fn forget(&mut self, local: LocalId) {
        if self.open.current.is_some() {
            let name = self.program.locals[local.index()].name;
            self.emit(Op::Forget(local), name.unwrap_or_default());
        }
    }

    /// A function whose text begins with the token `start`.
    fn closure(&mut self, start: Span, body: &FunctionBody, form: Form) -> Term {
        let whole = start.to(span(body.end_token()));
        let parent = self.open.id;
        let id = self.new_function(whole, Some(parent));
        let outer = std::mem::replace(&mut self.open, Open::new(id));
        let outside = self.declared.len();
        if form == Form::Method {
            let this = self.local(None);
            self.bind(this, b"self");
            self.parameter(this);
        }
        for parameter in body.parameters() {
            match parameter {
                Parameter::Name(name) => {
                    let local = self.declare(span(name));
                    self.parameter(local);
                }
                _ => self.function().vararg = true,
            }
        }
        self.here();
        self.body(body.block());
        self.close();
        // Leaving the function ends its locals on every way out, so none is forgotten here.
        while self.declared.len() > outside {
            self.unbind();
        }
        self.open = outer;
        Term { value: self.emit(Op::Closure(id), whole), span: whole }
    }

    /// The value is assigned to the name: if it is a function, that is what it is called.
    fn name_function(&mut self, value: ValueId, name: Span) {
        if let Op::Closure(id) = *self.function().op(value) {
            self.program.functions[id.index()].name.get_or_insert(name);
        }
    }

    fn parameter(&mut self, local: LocalId) {
        self.program.locals[local.index()].assigned += 1;
        self.function().params.push(local);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Function,
    /// `function o:m()`: its first parameter is `self`.
    Method,
}
