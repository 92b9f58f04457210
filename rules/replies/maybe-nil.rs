use rustc_hash::FxHashSet;

use crate::{
    absence::{self, Use},
    facts::{Facts, Root},
    ir::{BinaryOp, Const, LocalId, Op, ValueId},
    origin::OriginId,
    rule::Finding,
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        let mut told = FxHashSet::default();
        for &(at, need) in root.needs(facts) {
            let fails = matches!(need.what, Use::Arithmetic | Use::Comparison | Use::Concatenation | Use::Index);
            let kinds = need.value.kinds;
            if !fails || !kinds.may_be(Kinds::NIL) || kinds.within(Kinds::NIL) || root.is_protected(at) {
                continue;
            }
            let Op::Get(local) = *root.op(need.at) else { continue };
            let Some(sets) = sets(facts, root, local) else { continue };
            if is_guarded(facts, root, need.at, local, &sets) || !told.insert(local) {
                continue;
            }
            let shown = facts.snippet(root, need.at);
            let mut finding =
                Finding::new(root.span(need.at), format!("`{shown}` may be nil here, then {}", need.what.fails()));
            for &set in sets.iter().take(3) {
                finding = finding.label(root.span(set), "set only under a condition");
            }
            finding.labels.extend(root.call_labels(at));
            findings.push(finding.help(format!("give `{shown}` a value where it is declared, or test it first")));
        }
    }
    findings
}

/// The assignments of a local that is declared without a value and then set to something, each under a condition.
fn sets(facts: &Facts, root: &Root, local: LocalId) -> Option<Vec<ValueId>> {
    let declared = root.local(&facts.program, local);
    if declared.captured || declared.name.is_none() {
        return None;
    }
    let mut sets = Vec::new();
    let mut without = 0;
    for &at in root.sets(local) {
        let Op::Set(_, value) = *root.op(at) else { continue };
        match root.op(value) {
            Op::Const(Const::Nil) => without += 1,
            _ if root.value(value).kinds.may_be(Kinds::NIL) => return None,
            _ => sets.push(at),
        }
    }
    let conditional = sets.iter().any(|&set| {
        root.block_of(set)
            .is_some_and(|block| root.conditions(block).any(|(branch, _)| root.graph.headed_by(branch).is_none()))
    });
    (without == 1 && conditional && !is_dispatch(facts, root, &sets)).then_some(sets)
}

/// `if mode == 'a' then x = 1 elseif mode == 'b' then x = 2 end`: the caller knows the modes.
fn is_dispatch(facts: &Facts, root: &Root, sets: &[ValueId]) -> bool {
    let compares = |cond: ValueId| {
        matches!(*root.op(cond), Op::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b)
            if [a, b].into_iter().any(|value| facts.origins.constant(root.origin(value)).is_some()))
    };
    1 < sets.len()
        && sets
            .iter()
            .all(|&set| root.block_of(set).is_some_and(|block| root.conditions(block).any(|(_, cond)| compares(cond))))
}

/// Does a condition on the way to the use look at the local, at what decides about the assignments, or at what is set beside it?
fn is_guarded(facts: &Facts, root: &Root, place: ValueId, local: LocalId, sets: &[ValueId]) -> bool {
    let mut locals = FxHashSet::from_iter([local]);
    let mut leaves = FxHashSet::default();
    for &set in sets {
        if let Some(block) = root.block_of(set) {
            locals.extend(root.function.block(block).insts.iter().filter_map(|&at| match *root.op(at) {
                Op::Set(beside, _) => Some(beside),
                _ => None,
            }));
        }
        for cond in absence::controls(root, set) {
            gather(facts, root, cond, &mut leaves, &mut FxHashSet::default(), 6);
        }
    }
    let (mut seen, mut read) = (FxHashSet::default(), FxHashSet::default());
    for cond in absence::controls(root, place) {
        if !absence::depends_on(root, cond, place, 8) {
            gather(facts, root, cond, &mut seen, &mut read, 6);
        }
    }
    !seen.is_disjoint(&leaves) || !read.is_disjoint(&locals)
}

/// What the value is computed from: origins that are no literals, and locals.
fn gather(
    facts: &Facts,
    root: &Root,
    value: ValueId,
    leaves: &mut FxHashSet<OriginId>,
    locals: &mut FxHashSet<LocalId>,
    depth: u8,
) {
    facts.origins.leaves(root.origin(value), &mut |leaf, _| {
        if leaf != OriginId::UNKNOWN && facts.origins.constant(leaf).is_none() {
            leaves.insert(leaf);
        }
    });
    if let Op::Get(local) = root.op(value) {
        locals.insert(*local);
    }
    if 0 < depth {
        root.op(value).operands(|operand| gather(facts, root, operand, leaves, locals, depth - 1));
    }
}
