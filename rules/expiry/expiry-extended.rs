use crate::{
    events::Event,
    expiry,
    facts::{Facts, Root},
    graph::Order,
    rule::Finding,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let extended = |root| move |event| extended(facts, root, event);
    facts.roots.iter().flat_map(|root: &Root| root.events().iter().filter_map(extended(root))).collect()
}

/// An expiry that is set each time that the counter is raised.
fn extended(facts: &Facts, root: &Root, set: &Event) -> Option<Finding> {
    if !matches!(expiry::name(set), "EXPIRE" | "PEXPIRE") {
        return None;
    }
    let key = expiry::key(facts, set)?;
    let (counter, _) = expiry::uses(facts, root, key)?
        .find(|(event, _)| expiry::counts(event) && root.before(event.at, set.at) == Order::Always)?;
    let only_once = ["NX", "XX", "GT", "LT"].into_iter().any(|option| expiry::has(facts, set, option));
    // A time that something else has left is no window's length.
    let mut computed = false;
    if let Some(time) = set.args.get(1) {
        facts.origins.leaves(time.value.origin, &mut |leaf, _| computed |= facts.origins.reply(leaf).is_some());
    }
    let (from, to) = (root.block_of(counter.at)?, root.block_of(set.at)?);
    // Whatever else may decide whether the expiry is set.
    if only_once || computed || (from != to && !root.graph.post_dominates(to, from)) {
        return None;
    }
    let message = format!(
        "{} starts the time anew with each {}: the window never closes",
        set.shown_name(),
        counter.shown_name()
    );
    let help = format!("only set it where {} gives 1", counter.shown_name());
    let finding = Finding::new(root.span(set.at), message).label(root.span(counter.at), "the counter is raised here");
    Some(finding.help(help).labels(root.call_labels(set.at)))
}
