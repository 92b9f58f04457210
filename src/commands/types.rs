//! The types of keys: what a command needs and what it leaves.

use super::{ArgType, Argument, Certainty, Command, Flag, Group, Slots};

/// The type of a key, as `TYPE` names it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RedisType {
    String,
    List,
    Hash,
    Set,
    SortedSet,
    Stream,
    VectorSet,
    Array,
}

impl RedisType {
    pub const ALL: [RedisType; 8] = [
        RedisType::String,
        RedisType::List,
        RedisType::Hash,
        RedisType::Set,
        RedisType::SortedSet,
        RedisType::Stream,
        RedisType::VectorSet,
        RedisType::Array,
    ];

    /// As `TYPE` answers it.
    pub fn name(self) -> &'static str {
        match self {
            RedisType::String => "string",
            RedisType::List => "list",
            RedisType::Hash => "hash",
            RedisType::Set => "set",
            RedisType::SortedSet => "zset",
            RedisType::Stream => "stream",
            RedisType::VectorSet => "vectorset",
            RedisType::Array => "array",
        }
    }

    fn of_group(group: Group) -> Option<RedisType> {
        match group {
            Group::String | Group::Bitmap | Group::Hyperloglog => Some(RedisType::String),
            Group::List => Some(RedisType::List),
            Group::Hash => Some(RedisType::Hash),
            Group::Set => Some(RedisType::Set),
            Group::SortedSet | Group::Geo => Some(RedisType::SortedSet),
            Group::Stream => Some(RedisType::Stream),
            Group::VectorSet => Some(RedisType::VectorSet),
            Group::Array => Some(RedisType::Array),
            Group::Cluster
            | Group::Connection
            | Group::Generic
            | Group::Pubsub
            | Group::Scripting
            | Group::Server
            | Group::Transactions => None,
        }
    }
}

impl Command {
    /// Does it raise no WRONGTYPE where a key that it reads (`Access::reads`) has this type?
    pub fn takes(&self, kind: RedisType) -> bool {
        match self.takes {
            Some([]) => true,
            Some(types) => types.contains(&kind),
            None => RedisType::of_group(self.group).is_none_or(|needed| needed == kind),
        }
    }

    /// The one type that a key which it reads must have, if it exists, or the call raises. Which keys those are depends on the options:
    /// see `KeyAt::needs`.
    pub fn key_type(&self) -> Option<RedisType> {
        match self.takes {
            Some([needed]) => Some(*needed),
            Some(_) => None,
            None => RedisType::of_group(self.group),
        }
    }

    /// What a key that it writes and doesn't delete holds afterwards, if it exists. `None`: what it held before, or not known.
    pub fn makes(&self) -> Option<RedisType> {
        if !self.ever(Flag::Write) {
            return None;
        }
        self.makes.or_else(|| RedisType::of_group(self.group))
    }

    /// The type of the argument, where that is sure: by the grammar, and by which options the call has not.
    pub fn kind(&self, slots: &Slots, args: &[Argument], index: usize) -> Option<ArgType> {
        let first = match self.name {
            "ZRANGE" => 1,
            "ZRANGESTORE" => 2,
            _ => return slots.kind(index),
        };
        let by_rank = ["BYSCORE", "BYLEX"].iter().all(|option| slots.has(option, args) == Certainty::No);
        if by_rank && (first..first + 2).contains(&index) { Some(ArgType::Integer) } else { slots.kind(index) }
    }

    /// Is the argument a bound of scores? The grammar calls it text, as it may be `(5` or `-inf`; the command raises on anything else.
    pub fn takes_score_bound(&self, index: usize) -> bool {
        let by_score = matches!(self.name, "ZCOUNT" | "ZRANGEBYSCORE" | "ZREMRANGEBYSCORE" | "ZREVRANGEBYSCORE");
        by_score && matches!(index, 1 | 2)
    }
}
