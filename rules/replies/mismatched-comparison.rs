use crate::{
    chains,
    events::Event,
    facts::{Facts, Form, Root},
    ir::{BinaryOp, Const, Op, ValueId},
    origin::Origin,
    rule::{Edit, Finding, Safety},
    source::Span,
    value::{Interval, Kinds},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        findings.extend(root.all(Form::Binary).filter_map(|at| mismatch(facts, root, at)));
    }
    findings
}

fn mismatch(facts: &Facts, root: &Root, at: ValueId) -> Option<Finding> {
    let Op::Binary(op, a, b) = *root.op(at) else { return None };
    let (one, other) = (root.value(a), root.value(b));
    let known = |kinds: Kinds| !kinds.is_never() && kinds != Kinds::ANY;
    if !known(one.kinds) || !known(other.kinds) {
        return None;
    }
    let boolean = boolean(facts, root, a, b).or_else(|| boolean(facts, root, b, a));
    let finding = if op.is_order() {
        if !never_ordered(facts, root, a, b) || root.is_protected(at) || chains::bounds_loop(root, at) {
            return None;
        }
        let message = format!(
            "`{}` raises: {} is {}, {} is {}",
            facts.snippet(root, at),
            quoted(facts, root, a),
            shown(one.kinds),
            quoted(facts, root, b),
            shown(other.kinds)
        );
        Finding::new(root.span(at), message)
    } else if matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
        let number_and_text = |a: Kinds, b: Kinds| {
            let scalar = Kinds::NUMBER.or(Kinds::STRING).or(Kinds::FALSY);
            a.may_be(Kinds::NUMBER) && b.may_be(Kinds::STRING) && a.or(b).within(scalar)
        };
        let differ = number_and_text(one.kinds, other.kinds) || number_and_text(other.kinds, one.kinds);
        let differ = differ || boolean.is_some();
        if !differ || chains::class(one.kinds).may_be(chains::class(other.kinds)) || is_dispatch(facts, root, at, a, b)
        {
            return None;
        }
        let always = if op == BinaryOp::Eq { "false" } else { "true" };
        let comparison = facts.snippet(root, at);
        let message = match boolean {
            Some((event, reply, literal)) => format!(
                "`{comparison}` is always {always}: {} gives {}, never `{}`",
                event.shown_name(),
                shown(root.value(reply).kinds),
                facts.snippet(root, literal)
            ),
            None => format!(
                "`{comparison}` is always {always}: {} is {}, {} is {}",
                quoted(facts, root, a),
                shown(one.kinds),
                quoted(facts, root, b),
                shown(other.kinds)
            ),
        };
        Finding::new(root.span(at), message)
    } else {
        return None;
    };
    let mut finding = finding;
    for value in [a, b] {
        if let Some(call) = facts.origins.reply(root.origin(value)).filter(|&call| root.span(call) != root.span(value))
            && let Some(event) = root.event(call)
        {
            finding = finding.label(root.span(call), format!("the reply of {}", event.shown_name()));
        }
    }
    finding.labels.extend(root.call_labels(at));
    Some(match boolean {
        Some((_, reply, literal)) => without_boolean(facts, root, reply, literal, finding),
        None => converted(facts, root, a, b, finding),
    })
}

/// The reply of a command that is never `true`, or never `false`, and that literal beside it.
fn boolean<'a>(
    facts: &Facts,
    root: &'a Root,
    reply: ValueId,
    literal: ValueId,
) -> Option<(&'a Event, ValueId, ValueId)> {
    let kind = match facts.origins.constant(root.origin(literal))? {
        Const::True => Kinds::TRUE,
        Const::False => Kinds::FALSE,
        Const::Nil | Const::Number(_) | Const::Text(_) => return None,
    };
    let Origin::Reply(call) = *facts.origins.get(facts.origins.present(root.origin(reply))) else { return None };
    let event = root.event(call)?;
    let told = event.reply.kinds;
    (told != Kinds::ANY && !root.value(reply).kinds.or(told).may_be(kind)).then_some((event, reply, literal))
}

/// What to write instead of the boolean.
fn without_boolean(facts: &Facts, root: &Root, reply: ValueId, literal: ValueId, finding: Finding) -> Finding {
    let value = root.value(reply);
    let shown = facts.snippet(root, reply);
    if value.kinds.within(Kinds::TABLE) {
        return finding.help(format!("ask for its length: `#{shown} == 0`"));
    }
    if value.kinds.within(Kinds::STATUS) {
        return finding.help("leave the test out: an error would have ended the script");
    }
    if !value.kinds.within(Kinds::NUMBER) {
        return finding.help(format!("test it by itself: `if {shown} then`"));
    }
    if value.range != Interval::new(0, 1) {
        return finding.help("compare with a number");
    }
    let number = if facts.origins.constant(root.origin(literal)) == Some(Const::True) { "1" } else { "0" };
    let finding = finding.help(format!("compare with {number}"));
    match root.op(literal) {
        Op::Const(_) => finding.fix(Safety::Safe, vec![Edit { span: root.span(literal), text: number.into() }]),
        _ => finding,
    }
}

/// The same chain asks for the other type too, so that the script knows of both.
fn is_dispatch(facts: &Facts, root: &Root, at: ValueId, a: ValueId, b: ValueId) -> bool {
    [a, b].into_iter().any(|value| chains::compares_fitting(facts, root, at, root.origin(value)))
}

/// Does `<` of the two raise on every run?
fn never_ordered(facts: &Facts, root: &Root, a: ValueId, b: ValueId) -> bool {
    let (one, other) = (root.value(a), root.value(b));
    let scalar = |kinds: Kinds| kinds.may_be(Kinds::NUMBER.or(Kinds::STRING));
    // Two tables may have a metatable; one that a command answered has none.
    let unknown = Kinds::FUNCTION.or(Kinds::NULL).or(Kinds::TABLES);
    let plain = |at: ValueId, kinds: Kinds| {
        !kinds.may_be(unknown) || matches!(facts.origins.get(root.origin(at)), Origin::Reply(_))
    };
    let both = |group: Kinds| one.kinds.may_be(group) && other.kinds.may_be(group);
    (scalar(one.kinds) || scalar(other.kinds))
        && plain(a, one.kinds)
        && plain(b, other.kinds)
        && !both(Kinds::NUMBER)
        && !both(Kinds::STRING)
}

/// `tonumber` around the string.
fn converted(facts: &Facts, root: &Root, a: ValueId, b: ValueId, finding: Finding) -> Finding {
    for (one, other) in [(a, b), (b, a)] {
        let (text, number) = (root.value(one), root.value(other));
        if !text.kinds.may_be(Kinds::STRING) || !number.kinds.may_be(Kinds::NUMBER) {
            continue;
        }
        let span = root.span(one);
        if let Some(Const::Text(literal)) = facts.origins.constant(text.origin)
            && matches!(root.op(one), Op::Const(_))
        {
            let digits = facts.texts.show(literal);
            let is_number = digits.parse::<f64>().is_ok();
            let finding = finding.help("compare with a number");
            return if is_number {
                finding.fix(Safety::Safe, vec![Edit { span, text: digits.into() }])
            } else {
                finding
            };
        }
        let edits = vec![
            Edit { span: Span::new(span.start, span.start), text: "tonumber(".into() },
            Edit { span: Span::new(span.end, span.end), text: ")".into() },
        ];
        return finding.help(format!("write `tonumber({})`", facts.snippet(root, one))).fix(Safety::Safe, edits);
    }
    finding.help("compare two numbers, or two strings")
}

fn quoted(facts: &Facts, root: &Root, value: ValueId) -> String {
    format!("`{}`", facts.snippet(root, value))
}

/// `a string or false`
fn shown(kinds: Kinds) -> String {
    let names = [
        (Kinds::NUMBER, "a number"),
        (Kinds::STRING, "a string"),
        (Kinds::TABLES, "a table"),
        (Kinds::FUNCTION, "a function"),
        (Kinds::TRUE, "true"),
        (Kinds::FALSE, "false"),
        (Kinds::NIL, "nil"),
    ];
    let held: Vec<&str> = names.into_iter().filter(|&(kind, _)| kinds.may_be(kind)).map(|(_, name)| name).collect();
    held.join(" or ")
}
