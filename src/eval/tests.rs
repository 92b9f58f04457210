//! The laws of states, over the states that generated programs really have.

use rustc_hash::FxHashSet;

use super::*;
use crate::{parse, roots, source::Source};

#[path = "../../tests/common/generate.rs"]
mod generate;

/// Programs; each has some hundred pairs of states.
const SEEDS: u64 = 300;

/// Calls `f` with the analysis of each root of a generated program and the states on entry of its blocks.
fn each_root(seed: u64, mut f: impl FnMut(&mut Eval, &[State])) {
    let source = Source::file("-", generate::program(seed).into_bytes());
    let Ok(parsed) = parse::parse(&source) else { return };
    let mut program = crate::lower::lower(&source, parsed);
    let roots = roots::roots(&program);
    let mut texts = std::mem::take(&mut program.texts);
    let mut origins = Origins::default();
    let assigned_elsewhere = FxHashSet::default();
    for (_, inlined) in &roots {
        let graph = Graph::new(&inlined.function);
        let entry = Entry { locals: Vec::new() };
        let shared = Shared {
            program: &program,
            origins: &mut origins,
            texts: &mut texts,
            assigned_elsewhere: &assigned_elsewhere,
            is_library: false,
            commands: &[],
        };
        let mut eval = Eval::new(inlined, &graph, &entry, shared);
        let mut states = Vec::new();
        flow::fixpoint(&inlined.function, &graph, &mut eval, |_, state| states.push(state.clone()));
        eval.recorded = None;
        f(&mut eval, &states);
    }
}

/// Pairs of states, each with some other ones of its function.
fn pairs(states: &[State]) -> impl Iterator<Item = (&State, &State)> {
    let others = move |at: usize| [1, 3, 7].into_iter().map(move |step| &states[(at + step) % states.len()]);
    (0..states.len()).flat_map(move |at| others(at).map(move |other| (&states[at], other)))
}

/// A block of no loop and one that is none's head.
const NOWHERE: BlockId = BlockId(u32::MAX);

fn joined(eval: &mut Eval, a: &State, b: &State) -> State {
    let mut joined = a.clone();
    eval.join_states(&mut joined, b, NOWHERE, false);
    joined
}

#[test]
fn joins_of_states_are_upper_bounds() {
    for seed in 0..SEEDS {
        each_root(seed, |eval, states| {
            for (a, b) in pairs(states) {
                let both = joined(eval, a, b);
                assert!(joined(eval, a, a) == *a, "seed {seed}: a state joined with itself changes");
                for part in [a, b] {
                    let mut again = both.clone();
                    let changed = eval.join_states(&mut again, part, NOWHERE, false);
                    assert!(!changed && again == both, "seed {seed}: a part changes the join of both");
                }
            }
        });
    }
}

#[test]
fn joins_of_states_say_whether_they_changed_them() {
    for seed in 0..SEEDS {
        each_root(seed, |eval, states| {
            for (a, b) in pairs(states) {
                let mut both = a.clone();
                let changed = eval.join_states(&mut both, b, NOWHERE, false);
                assert_eq!(changed, both != *a, "seed {seed}");
            }
        });
    }
}

#[test]
fn joins_of_states_do_not_ask_for_an_order() {
    for seed in 0..SEEDS {
        each_root(seed, |eval, states| {
            for (a, b) in pairs(states) {
                let (x, y) = (joined(eval, a, b), joined(eval, b, a));
                assert!(x == y, "seed {seed}");
            }
        });
    }
}

/// Whoever knows less never claims more: the values of a block from a joined state hold those from either part.
#[test]
fn transfer_is_monotone() {
    for seed in 0..SEEDS {
        each_root(seed, |eval, states| {
            let blocks: Vec<BlockId> = eval.graph.rpo.clone();
            for (n, (small, other)) in pairs(states).enumerate() {
                let block = blocks[n % blocks.len()];
                let big = joined(eval, small, other);
                let mut top = big.clone();
                eval.give_up(&mut top);
                let values = [small, &big, &top].map(|state| block_values(eval, block, state));
                for (less, more) in [(0, 1), (1, 2), (0, 2)] {
                    for ((at, a), (_, b)) in values[less].iter().zip(&values[more]) {
                        let op = eval.function.op(*at);
                        assert!(a.kinds.within(b.kinds), "seed {seed}: {op:?} is {a:?}, knowing less {b:?}");
                    }
                }
            }
        });
    }
}

/// What the block's instructions make if it is entered in the state.
fn block_values(eval: &mut Eval, block: BlockId, state: &State) -> Vec<(ValueId, Value)> {
    let mut state = state.clone();
    let mut values = Vec::new();
    for &at in &eval.function.block(block).insts {
        if surely_raises(eval, at) {
            break;
        }
        let goes_on = eval.transfer(&mut state, at);
        let value = eval.values[at.index()];
        // Tests that contradict each other: no run comes here, and the analysis goes on as if they were not there.
        let is_absurd = state.narrowed.get(value.origin).is_some_and(|narrow| !value.kinds.within(narrow.kinds));
        if is_absurd {
            break;
        }
        values.push((at, value));
        if !goes_on {
            break;
        }
    }
    values
}

/// The analysis goes on behind an instruction that always raises, but no run does.
fn surely_raises(eval: &Eval, at: ValueId) -> bool {
    let lacks = |operand: &ValueId, takes: Kinds| !eval.values[operand.index()].kinds.may_be(takes);
    match eval.function.op(at) {
        Op::Index(base, _) | Op::Length(base) | Op::SetIndex { table: base, .. } => {
            lacks(base, Kinds::STRING.or(Kinds::TABLES))
        }
        Op::Negate(a) => lacks(a, Kinds::NUMERIC.or(Kinds::TABLES)),
        Op::Binary(op, a, b) if op.is_arithmetic() => [a, b].iter().any(|a| lacks(a, Kinds::NUMERIC.or(Kinds::TABLES))),
        Op::Call { callee, args, .. } => {
            let refuses = |builtin: BuiltinId| args.iter().zip(builtin.takes()).any(|(arg, takes)| lacks(arg, takes));
            lacks(callee, Kinds::FUNCTION.or(Kinds::TABLES)) || eval.callee(at).is_some_and(refuses)
        }
        _ => false,
    }
}
