use rustc_hash::FxHashSet;

use crate::{
    facts::{Facts, Root},
    origin::Origin,
    returns::{self, Exit, Sent},
    rule::Finding,
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    returns::of_tables(facts, "returned here too", |root, exit, sent| {
        holds_itself(facts, exit, sent).then(|| cyclic(root, exit, sent))
    })
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
