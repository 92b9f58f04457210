//! What rules see of a script: a finished, immutable model.
//!
//! A script is analysed once for each of its *roots*, what runs by itself: the main chunk, each registered function, each function that
//! nobody calls. A helper that two roots inline is seen twice; the driver drops findings that are told twice.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "asks for some forms of an instruction or origin; all others are none of them"
)]

mod build;
mod index;
mod show;

use std::cell::OnceCell;

use rustc_hash::FxHashSet;

use crate::{
    absence::{self, Need},
    chains::Chains,
    commands::Argument,
    config::Config,
    contract::Patterns,
    eval::Values,
    events::{Arg, Event, Protection},
    expiry,
    graph::{Graph, Order},
    history::History,
    inline::Copy,
    ir::{BlockId, Const, FuncId, Function, Inst, Local, LocalId, Op, Program, Terminator, Texts, ValueId},
    keys, limits,
    origin::{Origin, OriginId, Origins},
    refusals,
    registrations::Registration,
    roots::RootKind,
    rule::{Check, Finding, Label, Part, RULES, Rule},
    shebang::Shebang,
    source::{Source, Span},
    target::Target,
    trips::Growth,
    value::{Interval, Kinds, Value},
};

pub use build::facts;
pub use index::Form;
use index::Index;

pub struct Facts<'a> {
    pub source: &'a Source,
    pub program: Program,
    pub texts: Texts,
    pub origins: Origins,
    pub roots: Vec<Root>,
    /// What comments and the config say of the names of keys.
    pub patterns: Patterns,
    /// `None`: nobody said whether it runs on a cluster.
    pub cluster: Option<bool>,
    /// Never empty.
    pub targets: &'a [Target],
    /// Did somebody name the targets?
    pub targets_named: bool,
    pub shebang: Option<Shebang>,
    /// Is it a library of functions? Else it is a script for EVAL.
    pub is_library: bool,
    /// What the main chunk registers, in the order of the text.
    pub registrations: Vec<Registration>,
    /// Globals that the host defines before the script, by the config.
    pub globals: &'a [String],
    /// Is the text only a piece of a script: is an include of it open, or does it only define functions? What it doesn't define, others
    /// may.
    pub is_piece: bool,
    /// Was the analysis of some root cut by a bound?
    pub cut: bool,
    /// What is to be said of keys, judged once for the four rules that tell it.
    pub(crate) judged_keys: OnceCell<Vec<(keys::Base, Finding)>>,
}

/// One root of a script with all that is known of it.
pub struct Root {
    pub kind: RootKind,
    /// The function that it is made of.
    pub id: FuncId,
    /// With the helpers that it calls spliced in.
    pub function: Function,
    /// The locals that inlining made; they are numbered after the program's.
    pub copies: Vec<Copy>,
    pub graph: Graph,
    pub values: Values,
    /// What was written before each place.
    pub history: History,
    /// By [`ValueId`]: 1 + index into the events, 0: no event.
    event_at: Vec<u32>,
    index: Index,
    needs: OnceCell<Vec<(ValueId, Need)>>,
    pub(crate) growth: OnceCell<Growth>,
    pub(crate) refusals: OnceCell<refusals::Found>,
    pub(crate) chains: OnceCell<Chains>,
    pub(crate) expiries: OnceCell<expiry::ByKey>,
}

impl Root {
    /// Does it stand alone, so that everything it doesn't define is known to be missing? A helper that nobody calls is a piece of some
    /// script: its parameters are unknown.
    pub fn is_whole(&self) -> bool {
        !matches!(self.kind, RootKind::Helper)
    }

    pub fn local<'a>(&'a self, program: &'a Program, id: LocalId) -> &'a Local {
        match id.index().checked_sub(program.locals.len()) {
            None => &program.locals[id.index()],
            Some(at) => &self.copies[at].local,
        }
    }

    pub fn inst(&self, at: ValueId) -> &Inst {
        self.function.inst(at)
    }

    pub fn op(&self, at: ValueId) -> &Op {
        self.function.op(at)
    }

    pub fn span(&self, at: ValueId) -> Span {
        self.function.span(at)
    }

    /// What the instruction's value can be, as it was when it was made.
    pub fn value(&self, at: ValueId) -> Value {
        self.values.values[at.index()]
    }

    pub fn origin(&self, at: ValueId) -> OriginId {
        self.value(at).origin
    }

    /// Can control come to the block, literal conditions taken at their word?
    pub fn is_reached(&self, block: BlockId) -> bool {
        self.values.reached[block.index()]
    }

    /// The block that holds the instruction, if it can be reached.
    pub fn block_of(&self, at: ValueId) -> Option<BlockId> {
        self.graph.block_of(at).filter(|&block| self.is_reached(block))
    }

    /// Reached blocks in reverse postorder.
    pub fn blocks(&self) -> impl Iterator<Item = BlockId> {
        self.graph.rpo.iter().copied().filter(|&block| self.is_reached(block))
    }

    /// Instructions of reached blocks, in reverse postorder.
    pub fn insts(&self) -> impl Iterator<Item = ValueId> {
        self.index.insts.iter().copied()
    }

    /// Those of one form.
    pub fn all(&self, form: Form) -> impl Iterator<Item = ValueId> {
        self.index.of_form(form).iter().copied()
    }

    /// Calls of builtins with their names, `redis.call` and the like, in reverse postorder.
    pub fn builtin_calls(&self) -> impl Iterator<Item = (ValueId, &'static str)> {
        self.index.builtin_calls.iter().copied()
    }

    /// Calls of the builtin of that name.
    pub fn calls_of(&self, name: &'static str) -> impl Iterator<Item = ValueId> {
        self.builtin_calls().filter(move |(_, called)| *called == name).map(|(at, _)| at)
    }

    /// Redis calls, in reverse postorder.
    pub fn events(&self) -> &[Event] {
        &self.values.events
    }

    /// The Redis call made by this instruction.
    pub fn event(&self, at: ValueId) -> Option<&Event> {
        match self.event_at[at.index()] {
            0 => None,
            n => Some(&self.values.events[n as usize - 1]),
        }
    }

    /// Calls of commands that write.
    pub fn writes(&self) -> impl Iterator<Item = &Event> {
        self.events().iter().filter(|event| event.is_write())
    }

    /// Was every element of ARGV that the instruction's operands depend on looked at before, on every path?
    pub fn was_tested(&self, at: ValueId) -> bool {
        self.values.tested[at.index()]
    }

    /// The bounds of how many values the multiple instruction gives to the call that it is the tail of.
    pub fn spread_length(&self, tail: ValueId) -> Option<Interval> {
        self.values.lengths.get(&tail).copied()
    }

    /// The instructions that read the value.
    pub fn users(&self, value: ValueId) -> &[ValueId] {
        self.index.readers(value)
    }

    /// The instructions that read the local.
    pub fn reads(&self, local: LocalId) -> &[ValueId] {
        self.index.gets(local)
    }

    /// Where the local is assigned.
    pub fn sets(&self, local: LocalId) -> &[ValueId] {
        self.index.sets(local)
    }

    /// Does a branch test the value, or a `return` give it?
    pub fn ends_block(&self, value: ValueId) -> bool {
        self.index.ends[value.index()]
    }

    /// Where something must not be false or nil that may be: the instruction that raises, and its operand. Without operands of
    /// which nothing is known.
    pub(crate) fn needs(&self, facts: &Facts) -> &[(ValueId, Need)] {
        self.needs.get_or_init(|| {
            let may_fail = |kinds: Kinds| kinds != Kinds::ANY && kinds.may_be(Kinds::FALSY);
            let mut needs = Vec::new();
            for at in self.insts() {
                absence::needs(facts, self, at, may_fail, |need| needs.push((at, need)));
            }
            needs
        })
    }

    /// Is `a` executed before `b` on the paths that come to `b`?
    pub fn before(&self, a: ValueId, b: ValueId) -> Order {
        self.graph.before(a, b)
    }

    /// Does an error at the instruction only come to a `pcall` around it?
    pub fn is_protected(&self, at: ValueId) -> bool {
        let unwinds = self.graph.block_of(at).is_some_and(|block| self.function.block(block).unwind.is_some());
        unwinds || self.event(at).is_some_and(|event| event.protection != Protection::None)
    }

    /// Is the value used by more than assignments to locals that nobody reads?
    pub fn is_read(&self, value: ValueId) -> bool {
        let reads = |&user: &ValueId| match self.op(user) {
            Op::Set(local, _) => !self.reads(*local).is_empty(),
            _ => true,
        };
        self.ends_block(value) || self.users(value).iter().any(reads)
    }

    /// The branches that decide whether control comes to the block, with the conditions they test.
    pub fn conditions(&self, block: BlockId) -> impl Iterator<Item = (BlockId, ValueId)> {
        let controllers = self.graph.controllers(&self.function, block);
        controllers.into_iter().filter_map(|branch| match self.function.block(branch).end {
            Terminator::Branch { cond, .. } => Some((branch, cond)),
            Terminator::Goto(_) | Terminator::Return { .. } | Terminator::Raise => None,
        })
    }

    /// The calls through which an inlined instruction came to be here, innermost first, for labels.
    pub fn calls_to(&self, at: ValueId) -> Vec<ValueId> {
        let mut calls = Vec::new();
        let mut via = self.inst(at).via;
        while let Some(call) = via {
            calls.push(call);
            via = self.inst(call).via;
        }
        calls
    }

    /// "called from here" for the calls through which the instruction was inlined; of many, the innermost ones and the outermost.
    pub fn call_labels(&self, at: ValueId) -> Vec<Label> {
        let label = |call| Label { span: self.span(call), message: "called from here".into(), part: Part::Call };
        let mut calls = self.calls_to(at);
        if limits::CALL_LABELS < calls.len() {
            calls.drain(limits::CALL_LABELS - 1..calls.len() - 1);
        }
        calls.into_iter().map(label).collect()
    }

    /// The name of the builtin that the call calls, `redis.call` and the like.
    pub fn callee(&self, facts: &Facts, call: ValueId) -> Option<&'static str> {
        let Op::Call { callee, .. } = self.op(call) else {
            return None;
        };
        match *facts.origins.get(self.origin(*callee)) {
            Origin::Builtin(builtin) => Some(builtin.name()),
            _ => None,
        }
    }
}

impl Facts<'_> {
    /// What the rules that the config wants find, a finding that several roots tell only once.
    pub fn findings(&self, config: &Config) -> Vec<(&'static Rule, Finding)> {
        let mut found = Vec::new();
        for rule in RULES.iter().filter(|rule| config.enabled(rule)) {
            let Check::Facts(check) = rule.check else { continue };
            let mut seen = FxHashSet::default();
            found.extend(check(self).into_iter().filter(|one| seen.insert(one.span)).map(|one| (rule, one)));
        }
        found
    }

    /// Does it only make sense as a part of others: does it only define functions, or read what it does not define?
    pub fn is_fragment(&self) -> bool {
        let foreign = |root: &Root, at: ValueId| match (root.op(at), self.origins.get(root.origin(at))) {
            (Op::Global(_), Origin::Global(name)) => {
                let name = self.texts.get(*name);
                !matches!(name, b"KEYS" | b"ARGV" | b"arg")
                    && !self.globals.iter().any(|global| global.as_bytes() == name)
            }
            _ => false,
        };
        self.is_piece || self.roots.iter().any(|root| root.insts().any(|at| foreign(root, at)))
    }

    /// Is some key of the call named by a global that the script does not make? Then the piece of the script that makes it may know what
    /// the key holds.
    pub fn is_of_another_piece(&self, event: &Event) -> bool {
        let made = |name| {
            let sets = |inst: &Inst| matches!(inst.op, Op::SetGlobal(set, _) if set == name);
            self.program.functions.iter().any(|function| function.insts.iter().any(sets))
        };
        event.key_args().any(|(_, arg)| match *self.origins.get(self.origins.present(arg.value.origin)) {
            Origin::Global(name) => !made(name),
            _ => false,
        })
    }

    /// The targets of which something holds.
    pub fn targets_where(&self, holds: impl Fn(Target) -> bool) -> Vec<Target> {
        self.targets.iter().copied().filter(|&target| holds(target)).collect()
    }

    /// The call's arguments as the table of commands is asked for them.
    pub fn arguments(&self, event: &Event) -> Vec<Argument<'_>> {
        let argument = |arg: &Arg| match (arg.spread, self.origins.constant(arg.value.origin)) {
            (Some(_), _) => Argument::Spread,
            (None, Some(Const::Text(text))) => Argument::Literal(self.texts.get(text)),
            (None, Some(Const::Number(number))) => Argument::Number(number.get()),
            (None, Some(Const::Nil | Const::False | Const::True) | None) => Argument::Unknown,
        };
        event.args.iter().map(argument).collect()
    }

    /// The literal string that the value is.
    pub fn text(&self, value: Value) -> Option<&[u8]> {
        match self.origins.constant(value.origin) {
            Some(Const::Text(text)) => Some(self.texts.get(text)),
            _ => None,
        }
    }

    /// The literal number that the value is.
    pub fn number(&self, value: Value) -> Option<f64> {
        match self.origins.constant(value.origin) {
            Some(Const::Number(number)) => Some(number.get()),
            _ => None,
        }
    }
}
