//! What the server's Lua offers: libraries, functions and values, with the kinds of their first result and their effect.
//!
//! Observed on the servers (FACTS.md §3); `tests/builtins.rs` asks them again.

mod table;

use crate::{
    commands::Servers,
    target::{Target, Version},
    value::Kinds,
};
pub use table::BUILTINS;

/// A row of [`BUILTINS`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BuiltinId(u16);

impl BuiltinId {
    pub fn get(self) -> &'static Builtin {
        &BUILTINS[self.0 as usize]
    }

    pub fn name(self) -> &'static str {
        self.get().name
    }

    /// What each argument must be, or the call raises; an argument that is not given is nil.
    pub fn takes(self) -> impl Iterator<Item = Kinds> {
        let builtin = self.get();
        builtin.takes.iter().copied().chain(std::iter::repeat(builtin.rest))
    }

    /// Does the server surely lack it when code of this stage runs? What depends on the patch level, not on the version, is lacking only
    /// where every observed server lacks it.
    pub fn is_lacking(self, target: Target, stage: Stage) -> bool {
        let builtin = self.get();
        !builtin.stages.contains(&stage) || builtin.servers.has(target) == Some(false)
    }

    /// Is it lacking, and not only because the library that asks for it is still loading?
    pub fn is_missing(self, target: Target, stage: Stage) -> bool {
        self.is_lacking(target, stage) && self.is_lacking(target, stage.when_loaded())
    }

    /// May it give none or several values?
    pub fn gives_many(self) -> bool {
        self.get().many
    }
}

#[derive(Debug)]
pub struct Builtin {
    /// As a script writes it: `redis.call`; `server.*` is the same builtin as `redis.*`.
    pub name: &'static str,
    pub sort: Sort,
    /// What its first arguments must be, or the call raises.
    pub takes: &'static [Kinds],
    /// What all further arguments must be.
    pub rest: Kinds,
    /// Does it give none or several values?
    pub many: bool,
    /// Where it is for all that is known.
    pub servers: Servers,
    pub stages: &'static [Stage],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    Library,
    Value(Kinds),
    Function { result: Kinds, effect: Effect },
}

/// When code runs: what is there differs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    /// A script of EVAL.
    Eval,
    /// The main chunk of a library, at FUNCTION LOAD.
    Load,
    /// A function of a library, at FCALL.
    Function,
}

impl Stage {
    /// When what the code defines runs.
    fn when_loaded(self) -> Stage {
        match self {
            Stage::Load => Stage::Function,
            Stage::Eval | Stage::Function => self,
        }
    }
}

/// What a call does beside giving a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    None,
    /// Changes the table that is its first argument.
    Fills,
    /// Calls functions that it is given, which may change whatever they can reach.
    Calls,
    /// Sends a command.
    Sends,
}

/// The builtin of that full name; `server` stands for `redis`.
pub fn builtin(name: &str) -> Option<BuiltinId> {
    let name = if name == "server" { "redis" } else { name };
    let at = BUILTINS.binary_search_by(|known| known.name.cmp(name)).ok()?;
    Some(BuiltinId(at as u16))
}

/// The field of that name of a library.
pub fn field(library: BuiltinId, name: &str) -> Option<BuiltinId> {
    let prefix = match library.name() {
        "_G" => return builtin(name),
        prefix => prefix,
    };
    let order = |known: &Builtin| known.name.bytes().cmp(prefix.bytes().chain([b'.']).chain(name.bytes()));
    let at = BUILTINS.binary_search_by(order).ok()?;
    Some(BuiltinId(at as u16))
}

/// Does the server surely lack the global or field when code of this stage runs? A name that no server has is none of the table's.
pub fn is_lacking(name: &str, target: Target, stage: Stage) -> bool {
    if name == "server" {
        return SERVER.has(target) == Some(false);
    }
    builtin(name).is_some_and(|builtin| builtin.is_lacking(target, stage))
}

/// Is it lacking, and not only because the library that asks for it is still loading?
pub fn is_missing(name: &str, target: Target, stage: Stage) -> bool {
    is_lacking(name, target, stage) && is_lacking(name, target, stage.when_loaded())
}

/// Where `server` is another name of `redis`.
const SERVER: Servers = Servers { redis: None, valkey: Some((Version(8, 0, 0), None)) };
