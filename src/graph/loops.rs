//! Natural loops: the blocks that can reach a back edge without leaving through the head.
//!
//! Lua 5.1 has no `goto`, so that control flow is reducible: every edge back leads to the head of a [`Function`]'s loop, which
//! dominates its source. A loop of the text that never comes round again (`while true do ... break end`) holds no block.

use super::tree::{Edges, Tree};
use crate::ir::{BlockId, Function, LoopId};

pub(super) struct Loops {
    /// By block: the innermost loop that holds it.
    innermost: Vec<Option<LoopId>>,
    /// By loop: the innermost loop around it.
    parent: Vec<Option<LoopId>>,
    /// By loop: the outermost loop around it, or itself.
    outermost: Vec<LoopId>,
    /// By loop: the sources of its back edges.
    back: Vec<Vec<BlockId>>,
    /// By loop: the edges that leave it.
    exits: Vec<Vec<(BlockId, BlockId)>>,
    /// By block: the loop that it is the head of.
    headed: Vec<Option<LoopId>>,
    /// By loop.
    head: Vec<BlockId>,
}

impl Loops {
    pub(super) fn new(function: &Function, pairs: &[(u32, u32)], predecessors: &Edges, dominators: &Tree) -> Loops {
        let count = function.loops.len();
        let mut loops = Loops {
            innermost: vec![None; function.blocks.len()],
            parent: vec![None; count],
            outermost: (0..count as u32).map(LoopId).collect(),
            back: vec![Vec::new(); count],
            exits: vec![Vec::new(); count],
            headed: vec![None; function.blocks.len()],
            head: function.loops.iter().map(|each| each.head).collect(),
        };
        for (id, each) in (0u32..).map(LoopId).zip(&function.loops) {
            loops.headed[each.head.index()].get_or_insert(id);
        }
        for &(from, to) in pairs {
            if let Some(id) = loops.headed[to as usize]
                && dominators.dominates(to, from)
            {
                loops.back[id.index()].push(BlockId(from));
            }
        }
        // Inner loops come after outer ones.
        for id in (0..count as u32).rev().map(LoopId) {
            loops.collect(id, predecessors);
        }
        for id in (0..count as u32).map(LoopId) {
            if let Some(parent) = loops.parent[id.index()] {
                loops.outermost[id.index()] = loops.outermost[parent.index()];
            }
        }
        for &(from, to) in pairs {
            let mut at = loops.innermost[from as usize];
            while let Some(id) = at
                && !loops.holds(id, BlockId(to))
            {
                loops.exits[id.index()].push((BlockId(from), BlockId(to)));
                at = loops.parent[id.index()];
            }
        }
        loops
    }

    /// Walks backwards from the back edges. An inner loop is stepped over as a whole, from its head, so each edge is seen
    /// once. While this runs `outermost` is a union-find forest of the loops known so far.
    fn collect(&mut self, id: LoopId, predecessors: &Edges) {
        let head = self.head(id);
        let mut work: Vec<u32> = self.back[id.index()].iter().map(|block| block.0).collect();
        if !work.is_empty() {
            // A head belongs to its loop even where an inner loop shares it.
            work.push(head.0);
        }
        while let Some(block) = work.pop() {
            let entry = match self.innermost[block as usize] {
                None => {
                    self.innermost[block as usize] = Some(id);
                    block
                }
                Some(inner) => {
                    let inner = self.root(inner);
                    if inner == id {
                        continue;
                    }
                    self.parent[inner.index()] = Some(id);
                    self.outermost[inner.index()] = id;
                    self.head(inner).0
                }
            };
            if entry != head.0 {
                work.extend_from_slice(predecessors.of(entry));
            }
        }
    }

    fn root(&mut self, id: LoopId) -> LoopId {
        let mut root = id;
        while self.outermost[root.index()] != root {
            root = self.outermost[root.index()];
        }
        let mut at = id;
        while at != root {
            at = std::mem::replace(&mut self.outermost[at.index()], root);
        }
        root
    }

    pub(super) fn innermost(&self, block: BlockId) -> Option<LoopId> {
        self.innermost[block.index()]
    }

    pub(super) fn outermost(&self, block: BlockId) -> Option<LoopId> {
        self.innermost[block.index()].map(|id| self.outermost[id.index()])
    }

    pub(super) fn parent(&self, id: LoopId) -> Option<LoopId> {
        self.parent[id.index()]
    }

    pub(super) fn contains(&self, outer: LoopId, inner: LoopId) -> bool {
        std::iter::successors(Some(inner), |&at| self.parent(at)).any(|at| at == outer)
    }

    pub(super) fn holds(&self, id: LoopId, block: BlockId) -> bool {
        self.innermost(block).is_some_and(|inner| self.contains(id, inner))
    }

    pub(super) fn back_edges(&self, id: LoopId) -> &[BlockId] {
        &self.back[id.index()]
    }

    pub(super) fn exits(&self, id: LoopId) -> &[(BlockId, BlockId)] {
        &self.exits[id.index()]
    }

    pub(super) fn head(&self, id: LoopId) -> BlockId {
        self.head[id.index()]
    }

    /// The loop that the block is the head of.
    pub(super) fn headed_by(&self, block: BlockId) -> Option<LoopId> {
        self.headed[block.index()]
    }
}
