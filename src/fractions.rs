//! Fractions that a script itself makes: by `/`, a literal, `math.sqrt`. Numbers from outside are taken as whole.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "asks for some forms of an instruction or origin; all others are none of them"
)]

use rustc_hash::FxHashSet;

use crate::{
    absence,
    facts::{Facts, Root},
    ir::{BinaryOp, Const, ValueId},
    origin::{Origin, OriginId},
    value::{Kinds, Value},
};

/// Builtins that give a fraction of a whole number.
const MAKERS: [&str; 19] = [
    "math.acos",
    "math.asin",
    "math.atan",
    "math.atan2",
    "math.cos",
    "math.cosh",
    "math.deg",
    "math.exp",
    "math.log",
    "math.log10",
    "math.pi",
    "math.rad",
    "math.random",
    "math.sin",
    "math.sinh",
    "math.sqrt",
    "math.tan",
    "math.tanh",
    "os.clock",
];

/// Where the fraction comes from that the number may be: the division, the literal or the call that makes it.
pub(crate) fn maker(facts: &Facts, root: &Root, value: Value) -> Option<OriginId> {
    if value.kinds == Kinds::ANY || !value.kinds.may_be(Kinds::FRACTION) {
        return None;
    }
    search(facts, root, value.origin, &mut FxHashSet::default())
}

/// The first instruction that makes the value of this origin, for labels.
pub(crate) fn place(root: &Root, origin: OriginId) -> Option<ValueId> {
    root.insts().find(|&at| root.origin(at) == origin)
}

fn search(facts: &Facts, root: &Root, origin: OriginId, seen: &mut FxHashSet<OriginId>) -> Option<OriginId> {
    let origin = facts.origins.present(origin);
    if origin == OriginId::UNKNOWN || !seen.insert(origin) {
        return None;
    }
    let mut of = |part: OriginId| search(facts, root, part, seen);
    match facts.origins.get(origin) {
        Origin::Literal(Const::Number(number)) => is_fraction(number.get()).then_some(origin),
        Origin::Builtin(builtin) => MAKERS.contains(&builtin.name()).then_some(origin),
        // A result that differs from call to call.
        Origin::Opaque(at) => root.callee(facts, *at).filter(|name| MAKERS.contains(name)).map(|_| origin),
        Origin::Negate(inner) => of(*inner),
        Origin::Binary(BinaryOp::Div, a, b) => (!divides(facts, *a, *b)).then_some(origin),
        Origin::Binary(BinaryOp::Mul, a, b) if undoes(facts, *a, *b) || undoes(facts, *b, *a) => None,
        // `x - x % 1`
        Origin::Binary(BinaryOp::Sub, a, b) if is_rest(facts, *b, *a) => None,
        Origin::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => of(*a).or_else(|| of(*b)),
        Origin::Binary(BinaryOp::Mod, a, _) => of(*a),
        Origin::Binary(BinaryOp::Pow, _, power) => match facts.origins.constant(*power) {
            Some(Const::Number(power)) if is_fraction(power.get()) || power.get() < 0.0 => Some(origin),
            _ => None,
        },
        Origin::Apply(builtin, parts, 0) => match builtin.name() {
            "math.abs" | "math.min" | "math.max" | "math.fmod" | "tonumber" => parts.iter().find_map(|&part| of(part)),
            name => MAKERS.contains(&name).then_some(origin),
        },
        Origin::OneOf(parts, _) => parts.iter().find_map(|&part| of(part)),
        Origin::Phi(..) => absence::sources(facts, root, origin).into_iter().find_map(of),
        _ => None,
    }
}

fn is_fraction(number: f64) -> bool {
    number.is_finite() && number.fract() != 0.0
}

/// Is the quotient whole by the way it is made, or by how many of something there are?
fn divides(facts: &Facts, a: OriginId, b: OriginId) -> bool {
    let origins = &facts.origins;
    let one = matches!(origins.constant(b), Some(Const::Number(number)) if number.get().abs() == 1.0);
    let made_whole = match *origins.get(a) {
        // `(x - x % b) / b`
        Origin::Binary(BinaryOp::Sub, x, rest) => {
            matches!(*origins.get(rest), Origin::Binary(BinaryOp::Mod, of, by) if of == x && by == b)
        }
        Origin::Binary(BinaryOp::Mul, x, y) => is_multiple(facts, x, b) || is_multiple(facts, y, b),
        _ => is_multiple(facts, a, b),
    };
    one || made_whole || is_count(facts, a)
}

/// A length, plus or minus literals.
fn is_count(facts: &Facts, origin: OriginId) -> bool {
    match *facts.origins.get(facts.origins.present(origin)) {
        Origin::Length(_) => true,
        Origin::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => {
            let literal = |origin| facts.origins.constant(origin).is_some();
            (is_count(facts, a) && literal(b)) || (literal(a) && is_count(facts, b))
        }
        _ => false,
    }
}

/// `x / n * n`, `x / 2 * 1000`
fn undoes(facts: &Facts, quotient: OriginId, by: OriginId) -> bool {
    match *facts.origins.get(quotient) {
        Origin::Binary(BinaryOp::Div, _, divisor) => is_multiple(facts, by, divisor),
        _ => false,
    }
}

/// Is the first a whole number of times the second: the same, or such literals?
fn is_multiple(facts: &Facts, of: OriginId, part: OriginId) -> bool {
    let number = |id| match facts.origins.constant(id) {
        Some(Const::Number(number)) => Some(number.get()),
        Some(Const::Nil | Const::False | Const::True | Const::Text(_)) | None => None,
    };
    of == part || number(of).zip(number(part)).is_some_and(|(of, part)| part != 0.0 && of % part == 0.0)
}

/// Is it `of % 1`?
fn is_rest(facts: &Facts, origin: OriginId, of: OriginId) -> bool {
    let one = |id| matches!(facts.origins.constant(id), Some(Const::Number(number)) if number.get() == 1.0);
    matches!(*facts.origins.get(origin), Origin::Binary(BinaryOp::Mod, a, by) if a == of && one(by))
}
