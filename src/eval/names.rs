//! Globals: what the caller fills, what the server's Lua offers, and all others.

use super::Eval;
use crate::{
    builtins::{self, BuiltinId, Sort},
    ir::TextId,
    origin::{Input, Origin},
    value::{Kinds, Value},
};

impl Eval<'_> {
    pub(super) fn global(&mut self, name: TextId) -> Value {
        let input = match self.shared.texts.get(name) {
            b"KEYS" if !self.shared.is_library => Some(Input::Keys),
            b"ARGV" if !self.shared.is_library => Some(Input::Argv),
            _ => None,
        };
        if let Some(input) = input {
            return Value::new(Kinds::TABLE, self.origins().intern(Origin::Input(input)));
        }
        let known = std::str::from_utf8(self.shared.texts.get(name)).ok().and_then(builtins::builtin);
        match known {
            Some(builtin) => self.builtin(builtin),
            None => Value::new(Kinds::ANY, self.origins().intern(Origin::Global(name))),
        }
    }

    pub(super) fn builtin(&mut self, builtin: BuiltinId) -> Value {
        let kinds = match builtin.get().sort {
            Sort::Library => Kinds::TABLE,
            Sort::Value(kinds) => kinds,
            Sort::Function { .. } => Kinds::FUNCTION,
        };
        Value::new(kinds, self.origins().intern(Origin::Builtin(builtin)))
    }
}
