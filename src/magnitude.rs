//! How big a number is at least, where the script itself shows it: literals, the server's clock, and what is computed of them.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "asks for some forms of an instruction or origin; all others are none of them"
)]

use crate::{
    facts::{Facts, Root},
    ir::{BinaryOp, Const},
    origin::{Origin, OriginId},
};

pub(crate) use crate::eval::format_number;

/// Numbers from here on have more digits than `..`, `tostring` and `cjson` write.
pub(crate) const WRITTEN: f64 = 1e14;

/// Whole numbers beyond are not all there.
pub(crate) const EXACT: f64 = 9_007_199_254_740_992.0;

/// Seconds since 1970 on every clock that runs today.
const NOW: f64 = 1.6e9;

/// The number is this big or bigger on every run; `None`: not known. Never less than the truth allows: unknown parts give `None`.
pub(crate) fn at_least(facts: &Facts, root: &Root, origin: OriginId) -> Option<f64> {
    let of = |part: OriginId| at_least(facts, root, part);
    match facts.origins.get(facts.origins.present(origin)) {
        Origin::Literal(Const::Number(number)) => Some(number.get()),
        Origin::Length(_) => Some(0.0),
        Origin::Index(base, key) if is_time(facts, root, *base) => match facts.origins.constant(*key) {
            Some(Const::Number(number)) if number.get() == 1.0 => Some(NOW),
            _ => Some(0.0),
        },
        Origin::Apply(builtin, parts, 0) => match (builtin.name(), &parts[..]) {
            ("tonumber" | "math.floor" | "math.ceil", [part, ..]) => of(*part),
            ("math.max", parts) => parts.iter().filter_map(|&part| of(part)).reduce(f64::max),
            ("math.min", parts) => parts.iter().map(|&part| of(part)).reduce(|a, b| Some(a?.min(b?)))?,
            _ => None,
        },
        Origin::Binary(op, a, b) => match (op, of(*a), of(*b)) {
            (BinaryOp::Add, Some(a), Some(b)) => Some(a + b),
            (BinaryOp::Mul, Some(a), Some(b)) if 0.0 <= a && 0.0 <= b => Some(a * b),
            (BinaryOp::Sub, Some(low), _) => literal(facts, *b).map(|less| low - less),
            (BinaryOp::Div, Some(low), _) if 0.0 <= low => literal(facts, *b).filter(|&by| 0.0 < by).map(|by| low / by),
            (BinaryOp::Mod, _, Some(by)) if 0.0 < by => Some(0.0),
            _ => None,
        },
        Origin::OneOf(parts, _) => parts.iter().map(|&part| of(part)).reduce(|a, b| Some(a?.min(b?)))?,
        _ => None,
    }
}

fn literal(facts: &Facts, origin: OriginId) -> Option<f64> {
    match facts.origins.constant(origin) {
        Some(Const::Number(number)) => Some(number.get()),
        _ => None,
    }
}

/// Is it the reply of TIME?
pub(crate) fn is_time(facts: &Facts, root: &Root, origin: OriginId) -> bool {
    match *facts.origins.get(facts.origins.present(origin)) {
        Origin::Reply(at) => {
            root.event(at).and_then(|event| event.command).is_some_and(|command| command.name == "TIME")
        }
        _ => false,
    }
}
