//! `[commands."JSON.SET"]`: commands of modules.

use super::{
    file::Reader,
    tree::{Entry, Node, Value},
};
use crate::{
    commands::{Declared, Flag, KeyRange},
    value::Kinds,
};

pub(super) const FLAGS: [(&str, Flag); 9] = [
    ("admin", Flag::Admin),
    ("blocking", Flag::Blocking),
    ("denyoom", Flag::Denyoom),
    ("fast", Flag::Fast),
    ("may_replicate", Flag::MayReplicate),
    ("noscript", Flag::Noscript),
    ("pubsub", Flag::Pubsub),
    ("readonly", Flag::Readonly),
    ("write", Flag::Write),
];

impl Reader {
    /// The table of all commands.
    pub(super) fn commands(&mut self, value: &Node) -> Vec<Declared> {
        let mut commands = Vec::new();
        for Entry { key, value } in self.table(value) {
            let entries = self.table(value);
            if value.table().is_some() && !entries.iter().any(|entry| entry.key.name == "flags") {
                self.problem(
                    &key.span,
                    "`flags` is missing",
                    Some("say `flags = [\"write\"]` or `flags = [\"readonly\"]`".into()),
                );
            }
            commands.push(self.command(&key.name, entries));
        }
        commands
    }

    fn command(&mut self, name: &str, entries: &[Entry]) -> Declared {
        let mut declared =
            Declared { name: name.to_owned(), arity: -1, keys: None, flags: Vec::new(), reply: Kinds::ANY };
        for Entry { key, value } in entries {
            match self.known(key, &["arity", "keys", "flags", "reply"]) {
                Some("arity") => declared.arity = self.number(value).unwrap_or(-1),
                Some("keys") => declared.keys = self.keys(value),
                Some("flags") => {
                    let flags = self.array(value).iter();
                    declared.flags = flags.filter_map(|flag| self.one_of(flag, "flag", &FLAGS)).collect();
                }
                Some(_) => declared.reply = self.kinds(value),
                None => {}
            }
        }
        declared
    }

    fn number<T: TryFrom<i64>>(&mut self, value: &Node) -> Option<T> {
        let number = match value.value {
            Value::Integer(number) => T::try_from(number).ok(),
            Value::Text(_) | Value::Bool(_) | Value::Array(_) | Value::Table(_) | Value::Other => None,
        };
        if number.is_none() {
            self.problem(&value.span, "a small whole number is expected here", None);
        }
        number
    }

    /// `{ first = 1, last = 1, step = 1 }`
    fn keys(&mut self, value: &Node) -> Option<KeyRange> {
        let mut keys = KeyRange { first: 1, last: 1, step: 1 };
        for Entry { key, value } in self.table(value) {
            match self.known(key, &["first", "last", "step"]) {
                Some("first") => keys.first = self.number(value)?,
                Some("last") => keys.last = self.number(value)?,
                Some(_) => keys.step = self.number(value)?,
                None => {}
            }
        }
        if keys.first < 1 || keys.step < 1 || (0 <= keys.last && keys.last < keys.first) {
            self.problem(
                &value.span,
                "no arguments are keys by that",
                Some("count the command's name as 0, like COMMAND".into()),
            );
            return None;
        }
        Some(keys)
    }

    /// `"status|false"`
    fn kinds(&mut self, value: &Node) -> Kinds {
        let Some(text) = self.string(value) else { return Kinds::ANY };
        let mut kinds = Kinds::NEVER;
        for name in text.split('|').map(str::trim) {
            match Kinds::named(if name == "array" { "table" } else { name }) {
                Some(named) if name != "never" => kinds = kinds.or(named),
                _ => {
                    let help = "use status, integer, string, array, false, true, nil or any, joined by `|`";
                    self.problem(&value.span, format!("no reply is called `{name}`"), Some(help.into()));
                    return Kinds::ANY;
                }
            }
        }
        kinds
    }
}
