use crate::{
    facts::{Facts, Root},
    ir::{BinaryOp, BlockId, Const, LoopId, LoopKind, Op, Terminator, ValueId},
    origin::Origin,
    rule::{Finding, Severity},
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
            findings.extend(endless(facts, root, id).or_else(|| stuck(facts, root, id)));
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

/// The loop's one way out tests a local that may never come to what is waited for.
fn stuck(facts: &Facts, root: &Root, id: LoopId) -> Option<Finding> {
    let exits = root.graph.exits(id).iter().filter(|&&(from, _)| root.is_reached(from));
    let [(from, _)] = exits.copied().collect::<Vec<_>>()[..] else { return None };
    let Terminator::Branch { cond, .. } = root.function.block(from).end else { return None };
    if trips::calls_unseen(facts, root, id) || raises(root, id) {
        return None;
    }
    let Op::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) = *root.op(cond) else { return None };
    let (local, end) = match (root.op(a), root.op(b)) {
        (Op::Get(local), Op::Const(end)) | (Op::Const(end), Op::Get(local)) => (*local, *end),
        _ => return None,
    };
    let sets: Vec<ValueId> =
        trips::insts(root, id).filter(|&at| matches!(root.op(at), Op::Set(set, _) if *set == local)).collect();
    let name = facts.source.snippet(root.local(&facts.program, local).name?);
    let span = root.function.loops[id.index()].span;
    let inner = |&at: &ValueId| root.graph.in_loop(at).is_some_and(|inner| inner != id);
    if !sets.is_empty() && sets.iter().all(inner) {
        let message =
            format!("this loop may never end: `{name}` only changes inside the inner loop, which may run no round");
        let finding = Finding::new(span, message).label(root.span(sets[0]), "not reached if there is nothing to walk");
        return Some(finding.help(format!("set `{name}` outside of the inner loop")).grade(Severity::Warning));
    }
    let step = |&at: &ValueId| match *root.op(at) {
        Op::Set(_, value) => match *root.op(value) {
            Op::Binary(BinaryOp::Add | BinaryOp::Sub, read, by) if matches!(root.op(read), Op::Get(read) if *read == local) => {
                facts.number(root.value(by))
            }
            _ => None,
        },
        _ => None,
    };
    let [step] = sets.iter().map(step).collect::<Option<Vec<f64>>>()?[..] else { return None };
    (matches!(end, Const::Number(_)) && step.abs() != 1.0 && step != 0.0).then(|| {
        let message = format!(
            "this loop may never end: `{name}` goes by steps of {step} and may pass the one number that ends it"
        );
        Finding::new(span, message)
            .label(root.span(cond), "only this number ends it")
            .help("compare with `<` or `>`")
            .grade(Severity::Warning)
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
        let fitting = match constant {
            Const::Nil => Kinds::NIL,
            Const::Number(_) => Kinds::NUMBER,
            Const::Text(_) => Kinds::STRING,
            Const::False | Const::True => return None,
        };
        let shown = facts.snippet(root, value);
        let wanted = facts.snippet(root, if value == a { b } else { a });
        return (equal && known && !kinds.may_be(fitting))
            .then(|| Never::Value(format!("`{shown}` is {kinds}, never {wanted}")));
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
    facts.origins.alternatives(facts.origins.present(root.origin(value))).iter().all(|&part| {
        answers(facts.origins.get(facts.origins.present(part)))
            || facts.origins.reply(part).is_some()
            || facts.origins.constant(part).is_some()
    }) || matches!(facts.origins.get(root.origin(value)), Origin::Phi(..))
}
