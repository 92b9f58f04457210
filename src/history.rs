//! What a script has written when control comes to a place.
//!
//! A *sure* write was made on every path to the place; a *possible* one on some path. A read is *stale* if one of its keys may have
//! been written before by the same script; any other read could stand above the first write and answer the same.
//!
//! Example: after `SET a`, at `GET b`, the write of `a` is sure. `GET b` isn't stale, `GET a` is.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    eval::Values,
    events::{Event, Protection},
    flow::{self, Analysis},
    graph::Graph,
    ir::{BlockId, Const, Function, Op, Texts, ValueId},
    keyspace, limits,
    origin::{Origin, OriginId, Origins},
};

/// What was written before a place.
#[derive(Clone, PartialEq, Debug)]
pub struct Written {
    /// Did every path here write?
    pub always: bool,
    /// Did any path here write, or run code that nobody sees?
    pub ever: bool,
    /// The first sure writes, in the order in which they are made; at most [`limits::SURE_WRITES`].
    pub sure: Rc<Vec<ValueId>>,
    /// The keys that may have been written, sorted; `None`: any.
    keys: Option<Rc<Vec<OriginId>>>,
}

impl Default for Written {
    fn default() -> Written {
        Written { always: false, ever: false, sure: Rc::default(), keys: Some(Rc::default()) }
    }
}

/// What was written before each place of one root. What is absent comes before all writes.
#[derive(Default)]
pub struct History {
    /// By block, at its end.
    ends: FxHashMap<BlockId, Written>,
    /// Before each Redis call, `assert`, and arithmetic or ordering instruction.
    before: FxHashMap<ValueId, Written>,
    stale: FxHashSet<ValueId>,
    nothing: Written,
}

impl History {
    pub fn new(function: &Function, graph: &Graph, values: &Values, origins: &Origins, texts: &Texts) -> History {
        let events = values.events.iter().map(|event| (event.at, event)).collect();
        let mut past = Past { function, values, origins, texts, events };
        let mut history = History::default();
        if !graph.rpo.iter().any(|&block| past.writes(block)) {
            return history;
        }
        let mut states = Vec::with_capacity(graph.rpo.len());
        flow::fixpoint(function, graph, &mut past, |block, state| states.push((block, state.clone())));
        for (block, mut state) in states {
            for &at in &function.block(block).insts {
                if state.ever && past.is_asked_for(at) {
                    history.before.insert(at, state.clone());
                    if past.events.get(&at).is_some_and(|read| past.is_stale(&state, read)) {
                        history.stale.insert(at);
                    }
                }
                if !past.transfer(&mut state, at) {
                    break;
                }
            }
            if state.ever {
                history.ends.insert(block, state);
            }
        }
        history
    }

    /// What was written when the block ends.
    pub fn at_end(&self, block: BlockId) -> &Written {
        self.ends.get(&block).unwrap_or(&self.nothing)
    }

    /// What was written before the Redis call or `assert`, or before the arithmetic or ordering instruction.
    pub fn before(&self, at: ValueId) -> &Written {
        self.before.get(&at).unwrap_or(&self.nothing)
    }

    /// May the script itself have written what the read reads?
    pub fn is_stale(&self, read: ValueId) -> bool {
        self.stale.contains(&read)
    }
}

struct Past<'a> {
    function: &'a Function,
    values: &'a Values,
    origins: &'a Origins,
    texts: &'a Texts,
    events: FxHashMap<ValueId, &'a Event>,
}

impl Past<'_> {
    fn writes(&self, block: BlockId) -> bool {
        let insts = &self.function.block(block).insts;
        let mut calls = insts.iter().filter(|&&at| matches!(self.function.op(at), Op::Call { .. }));
        calls.any(|&at| match self.events.get(&at) {
            Some(event) => event.command.is_none() || event.is_write(),
            None => self.is_unseen(at),
        })
    }

    /// Does it call code that nobody sees, which may write anything?
    fn is_unseen(&self, at: ValueId) -> bool {
        let Op::Call { callee, .. } = self.function.op(at) else {
            return false;
        };
        let callee = self.values.values[callee.index()].origin;
        match self.origins.get(self.origins.present(callee)) {
            // `Apply` is the iterator that `pairs` and the like give.
            Origin::Builtin(_) | Origin::Apply(..) => false,
            Origin::Unknown
            | Origin::Literal(_)
            | Origin::Input(_)
            | Origin::Closure(_)
            | Origin::Reply(_)
            | Origin::Made(_)
            | Origin::Opaque(_)
            | Origin::Phi(..)
            | Origin::Param(_)
            | Origin::Global(_)
            | Origin::Index(..)
            | Origin::Concat(_)
            | Origin::Length(_)
            | Origin::Not(_)
            | Origin::Negate(_)
            | Origin::Binary(..)
            | Origin::OneOf(..)
            | Origin::Past(_) => true,
        }
    }

    fn is_assert(&self, callee: ValueId) -> bool {
        let callee = self.origins.get(self.values.values[callee.index()].origin);
        matches!(callee, Origin::Builtin(builtin) if builtin.name() == "assert")
    }

    fn is_asked_for(&self, at: ValueId) -> bool {
        match self.function.op(at) {
            Op::Binary(op, ..) => op.is_arithmetic() || op.is_order(),
            Op::Call { callee, .. } => self.events.contains_key(&at) || self.is_assert(*callee),
            Op::Const(_)
            | Op::Unknown
            | Op::Vararg
            | Op::Closure(_)
            | Op::Table
            | Op::Global(_)
            | Op::SetGlobal(..)
            | Op::Get(_)
            | Op::Set(..)
            | Op::Forget(_)
            | Op::Index(..)
            | Op::SetIndex { .. }
            | Op::SetTail { .. }
            | Op::Not(_)
            | Op::Negate(_)
            | Op::Length(_)
            | Op::Extra(..) => false,
        }
    }

    fn is_stale(&self, state: &Written, read: &Event) -> bool {
        let Some(written) = state.keys.as_ref().filter(|_| !read.keys_partial) else {
            return true;
        };
        // TIME alone reads nothing that a script can write; other commands without keys ask about all of them.
        let whole = read.keys.is_empty() && read.command.is_none_or(|command| command.name != "TIME");
        let same = |key: OriginId| written.iter().any(|&other| !keyspace::differ(self.origins, self.texts, key, other));
        whole || read.key_args().any(|(_, arg)| same(arg.value.origin))
    }

    fn send(&self, state: &mut Written, event: &Event) {
        if event.command.is_some() && !event.is_write() {
            return;
        }
        state.ever = true;
        // What is sent by `pcall` may have failed.
        if event.is_write() && event.protection == Protection::None {
            state.always = true;
            if state.sure.len() < limits::SURE_WRITES && !state.sure.contains(&event.at) {
                Rc::make_mut(&mut state.sure).push(event.at);
            }
        }
        if event.keys_partial || event.keys.is_empty() {
            state.keys = None;
        }
        let mut written = event.key_args().filter(|(key, _)| key.writes).map(|(_, arg)| arg.value.origin);
        if let Some(keys) = &mut state.keys {
            for key in &mut written {
                if let Err(place) = keys.binary_search(&key) {
                    Rc::make_mut(keys).insert(place, key);
                }
            }
            if limits::WRITTEN_KEYS < keys.len() {
                state.keys = None;
            }
        }
    }
}

impl Analysis for Past<'_> {
    type State = Written;

    fn entry(&mut self) -> Written {
        Written::default()
    }

    fn transfer(&mut self, state: &mut Written, at: ValueId) -> bool {
        if !matches!(self.function.op(at), Op::Call { .. }) {
            return true;
        }
        match self.events.get(&at) {
            Some(event) => self.send(state, event),
            None if self.is_unseen(at) => {
                state.ever = true;
                state.keys = None;
            }
            None => {}
        }
        true
    }

    fn assume(&mut self, _: &mut Written, cond: ValueId, holds: bool) -> bool {
        // Only a literal condition prunes.
        let Op::Const(constant) = self.function.op(cond) else {
            return true;
        };
        matches!(constant, Const::Nil | Const::False) != holds
    }

    fn join(&mut self, into: &mut Written, from: &Written, _: BlockId, _: bool) -> bool {
        let old = into.clone();
        into.always &= from.always;
        into.ever |= from.ever;
        if into.sure.iter().any(|write| !from.sure.contains(write)) {
            Rc::make_mut(&mut into.sure).retain(|write| from.sure.contains(write));
        }
        into.keys = match (into.keys.take(), &from.keys) {
            (Some(ours), Some(theirs)) => {
                let mut keys = ours;
                for key in theirs.iter() {
                    if let Err(place) = keys.binary_search(key) {
                        Rc::make_mut(&mut keys).insert(place, *key);
                    }
                }
                (keys.len() <= limits::WRITTEN_KEYS).then_some(keys)
            }
            (None, _) | (_, None) => None,
        };
        *into != old
    }

    fn give_up(&mut self, state: &mut Written) {
        *state = Written { ever: true, keys: None, ..Written::default() };
    }

    fn changed(&mut self, _: impl FnMut(ValueId)) {}
}
