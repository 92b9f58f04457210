//! Witness paths: how one instruction can be reached from another.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::Graph;
use crate::ir::{BlockId, Function, Op, ValueId};

impl Graph {
    /// The blocks of a shortest path on which `to` runs after `from` and nothing in between is to be avoided: `from`'s block first,
    /// `to`'s last (the same block twice if the path leads round a loop).
    pub fn path(
        &self,
        function: &Function,
        from: ValueId,
        to: ValueId,
        avoiding: impl Fn(ValueId) -> bool,
    ) -> Option<Vec<BlockId>> {
        let (start, end) = (self.block_of(from)?, self.block_of(to)?);
        self.position(start)?;
        let (after, before) = (self.homes[from.index()].at as usize + 1, self.homes[to.index()].at as usize);
        let free = |values: &[ValueId]| !values.iter().any(|&value| avoiding(value));
        let insts = |block: BlockId| function.block(block).insts.as_slice();
        if start == end && after <= before && free(&insts(start)[after..before]) {
            return Some(vec![start]);
        }
        let end_is_free = free(&insts(end)[..before]);
        let mut came_from: FxHashMap<BlockId, BlockId> = FxHashMap::default();
        let mut queue = VecDeque::from([(start, after)]);
        while let Some((block, skip)) = queue.pop_front() {
            for next in self.free_successors(function, block, skip, &avoiding) {
                if next == end && end_is_free {
                    return Some(trace(&came_from, block, start, end));
                }
                if let Entry::Vacant(entry) = came_from.entry(next) {
                    entry.insert(block);
                    queue.push_back((next, 0));
                }
            }
        }
        None
    }

    /// Where the block may lead without one of its instructions to be avoided, the first `skip` left out. A call before that
    /// instruction may raise and so lead to `unwind` all the same.
    fn free_successors(
        &self,
        function: &Function,
        block: BlockId,
        skip: usize,
        avoiding: &impl Fn(ValueId) -> bool,
    ) -> Vec<BlockId> {
        let body = function.block(block);
        let insts = &body.insts[skip..];
        let Some(stop) = insts.iter().position(|&value| avoiding(value)) else {
            return self.successors(block).collect();
        };
        let calls = insts[..stop].iter().any(|&value| matches!(function.op(value), Op::Call { .. }));
        body.unwind.filter(|_| calls).into_iter().collect()
    }
}

/// The path that ends `..., last, end`, found backwards.
fn trace(came_from: &FxHashMap<BlockId, BlockId>, last: BlockId, start: BlockId, end: BlockId) -> Vec<BlockId> {
    let mut path = vec![end, last];
    let mut at = last;
    while at != start
        && let Some(&before) = came_from.get(&at)
    {
        path.push(before);
        at = before;
    }
    path.reverse();
    path
}
