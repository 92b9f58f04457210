//! What a condition proves on either of its edges.

use super::{
    Eval,
    state::{Narrow, State},
};
use crate::{
    builtins::Sort,
    ir::{BinaryOp, Const, LocalId, Number, Op, ValueId},
    origin::{Input, Origin, OriginId},
    value::{Interval, Kinds, Value},
};

impl Eval<'_> {
    /// Meets what is known of the origin with `kinds` and `range`. If nothing would be left, all stays as it was.
    pub(super) fn narrow(&mut self, state: &mut State, origin: OriginId, kinds: Kinds, range: Interval) {
        if origin == OriginId::UNKNOWN || !self.can_be_narrowed(origin) {
            return;
        }
        let known = state.narrowed.get(origin).copied().unwrap_or(Narrow::NOTHING);
        let met = known.kinds.and(kinds);
        let narrow = Narrow {
            kinds: if met.is_never() { known.kinds } else { met },
            range: known.range.meet(range).unwrap_or(known.range),
            ..known
        };
        if narrow != known {
            state.narrowed.insert(origin, narrow);
        }
        if narrow.kinds != known.kinds {
            let now = self.kinds_known(state, origin);
            self.imply(state, origin, now);
        }
    }

    /// Literals are what they are; what was computed from several values is no one value.
    fn can_be_narrowed(&self, origin: OriginId) -> bool {
        let fixed = matches!(
            self.shared.origins.get(origin),
            Origin::Literal(_) | Origin::Input(_) | Origin::Builtin(_) | Origin::Closure(_) | Origin::Made(_)
        );
        !fixed && self.shared.origins.is_single(origin)
    }

    /// What an origin's kinds say of the origins that it was computed from.
    fn imply(&mut self, state: &mut State, origin: OriginId, kinds: Kinds) {
        match self.shared.origins.get(origin).clone() {
            Origin::Apply(builtin, parts, 0) => match (builtin.name(), &parts[..]) {
                ("tonumber", [text]) if kinds.within(Kinds::TRUTHY) => {
                    self.narrow(state, *text, Kinds::NUMERIC, Interval::ALL);
                }
                ("tonumber", [text]) if kinds.within(Kinds::FALSY) => {
                    self.narrow(state, *text, Kinds::ANY.without(Kinds::NUMERIC), Interval::ALL);
                }
                _ => {}
            },
            Origin::Index(base, key) => self.imply_of_field(state, base, key, kinds),
            _ => {}
        }
    }

    fn imply_of_field(&mut self, state: &mut State, base: OriginId, key: OriginId, kinds: Kinds) {
        let truthy = kinds.within(Kinds::TRUTHY);
        match self.shared.origins.constant(key) {
            Some(Const::Text(name)) => {
                let reply = match self.shared.texts.get(name) {
                    b"err" => Kinds::ERROR,
                    b"ok" => Kinds::STATUS,
                    _ => return,
                };
                if !matches!(self.shared.origins.get(base), Origin::Reply(_)) {
                    return;
                }
                let proven = match (truthy, kinds.within(Kinds::FALSY)) {
                    (true, _) => reply,
                    (_, true) => Kinds::ANY.without(reply),
                    (false, false) => return,
                };
                self.narrow(state, base, proven, Interval::ALL);
            }
            // A list that has an element number n is at least n long.
            Some(Const::Number(number)) if truthy || kinds.within(Kinds::ANY.without(Kinds::NIL)) => {
                let Some(at) = Interval::of(number.get()).exact() else {
                    return;
                };
                let length = self.shared.origins.intern(Origin::Length(base));
                self.narrow(state, length, Kinds::INTEGER, Interval::new(at, i32::MAX));
            }
            _ => {}
        }
    }

    /// Does the call that was inlined here decide the condition, as it gives a literal (or nothing) for the parameter that is tested?
    pub(super) fn decided(&self, cond: ValueId) -> Option<bool> {
        match *self.function.op(cond) {
            Op::Get(local) => self.given(cond, local).map(|given| !matches!(given, Const::Nil | Const::False)),
            Op::Not(inner) => self.decided(inner).map(|decided| !decided),
            Op::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) => {
                let literal = |value| match *self.function.op(value) {
                    Op::Get(local) => Some((self.given(value, local)?, true)),
                    Op::Const(constant) => Some((constant, false)),
                    _ => None,
                };
                let ((a, a_given), (b, b_given)) = (literal(a)?, literal(b)?);
                (a_given || b_given).then_some((a == b) == (op == BinaryOp::Eq))
            }
            _ => None,
        }
    }

    /// The literal that the call gives for the parameter of an inlined function.
    fn given(&self, value: ValueId, local: LocalId) -> Option<Const> {
        let program = self.shared.program;
        let copy = &self.inlined.copies[local.index().checked_sub(program.locals.len())?];
        let parameter = copy.of.filter(|of| program.functions[copy.local.function.index()].params.contains(of));
        parameter.filter(|_| copy.local.assigned == 1)?;
        self.shared.origins.constant(self.values[value.index()].origin)
    }

    /// The condition's value is truthy (`holds`) or not.
    pub(super) fn assume_value(&mut self, state: &mut State, value: Value, holds: bool) {
        self.mark_tested(state, value.origin);
        match *self.shared.origins.get(value.origin) {
            Origin::Not(inner) => self.assume_value(state, Value::new(Kinds::ANY, inner), !holds),
            Origin::Binary(op, a, b) => self.assume_comparison(state, op, a, b, holds),
            Origin::Apply(builtin, _, 0) if builtin.name() == "next" => {
                self.narrow_origin(state, value.origin, holds);
                self.assume_filled(state, value.origin, holds);
            }
            _ => self.narrow_origin(state, value.origin, holds),
        }
    }

    fn narrow_origin(&mut self, state: &mut State, origin: OriginId, holds: bool) {
        let kinds = if holds { Kinds::TRUTHY } else { Kinds::FALSY };
        self.narrow(state, origin, kinds, Interval::ALL);
    }

    /// `next(t)` tells whether the table holds anything.
    fn assume_filled(&mut self, state: &mut State, origin: OriginId, holds: bool) {
        let Origin::Apply(_, parts, _) = self.shared.origins.get(origin).clone() else {
            return;
        };
        let [table] = parts[..] else { return };
        let length = self.shared.origins.intern(Origin::Length(table));
        let range = if holds { Interval::new(1, i32::MAX) } else { Interval::new(0, 0) };
        self.narrow(state, length, Kinds::INTEGER, range);
    }

    fn assume_comparison(&mut self, state: &mut State, op: BinaryOp, a: OriginId, b: OriginId, holds: bool) {
        match op {
            BinaryOp::Eq => self.assume_equal(state, a, b, holds),
            BinaryOp::Ne => self.assume_equal(state, a, b, !holds),
            BinaryOp::Lt => self.assume_order(state, a, b, holds, true),
            BinaryOp::Le => self.assume_order(state, a, b, holds, false),
            BinaryOp::Gt => self.assume_order(state, b, a, holds, true),
            BinaryOp::Ge => self.assume_order(state, b, a, holds, false),
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Mod
            | BinaryOp::Pow
            | BinaryOp::Concat => {}
        }
    }

    fn assume_equal(&mut self, state: &mut State, a: OriginId, b: OriginId, holds: bool) {
        for (one, other) in [(a, b), (b, a)] {
            match self.shared.origins.constant(other) {
                Some(constant) => self.assume_literal(state, one, constant, holds),
                None if holds => {
                    // Equal values have equal kinds.
                    let kinds = self.kinds_known(state, other);
                    self.narrow(state, one, kinds, Interval::ALL);
                    if let Some((Input::Keys, _)) = self.shared.origins.element(other) {
                        self.note_same(state, one, other);
                    }
                }
                // There is only one.
                None if self.kinds_known(state, other) == Kinds::NULL => {
                    self.narrow(state, one, Kinds::ANY.without(Kinds::NULL), Interval::ALL);
                }
                None => {}
            }
        }
    }

    fn note_same(&mut self, state: &mut State, origin: OriginId, same: OriginId) {
        if origin != OriginId::UNKNOWN && self.can_be_narrowed(origin) {
            let known = state.narrowed.get(origin).copied().unwrap_or(Narrow::NOTHING);
            state.narrowed.insert(origin, Narrow { same, ..known });
        }
    }

    /// `origin == constant`, or not.
    fn assume_literal(&mut self, state: &mut State, origin: OriginId, constant: Const, holds: bool) {
        // `type(x) == 'table'`
        if let (Origin::Apply(builtin, parts, 0), Const::Text(name)) =
            (self.shared.origins.get(origin).clone(), constant)
            && builtin.name() == "type"
            && let [subject] = parts[..]
            && let Some(kinds) = type_kinds(self.shared.texts.get(name))
        {
            let kinds = if holds { kinds } else { Kinds::ANY.without(kinds) };
            return self.narrow(state, subject, kinds, Interval::ALL);
        }
        let exact = self.kinds_of(constant);
        match (constant, holds) {
            (Const::Number(number), true) => self.narrow(state, origin, exact, Interval::of(number.get())),
            (_, true) => {
                self.narrow(state, origin, exact, Interval::ALL);
                self.assume_status(state, origin, constant);
            }
            // Only of nil, false and true is there just one.
            (Const::Nil | Const::False | Const::True, false) => {
                self.narrow(state, origin, Kinds::ANY.without(exact), Interval::ALL);
                let truth = if constant == Const::Nil { None } else { Some(constant == Const::False) };
                if let (Some(truth), Origin::Not(_) | Origin::Binary(..)) = (truth, self.shared.origins.get(origin)) {
                    self.assume_value(state, Value::new(Kinds::BOOLEAN, origin), truth);
                }
            }
            (Const::Number(number), false) => self.exclude_end(state, origin, number),
            (Const::Text(_), false) => {}
        }
        if let (true, Const::True | Const::False) = (holds, constant) {
            self.assume_value(state, Value::new(Kinds::BOOLEAN, origin), constant == Const::True);
        }
    }

    /// `redis.call('TYPE', key).ok == 'hash'` says what the key holds.
    fn assume_status(&mut self, state: &mut State, origin: OriginId, constant: Const) {
        let Origin::Index(base, _) = *self.shared.origins.get(origin) else {
            return;
        };
        let (Origin::Reply(at), Const::Text(name)) = (self.shared.origins.get(base).clone(), constant) else {
            return;
        };
        self.assume_type(state, at, name);
    }

    /// A number that isn't this one doesn't end here.
    fn exclude_end(&mut self, state: &mut State, origin: OriginId, number: Number) {
        let Some(gone) = Interval::of(number.get()).exact() else {
            return;
        };
        let known = self.range_known(state, origin);
        let range = if known.low == gone {
            Interval::new(gone.saturating_add(1), i32::MAX)
        } else if known.high == gone {
            Interval::new(i32::MIN, gone.saturating_sub(1))
        } else {
            return;
        };
        if self.is_integer(state, origin) {
            self.narrow(state, origin, Kinds::ANY, range);
        }
    }

    /// `a < b` (`strict`) or `a <= b` holds, or does not.
    fn assume_order(&mut self, state: &mut State, a: OriginId, b: OriginId, holds: bool, strict: bool) {
        let (low, high, strict) = if holds { (a, b, strict) } else { (b, a, !strict) };
        let step = i32::from(strict && self.is_integer(state, low) && self.is_integer(state, high));
        let above = self.range_known(state, high);
        let below = self.range_known(state, low);
        if above.has_upper() {
            self.narrow(state, low, Kinds::ANY, Interval::new(i32::MIN, above.high - step));
        }
        if below.has_lower() {
            self.narrow(state, high, Kinds::ANY, Interval::new(below.low + step, i32::MAX));
        }
    }

    fn is_integer(&self, state: &State, origin: OriginId) -> bool {
        self.kinds_known(state, origin).within(Kinds::INTEGER)
    }

    /// What is known of an origin's kinds without the value at hand.
    fn kinds_known(&self, state: &State, origin: OriginId) -> Kinds {
        let own = match self.shared.origins.get(origin) {
            Origin::Literal(constant) => self.kinds_of(*constant),
            Origin::Builtin(builtin) => match builtin.get().sort {
                Sort::Value(kinds) => kinds,
                Sort::Library | Sort::Function { .. } => Kinds::ANY,
            },
            Origin::Length(_) => Kinds::INTEGER,
            Origin::Reply(at) => self.replies.get(at).map_or(Kinds::ANY, |reply| reply.kinds),
            Origin::Concat(_) => Kinds::STRING,
            Origin::Index(base, _) if matches!(self.shared.origins.get(*base), Origin::Input(_)) => {
                Kinds::STRING.or(Kinds::NIL)
            }
            Origin::Binary(op, a, b) => match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Mod
                    if self.is_integer(state, *a) && self.is_integer(state, *b) =>
                {
                    Kinds::INTEGER
                }
                op if op.is_arithmetic() => Kinds::NUMBER,
                _ => Kinds::BOOLEAN,
            },
            Origin::Apply(builtin, _, 0) => match builtin.get().sort {
                Sort::Function { result, .. } => result,
                Sort::Library | Sort::Value(_) => Kinds::ANY,
            },
            Origin::Phi(local, _) => {
                state.locals.get(*local).filter(|value| value.origin == origin).map_or(Kinds::ANY, |value| value.kinds)
            }
            _ => Kinds::ANY,
        };
        match state.narrowed.get(origin) {
            Some(narrow) if !own.and(narrow.kinds).is_never() => own.and(narrow.kinds),
            _ => own,
        }
    }

    /// What is known of an origin's bounds without the value at hand.
    fn range_known(&self, state: &State, origin: OriginId) -> Interval {
        let own = match self.shared.origins.get(origin) {
            Origin::Literal(Const::Number(number)) => Interval::of(number.get()),
            Origin::Length(of) => match *self.shared.origins.get(*of) {
                Origin::Reply(at) => self.replies.get(&at).map_or(Interval::NATURAL, |reply| reply.length),
                Origin::Made(at) => self.table(state, at).length,
                _ => Interval::NATURAL,
            },
            Origin::Reply(at) => self.replies.get(at).map_or(Interval::ALL, |reply| reply.range),
            Origin::Phi(local, _) => state
                .locals
                .get(*local)
                .filter(|value| value.origin == origin)
                .map_or(Interval::ALL, |value| value.range),
            _ => Interval::ALL,
        };
        let narrowed = state.narrowed.get(origin).map_or(Interval::ALL, |narrow| narrow.range);
        own.meet(narrowed).unwrap_or(own)
    }

    /// Every ARGV element that the value is computed from was looked at.
    pub(super) fn mark_tested(&mut self, state: &mut State, origin: OriginId) {
        let mut elements = smallvec::SmallVec::<[OriginId; 4]>::new();
        self.shared.origins.leaves(origin, &mut |leaf, _| {
            if self.shared.origins.element(leaf).is_some() {
                elements.push(leaf);
            }
        });
        for element in elements {
            let known = state.narrowed.get(element).copied().unwrap_or(Narrow::NOTHING);
            if !known.tested && self.can_be_narrowed(element) {
                state.narrowed.insert(element, Narrow { tested: true, ..known });
            }
        }
    }
}

/// The kinds that Lua's `type` calls by this name.
pub(super) fn type_kinds(name: &[u8]) -> Option<Kinds> {
    Some(match name {
        b"nil" => Kinds::NIL,
        b"boolean" => Kinds::BOOLEAN,
        b"number" => Kinds::NUMBER,
        b"string" => Kinds::STRING,
        b"table" => Kinds::TABLES,
        b"function" | b"thread" => Kinds::FUNCTION,
        b"userdata" => Kinds::NULL,
        _ => return None,
    })
}
