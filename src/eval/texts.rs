//! Functions that make numbers and texts of others: `tonumber`, `math.min`, `string.format`, `table.concat`.

use smallvec::SmallVec;

use super::{Eval, ops, state::State};
use crate::{
    builtins::BuiltinId,
    ir::{Const, Number, ValueId},
    origin::OriginId,
    value::{Interval, Kinds, Value},
};

impl Eval<'_> {
    pub(super) fn tonumber(&mut self, builtin: BuiltinId, value: Value) -> Value {
        if let Some(Const::Text(text)) = self.shared.origins.constant(value.origin) {
            let constant = match ops::numeral(self.shared.texts.get(text)) {
                Some(number) => Const::Number(Number::new(number)),
                None => Const::Nil,
            };
            return self.constant(constant);
        }
        if value.kinds.within(Kinds::NUMBER) {
            return value;
        }
        let mut kinds = Kinds::NEVER;
        if value.kinds.may_be(Kinds::NUMERIC) {
            kinds = kinds.or(Kinds::NUMBER);
        }
        if !value.kinds.within(Kinds::NUMERIC) {
            kinds = kinds.or(Kinds::NIL);
        }
        self.applied(builtin, &[value], kinds)
    }

    pub(super) fn extreme(&mut self, builtin: BuiltinId, values: &[Value]) -> Value {
        let least = builtin.name() == "math.min";
        let whole = values.iter().all(|value| value.kinds.within(Kinds::INTEGER));
        let kinds = if whole { Kinds::INTEGER } else { Kinds::NUMBER };
        let ranges = values.iter().map(|value| value.range);
        let range = ranges.reduce(|a, b| match least {
            true => Interval::new(a.low.min(b.low), a.high.min(b.high)),
            false => Interval::new(a.low.max(b.low), a.high.max(b.high)),
        });
        self.applied(builtin, values, kinds).ranged(range.unwrap_or(Interval::ALL))
    }

    /// `string.format` with a literal format is a concatenation.
    pub(super) fn format(&mut self, builtin: BuiltinId, format: Value, rest: &[Value], all: &[Value]) -> Value {
        let Some(format) = self.text(format).map(<[u8]>::to_vec) else {
            return self.applied(builtin, all, Kinds::STRING);
        };
        let mut parts = SmallVec::<[OriginId; 4]>::new();
        let mut literal = Vec::new();
        let mut values = rest.iter();
        let mut bytes = format.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            if byte != b'%' {
                literal.push(byte);
                continue;
            }
            if bytes.peek() == Some(&b'%') {
                bytes.next();
                literal.push(b'%');
                continue;
            }
            let mut plain = true;
            let verb = loop {
                match bytes.next() {
                    Some(b'0'..=b'9' | b'.' | b'-' | b'+' | b' ' | b'#') => plain = false,
                    verb => break verb,
                }
            };
            let value = values.next().copied().unwrap_or(Value::UNKNOWN);
            let text = if plain && matches!(verb, Some(b's' | b'd')) { self.as_text(value) } else { None };
            match text {
                Some(text) => literal.extend(text),
                None => {
                    self.flush(&mut literal, &mut parts);
                    parts.push(value.origin);
                }
            }
        }
        if parts.is_empty() {
            return self.literal_text(&literal);
        }
        self.flush(&mut literal, &mut parts);
        Value::new(Kinds::STRING, self.shared.origins.concat_all(parts))
    }

    fn flush(&mut self, literal: &mut Vec<u8>, parts: &mut SmallVec<[OriginId; 4]>) {
        if !literal.is_empty() {
            let text = self.literal_text(literal);
            parts.push(text.origin);
            literal.clear();
        }
    }

    /// `table.concat(t, separator)`: a concatenation where the elements are known.
    pub(super) fn join_table(
        &mut self,
        state: &mut State,
        at: ValueId,
        builtin: BuiltinId,
        table: Value,
        rest: &[Value],
    ) -> Value {
        let separator = rest.first().copied();
        if let [made] = self.made(table.origin)[..] {
            let contents = self.table(state, made);
            let length = contents.length.exact();
            if let (Some(length @ 1..), true, true) = (length, contents.rest.is_none(), rest.len() < 2) {
                let fields: Option<Vec<Value>> = (1..=length)
                    .map(|n| contents.field(Const::Number(Number::new(f64::from(n)))).map(|field| field.value))
                    .collect();
                if let Some(fields) = fields {
                    let mut all = Vec::new();
                    for (n, field) in fields.into_iter().enumerate() {
                        all.extend(separator.filter(|_| 0 < n));
                        all.push(field);
                    }
                    let joined = all.into_iter().reduce(|a, b| match (self.as_text(a), self.as_text(b)) {
                        (Some(mut a), Some(b)) => {
                            a.extend(b);
                            self.literal_text(&a)
                        }
                        _ => Value::new(Kinds::STRING, self.shared.origins.concat(a.origin, b.origin)),
                    });
                    return joined.unwrap_or(Value::UNKNOWN);
                }
            }
        }
        let any = Value { kinds: Kinds::INTEGER, ..self.opaque(at) };
        let element = self.lookup(state, at, table, any);
        let element = self.refined(state, element);
        let parts: Vec<Value> = [element].into_iter().chain(separator).collect();
        self.applied(builtin, &parts, Kinds::STRING)
    }
}
