//! `[commands."JSON.SET"]`: commands of modules.

use toml::de::DeTable;

use super::file::{Reader, Value};
use crate::{
    commands::{Declared, Flag, KeyRange},
    value::Kinds,
};

const FLAGS: [(&str, Flag); 9] = [
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
    pub(super) fn commands(&mut self, value: &Value) -> Vec<Declared> {
        let mut commands = Vec::new();
        for (name, value) in self.table(value).into_iter().flatten() {
            let Some(table) = self.table(value) else { continue };
            if !table.contains_key("flags") {
                self.problem(
                    name,
                    "`flags` is missing",
                    Some("say `flags = [\"write\"]` or `flags = [\"readonly\"]`".into()),
                );
            }
            commands.push(self.command(name.get_ref(), table));
        }
        commands
    }

    fn command(&mut self, name: &str, table: &DeTable) -> Declared {
        let mut declared =
            Declared { name: name.to_owned(), arity: -1, keys: None, flags: Vec::new(), reply: Kinds::ANY };
        for (key, value) in table {
            match self.known(key, &["arity", "keys", "flags", "reply"]) {
                Some("arity") => declared.arity = self.number(value).unwrap_or(-1),
                Some("keys") => declared.keys = self.keys(value),
                Some("flags") => {
                    let values: Vec<_> = self.array(value).collect();
                    declared.flags = values.into_iter().filter_map(|flag| self.one_of(flag, "flag", &FLAGS)).collect();
                }
                Some(_) => declared.reply = self.kinds(value),
                None => {}
            }
        }
        declared
    }

    fn number<T: TryFrom<i64>>(&mut self, value: &Value) -> Option<T> {
        let text = value.get_ref().as_integer().map(|number| number.as_str().to_owned());
        let number = text.and_then(|text| text.parse::<i64>().ok()).and_then(|number| T::try_from(number).ok());
        if number.is_none() {
            self.problem(value, "a small whole number is expected here", None);
        }
        number
    }

    /// `{ first = 1, last = 1, step = 1 }`
    fn keys(&mut self, value: &Value) -> Option<KeyRange> {
        let mut keys = KeyRange { first: 1, last: 1, step: 1 };
        for (key, value) in self.table(value)? {
            match self.known(key, &["first", "last", "step"]) {
                Some("first") => keys.first = self.number(value)?,
                Some("last") => keys.last = self.number(value)?,
                Some(_) => keys.step = self.number(value)?,
                None => {}
            }
        }
        if keys.first < 1 || keys.step < 1 || (0 <= keys.last && keys.last < keys.first) {
            self.problem(
                value,
                "no arguments are keys by that",
                Some("count the command's name as 0, like COMMAND".into()),
            );
            return None;
        }
        Some(keys)
    }

    /// `"status|false"`
    fn kinds(&mut self, value: &Value) -> Kinds {
        let Some(text) = self.string(value) else { return Kinds::ANY };
        let mut kinds = Kinds::NEVER;
        for name in text.split('|').map(str::trim) {
            match Kinds::named(if name == "array" { "table" } else { name }) {
                Some(named) if name != "never" => kinds = kinds.or(named),
                _ => {
                    let help = "use status, integer, string, array, false, true, nil or any, joined by `|`";
                    self.problem(value, format!("no reply is called `{name}`"), Some(help.into()));
                    return Kinds::ANY;
                }
            }
        }
        kinds
    }
}
