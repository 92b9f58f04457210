//! Redis calls of a script, with their arguments and keys told by value.

use crate::{
    commands::{ArgType, Command, Reply},
    ir::ValueId,
    keyspace::Types,
    value::{Interval, Value},
};

/// How an error of the command reaches the script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protection {
    /// `redis.call`: it ends the script, or the `pcall(function() ... end)` around.
    None,
    /// `redis.pcall`: the reply is an error table.
    Reply,
    /// `pcall(redis.call, ...)`: false and the error's text.
    Caught,
}

/// A call of `redis.call` or `redis.pcall`.
#[derive(Debug)]
pub struct Event {
    /// The call.
    pub at: ValueId,
    /// `None`: the name isn't known, or no server has it.
    pub command: Option<&'static Command>,
    /// The name as the script sends it, where it is a literal.
    pub name: Option<String>,
    /// After the command's name.
    pub args: Vec<Arg>,
    pub keys: Vec<KeyUse>,
    /// Are there arguments that may be keys, but of which nobody knows?
    pub keys_partial: bool,
    pub protection: Protection,
    /// Does a caller who tries again make the change twice?
    pub repeats: bool,
    /// Do the arguments fit a way through the command's grammar on some server?
    pub fits: bool,
    pub reply: Reply,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Arg {
    /// What it is; of a spread what any of its values can be.
    pub value: Value,
    /// The instruction that made it (in a table: the stored value); of a spread the multiple instruction.
    pub at: ValueId,
    /// `Some`: any number of arguments within the interval, from `unpack` or the like.
    pub spread: Option<Interval>,
    /// Was every element of ARGV in it looked at before, on every path?
    pub tested: bool,
    /// What the command takes at this place, where that is sure.
    pub takes: Option<ArgType>,
}

/// A key argument of a call.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KeyUse {
    /// Which of [`Event::args`].
    pub arg: usize,
    pub writes: bool,
    /// What the key may hold just before the call.
    pub types: Types,
    /// What it has to hold, if it is there: anything else is an error.
    pub needs: Types,
}

impl Event {
    pub fn is_write(&self) -> bool {
        self.command.is_some_and(|command| command.is_write())
    }

    /// The command for a message: `HGET`, or as the script names it.
    pub fn shown_name(&self) -> &str {
        match (self.command, &self.name) {
            (Some(command), _) => command.name,
            (None, Some(name)) => name,
            (None, None) => "the command",
        }
    }

    /// The arguments that are keys.
    pub fn key_args(&self) -> impl Iterator<Item = (&KeyUse, &Arg)> {
        self.keys.iter().map(|key| (key, &self.args[key.arg]))
    }

    /// Can an error of it end the script or the protected call around?
    pub fn raises(&self) -> bool {
        self.protection == Protection::None
    }
}
