//! The value analysis: what each instruction's value can be, on every run.
//!
//! Narrowing is by origin, not by local: what a test proves of the reply of a call holds for every local that holds it, until the call is
//! executed again. A local that no state knows is unknown, never nil.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "asks for some forms of an instruction or origin; all others are none of them"
)]

mod assume;
mod calls;
mod handed;
mod join;
mod names;
mod ops;
mod registers;
mod sends;
mod spread;
mod state;
mod tables;
#[cfg(test)]
mod tests;
mod texts;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::{
    builtins::BuiltinId,
    commands::{Command, Reply},
    events::Event,
    flow::{self, Analysis},
    graph::Graph,
    inline::Inlined,
    ir::{BlockId, Const, Function, LocalId, Op, Program, Terminator, TextId, Texts, ValueId},
    origin::{Input, Origin, OriginId, Origins, Site},
    registrations::Registration,
    source::Span,
    value::{Interval, Kinds, Value},
};

pub use handed::Contents;
pub use ops::format_number;
pub use state::{Field, Table};
use state::{Protocol, State};

/// What the analysis of one root gives.
pub struct Values {
    /// By [`ValueId`]: what the instruction's value can be, as it was when it was made.
    pub values: Vec<Value>,
    /// By [`BlockId`].
    pub reached: Vec<bool>,
    /// Redis calls in reverse postorder.
    pub events: Vec<Event>,
    /// Instructions whose inputs from ARGV were all looked at before.
    pub tested: Vec<bool>,
    /// The tables as they were where something used them as a list: argument of `unpack`, of a call's tail.
    pub lengths: FxHashMap<ValueId, Interval>,
    /// The tables that go to the client or to `cjson.encode`, with all that they hold: by the block of the `return`, by the call.
    pub handed: FxHashMap<Site, Contents>,
    /// What is known of each local where the main path ends; for functions that run later.
    pub at_exit: FxHashMap<LocalId, Value>,
    /// Calls of the undefined global `reveal`: the argument's place and what is known of it.
    pub reveals: Vec<(Span, Value)>,
    /// Calls of `redis.register_function`.
    pub registrations: Vec<Registration>,
    pub cut: bool,
}

/// What a root starts with.
pub struct Entry {
    pub locals: Vec<(LocalId, Value)>,
}

/// What all roots of a script share.
pub struct Shared<'a> {
    pub program: &'a Program,
    pub origins: &'a mut Origins,
    pub texts: &'a mut Texts,
    /// Captured locals that a function other than their own assigns.
    pub assigned_elsewhere: &'a FxHashSet<LocalId>,
    pub is_library: bool,
    /// Those that the config declares.
    pub commands: &'a [&'static Command],
}

/// Analyses one root.
pub fn eval(inlined: &Inlined, graph: &Graph, entry: &Entry, shared: Shared) -> Values {
    let mut eval = Eval::new(inlined, graph, entry, shared);
    let mut reached = vec![false; inlined.function.blocks.len()];
    let cut = flow::fixpoint(&inlined.function, graph, &mut eval, |block, _| reached[block.index()] = true);
    let Recorded { events, tested, lengths, handed, reveals, registrations, exit } = eval.recorded.unwrap_or_default();
    let at_exit = exit.map_or_else(FxHashMap::default, |state| state.locals.iter().copied().collect());
    Values { values: eval.values, reached, events, tested, lengths, handed, at_exit, reveals, registrations, cut }
}

#[derive(Default)]
struct Recorded {
    events: Vec<Event>,
    tested: Vec<bool>,
    lengths: FxHashMap<ValueId, Interval>,
    handed: FxHashMap<Site, Contents>,
    reveals: Vec<(Span, Value)>,
    registrations: Vec<Registration>,
    exit: Option<State>,
}

struct Eval<'a> {
    function: &'a Function,
    inlined: &'a Inlined,
    graph: &'a Graph,
    entry: &'a Entry,
    crossing: Vec<bool>,
    /// By block: is it the head of a loop?
    heads: Vec<bool>,
    changed: Vec<ValueId>,
    values: Vec<Value>,
    /// What the table says of the reply of each Redis call, as it was last evaluated.
    replies: FxHashMap<ValueId, Reply>,
    /// What the table of commands says of calls with the same literals.
    calls: FxHashMap<sends::Literals, Rc<sends::Call>>,
    /// A table of which nothing is known.
    open: Rc<Table>,
    /// Fields of libraries that were looked up.
    fields: FxHashMap<(BuiltinId, TextId), Option<BuiltinId>>,
    /// Set while what is run is final.
    recorded: Option<Recorded>,
    /// What was recorded, meanwhile.
    parked: Option<Recorded>,
    shared: Shared<'a>,
}

impl Analysis for Eval<'_> {
    type State = State;

    fn entry(&mut self) -> State {
        let mut state = State::default();
        for &(local, value) in &self.entry.locals {
            state.locals.insert(local, value);
        }
        state
    }

    fn transfer(&mut self, state: &mut State, at: ValueId) -> bool {
        let function = self.function;
        let (value, goes_on) = match &function.inst(at).op {
            // It is always the same.
            Op::Const(_) if self.values[at.index()].origin != OriginId::UNKNOWN => return true,
            Op::Const(constant) => (self.constant(*constant), true),
            Op::Unknown | Op::Vararg => {
                self.renew(state, at);
                (self.opaque(at), true)
            }
            Op::Closure(function) => {
                let origin = self.origins().intern(Origin::Closure(*function));
                (Value::new(Kinds::FUNCTION, origin), true)
            }
            Op::Table => {
                self.renew(state, at);
                self.new_table(state, at, Table::EMPTY);
                (Value::new(Kinds::TABLE, self.origins().intern(Origin::Made(at))), true)
            }
            Op::Global(name) => (self.global(*name), true),
            Op::SetGlobal(..) => (Value::UNKNOWN, true),
            Op::Get(local) => (self.get(state, *local), true),
            Op::Set(local, value) => {
                let value = self.values[value.index()];
                state.locals.insert(*local, value);
                (value, true)
            }
            Op::Forget(local) => {
                state.locals.remove(*local);
                (Value::UNKNOWN, true)
            }
            Op::Index(base, key) => {
                let (base, key) = (self.values[base.index()], self.values[key.index()]);
                self.renew(state, at);
                (self.index(state, at, base, key), true)
            }
            Op::SetIndex { table, key, value } => {
                let (table, key) = (self.values[table.index()], self.values[key.index()]);
                let field = Field { value: self.values[value.index()], at: *value };
                self.set_index(state, table, key, field);
                (Value::UNKNOWN, true)
            }
            Op::SetTail { table, first, tail } => {
                self.set_tail(state, *table, *first, *tail);
                (Value::UNKNOWN, true)
            }
            Op::Not(a) => (self.not(self.values[a.index()]), true),
            Op::Negate(a) => (self.negate(state, self.values[a.index()]), true),
            Op::Length(a) => (self.length(state, self.values[a.index()]), true),
            Op::Binary(op, a, b) => {
                self.note_tested(state, at, *a, *b);
                (self.binary(state, *op, self.values[a.index()], self.values[b.index()]), true)
            }
            Op::Call { .. } => {
                self.renew(state, at);
                self.call(state, at)
            }
            Op::Extra(call, n) => {
                self.renew(state, at);
                (self.result(state, *call, *n, at), true)
            }
        };
        if self.crossing[at.index()] && self.values[at.index()] != value {
            self.changed.push(at);
        }
        self.values[at.index()] = value;
        goes_on
    }

    fn assume(&mut self, state: &mut State, cond: ValueId, holds: bool) -> bool {
        if let Op::Const(constant) = self.function.op(cond) {
            // Only literals prune: pruning by inferred kinds hides the rest of the script behind one mistake.
            return matches!(constant, Const::Nil | Const::False) != holds;
        }
        if let Some(decided) = self.decided(cond) {
            return decided == holds;
        }
        self.assume_value(state, self.values[cond.index()], holds);
        true
    }

    /// What was computed from a join at the block is of an earlier round.
    fn enter(&mut self, state: &mut State, block: BlockId) {
        if self.comes_again(block) {
            self.past(state, Site::Block(block));
        }
    }

    fn join(&mut self, into: &mut State, from: &State, block: BlockId, widen: bool) -> bool {
        self.join_states(into, from, block, widen)
    }

    fn give_up(&mut self, state: &mut State) {
        let protocol = if self.may_set_resp() { Protocol::Either } else { Protocol::Resp2 };
        *state = State { lost: true, keys_changed: true, argv_changed: true, protocol, ..State::default() };
    }

    fn changed(&mut self, f: impl FnMut(ValueId)) {
        self.changed.drain(..).for_each(f);
    }

    fn is_final(&mut self, holds: bool) {
        if holds && self.recorded.is_none() {
            let new = || Recorded { tested: vec![false; self.values.len()], ..Recorded::default() };
            self.recorded = Some(self.parked.take().unwrap_or_else(new));
        } else if !holds {
            self.parked = self.recorded.take().or_else(|| self.parked.take());
        }
    }

    fn returns(&mut self, state: &State, block: BlockId) {
        if let (true, Terminator::Return { values, .. }) = (self.recorded.is_some(), &self.function.block(block).end) {
            let values: SmallVec<[Value; 4]> = values.iter().map(|value| self.values[value.index()]).collect();
            self.hands_out(state, Site::Block(block), &values);
        }
        self.exits(state);
    }
}

impl<'a> Eval<'a> {
    fn new(inlined: &'a Inlined, graph: &'a Graph, entry: &'a Entry, shared: Shared<'a>) -> Eval<'a> {
        let function = &inlined.function;
        let count = function.insts.len();
        let mut crossing = vec![false; count];
        for (value, _) in &graph.crossing {
            crossing[value.index()] = true;
        }
        let mut heads = vec![false; function.blocks.len()];
        for one in &function.loops {
            heads[one.head.index()] = true;
        }
        Eval {
            function,
            inlined,
            graph,
            entry,
            crossing,
            heads,
            changed: Vec::new(),
            values: vec![Value::UNKNOWN; count],
            replies: FxHashMap::default(),
            calls: FxHashMap::default(),
            open: Rc::new(Table::OPEN),
            fields: FxHashMap::default(),
            recorded: None,
            parked: None,
            shared,
        }
    }

    fn origins(&mut self) -> &mut Origins {
        self.shared.origins
    }

    /// What the instruction makes is new: what is known of the value that it made before is of the past.
    fn renew(&mut self, state: &mut State, at: ValueId) {
        let site = Site::Value(at);
        if self.graph.in_loop(at).is_some() && self.shared.origins.is_mentioned(site) {
            self.past(state, site);
        }
    }

    /// Is it a block of a loop at which origins were made, so that entering it makes them past?
    fn comes_again(&self, block: BlockId) -> bool {
        let is_in_loop = self.function.blocks.get(block.index()).is_some_and(|block| block.within.is_some());
        is_in_loop && self.shared.origins.is_mentioned(Site::Block(block))
    }

    /// Turns every origin that mentions the site into one of the past. What tests proved of it stays with the values.
    fn past(&mut self, state: &mut State, site: Site) {
        let origins = &mut *self.shared.origins;
        let is_stale = |origins: &Origins, value: &Value| origins.mentions(value.origin, site);
        let narrowed = state.narrowed.clone();
        let past = |origins: &mut Origins, value: Value| {
            let value = join::refine(&narrowed, value);
            Value { origin: origins.past(value.origin), ..value }
        };
        if state.locals.any(|_, value| is_stale(origins, value)) {
            state.locals.update(|_, value| {
                let stale = is_stale(origins, value);
                Some(if stale { past(origins, *value) } else { *value })
            });
        }
        if state.tables.any(|_, table| table.all_fields().any(|field| is_stale(origins, &field.value))) {
            state.tables.update(|_, table| {
                let mut table = Rc::clone(table);
                if table.all_fields().any(|field| is_stale(origins, &field.value)) {
                    let fields = Rc::make_mut(&mut table);
                    for field in fields.fields.iter_mut().map(|(_, field)| field).chain(&mut fields.rest) {
                        if is_stale(origins, &field.value) {
                            field.value = past(origins, field.value);
                        }
                    }
                }
                Some(table)
            });
        }
        if state.narrowed.any(|&origin, narrow| origins.mentions(origin, site) || origins.mentions(narrow.same, site)) {
            state.narrowed.update(|&origin, narrow| {
                let gone = origins.mentions(origin, site) || origins.mentions(narrow.same, site);
                (!gone).then_some(*narrow)
            });
        }
        if state.keys.any(|&origin, _| origins.mentions(origin, site)) {
            state.keys.update(|&origin, key| (!origins.mentions(origin, site)).then_some(*key));
        }
    }

    /// A value that nothing is known of, but that stays itself.
    fn opaque(&mut self, at: ValueId) -> Value {
        Value::new(Kinds::ANY, self.origins().intern(Origin::Opaque(at)))
    }

    fn constant(&mut self, constant: Const) -> Value {
        let origin = self.origins().literal(constant);
        let value = Value::new(self.kinds_of(constant), origin);
        match constant {
            Const::Number(number) => value.ranged(Interval::of(number.get())),
            Const::Nil | Const::False | Const::True | Const::Text(_) => value,
        }
    }

    fn kinds_of(&self, constant: Const) -> Kinds {
        match constant {
            Const::Nil => Kinds::NIL,
            Const::False => Kinds::FALSE,
            Const::True => Kinds::TRUE,
            Const::Number(number) if ops::is_whole(number.get()) => Kinds::INTEGER,
            Const::Number(_) => Kinds::FRACTION,
            Const::Text(text) if ops::numeral(self.shared.texts.get(text)).is_some() => Kinds::NUMERAL,
            Const::Text(_) => Kinds::TEXT,
        }
    }

    fn get(&mut self, state: &State, local: LocalId) -> Value {
        match state.locals.get(local) {
            Some(&value) => self.refined(state, value),
            None => Value::UNKNOWN,
        }
    }

    fn refined(&self, state: &State, value: Value) -> Value {
        join::refine(&state.narrowed, value)
    }

    /// Was every ARGV element that the value depends on looked at on every path to here?
    fn is_tested(&self, state: &State, origin: OriginId) -> bool {
        let mut tested = true;
        self.shared.origins.leaves(origin, &mut |leaf, _| {
            if let Some((Input::Argv, _)) = self.shared.origins.element(leaf) {
                tested &= state.narrowed.get(leaf).is_some_and(|narrow| narrow.tested);
            }
        });
        tested
    }

    fn note_tested(&mut self, state: &State, at: ValueId, a: ValueId, b: ValueId) {
        if self.recorded.is_none() {
            return;
        }
        let tested = [a, b].into_iter().all(|operand| self.is_tested(state, self.values[operand.index()].origin));
        if let Some(recorded) = &mut self.recorded {
            recorded.tested[at.index()] = tested;
        }
    }

    /// The text of a value that is a literal string.
    fn text(&self, value: Value) -> Option<&[u8]> {
        match self.shared.origins.constant(value.origin) {
            Some(Const::Text(text)) => Some(self.shared.texts.get(text)),
            _ => None,
        }
    }

    fn number(&self, value: Value) -> Option<f64> {
        match self.shared.origins.constant(value.origin) {
            Some(Const::Number(number)) => Some(number.get()),
            _ => None,
        }
    }

    /// The tables that the value may be.
    fn made(&self, origin: OriginId) -> SmallVec<[ValueId; 2]> {
        let mut made = SmallVec::new();
        for origin in self.shared.origins.alternatives(origin) {
            if let Origin::Made(at) = *self.shared.origins.get(origin) {
                made.push(at);
            }
        }
        made
    }
}
