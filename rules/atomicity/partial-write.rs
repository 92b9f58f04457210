use rustc_hash::FxHashSet;

use crate::{
    facts::{Facts, Root},
    keyspace::Types,
    rule::Finding,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    facts.roots.iter().filter(|root| root.is_whole()).flat_map(|root| of_root(facts, root)).collect()
}

/// One finding for each key, at the first command that its type can fail after a write.
fn of_root(facts: &Facts, root: &Root) -> Vec<Finding> {
    let mut told = FxHashSet::default();
    let mut found = Vec::new();
    for event in root.events().iter().filter(|event| event.raises() && !root.is_protected(event.at)) {
        let written = root.history.before(event.at);
        let Some(write) = written.sure.first().and_then(|&at| root.event(at)) else {
            continue;
        };
        for (key, arg) in event.key_args() {
            if key.types.within(key.needs.or(Types::ABSENT)) || !told.insert(arg.value.origin) {
                continue;
            }
            let (name, first) = (event.shown_name(), write.shown_name());
            let shown = facts.show(root, arg.at);
            let message = format!("{name} fails if `{shown}` holds another type, after {first} has written");
            let mut finding = Finding::new(root.span(arg.at), message)
                .label(root.span(write.at), format!("{first} writes here"))
                .help(format!("touch `{shown}` before {first}: a read of the same type fails first"));
            finding.labels.extend(root.call_labels(event.at));
            found.push(finding);
        }
    }
    found
}
