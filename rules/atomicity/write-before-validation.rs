use crate::{
    facts::{Facts, Root},
    ir::ValueId,
    refusals::{Manner, Refusals},
    rule::{Finding, Label, Part},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    facts.roots.iter().flat_map(|root| of_root(facts, root)).collect()
}

/// One finding for each write that comes too early: the first test after it, further ones as labels.
fn of_root(facts: &Facts, root: &Root) -> Vec<Finding> {
    if root.writes().next().is_none() {
        return Vec::new();
    }
    let mut refusals = Refusals::new(facts, root);
    let mut found: Vec<(ValueId, Manner, Finding)> = Vec::new();
    for refusal in refusals.all() {
        let Some(tests) = refusals.late(refusal) else { continue };
        let Some(test) = tests.last() else { continue };
        let Some(write) = refusals.first_write(test) else { continue };
        let is_choice = refusal.manner == Manner::Literal
            && (tests.iter().any(|test| refusals.is_mode_switch(test))
                || !refusals.goes_on_writing(test, refusal, write));
        if is_choice || refusals.makes_up(&tests, refusal, write) {
            continue;
        }
        let name = write.shown_name();
        let same = |(at, manner, _): &&mut (ValueId, Manner, Finding)| *at == write.at && *manner == refusal.manner;
        if let Some((.., known)) = found.iter_mut().find(same) {
            if known.span != test.span && known.labels.iter().all(|label| label.span != test.span) {
                known.labels.push(Label { span: test.span, message: "so is this".into(), part: Part::Aside });
            }
            continue;
        }
        let mut finding =
            Finding::new(test.span, format!("`{}` is only tested after {name} has written", facts.quote(test.span)))
                .label(root.span(write.at), format!("{name} writes here, whatever the test says"))
                .label(refusal.span, "and stays written when the script gives up here")
                .help(format!("move the test above {name}"));
        finding.labels.extend(root.call_labels(test.cond));
        finding.strict = refusal.manner == Manner::Literal;
        found.push((write.at, refusal.manner, finding));
    }
    found.into_iter().map(|(.., finding)| finding).collect()
}
