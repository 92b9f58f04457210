//! `redis.register_function(...)`: what it is given.

use super::{
    Eval,
    state::{Field, State, Table},
};
use crate::{
    ir::{Const, ValueId},
    origin::Origin,
    registrations::{Form, Registration},
    value::{Kinds, Value},
};

impl Eval<'_> {
    pub(super) fn register(&mut self, state: &State, at: ValueId, args: &[ValueId], tail: bool) {
        if self.recorded.is_none() {
            return;
        }
        let form = self.form(state, args, tail);
        let flags = match &form {
            Form::Named(fields) => {
                let is_flags = |key: Const| matches!(key, Const::Text(text) if self.shared.texts.get(text) == b"flags");
                let flags = fields.iter().find(|(key, _)| is_flags(*key)).map(|(_, field)| field.value);
                let table = flags.and_then(|flags| self.closed(state, flags));
                table.map(|table| table.fields.into_iter().map(|(_, field)| field).collect())
            }
            Form::Positional(_) | Form::Unknown => None,
        };
        if let Some(recorded) = &mut self.recorded {
            recorded.registrations.push(Registration { at, form, flags });
        }
    }

    fn form(&mut self, state: &State, args: &[ValueId], tail: bool) -> Form {
        let single = args.first().map(|&arg| self.values[arg.index()]).filter(|_| args.len() == 1);
        if let Some(table) = single.and_then(|table| self.closed(state, table)) {
            // A field that is nil is none.
            return Form::Named(
                table.fields.into_iter().filter(|(_, field)| field.value.kinds != Kinds::NIL).collect(),
            );
        }
        let last = args.last().copied().filter(|_| tail);
        let mut fields: Vec<Field> =
            args.iter().map(|&arg| Field { value: self.values[arg.index()], at: arg }).collect();
        if let Some(last) = last {
            fields.pop();
            match self.spread(state, last).known {
                Some(more) => fields.extend(more),
                None => return Form::Unknown,
            }
        }
        Form::Positional(fields)
    }

    /// The table that the value is, if all that stands in it is known.
    fn closed(&self, state: &State, value: Value) -> Option<Table> {
        let Origin::Made(at) = *self.shared.origins.get(value.origin) else { return None };
        let table = self.table(state, at);
        (!table.open && table.rest.is_none()).then(|| (*table).clone())
    }
}
