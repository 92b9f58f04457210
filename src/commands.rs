//! Redis and Valkey commands: what their servers say of them (`table.txt`, made by `tools/commands`) and what is written by hand beside it.
//!
//! A call's *arguments* are those after the command's name: `args[0]` is the key of GET and the subcommand of `OBJECT ENCODING`. Each is
//! known, unknown, or a *spread*: the values of an `unpack` or `...`, as many as there are. Everything here answers for what is certain:
//! an unknown argument can be any option, a spread can be empty.

mod grammar;
mod keys;
mod module;
mod reply;
mod resp3;
mod types;

use grammar::Grammar;
pub use grammar::{ArgType, Certainty, Edge, Slots};
pub use keys::{Access, KeyAt, Keys};
use keys::{Extent, KeySpec};
pub use module::{Declared, KeyRange, declare};
use reply::{Answer, Case, High, Length, Test};
pub use reply::{Reply, Shape};
pub use types::RedisType;

use crate::{
    target::{Product, Target, Version},
    value::Kinds,
};

/// A position in [`COMMANDS`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CommandId(pub u16);

impl CommandId {
    pub fn get(self) -> &'static Command {
        &COMMANDS[usize::from(self.0)]
    }
}

/// One argument of a call.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Argument<'a> {
    Literal(&'a [u8]),
    Number(f64),
    Unknown,
    /// Any number of values.
    Spread,
}

impl Argument<'_> {
    /// The whole number that it is or spells.
    fn integer(self) -> Option<i64> {
        match self {
            Argument::Literal(text) => std::str::from_utf8(text).ok()?.parse().ok(),
            // Beyond 2^53 a number is not exact, and no count.
            Argument::Number(number) => (number.trunc() == number && number.abs() < 9e15).then_some(number as i64),
            Argument::Unknown | Argument::Spread => None,
        }
    }

    pub(crate) fn is_word(self, word: &str) -> bool {
        matches!(self, Argument::Literal(text) if text.eq_ignore_ascii_case(word.as_bytes()))
    }
}

/// What a command works on, as the servers group them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Group {
    Array,
    Bitmap,
    Cluster,
    Connection,
    Generic,
    Geo,
    Hash,
    Hyperloglog,
    List,
    Pubsub,
    Scripting,
    Server,
    Set,
    SortedSet,
    Stream,
    String,
    Transactions,
    VectorSet,
}

/// The flags of `COMMAND` that matter to a script.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Flag {
    Write,
    Readonly,
    /// Refused when memory is short.
    Denyoom,
    /// Refused in scripts.
    Noscript,
    Blocking,
    /// Not a write, but refused in read-only scripts all the same.
    MayReplicate,
    Fast,
    Admin,
    Pubsub,
    /// Has subcommands and does nothing without one.
    Container,
}

/// The servers that have something: from a version on, up to before another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Servers {
    pub redis: Option<(Version, Option<Version>)>,
    pub valkey: Option<(Version, Option<Version>)>,
}

impl Servers {
    pub const ALL: Servers = Servers { redis: Some((Version(0, 0, 0), None)), valkey: Some((Version(0, 0, 0), None)) };
    pub const NONE: Servers = Servers { redis: None, valkey: None };

    /// The range of a product; KeyDB is a Redis 6. `Err`: the table knows nothing of the product.
    fn of(&self, product: Product) -> Result<Option<(Version, Option<Version>)>, ()> {
        match product {
            Product::Redis | Product::KeyDb => Ok(self.redis),
            Product::Valkey => Ok(self.valkey),
            Product::Dragonfly | Product::Kvrocks => Err(()),
        }
    }

    /// Has this server it? `None`: not known.
    pub fn has(&self, target: Target) -> Option<bool> {
        let version = match target.product {
            Product::KeyDb => Version(6, 2, u8::MAX),
            Product::Redis | Product::Valkey | Product::Dragonfly | Product::Kvrocks => target.version,
        };
        let range = self.of(target.product).ok()?;
        Some(range.is_some_and(|(from, until)| from <= version && until.is_none_or(|until| version < until)))
    }
}

/// A command, or a subcommand of a container.
#[derive(Debug)]
pub struct Command {
    pub id: CommandId,
    /// In upper case: `OBJECT ENCODING`.
    pub name: &'static str,
    pub group: Group,
    pub servers: Servers,
    /// Words of a call, the command's own included; negative: at least so many. In the newest server, see [`Command::arity_in`].
    pub arity: i16,
    arities: &'static [(i16, Servers)],
    flags: &'static [(Flag, Servers)],
    /// As documented: `O(1)`, `O(log(N)+M)`; `?` where no server says it.
    pub cost: &'static str,
    specs: &'static [KeySpec],
    /// `None`: not documented.
    grammar: Option<Grammar>,
    /// Where Valkey's differs.
    valkey_grammar: Option<Grammar>,
    pub deprecated: Servers,
    replies: &'static [Case],
    /// `None`: by the group; empty: any.
    takes: Option<&'static [RedisType]>,
    makes: Option<RedisType>,
    repeats: Option<&'static [&'static [Test]]>,
}

impl PartialEq for Command {
    fn eq(&self, other: &Command) -> bool {
        self.id == other.id
    }
}

impl Command {
    /// Can a script for this server call it? True also where the table doesn't know the server.
    pub fn available(&self, target: Target) -> bool {
        self.servers.has(target) != Some(false)
    }

    /// The first version of the product that has it.
    pub fn since(&self, product: Product) -> Option<Version> {
        self.servers.of(product).ok()?.map(|(from, _)| from)
    }

    pub fn arity_in(&self, target: Target) -> i16 {
        self.arities
            .iter()
            .find(|(_, servers)| servers.has(target) == Some(true))
            .map_or(self.arity, |&(arity, _)| arity)
    }

    /// Has it the flag on this server?
    pub fn has(&self, flag: Flag, target: Target) -> bool {
        self.flags.iter().any(|&(own, servers)| own == flag && servers.has(target) != Some(false))
    }

    /// Has it the flag on any server?
    pub fn ever(&self, flag: Flag) -> bool {
        self.flags.iter().any(|&(own, _)| own == flag)
    }

    /// May it change data? (What a `no-writes` script may not call is more: [`Flag::MayReplicate`].)
    pub fn is_write(&self) -> bool {
        self.ever(Flag::Write)
    }

    pub fn is_readonly(&self) -> bool {
        self.ever(Flag::Readonly)
    }

    pub fn may_replicate(&self) -> bool {
        self.ever(Flag::MayReplicate)
    }

    /// Is it refused in scripts of this server?
    pub fn noscript(&self, target: Target) -> bool {
        self.has(Flag::Noscript, target)
    }

    pub fn has_keys(&self) -> bool {
        !self.specs.is_empty()
    }

    pub fn is_container(&self) -> bool {
        self.ever(Flag::Container)
    }

    /// What each argument can be by the command's grammar.
    pub fn slots(&self, args: &[Argument]) -> Slots {
        if !self.has_grammar() {
            return Slots::unknown(args.len());
        }
        let command = self.id.get();
        command
            .parse(&command.grammar, args)
            .or_else(|| command.parse(&command.valkey_grammar, args))
            .unwrap_or_else(|| Slots::unknown(args.len()))
    }

    /// Does the grammar that [`Command::slots`] follows hold for the target, with all its options? Then what fits it is supported.
    pub fn is_uniform(&self, target: Target) -> bool {
        let edges = self.grammar.as_ref().map_or(&[][..], |grammar| grammar.edges);
        self.valkey_grammar.is_none() && edges.iter().all(|edge| edge.since <= target.version)
    }

    /// Does the target's grammar take the call, with options that it has in this version? `None`: not known.
    pub fn supports(&self, args: &[Argument], target: Target) -> Option<bool> {
        if !self.has_grammar() {
            return None;
        }
        let command = self.id.get();
        let grammar = match target.product {
            Product::Valkey if self.valkey_grammar.is_some() => &command.valkey_grammar,
            Product::Redis | Product::KeyDb | Product::Valkey => &command.grammar,
            Product::Dragonfly | Product::Kvrocks => return None,
        };
        grammar.as_ref()?;
        let Some(slots) = command.parse(grammar, args) else { return Some(false) };
        let known = |index: usize| slots.edges(index).iter().any(|edge| edge.since <= target.version);
        Some((0..args.len()).all(|index| args[index] == Argument::Spread || known(index)))
    }

    fn parse(&'static self, grammar: &'static Option<Grammar>, args: &[Argument]) -> Option<Slots> {
        let grammar = grammar.as_ref()?;
        // The grammar of a subcommand begins behind its name.
        match (self.name.contains(' '), args) {
            (false, _) => grammar.parse(args),
            (true, [Argument::Spread, ..] | []) => None,
            (true, [_, args @ ..]) => Some(grammar.parse(args)?.behind(&SUBCOMMAND)),
        }
    }

    /// Do the servers document its arguments?
    pub fn has_grammar(&self) -> bool {
        self.grammar.is_some() || self.valkey_grammar.is_some()
    }

    /// The type that the grammar gives to the argument, if it is certain.
    pub fn position(&self, args: &[Argument], index: usize) -> Option<ArgType> {
        self.kind(&self.slots(args), args, index)
    }
}

/// The word that chooses one of a container's commands.
static SUBCOMMAND: Edge = Edge { from: 0, to: 0, name: "subcommand", kind: ArgType::Token, since: Version(0, 0, 0) };

/// The command of that name; of a container the subcommand, if `sub`, the call's first argument, is known. Case doesn't matter.
pub fn command(name: &[u8], sub: Option<&[u8]>) -> Option<&'static Command> {
    // A server takes no blank in a name: `OBJECT ENCODING` is two arguments.
    if name.contains(&b' ') {
        return None;
    }
    let found = find(name.iter().copied())?;
    match sub {
        Some(sub) if found.is_container() => find(name.iter().chain(b" ").chain(sub).copied()),
        Some(_) | None => Some(found),
    }
}

fn find(name: impl Iterator<Item = u8> + Clone) -> Option<&'static Command> {
    let upper = name.map(|letter| letter.to_ascii_uppercase());
    COMMANDS.binary_search_by(|command| command.name.bytes().cmp(upper.clone())).ok().map(|at| &COMMANDS[at])
}

include!(concat!(env!("OUT_DIR"), "/commands.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case() {
        assert_eq!(command(b"hGetAll", None).unwrap().name, "HGETALL");
        assert_eq!(command(b"get", Some(b"k")).unwrap().name, "GET");
        assert_eq!(command(b"object", Some(b"encoding")).unwrap().name, "OBJECT ENCODING");
        assert_eq!(command(b"xgroup", None).unwrap().name, "XGROUP");
        assert!(command(b"object", Some(b"nosuch")).is_none());
        assert!(command(b"object encoding", None).is_none());
        assert!(command(b"", None).is_none());
    }

    #[test]
    fn versions_decide() {
        let on = |name: &[u8], target: &str| command(name, None).unwrap().available(target.parse().unwrap());
        assert!(!on(b"DELEX", "valkey") && on(b"DELEX", "redis"));
        assert!(!on(b"HEXPIRE", "redis@7.2") && on(b"HEXPIRE", "redis@7.4"));
        assert!(!on(b"HEXPIRE", "valkey@8.1") && on(b"HEXPIRE", "valkey@9.0"));
        assert!(on(b"STRALGO", "redis@6.2") && !on(b"STRALGO", "redis@7.0"));
        let noscript = |target: &str| command(b"BLPOP", None).unwrap().noscript(target.parse().unwrap());
        assert!(noscript("redis@7.0") && !noscript("redis@7.2") && !noscript("valkey"));
        let expire = command(b"EXPIRE", None).unwrap();
        assert_eq!(expire.arity_in("redis@6.2".parse().unwrap()), 3);
        assert_eq!(expire.arity_in("redis".parse().unwrap()), -3);
    }
}
