//! Conditions of several operands, joined by `and` and `or`: what else the same chain asks of a value.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "asks for some forms of an instruction or origin; all others are none of them"
)]

use rustc_hash::FxHashMap;

use crate::{
    facts::{Facts, Root},
    ir::{BinaryOp, Const, LoopId, LoopKind, Op, Terminator, ValueId},
    origin::OriginId,
    source::Span,
    value::{Kinds, Value},
};

/// Where a root's chains stand, by the call that they were inlined at.
#[derive(Default)]
pub(crate) struct Chains {
    /// The outermost ones, in the order of the text.
    wholes: FxHashMap<Option<ValueId>, Vec<Span>>,
    /// Reached instructions in the order of the text.
    insts: FxHashMap<Option<ValueId>, Vec<ValueId>>,
}

impl Chains {
    fn of(root: &Root) -> Chains {
        let mut chains = Chains::default();
        for block in root.blocks() {
            let code = root.function.block(block);
            for &at in &code.insts {
                chains.insts.entry(root.inst(at).via).or_default().push(at);
            }
            if let Terminator::Branch { cond, whole, .. } = code.end {
                chains.wholes.entry(root.inst(cond).via).or_default().push(whole);
            }
        }
        for wholes in chains.wholes.values_mut() {
            wholes.sort_by_key(|whole| (whole.start, u32::MAX - whole.end));
            let mut end = 0;
            wholes.retain(|whole| {
                let outermost = end <= whole.start;
                end = end.max(whole.end);
                outermost
            });
        }
        for insts in chains.insts.values_mut() {
            insts.sort_by_key(|&at| root.span(at).start);
        }
        chains
    }
}

/// The instructions of the chain that the instruction is a part of, itself included; if it is part of none, itself alone.
pub(crate) fn parts(root: &Root, at: ValueId) -> Vec<ValueId> {
    let chains = root.chains.get_or_init(|| Chains::of(root));
    let (span, via) = (root.span(at), root.inst(at).via);
    let wholes = chains.wholes.get(&via).map_or(&[][..], Vec::as_slice);
    let next = wholes.partition_point(|whole| whole.start <= span.start);
    let Some(whole) = next.checked_sub(1).map(|last| wholes[last]).filter(|whole| whole.contains(span)) else {
        return vec![at];
    };
    let insts = chains.insts.get(&via).map_or(&[][..], Vec::as_slice);
    let first = insts.partition_point(|&one| root.span(one).start < whole.start);
    let within = insts[first..].iter().copied().take_while(|&one| root.span(one).start < whole.end);
    within.filter(|&one| whole.contains(root.span(one))).collect()
}

/// Is the value a condition by itself, with or without `not`?
pub(crate) fn is_condition(root: &Root, value: ValueId) -> bool {
    root.block_of(value)
        .is_some_and(|block| matches!(root.function.block(block).end, Terminator::Branch { cond, .. } if cond == value))
}

/// Is it the comparison that ends a numeric `for`? That one takes strings that read as numbers too.
pub(crate) fn bounds_loop(root: &Root, at: ValueId) -> bool {
    let Some(block) = root.graph.block_of(at) else { return false };
    let numeric = |id: LoopId| matches!(root.function.loops[id.index()].kind, LoopKind::Numeric { .. });
    let ends = matches!(root.function.block(block).end, Terminator::Branch { cond, .. } if cond == at);
    ends && root.graph.headed_by(block).is_some_and(numeric)
}

/// Does the chain also tell falsehood: compare a value of this origin with `false`, ask for its `type`, or test its truth?
pub(crate) fn tells_false(facts: &Facts, root: &Root, at: ValueId, origin: OriginId) -> bool {
    let is_it = |value: ValueId| is_same(facts, root.value(value), origin);
    parts(root, at).into_iter().filter(|&part| part != at).any(|part| match root.op(part) {
        Op::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) => [(*a, *b), (*b, *a)].into_iter().any(|(one, other)| {
            is_it(one) && matches!(facts.origins.constant(root.origin(other)), Some(Const::False | Const::True))
        }),
        Op::Call { args, .. } => {
            let mut own = false;
            root.op(at).operands(|operand| own |= operand == part);
            !own && root.callee(facts, part) == Some("type") && args.iter().copied().any(is_it)
        }
        Op::Not(inner) => is_it(*inner),
        _ => is_it(part) && is_condition(root, part),
    })
}

/// Does the chain compare a value of this origin also with one that it can be equal to?
pub(crate) fn compares_fitting(facts: &Facts, root: &Root, at: ValueId, origin: OriginId) -> bool {
    parts(root, at).into_iter().filter(|&part| part != at).any(|part| match root.op(part) {
        Op::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) => [(*a, *b), (*b, *a)].into_iter().any(|(one, other)| {
            let (one, other) = (root.value(one), root.value(other));
            is_same(facts, one, origin) && class(one.kinds).may_be(other.kinds)
        }),
        Op::Call { args, .. } => {
            root.callee(facts, part) == Some("type") && args.iter().any(|&arg| is_same(facts, root.value(arg), origin))
        }
        _ => false,
    })
}

/// How many parts of the chain have this origin and are read by something other than an assignment.
pub(crate) fn reads(facts: &Facts, root: &Root, at: ValueId, origin: OriginId) -> usize {
    parts(root, at)
        .into_iter()
        .filter(|&part| {
            let is_read = !matches!(root.op(part), Op::Set(..));
            is_read && is_same(facts, root.value(part), origin)
        })
        .count()
}

fn is_same(facts: &Facts, value: Value, origin: OriginId) -> bool {
    origin != OriginId::UNKNOWN && facts.origins.present(value.origin) == facts.origins.present(origin)
}

/// With all kinds that Lua's `==` may find equal to one of these: numbers of both kinds, strings of both.
pub(crate) fn class(kinds: Kinds) -> Kinds {
    let groups = [Kinds::NUMBER, Kinds::STRING, Kinds::TABLES];
    groups.into_iter().filter(|&group| kinds.may_be(group)).fold(kinds, Kinds::or)
}
