use crate::{
    chains,
    events::Event,
    facts::{Facts, Form, Root},
    ir::{BinaryOp, Op, ValueId},
    origin::Origin,
    rule::{Edit, Finding, Safety},
    source::Span,
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for at in root.all(Form::Binary).chain(root.all(Form::Length)) {
            findings.extend(match *root.op(at) {
                Op::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) => {
                    compared(facts, root, at, a, b).or_else(|| compared(facts, root, at, b, a))
                }
                Op::Binary(BinaryOp::Concat, a, b) => {
                    let raises = "`..` raises: the status is a table";
                    [a, b].into_iter().find_map(|part| used(facts, root, at, part, root.span(part), raises))
                }
                Op::Length(of) => {
                    used(facts, root, at, of, root.span(at), "the length is always 0: the status is a table")
                }
                _ => None,
            });
        }
    }
    findings
}

/// The call whose reply the value is, if it is a status, or false.
fn status<'a>(facts: &Facts, root: &'a Root, value: ValueId) -> Option<&'a Event> {
    let known = root.value(value);
    let Origin::Reply(call) = *facts.origins.get(facts.origins.present(known.origin)) else { return None };
    let may_be = Kinds::STATUS.or(Kinds::ERROR).or(Kinds::FALSE);
    (known.kinds.within(may_be) && known.kinds.may_be(Kinds::STATUS)).then(|| root.event(call))?
}

fn compared(facts: &Facts, root: &Root, at: ValueId, one: ValueId, other: ValueId) -> Option<Finding> {
    let event = status(facts, root, one)?;
    let text = root.value(other).kinds;
    let origin = root.origin(one);
    let reads_ok = |part: ValueId| {
        matches!(root.op(part), Op::Index(base, key)
        if root.origin(*base) == origin && facts.text(root.value(*key)) == Some(b"ok"))
    };
    let looks = chains::parts(root, at).into_iter().any(reads_ok);
    if text.is_never() || !text.within(Kinds::STRING) || looks || chains::compares_fitting(facts, root, at, origin) {
        return None;
    }
    let shown = facts.snippet(root, one);
    let message =
        format!("`{shown}` is never equal to a string: {} gives a table with the field `ok`", event.shown_name());
    let finding = Finding::new(root.span(at), message);
    // Indexing false raises.
    let finding = if root.value(one).kinds.may_be(Kinds::FALSE) {
        finding.help(format!("test it by itself, `if {shown} then`: it is false if nothing was done"))
    } else {
        let end = root.span(one).end;
        let edit = Edit { span: Span::new(end, end), text: ".ok".into() };
        finding.help(format!("compare `{shown}.ok`")).fix(Safety::Safe, vec![edit])
    };
    Some(labelled(root, at, one, event, finding))
}

fn used(facts: &Facts, root: &Root, at: ValueId, value: ValueId, span: Span, what: &str) -> Option<Finding> {
    let event = status(facts, root, value)?;
    if root.value(value).kinds.may_be(Kinds::FALSE) || root.is_protected(at) {
        return None;
    }
    let shown = facts.snippet(root, value);
    let message = format!("{what} that {} gives", event.shown_name());
    let end = root.span(value).end;
    let edit = Edit { span: Span::new(end, end), text: ".ok".into() };
    let finding = Finding::new(span, message).help(format!("use `{shown}.ok`")).fix(Safety::Safe, vec![edit]);
    Some(labelled(root, at, value, event, finding))
}

fn labelled(root: &Root, at: ValueId, value: ValueId, event: &Event, finding: Finding) -> Finding {
    let mut finding = match root.span(event.at) == root.span(value) {
        true => finding,
        false => finding.label(root.span(event.at), "a status is a table: `{ok = '...'}`"),
    };
    finding.labels.extend(root.call_labels(at));
    finding
}
