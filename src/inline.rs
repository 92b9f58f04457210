//! Calls of local functions are replaced by copies of what they call, so that later stages see one function for each root.
//!
//! A *frame* is one copy of a function. Its instructions, blocks, loops and locals take ranges of the result's, in their own order, so a number
//! of the original plus the frame's offset is the copy's. A call becomes: `Set` of the parameters, the body, a `Set` of hidden result locals in
//! place of each `return`, and a block where the call's own value is a `Get` of the first result. `...` of a copy is replaced by the arguments.
//!
//! The body of `pcall(f)` is a *protected region*: its blocks have `unwind`. It begins with an empty block, so that a path to `unwind`
//! without any of its instructions exists, and is split so that what it stored before an instruction that raises is seen at `unwind`.
//!
//! A root inside other functions begins with what is known of their locals that it reads ([`prelude`]).
//!
//! Which function is called is decided by names alone ([`statics`]): a local or field that is assigned once. What isn't so stays a call.

mod copy;
mod list;
mod origin;
mod prelude;
mod splice;
pub(crate) mod statics;
#[cfg(test)]
mod tests;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Block, BlockId, FuncId, Function, Inst, Local, LocalId, LoopId, Op, Program, Terminator, ValueId};
use list::List;
use statics::{Place, Statics};

/// A root with the functions that it calls inside it.
#[derive(Debug)]
pub struct Inlined {
    /// A value that stands in no block was left over. The value of a call that was replaced is a `Get` or a constant.
    pub function: Function,
    /// The locals that were made for it; they are numbered after the program's.
    pub copies: Vec<Copy>,
    /// The functions that were copied into it, the root itself too.
    pub covered: FxHashSet<FuncId>,
    /// Was a call left as it is for want of budget or depth?
    pub cut: bool,
    /// How much of the budget was spent.
    pub(crate) spent: usize,
}

#[derive(Clone, Copy, Debug)]
pub struct Copy {
    pub local: Local,
    /// The program's local that it is a copy of; `None`: it holds a result of a call.
    pub of: Option<LocalId>,
}

impl Inlined {
    pub fn local<'a>(&'a self, program: &'a Program, id: LocalId) -> &'a Local {
        match id.index().checked_sub(program.locals.len()) {
            None => &program.locals[id.index()],
            Some(at) => &self.copies[at].local,
        }
    }

    /// The local of the program's text that it is, or is a copy of; `None`: a result of a call.
    pub fn original(&self, program: &Program, id: LocalId) -> Option<LocalId> {
        match id.index().checked_sub(program.locals.len()) {
            None => Some(id),
            Some(at) => self.copies[at].of,
        }
    }
}

/// The root with at most `budget` instructions of other functions spliced in.
pub(crate) fn inline(statics: &Statics, root: FuncId, budget: usize) -> Inlined {
    let body = statics.function(root);
    if statics.program.functions.len() == 1 {
        let covered = FxHashSet::from_iter([root]);
        return Inlined { function: body.clone(), copies: Vec::new(), covered, cut: false, spent: 0 };
    }
    let mut inliner = Inliner {
        statics,
        frames: Vec::new(),
        copies: Vec::new(),
        result: Function {
            params: body.params.clone(),
            vararg: body.vararg,
            insts: Vec::new(),
            blocks: Vec::new(),
            loops: Vec::new(),
            span: body.span,
            parent: body.parent,
            name: body.name,
        },
        known: FxHashMap::default(),
        at: BlockId(0),
        dirty: false,
        budget,
        covered: FxHashSet::default(),
        cut: false,
    };
    inliner.push_frame(Entry { function: root, outer: None, caller: None, via: None, within: None, unwind: None });
    let mut next = 0;
    while next < inliner.frames.len() {
        inliner.copy_frame(FrameId(next));
        next += 1;
    }
    inliner.set_outer_constants(root);
    Inlined {
        function: inliner.result,
        copies: inliner.copies,
        covered: inliner.covered,
        cut: inliner.cut,
        spent: budget - inliner.budget,
    }
}

struct Inliner<'a> {
    statics: &'a Statics<'a>,
    frames: Vec<Frame>,
    copies: Vec<Copy>,
    result: Function,
    /// Arguments, as values of the result, of which is known what they are.
    known: FxHashMap<ValueId, Static>,
    /// The block that instructions are put into.
    at: BlockId,
    /// In a protected region: has something been stored since the block began or its last call?
    dirty: bool,
    /// How many instructions may still be spliced in.
    budget: usize,
    covered: FxHashSet<FuncId>,
    cut: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct FrameId(usize);

/// What a value is, wherever the code runs.
#[derive(Clone, Copy)]
enum Static {
    /// `outer`: the frame whose locals it captures; `None`: those of functions that were not copied.
    Closure { function: FuncId, outer: Option<FrameId> },
    /// A table constructor, found from within `frame`.
    Table { place: Place, frame: Option<FrameId> },
}

/// How a function comes to be copied.
struct Entry {
    function: FuncId,
    /// The frame of the function around it.
    outer: Option<FrameId>,
    caller: Option<FrameId>,
    /// The call that it replaces.
    via: Option<ValueId>,
    within: Option<LoopId>,
    unwind: Option<BlockId>,
}

struct Frame {
    entry: Entry,
    depth: usize,
    /// Offsets of its copies.
    values: u32,
    blocks: u32,
    /// `None`: the root, whose locals are the program's.
    locals: Option<u32>,
    /// Where its returns go; `None`: they leave the root.
    exit: Option<Exit>,
    /// The copies that stand in place of its calls.
    calls: FxHashMap<ValueId, FrameId>,
    /// Parameters of which is known what they are.
    bindings: FxHashMap<LocalId, Static>,
    /// Original values with several results of which is known which they are.
    lists: FxHashMap<ValueId, List>,
    /// Original values that aren't copied, as another value of the result is the same.
    same: FxHashMap<ValueId, ValueId>,
}

#[derive(Clone)]
struct Exit {
    to: BlockId,
    results: Vec<LocalId>,
}

impl Inliner<'_> {
    /// Takes the ranges for a copy of the function; `copy_frame` fills them.
    fn push_frame(&mut self, entry: Entry) -> FrameId {
        let statics = self.statics;
        let function = statics.function(entry.function);
        let id = FrameId(self.frames.len());
        let blocks = self.result.blocks.len() as u32;
        let loops = self.result.loops.len() as u32;
        let values = self.result.insts.len() as u32;
        let locals = (statics.program.locals.len() + self.copies.len()) as u32;
        let inner = |within: Option<LoopId>| within.map(|l| LoopId(loops + l.0)).or(entry.within);
        for each in &function.loops {
            let mut copy = *each;
            copy.head.0 += blocks;
            copy.parent = inner(each.parent);
            copy.kind = copy::loop_kind(each.kind, values);
            self.result.loops.push(copy);
        }
        for block in &function.blocks {
            self.result.blocks.push(Block {
                insts: Vec::with_capacity(block.insts.len()),
                end: Terminator::Raise,
                within: inner(block.within),
                unwind: entry.unwind,
            });
        }
        let slot = |inst: &Inst| Inst { op: Op::Unknown, span: inst.span, via: entry.via };
        self.result.insts.extend(function.insts.iter().map(slot));
        if entry.caller.is_some() {
            let own = &statics.shapes[entry.function.index()].locals;
            let copy = |&id: &LocalId| Copy { local: statics.program.locals[id.index()], of: Some(id) };
            self.copies.extend(own.iter().map(copy));
        }
        self.covered.insert(entry.function);
        self.frames.push(Frame {
            depth: entry.caller.map_or(0, |caller| self.frames[caller.0].depth + 1),
            locals: entry.caller.map(|_| locals),
            entry,
            values,
            blocks,
            exit: None,
            calls: FxHashMap::default(),
            bindings: FxHashMap::default(),
            lists: FxHashMap::default(),
            same: FxHashMap::default(),
        });
        id
    }

    fn frame(&self, id: FrameId) -> &Frame {
        &self.frames[id.0]
    }

    fn frame_mut(&mut self, id: FrameId) -> &mut Frame {
        &mut self.frames[id.0]
    }
}
