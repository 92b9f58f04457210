use crate::{
    chains,
    facts::{Facts, Form, Root},
    ir::{Op, Terminator, ValueId},
    origin::Origin,
    rule::{Edit, Finding, Safety, Severity},
    source::Span,
    value::{Interval, Kinds},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for block in root.blocks() {
            if let Terminator::Branch { cond, .. } = root.function.block(block).end {
                findings.extend(always_true(facts, root, cond));
            }
        }
        // Those under conditions are branches themselves.
        for at in root.all(Form::Not) {
            if let Op::Not(of) = *root.op(at) {
                findings.extend(always_true(facts, root, of));
            }
        }
    }
    findings
}

fn always_true(facts: &Facts, root: &Root, cond: ValueId) -> Option<Finding> {
    let value = root.value(cond);
    if value.kinds.is_never() || !value.kinds.within(Kinds::TRUTHY) {
        return None;
    }
    let shown = facts.snippet(root, cond);
    let (message, label, bit, strict) = match *facts.origins.get(facts.origins.present(value.origin)) {
        Origin::Reply(call) => {
            let event = root.event(call)?;
            let reply = &event.reply;
            let integer = reply.kinds == Kinds::INTEGER;
            let bit = integer && reply.range == Interval::new(0, 1);
            let name = event.shown_name();
            let message = match () {
                () if reply.kinds == Kinds::ANY => return None,
                () if bit => format!("`{shown}` is always true: {name} gives 0 or 1, and 0 is true in Lua"),
                () if integer => format!("`{shown}` is always true: {name} gives a number, and 0 is true in Lua"),
                () => format!("`{shown}` is always true: {name} gives a table"),
            };
            (message, Some(root.span(call)), bit, !bit)
        }
        Origin::Apply(builtin, ..) if builtin.name().starts_with("bit.") => {
            (format!("`{shown}` is always true: it is a number, and 0 is true in Lua"), None, false, false)
        }
        Origin::Length(_) => {
            (format!("`{shown}` is always true: it is a number, and 0 is true in Lua"), None, false, false)
        }
        _ => return None,
    };
    // `x and x > 0`, `not x or #x == 0` test whatever else `x` may be.
    if 1 < chains::reads(facts, root, cond, value.origin) {
        return None;
    }
    let number = value.kinds.within(Kinds::INTEGER);
    let mut finding = Finding::new(root.span(cond), message);
    finding = match (bit, number) {
        (true, _) => finding.help("compare it with 1").fix(Safety::Safe, vec![with_one(facts, root.span(cond))]),
        (false, true) => finding.help("compare it with 0"),
        (false, false) => finding.help("leave the test out, or test what the reply holds"),
    };
    if let Some(label) = label.filter(|&label| label != root.span(cond)) {
        finding = finding.label(label, "the reply is never false");
    }
    finding.labels.extend(root.call_labels(cond));
    Some(if strict { finding.strict().grade(Severity::Warning) } else { finding })
}

/// `x` becomes `x == 1`, `not x` becomes `x == 0`.
fn with_one(facts: &Facts, span: Span) -> Edit {
    let text = facts.source.snippet(span);
    let before = &facts.source.text[..span.start as usize];
    match before.trim_ascii_end().strip_suffix(b"not") {
        Some(rest) if !rest.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') => {
            Edit { span: Span::new(rest.len() as u32, span.end), text: format!("{text} == 0") }
        }
        Some(_) | None => Edit { span, text: format!("{text} == 1") },
    }
}
