use rustc_hash::FxHashSet;

use crate::{
    facts::{Facts, Root},
    keyspace::Types,
    rule::{Finding, Label, Part},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    facts.roots.iter().filter(|root| root.is_whole()).flat_map(|root| of_root(facts, root)).collect()
}

/// Labels beside the first one; how many more there are is said in the message.
const SHOWN: usize = 3;

/// One finding for the script's first write, at the first command after it that a key's type can fail, further ones as labels.
fn of_root(facts: &Facts, root: &Root) -> Vec<Finding> {
    let mut told = FxHashSet::default();
    let mut found: Option<Finding> = None;
    for event in root.events().iter().filter(|event| event.raises() && !root.is_protected(event.at)) {
        let Some(write) = root.history.before(event.at).sure.first().and_then(|&at| root.event(at)) else {
            continue;
        };
        for (key, arg) in event.key_args() {
            if key.types.within(key.needs.or(Types::ABSENT)) || !told.insert(arg.value.origin) {
                continue;
            }
            let (name, first) = (event.shown_name(), write.shown_name());
            let shown = facts.show(root, arg.at);
            match &mut found {
                Some(known) if told.len() <= 1 + SHOWN => {
                    let message = format!("and {name} if `{shown}` does");
                    known.labels.push(Label { span: root.span(arg.at), message, part: Part::Aside });
                }
                Some(_) => {}
                None => {
                    let message = format!("{name} fails if `{shown}` holds another type, after {first} has written");
                    let mut finding = Finding::new(root.span(arg.at), message)
                        .label(root.span(write.at), format!("{first} writes here"))
                        .help(format!("touch `{shown}` before {first}: a read of the same type fails first"));
                    finding.labels.extend(root.call_labels(event.at));
                    found = Some(finding);
                }
            }
        }
    }
    if let Some(known) = &mut found
        && let more @ 1.. = told.len().saturating_sub(1 + SHOWN)
    {
        known.message += &format!(" ({more} keys more than shown can fail too)");
    }
    found.into_iter().collect()
}
