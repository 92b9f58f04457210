//! Tables built by the script: fields, appends, lengths.

use std::rc::Rc;

use super::{
    Eval,
    state::{Field, Narrow, State, Table},
};
use crate::{
    builtins,
    ir::{BinaryOp, Const, Number, Op, ValueId},
    limits,
    origin::{Input, Origin, OriginId, Site},
    value::{Interval, Kinds, Value},
};

impl Eval<'_> {
    pub(super) fn new_table(&mut self, state: &mut State, at: ValueId, table: Table) {
        if state.tables.is_full() && state.tables.get(at).is_none() {
            state.lost = true;
        }
        state.tables.insert(at, Rc::new(table));
    }

    /// The contents of a table of this analysis.
    pub(super) fn table(&self, state: &State, at: ValueId) -> Rc<Table> {
        state.tables.get(at).cloned().unwrap_or_else(|| Rc::new(Table::OPEN))
    }

    /// `base[key]`, read by the instruction `at`.
    pub(super) fn index(&mut self, state: &mut State, at: ValueId, base: Value, key: Value) -> Value {
        let value = self.lookup(state, at, base, key);
        // Past this instruction the base can be indexed.
        self.narrow(state, base.origin, Kinds::STRING.or(Kinds::TABLES).or(Kinds::FUNCTION), Interval::ALL);
        self.refined(state, value)
    }

    /// What `base[key]` would give, read or not: unlike `index` it proves nothing of the base.
    pub(super) fn lookup(&mut self, state: &State, at: ValueId, base: Value, key: Value) -> Value {
        if let Some(library) = self.string_method(base, key) {
            return library;
        }
        match *self.shared.origins.get(base.origin) {
            Origin::Builtin(library) => return self.library_field(library, key, base),
            Origin::Input(input) if state.changed(input) => return self.opaque(at),
            Origin::Input(_) => {
                let beyond = key.range.high < 1 && key.kinds.within(Kinds::INTEGER);
                let kinds = if beyond { Kinds::NIL } else { Kinds::STRING.or(Kinds::NIL) };
                let exists = self.element_exists(state, base.origin, key);
                let kinds = if exists { Kinds::STRING } else { kinds };
                return Value::new(kinds, self.shared.origins.intern(Origin::Index(base.origin, key.origin)));
            }
            _ => {}
        }
        let made = self.made(base.origin);
        if !made.is_empty() && made.len() == self.shared.origins.alternatives(base.origin).len() {
            let place = self.shared.origins.intern(Origin::Index(base.origin, key.origin));
            let mut joined: Option<Value> = None;
            for table in made {
                let value = self.table_field(state, table, key, base.origin, at);
                joined = Some(match joined {
                    Some(known) => self.either(&known, &value, place),
                    None => value,
                });
            }
            return joined.unwrap_or(Value::UNKNOWN);
        }
        if base.origin == OriginId::UNKNOWN {
            return self.opaque(at);
        }
        let origin = self.shared.origins.intern(Origin::Index(base.origin, key.origin));
        let origin = if origin == OriginId::UNKNOWN || key.origin == OriginId::UNKNOWN {
            self.shared.origins.intern(Origin::Opaque(at))
        } else {
            origin
        };
        match self.shared.origins.get(base.origin) {
            Origin::Reply(_) | Origin::Index(..) => self.reply_field(state, base, key, origin),
            _ => Value::new(Kinds::ANY, origin),
        }
    }

    /// Is `base[key]` proven to be there: is the key known to be at most the length?
    fn element_exists(&mut self, state: &State, base: OriginId, key: Value) -> bool {
        let length = self.shared.origins.intern(Origin::Length(base));
        let Some(narrow) = state.narrowed.get(length) else {
            return false;
        };
        key.kinds.within(Kinds::INTEGER) && 1 <= key.range.low && key.range.high <= narrow.range.low
    }

    /// `s:upper()`: a method of the library of strings.
    fn string_method(&mut self, base: Value, key: Value) -> Option<Value> {
        let sure = Kinds::STRING.or(Kinds::FALSY);
        if !base.kinds.within(sure) || !base.kinds.may_be(Kinds::STRING) {
            return None;
        }
        let name = self.text(key)?;
        let library = builtins::builtin("string")?;
        let method = builtins::field(library, std::str::from_utf8(name).ok()?)?;
        Some(self.builtin(method))
    }

    fn library_field(&mut self, library: builtins::BuiltinId, key: Value, base: Value) -> Value {
        if let Some(Const::Text(name)) = self.shared.origins.constant(key.origin) {
            let texts = &*self.shared.texts;
            let found = *self.fields.entry((library, name)).or_insert_with(|| {
                std::str::from_utf8(texts.get(name)).ok().and_then(|name| builtins::field(library, name))
            });
            if let Some(field) = found {
                return self.builtin(field);
            }
        }
        Value::new(Kinds::ANY, self.shared.origins.intern(Origin::Index(base.origin, key.origin)))
    }

    fn table_field(&mut self, state: &State, made: ValueId, key: Value, base: OriginId, at: ValueId) -> Value {
        let table = self.table(state, made);
        let here = match self.shared.origins.intern(Origin::Index(base, key.origin)) {
            OriginId::UNKNOWN => self.shared.origins.intern(Origin::Opaque(at)),
            origin => origin,
        };
        if table.open {
            return Value::new(Kinds::ANY, here);
        }
        if let Some(constant) = self.shared.origins.constant(key.origin) {
            return match self.either_field(&table, constant, here) {
                Some(value) => value,
                None => self.constant(Const::Nil),
            };
        }
        let mut joined: Option<Value> = None;
        for field in table.all_fields() {
            joined = Some(match joined {
                Some(known) => self.either(&known, &field.value, here),
                None => field.value,
            });
        }
        match joined {
            Some(value) => self.or_nil(value, here),
            None => self.constant(Const::Nil),
        }
    }

    fn either_field(&mut self, table: &Table, key: Const, place: OriginId) -> Option<Value> {
        match (table.field(key), table.rest) {
            (Some(field), _) => Some(field.value),
            (None, Some(rest)) => Some(self.or_nil(rest.value, place)),
            (None, None) => None,
        }
    }

    /// `table[key] = value`
    pub(super) fn set_index(&mut self, state: &mut State, table: Value, key: Value, field: Field) {
        match *self.shared.origins.get(table.origin) {
            Origin::Input(Input::Keys) => state.keys_changed = true,
            Origin::Input(Input::Argv) => state.argv_changed = true,
            _ => {}
        }
        let made = self.made(table.origin);
        if made.is_empty() {
            // Which table it is nobody knows; what was read from any but the caller's may be another value now.
            self.forget_fields(state);
            self.escape(state, field.value.origin);
            return;
        }
        let strong = made.len() == 1 && made.len() == self.shared.origins.alternatives(table.origin).len();
        for at in made {
            // Taken out, so that it is only copied if another state knows it too.
            let Some(slot) = state.tables.get_mut(at) else {
                self.escape(state, field.value.origin);
                continue;
            };
            let mut table = std::mem::replace(slot, self.open.clone());
            if table.open {
                self.escape(state, field.value.origin);
                continue;
            }
            self.store(state, at, Rc::make_mut(&mut table), key, field, strong);
            self.forget_contents(state, at);
            state.tables.insert(at, table);
        }
    }

    fn store(&mut self, state: &State, at: ValueId, table: &mut Table, key: Value, field: Field, strong: bool) {
        let constant = self.shared.origins.constant(key.origin);
        let appended = self.appends(at, key);
        if let Some(constant) = constant
            && (table.fields.len() < limits::TABLE_FIELDS || table.field(constant).is_some())
        {
            let place = self.place_of(at, constant);
            match table.fields.binary_search_by(|(known, _)| known.cmp(&constant)) {
                Ok(at) if strong => table.fields[at].1 = field,
                Ok(at) => table.fields[at].1.value = self.either(&table.fields[at].1.value, &field.value, place),
                Err(at) => {
                    let value = if strong { field.value } else { self.or_nil(field.value, place) };
                    table.fields.insert(at, (constant, Field { value, ..field }));
                }
            }
        } else {
            // An append, or another constant, is none of the fields that are known.
            if !appended && constant.is_none() {
                for (key, known) in &mut table.fields {
                    let place = self.place_of(at, *key);
                    known.value = self.either(&known.value, &field.value, place);
                }
            }
            self.join_rest(table, key.kinds.without(Kinds::NIL), field);
        }
        table.length = self.new_length(state, at, table, key, field.value, appended, strong);
    }

    /// Is the key `#t + 1`?
    fn appends(&self, table: ValueId, key: Value) -> bool {
        let origins = &*self.shared.origins;
        let Origin::Binary(BinaryOp::Add, a, b) = *origins.get(key.origin) else {
            return false;
        };
        let is_length = |id| {
            matches!(*origins.get(id), Origin::Length(of) if *origins.get(of) == Origin::Made(table)
            || matches!(origins.get(of), Origin::OneOf(parts, _) if parts.iter().any(|&part| *origins.get(part) == Origin::Made(table))))
        };
        let is_one = |id| origins.constant(id) == Some(Const::Number(Number::new(1.0)));
        (is_length(a) && is_one(b)) || (is_one(a) && is_length(b))
    }

    #[expect(clippy::too_many_arguments, reason = "all of it is one question")]
    fn new_length(
        &mut self,
        state: &State,
        at: ValueId,
        table: &Table,
        key: Value,
        value: Value,
        appended: bool,
        strong: bool,
    ) -> Interval {
        let old = self.table_length(state, at, table.length);
        if !key.kinds.may_be(Kinds::NUMBER) {
            return old;
        }
        let may_be_nil = value.kinds.may_be(Kinds::NIL);
        let grown = if appended {
            old.plus(Interval::new(1, 1))
        } else if value.kinds.within(Kinds::NIL) {
            Interval::new(0, old.high)
        } else {
            let low = if key.range.low == key.range.high && key.range.low == old.low.saturating_add(1) {
                key.range.low
            } else {
                old.low
            };
            Interval::new(low, old.high.max(key.range.high))
        };
        let low = if may_be_nil || !strong { old.low.min(grown.low) } else { grown.low };
        Interval::new(low, grown.high)
    }

    /// The bounds of a table's length, with what tests proved.
    pub(super) fn table_length(&mut self, state: &State, at: ValueId, length: Interval) -> Interval {
        let made = self.shared.origins.intern(Origin::Made(at));
        let origin = self.shared.origins.intern(Origin::Length(made));
        let narrowed = state.narrowed.get(origin).map_or(Interval::ALL, |narrow| narrow.range);
        length.meet(narrowed).unwrap_or(length)
    }

    /// All values of a multiple one go to the table from `first` on.
    pub(super) fn set_tail(&mut self, state: &mut State, table: ValueId, first: u32, tail: ValueId) {
        let Origin::Made(at) = *self.shared.origins.get(self.values[table.index()].origin) else {
            return;
        };
        let old = self.table(state, at);
        if old.open {
            return;
        }
        let mut new = (*old).clone();
        let all = self.spread(state, tail);
        if let Some(values) = all.known {
            for (n, field) in values.into_iter().enumerate() {
                let key = Const::Number(Number::new(f64::from(first) + n as f64));
                new.fields.push((key, field));
                new.length = new.length.plus(Interval::new(1, 1));
            }
            new.fields.sort_by_key(|field| field.0);
        } else {
            self.join_rest(&mut new, Kinds::INTEGER, Field { value: all.element, at: tail });
            new.length = new.length.plus(all.length);
        }
        state.tables.insert(at, Rc::new(new));
    }

    /// `table.insert`, `table.remove` and others that change their first argument.
    pub(super) fn fill(&mut self, state: &mut State, name: &str, args: &[Value], at: ValueId) {
        let Some(&table) = args.first() else { return };
        match *self.shared.origins.get(table.origin) {
            Origin::Input(Input::Keys) => state.keys_changed = true,
            Origin::Input(Input::Argv) => state.argv_changed = true,
            _ => {}
        }
        match name {
            "table.insert" => self.resize_reply(state, table, 1),
            "table.remove" => self.resize_reply(state, table, -1),
            _ => {}
        }
        // What is inserted is the last argument.
        let source = match self.function.op(at) {
            Op::Call { args: own, .. } if own.len() == args.len() => own[own.len() - 1],
            _ => at,
        };
        for made in self.made(table.origin) {
            let old = self.table(state, made);
            if old.open {
                continue;
            }
            let length = self.table_length(state, made, old.length);
            let mut new = (*old).clone();
            match (name, args) {
                ("table.insert", [_, value]) => {
                    let key = length.exact().map(|length| Const::Number(Number::new(f64::from(length) + 1.0)));
                    match key {
                        Some(key) if new.rest.is_none() && new.fields.len() < limits::TABLE_FIELDS => {
                            new.fields.push((key, Field { value: *value, at: source }));
                            new.fields.sort_by_key(|field| field.0);
                            new.fields.dedup_by_key(|field| field.0);
                        }
                        _ => self.join_rest(&mut new, Kinds::INTEGER, Field { value: *value, at: source }),
                    }
                    new.length = length.plus(Interval::new(1, 1));
                }
                ("table.insert", [_, _, value]) => {
                    self.mix(&mut new);
                    self.join_rest(&mut new, Kinds::INTEGER, Field { value: *value, at: source });
                    new.length = length.plus(Interval::new(1, 1));
                }
                ("table.remove", _) => {
                    self.mix(&mut new);
                    new.length = Interval::new((length.low - 1).max(0), length.high);
                }
                ("table.sort", _) => self.mix(&mut new),
                _ => new = Table::OPEN,
            }
            self.forget_contents(state, made);
            state.tables.insert(made, Rc::new(new));
        }
    }

    /// The script adds an element to the table that a reply is, or takes one.
    fn resize_reply(&mut self, state: &mut State, table: Value, by: i32) {
        let Origin::Reply(at) = *self.shared.origins.get(table.origin) else { return };
        let old = self.length_of(state, table);
        self.forget_contents(state, at);
        let by = Interval::new(by.min(0), by);
        let new = old.plus(by).meet(Interval::NATURAL).unwrap_or(Interval::NATURAL);
        let low = if 0 < by.high { old.low.saturating_add(1) } else { new.low };
        let length = self.shared.origins.intern(Origin::Length(table.origin));
        self.narrow(state, length, Kinds::INTEGER, Interval::new(low, new.high));
    }

    fn join_rest(&mut self, table: &mut Table, keys: Kinds, field: Field) {
        table.rest_keys = table.rest_keys.or(keys);
        table.rest = Some(match table.rest {
            Some(rest) => Field { value: self.either(&rest.value, &field.value, OriginId::UNKNOWN), at: rest.at },
            None => field,
        });
    }

    /// Any array element may stand anywhere.
    fn mix(&mut self, table: &mut Table) {
        let fields = std::mem::take(&mut table.fields);
        for (key, field) in fields {
            match key {
                Const::Number(_) => self.join_rest(table, Kinds::INTEGER, field),
                Const::Nil | Const::False | Const::True | Const::Text(_) => table.fields.push((key, field)),
            }
        }
    }

    /// The table changed: what tests proved of its length and of its fields is of the past.
    fn forget_contents(&mut self, state: &mut State, at: ValueId) {
        let origins = &*self.shared.origins;
        for &origin in origins.mentioning(Site::Value(at)) {
            let gone = match origins.get(origin) {
                Origin::Length(_) | Origin::Index(..) | Origin::Binary(..) => true,
                Origin::OneOf(_, place) => matches!(origins.get(*place), Origin::Index(..)),
                _ => false,
            };
            if gone {
                state.narrowed.remove(origin);
            }
        }
    }

    /// Somebody changed a table that isn't known: what tests proved of fields is of the past.
    pub(super) fn forget_fields(&mut self, state: &mut State) {
        let origins = &*self.shared.origins;
        let may_change = |origin: OriginId| match origins.get(origin) {
            Origin::Index(base, _) | Origin::Length(base) => !matches!(origins.get(*base), Origin::Input(_)),
            Origin::OneOf(_, place) => matches!(origins.get(*place), Origin::Index(..)),
            _ => false,
        };
        if state.narrowed.any(|&origin, _| may_change(origin)) {
            state.narrowed.update(|&origin, narrow: &Narrow| (!may_change(origin)).then_some(*narrow));
        }
    }

    /// Code that isn't seen gets hold of the value: tables that it reaches are unknown from here on.
    pub(super) fn escape(&mut self, state: &mut State, origin: OriginId) {
        let mut reached = self.made(origin);
        while let Some(at) = reached.pop() {
            let table = self.table(state, at);
            if table.open {
                continue;
            }
            for field in table.all_fields() {
                reached.extend(self.made(field.value.origin));
            }
            self.forget_contents(state, at);
            state.tables.insert(at, Rc::new(Table::OPEN));
        }
    }
}
