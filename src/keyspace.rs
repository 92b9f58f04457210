//! What is known of each key while the script runs: the type that it has, and whether it exists.
//!
//! A key is named by the origin of the argument. Two origins may be the same key unless both are different literals, so a write to one
//! weakens what is known of the others.

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

    pub const fn or(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    pub const fn and(self, other: Types) -> Types {
        Types(self.0 & other.0)
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
