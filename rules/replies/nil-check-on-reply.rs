use crate::{
    absence, chains,
    facts::{Facts, Form, Root},
    ir::{BinaryOp, Const, Op, ValueId},
    origin::Origin,
    rule::{Edit, Finding, Safety},
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        findings.extend(root.all(Form::Binary).filter_map(|at| nil_check(facts, root, at)));
    }
    findings
}

fn nil_check(facts: &Facts, root: &Root, at: ValueId) -> Option<Finding> {
    let Op::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) = *root.op(at) else { return None };
    let subject = [(a, b), (b, a)].into_iter().find_map(|(one, other)| subject(facts, root, one, other))?;
    let value = root.value(subject);
    if value.kinds.may_be(Kinds::NIL) {
        return None;
    }
    let event = absence::absent(facts, root, value)?;
    if chains::tells_false(facts, root, at, value.origin) {
        return None;
    }
    let shown = facts.snippet(root, subject);
    let (equal, always) = if op == BinaryOp::Eq { (true, "false") } else { (false, "true") };
    let message = format!(
        "`{}` is always {always}: {} gives false, not nil, if there is nothing",
        facts.snippet(root, at),
        event.shown_name()
    );
    let right = if equal { format!("not {shown}") } else { shown };
    let mut finding = Finding::new(root.span(at), message).help(format!("write `{right}`"));
    if root.span(event.at) != root.span(subject) {
        finding = finding.label(root.span(event.at), "the reply is false if there is nothing");
    }
    finding.labels.extend(root.call_labels(at));
    // As a value `x` is no boolean.
    if equal || chains::is_condition(root, at) {
        let text = facts.source.snippet(root.span(subject));
        let text = if equal { format!("not {text}") } else { text.into_owned() };
        finding = finding.fix(Safety::Safe, vec![Edit { span: root.span(at), text }]);
    }
    Some(finding)
}

/// What is compared with nil: `x` of `x == nil` and of `type(x) == 'nil'`.
fn subject(facts: &Facts, root: &Root, one: ValueId, other: ValueId) -> Option<ValueId> {
    let other = root.value(other);
    if facts.origins.constant(other.origin) == Some(Const::Nil) {
        return Some(one);
    }
    let is_type = matches!(facts.origins.get(root.origin(one)), Origin::Apply(builtin, ..) if builtin.name() == "type");
    match root.op(one) {
        Op::Call { args, .. } if is_type && facts.text(other) == Some(b"nil") => args.first().copied(),
        _ => None,
    }
}
