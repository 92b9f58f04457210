//! The IR as text (`--dump ir`).
//!
//! Each instruction stands on a line of its own, followed by its place in the script. A local is shown by its name, with its number after it
//! if another one in the function is called the same; a temporary is `t` and its number.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::{Block, Const, Function, LocalId, LoopKind, Op, Program, Terminator, ValueId};
use crate::source::{Source, Span};

/// The column where the places in the script begin.
const PLACE: usize = 40;

/// The function, which may be one that inlining made of the program's.
pub fn print(program: &Program, function: &Function, source: &Source) -> String {
    let printer = Printer { program, source, names: names(program, function, source) };
    let mut text = String::new();
    // Writing to a string can't fail.
    let _ = printer.function(function, &mut text);
    text
}

/// All functions of a program as it was lowered.
pub fn print_all(program: &Program, source: &Source) -> String {
    let functions = program.functions.iter().enumerate();
    functions.map(|(at, function)| format!("f{at}: {}", print(program, function, source))).collect()
}

struct Printer<'a> {
    program: &'a Program,
    source: &'a Source,
    names: FxHashMap<LocalId, String>,
}

/// The locals that the function uses.
fn names(program: &Program, function: &Function, source: &Source) -> FxHashMap<LocalId, String> {
    let mut used: Vec<LocalId> = function.params.clone();
    for inst in &function.insts {
        if let Op::Get(local) | Op::Set(local, _) | Op::Forget(local) = inst.op {
            used.push(local);
        }
    }
    used.sort_unstable();
    used.dedup();
    let name = |local: LocalId| {
        let name = program.locals.get(local.index())?.name?;
        Some(source.snippet(name))
    };
    let mut count = FxHashMap::default();
    for &local in &used {
        *count.entry(name(local)).or_insert(0) += 1;
    }
    let shown = |local: LocalId| match name(local) {
        None => format!("t{}", local.0),
        Some(name) if count[&Some(name.clone())] == 1 => name.into_owned(),
        Some(name) => format!("{name}.{}", local.0),
    };
    used.iter().map(|&local| (local, shown(local))).collect()
}

impl Printer<'_> {
    fn function(&self, function: &Function, out: &mut String) -> std::fmt::Result {
        let mut params: Vec<&str> = function.params.iter().map(|&l| self.local(l)).collect();
        if function.vararg {
            params.push("...");
        }
        let name = match function.name {
            Some(name) => self.source.snippet(name),
            None if function.parent.is_none() => "main".into(),
            None => "".into(),
        };
        writeln!(out, "function {name}({})", params.join(", "))?;
        for (at, each) in function.loops.iter().enumerate() {
            write!(out, "loop l{at}: ")?;
            match each.kind {
                LoopKind::Numeric { start, limit, step } => {
                    write!(out, "for {} to {}", V(start), V(limit))?;
                    if let Some(step) = step {
                        write!(out, " by {}", V(step))?;
                    }
                }
                LoopKind::Generic { step } => write!(out, "for each {}", V(step))?,
                LoopKind::While => out.push_str("while"),
                LoopKind::Repeat => out.push_str("repeat"),
            }
            write!(out, ", head b{}", each.head.0)?;
            if let Some(parent) = each.parent {
                write!(out, ", in l{}", parent.0)?;
            }
            out.push('\n');
        }
        for (at, block) in function.blocks.iter().enumerate() {
            write!(out, "b{at}:")?;
            self.block(function, block, out)?;
        }
        Ok(())
    }

    fn block(&self, function: &Function, block: &Block, out: &mut String) -> std::fmt::Result {
        if let Some(within) = block.within {
            write!(out, " in l{}", within.0)?;
        }
        if let Some(unwind) = block.unwind {
            write!(out, " unwind b{}", unwind.0)?;
        }
        out.push('\n');
        for &value in &block.insts {
            let inst = function.inst(value);
            let start = out.len();
            write!(out, "    {} = ", V(value))?;
            self.op(&inst.op, out)?;
            if let Some(via) = inst.via {
                write!(out, " via {}", V(via))?;
            }
            self.place(inst.span, start, out);
        }
        let start = out.len();
        match &block.end {
            Terminator::Goto(to) => writeln!(out, "    goto b{}", to.0),
            Terminator::Branch { cond, yes, no, whole } => {
                write!(out, "    branch {} ? b{} : b{}", V(*cond), yes.0, no.0)?;
                self.place(*whole, start, out);
                Ok(())
            }
            Terminator::Return { values, tail, span } => {
                write!(out, "    return{}", Values(values, *tail))?;
                self.place(*span, start, out);
                Ok(())
            }
            Terminator::Raise => writeln!(out, "    raise"),
        }
    }

    /// Ends the line that began at `start` with the first line of the text at `span`.
    fn place(&self, span: Span, start: usize, out: &mut String) {
        let text = self.source.snippet(span);
        if let Some(line) = text.lines().next() {
            let width = out[start..].chars().count();
            out.extend(std::iter::repeat_n(' ', PLACE.saturating_sub(width)));
            out.push_str(" ; ");
            for char in line.chars().take(60) {
                if char.is_control() {
                    out.extend(char.escape_debug());
                } else {
                    out.push(char);
                }
            }
            if line.len() < text.len() {
                out.push_str(" ...");
            }
        }
        out.push('\n');
    }

    fn op(&self, op: &Op, out: &mut String) -> std::fmt::Result {
        match op {
            Op::Const(constant) => self.constant(*constant, out),
            Op::Unknown => write!(out, "unknown"),
            Op::Vararg => write!(out, "..."),
            Op::Closure(function) => write!(out, "closure f{}", function.0),
            Op::Table => write!(out, "table"),
            Op::Global(name) => write!(out, "global {}", self.program.texts.show(*name)),
            Op::SetGlobal(name, value) => {
                let name = self.program.texts.show(*name);
                write!(out, "set global {name} {}", V(*value))
            }
            Op::Get(local) => write!(out, "get {}", self.local(*local)),
            Op::Set(local, value) => write!(out, "set {} {}", self.local(*local), V(*value)),
            Op::Forget(local) => write!(out, "forget {}", self.local(*local)),
            Op::Index(table, key) => write!(out, "index {} {}", V(*table), V(*key)),
            Op::SetIndex { table, key, value } => {
                write!(out, "set index {} {} {}", V(*table), V(*key), V(*value))
            }
            Op::SetTail { table, first, tail } => {
                write!(out, "set tail {} {first} ...{}", V(*table), V(*tail))
            }
            Op::Not(value) => write!(out, "not {}", V(*value)),
            Op::Negate(value) => write!(out, "- {}", V(*value)),
            Op::Length(value) => write!(out, "# {}", V(*value)),
            Op::Binary(op, a, b) => write!(out, "{} {} {}", V(*a), op.symbol(), V(*b)),
            Op::Call { callee, args, tail } => {
                write!(out, "call {}{}", V(*callee), Values(args, *tail))
            }
            Op::Extra(value, number) => write!(out, "extra {} {number}", V(*value)),
        }
    }

    fn constant(&self, constant: Const, out: &mut String) -> std::fmt::Result {
        match constant {
            Const::Nil => write!(out, "const nil"),
            Const::False => write!(out, "const false"),
            Const::True => write!(out, "const true"),
            Const::Number(number) => write!(out, "const {}", number.get()),
            Const::Text(text) => {
                let bytes = self.program.texts.get(text);
                write!(out, "const \"{}\"", bytes.escape_ascii())
            }
        }
    }

    fn local(&self, local: LocalId) -> &str {
        self.names.get(&local).map_or("?", String::as_str)
    }
}

struct V(ValueId);

impl std::fmt::Display for V {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "v{}", self.0.0)
    }
}

/// A list of values and whether its last is multiple, with a space before; nothing if it is empty.
struct Values<'a>(&'a [ValueId], bool);

impl std::fmt::Display for Values<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        for (at, &value) in self.0.iter().enumerate() {
            let comma = if at == 0 { " " } else { ", " };
            let dots = if self.1 && at + 1 == self.0.len() { "..." } else { "" };
            write!(f, "{comma}{dots}{}", V(value))?;
        }
        Ok(())
    }
}
