use crate::{
    facts::{Facts, Root},
    ir::{BinaryOp, BlockId, Const, LoopId, LoopKind, Op, Terminator, ValueId},
    origin::Origin,
    rule::Finding,
    trips,
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for index in 0..root.function.loops.len() {
            let id = LoopId(index as u32);
            let each = &root.function.loops[index];
            // The walk of a list ends with the list.
            if matches!(each.kind, LoopKind::Generic { .. } | LoopKind::Numeric { .. })
                || root.graph.back_edges(id).is_empty()
                || !root.is_reached(each.head)
            {
                continue;
            }
            findings.extend(endless(facts, root, id));
        }
    }
    findings
}

fn endless(facts: &Facts, root: &Root, id: LoopId) -> Option<Finding> {
    let exits: Vec<(BlockId, BlockId)> =
        root.graph.exits(id).iter().copied().filter(|&(from, _)| root.is_reached(from)).collect();
    // Code that isn't seen may raise; so may what a `pcall` around catches.
    if trips::calls_unseen(facts, root, id) || raises(root, id) {
        return None;
    }
    let mut stuck = None;
    for (from, to) in exits {
        let Terminator::Branch { cond, yes, no, .. } = root.function.block(from).end else { return None };
        if yes == no {
            return None;
        }
        match never(facts, root, cond, to == yes)? {
            Never::Literal => {}
            Never::Value(why) => stuck = Some((cond, why)),
        }
    }
    let span = root.function.loops[id.index()].span;
    Some(match stuck {
        Some((cond, why)) => Finding::new(span, "this loop never ends")
            .label(root.span(cond), why)
            .help("test the reply for what the command gives"),
        None => {
            Finding::new(span, "this loop never ends: nothing in it leaves it").help("leave it by `break` or `return`")
        }
    })
}

/// Does an instruction of the loop end the script or unwind to a `pcall`?
fn raises(root: &Root, id: LoopId) -> bool {
    trips::blocks(root, id).any(|block| {
        let code = root.function.block(block);
        code.unwind.is_some() || matches!(code.end, Terminator::Raise | Terminator::Return { .. })
    })
}

enum Never {
    /// The condition is a literal.
    Literal,
    Value(String),
}

/// Why the condition is never what would take the edge; `None`: it may be.
fn never(facts: &Facts, root: &Root, cond: ValueId, wanted: bool) -> Option<Never> {
    if let Op::Const(constant) = root.op(cond) {
        let truth = !matches!(constant, Const::Nil | Const::False);
        return (truth != wanted).then_some(Never::Literal);
    }
    if let Op::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) = *root.op(cond) {
        let equal = (op == BinaryOp::Eq) == wanted;
        let (value, constant) = match (root.op(a), root.op(b)) {
            (_, Op::Const(constant)) => (a, constant),
            (Op::Const(constant), _) => (b, constant),
            _ => return None,
        };
        let kinds = root.value(value).kinds;
        // Only that it is never nil is a fact; that it always is would be a mistake of another kind.
        let known = kinds != Kinds::ANY && is_answer(facts, root, value);
        return (equal && known && *constant == Const::Nil && !kinds.may_be(Kinds::NIL))
            .then(|| Never::Value(format!("`{}` is {kinds}, never nil", facts.snippet(root, value))));
    }
    let kinds = root.value(cond).kinds;
    let sure = if wanted { kinds.within(Kinds::FALSY) } else { kinds.within(Kinds::TRUTHY) };
    (sure && is_answer(facts, root, cond))
        .then(|| Never::Value(format!("`{}` is {kinds}, always true", facts.snippet(root, cond))))
}

/// Is it what Redis or a builtin answered, so that its kinds are a fact?
fn is_answer(facts: &Facts, root: &Root, value: ValueId) -> bool {
    let answers = |origin: &Origin| {
        matches!(origin, Origin::Reply(_) | Origin::Apply(..) | Origin::Opaque(_) | Origin::Length(_))
    };
    facts
        .origins
        .alternatives(facts.origins.present(root.origin(value)))
        .iter()
        .all(|&part| answers(facts.origins.get(facts.origins.present(part))) || facts.origins.constant(part).is_some())
        || matches!(facts.origins.get(root.origin(value)), Origin::Phi(..))
}
