use crate::{
    facts::Facts,
    returns,
    rule::{Finding, one_per_root},
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    for (n, root) in facts.roots.iter().enumerate() {
        for exit in returns::exits(facts, root) {
            let Some(at) = exit.value else { continue };
            let kinds = root.value(at).kinds;
            // A reply that is false stands for nothing.
            if !kinds.may_be(Kinds::TRUE) || !kinds.within(Kinds::BOOLEAN) {
                continue;
            }
            let shown = facts.snippet(root, at);
            let message = if kinds == Kinds::TRUE {
                format!("the client gets 1 for `{shown}`")
            } else {
                format!("the client gets 1 or nil for `{shown}`")
            };
            let finding = Finding::new(root.span(at), message).help("return 1 or 0: `x and 1 or 0`");
            found.push((n, finding.labels(root.call_labels(at))));
        }
    }
    one_per_root(found, "here too")
}
