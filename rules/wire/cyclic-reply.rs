use rustc_hash::FxHashSet;

use crate::{
    facts::{Facts, Root},
    origin::Origin,
    returns::{self, Exit, Sent},
    rule::{Finding, one_per_root},
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    for (n, root) in facts.roots.iter().enumerate() {
        for exit in returns::exits(facts, root) {
            for sent in exit.tables(facts, root) {
                if holds_itself(facts, &exit, &sent) {
                    found.push(((n, sent.made), cyclic(root, &exit, &sent)));
                }
            }
        }
    }
    one_per_root(found, "returned here too")
}

fn cyclic(root: &Root, exit: &Exit, sent: &Sent) -> Finding {
    Finding::new(exit.span, "the returned table contains itself, so that its reply has no end")
        .label(root.span(sent.made), "this table")
        .help("return only what the client needs")
        .labels(root.call_labels(sent.made))
}

fn holds_itself(facts: &Facts, exit: &Exit, sent: &Sent) -> bool {
    let mut seen = FxHashSet::default();
    let mut left = vec![sent.made];
    while let Some(at) = left.pop() {
        let Some(table) = exit.contents(at).filter(|table| !table.open) else { continue };
        for field in returns::elements(table).filter(|field| field.value.kinds.within(Kinds::TABLES)) {
            // One that was built in an earlier round is another table.
            let Origin::Made(inner) = *facts.origins.get(field.value.origin) else { continue };
            if inner == sent.made {
                return true;
            }
            if seen.insert(inner) {
                left.push(inner);
            }
        }
    }
    false
}
