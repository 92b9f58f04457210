//! The intermediate representation: functions of basic blocks of instructions.
//!
//! Terms: an *instruction* makes one value and is named by its [`ValueId`], so a value is assigned once. A *local* is
//! memory: it is read by [`Op::Get`] and written by [`Op::Set`]; there is no phi. A *basic block* runs from its first
//! instruction to its *terminator* unless an instruction raises. `a and b`, `a or b` and conditions are branches.
//!
//! Only the last value of a list may be *multiple* (a call or `...` that gives all its results): the list's `tail` flag says so.
//!
//! Example: `local n = redis.call('GET', KEYS[1]) or 0` is
//! ```text
//! b0: v0 = global redis          v5 = index v3 v4
//!     v1 = const "call"          v6 = call v2 (v8 v5)
//!     v2 = index v0 v1           v9 = set t0 v6
//!     ...                        branch v6 ? b2 : b1
//! b1: v10 = const 0; v11 = set t0 v10; goto b2
//! b2: v12 = get t0; v13 = set n v12
//! ```

pub mod print;
#[cfg(test)]
pub(crate) mod verify;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::source::Span;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(/// A function of a [`Program`].
    FuncId);
id!(/// A local variable of a [`Program`], or a copy of one made by inlining.
    LocalId);
id!(/// A basic block of a [`Function`].
    BlockId);
id!(/// An instruction of a [`Function`] and the value that it makes.
    ValueId);
id!(/// A loop of a [`Function`].
    LoopId);
id!(/// An interned string of [`Texts`].
    TextId);

/// The distinct strings of a program: names of globals and fields, string constants.
#[derive(Clone, Default, Debug)]
pub struct Texts {
    ids: FxHashMap<std::rc::Rc<[u8]>, TextId>,
    texts: Vec<std::rc::Rc<[u8]>>,
}

impl Texts {
    pub fn intern(&mut self, text: &[u8]) -> TextId {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        let id = TextId(self.texts.len() as u32);
        let text: std::rc::Rc<[u8]> = text.into();
        self.texts.push(text.clone());
        self.ids.insert(text, id);
        id
    }

    pub fn find(&self, text: &[u8]) -> Option<TextId> {
        self.ids.get(text).copied()
    }

    pub fn get(&self, id: TextId) -> &[u8] {
        &self.texts[id.index()]
    }

    /// The string for a message; bytes that are no UTF-8 are replaced.
    pub fn show(&self, id: TextId) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.get(id))
    }
}

/// A number by its bits, so that constants can be compared and hashed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Number(u64);

impl Number {
    pub fn new(value: f64) -> Number {
        // One zero and one NaN, as table keys are compared.
        let value = if value == 0.0 { 0.0 } else { value };
        Number(if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() })
    }

    pub fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Const {
    Nil,
    False,
    True,
    Number(Number),
    Text(TextId),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
    Concat,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinaryOp {
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Mod => "%",
            BinaryOp::Pow => "^",
            BinaryOp::Concat => "..",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "~=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
        }
    }

    pub fn is_arithmetic(self) -> bool {
        matches!(self, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod | BinaryOp::Pow)
    }

    /// Does it order its operands? Ordering raises on operands that do not fit; `==` never does.
    pub fn is_order(self) -> bool {
        matches!(self, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
    }

    /// Does it order its operands, or ask whether they are equal?
    pub fn is_comparison(self) -> bool {
        self.is_order() || matches!(self, BinaryOp::Eq | BinaryOp::Ne)
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    Const(Const),
    /// A value that nothing is known of: a parameter of a root, what is behind a hole in the text.
    Unknown,
    /// `...`: the first of the function's variable arguments; multiple as a tail.
    Vararg,
    Closure(FuncId),
    /// A new, empty table; its span is the whole constructor. The fields follow as `SetIndex` and `SetTail`.
    Table,
    Global(TextId),
    SetGlobal(TextId, ValueId),
    Get(LocalId),
    Set(LocalId, ValueId),
    /// The local's scope ends here.
    Forget(LocalId),
    Index(ValueId, ValueId),
    SetIndex {
        table: ValueId,
        key: ValueId,
        value: ValueId,
    },
    /// `{..., f()}`: all values of `tail` go to `table[first]`, `table[first + 1]` ...
    SetTail {
        table: ValueId,
        first: u32,
        tail: ValueId,
    },
    Not(ValueId),
    Negate(ValueId),
    Length(ValueId),
    Binary(BinaryOp, ValueId, ValueId),
    /// The value is the first result. A method call `o:m(a)` is `index o "m"` and a call with `o` first.
    Call {
        callee: ValueId,
        args: Vec<ValueId>,
        tail: bool,
    },
    /// Result number `n` (from 1: the second one) of a call or `...`.
    Extra(ValueId, u32),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Inst {
    pub op: Op,
    /// The expression; for `Set` the assigned name, for `SetIndex` the assigned target (the field in a constructor), for `Forget` the local's name.
    pub span: Span,
    /// The call at which it was inlined: an instruction of this function, itself perhaps inlined.
    pub via: Option<ValueId>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Terminator {
    Goto(BlockId),
    /// `whole` is the whole condition of which `cond` may be one operand of `and`/`or`.
    Branch {
        cond: ValueId,
        yes: BlockId,
        no: BlockId,
        whole: Span,
    },
    /// Leaves the function. `span` is the statement, or the empty end of the function's text.
    Return {
        values: Vec<ValueId>,
        tail: bool,
        span: Span,
    },
    /// Ends after a call of `error` that can't return.
    Raise,
}

impl Terminator {
    pub fn successors(&self) -> impl Iterator<Item = BlockId> + use<> {
        let (first, second) = match *self {
            Terminator::Goto(to) => (Some(to), None),
            Terminator::Branch { yes, no, .. } => (Some(yes), Some(no)),
            Terminator::Return { .. } | Terminator::Raise => (None, None),
        };
        first.into_iter().chain(second)
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    pub insts: Vec<ValueId>,
    pub end: Terminator,
    /// The innermost loop that holds it; a loop's head lies within it.
    pub within: Option<LoopId>,
    /// Where it goes on if an instruction raises: the block after the `pcall(function() ... end)` that it was inlined from.
    /// `None`: the script ends. Before the block's first instruction, after each call and at its end the state may flow there.
    pub unwind: Option<BlockId>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LoopKind {
    /// `for i = start, limit, step`; `step` is `None` where the text has none (it is 1).
    Numeric {
        start: ValueId,
        limit: ValueId,
        step: Option<ValueId>,
    },
    /// `for ... in f, s, c`; the value is the call of the iterator in the loop's head (a `Get` of its result if it was inlined).
    Generic {
        step: ValueId,
    },
    While,
    Repeat,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Loop {
    /// The target of its back edges; for `while` the first block of the condition, for `repeat` the first of the body.
    pub head: BlockId,
    pub kind: LoopKind,
    /// From its first keyword to its `end`, or to the end of `until`'s condition.
    pub span: Span,
    pub parent: Option<LoopId>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Declared parameters; a method's `self` comes first.
    pub params: Vec<LocalId>,
    pub vararg: bool,
    /// Indexed by [`ValueId`].
    pub insts: Vec<Inst>,
    /// Indexed by [`BlockId`]; block 0 is the entry. Every block is reachable but for what follows a `break`, `return` or `error`.
    pub blocks: Vec<Block>,
    /// Indexed by [`LoopId`]; an outer loop before its inner ones.
    pub loops: Vec<Loop>,
    /// The whole `function ... end`; for the main chunk the whole text.
    pub span: Span,
    /// The function that it stands in; `None`: the main chunk.
    pub parent: Option<FuncId>,
    /// Its name as written at its definition (`f`, `M.f`, the local that it is assigned to), if any.
    pub name: Option<Span>,
}

/// A local variable, or a temporary of `and`/`or` and of loops.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Local {
    /// Its name where it is declared; `None`: a temporary, or a method's `self`.
    pub name: Option<Span>,
    /// The function that declares it.
    pub function: FuncId,
    /// How many instructions `Set` it in the whole program, its declaration (also without a value) included; parameters and
    /// loop variables count their binding as one.
    pub assigned: u32,
    /// Does a function inside its own function use it?
    pub captured: bool,
    /// The local in scope that had the same name.
    pub shadows: Option<LocalId>,
}

/// What the text shows and no instruction does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Remark {
    /// An assignment of more values than there are names, or of fewer without one at the end that may give several.
    Unbalanced { span: Span, names: u32, values: u32 },
    /// A block of an `if` or a loop without statements: from the keyword before it to the one behind it.
    Empty(Span),
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    /// Indexed by [`FuncId`]; function 0 is the main chunk.
    pub functions: Vec<Function>,
    /// Indexed by [`LocalId`].
    pub locals: Vec<Local>,
    pub texts: Texts,
    /// Every statement of the text, outer before inner; `simple` ones hold no blocks.
    pub statements: Vec<Statement>,
    /// In the order of the text.
    pub remarks: Vec<Remark>,
}

impl Program {
    /// The locals that some function reads.
    pub fn read_locals(&self) -> FxHashSet<LocalId> {
        let insts = self.functions.iter().flat_map(|function| &function.insts);
        let read = |inst: &Inst| if let Op::Get(local) = inst.op { Some(local) } else { None };
        insts.filter_map(read).collect()
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Statement {
    pub span: Span,
    pub simple: bool,
}

impl PartialEq for Texts {
    fn eq(&self, other: &Texts) -> bool {
        self.texts == other.texts
    }
}

impl Function {
    pub fn inst(&self, value: ValueId) -> &Inst {
        &self.insts[value.index()]
    }

    pub fn op(&self, value: ValueId) -> &Op {
        &self.insts[value.index()].op
    }

    pub fn span(&self, value: ValueId) -> Span {
        self.insts[value.index()].span
    }

    pub fn block(&self, block: BlockId) -> &Block {
        &self.blocks[block.index()]
    }

    pub fn block_ids(&self) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.blocks.len() as u32).map(BlockId)
    }
}

impl Op {
    /// Calls `f` with each value that the instruction reads.
    pub fn operands(&self, mut f: impl FnMut(ValueId)) {
        match self {
            Op::Const(_)
            | Op::Unknown
            | Op::Vararg
            | Op::Closure(_)
            | Op::Table
            | Op::Global(_)
            | Op::Get(_)
            | Op::Forget(_) => {}
            Op::SetGlobal(_, a) | Op::Set(_, a) | Op::Not(a) | Op::Negate(a) | Op::Length(a) | Op::Extra(a, _) => f(*a),
            Op::Index(a, b) | Op::Binary(_, a, b) | Op::SetTail { table: a, tail: b, .. } => {
                f(*a);
                f(*b);
            }
            Op::SetIndex { table, key, value } => {
                f(*table);
                f(*key);
                f(*value);
            }
            Op::Call { callee, args, .. } => {
                f(*callee);
                args.iter().copied().for_each(f);
            }
        }
    }
}
