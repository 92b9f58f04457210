//! What is known of each key while the script runs: the type that it has, and whether it exists.
//!
//! A key is named by the origin of the argument. Two origins may be the same key unless both are different literals, so a write to one
//! weakens what is known of the others.

use smallvec::SmallVec;

use crate::{
    commands::{Access, Command, RedisType},
    ir::{Const, Texts},
    origin::{Input, Origin, OriginId, Origins},
};

/// The types of value that a key can hold, and its absence, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Types(u8);

impl Types {
    pub const ABSENT: Types = Types(1);
    pub const STRING: Types = Types(1 << 1);
    pub const LIST: Types = Types(1 << 2);
    pub const HASH: Types = Types(1 << 3);
    pub const SET: Types = Types(1 << 4);
    pub const ZSET: Types = Types(1 << 5);
    pub const STREAM: Types = Types(1 << 6);
    /// A type of a module or of a newer server.
    pub const OTHER: Types = Types(1 << 7);
    pub const ANY: Types = Types(u8::MAX);
    pub const NONE: Types = Types(0);

    pub const fn or(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    pub const fn and(self, other: Types) -> Types {
        Types(self.0 & other.0)
    }

    pub const fn without(self, other: Types) -> Types {
        Types(self.0 & !other.0)
    }

    pub const fn within(self, other: Types) -> bool {
        self.0 & !other.0 == 0
    }

    pub const fn may_be(self, other: Types) -> bool {
        self.0 & other.0 != 0
    }
}

/// What is known of one key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Key {
    pub types: Types,
}

impl Key {
    pub const UNKNOWN: Key = Key { types: Types::ANY };
}

impl Types {
    pub fn of(kind: RedisType) -> Types {
        match kind {
            RedisType::String => Types::STRING,
            RedisType::List => Types::LIST,
            RedisType::Hash => Types::HASH,
            RedisType::Set => Types::SET,
            RedisType::SortedSet => Types::ZSET,
            RedisType::Stream => Types::STREAM,
            RedisType::VectorSet | RedisType::Array => Types::OTHER,
        }
    }

    /// By the name that TYPE answers.
    pub fn named(name: &[u8]) -> Option<Types> {
        Some(match name {
            b"none" => Types::ABSENT,
            b"string" => Types::STRING,
            b"list" => Types::LIST,
            b"hash" => Types::HASH,
            b"set" => Types::SET,
            b"zset" => Types::ZSET,
            b"stream" => Types::STREAM,
            _ => return None,
        })
    }
}

/// Are these surely two keys? Different literals are, and so are texts that end or start in different literals around the same
/// parts. Elements of `KEYS` with different numbers are taken for different keys: a caller that passes one key twice asks for it.
pub fn differ(origins: &Origins, texts: &Texts, a: OriginId, b: OriginId) -> bool {
    if a == b || a == OriginId::UNKNOWN || b == OriginId::UNKNOWN {
        return false;
    }
    if let (Some((Input::Keys, Some(a))), Some((Input::Keys, Some(b)))) = (origins.element(a), origins.element(b)) {
        return a != b;
    }
    if let (Some(Const::Text(a)), Some(Const::Text(b))) = (origins.constant(a), origins.constant(b)) {
        return a != b;
    }
    let parts = |id: OriginId| {
        let Origin::Concat(parts) = origins.get(id) else {
            return SmallVec::from_slice(&[id]);
        };
        parts.clone()
    };
    let (a, b) = (parts(a), parts(b));
    let literal = |id: OriginId| match origins.constant(id) {
        Some(Const::Text(text)) => Some(texts.get(text)),
        Some(Const::Nil | Const::False | Const::True | Const::Number(_)) | None => None,
    };
    let mut same = a.iter().zip(&b).take_while(|(a, b)| a == b && origins.is_portable(**a)).count();
    let starts = match (a.get(same), b.get(same)) {
        (Some(&a), Some(&b)) => literal(a).zip(literal(b)).is_some_and(|(a, b)| !a.starts_with(b) && !b.starts_with(a)),
        // One has more text after what both start with.
        (Some(_), None) | (None, Some(_)) => {
            let more = if a.len() < b.len() { &b[same..] } else { &a[same..] };
            more.iter().any(|&part| literal(part).is_some_and(|text| !text.is_empty()))
        }
        (None, None) => false,
    };
    if starts {
        return true;
    }
    same = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b && origins.is_portable(**a)).count();
    match (a.iter().rev().nth(same), b.iter().rev().nth(same)) {
        (Some(&a), Some(&b)) => literal(a).zip(literal(b)).is_some_and(|(a, b)| !a.ends_with(b) && !b.ends_with(a)),
        (Some(_), None) | (None, Some(_)) | (None, None) => false,
    }
}

/// What a key has to hold, if it is there, for the command to accept it.
pub fn needs(command: &Command, access: Access) -> Types {
    if !access.reads() {
        return Types::ANY;
    }
    let taken = RedisType::ALL.into_iter().filter(|&kind| command.takes(kind));
    let taken: Vec<RedisType> = taken.collect();
    match taken.len() < RedisType::ALL.len() {
        true => taken.into_iter().map(Types::of).fold(Types::NONE, Types::or),
        false => Types::ANY,
    }
}

/// Options by which a command may leave a key as it is.
pub const CONDITIONS: [&str; 8] = ["GET", "IFDEQ", "IFDNE", "IFEQ", "IFNE", "NOMKSTREAM", "NX", "XX"];

/// Commands after which the key is there, if they return without an error and have no condition.
const CREATES: [&str; 24] = [
    "APPEND",
    "DECR",
    "DECRBY",
    "GETSET",
    "HINCRBY",
    "HINCRBYFLOAT",
    "HMSET",
    "HSET",
    "HSETNX",
    "INCR",
    "INCRBY",
    "INCRBYFLOAT",
    "LPUSH",
    "MSET",
    "PFADD",
    "PSETEX",
    "RPUSH",
    "SADD",
    "SET",
    "SETBIT",
    "SETEX",
    "XADD",
    "ZADD",
    "ZINCRBY",
];

/// What the key may hold when the call has returned. `plain`: the call has none of [`CONDITIONS`].
pub fn after(command: &Command, access: Access, plain: bool, before: Types) -> Types {
    let needs = needs(command, access);
    let kept = match before.and(needs) {
        // The call could only fail; what is written of it holds for calls that return.
        Types::NONE => needs.or(Types::ABSENT),
        kept => kept.or(before.and(Types::ABSENT)),
    };
    match command.name {
        _ if !access.writes() => return kept,
        "DEL" | "UNLINK" | "GETDEL" => return Types::ABSENT,
        "DELEX" | "DELIFEQ" | "EXPIRE" | "EXPIREAT" | "MOVE" | "PERSIST" | "PEXPIRE" | "PEXPIREAT" => {
            return kept.or(Types::ABSENT);
        }
        "SETNX" => return before.without(Types::ABSENT).or(Types::STRING),
        _ => {}
    }
    let Some(made) = command.makes().map(Types::of) else {
        return Types::ANY;
    };
    let absent = if plain && CREATES.contains(&command.name) { Types::NONE } else { Types::ABSENT };
    match access.has(Access::OW) && plain && command.name != "MSETNX" {
        true => made.or(absent),
        false => kept.without(Types::ABSENT).or(made).or(absent),
    }
}
