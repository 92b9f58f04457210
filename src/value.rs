//! What is known of a value: a product of three lattices.
//!
//! *Kinds*: which run-time kinds it may have. *Origin*: where it came from, told as the user would write it. *Interval*: bounds of a
//! number, or of a table's length. Each is over-approximated: what a run can produce, it has.

use std::fmt;

use crate::origin::OriginId;

/// Run-time kinds, one bit each; join is union, refinement is intersection.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kinds(u16);

impl Kinds {
    pub const NEVER: Kinds = Kinds(0);
    pub const NIL: Kinds = Kinds(1);
    pub const FALSE: Kinds = Kinds(1 << 1);
    pub const TRUE: Kinds = Kinds(1 << 2);
    /// A whole number (of any size; also infinities and NaN are no fractions).
    pub const INTEGER: Kinds = Kinds(1 << 3);
    pub const FRACTION: Kinds = Kinds(1 << 4);
    /// A string that `tonumber` takes.
    pub const NUMERAL: Kinds = Kinds(1 << 5);
    /// Any other string.
    pub const TEXT: Kinds = Kinds(1 << 6);
    /// A status reply: a table with `ok`.
    pub const STATUS: Kinds = Kinds(1 << 7);
    /// An error reply: a table with `err`.
    pub const ERROR: Kinds = Kinds(1 << 8);
    /// Any other table.
    pub const TABLE: Kinds = Kinds(1 << 9);
    /// A function or coroutine.
    pub const FUNCTION: Kinds = Kinds(1 << 10);
    /// `cjson.null`, a light userdata.
    pub const NULL: Kinds = Kinds(1 << 11);

    pub const BOOLEAN: Kinds = Kinds(Kinds::FALSE.0 | Kinds::TRUE.0);
    pub const NUMBER: Kinds = Kinds(Kinds::INTEGER.0 | Kinds::FRACTION.0);
    pub const STRING: Kinds = Kinds(Kinds::NUMERAL.0 | Kinds::TEXT.0);
    pub const TABLES: Kinds = Kinds(Kinds::STATUS.0 | Kinds::ERROR.0 | Kinds::TABLE.0);
    pub const FALSY: Kinds = Kinds(Kinds::NIL.0 | Kinds::FALSE.0);
    pub const ANY: Kinds = Kinds((1 << 12) - 1);
    pub const TRUTHY: Kinds = Kinds(Kinds::ANY.0 & !Kinds::FALSY.0);
    /// What arithmetic takes: a number or a string that reads as one.
    pub const NUMERIC: Kinds = Kinds(Kinds::NUMBER.0 | Kinds::NUMERAL.0);

    const NAMES: [(Kinds, &'static str); 12] = [
        (Kinds::NIL, "nil"),
        (Kinds::FALSE, "false"),
        (Kinds::TRUE, "true"),
        (Kinds::INTEGER, "integer"),
        (Kinds::FRACTION, "fraction"),
        (Kinds::NUMERAL, "numeral"),
        (Kinds::TEXT, "text"),
        (Kinds::STATUS, "status"),
        (Kinds::ERROR, "error"),
        (Kinds::TABLE, "table"),
        (Kinds::FUNCTION, "function"),
        (Kinds::NULL, "null"),
    ];

    pub const fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    pub const fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    pub const fn without(self, other: Kinds) -> Kinds {
        Kinds(self.0 & !other.0)
    }

    /// Is every kind of it one of `other`? The question that rules decide by.
    pub const fn within(self, other: Kinds) -> bool {
        self.0 & !other.0 == 0
    }

    /// May it be one of `other`? For messages, and for replies whose own line in the table holds the kind.
    pub const fn may_be(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    pub const fn is_never(self) -> bool {
        self.0 == 0
    }

    /// All sets, for exhaustive tests.
    pub fn all() -> impl Iterator<Item = Kinds> {
        (0..=Kinds::ANY.0).map(Kinds)
    }

    /// A kind or a name for several (`string`, `number`, `boolean`, `any`) as the reply table and marks write it.
    pub fn named(name: &str) -> Option<Kinds> {
        match name {
            "any" => Some(Kinds::ANY),
            "string" => Some(Kinds::STRING),
            "number" => Some(Kinds::NUMBER),
            "boolean" => Some(Kinds::BOOLEAN),
            "never" => Some(Kinds::NEVER),
            _ => Kinds::NAMES.iter().find(|(_, known)| *known == name).map(|&(kind, _)| kind),
        }
    }

    /// What [`Kinds::named`] knows, but for `never`.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        ["any", "string", "number", "boolean"].into_iter().chain(Kinds::NAMES.map(|(_, name)| name))
    }
}

/// `integer|false`, with `string`, `number` and `boolean` for both of their kinds.
impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if *self == Kinds::ANY || self.is_never() {
            return f.write_str(if self.is_never() { "never" } else { "any" });
        }
        let mut rest = *self;
        let mut first = true;
        let groups = [(Kinds::BOOLEAN, "boolean"), (Kinds::NUMBER, "number"), (Kinds::STRING, "string")];
        for (kinds, name) in groups.into_iter().chain(Kinds::NAMES) {
            if kinds.within(rest) {
                rest = rest.without(kinds);
                f.write_str(if first { "" } else { "|" })?;
                f.write_str(name)?;
                first = false;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Bounds of a whole number, both ends included; the ends of `i32` stand for no bound.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Interval {
    pub low: i32,
    pub high: i32,
}

impl Interval {
    pub const ALL: Interval = Interval { low: i32::MIN, high: i32::MAX };
    pub const NATURAL: Interval = Interval { low: 0, high: i32::MAX };

    pub fn new(low: i32, high: i32) -> Interval {
        Interval { low, high }
    }

    /// The one number, if it is whole and lies well inside `i32`; else no bound on the side where it lies.
    pub fn of(number: f64) -> Interval {
        if number.is_nan() {
            return Interval::ALL;
        }
        let clamp = |n: f64| n.clamp(f64::from(i32::MIN), f64::from(i32::MAX)) as i32;
        Interval { low: clamp(number.floor()), high: clamp(number.ceil()) }
    }

    pub fn join(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Both bounds hold; `None`: no number fits.
    pub fn meet(self, other: Interval) -> Option<Interval> {
        let met = Interval { low: self.low.max(other.low), high: self.high.min(other.high) };
        (met.low <= met.high).then_some(met)
    }

    pub fn has_upper(self) -> bool {
        self.high != i32::MAX
    }

    pub fn has_lower(self) -> bool {
        self.low != i32::MIN
    }

    /// The single number.
    pub fn exact(self) -> Option<i32> {
        (self.low == self.high && self.has_lower() && self.has_upper()).then_some(self.low)
    }

    /// Ends that moved since `previous` go to infinity, so that a fixpoint is reached.
    pub fn widen(self, previous: Interval) -> Interval {
        Interval {
            low: if self.low < previous.low { i32::MIN } else { self.low },
            high: if previous.high < self.high { i32::MAX } else { self.high },
        }
    }

    pub fn plus(self, other: Interval) -> Interval {
        Interval { low: end_sum(self.low, other.low, i32::MIN), high: end_sum(self.high, other.high, i32::MAX) }
    }

    pub fn negate(self) -> Interval {
        Interval {
            low: if self.has_upper() { self.high.saturating_neg() } else { i32::MIN },
            high: if self.has_lower() { self.low.saturating_neg() } else { i32::MAX },
        }
    }
}

fn end_sum(a: i32, b: i32, infinity: i32) -> i32 {
    if a == infinity || b == infinity { infinity } else { a.saturating_add(b) }
}

/// What is known of one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    pub kinds: Kinds,
    pub origin: OriginId,
    /// Bounds of the number, if it is one.
    pub range: Interval,
}

impl Value {
    pub const UNKNOWN: Value = Value { kinds: Kinds::ANY, origin: OriginId::UNKNOWN, range: Interval::ALL };

    pub fn new(kinds: Kinds, origin: OriginId) -> Value {
        Value { kinds, origin, range: Interval::ALL }
    }

    pub fn ranged(self, range: Interval) -> Value {
        Value { range, ..self }
    }

    /// The bounds of either; a value that is no number bounds nothing.
    pub(crate) fn join_range(&self, other: &Value) -> Interval {
        match (self.kinds.may_be(Kinds::NUMBER), other.kinds.may_be(Kinds::NUMBER)) {
            (true, true) => self.range.join(other.range),
            (false, true) => other.range,
            (true, false) => self.range,
            (false, false) => Interval::ALL,
        }
    }
}
