use crate::{
    facts::{Facts, Root},
    magnitude,
    rule::{Finding, one_per_root},
    target::{Product, Target, Version},
    value::{Kinds, Value},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    if facts.targets_where(|target| format(target) != Format::Digits).is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for root in &facts.roots {
        for event in root.events() {
            for arg in event.args.iter().filter(|arg| arg.spread.is_none()) {
                if !arg.value.kinds.within(Kinds::INTEGER) && !arg.value.kinds.within(Kinds::NUMBER) {
                    continue;
                }
                let targets = facts.targets_where(|target| has_exponent(facts, root, arg.value, format(target)));
                let Some(&target) = targets.first() else { continue };
                let shown = facts.snippet(root, arg.at);
                let message =
                    format!("{target} sends `{shown}` with an exponent, which no command takes for a whole number");
                let mut finding = Finding::new(root.span(arg.at), message)
                    .help(format!("send text: `string.format('%.0f', {shown})`"))
                    .labels(root.call_labels(event.at));
                finding.targets = targets;
                found.push((arg.value.origin, finding));
            }
        }
    }
    one_per_root(found, "here too")
}

/// How a server writes numbers that are arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    /// All digits, as long as it is a whole number below 2^63.
    Digits,
    /// `%.17g`
    Seventeen,
    /// The shortest digits, with an exponent where that is shorter.
    Shortest,
}

fn format(target: Target) -> Format {
    let version = target.version;
    match target.product {
        Product::Redis if version < Version(7, 2, 0) => Format::Seventeen,
        Product::Redis if version < Version(7, 2, 5) => Format::Shortest,
        Product::Valkey if version < Version(7, 2, 6) => Format::Shortest,
        Product::KeyDb => Format::Seventeen,
        Product::Redis | Product::Valkey | Product::Dragonfly | Product::Kvrocks => Format::Digits,
    }
}

fn has_exponent(facts: &Facts, root: &Root, value: Value, format: Format) -> bool {
    let exact = facts.number(value).map(f64::abs).filter(|number| number.is_finite() && number.fract() == 0.0);
    let least = exact.or_else(|| magnitude::at_least(facts, root, value.origin).filter(|least| least.is_finite()));
    match format {
        Format::Digits => false,
        Format::Seventeen => least.is_some_and(|least| 1e17 <= least),
        Format::Shortest => exact.is_some_and(is_short),
    }
}

/// Are there so many zeros at the end that they are not written out?
fn is_short(number: f64) -> bool {
    let digits = format!("{number:e}");
    let Some((mantissa, exponent)) = digits.split_once('e') else { return false };
    let count = mantissa.bytes().filter(u8::is_ascii_digit).count();
    exponent.parse::<usize>().is_ok_and(|exponent| count + 7 <= exponent)
}
