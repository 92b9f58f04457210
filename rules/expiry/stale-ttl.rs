use crate::{
    absence,
    events::Event,
    expiry,
    facts::{Facts, Root},
    graph::Order,
    origin::{Origin, OriginId},
    returns::{self, Exit, Field},
    rule::{Finding, one_per_root},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    for (n, root) in facts.roots.iter().enumerate() {
        if !root.events().iter().any(expiry::asks) {
            continue;
        }
        for exit in returns::exits(facts, root) {
            for field in exit.scalars(facts, root) {
                found.extend(stale(facts, root, &exit, field).map(|(read, finding)| ((n, read), finding)));
            }
        }
    }
    one_per_root(found, "returned here too")
}

fn stale(facts: &Facts, root: &Root, exit: &Exit, field: Field) -> Option<(OriginId, Finding)> {
    // Where paths meet, the other path may have set it anew.
    let [origin] = absence::sources(facts, root, field.value.origin)[..] else { return None };
    let read = read(facts, root, origin)?;
    let key = read.args.first()?.value.origin;
    let set = root.events().iter().find(|event| {
        expiry::sets(event)
            && event.args.first().is_some_and(|arg| arg.value.origin == key && key != OriginId::UNKNOWN)
            && root.before(read.at, event.at) != Order::Never
            && root.before(event.at, read.at) == Order::Never
            && root.block_of(event.at).is_some_and(|block| block == exit.block || root.graph.reaches(block, exit.block))
    })?;
    let name = read.shown_name();
    let message = format!("the client gets the {name} of before: {} has changed it since", set.shown_name());
    let finding = Finding::new(exit.span, message)
        .label(root.span(read.at), "read here")
        .label(root.span(set.at), "changed here")
        .help(format!("return the new one, or call {name} after {}", set.shown_name()))
        .labels(root.call_labels(set.at));
    Some((root.origin(read.at), finding))
}

/// The read of an expiry that the value is, or is computed from alone.
fn read<'a>(facts: &Facts, root: &'a Root, origin: OriginId) -> Option<&'a Event> {
    let mut found = None;
    let mut other = false;
    facts.origins.leaves(origin, &mut |_, leaf| match leaf {
        Origin::Reply(at) => match root.event(*at).filter(|event| expiry::asks(event)) {
            Some(event) if found.is_none_or(|known: &Event| known.at == event.at) => found = Some(event),
            Some(_) | None => other = true,
        },
        Origin::Literal(_) => {}
        _ => other = true,
    });
    found.filter(|_| !other)
}
