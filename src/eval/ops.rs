//! Operators: what they give, and what they prove of their operands by not raising.

use super::{Eval, state::State};
use crate::{
    ir::{BinaryOp, Const},
    origin::{Origin, OriginId},
    value::{Interval, Kinds, Value},
};

impl Eval<'_> {
    pub(super) fn not(&mut self, a: Value) -> Value {
        let kinds = match (a.kinds.may_be(Kinds::TRUTHY), a.kinds.may_be(Kinds::FALSY)) {
            (true, false) => Kinds::FALSE,
            (false, true) => Kinds::TRUE,
            _ => Kinds::BOOLEAN,
        };
        match a.origin {
            OriginId::UNKNOWN => Value::new(kinds, OriginId::UNKNOWN),
            origin => Value::new(kinds, self.shared.origins.intern(Origin::Not(origin))),
        }
    }

    pub(super) fn negate(&mut self, state: &mut State, a: Value) -> Value {
        self.uses_as(state, a, Kinds::NUMERIC);
        if let Some(number) = self.number(a) {
            return self.constant(Const::Number(crate::ir::Number::new(-number)));
        }
        let kinds = if a.kinds.within(Kinds::INTEGER) { Kinds::INTEGER } else { Kinds::NUMBER };
        let origin = self.shared.origins.intern(Origin::Negate(a.origin));
        Value { kinds, origin, range: a.range.negate() }
    }

    pub(super) fn length(&mut self, state: &mut State, a: Value) -> Value {
        self.uses_as(state, a, Kinds::STRING.or(Kinds::TABLES));
        let range = self.length_of(state, a);
        let origin = match a.origin {
            OriginId::UNKNOWN => OriginId::UNKNOWN,
            origin => self.shared.origins.intern(Origin::Length(origin)),
        };
        Value { kinds: Kinds::INTEGER, origin, range }
    }

    /// The bounds of `#a`.
    pub(super) fn length_of(&mut self, state: &State, a: Value) -> Interval {
        let mut range = Interval::NATURAL;
        let origin = self.shared.origins.present(a.origin);
        match self.shared.origins.get(origin) {
            Origin::Reply(at) => {
                if let Some(reply) = self.replies.get(at) {
                    range = reply.length;
                }
            }
            Origin::Literal(Const::Text(text)) => {
                range = Interval::of(self.shared.texts.get(*text).len() as f64);
            }
            _ => {
                let made = self.made(origin);
                if !made.is_empty() && made.len() == self.shared.origins.alternatives(origin).len() {
                    range = made
                        .iter()
                        .map(|&table| self.table(state, table).length)
                        .reduce(Interval::join)
                        .unwrap_or(Interval::NATURAL);
                }
            }
        }
        if a.origin == OriginId::UNKNOWN {
            return range;
        }
        let length = self.shared.origins.intern(Origin::Length(a.origin));
        let narrowed = state.narrowed.get(length).map_or(Interval::ALL, |narrow| narrow.range);
        // Where both can't hold, the script changed the reply's length.
        range.meet(narrowed).unwrap_or(narrowed)
    }

    pub(super) fn binary(&mut self, state: &mut State, op: BinaryOp, a: Value, b: Value) -> Value {
        match op {
            BinaryOp::Concat => self.concat(state, a, b),
            BinaryOp::Eq | BinaryOp::Ne => self.compare(op, a, b),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                // Only two numbers or two strings can be ordered.
                if a.kinds.within(Kinds::NUMBER) {
                    self.uses_as(state, b, Kinds::NUMBER);
                } else if a.kinds.within(Kinds::STRING) {
                    self.uses_as(state, b, Kinds::STRING);
                } else {
                    self.uses_as(state, b, Kinds::NUMBER.or(Kinds::STRING).or(Kinds::TABLE));
                }
                if b.kinds.within(Kinds::NUMBER) {
                    self.uses_as(state, a, Kinds::NUMBER);
                } else if b.kinds.within(Kinds::STRING) {
                    self.uses_as(state, a, Kinds::STRING);
                } else {
                    self.uses_as(state, a, Kinds::NUMBER.or(Kinds::STRING).or(Kinds::TABLE));
                }
                self.compare(op, a, b)
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod | BinaryOp::Pow => {
                self.uses_as(state, a, Kinds::NUMERIC);
                self.uses_as(state, b, Kinds::NUMERIC);
                self.arithmetic(op, a, b)
            }
        }
    }

    /// The value was used where anything else raises, so it is one of these from here on.
    pub(super) fn uses_as(&mut self, state: &mut State, value: Value, kinds: Kinds) {
        self.narrow(state, value.origin, kinds, Interval::ALL);
        self.mark_tested(state, value.origin);
    }

    fn compare(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let origin = match (a.origin, b.origin) {
            (OriginId::UNKNOWN, _) | (_, OriginId::UNKNOWN) => OriginId::UNKNOWN,
            (a, b) => self.shared.origins.intern(Origin::Binary(op, a, b)),
        };
        Value::new(Kinds::BOOLEAN, origin)
    }

    fn arithmetic(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        if let (Some(x), Some(y)) = (self.number(a), self.number(b)) {
            let result = match op {
                BinaryOp::Add => x + y,
                BinaryOp::Sub => x - y,
                BinaryOp::Mul => x * y,
                BinaryOp::Div => x / y,
                BinaryOp::Mod => x - (x / y).floor() * y,
                BinaryOp::Pow => x.powf(y),
                BinaryOp::Concat
                | BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Lt
                | BinaryOp::Le
                | BinaryOp::Gt
                | BinaryOp::Ge => return Value::UNKNOWN,
            };
            return self.constant(Const::Number(crate::ir::Number::new(result)));
        }
        let whole = a.kinds.within(Kinds::INTEGER) && b.kinds.within(Kinds::INTEGER);
        let keeps_whole = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Mod);
        let numbers = a.kinds.within(Kinds::NUMBER) && b.kinds.within(Kinds::NUMBER);
        let range = match op {
            BinaryOp::Add if numbers => a.range.plus(b.range),
            BinaryOp::Sub if numbers => a.range.plus(b.range.negate()),
            BinaryOp::Mul if numbers && 0 <= a.range.low && 0 <= b.range.low => {
                let high = if a.range.has_upper() && b.range.has_upper() {
                    a.range.high.saturating_mul(b.range.high)
                } else {
                    i32::MAX
                };
                Interval::new(a.range.low.saturating_mul(b.range.low), high)
            }
            BinaryOp::Mod => match self.number(b) {
                Some(n) if 0.0 < n => Interval::new(0, Interval::of(n).high),
                _ => Interval::ALL,
            },
            _ => Interval::ALL,
        };
        let origin = match (a.origin, b.origin) {
            (OriginId::UNKNOWN, OriginId::UNKNOWN) => OriginId::UNKNOWN,
            (a, b) => self.shared.origins.intern(Origin::Binary(op, a, b)),
        };
        Value { kinds: if whole && keeps_whole { Kinds::INTEGER } else { Kinds::NUMBER }, origin, range }
    }

    fn concat(&mut self, state: &mut State, a: Value, b: Value) -> Value {
        self.uses_as(state, a, Kinds::STRING.or(Kinds::NUMBER));
        self.uses_as(state, b, Kinds::STRING.or(Kinds::NUMBER));
        if let (Some(mut text), Some(more)) = (self.as_text(a), self.as_text(b)) {
            text.extend_from_slice(&more);
            return self.literal_text(&text);
        }
        Value::new(Kinds::STRING, self.shared.origins.concat(a.origin, b.origin))
    }

    /// A literal string or number as `..` and `tostring` write it.
    pub(super) fn as_text(&self, value: Value) -> Option<Vec<u8>> {
        match self.shared.origins.constant(value.origin)? {
            Const::Text(text) => Some(self.shared.texts.get(text).to_vec()),
            Const::Number(number) => Some(format_number(number.get()).into_bytes()),
            Const::Nil | Const::False | Const::True => None,
        }
    }

    pub(super) fn literal_text(&mut self, text: &[u8]) -> Value {
        let text = self.shared.texts.intern(text);
        self.constant(Const::Text(text))
    }
}

/// Has it no fraction? Infinities and NaN have none.
pub(super) fn is_whole(number: f64) -> bool {
    !number.is_finite() || number.fract() == 0.0
}

/// The number that Lua's `tonumber` reads: decimal or hex, with blanks around.
pub(super) fn numeral(text: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?.trim_matches([' ', '\t', '\n', '\r', '\x0b', '\x0c']);
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let sign = if negative { -1.0 } else { 1.0 };
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return u64::from_str_radix(hex, 16).ok().map(|number| sign * number as f64);
    }
    match digits.as_bytes().first()? {
        b'0'..=b'9' | b'.' => digits.parse::<f64>().ok().map(|number| sign * number),
        // `strtod` takes these too, in any case.
        _ if digits.eq_ignore_ascii_case("nan") => Some(f64::NAN),
        _ => ["inf", "infinity"].iter().any(|name| digits.eq_ignore_ascii_case(name)).then_some(sign * f64::INFINITY),
    }
}

/// As `%.14g` writes it.
pub fn format_number(number: f64) -> String {
    if number.is_nan() {
        return "nan".into();
    }
    if number.is_infinite() {
        return if 0.0 < number { "inf".into() } else { "-inf".into() };
    }
    if number == 0.0 {
        return "0".into();
    }
    let scientific = format!("{number:.13e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |digits: &str| match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => digits.to_owned(),
    };
    if (-4..14).contains(&exponent) {
        trim(&format!("{number:.*}", (13 - exponent) as usize))
    } else {
        format!("{}e{}{:02}", trim(digits), if exponent < 0 { '-' } else { '+' }, exponent.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_lua_writes_them() {
        for (number, text) in [
            (100000.0, "100000"),
            (1e14, "1e+14"),
            (99999999999999.0, "99999999999999"),
            (0.1, "0.1"),
            (9007199254740992.0, "9.007199254741e+15"),
            (-2.5, "-2.5"),
            (1e-5, "1e-05"),
            (0.0001, "0.0001"),
        ] {
            assert_eq!(format_number(number), text);
        }
    }

    #[test]
    fn numerals_are_read_as_tonumber_reads_them() {
        for (text, number) in [("12", 12.0), (" -1.5e3 ", -1500.0), ("0x10", 16.0), (".5", 0.5), ("5.", 5.0)] {
            assert_eq!(numeral(text.as_bytes()), Some(number));
        }
        for text in ["", "a", "1 2", "0x", "--1", "1e"] {
            assert_eq!(numeral(text.as_bytes()), None, "{text:?}");
        }
    }
}
