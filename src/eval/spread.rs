//! Multiple values: what `unpack(t)`, `...` or a call gives where all its results go on.

use super::{
    Eval,
    state::{Field, State},
};
use crate::{
    ir::{Const, Number, Op, ValueId},
    origin::{Origin, OriginId},
    value::{Interval, Kinds, Value},
};

/// What a multiple value gives.
pub(super) struct Spread {
    /// Each value, where all are known.
    pub known: Option<Vec<Field>>,
    /// What any of them can be.
    pub element: Value,
    /// How many there are.
    pub length: Interval,
}

impl Eval<'_> {
    /// All values of a multiple instruction (`unpack(t)`, `...`, a call): see [`Spread`].
    pub(super) fn spread(&mut self, state: &State, tail: ValueId) -> Spread {
        let unknown = Spread { known: None, element: Value::UNKNOWN, length: Interval::NATURAL };
        let Op::Call { args, .. } = self.function.op(tail) else { return unknown };
        let Some(callee) = self.callee(tail) else { return unknown };
        if callee.name() != "unpack" {
            if callee.gives_many() {
                return unknown;
            }
            let field = Field { value: self.values[tail.index()], at: tail };
            return Spread { known: Some(vec![field]), element: field.value, length: Interval::new(1, 1) };
        }
        if args.is_empty() {
            return unknown;
        }
        let arguments: Vec<Value> = args.iter().map(|arg| self.values[arg.index()]).collect();
        self.unpacked(state, &arguments, args[0])
    }

    /// The values of `unpack(table, from, to)`.
    fn unpacked(&mut self, state: &State, args: &[Value], at: ValueId) -> Spread {
        let table = args[0];
        let from = args.get(1).map_or(Interval::new(1, 1), |from| from.range);
        let length = self.length_of(state, table);
        let to = args.get(2).map_or(length, |to| to.range);
        // `i` and `i + 99` are 100 values, whatever `i` is.
        let between = match (args.get(1), args.get(2)) {
            (Some(from), Some(to)) => self.shared.origins.distance(from.origin, to.origin),
            _ => None,
        };
        let low = if from.has_upper() { to.low.saturating_sub(from.high).saturating_add(1).max(0) } else { 0 };
        let high = if to.has_upper() && from.has_lower() {
            to.high.saturating_sub(from.low).saturating_add(1).max(0)
        } else {
            i32::MAX
        };
        let high = between.map_or(high, |between| high.min(between.saturating_add(1).max(0)));
        let count = Interval::new(if to.has_lower() { low } else { 0 }, high);
        let mut spread = Spread { known: None, element: Value::UNKNOWN, length: count };
        let made = self.made(table.origin);
        if let [made] = made[..]
            && self.shared.origins.alternatives(table.origin).len() == 1
        {
            let contents = self.table(state, made);
            if let (Some(first), Some(last), true) =
                (from.exact(), to.exact(), contents.rest.is_none() && !contents.open)
            {
                let fields: Option<Vec<Field>> =
                    (first..=last).map(|n| contents.field(Const::Number(Number::new(f64::from(n)))).copied()).collect();
                spread.known = fields;
            }
        }
        let any = Value { kinds: Kinds::INTEGER, ..self.opaque(at) };
        let element = self.lookup(state, at, table, any);
        let element = self.refined(state, element);
        spread.element = Value { kinds: element.kinds.without(Kinds::NIL), ..element };
        if let Origin::OneOf(parts, _) = self.shared.origins.get(element.origin).clone() {
            let nil = self.shared.origins.literal(Const::Nil);
            let mut rest = parts.into_iter().filter(|&part| part != nil);
            let first = rest.next().unwrap_or(OriginId::UNKNOWN);
            spread.element.origin = rest
                .fold(first, |a, b| self.shared.origins.one_of(a, b, OriginId::UNKNOWN).unwrap_or(OriginId::UNKNOWN));
        }
        spread
    }
}
