//! The shape of a function's control flow: order, dominance, loops, and which of two instructions runs first.
//!
//! An *edge* leads from a block to what its terminator names, and to `unwind`. A block is *reachable* if a path leads to it from
//! block 0. `a` *dominates* `b` if every path from the entry to `b` leads through `a`; `b` *post-dominates* `a` if every path from
//! `a` to an end of the function leads through `b`. A block *depends* on a branch that decides whether it runs.
//!
//! Worked example, `if c then A end B`: the branch dominates A and B; A dominates nothing else, as B is reached without it; B
//! post-dominates all; A alone depends on the branch.
//!
//! An edge to `unwind` may be taken before the last instruction of its block. Dominance stays true because [`crate::inline`] has
//! every protected region begin with an empty block, from which `unwind` is reached without any instruction of the region.
//!
//! All is computed in near-linear time and without recursion; questions about two places are answered from numbers, or by one search.

mod loops;
mod path;
mod tree;

use crate::ir::{BlockId, Function, LoopId, LoopKind, Terminator, ValueId};
use loops::Loops;
use tree::{Edges, Tree};

const NONE: u32 = u32::MAX;

/// Can one instruction run before another on a path that reaches the other?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    Never,
    Maybe,
    Always,
}

pub struct Graph {
    /// The reachable blocks in reverse postorder: a block comes after all that leads to it but for back edges, and a loop's
    /// blocks stand together, before what follows the loop.
    pub rpo: Vec<BlockId>,
    /// Values that another block reads than the one that makes them, with the reading blocks. A numeric loop's bounds count as
    /// read in its head. Sorted by value.
    pub crossing: Vec<(ValueId, Vec<BlockId>)>,
    /// By block: its place in `rpo`; [`NONE`]: unreachable.
    position: Vec<u32>,
    successors: Edges,
    predecessors: Edges,
    dominators: Tree,
    /// Unwinding counts as leaving the function here, as any other raise does.
    post: Tree,
    loops: Loops,
    homes: Vec<Home>,
    used: Vec<bool>,
}

/// Where an instruction stands.
#[derive(Clone, Copy)]
struct Home {
    /// [`NONE`]: in no block.
    block: u32,
    /// Its place among the block's instructions.
    at: u32,
}

impl Graph {
    pub fn new(function: &Function) -> Graph {
        let count = function.blocks.len();
        let mut pairs = Vec::with_capacity(count * 2);
        for id in function.block_ids() {
            let block = function.block(id);
            pairs.extend(block.end.successors().map(|to| (id.0, to.0)));
            pairs.extend(block.unwind.map(|to| (id.0, to.0)));
        }
        let successors = Edges::new(count, &pairs);
        let reachable = reachable(&successors, count);
        pairs.retain(|&(from, _)| reachable[from as usize]);
        let successors = Edges::new(count, &pairs);
        let predecessors = Edges::new(count, &reversed(&pairs));
        let dominators = Tree::new(&successors, &predecessors, 0);
        let loops = Loops::new(function, &pairs, &predecessors, &dominators);
        let rpo = reverse_postorder(count, &successors, &loops);
        let mut position = vec![NONE; count];
        for (at, block) in rpo.iter().enumerate() {
            position[block.index()] = at as u32;
        }
        let post = post_dominators(function, &rpo);
        let mut graph = Graph {
            rpo,
            crossing: Vec::new(),
            position,
            successors,
            predecessors,
            dominators,
            post,
            loops,
            homes: vec![Home { block: NONE, at: 0 }; function.insts.len()],
            used: vec![false; function.insts.len()],
        };
        graph.place(function);
        graph.collect_uses(function);
        graph
    }

    fn place(&mut self, function: &Function) {
        for id in function.block_ids() {
            for (at, value) in (0..).zip(&function.block(id).insts) {
                self.homes[value.index()] = Home { block: id.0, at };
            }
        }
    }

    fn collect_uses(&mut self, function: &Function) {
        let mut reads = Vec::new();
        for &id in &self.rpo {
            let mut read = |value: ValueId| {
                self.used[value.index()] = true;
                if self.homes[value.index()].block != id.0 {
                    reads.push((value, id));
                }
            };
            let block = function.block(id);
            for &value in &block.insts {
                function.op(value).operands(&mut read);
            }
            match &block.end {
                Terminator::Branch { cond, .. } => read(*cond),
                Terminator::Return { values, .. } => values.iter().copied().for_each(read),
                Terminator::Goto(_) | Terminator::Raise => {}
            }
        }
        for each in &function.loops {
            if let LoopKind::Numeric { start, limit, step } = each.kind
                && self.position(each.head).is_some()
            {
                let bounds = [Some(start), Some(limit), step].into_iter().flatten();
                reads.extend(bounds.map(|value| (value, each.head)));
            }
        }
        reads.sort_unstable();
        reads.dedup();
        for run in reads.chunk_by(|a, b| a.0 == b.0) {
            let blocks = run.iter().map(|&(_, block)| block).collect();
            self.crossing.push((run[0].0, blocks));
        }
    }

    /// The block's place in [`Graph::rpo`]; `None`: unreachable.
    pub fn position(&self, block: BlockId) -> Option<u32> {
        let position = self.position[block.index()];
        (position != NONE).then_some(position)
    }

    /// The targets of a reachable block's edges, `unwind` last.
    pub fn successors(&self, block: BlockId) -> impl Iterator<Item = BlockId> {
        self.successors.of(block.0).iter().copied().map(BlockId)
    }

    /// The reachable blocks with an edge to it.
    pub fn predecessors(&self, block: BlockId) -> impl Iterator<Item = BlockId> {
        self.predecessors.of(block.0).iter().copied().map(BlockId)
    }

    /// Does every path from the entry to `b` lead through `a`? A block dominates itself; what is unreachable takes no part.
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        self.dominators.dominates(a.0, b.0)
    }

    /// The closest other block that dominates it.
    pub fn immediate_dominator(&self, block: BlockId) -> Option<BlockId> {
        self.dominators.parent(block.0).map(BlockId)
    }

    /// Does every path from `a` to an end of the function that unwinds nowhere lead through `b`? A block post-dominates itself.
    pub fn post_dominates(&self, b: BlockId, a: BlockId) -> bool {
        self.post.dominates(b.0, a.0)
    }

    /// Does it depend on `branch`'s condition, directly, whether `block` runs?
    pub fn controls(&self, function: &Function, branch: BlockId, block: BlockId) -> bool {
        let Terminator::Branch { yes, no, .. } = function.block(branch).end else {
            return false;
        };
        let strictly = branch != block && self.post_dominates(block, branch);
        !strictly && (self.post_dominates(block, yes) || self.post_dominates(block, no))
    }

    /// The blocks whose branch decides, directly, whether `block` runs. Takes time in proportion to what `block` post-dominates.
    pub fn controllers(&self, function: &Function, block: BlockId) -> Vec<BlockId> {
        let mut branches: Vec<BlockId> = self
            .post
            .subtree(block.0)
            .iter()
            .filter(|&&each| (each as usize) < function.blocks.len())
            .flat_map(|&each| self.predecessors(BlockId(each)))
            .filter(|&branch| self.controls(function, branch, block))
            .collect();
        branches.sort_unstable();
        branches.dedup();
        branches
    }

    /// `None`: inlining left it over, it stands in no block.
    pub fn block_of(&self, value: ValueId) -> Option<BlockId> {
        let block = self.homes[value.index()].block;
        (block != NONE).then_some(BlockId(block))
    }

    /// Does a reachable instruction or terminator read it?
    pub fn used(&self, value: ValueId) -> bool {
        self.used[value.index()]
    }

    /// The innermost loop that may run the instruction again. One in a loop's text from which no path leads back is in no loop.
    pub fn in_loop(&self, value: ValueId) -> Option<LoopId> {
        self.loop_of(self.block_of(value)?)
    }

    /// The innermost loop that may run the block again.
    pub fn loop_of(&self, block: BlockId) -> Option<LoopId> {
        self.loops.innermost(block)
    }

    /// May the loop run the block again?
    pub fn loop_holds(&self, id: LoopId, block: BlockId) -> bool {
        self.loops.holds(id, block)
    }

    /// Is `inner` the same loop as `outer` or one inside it?
    pub fn loop_contains(&self, outer: LoopId, inner: LoopId) -> bool {
        self.loops.contains(outer, inner)
    }

    /// The innermost loop that runs the whole loop again.
    pub fn loop_parent(&self, id: LoopId) -> Option<LoopId> {
        self.loops.parent(id)
    }

    /// The blocks from which an edge leads back to the loop's head; none: it never comes round.
    pub fn back_edges(&self, id: LoopId) -> &[BlockId] {
        self.loops.back_edges(id)
    }

    /// The edges that leave the loop: from a block that it holds to one that it doesn't.
    pub fn exits(&self, id: LoopId) -> &[(BlockId, BlockId)] {
        self.loops.exits(id)
    }

    /// The loop that the block is the head of.
    pub fn headed_by(&self, block: BlockId) -> Option<LoopId> {
        self.loops.headed_by(block)
    }

    /// Does an edge lead back to the block?
    pub fn is_head(&self, block: BlockId) -> bool {
        self.loops.headed_by(block).is_some_and(|id| !self.loops.back_edges(id).is_empty())
    }

    /// Where, in the reverse postorder, the outermost loop that holds the block at that place ends; without a loop the next place.
    pub fn loop_end(&self, at: usize) -> usize {
        let Some(own) = self.loops.outermost(self.rpo[at]) else { return at + 1 };
        let rest = &self.rpo[at..];
        at + rest.iter().take_while(|&&block| self.loops.outermost(block) == Some(own)).count()
    }

    /// Can `a` run before `b` on a path that reaches `b`? `Always`: on every such path.
    pub fn before(&self, a: ValueId, b: ValueId) -> Order {
        let (home, target) = (self.homes[a.index()], self.homes[b.index()]);
        if home.block == NONE || target.block == NONE {
            return Order::Never;
        }
        if home.block == target.block && home.at < target.at {
            return match self.position(BlockId(home.block)) {
                Some(_) => Order::Always,
                None => Order::Never,
            };
        }
        if home.block == target.block {
            return match self.loops.innermost(BlockId(home.block)) {
                Some(_) => Order::Maybe,
                None => Order::Never,
            };
        }
        if self.dominators.dominates(home.block, target.block) {
            return Order::Always;
        }
        match self.reaches(BlockId(home.block), BlockId(target.block)) {
            true => Order::Maybe,
            false => Order::Never,
        }
    }

    /// Does a path of at least one edge lead from `a` to `b`?
    pub fn reaches(&self, a: BlockId, b: BlockId) -> bool {
        let (Some(from), Some(to)) = (self.position(a), self.position(b)) else {
            return false;
        };
        let (loop_a, loop_b) = (self.loops.outermost(a), self.loops.outermost(b));
        if loop_a.is_some() && loop_a == loop_b {
            return true;
        }
        // Back edges stay within a loop, and a loop's blocks stand together.
        if to <= from {
            return false;
        }
        if self.post_dominates(b, a) {
            return true;
        }
        // A loop that doesn't hold both is entered and left as a whole, so that only edges forward are needed.
        let head = |block: BlockId, id: Option<LoopId>| match id {
            Some(id) => self.loops.head(id),
            None => block,
        };
        self.reaches_forward(head(a, loop_a), head(b, loop_b))
    }

    /// One sweep over the blocks between both in reverse postorder.
    fn reaches_forward(&self, a: BlockId, b: BlockId) -> bool {
        let (first, last) = (self.position[a.index()], self.position[b.index()]);
        let mut reached = vec![false; (last - first) as usize + 1];
        reached[0] = true;
        for at in first..last {
            if !reached[(at - first) as usize] {
                continue;
            }
            for to in self.successors(self.rpo[at as usize]) {
                let to = self.position[to.index()];
                if at < to && to <= last {
                    reached[(to - first) as usize] = true;
                }
            }
        }
        reached[(last - first) as usize]
    }
}

fn reversed(pairs: &[(u32, u32)]) -> Vec<(u32, u32)> {
    pairs.iter().map(|&(from, to)| (to, from)).collect()
}

fn reachable(successors: &Edges, count: usize) -> Vec<bool> {
    let mut seen = vec![false; count];
    let mut work = vec![0];
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut seen[block as usize], true) {
            work.extend_from_slice(successors.of(block));
        }
    }
    seen
}

/// A depth-first search that, before it enters a loop, goes to all places where the loop can be left for. So they are finished
/// first, and the loop's blocks stand together in front of them.
fn reverse_postorder(count: usize, successors: &Edges, loops: &Loops) -> Vec<BlockId> {
    let mut seen = vec![false; count];
    let mut order = Vec::new();
    seen[0] = true;
    let mut stack = vec![(BlockId(0), 0)];
    while let Some((block, edge)) = stack.last_mut() {
        let exits = loops.headed_by(*block).map_or(&[][..], |id| loops.exits(id));
        let inner = successors.of(block.0);
        // The first successor last, so that it comes first in the order.
        let next = match exits.get(*edge) {
            Some(&(_, outside)) => outside,
            None => match inner.iter().rev().nth(*edge - exits.len()) {
                Some(&to) => BlockId(to),
                None => {
                    order.push(*block);
                    stack.pop();
                    continue;
                }
            },
        };
        *edge += 1;
        if !std::mem::replace(&mut seen[next.index()], true) {
            stack.push((next, 0));
        }
    }
    order.reverse();
    order
}

/// Over the reachable blocks and one virtual exit, numbered after them. From blocks that never come to an end (an endless loop)
/// an edge is made up: from the last one in reverse postorder, until all reach the exit.
fn post_dominators(function: &Function, rpo: &[BlockId]) -> Tree {
    let exit = function.blocks.len() as u32;
    let mut pairs = Vec::new();
    for &id in rpo {
        let end = &function.block(id).end;
        pairs.extend(end.successors().map(|to| (id.0, to.0)));
        match end {
            Terminator::Return { .. } | Terminator::Raise => pairs.push((id.0, exit)),
            Terminator::Goto(_) | Terminator::Branch { .. } => {}
        }
    }
    let backward = Edges::new(exit as usize + 1, &reversed(&pairs));
    let mut ends = vec![false; exit as usize + 1];
    let mut work = vec![exit];
    let mut rest = rpo.iter().rev();
    loop {
        while let Some(block) = work.pop() {
            if !std::mem::replace(&mut ends[block as usize], true) {
                work.extend_from_slice(backward.of(block));
            }
        }
        let Some(block) = rest.find(|block| !ends[block.index()]) else {
            break;
        };
        pairs.push((block.0, exit));
        work.push(block.0);
    }
    let forward = Edges::new(exit as usize + 1, &pairs);
    let backward = Edges::new(exit as usize + 1, &reversed(&pairs));
    Tree::new(&backward, &forward, exit)
}

#[cfg(test)]
mod tests;
