use crate::{
    facts::{Facts, Form, Root},
    ir::{Op, ValueId},
    origin::Origin,
    rule::Finding,
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for at in root.all(Form::Binary) {
            if let Op::Binary(op, a, b) = *root.op(at)
                && op.is_comparison()
            {
                findings.extend(constant(facts, root, at, a, b).or_else(|| constant(facts, root, at, b, a)));
            }
        }
    }
    findings
}

/// `#reply` compared with a literal number, of a reply that always has the same length.
fn constant(facts: &Facts, root: &Root, at: ValueId, one: ValueId, other: ValueId) -> Option<Finding> {
    let Origin::Length(of) = *facts.origins.get(facts.origins.present(root.origin(one))) else { return None };
    let Origin::Reply(call) = *facts.origins.get(facts.origins.present(of)) else { return None };
    facts.number(root.value(other))?;
    let event = root.event(call)?;
    let length = event.reply.length.exact()?;
    if !event.reply.kinds.within(Kinds::TABLE) {
        return None;
    }
    let (name, shown) = (event.shown_name(), facts.snippet(root, one));
    let message =
        format!("`{shown}` is always {length}: {name} gives an element for each name, false for one that is not there");
    let finding = Finding::new(root.span(at), message)
        .label(root.span(call), format!("the reply of {name}"))
        .help("test the elements");
    Some(Finding { labels: finding.labels.into_iter().chain(root.call_labels(at)).collect(), ..finding })
}
