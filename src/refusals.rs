//! Exits by which a script refuses what it was asked for, and what their tests are decided by.
//!
//! A *refusal* ends the script in an error, or hands back a literal right under a test. A *test* is the branch that leads to it. A
//! refusal is *late* if what its test is decided by was known before the first write: the arguments, and replies that this script's
//! own writes did not change.
//!
//! Invariant: what isn't known to be decided by such inputs counts as unknown, and never as late.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    events::Event,
    facts::{Facts, Root},
    graph::Order,
    ir::{BlockId, Const, LocalId, LoopKind, Op, Terminator, ValueId},
    limits,
    origin::{Input, Origin, OriginId},
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
}

/// A branch that leads to a place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Test {
    pub branch: BlockId,
    pub cond: ValueId,
    /// The whole condition, of which `cond` may be one operand.
    pub span: Span,
}

/// What a condition is decided by; the greatest of what it is computed from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Basis {
    /// Literals alone.
    Nothing,
    /// What was known before the first write.
    Inputs,
    Unknown,
    /// What a write answered, or what it may have changed.
    Written,
}

/// Questions about the refusals of one root.
pub struct Refusals<'a> {
    facts: &'a Facts<'a>,
    root: &'a Root,
    all: Vec<Refusal>,
    /// By block: what decides whether it runs, as far as that is tested after a write.
    decided: FxHashMap<BlockId, Basis>,
}

impl<'a> Refusals<'a> {
    pub fn new(facts: &'a Facts<'a>, root: &'a Root) -> Refusals<'a> {
        let mut refusals = Refusals { facts, root, all: refusals(facts, root), decided: FxHashMap::default() };
        let mut all = std::mem::take(&mut refusals.all);
        let decided_at =
            |refusal: &Refusal| refusals.tests(refusal.block).last().map_or(refusal.block, |test| test.branch);
        all.sort_by_cached_key(|refusal| root.graph.position(decided_at(refusal)));
        Refusals { all, ..refusals }
    }

    /// The exits that refuse, in the order of their tests.
    pub fn all(&self) -> Vec<Refusal> {
        self.all.clone()
    }

    /// The tests that lead to the block, the last one last.
    pub fn tests(&self, block: BlockId) -> Vec<Test> {
        let mut tests: Vec<Test> = self
            .root
            .conditions(block)
            .filter_map(|(branch, cond)| match self.root.function.block(branch).end {
                Terminator::Branch { whole, .. } => Some(Test { branch, cond, span: whole }),
                Terminator::Goto(_) | Terminator::Return { .. } | Terminator::Raise => None,
            })
            .filter(|test| self.root.is_reached(test.branch))
            .collect();
        tests.sort_by_key(|test| self.root.graph.position(test.branch));
        tests
    }

    /// The tests of a late refusal: all of them come after a write on every path, and none is decided by what was written.
    pub fn late(&mut self, refusal: &Refusal) -> Option<Vec<Test>> {
        let root = self.root;
        let tests = self.tests(refusal.block);
        let last = tests.last()?.span;
        let mut own_tests = tests.iter().filter(|test| test.span == last);
        if !own_tests.all(|test| root.history.at_end(test.branch).always) {
            return None;
        }
        let own = tests.iter().map(|test| self.basis(root.origin(test.cond))).max()?;
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
            let tests: Vec<Test> = self
                .tests(block)
                .into_iter()
                .filter(|test| self.root.history.at_end(test.branch).ever && !self.refuses_else(test, block))
                .collect();
            blocks.extend(tests.iter().map(|test| test.branch));
            controllers.insert(block, tests);
        }
        // A controller comes before what it controls; only a loop's last test controls what came before it, and that is left out.
        let mut order: Vec<BlockId> = controllers.keys().copied().collect();
        order.sort_by_key(|&block| self.root.graph.position(block));
        for block in order {
            let mut basis = Basis::Nothing;
            for test in &controllers[&block] {
                let outer = self.decided.get(&test.branch).copied().unwrap_or(Basis::Nothing);
                basis = basis.max(outer).max(self.basis(self.root.origin(test.cond)));
            }
            self.decided.insert(block, basis);
        }
        self.decided[&block]
    }

    /// Does the test only keep from the block what is refused with an error? Whoever moves a later test above it changes which of
    /// both errors comes first.
    fn refuses_else(&self, test: &Test, block: BlockId) -> bool {
        let Terminator::Branch { yes, no, .. } = self.root.function.block(test.branch).end else {
            return false;
        };
        let other = if self.root.graph.dominates(yes, block) { no } else { yes };
        self.all.iter().any(|refusal| refusal.block == other && refusal.manner == Manner::Error)
    }

    /// What the value is decided by.
    pub fn basis(&self, origin: OriginId) -> Basis {
        self.basis_of(origin, &mut FxHashSet::default())
    }

    fn basis_of(&self, origin: OriginId, seen: &mut FxHashSet<OriginId>) -> Basis {
        if !seen.insert(origin) {
            return Basis::Nothing;
        }
        let mut most =
            |parts: &[OriginId]| parts.iter().map(|&part| self.basis_of(part, seen)).max().unwrap_or(Basis::Nothing);
        match self.facts.origins.get(origin) {
            Origin::Literal(_) | Origin::Builtin(_) => Basis::Nothing,
            Origin::Input(_) => Basis::Inputs,
            Origin::Reply(at) => self.basis_of_reply(*at, seen),
            Origin::Opaque(at) => self.basis_of_step(*at, seen),
            Origin::Phi(local, block) => self.basis_of_index(*local, *block, seen),
            Origin::Index(a, b) => match (self.facts.origins.get(*a), self.facts.origins.get(*b)) {
                // The index of a loop: its start in the first round, then what it counts to. No test chose among them.
                (Origin::Input(_), Origin::OneOf(indices)) if indices.iter().any(|&id| self.is_loop_index(id)) => {
                    most(indices).max(Basis::Inputs)
                }
                _ => most(&[*a, *b]),
            },
            Origin::Binary(_, a, b) => most(&[*a, *b]),
            Origin::Apply(_, parts, _) | Origin::Concat(parts) => most(parts),
            Origin::Length(a) | Origin::Not(a) | Origin::Negate(a) => most(&[*a]),
            // Of several values nobody knows what chose.
            Origin::OneOf(parts) => most(parts).max(Basis::Unknown),
            Origin::Unknown
            | Origin::Closure(_)
            | Origin::Made(_)
            | Origin::Param(_)
            | Origin::Global(_)
            | Origin::Past(_) => Basis::Unknown,
        }
    }

    fn basis_of_reply(&self, at: ValueId, seen: &mut FxHashSet<OriginId>) -> Basis {
        let Some(event) = self.root.event(at) else {
            return Basis::Unknown;
        };
        if event.is_write() || self.root.history.is_stale(at) {
            return Basis::Written;
        }
        if event.command.is_none() {
            return Basis::Unknown;
        }
        let args = event.args.iter().map(|arg| self.basis_of(arg.value.origin, seen));
        args.max().unwrap_or(Basis::Nothing).max(Basis::Inputs)
    }

    /// A step of a loop over a table: decided by the table.
    fn basis_of_step(&self, at: ValueId, seen: &mut FxHashSet<OriginId>) -> Basis {
        let Op::Call { callee, .. } = self.root.op(at) else {
            return Basis::Unknown;
        };
        let callee = self.facts.origins.present(self.root.origin(*callee));
        match self.facts.origins.get(callee) {
            Origin::Apply(..) => self.basis_of(callee, seen),
            _ => Basis::Unknown,
        }
    }

    /// The index of a numeric loop: decided by its bounds.
    fn basis_of_index(&self, local: LocalId, block: BlockId, seen: &mut FxHashSet<OriginId>) -> Basis {
        match self.counts(local, block) {
            Some(bounds) => {
                let bounds = bounds.into_iter().flatten();
                bounds.map(|bound| self.basis_of(self.root.origin(bound), seen)).max().unwrap_or(Basis::Nothing)
            }
            None => Basis::Unknown,
        }
    }

    fn is_loop_index(&self, origin: OriginId) -> bool {
        match *self.facts.origins.get(origin) {
            Origin::Phi(local, block) => self.counts(local, block).is_some(),
            _ => false,
        }
    }

    /// The bounds of the numeric loop with this head, if the local counts its rounds.
    fn counts(&self, local: LocalId, block: BlockId) -> Option<[Option<ValueId>; 3]> {
        self.root.function.blocks.get(block.index())?;
        let head = self.root.graph.headed_by(block)?;
        let hidden = self.root.local(&self.facts.program, local).name.is_none();
        match self.root.function.loops[head.index()].kind {
            LoopKind::Numeric { start, limit, step } if hidden => Some([Some(start), Some(limit), step]),
            LoopKind::Numeric { .. } | LoopKind::Generic { .. } | LoopKind::While | LoopKind::Repeat => None,
        }
    }

    /// The first write that was made before the test.
    pub fn first_write(&self, test: &Test) -> Option<&'a Event> {
        let sure = self.root.history.at_end(test.branch).sure.first().and_then(|&at| self.root.event(at));
        // Each path has another one.
        let reaches = |write: &&Event| self.root.graph.before(write.at, test.cond) != Order::Never;
        sure.or_else(|| self.root.writes().filter(|write| write.raises()).find(reaches))
    }

    /// Is one of the tests decided by what this write answered?
    pub fn asks(&self, tests: &[Test], write: ValueId) -> bool {
        let mut asked = false;
        for test in tests {
            self.facts.origins.leaves(self.root.origin(test.cond), &mut |leaf, _| {
                asked |= self.facts.origins.reply(leaf) == Some(write);
            });
        }
        asked
    }

    /// Does the script, on its way from the test to the refusal, write the key of the earlier write again?
    pub fn makes_up(&self, tests: &[Test], refusal: &Refusal, write: &Event) -> bool {
        let keys: Vec<OriginId> = write.key_args().map(|(_, arg)| arg.value.origin).collect();
        let again = |event: &Event| {
            event.is_write() && event.key_args().any(|(key, arg)| key.writes && keys.contains(&arg.value.origin))
        };
        let mut block = refusal.block;
        for _ in 0..limits::REPAIR_BLOCKS {
            if tests.iter().any(|test| test.branch == block) {
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

    /// Can the script still write if the test goes the other way?
    pub fn goes_on_writing(&self, test: &Test, refusal: &Refusal) -> bool {
        let Terminator::Branch { yes, no, .. } = self.root.function.block(test.branch).end else {
            return false;
        };
        let other = if self.root.graph.dominates(yes, refusal.block) { no } else { yes };
        let mut writes = self.root.writes().filter_map(|write| self.root.block_of(write.at));
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

fn refusals(facts: &Facts, root: &Root) -> Vec<Refusal> {
    let exits = Exits { facts, root, sets: sets(facts, root), errors: errors(facts, root) };
    let mut found = Vec::new();
    for block in root.blocks() {
        let code = root.function.block(block);
        match &code.end {
            Terminator::Raise if code.unwind.is_none() => {
                if let Some(&call) = code.insts.last() {
                    found.push(Refusal { manner: Manner::Error, block, span: root.span(call) });
                }
            }
            Terminator::Return { values, span, .. } => match values.first() {
                Some(&value) => exits.returns(block, block, value, *span, &mut found),
                None => found.extend(exits.literal(block, *span)),
            },
            Terminator::Raise | Terminator::Goto(_) | Terminator::Branch { .. } => {}
        }
    }
    found
}

struct Exits<'a> {
    facts: &'a Facts<'a>,
    root: &'a Root,
    /// Where each hidden local is set.
    sets: FxHashMap<LocalId, Vec<(BlockId, ValueId, ValueId)>>,
    /// Tables with a field `err`.
    errors: FxHashSet<ValueId>,
}

impl Exits<'_> {
    /// What is handed back in `end` is made in `block`.
    fn returns(&self, block: BlockId, end: BlockId, value: ValueId, span: Span, found: &mut Vec<Refusal>) {
        if let Op::Get(local) = *self.root.op(value)
            && let Some(sets) = self.sets.get(&local)
        {
            // A helper's result, or that of `and` and `or`: each place that leads straight here is an exit of its own.
            let known = found.len();
            for &(place, set, made) in sets {
                if place != end && self.leads_straight(place, set, end) {
                    let span = if self.root.inst(set).via.is_some() { self.root.span(set) } else { span };
                    self.returns(place, place, made, span, found);
                }
            }
            if known < found.len() {
                return;
            }
        }
        if self.is_error(value) {
            found.push(Refusal { manner: Manner::Error, block, span });
        } else if matches!(self.root.op(value), Op::Const(_)) {
            found.extend(self.literal(block, span));
        }
    }

    /// From the instruction on, does nothing happen until the block ends the script?
    fn leads_straight(&self, from: BlockId, set: ValueId, end: BlockId) -> bool {
        let quiet = |insts: &[ValueId]| !insts.iter().any(|&at| matches!(self.root.op(at), Op::Call { .. }));
        let mut block = from;
        let insts = &self.root.function.block(from).insts;
        let after = insts.iter().position(|&at| at == set).map_or(0, |at| at + 1);
        let mut rest = &insts[after..];
        // Each step leads on to a block that comes later, or it is a loop.
        loop {
            if !quiet(rest) {
                return false;
            }
            if block == end {
                return true;
            }
            let Terminator::Goto(to) = self.root.function.block(block).end else {
                return false;
            };
            if self.root.graph.position(to) <= self.root.graph.position(block) {
                return false;
            }
            block = to;
            rest = &self.root.function.block(block).insts;
        }
    }

    fn is_error(&self, value: ValueId) -> bool {
        let value = self.root.value(value);
        let made = |origin: OriginId| match self.facts.origins.get(origin) {
            Origin::Made(at) => self.errors.contains(at),
            _ => false,
        };
        let reply = !value.kinds.is_never() && value.kinds.within(Kinds::ERROR);
        reply || self.facts.origins.alternatives(value.origin).iter().all(|&origin| made(origin))
    }

    /// A literal right under a test.
    fn literal(&self, block: BlockId, span: Span) -> Option<Refusal> {
        let mut before = self.root.graph.predecessors(block);
        let under = before
            .next()
            .is_some_and(|before| matches!(self.root.function.block(before).end, Terminator::Branch { .. }));
        let quiet =
            !self.root.function.block(block).insts.iter().any(|&at| matches!(self.root.op(at), Op::Call { .. }));
        (under && quiet).then_some(Refusal { manner: Manner::Literal, block, span })
    }
}

fn sets(facts: &Facts, root: &Root) -> FxHashMap<LocalId, Vec<(BlockId, ValueId, ValueId)>> {
    let mut sets: FxHashMap<LocalId, Vec<(BlockId, ValueId, ValueId)>> = FxHashMap::default();
    for block in root.blocks() {
        for &at in &root.function.block(block).insts {
            if let Op::Set(local, value) = *root.op(at)
                && root.local(&facts.program, local).name.is_none()
            {
                sets.entry(local).or_default().push((block, at, value));
            }
        }
    }
    sets
}

fn errors(facts: &Facts, root: &Root) -> FxHashSet<ValueId> {
    let mut errors = FxHashSet::default();
    for at in root.insts() {
        if let Op::SetIndex { table, key, .. } = *root.op(at)
            && let Origin::Made(made) = *facts.origins.get(root.origin(table))
            && let Some(Const::Text(name)) = facts.origins.constant(root.origin(key))
            && facts.texts.get(name) == b"err"
        {
            errors.insert(made);
        }
    }
    errors
}
