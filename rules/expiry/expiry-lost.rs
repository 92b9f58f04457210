use crate::{
    events::Event,
    expiry,
    facts::{Facts, Root},
    graph::Order,
    ir::{BinaryOp, Op, Terminator},
    origin::OriginId,
    rule::Finding,
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let lost = |root| move |event| lost(facts, root, event);
    facts.roots.iter().flat_map(|root: &Root| root.events().iter().filter_map(lost(root))).collect()
}

/// A plain SET of a key that was read before.
fn lost(facts: &Facts, root: &Root, set: &Event) -> Option<Finding> {
    if expiry::name(set) != "SET" {
        return None;
    }
    let key = expiry::key(facts, set)?;
    let mut uses = expiry::uses(facts, root, key)?;
    let (read, _) = uses.clone().find(|(event, _)| {
        matches!(expiry::name(event), "GET" | "GETRANGE") && root.before(event.at, set.at) == Order::Always
    })?;
    let keeps = |option| expiry::has(facts, set, option);
    if uses.clone().any(|(event, gives)| event.at == set.at && gives) || keeps("KEEPTTL") || keeps("NX") {
        return None;
    }
    // Was the key given an expiry afterwards, or is it new anyway?
    let is_settled = uses.clone().any(|(event, gives)| {
        let removed = matches!(expiry::name(event), "DEL" | "UNLINK" | "GETDEL" | "PERSIST");
        (gives && expiry::may_precede(root, set, event)) || (removed && expiry::may_precede(root, event, set))
    });
    if is_settled || !is_there(facts, root, set, read) {
        return None;
    }
    let message = format!("SET takes away the expiry that the key had when {} read it", read.shown_name());
    let finding = Finding::new(root.span(set.at), message)
        .label(root.span(read.at), "read here")
        .help("add `KEEPTTL`, or give the expiry again")
        .labels(root.call_labels(set.at));
    // Who reads or sets the expiry elsewhere means to have one.
    let cares = uses.any(|(event, gives)| expiry::asks(event) || gives);
    Some(if cares { finding } else { finding.strict() })
}

/// Does the SET depend on what was read: is its value made of it, or was it found equal to something?
fn is_there(facts: &Facts, root: &Root, set: &Event, read: &Event) -> bool {
    let is_read = |origin: OriginId| facts.origins.reply(facts.origins.present(origin)) == Some(read.at);
    let mut made_of = false;
    if let Some(value) = set.args.get(1) {
        facts.origins.leaves(value.value.origin, &mut |leaf, _| made_of |= is_read(leaf));
    }
    let found_equal = || {
        let Some(block) = root.block_of(set.at) else { return false };
        root.conditions(block).any(|(branch, cond)| {
            let Terminator::Branch { yes, .. } = root.function.block(branch).end else { return false };
            let equal = matches!(*root.op(cond), Op::Binary(BinaryOp::Eq, a, b)
                if [a, b].into_iter().any(|one| is_read(root.origin(one)))
                    && ![a, b].into_iter().any(|one| root.value(one).kinds.may_be(Kinds::FALSE)
                        && !is_read(root.origin(one))));
            equal && root.graph.dominates(yes, block)
        })
    };
    made_of || found_equal()
}
