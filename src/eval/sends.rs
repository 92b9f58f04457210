//! `redis.call`, `redis.pcall`: which command is sent, what it proves, what it answers.

use std::rc::Rc;

use smallvec::SmallVec;

use super::{
    Eval, Shared,
    state::{Field, Protocol, State},
};
use crate::{
    commands::{self, ArgType, Argument, Certainty, Command, Keys, Reply},
    events::{Arg, Event, KeyUse, Protection},
    ir::{Const, Op, TextId, ValueId},
    keyspace::{self, Key, Types},
    origin::{Input, Origin, OriginId},
    value::{Interval, Kinds, Value},
};

/// What the state says of a call that is about to be sent.
struct Sent {
    command: Option<&'static Command>,
    args: Vec<Arg>,
    keys: Vec<KeyUse>,
    /// What each key may hold when the call has returned.
    after: SmallVec<[Types; 4]>,
    partial: bool,
    repeats: bool,
    fits: bool,
    reply: Reply,
}

/// One argument as far as the text tells it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Literal {
    Is(Const),
    Unknown,
    Spread,
}

/// A call as far as its texts tell it, the command's name first.
pub(super) type Literals = SmallVec<[Literal; 8]>;

/// What the table of commands says of a call with certain literals.
pub(super) struct Call {
    command: Option<&'static Command>,
    keys: Keys,
    /// Has it no option by which it may leave a key as it is?
    plain: bool,
    takes: SmallVec<[Option<ArgType>; 8]>,
    repeats: bool,
    fits: bool,
    reply: Reply,
}

fn ask(shared: &Shared, literals: &[Literal]) -> Call {
    let texts = &*shared.texts;
    let mut arguments: SmallVec<[Argument; 8]> = literals
        .iter()
        .map(|literal| match literal {
            Literal::Is(Const::Text(text)) => Argument::Literal(texts.get(*text)),
            Literal::Is(Const::Number(number)) => Argument::Number(number.get()),
            Literal::Is(Const::Nil | Const::False | Const::True) | Literal::Unknown => Argument::Unknown,
            Literal::Spread => Argument::Spread,
        })
        .collect();
    let name = if arguments.is_empty() { Argument::Unknown } else { arguments.remove(0) };
    let declared = |name: &[u8]| {
        let is_it = |command: &&&Command| command.name.as_bytes().eq_ignore_ascii_case(name);
        shared.commands.iter().find(is_it).copied()
    };
    let command = match (name, arguments.first()) {
        (Argument::Literal(name), _) if declared(name).is_some() => declared(name),
        (Argument::Literal(name), Some(Argument::Literal(sub))) => commands::command(name, Some(sub)),
        (Argument::Literal(name), _) => commands::command(name, None),
        (Argument::Number(_) | Argument::Unknown | Argument::Spread, _) => None,
    };
    let Some(command) = command else {
        let (keys, takes) = (Keys::default(), SmallVec::new());
        return Call { command: None, keys, plain: false, takes, repeats: false, fits: false, reply: Reply::UNKNOWN };
    };
    let slots = command.slots(&arguments);
    let keys = command.keys(&arguments);
    let plain = keyspace::CONDITIONS.iter().all(|word| slots.has(word, &arguments) == Certainty::No);
    let takes = (0..arguments.len()).map(|n| command.kind(&slots, &arguments, n)).collect();
    let (repeats, reply) = (command.repeats(&arguments, &slots), command.reply_in(&arguments, &slots));
    Call { command: Some(command), keys, plain, takes, repeats, fits: slots.known, reply }
}

impl Eval<'_> {
    /// `redis.call(...)` or `redis.pcall(...)` at `at`.
    pub(super) fn send(
        &mut self,
        state: &mut State,
        at: ValueId,
        function: &str,
        args: &[ValueId],
        tail: bool,
    ) -> Value {
        let protection = if function == "redis.call" { Protection::None } else { Protection::Reply };
        self.send_as(state, at, protection, args, tail);
        let reply = &self.replies[&at];
        let errors = if protection == Protection::Reply { Kinds::ERROR } else { Kinds::NEVER };
        let (kinds, range) = (reply.kinds.or(errors), reply.range);
        Value { kinds, origin: self.shared.origins.intern(Origin::Reply(at)), range }
    }

    /// `pcall(redis.call, ...)`: is it that?
    pub(super) fn sends_protected(&mut self, state: &mut State, at: ValueId, args: &[ValueId], tail: bool) -> bool {
        let [function, args @ ..] = args else {
            return false;
        };
        let Origin::Builtin(builtin) = *self.shared.origins.get(self.values[function.index()].origin) else {
            return false;
        };
        if !matches!(builtin.name(), "redis.call" | "redis.pcall") {
            return false;
        }
        self.send_as(state, at, Protection::Caught, args, tail);
        true
    }

    /// The second result of `pcall` at `call`: the reply of `pcall(redis.call, ...)`, what `pcall(cjson.decode, ...)` read, or the
    /// error's text.
    pub(super) fn caught(&mut self, call: ValueId, args: &[Value], unknown: Value) -> Value {
        if let Some(reply) = self.replies.get(&call) {
            let origin = self.shared.origins.intern(Origin::Reply(call));
            return Value { kinds: reply.kinds.or(Kinds::TEXT), origin, range: reply.range };
        }
        // What was decoded, or the error's text.
        if let [function, text] = args
            && let Origin::Builtin(builtin) = *self.shared.origins.get(function.origin)
            && builtin.name() == "cjson.decode"
        {
            return self.applied(builtin, &[*text], Kinds::ANY);
        }
        unknown
    }

    fn send_as(&mut self, state: &mut State, at: ValueId, protection: Protection, args: &[ValueId], tail: bool) {
        let all = self.sent_args(state, args, tail);
        let name =
            all.first().filter(|arg| arg.spread.is_none()).and_then(|arg| self.text(arg.value)).map(<[u8]>::to_vec);
        let sent = self.look_up(state, &all);
        if protection == Protection::None {
            self.proves(state, &sent);
        }
        self.changes_keys(state, &sent, protection);
        self.replies.insert(at, sent.reply.clone());
        if let Some(recorded) = &mut self.recorded {
            recorded.events.push(Event {
                at,
                command: sent.command,
                name: name.map(|name| String::from_utf8_lossy(&name).into_owned()),
                args: sent.args,
                keys: sent.keys,
                keys_partial: sent.partial,
                protection,
                repeats: sent.repeats,
                fits: sent.fits,
                reply: sent.reply,
            });
        }
    }

    /// All arguments, what is unpacked from a known table one by one.
    fn sent_args(&mut self, state: &State, args: &[ValueId], tail: bool) -> Vec<Arg> {
        let mut all = Vec::with_capacity(args.len());
        for (n, &arg) in args.iter().enumerate() {
            let value = self.values[arg.index()];
            if !(tail && n + 1 == args.len()) {
                all.push(self.sent_arg(state, Field { value, at: arg }));
                continue;
            }
            let spread = self.spread(state, arg);
            match spread.known {
                Some(fields) => {
                    for field in fields {
                        all.push(self.sent_arg(state, field));
                    }
                }
                None => {
                    if let Some(recorded) = &mut self.recorded {
                        recorded.lengths.insert(arg, spread.length);
                    }
                    let one = self.sent_arg(state, Field { value: spread.element, at: arg });
                    all.push(Arg { spread: Some(spread.length), ..one });
                }
            }
        }
        all
    }

    fn sent_arg(&mut self, state: &State, field: Field) -> Arg {
        let value = self.refined(state, field.value);
        let tested = self.recorded.is_some() && self.is_tested(state, value.origin);
        Arg { value, at: field.at, spread: None, tested, takes: None }
    }

    /// The element of KEYS that the value was proven equal to, if it is none itself.
    fn as_element(&self, state: &State, origin: OriginId) -> OriginId {
        match state.narrowed.get(origin) {
            Some(narrow)
                if narrow.same != OriginId::UNKNOWN
                    && self.shared.origins.element(origin).is_none_or(|(input, _)| input == Input::Argv) =>
            {
                narrow.same
            }
            _ => origin,
        }
    }

    fn look_up(&mut self, state: &State, all: &[Arg]) -> Sent {
        let mut args: Vec<Arg> = all.iter().skip(1).copied().collect();
        let call = self.known_call(all);
        let Some(command) = call.command else {
            let (keys, after) = (Vec::new(), SmallVec::new());
            let (repeats, fits) = (false, false);
            return Sent { command: None, args, keys, after, partial: true, repeats, fits, reply: Reply::UNKNOWN };
        };
        let mut keys = Vec::with_capacity(call.keys.list.len());
        let mut after = SmallVec::new();
        for key in &call.keys.list {
            let origin = &mut args[key.index].value.origin;
            *origin = self.as_element(state, *origin);
            let types = state.keys.get(*origin).unwrap_or(&Key::UNKNOWN).types;
            let needs = keyspace::needs(command, key.access);
            keys.push(KeyUse { arg: key.index, writes: key.access.writes(), types, needs });
            after.push(keyspace::after(command, key.access, call.plain, types));
        }
        for (arg, takes) in args.iter_mut().zip(&call.takes) {
            arg.takes = *takes;
        }
        let (partial, repeats, fits) = (call.keys.partial, call.repeats, call.fits);
        let reply = match state.protocol {
            Protocol::Resp2 => call.reply.clone(),
            Protocol::Resp3 => call.reply.resp3(command),
            Protocol::Either => Reply::UNKNOWN,
        };
        Sent { command: Some(command), args, keys, after, partial, repeats, fits, reply }
    }

    /// What the table of commands says of the call, asked once for the same literals.
    fn known_call(&mut self, all: &[Arg]) -> Rc<Call> {
        let origins = &*self.shared.origins;
        let literals: Literals = all
            .iter()
            .map(|arg| match arg.spread {
                Some(_) => Literal::Spread,
                None => origins.constant(arg.value.origin).map_or(Literal::Unknown, Literal::Is),
            })
            .collect();
        if let Some(call) = self.calls.get(&literals) {
            return call.clone();
        }
        let call = Rc::new(ask(&self.shared, &literals));
        self.calls.insert(literals, call.clone());
        call
    }

    /// A call that returns proves that its arguments were accepted.
    fn proves(&mut self, state: &mut State, sent: &Sent) {
        for arg in &sent.args {
            if arg.spread.is_none() {
                self.narrow(state, arg.value.origin, Kinds::STRING.or(Kinds::NUMBER), Interval::ALL);
            }
        }
        for (n, arg) in sent.args.iter().enumerate() {
            if arg.takes.is_some_and(ArgType::is_number) {
                self.uses_as(state, arg.value, Kinds::NUMERIC);
            } else if sent.command.is_some_and(|command| command.takes_score_bound(n)) {
                self.mark_tested(state, arg.value.origin);
            }
        }
    }

    /// What the call does to what is known of keys.
    fn changes_keys(&mut self, state: &mut State, sent: &Sent, protection: Protection) {
        let Some(command) = sent.command else {
            // It may be any command.
            state.keys.clear();
            return;
        };
        if command.is_write() && (sent.partial || sent.args.iter().any(|arg| arg.spread.is_some())) {
            state.keys.clear();
        }
        for (key, &after) in sent.keys.iter().zip(&sent.after) {
            let origin = sent.args[key.arg].value.origin;
            if key.writes {
                // Another key may be the same one.
                let written = Types::ANY;
                let (origins, texts) = (&*self.shared.origins, &*self.shared.texts);
                state.keys.update(|&other, known| {
                    let distinct = other == origin || keyspace::differ(origins, texts, other, origin);
                    let weaker = Key { types: if distinct { known.types } else { known.types.or(written) } };
                    (weaker != Key::UNKNOWN).then_some(weaker)
                });
            }
            if !self.shared.origins.is_single(origin) {
                continue;
            }
            // A protected call may have failed and changed nothing.
            let types = if protection == Protection::None { after } else { after.or(key.types) };
            if types == Types::ANY {
                state.keys.remove(origin);
            } else {
                state.keys.insert(origin, Key { types });
            }
        }
    }

    /// `TYPE key` gave this status.
    pub(super) fn assume_type(&mut self, state: &mut State, reply: ValueId, name: TextId) {
        let Some(types) = Types::named(self.shared.texts.get(name)) else {
            return;
        };
        let Op::Call { args, .. } = self.function.op(reply) else {
            return;
        };
        let [command, key] = args[..] else { return };
        let is_type = self.text(self.values[command.index()]).is_some_and(|name| name.eq_ignore_ascii_case(b"TYPE"));
        let origin = self.values[key.index()].origin;
        if is_type && origin != OriginId::UNKNOWN {
            state.keys.insert(origin, Key { types });
        }
    }

    /// `reply[key]`, or a field deeper in.
    pub(super) fn reply_field(&mut self, state: &State, base: Value, key: Value, origin: OriginId) -> Value {
        let unknown = Value::new(Kinds::ANY, origin);
        let present = self.shared.origins.present(base.origin);
        let Origin::Reply(at) = *self.shared.origins.get(present) else {
            return unknown;
        };
        let Some(reply) = self.replies.get(&at) else {
            return unknown;
        };
        match self.shared.origins.constant(key.origin) {
            Some(Const::Text(name)) => {
                let field = match self.shared.texts.get(name) {
                    b"err" => Kinds::ERROR,
                    b"ok" => Kinds::STATUS,
                    _ => return unknown,
                };
                let absent = if base.kinds.within(field) { Kinds::NEVER } else { Kinds::NIL };
                let present = if base.kinds.may_be(field) { Kinds::TEXT } else { Kinds::NEVER };
                Value::new(present.or(absent), origin)
            }
            Some(Const::Number(number)) => {
                let n = number.get();
                let element = reply.element;
                let length = self.length_of(state, base);
                let sure = 1.0 <= n && n <= f64::from(length.low);
                Value::new(if sure { element } else { element.or(Kinds::NIL) }, origin)
            }
            Some(Const::Nil | Const::False | Const::True) => unknown,
            None => Value::new(reply.element.or(Kinds::NIL), origin),
        }
    }
}
