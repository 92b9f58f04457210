use crate::{
    facts::{Facts, Form, Root},
    ir::{BinaryOp, Op, ValueId},
    magnitude::{self, EXACT, WRITTEN, format_number},
    origin::{Origin, OriginId, Site},
    returns,
    rule::{Finding, one_per_root},
    source::Span,
    value::Kinds,
};

/// The first number that 32 bits do not hold.
const BITS: f64 = 4_294_967_296.0;

type Found = Vec<((OriginId, &'static str), Finding)>;

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut found = Found::new();
    for root in &facts.roots {
        for at in root.all(Form::Binary).chain(root.all(Form::Call)) {
            match root.op(at) {
                Op::Binary(BinaryOp::Concat, a, b) => {
                    for &operand in [a, b] {
                        written(facts, root, "`..`", operand, root.span(operand), &mut found);
                    }
                }
                Op::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => inexact(facts, root, at, [*a, *b], &mut found),
                Op::Call { args, .. } => call(facts, root, at, args, &mut found),
                _ => {}
            }
        }
    }
    one_per_root(found, "here too")
}

fn call(facts: &Facts, root: &Root, at: ValueId, args: &[ValueId], found: &mut Found) {
    match root.callee(facts, at) {
        Some("tostring") => {
            if let Some(&arg) = args.first() {
                written(facts, root, "`tostring`", arg, root.span(arg), found);
            }
        }
        Some("cjson.encode") => {
            if let Some(&arg) = args.first() {
                written(facts, root, "`cjson.encode`", arg, root.span(arg), found);
            }
            let Some(tables) = root.values.handed.get(&Site::Value(at)) else { return };
            let mut tables: Vec<_> = tables.iter().collect();
            tables.sort_by_key(|(made, _)| **made);
            for (&made, table) in tables {
                for field in table.all_fields() {
                    let place = returns::place(root, made, field);
                    written(facts, root, "`cjson.encode`", field.at, place, found);
                }
            }
        }
        Some("bit.tobit" | "bit.tohex" | "bit.bswap") | None => {}
        Some(name) if name.starts_with("bit.") => bits(facts, root, at, name, args, found),
        Some(_) => {}
    }
}

/// The number becomes text.
fn written(facts: &Facts, root: &Root, by: &str, number: ValueId, place: Span, found: &mut Found) {
    let value = root.value(number);
    if value.kinds == Kinds::ANY || !value.kinds.within(Kinds::NUMBER) {
        return;
    }
    let Some(least) = magnitude::at_least(facts, root, value.origin) else { return };
    let exact = facts.number(value);
    if least < WRITTEN && exact.is_none_or(|number| -WRITTEN < number) || !least.is_finite() {
        return;
    }
    let shown = facts.snippet(root, number);
    let message = match exact {
        Some(number) => format!("{by} writes `{shown}` as {}: it keeps 14 digits", format_number(number)),
        None => format!("{by} keeps 14 digits of `{shown}`, which has more: it is {} or more", format_number(least)),
    };
    let finding = Finding::new(place, message).help(format!("write all digits: `string.format('%.0f', {shown})`"));
    found.push(((value.origin, "written"), finding.labels(root.call_labels(number))));
}

/// A sum of more than 2^53.
fn inexact(facts: &Facts, root: &Root, at: ValueId, operands: [ValueId; 2], found: &mut Found) {
    let beyond = |at: ValueId| {
        magnitude::at_least(facts, root, root.origin(at)).is_some_and(|least| EXACT < least && least.is_finite())
    };
    let is_sum = |at: ValueId| {
        let origin = facts.origins.present(root.origin(at));
        matches!(facts.origins.get(origin), Origin::Binary(BinaryOp::Add | BinaryOp::Sub, ..)) && beyond(at)
    };
    if !beyond(at) || operands.into_iter().any(is_sum) {
        return;
    }
    let message = format!("`{}` is more than 2^53: its last digits are lost", facts.snippet(root, at));
    let finding = Finding::new(root.span(at), message).help("count in a bigger unit, or keep the parts apart");
    found.push(((root.origin(at), "inexact"), finding.labels(root.call_labels(at))));
}

/// A number beyond 32 bits in a function of `bit`.
fn bits(facts: &Facts, root: &Root, at: ValueId, name: &str, args: &[ValueId], found: &mut Found) {
    let literal = |&arg: &ValueId| facts.number(root.value(arg));
    // Cut on purpose.
    if name == "bit.band" && args.iter().filter_map(literal).any(|number| number == BITS - 1.0 || number == -1.0) {
        return;
    }
    for &arg in args {
        let value = root.value(arg);
        let Some(least) = magnitude::at_least(facts, root, value.origin) else { continue };
        let negative = facts.number(value).is_some_and(|number| number < -BITS / 2.0);
        if (least < BITS && !negative) || !least.is_finite() {
            continue;
        }
        let message = format!("`{name}` works on 32 bits: the higher ones of `{}` are lost", facts.snippet(root, arg));
        let finding = Finding::new(root.span(arg), message).help("split the number with `/` and `%` first");
        found.push(((root.origin(at), "bits"), finding.labels(root.call_labels(at))));
        return;
    }
}
