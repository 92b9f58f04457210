use crate::{
    facts::{Facts, Form, Root},
    ir::{Op, ValueId},
    names,
    origin::{Origin, OriginId},
    rule::Finding,
    value::Kinds,
};

/// Words in names of what is a number or a time.
const NUMBERS: [&str; 10] = ["time", "timestamp", "ts", "now", "score", "count", "limit", "ttl", "seq", "expires"];

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        findings.extend(root.all(Form::Binary).filter_map(|at| ordered(facts, root, at)));
    }
    findings
}

fn ordered(facts: &Facts, root: &Root, at: ValueId) -> Option<Finding> {
    let Op::Binary(op, a, b) = *root.op(at) else { return None };
    let text = |value: ValueId| {
        let kinds = root.value(value).kinds;
        kinds.may_be(Kinds::STRING) && kinds.within(Kinds::STRING.or(Kinds::FALSY)) && !is_cut(facts, root, value)
    };
    if !op.is_order() || !text(a) || !text(b) {
        return None;
    }
    let literal = |value: ValueId| facts.text(root.value(value)).is_some();
    if literal(a) || literal(b) {
        return None;
    }
    let evidence = [a, b].into_iter().any(|value| is_number(facts, root, value));
    let message = format!("`{}` compares texts: '10' is less than '9'", facts.snippet(root, at));
    let finding = Finding::new(root.span(at), message).help("convert both with `tonumber`");
    let finding = Finding { labels: root.call_labels(at), ..finding };
    Some(if evidence { finding } else { finding.strict() })
}

/// A piece of a text, or a cursor: ordered as text on purpose.
fn is_cut(facts: &Facts, root: &Root, value: ValueId) -> bool {
    let cut = matches!(facts.origins.get(root.origin(value)), Origin::Apply(builtin, ..) if builtin.name().starts_with("string."));
    cut || words(facts, root, value).iter().any(|word| word == "cursor")
}

/// Does the script itself take the text for a number?
fn is_number(facts: &Facts, root: &Root, value: ValueId) -> bool {
    let known = root.value(value);
    if known.kinds.within(Kinds::NUMERAL.or(Kinds::FALSY)) {
        return true;
    }
    let named = words(facts, root, value).iter().any(|word| NUMBERS.contains(&word.as_str()));
    named || (known.origin != OriginId::UNKNOWN && is_converted(facts, root, known.origin))
}

fn is_converted(facts: &Facts, root: &Root, origin: OriginId) -> bool {
    let is_it = |value: ValueId| facts.origins.present(root.origin(value)) == facts.origins.present(origin);
    root.all(Form::Binary).chain(root.all(Form::Call)).any(|at| match root.op(at) {
        Op::Binary(op, a, b) => op.is_arithmetic() && (is_it(*a) || is_it(*b)),
        Op::Call { args, .. } => match root.event(at) {
            Some(event) => {
                event.args.iter().any(|arg| arg.takes.is_some_and(|takes| takes.is_number()) && is_it(arg.at))
            }
            None => root.callee(facts, at) == Some("tonumber") && args.first().is_some_and(|&arg| is_it(arg)),
        },
        _ => false,
    })
}

/// The words in the names of the value: of its local, of the field that it was read from.
fn words(facts: &Facts, root: &Root, value: ValueId) -> Vec<String> {
    let mut words = names::words_of(facts, root, value);
    if let Origin::Reply(call) = *facts.origins.get(facts.origins.present(root.origin(value)))
        && let Some(event) = root.event(call)
        && event.shown_name() == "HGET"
        && let Some(field) = event.args.get(1).and_then(|arg| facts.text(arg.value))
    {
        words.extend(names::words(&String::from_utf8_lossy(field)));
    }
    words
}
