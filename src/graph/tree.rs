//! Edges in compact form, and dominator trees over them.

/// Successor lists in one array. Nodes count from 0.
pub(super) struct Edges {
    start: Vec<u32>,
    to: Vec<u32>,
}

impl Edges {
    /// The order of a node's edges is that of `pairs`.
    pub(super) fn new(nodes: usize, pairs: &[(u32, u32)]) -> Edges {
        let mut start = vec![0; nodes + 1];
        for &(from, _) in pairs {
            start[from as usize + 1] += 1;
        }
        for node in 0..nodes {
            start[node + 1] += start[node];
        }
        let mut next = start.clone();
        let mut to = vec![0; pairs.len()];
        for &(from, target) in pairs {
            to[next[from as usize] as usize] = target;
            next[from as usize] += 1;
        }
        Edges { start, to }
    }

    pub(super) fn of(&self, node: u32) -> &[u32] {
        &self.to[self.start[node as usize] as usize..self.start[node as usize + 1] as usize]
    }
}

const NONE: u32 = u32::MAX;

/// A dominator tree whose nodes are numbered in preorder, so that a subtree is a range of numbers.
pub(super) struct Tree {
    /// By node: its number; [`NONE`]: not reachable from the root.
    number: Vec<u32>,
    /// By number: the node.
    nodes: Vec<u32>,
    /// By number: the nodes of its subtree.
    size: Vec<u32>,
    /// By number: the number of the immediate dominator; the root has itself.
    parent: Vec<u32>,
}

impl Tree {
    /// Lengauer and Tarjan's algorithm with path compression, O(edges · log nodes): the simpler iterations over a reverse
    /// postorder are quadratic for a hundred thousand guards that return, which is what post-dominators of long scripts are.
    pub(super) fn new(successors: &Edges, predecessors: &Edges, root: u32) -> Tree {
        let search = Search::new(successors, root);
        let count = search.order.len();
        let mut semi: Vec<u32> = (0..count as u32).collect();
        let mut forest = Forest { ancestor: vec![NONE; count], label: semi.clone(), path: Vec::new() };
        let mut idom = vec![0; count];
        // The bucket of a node: a list of those whose semidominator it is.
        let mut bucket = vec![NONE; count];
        let mut next_in_bucket = vec![NONE; count];
        for w in (1..count).rev() {
            for &before in predecessors.of(search.order[w]) {
                let v = search.number[before as usize];
                if v != NONE {
                    let u = forest.least(v, &semi);
                    semi[w] = semi[w].min(semi[u as usize]);
                }
            }
            next_in_bucket[w] = bucket[semi[w] as usize];
            bucket[semi[w] as usize] = w as u32;
            let parent = search.parent[w];
            forest.ancestor[w] = parent;
            let mut v = std::mem::replace(&mut bucket[parent as usize], NONE);
            while v != NONE {
                let u = forest.least(v, &semi);
                idom[v as usize] = if semi[u as usize] < semi[v as usize] { u } else { parent };
                v = next_in_bucket[v as usize];
            }
        }
        for w in 1..count {
            if idom[w] != semi[w] {
                idom[w] = idom[idom[w] as usize];
            }
        }
        Tree::numbered(search, &idom)
    }

    /// A dominator comes before what it dominates in the search's order, so sizes are summed backwards and numbers dealt
    /// out forwards.
    fn numbered(search: Search, idom: &[u32]) -> Tree {
        let count = idom.len();
        let mut sizes = vec![1; count];
        for w in (1..count).rev() {
            sizes[idom[w] as usize] += sizes[w];
        }
        let mut number_of = vec![0; count];
        let mut next = vec![1; count];
        for w in 1..count {
            let parent = idom[w] as usize;
            number_of[w] = next[parent];
            next[parent] += sizes[w];
            next[w] = number_of[w] + 1;
        }
        let mut tree = Tree {
            number: vec![NONE; search.number.len()],
            nodes: vec![0; count],
            size: vec![0; count],
            parent: vec![0; count],
        };
        for w in 0..count {
            let number = number_of[w] as usize;
            tree.number[search.order[w] as usize] = number as u32;
            tree.nodes[number] = search.order[w];
            tree.size[number] = sizes[w];
            tree.parent[number] = number_of[idom[w] as usize];
        }
        tree
    }

    /// Does every path from the root to `b` lead through `a`? So does `a` itself.
    pub(super) fn dominates(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.number[a as usize], self.number[b as usize]);
        a != NONE && b != NONE && a <= b && b < a + self.size[a as usize]
    }

    /// What `a` dominates, itself first.
    pub(super) fn subtree(&self, a: u32) -> &[u32] {
        match self.number[a as usize] {
            NONE => &[],
            number => &self.nodes[number as usize..(number + self.size[number as usize]) as usize],
        }
    }

    /// The immediate dominator; `None` for the root and what isn't reachable.
    pub(super) fn parent(&self, a: u32) -> Option<u32> {
        match self.number[a as usize] {
            NONE | 0 => None,
            number => Some(self.nodes[self.parent[number as usize] as usize]),
        }
    }
}

/// A depth-first search, numbered in the order of the first visit.
struct Search {
    number: Vec<u32>,
    order: Vec<u32>,
    /// By number: the number of the node it was reached from.
    parent: Vec<u32>,
}

impl Search {
    fn new(successors: &Edges, root: u32) -> Search {
        let mut search =
            Search { number: vec![NONE; successors.start.len() - 1], order: Vec::new(), parent: Vec::new() };
        search.visit(root, 0);
        let mut stack = vec![(root, 0)];
        while let Some((node, edge)) = stack.last_mut() {
            let Some(&to) = successors.of(*node).get(*edge) else {
                stack.pop();
                continue;
            };
            *edge += 1;
            if search.number[to as usize] == NONE {
                search.visit(to, search.number[*node as usize]);
                stack.push((to, 0));
            }
        }
        search
    }

    fn visit(&mut self, node: u32, parent: u32) {
        self.number[node as usize] = self.order.len() as u32;
        self.order.push(node);
        self.parent.push(parent);
    }
}

/// The search tree as far as it is linked, with compressed paths.
struct Forest {
    ancestor: Vec<u32>,
    label: Vec<u32>,
    path: Vec<u32>,
}

impl Forest {
    /// The node with the least semidominator on the path from `v` up to, and without, its root.
    fn least(&mut self, v: u32, semi: &[u32]) -> u32 {
        if self.ancestor[v as usize] == NONE {
            return v;
        }
        let mut at = v;
        while self.ancestor[self.ancestor[at as usize] as usize] != NONE {
            self.path.push(at);
            at = self.ancestor[at as usize];
        }
        while let Some(node) = self.path.pop() {
            let above = self.ancestor[node as usize] as usize;
            let (own, other) = (self.label[node as usize], self.label[above]);
            if semi[other as usize] < semi[own as usize] {
                self.label[node as usize] = other;
            }
            self.ancestor[node as usize] = self.ancestor[above];
        }
        self.label[v as usize]
    }
}
