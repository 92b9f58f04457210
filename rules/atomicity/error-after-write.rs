use crate::{
    events::Event,
    facts::{Facts, Root},
    ir::ValueId,
    refusals::{self, Manner, Refusal, Refusals, Test},
    rule::{Finding, Label, Part, Severity},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    facts.roots.iter().flat_map(|root| of_root(facts, root)).collect()
}

/// One finding for each write that an error leaves behind: the first exit after it, further ones as labels.
fn of_root(facts: &Facts, root: &Root) -> Vec<Finding> {
    if root.writes().next().is_none() {
        return Vec::new();
    }
    let mut refusals = Refusals::new(facts, root);
    let mut found: Vec<(ValueId, bool, Finding)> = Vec::new();
    for refusal in refusals.all() {
        if refusal.manner != Manner::Error || refusals.late(refusal).is_some() {
            continue;
        }
        let tests = refusals.tests(refusal);
        let Some(test) = tests.last() else { continue };
        let Some(write) = left_behind(root, &refusals, &tests, refusal) else {
            continue;
        };
        // A write that does nothing if its condition fails could have come first.
        let condition = refusals.asked(&tests).into_iter().find(|asked| {
            let conditional = asked.is_write() && asked.raises() && refusals::may_do_nothing(asked);
            conditional && !refusals::same_key(asked, write)
        });
        let name = write.shown_name();
        let same = |(at, graded, _): &&mut (ValueId, bool, Finding)| *at == write.at && *graded == condition.is_some();
        if let Some((.., known)) = found.iter_mut().find(same) {
            known.labels.push(Label { span: refusal.span, message: "so does this exit".into(), part: Part::Aside });
            continue;
        }
        let (message, help) = match condition {
            Some(condition) => {
                let first = condition.shown_name();
                let message = format!("the script gives up when {first} fails, after {name} has written");
                (message, format!("call {first} and test it before {name}"))
            }
            None => (
                format!("this error leaves what {name} wrote in place"),
                format!("test before {name} writes, or undo its write before the error"),
            ),
        };
        let mut finding = Finding::new(refusal.span, message)
            .label(root.span(write.at), format!("{name} writes here"))
            .label(test.span, "this test leads to the error")
            .help(help);
        finding.labels.extend(root.call_labels(refusal.at));
        if condition.is_some() {
            finding.grade = Some(Severity::Warning);
        }
        found.push((write.at, condition.is_some(), finding));
    }
    found.into_iter().map(|(.., finding)| finding).collect()
}

/// The first write that was surely made before the test and that nothing undoes.
fn left_behind<'a>(root: &'a Root, refusals: &Refusals, tests: &[Test], refusal: &Refusal) -> Option<&'a Event> {
    let asked = refusals.asked(tests);
    let sure = &refusals.written(tests.last()?).sure;
    let mut writes = sure.iter().filter_map(|&at| root.event(at));
    // Of a write that can answer that it did nothing, the test may ask just that.
    writes.find(|write| {
        let nothing = refusals::may_do_nothing(write) && asked.iter().any(|asked| asked.at == write.at);
        !nothing && !refusals::prunes(write) && !refusals.makes_up(tests, refusal, write)
    })
}
