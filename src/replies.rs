//! What commands answer, until the table of replies is there.

use crate::{
    commands::{Argument, Command},
    keyspace::Types,
    value::{Interval, Kinds},
};

/// What is known of a reply.
#[derive(Clone, Debug)]
pub struct Reply {
    pub kinds: Kinds,
    /// Bounds of an integer.
    pub range: Interval,
    /// Bounds of an array's length.
    pub length: Interval,
    /// Is it all that a collection holds?
    pub whole: bool,
    elements: Kinds,
}

impl Reply {
    pub const UNKNOWN: Reply = Reply {
        kinds: Kinds::ANY,
        range: Interval::ALL,
        length: Interval::NATURAL,
        whole: false,
        elements: Kinds::ANY,
    };

    /// What element number `n` (NaN: any) can be.
    pub fn element(&self, _n: f64) -> Kinds {
        self.elements
    }
}

/// What the command answers to the call.
pub fn reply(command: &Command, args: &[Argument]) -> Reply {
    let unknown = Reply::UNKNOWN;
    let of = |kinds| Reply { kinds, ..Reply::UNKNOWN };
    match command.name {
        "GET" | "HGET" | "LPOP" | "RPOP" | "RPOPLPUSH" if args.len() < 3 => of(Kinds::STRING.or(Kinds::FALSE)),
        "INCR" | "INCRBY" | "LPUSH" | "RPUSH" | "DECR" | "LLEN" | "ZCARD" | "SCARD" | "EXISTS" | "DEL" | "SADD" => {
            of(Kinds::INTEGER)
        }
        "SMEMBERS" | "HGETALL" | "HKEYS" | "KEYS" => {
            Reply { kinds: Kinds::TABLE, whole: true, elements: Kinds::STRING, ..unknown }
        }
        "ZRANGEBYSCORE" | "ZRANGE" | "LRANGE" => {
            Reply { kinds: Kinds::TABLE, whole: args.len() < 4, elements: Kinds::STRING, ..unknown }
        }
        _ => unknown,
    }
}

/// What the key may hold after the call.
pub fn types_after(_command: &Command, _arg: usize, before: Types) -> Types {
    before
}
