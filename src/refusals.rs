//! Exits by which a script refuses what it was asked for, and what their tests are decided by.
//!
//! A *refusal* ends the script in an error, or hands back a literal right under a test. A *test* is the branch that leads to it. A
//! refusal is *late* if what its test is decided by was known before the first write: the arguments, and replies that this script's
//! own writes did not change.
//!
//! Invariant: what isn't known to be decided by such inputs counts as unknown, and never as late.

mod basis;
mod exits;

use rustc_hash::{FxHashMap, FxHashSet};

pub use basis::Basis;

use crate::{
    events::Event,
    facts::{Facts, Root},
    graph::Order,
    history::Written,
    ir::{BlockId, LocalId, Op, Terminator, ValueId},
    limits,
    origin::{Input, Origin},
    source::Span,
    value::Kinds,
};

/// How a script refuses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Manner {
    /// `error(...)`, `return redis.error_reply(...)`, `return {err = ...}`.
    Error,
    /// `return 0` right under a test.
    Literal,
}

/// An exit that refuses.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Refusal {
    pub manner: Manner,
    pub block: BlockId,
    /// What refuses: the call of `error`, the `return`.
    pub span: Span,
    /// An instruction of the exit, for the calls that lead to it.
    pub at: ValueId,
    /// The condition of an `assert` that refuses.
    asserted: Option<ValueId>,
}

/// A condition that leads to a place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Test {
    /// The block whose end branches on it, or which asserts it.
    pub block: BlockId,
    pub cond: ValueId,
    /// The whole condition, of which `cond` may be one operand.
    pub span: Span,
    asserted: Option<ValueId>,
}

/// An assignment of a local.
#[derive(Clone, Copy)]
struct Set {
    block: BlockId,
    at: ValueId,
    value: ValueId,
}

type Sets = FxHashMap<LocalId, Vec<Set>>;

/// What is found once for a root.
#[derive(Default)]
pub(crate) struct Found {
    /// In the order of their tests.
    all: Vec<Refusal>,
    /// Blocks that end in an error.
    errors: FxHashSet<BlockId>,
    sets: Sets,
}

/// Questions about the refusals of one root.
pub struct Refusals<'a> {
    facts: &'a Facts<'a>,
    root: &'a Root,
    found: &'a Found,
    /// By block: what decides whether it runs, as far as that is tested after a write.
    decided: FxHashMap<BlockId, Basis>,
}

impl<'a> Refusals<'a> {
    pub fn new(facts: &'a Facts<'a>, root: &'a Root) -> Refusals<'a> {
        let found = root.refusals.get_or_init(|| {
            let sets = sets(root);
            let mut all = exits::refusals(facts, root, &sets);
            let errors = all.iter().filter(|refusal| refusal.manner == Manner::Error && refusal.asserted.is_none());
            let errors = errors.map(|refusal| refusal.block).collect();
            let tested = |refusal: &Refusal| tests(root, refusal).last().map_or(refusal.block, |test| test.block);
            all.sort_by_cached_key(|refusal| root.graph.position(tested(refusal)));
            Found { all, errors, sets }
        });
        Refusals { facts, root, found, decided: FxHashMap::default() }
    }

    /// The exits that refuse, in the order of their tests.
    pub fn all(&self) -> &'a [Refusal] {
        &self.found.all
    }

    /// The tests that lead to the refusal, the last one last.
    pub fn tests(&self, refusal: &Refusal) -> Vec<Test> {
        tests(self.root, refusal)
    }

    /// What was written before the test.
    pub fn written(&self, test: &Test) -> &'a Written {
        match test.asserted {
            Some(call) => self.root.history.before(call),
            None => self.root.history.at_end(test.block),
        }
    }

    /// The tests of a late refusal: all of them come after a write on every path, and none is decided by what was written.
    pub fn late(&mut self, refusal: &Refusal) -> Option<Vec<Test>> {
        let tests = self.tests(refusal);
        let last = tests.last()?.span;
        let mut own_tests = tests.iter().filter(|test| test.span == last);
        if !own_tests.all(|test| self.written(test).always) {
            return None;
        }
        let own = tests.iter().map(|test| self.basis(test.cond)).max()?;
        let late = own == Basis::Inputs && self.decided(refusal.block) <= Basis::Inputs;
        late.then_some(tests)
    }

    /// What decides whether the block runs, tests before all writes left out.
    fn decided(&mut self, block: BlockId) -> Basis {
        // Controllers of controllers, each block once.
        let mut blocks = vec![block];
        let mut controllers: FxHashMap<BlockId, Vec<Test>> = FxHashMap::default();
        while let Some(block) = blocks.pop() {
            if self.decided.contains_key(&block) || controllers.contains_key(&block) {
                continue;
            }
            let mut tests = tests_of(self.root, block);
            tests.retain(|test| self.written(test).ever && !self.refuses_else(test, block));
            blocks.extend(tests.iter().map(|test| test.block));
            controllers.insert(block, tests);
        }
        // A controller comes before what it controls; only a loop's last test controls what came before it, and that is left out.
        let mut order: Vec<BlockId> = controllers.keys().copied().collect();
        order.sort_by_key(|&block| self.root.graph.position(block));
        for block in order {
            let mut basis = Basis::Nothing;
            for test in &controllers[&block] {
                let outer = self.decided.get(&test.block).copied().unwrap_or(Basis::Nothing);
                basis = basis.max(outer).max(self.basis(test.cond));
            }
            self.decided.insert(block, basis);
        }
        self.decided[&block]
    }

    /// Does the test only keep from the block what is refused with an error? Whoever moves a later test above it changes which of
    /// both errors comes first.
    fn refuses_else(&self, test: &Test, block: BlockId) -> bool {
        let other = self.other_way(test, block);
        other.is_some_and(|other| self.found.errors.contains(&other))
    }

    /// Where the test leads if it does not lead to the block.
    fn other_way(&self, test: &Test, block: BlockId) -> Option<BlockId> {
        match self.root.function.block(test.block).end {
            Terminator::Branch { yes, no, .. } => Some(if self.root.graph.dominates(yes, block) { no } else { yes }),
            Terminator::Goto(_) | Terminator::Return { .. } | Terminator::Raise => None,
        }
    }

    /// The first write that was made before the test, pruning left out.
    pub fn first_write(&self, test: &Test) -> Option<&'a Event> {
        let sure = &self.written(test).sure;
        if let Some(first) = sure.iter().filter_map(|&at| self.root.event(at)).find(|write| !prunes(write)) {
            return Some(first);
        }
        // Each path has another one.
        let reaches = |write: &&Event| self.root.graph.before(write.at, test.cond) != Order::Never;
        let mut writes = self.root.writes().filter(|write| write.raises() && !prunes(write));
        writes.find(|write| sure.is_empty() && reaches(write))
    }

    /// The calls whose replies the tests ask.
    pub fn asked(&self, tests: &[Test]) -> Vec<&'a Event> {
        let mut asked = Vec::new();
        for test in tests {
            self.facts.origins.leaves(self.root.origin(test.cond), &mut |leaf, _| {
                asked.extend(self.facts.origins.reply(leaf).and_then(|at| self.root.event(at)));
            });
        }
        asked
    }

    /// Does the script, on its way from the test to the refusal, write the key of the earlier write again?
    pub fn makes_up(&self, tests: &[Test], refusal: &Refusal, write: &Event) -> bool {
        let again = |event: &Event| event.is_write() && same_key(event, write);
        let mut block = refusal.block;
        for _ in 0..limits::REPAIR_BLOCKS {
            if tests.iter().any(|test| test.block == block) {
                return false;
            }
            let insts = &self.root.function.block(block).insts;
            if insts.iter().filter_map(|&at| self.root.event(at)).any(again) {
                return true;
            }
            match self.root.graph.immediate_dominator(block) {
                Some(dominator) => block = dominator,
                None => return false,
            }
        }
        true
    }

    /// Can the script still write other keys than the early write's if the test goes the other way, and does it not refuse there?
    pub fn goes_on_writing(&self, test: &Test, refusal: &Refusal, early: &Event) -> bool {
        let Some(other) = self.other_way(test, refusal.block).filter(|block| !self.found.errors.contains(block)) else {
            return false;
        };
        let writes = self.root.writes().filter(|write| !same_key(write, early));
        let mut writes = writes.filter_map(|write| self.root.block_of(write.at));
        writes.any(|block| block == other || self.root.graph.reaches(other, block))
    }

    /// Does the test ask whether an argument is a certain word, so that it chooses what the script does?
    pub fn is_mode_switch(&self, test: &Test) -> bool {
        let origins = &self.facts.origins;
        let mut origin = self.root.origin(test.cond);
        while let Origin::Not(inner) = *origins.get(origin) {
            origin = inner;
        }
        let Origin::Binary(op, a, b) = *origins.get(origin) else {
            // `if ARGV[3] then`
            return origins.element(origin).is_some();
        };
        let argument = |id| matches!(origins.element(id), Some((Input::Argv, _)));
        let literal = |id| origins.constant(id).is_some();
        !op.is_order() && (argument(a) && literal(b) || argument(b) && literal(a))
    }
}

fn tests(root: &Root, refusal: &Refusal) -> Vec<Test> {
    match refusal.asserted {
        Some(cond) => {
            let Refusal { block, at, .. } = *refusal;
            vec![Test { block, cond, span: root.span(cond), asserted: Some(at) }]
        }
        None => tests_of(root, refusal.block),
    }
}

fn tests_of(root: &Root, block: BlockId) -> Vec<Test> {
    let mut tests: Vec<Test> = root
        .conditions(block)
        .filter_map(|(block, cond)| match root.function.block(block).end {
            Terminator::Branch { whole, .. } => Some(Test { block, cond, span: whole, asserted: None }),
            Terminator::Goto(_) | Terminator::Return { .. } | Terminator::Raise => None,
        })
        .filter(|test| root.is_reached(test.block))
        .collect();
    tests.sort_by_key(|test| root.graph.position(test.block));
    tests
}

/// May one write a key that the other one has?
pub fn same_key(one: &Event, other: &Event) -> bool {
    one.key_args().any(|(_, a)| other.key_args().any(|(_, b)| a.value.origin == b.value.origin))
}

/// Does it only remove what has expired or is too much? It may stay done when the script refuses.
pub fn prunes(event: &Event) -> bool {
    event.command.is_some_and(|command| matches!(command.name, "XTRIM" | "ZREMRANGEBYSCORE"))
}

/// Commands that write although they answer 0 or false: the answer tells of what was there before.
const ALWAYS_WRITES: [&str; 6] = ["GEOADD", "GETSET", "HSET", "SETBIT", "SETRANGE", "ZADD"];

/// Can the write's reply say that nothing was written?
pub fn may_do_nothing(event: &Event) -> bool {
    let Some(command) = event.command else {
        return true;
    };
    let reply = &event.reply;
    let nothing = reply.kinds.may_be(Kinds::FALSE) || reply.range.low == 0 || !event.raises();
    nothing && !ALWAYS_WRITES.contains(&command.name) && !command.name.ends_with("STORE")
}

fn sets(root: &Root) -> Sets {
    let mut sets = Sets::default();
    for block in root.blocks() {
        for &at in &root.function.block(block).insts {
            if let Op::Set(local, value) = *root.op(at) {
                sets.entry(local).or_default().push(Set { block, at, value });
            }
        }
    }
    sets
}
