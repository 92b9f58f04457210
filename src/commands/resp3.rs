//! What commands answer after `redis.setresp(3)`: nothing is `nil`, and some replies have types of their own.

use super::{Command, Reply, Shape};
use crate::value::{Interval, Kinds};

/// Commands that answer maps and sets: tables with a field `map` or `set`.
const TABLES: [&str; 8] = ["HGETALL", "SDIFF", "SINTER", "SMEMBERS", "SUNION", "VINFO", "XREAD", "XREADGROUP"];

/// Commands that answer floats: tables with a field `double`.
const DOUBLES: [&str; 3] = ["ZADD", "ZINCRBY", "ZSCORE"];

/// Commands that answer otherwise still, by their options or by the version.
const OTHERS: [&str; 29] = [
    "ARINFO",
    "BZPOPMAX",
    "BZPOPMIN",
    "GEOPOS",
    "GEORADIUS",
    "GEORADIUSBYMEMBER",
    "GEORADIUSBYMEMBER_RO",
    "GEORADIUS_RO",
    "GEOSEARCH",
    "HRANDFIELD",
    "INCREX",
    "INFO",
    "LCS",
    "LOLWUT",
    "SPOP",
    "STRALGO",
    "VADD",
    "VEMB",
    "VISMEMBER",
    "VLINKS",
    "VREM",
    "VSETATTR",
    "VSIM",
    "ZMPOP",
    "ZMSCORE",
    "ZPOPMAX",
    "ZPOPMIN",
    "ZRANK",
    "ZREVRANK",
];

impl Reply {
    /// The same call's reply in RESP3.
    pub fn resp3(&self, command: &Command) -> Reply {
        let container = ["BACKUP ", "CLUSTER ", "COMMAND ", "CONFIG ", "HOTKEYS ", "MEMORY ", "XINFO "];
        if OTHERS.contains(&command.name)
            || (self.shape == Shape::Pairs && !TABLES.contains(&command.name))
            || container.iter().any(|name| command.name.starts_with(name))
        {
            return Reply::UNKNOWN;
        }
        let nothing = |kinds: Kinds| match kinds.may_be(Kinds::FALSE) && kinds != Kinds::ANY {
            true => kinds.without(Kinds::FALSE).or(Kinds::NIL),
            false => kinds,
        };
        let reply = Reply { kinds: nothing(self.kinds), element: nothing(self.element), ..self.clone() };
        if TABLES.contains(&command.name) {
            return Reply { element: Kinds::NIL, length: Interval::new(0, 0), shape: Shape::Named, ..reply };
        }
        if DOUBLES.contains(&command.name) && reply.kinds.may_be(Kinds::STRING) {
            let kinds = reply.kinds.without(Kinds::STRING).or(Kinds::TABLE);
            return Reply { kinds, element: Kinds::NIL, length: Interval::new(0, 0), shape: Shape::Named, ..reply };
        }
        // An array has holes where nothing is.
        let holes = reply.element.may_be(Kinds::NIL);
        Reply { length: if holes { Interval::new(0, reply.length.high) } else { reply.length }, ..reply }
    }
}
