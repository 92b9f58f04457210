//! The forward data-flow engine: states flow along the edges of a function until nothing changes.
//!
//! Terms: a *state* is what is known on entry of a block; *transfer* takes it over one instruction; *assume* takes it over the edge of
//! a branch; *join* merges what comes along two edges and must only lose knowledge, so that a fixpoint exists.

use std::{cmp::Ordering, ops::Range, rc::Rc};

use crate::{
    graph::Graph,
    ir::{BlockId, Function, Op, Terminator, ValueId},
    limits,
};

pub trait Analysis {
    type State: Clone;

    /// What is known before the first instruction of the function.
    fn entry(&mut self) -> Self::State;

    /// Takes the state over one instruction; `false`: control never gets past it.
    fn transfer(&mut self, state: &mut Self::State, value: ValueId) -> bool;

    /// Takes the state over the edge that is taken if `cond` is truthy (`holds`) or not; `false`: the edge is never taken.
    fn assume(&mut self, state: &mut Self::State, cond: ValueId, holds: bool) -> bool;

    /// Merges `from` into `into`, the state known so far on entry of `block`. Did it change? `widen`: what grew since is given up.
    fn join(&mut self, into: &mut Self::State, from: &Self::State, block: BlockId, widen: bool) -> bool;

    /// The block is entered for the first time, or anew, with this state.
    fn enter(&mut self, _state: &mut Self::State, _block: BlockId) {}

    /// Forgets all: the state that holds for any run.
    fn give_up(&mut self, state: &mut Self::State);

    /// Calls `f` with each value that is used in other blocks than its own and changed since the last call.
    fn changed(&mut self, f: impl FnMut(ValueId));

    /// What is run from now on is run with the state that holds there, each reachable block once, in reverse postorder; or else it is
    /// only tried.
    fn is_final(&mut self, _holds: bool) {}

    /// The function returns at the end of the block, in this state.
    fn returns(&mut self, _state: &Self::State, _block: BlockId) {}
}

/// Runs the analysis and calls `entered` with each reachable block and the state on its entry, in reverse postorder. Did a bound cut it?
///
/// Blocks are taken in reverse postorder, an outermost loop as a whole, so that what leads to them is known for good. In a loop states
/// only grow until nothing changes, and what joined in its first rounds stays in them. A last round mends that: it keeps the states
/// of loop heads and joins those of the loop's other blocks anew. A state that nothing needs any more is handed on, not copied.
pub fn fixpoint<A: Analysis>(
    function: &Function,
    graph: &Graph,
    analysis: &mut A,
    mut entered: impl FnMut(BlockId, &A::State),
) -> bool {
    let mut states: Vec<Option<A::State>> = vec![None; function.blocks.len()];
    states[0] = Some(analysis.entry());
    let mut cut = false;
    let mut at = 0;
    while at < graph.rpo.len() {
        let part = at..graph.loop_end(at);
        at = part.end;
        if part.len() != 1 || graph.is_head(graph.rpo[part.start]) {
            analysis.is_final(false);
            cut |= grow(function, graph, analysis, &mut states, part.clone());
        }
        analysis.is_final(true);
        last_round(function, graph, analysis, &mut states, part, &mut entered);
    }
    cut
}

/// Runs each block of the part once. The states of loop heads hold, and that of the part's first block; others are joined anew.
fn last_round<A: Analysis>(
    function: &Function,
    graph: &Graph,
    analysis: &mut A,
    states: &mut [Option<A::State>],
    part: Range<usize>,
    entered: &mut impl FnMut(BlockId, &A::State),
) {
    let holds = |block: BlockId| block == BlockId(0) || graph.is_head(block);
    if 1 < part.len() {
        for &block in graph.rpo[part.clone()].iter().filter(|&&block| !holds(block)) {
            states[block.index()] = None;
        }
    }
    for &block in &graph.rpo[part.clone()] {
        let Some(state) = states[block.index()].take() else { continue };
        entered(block, &state);
        run(function, analysis, block, state, &mut |analysis, to, mut state| {
            let known = || graph.position(to).is_some_and(|position| part.contains(&(position as usize)));
            if to == BlockId(0) || (graph.is_head(to) && known()) {
                return;
            }
            match &mut states[to.index()] {
                slot @ None => {
                    analysis.enter(&mut state, to);
                    *slot = Some(state);
                }
                Some(known) => {
                    analysis.join(known, &state, to, false);
                }
            }
        });
        analysis.changed(|_| {});
    }
}

/// Visits the blocks of a loop until no state changes any more; was that cut by a bound?
fn grow<A: Analysis>(
    function: &Function,
    graph: &Graph,
    analysis: &mut A,
    states: &mut [Option<A::State>],
    part: Range<usize>,
) -> bool {
    let mut visits = vec![0u32; part.len()];
    let mut dirty = vec![false; part.len()];
    let inside = |block: BlockId| {
        let position = graph.position(block).map(|position| position as usize);
        position.filter(|position| part.contains(position)).map(|position| position - part.start)
    };
    let mut cut = false;
    dirty[0] = true;
    let mut next = 0;
    while next < part.len() {
        let at = next;
        next += 1;
        if !std::mem::take(&mut dirty[at]) {
            continue;
        }
        let block = graph.rpo[part.start + at];
        visits[at] += 1;
        let Some(state) = states[block.index()].clone() else { continue };
        let mut flow = |analysis: &mut A, to: BlockId, state: A::State| {
            let Some(position) = inside(to) else { return };
            let seen = visits[position];
            let changed = match &mut states[to.index()] {
                slot @ None => {
                    *slot = Some(state);
                    true
                }
                Some(known) if seen < limits::VISITS => {
                    let widen = position <= at && limits::JOINS_BEFORE_WIDENING <= seen;
                    analysis.join(known, &state, to, widen)
                }
                Some(known) => {
                    cut = true;
                    analysis.give_up(known);
                    seen == limits::VISITS
                }
            };
            if changed {
                dirty[position] = true;
                next = next.min(position);
            }
        };
        run(function, analysis, block, state, &mut flow);
        analysis.changed(|value| {
            let Ok(crossing) = graph.crossing.binary_search_by_key(&value, |(crossing, _)| *crossing) else { return };
            for position in graph.crossing[crossing].1.iter().filter_map(|&user| inside(user)) {
                if visits[position] < limits::VISITS {
                    dirty[position] = true;
                    next = next.min(position);
                }
            }
        });
    }
    cut
}

/// Takes `state` through a block and hands it to `flow` with each successor.
fn run<A: Analysis>(
    function: &Function,
    analysis: &mut A,
    block: BlockId,
    mut state: A::State,
    flow: &mut impl FnMut(&mut A, BlockId, A::State),
) {
    let code = function.block(block);
    if let Some(unwind) = code.unwind {
        flow(analysis, unwind, state.clone());
    }
    for &value in &code.insts {
        let goes_on = analysis.transfer(&mut state, value);
        if let (Some(unwind), Op::Call { .. }) = (code.unwind, function.op(value)) {
            flow(analysis, unwind, state.clone());
        }
        if !goes_on {
            return;
        }
    }
    match code.end {
        Terminator::Goto(to) => flow(analysis, to, state),
        Terminator::Branch { cond, yes, no, .. } => {
            let mut other = state.clone();
            if analysis.assume(&mut state, cond, true) {
                flow(analysis, yes, state);
            }
            if analysis.assume(&mut other, cond, false) {
                flow(analysis, no, other);
            }
        }
        Terminator::Return { .. } => analysis.returns(&state, block),
        Terminator::Raise => {
            if let Some(unwind) = code.unwind {
                flow(analysis, unwind, state);
            }
        }
    }
}

/// A map of few entries that states share until one of them changes it. What is absent is unknown, so past the bound entries are
/// dropped, not kept wrong.
#[derive(PartialEq, Debug)]
pub struct Known<K, V>(Rc<Vec<(K, V)>>);

impl<K, V> Clone for Known<K, V> {
    fn clone(&self) -> Self {
        Known(self.0.clone())
    }
}

impl<K, V> Default for Known<K, V> {
    fn default() -> Self {
        Known(Rc::default())
    }
}

impl<K: Ord + Copy, V: Clone + PartialEq> Known<K, V> {
    pub fn get(&self, key: K) -> Option<&V> {
        self.0.binary_search_by_key(&key, |entry| entry.0).ok().map(|at| &self.0[at].1)
    }

    pub fn iter(&self) -> impl Iterator<Item = &(K, V)> {
        self.0.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Is there no room for another key?
    pub fn is_full(&self) -> bool {
        limits::KNOWN <= self.0.len()
    }

    pub fn insert(&mut self, key: K, value: V) {
        match self.0.binary_search_by_key(&key, |entry| entry.0) {
            Ok(at) if self.0[at].1 == value => {}
            Ok(at) => Rc::make_mut(&mut self.0)[at].1 = value,
            Err(_) if self.is_full() => {}
            Err(at) => Rc::make_mut(&mut self.0).insert(at, (key, value)),
        }
    }

    pub fn remove(&mut self, key: K) {
        if let Ok(at) = self.0.binary_search_by_key(&key, |entry| entry.0) {
            Rc::make_mut(&mut self.0).remove(at);
        }
    }

    /// The entry to change, if it is there.
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        let at = self.0.binary_search_by_key(&key, |entry| entry.0).ok()?;
        Some(&mut Rc::make_mut(&mut self.0)[at].1)
    }

    pub fn clear(&mut self) {
        if !self.0.is_empty() {
            self.0 = Rc::default();
        }
    }

    pub fn any(&self, mut test: impl FnMut(&K, &V) -> bool) -> bool {
        self.0.iter().any(|(key, value)| test(key, value))
    }

    /// Changes each value; `None` drops the entry.
    pub fn update(&mut self, mut f: impl FnMut(&K, &V) -> Option<V>) {
        for at in 0..self.0.len() {
            let (key, old) = &self.0[at];
            let new = f(key, old);
            if new.as_ref() == Some(old) {
                continue;
            }
            let mut entries = self.0[..at].to_vec();
            entries.reserve(self.0.len() - at);
            entries.extend(new.map(|new| (*key, new)));
            entries.extend(self.0[at + 1..].iter().filter_map(|(key, value)| Some((*key, f(key, value)?))));
            self.0 = Rc::new(entries);
            return;
        }
    }

    /// Keeps what both know, merged by `merge` (`None`: nothing is known any more). With `union`, what only one knows is kept as it is.
    /// Did it change?
    pub fn join(&mut self, other: &Self, union: bool, mut merge: impl FnMut(K, &V, &V) -> Option<V>) -> bool {
        if Rc::ptr_eq(&self.0, &other.0) {
            return false;
        }
        // Made where the first entry changes.
        let mut joined: Option<Vec<(K, V)>> = None;
        let (ours, theirs) = (&self.0[..], &other.0[..]);
        let (mut at, mut there) = (0, 0);
        let room = if union { ours.len().max(theirs.len()) } else { ours.len() };
        let begun = |at: usize| {
            let mut begun = Vec::with_capacity(room);
            begun.extend_from_slice(&ours[..at]);
            begun
        };
        loop {
            let order = match (ours.get(at), theirs.get(there)) {
                (Some(a), Some(b)) => a.0.cmp(&b.0),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            match order {
                Ordering::Less => {
                    match &mut joined {
                        Some(joined) if union => joined.push(ours[at].clone()),
                        None if !union => joined = Some(begun(at)),
                        Some(_) | None => {}
                    }
                    at += 1;
                }
                Ordering::Greater => {
                    if union && joined.as_ref().map_or(at, Vec::len) < limits::KNOWN {
                        joined.get_or_insert_with(|| begun(at)).push(theirs[there].clone());
                    }
                    there += 1;
                }
                Ordering::Equal => {
                    let ((key, a), (_, b)) = (&ours[at], &theirs[there]);
                    let merged = if a == b { None } else { Some(merge(*key, a, b)) };
                    match merged {
                        Some(merged) if merged.as_ref() != Some(a) => {
                            joined.get_or_insert_with(|| begun(at)).extend(merged.map(|value| (*key, value)));
                        }
                        Some(_) | None => {
                            if let Some(joined) = &mut joined {
                                joined.push((*key, a.clone()));
                            }
                        }
                    }
                    at += 1;
                    there += 1;
                }
            }
        }
        let Some(joined) = joined else { return false };
        self.0 = Rc::new(joined);
        true
    }
}
