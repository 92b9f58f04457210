//! Calls of Lua's and Redis's functions, and of those that nobody can see into.

use smallvec::SmallVec;

use super::{
    Eval,
    state::{Field, Protocol, State},
};
use crate::{
    builtins::{BuiltinId, Effect, Sort},
    ir::{Const, Number, Op, ValueId},
    origin::{Origin, OriginId, Site},
    value::{Interval, Kinds, Value},
};

impl Eval<'_> {
    /// The builtin that the call at `at` calls.
    pub(super) fn callee(&self, at: ValueId) -> Option<BuiltinId> {
        let Op::Call { callee, .. } = self.function.op(at) else {
            return None;
        };
        match *self.shared.origins.get(self.values[callee.index()].origin) {
            Origin::Builtin(builtin) => Some(builtin),
            _ => None,
        }
    }

    /// The values of a call's arguments, a known tail spread out.
    fn arguments(&mut self, state: &State, args: &[ValueId], tail: bool) -> SmallVec<[Value; 6]> {
        let mut values: SmallVec<[Value; 6]> = args.iter().map(|arg| self.values[arg.index()]).collect();
        if let (true, Some(&last)) = (tail, args.last())
            && let Some(known) = self.spread(state, last).known
        {
            values.pop();
            values.extend(known.into_iter().map(|field| field.value));
        }
        values
    }

    /// What the call gives, and whether control ever gets past it.
    pub(super) fn call(&mut self, state: &mut State, at: ValueId) -> (Value, bool) {
        let Op::Call { callee, args, tail } = self.function.op(at) else {
            return (Value::UNKNOWN, true);
        };
        let target = self.values[callee.index()];
        let origin = self.shared.origins.present(target.origin);
        match self.shared.origins.get(origin).clone() {
            Origin::Builtin(builtin) => self.call_builtin(state, at, builtin, args, *tail),
            Origin::Apply(iterator, _, 0) if target.kinds.within(Kinds::FUNCTION) => {
                (self.step(state, at, iterator, origin), true)
            }
            Origin::Global(name) if self.shared.texts.get(name) == b"reveal" => {
                self.reveal(at, args);
                (self.opaque(at), true)
            }
            _ => {
                let args: SmallVec<[OriginId; 6]> = args.iter().map(|arg| self.values[arg.index()].origin).collect();
                self.unseen(state, &args);
                (self.opaque(at), true)
            }
        }
    }

    /// Code that isn't seen runs: it can change what it can reach.
    fn unseen(&mut self, state: &mut State, args: &[OriginId]) {
        for &arg in args {
            self.escape(state, arg);
        }
        let (inlined, shared) = (self.inlined, &self.shared);
        state.locals.update(|&local, value| {
            let original = inlined.original(shared.program, local);
            let assigned = original.is_some_and(|local| shared.assigned_elsewhere.contains(&local));
            (!assigned).then_some(*value)
        });
        let captured: SmallVec<[OriginId; 8]> = state
            .locals
            .iter()
            .filter(|(local, _)| inlined.local(shared.program, *local).captured)
            .map(|(_, value)| value.origin)
            .collect();
        for origin in captured {
            self.escape(state, origin);
        }
        self.forget_fields(state);
        state.keys.clear();
        if self.may_set_resp() {
            state.protocol = Protocol::Either;
        }
    }

    /// Does any part of the script choose the protocol of replies?
    pub(super) fn may_set_resp(&self) -> bool {
        self.shared.texts.find(b"setresp").is_some()
    }

    /// One step of a `for ... in` loop over what `called`, a call of `iterator`, gives: the first value, nil at the end.
    fn step(&mut self, state: &mut State, at: ValueId, iterator: BuiltinId, called: OriginId) -> Value {
        let opaque = self.opaque(at);
        let subject = match self.shared.origins.get(called) {
            Origin::Apply(_, parts, _) => parts.first().copied(),
            _ => None,
        };
        match (iterator.name(), subject) {
            ("ipairs", Some(subject)) => {
                let length = self.length_of(state, Value::new(Kinds::TABLE, subject));
                Value { kinds: Kinds::INTEGER.or(Kinds::NIL), range: Interval::new(1, length.high.max(1)), ..opaque }
            }
            // One of the pieces of its subject.
            ("string.gmatch", _) => {
                let origin = self.shared.origins.intern(Origin::Index(called, opaque.origin));
                Value { kinds: Kinds::STRING.or(Kinds::NIL), origin, ..opaque }
            }
            _ => opaque,
        }
    }

    /// Result number `n` of the call or `...` at `call`, read by the instruction `at`.
    pub(super) fn result(&mut self, state: &mut State, call: ValueId, n: u32, at: ValueId) -> Value {
        let unknown = self.opaque(at);
        let Op::Call { callee, args, tail } = self.function.op(call) else {
            return unknown;
        };
        let origin = self.shared.origins.present(self.values[callee.index()].origin);
        match self.shared.origins.get(origin).clone() {
            Origin::Apply(iterator, parts, 0) if n == 1 => {
                let Some(&subject) = parts.first() else {
                    return unknown;
                };
                if !matches!(iterator.name(), "ipairs" | "pairs") {
                    return unknown;
                }
                let index = self.values[call.index()];
                let index = Value { kinds: index.kinds.without(Kinds::NIL), ..index };
                let value = self.index(state, at, Value::new(Kinds::TABLE, subject), index);
                Value { kinds: value.kinds.without(Kinds::NIL), ..value }
            }
            Origin::Builtin(builtin) => {
                let values = self.arguments(state, args, *tail);
                match builtin.name() {
                    "unpack" => {
                        let Some(&table) = values.first() else {
                            return unknown;
                        };
                        let from = values.get(1).map_or(Some(1), |from| from.range.exact());
                        let key = match from {
                            Some(from) => self.constant(Const::Number(Number::new(f64::from(from) + f64::from(n)))),
                            None => Value { kinds: Kinds::INTEGER, ..self.opaque(at) },
                        };
                        self.index(state, at, table, key)
                    }
                    "select" => match self.number(values[0]) {
                        Some(first) => values.get(first as usize + n as usize).copied().unwrap_or(unknown),
                        None => unknown,
                    },
                    "pcall" if n == 1 => self.caught(call, &values, unknown),
                    "string.gsub" if n == 1 => Value { kinds: Kinds::INTEGER, range: Interval::NATURAL, ..unknown },
                    _ if builtin.gives_many() => unknown,
                    _ => self.constant(Const::Nil),
                }
            }
            _ => unknown,
        }
    }

    fn call_builtin(
        &mut self,
        state: &mut State,
        at: ValueId,
        builtin: BuiltinId,
        args: &[ValueId],
        tail: bool,
    ) -> (Value, bool) {
        let Sort::Function { result, effect } = builtin.get().sort else {
            return (self.opaque(at), true);
        };
        if effect == Effect::Sends {
            return (self.send(state, at, builtin.name(), args, tail), true);
        }
        let values = self.arguments(state, args, tail);
        match effect {
            Effect::None | Effect::Sends => {}
            Effect::Fills => self.fill_call(state, builtin, &values, at),
            Effect::Calls => {
                if builtin.name() == "pcall" && self.sends_protected(state, at, args, tail) {
                    return (Value::new(Kinds::BOOLEAN, self.shared.origins.intern(Origin::Opaque(at))), true);
                }
                let called =
                    builtin.name() != "string.gsub" || values.get(2).is_some_and(|by| by.kinds.may_be(Kinds::FUNCTION));
                if called {
                    let origins: SmallVec<[OriginId; 6]> = values.iter().map(|value| value.origin).collect();
                    self.unseen(state, &origins);
                }
            }
        }
        if builtin.name() == "redis.register_function" {
            self.register(state, at, args, tail);
        }
        if builtin.name() == "redis.setresp" {
            state.protocol = match values.first().and_then(|&version| self.number(version)) {
                Some(2.0) => Protocol::Resp2,
                Some(3.0) => Protocol::Resp3,
                _ => Protocol::Either,
            };
        }
        if builtin.name() == "error" {
            return (Value::new(Kinds::NEVER, OriginId::UNKNOWN), false);
        }
        self.requires(state, builtin, &values);
        if builtin.name() == "cjson.encode" {
            self.hands_out(state, Site::Value(at), &values);
        }
        let value = self.apply(state, at, builtin, &values, result);
        (self.refined(state, value), true)
    }

    fn fill_call(&mut self, state: &mut State, builtin: BuiltinId, values: &[Value], at: ValueId) {
        match (builtin.name(), values) {
            ("rawset", [table, key, value]) => {
                let field = Field { value: *value, at };
                self.set_index(state, *table, *key, field);
            }
            // What a table lacks, its metatable may give.
            ("setmetatable", [table, ..]) => {
                for made in self.made(table.origin) {
                    let mut contents = (*self.table(state, made)).clone();
                    contents.rest = Some(Field { value: Value::UNKNOWN, at });
                    contents.rest_keys = Kinds::ANY;
                    self.new_table(state, made, contents);
                }
            }
            (name, _) => self.fill(state, name, values, at),
        }
    }

    /// What the arguments must be for the call to return.
    fn requires(&mut self, state: &mut State, builtin: BuiltinId, values: &[Value]) {
        if builtin.name() == "assert"
            && let Some(&condition) = values.first()
        {
            self.assume_value(state, condition, true);
        }
        for (&value, kinds) in values.iter().zip(builtin.takes()).filter(|(_, kinds)| *kinds != Kinds::ANY) {
            self.uses_as(state, value, kinds);
        }
    }

    /// What a function without a body here gives.
    fn apply(&mut self, state: &mut State, at: ValueId, builtin: BuiltinId, values: &[Value], result: Kinds) -> Value {
        let value = match (builtin.name(), values) {
            ("tonumber", [value]) => return self.tonumber(builtin, *value),
            ("tostring", [value]) => {
                if value.kinds.within(Kinds::STRING.or(Kinds::NIL)) && value.kinds.may_be(Kinds::STRING) {
                    return Value { kinds: Kinds::STRING.and(value.kinds), ..*value };
                }
                if let Some(text) = self.as_text(*value) {
                    return self.literal_text(&text);
                }
                let numeric = value.kinds.within(Kinds::NUMBER.or(Kinds::NUMERAL));
                self.applied(builtin, values, if numeric { Kinds::NUMERAL } else { Kinds::STRING })
            }
            ("type", [_]) => self.applied(builtin, values, Kinds::TEXT),
            ("assert" | "setmetatable" | "rawset", [value, ..]) => {
                return self.refined(state, *value);
            }
            ("rawget", [table, key]) => return self.index(state, at, *table, *key),
            ("unpack", [table, rest @ ..]) => {
                let key = match rest.first() {
                    Some(from) => *from,
                    None => self.constant(Const::Number(Number::new(1.0))),
                };
                return self.index(state, at, *table, key);
            }
            ("select", [first, rest @ ..]) => {
                return match (self.number(*first), self.text(*first)) {
                    (Some(n), _) if 1.0 <= n => rest.get(n as usize - 1).copied().unwrap_or_else(|| self.opaque(at)),
                    (_, Some(b"#")) => Value { kinds: Kinds::INTEGER, range: Interval::NATURAL, ..self.opaque(at) },
                    _ => self.opaque(at),
                };
            }
            ("string.len" | "table.getn", [value]) => return self.length(state, *value),
            ("string.format", [format, rest @ ..]) => {
                return self.format(builtin, *format, rest, values);
            }
            ("table.concat", [table, rest @ ..]) => {
                return self.join_table(state, at, builtin, *table, rest);
            }
            ("table.remove", [table, ..]) => {
                let any = Value { kinds: Kinds::INTEGER, ..self.opaque(at) };
                let removed = self.index(state, at, *table, any);
                return Value { kinds: removed.kinds.or(Kinds::NIL), ..removed };
            }
            ("math.floor" | "math.ceil", [value]) => {
                if let Some(number) = self.number(*value) {
                    let rounded = if builtin.name() == "math.floor" { number.floor() } else { number.ceil() };
                    return self.constant(Const::Number(Number::new(rounded)));
                }
                if value.kinds.within(Kinds::INTEGER) {
                    return *value;
                }
                self.applied(builtin, values, Kinds::INTEGER).ranged(value.range)
            }
            ("math.min" | "math.max", [_, ..]) => self.extreme(builtin, values),
            ("math.abs", [value]) => {
                let kinds = if value.kinds.within(Kinds::INTEGER) { Kinds::INTEGER } else { Kinds::NUMBER };
                self.applied(builtin, values, kinds).ranged(Interval::NATURAL)
            }
            ("math.random", [_, ..]) => Value { kinds: Kinds::INTEGER, ..self.opaque(at) },
            ("math.random" | "os.clock" | "collectgarbage" | "getmetatable", _) => {
                Value { kinds: result, ..self.opaque(at) }
            }
            ("cjson.decode", [_]) => {
                self.applied(builtin, values, Kinds::ANY.without(Kinds::NIL).without(Kinds::FUNCTION))
            }
            _ => self.applied(builtin, values, result),
        };
        match value.origin {
            OriginId::UNKNOWN => Value { origin: self.opaque(at).origin, ..value },
            _ => value,
        }
    }

    pub(super) fn applied(&mut self, builtin: BuiltinId, values: &[Value], kinds: Kinds) -> Value {
        let parts = values.iter().map(|value| value.origin).collect();
        Value::new(kinds, self.shared.origins.intern(Origin::Apply(builtin, parts, 0)))
    }

    fn reveal(&mut self, at: ValueId, args: &[ValueId]) {
        let span = self.function.span(at);
        let value = match args.first() {
            Some(arg) => self.values[arg.index()],
            None => self.constant(Const::Nil),
        };
        if let Some(recorded) = &mut self.recorded {
            recorded.reveals.push((span, value));
        }
    }
}
