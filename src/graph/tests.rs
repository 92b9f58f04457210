use super::*;
use crate::ir::{Block, Const, Inst, Loop, Op};
use crate::source::Span;

/// Random structured functions: one constant an instruction, made just as Lua's statements would be lowered.
struct Text {
    state: u64,
    function: Function,
    at: BlockId,
    /// The blocks after the loops around, innermost last, with the loops.
    loops: Vec<(LoopId, BlockId)>,
    unwind: Option<BlockId>,
}

impl Text {
    fn random(seed: u64) -> Function {
        let mut text = Text {
            state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            function: Function {
                params: Vec::new(),
                vararg: false,
                insts: Vec::new(),
                blocks: Vec::new(),
                loops: Vec::new(),
                span: Span::default(),
                parent: None,
                name: None,
            },
            at: BlockId(0),
            loops: Vec::new(),
            unwind: None,
        };
        text.block();
        text.statements(4);
        text.end(Terminator::Return { values: Vec::new(), tail: false, span: Span::default() });
        text.function
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state % bound
    }

    fn block(&mut self) -> BlockId {
        self.function.blocks.push(Block {
            insts: Vec::new(),
            end: Terminator::Raise,
            within: self.loops.last().map(|&(id, _)| id),
            unwind: self.unwind,
        });
        BlockId(self.function.blocks.len() as u32 - 1)
    }

    fn inst(&mut self, op: Op) -> ValueId {
        let value = ValueId(self.function.insts.len() as u32);
        self.function.insts.push(Inst { op, span: Span::default(), via: None });
        self.function.blocks[self.at.index()].insts.push(value);
        value
    }

    fn end(&mut self, end: Terminator) {
        self.function.blocks[self.at.index()].end = end;
    }

    fn goto(&mut self, to: BlockId) {
        self.end(Terminator::Goto(to));
        self.at = to;
    }

    fn branch(&mut self, yes: BlockId, no: BlockId) {
        let cond = self.inst(Op::Unknown);
        let whole = Span::default();
        self.end(Terminator::Branch { cond, yes, no, whole });
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..self.below(4) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        self.inst(Op::Const(Const::Nil));
        match self.below(if depth == 0 { 3 } else { 8 }) {
            0 => {
                self.inst(Op::Unknown);
            }
            1 => {
                if let Some(&(_, after)) = self.loops.last() {
                    self.end(Terminator::Goto(after));
                    self.at = self.block();
                }
            }
            2 => {
                self.end(Terminator::Raise);
                self.at = self.block();
            }
            3 | 4 => {
                let (yes, no, after) = (self.block(), self.block(), self.block());
                self.branch(yes, no);
                for side in [yes, no] {
                    self.at = side;
                    self.statements(depth - 1);
                    self.goto(after);
                }
            }
            5 => {
                let after = self.block();
                let head = self.enter_loop(after);
                let body = self.block();
                if self.below(3) == 0 {
                    self.goto(body);
                } else {
                    self.branch(body, after);
                }
                self.at = body;
                self.statements(depth - 1);
                self.end(Terminator::Goto(head));
                self.loops.pop();
                self.at = after;
            }
            6 => {
                let after = self.block();
                let head = self.enter_loop(after);
                self.statements(depth - 1);
                self.branch(after, head);
                self.loops.pop();
                self.at = after;
            }
            _ => {
                let outer = self.unwind;
                let (caught, after) = (self.block(), self.block());
                self.unwind = Some(caught);
                for _ in 0..2 {
                    let block = self.block();
                    self.goto(block);
                }
                self.statements(depth - 1);
                self.goto(after);
                self.unwind = outer;
                self.at = caught;
                self.goto(after);
            }
        }
    }

    fn enter_loop(&mut self, after: BlockId) -> BlockId {
        let id = LoopId(self.function.loops.len() as u32);
        let parent = self.loops.last().map(|&(id, _)| id);
        self.loops.push((id, after));
        let head = self.block();
        self.function.loops.push(Loop { head, kind: LoopKind::While, span: Span::default(), parent });
        self.goto(head);
        head
    }
}

/// The blocks that a path of at least one edge leads to, without entering `without`.
fn reached(function: &Function, from: BlockId, without: Option<BlockId>) -> Vec<bool> {
    let mut seen = vec![false; function.blocks.len()];
    let mut work = vec![from];
    while let Some(block) = work.pop() {
        let body = function.block(block);
        for to in body.end.successors().chain(body.unwind) {
            if Some(to) != without && !std::mem::replace(&mut seen[to.index()], true) {
                work.push(to);
            }
        }
    }
    seen
}

fn reached_from_entry(function: &Function, without: Option<BlockId>) -> Vec<bool> {
    let mut seen = match without {
        Some(BlockId(0)) => return vec![false; function.blocks.len()],
        _ => reached(function, BlockId(0), without),
    };
    seen[0] = true;
    seen
}

fn functions() -> impl Iterator<Item = Function> {
    (1..150).map(Text::random)
}

#[test]
fn a_dominator_cuts_off_what_it_dominates() {
    for function in functions() {
        let graph = Graph::new(&function);
        let all = reached_from_entry(&function, None);
        for a in function.block_ids().filter(|a| all[a.index()]) {
            let rest = reached_from_entry(&function, Some(a));
            for b in function.block_ids() {
                let cut_off = all[b.index()] && !rest[b.index()];
                assert_eq!(graph.dominates(a, b), cut_off, "{a:?} {b:?} {function:?}");
            }
        }
    }
}

#[test]
fn a_post_dominator_cuts_off_the_end() {
    for mut function in functions().take(40) {
        for block in &mut function.blocks {
            block.unwind = None;
        }
        let graph = Graph::new(&function);
        let ends = |from: BlockId, without: Option<BlockId>| {
            let mut seen = reached(&function, from, without);
            seen[from.index()] = true;
            function.block_ids().any(|id| {
                seen[id.index()] && matches!(function.block(id).end, Terminator::Return { .. } | Terminator::Raise)
            })
        };
        for &a in &graph.rpo {
            for &b in graph.rpo.iter().filter(|&&b| b != a && ends(a, None)) {
                let cut_off = !ends(a, Some(b));
                // An end made up for an endless loop may be another way out.
                if graph.post_dominates(b, a) {
                    assert!(cut_off, "{a:?} {b:?} {function:?}");
                } else if graph.rpo.iter().all(|&each| ends(each, None)) {
                    assert!(!cut_off, "{a:?} {b:?} {function:?}");
                }
            }
        }
    }
}

#[test]
fn one_comes_before_another_if_a_path_leads_there() {
    for function in functions() {
        let graph = Graph::new(&function);
        let all = reached_from_entry(&function, None);
        for a in function.block_ids() {
            let after = reached(&function, a, None);
            for b in function.block_ids() {
                let expected = all[a.index()] && after[b.index()];
                assert_eq!(graph.reaches(a, b), expected, "{a:?} {b:?} {function:?}");
                let (Some(&x), Some(&y)) = (function.block(a).insts.first(), function.block(b).insts.first()) else {
                    continue;
                };
                let order = match expected {
                    true if a != b && graph.dominates(a, b) => Order::Always,
                    true => Order::Maybe,
                    false => Order::Never,
                };
                assert_eq!(graph.before(x, y), order);
                let path = graph.path(&function, x, y, |_| false);
                assert_eq!(path.is_some(), order != Order::Never);
                for edge in path.iter().flat_map(|path| path.windows(2)) {
                    assert!(graph.successors(edge[0]).any(|to| to == edge[1]));
                }
            }
        }
    }
}

#[test]
fn a_loop_holds_what_reaches_its_head_from_inside() {
    for function in functions() {
        let graph = Graph::new(&function);
        for (id, each) in (0..).map(LoopId).zip(&function.loops) {
            for &block in &graph.rpo {
                let back = reached(&function, block, None)[each.head.index()];
                // Another loop around may lead back too: do not pass what lies outside of this one.
                let inside = graph.dominates(each.head, block) && back && {
                    let sources = graph.back_edges(id);
                    let from = match block == each.head {
                        true => return_to_head(&function, each.head),
                        false => reached(&function, block, Some(each.head)),
                    };
                    sources.iter().any(|source| *source == block || from[source.index()])
                };
                assert_eq!(graph.loop_holds(id, block), inside, "{id:?} {block:?} {function:?}");
            }
        }
    }
}

fn return_to_head(function: &Function, head: BlockId) -> Vec<bool> {
    let mut seen = reached(function, head, Some(head));
    seen[head.index()] = true;
    seen
}

#[test]
fn a_loop_stands_together_in_front_of_its_exits() {
    for function in functions() {
        let graph = Graph::new(&function);
        for (id, each) in (0..).map(LoopId).zip(&function.loops) {
            let places: Vec<usize> = (0..graph.rpo.len()).filter(|&at| graph.loop_holds(id, graph.rpo[at])).collect();
            let Some((&first, &last)) = places.first().zip(places.last()) else {
                continue;
            };
            assert_eq!(graph.rpo[first], each.head);
            assert_eq!(last - first + 1, places.len(), "{id:?} {function:?}");
        }
        for &from in &graph.rpo {
            for to in graph.successors(from) {
                let back = graph.dominates(to, from);
                assert_eq!(graph.position(to) <= graph.position(from), back);
            }
        }
    }
}

#[test]
fn a_branch_controls_what_one_side_always_runs() {
    for function in functions() {
        let graph = Graph::new(&function);
        for &block in &graph.rpo {
            let controllers = graph.controllers(&function, block);
            for &branch in &graph.rpo {
                assert_eq!(controllers.contains(&branch), graph.controls(&function, branch, block));
            }
        }
    }
}

/// `if c then return end`, very often: what makes naive dominator and dependence algorithms quadratic.
#[test]
fn a_hundred_thousand_guards_take_no_time() {
    let mut text = Text { function: Text::random(0), state: 1, at: BlockId(0), loops: Vec::new(), unwind: None };
    text.function.blocks.clear();
    text.function.insts.clear();
    text.function.loops.clear();
    text.block();
    for _ in 0..50_000 {
        let (yes, no) = (text.block(), text.block());
        text.branch(yes, no);
        text.at = no;
    }
    let last = text.inst(Op::Unknown);
    let graph = Graph::new(&text.function);
    assert_eq!(graph.before(ValueId(0), last), Order::Always);
    assert_eq!(graph.controllers(&text.function, text.at), [BlockId(2 * 50_000 - 2)]);
}

#[test]
fn a_path_goes_round_what_it_avoids() {
    let mut text = Text { function: Text::random(0), state: 1, at: BlockId(0), loops: Vec::new(), unwind: None };
    text.function.blocks.clear();
    text.function.insts.clear();
    text.function.loops.clear();
    text.block();
    let from = text.inst(Op::Unknown);
    let (yes, no, after) = (text.block(), text.block(), text.block());
    text.branch(yes, no);
    text.at = yes;
    let test = text.inst(Op::Unknown);
    text.goto(after);
    text.at = no;
    let other = text.inst(Op::Unknown);
    text.goto(after);
    let to = text.inst(Op::Unknown);
    let graph = Graph::new(&text.function);
    let path = |avoided: &[ValueId]| graph.path(&text.function, from, to, |value| avoided.contains(&value));
    assert_eq!(path(&[test]), Some(vec![BlockId(0), no, after]));
    assert_eq!(path(&[other]), Some(vec![BlockId(0), yes, after]));
    assert_eq!(path(&[test, other]), None);
    assert_eq!(path(&[from, to]), Some(vec![BlockId(0), yes, after]));
    assert_eq!(graph.crossing, []);
    assert!(!graph.used(from));
}
