//! What a call answers, as a script sees it (`redis.setresp` 2), by the hand-written `replies.txt`.

use super::{
    ArgType, Argument, Command,
    grammar::{Certainty, Slots},
};
use crate::value::{Interval, Kinds};

/// How a table is to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    Flat,
    /// Names and values in turn.
    Pairs,
    /// Some elements are tables.
    Nested,
    /// Of RESP3: one field, `map`, `set` or `double`, and no elements.
    Named,
}

/// The reply of one call, over all that it may be.
#[derive(Clone, PartialEq, Debug)]
pub struct Reply {
    pub kinds: Kinds,
    /// Of an integer.
    pub range: Interval,
    /// Of a table's elements.
    pub element: Kinds,
    /// Of a table.
    pub length: Interval,
    pub shape: Shape,
    /// Does it surely give all that the key holds, without a bound?
    pub whole: bool,
    /// The argument that sets a bound on the length: a count or the end of a range.
    pub bounded_by: Option<usize>,
}

impl Reply {
    /// Of a command that nothing is known of.
    pub const UNKNOWN: Reply = Reply {
        kinds: Kinds::ANY,
        range: Interval::ALL,
        element: Kinds::ANY,
        length: Interval::NATURAL,
        shape: Shape::Flat,
        whole: false,
        bounded_by: None,
    };

    fn join(self, other: Reply) -> Reply {
        let (one, two) = (self.table(), other.table());
        Reply {
            kinds: self.kinds.or(other.kinds),
            range: match (self.kinds.may_be(Kinds::INTEGER), other.kinds.may_be(Kinds::INTEGER)) {
                (true, false) => self.range,
                (false, true) => other.range,
                (true, true) | (false, false) => self.range.join(other.range),
            },
            element: self.element.or(other.element),
            length: match (one, two) {
                (true, false) => self.length,
                (false, true) => other.length,
                (true, true) | (false, false) => self.length.join(other.length),
            },
            shape: if self.shape == other.shape || !two { self.shape } else { other.shape },
            whole: (self.whole || !one) && (other.whole || !two) && (one || two),
            bounded_by: self.bounded_by.or(other.bounded_by),
        }
    }

    fn table(&self) -> bool {
        self.kinds.may_be(Kinds::TABLE)
    }

    /// Each element becomes two.
    fn paired(mut self, element: Kinds) -> Reply {
        if self.table() {
            self.element = self.element.or(element);
            self.length = twice(self.length);
            self.shape = Shape::Pairs;
        }
        self
    }
}

fn twice(length: Interval) -> Interval {
    length.plus(length)
}

/// A reply under a condition.
#[derive(Debug)]
pub(super) struct Case {
    /// All of them, one of each.
    pub(super) when: &'static [&'static [Test]],
    pub(super) answer: Answer,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Test {
    /// The call has this token, or an argument of this name.
    Has(&'static str),
    /// The argument of this name is this literal.
    Is(&'static str, &'static [u8]),
}

#[derive(Debug)]
pub(super) enum Answer {
    Is {
        kinds: Kinds,
        low: i32,
        high: High,
        element: Kinds,
        length: Length,
        shape: Shape,
        whole: bool,
    },
    /// What stands before, with a value of these kinds after each element.
    Pairs(Kinds),
}

/// The highest integer that is answered.
#[derive(Clone, Copy, Debug)]
pub(super) enum High {
    Is(i32),
    /// As many as the call has arguments of that name.
    NumberOf(&'static str),
}

/// A table's length. Names are those of arguments in the command's grammar.
#[derive(Clone, Copy, Debug)]
pub(super) enum Length {
    Between(i32, i32),
    NumberOf(&'static str),
    UpToNumberOf(&'static str),
    /// The argument's value; a negative one is no bound.
    AtMost(&'static str),
    AtMostAbsolute(&'static str),
    /// From one rank to another, both included; negative ones count from the end.
    Ranks(&'static str, &'static str),
}

impl Command {
    /// What the call answers if it doesn't raise.
    pub fn reply(&self, args: &[Argument]) -> Reply {
        self.reply_in(args, &self.slots(args))
    }

    /// The same, if the call's slots are at hand.
    pub fn reply_in(&self, args: &[Argument], slots: &Slots) -> Reply {
        let call = Call { args, slots };
        // What may be answered so far; a later case replaces it if it surely holds.
        let mut reply: Option<Reply> = None;
        for case in self.replies {
            let holds = call.holds(case.when);
            if holds == Certainty::No {
                continue;
            }
            let answer = match (&case.answer, &reply) {
                (Answer::Pairs(element), Some(before)) => before.clone().paired(*element),
                (answer, _) => call.answer(answer),
            };
            reply = match reply {
                Some(before) if holds == Certainty::Maybe => Some(before.join(answer)),
                Some(_) | None => Some(answer),
            };
        }
        reply.unwrap_or(Reply::UNKNOWN)
    }

    /// Has the command a line in `replies.txt`?
    pub fn has_reply(&self) -> bool {
        !self.replies.is_empty()
    }

    /// For each case of its line: may it hold for the call?
    pub fn cases(&self, args: &[Argument]) -> Vec<bool> {
        let slots = self.slots(args);
        let call = Call { args, slots: &slots };
        self.replies.iter().map(|case| call.holds(case.when) != Certainty::No).collect()
    }

    /// Does the same call, done again, change the data again?
    pub fn repeats(&self, args: &[Argument], slots: &Slots) -> bool {
        self.repeats.is_some_and(|when| when.is_empty() || Call { args, slots }.holds(when) == Certainty::Yes)
    }
}

struct Call<'a> {
    args: &'a [Argument<'a>],
    slots: &'a Slots,
}

impl Call<'_> {
    fn holds(&self, when: &[&[Test]]) -> Certainty {
        let mut all = Certainty::Yes;
        for choices in when {
            let mut one = Certainty::No;
            for test in *choices {
                one = one.or(self.test(*test));
            }
            all = all.and(one);
        }
        all
    }

    fn test(&self, test: Test) -> Certainty {
        match test {
            Test::Has(name) => self.slots.has(name, self.args),
            Test::Is(name, literal) => match self.only(name).map(|at| self.args[at]) {
                Some(Argument::Literal(text)) if text == literal => Certainty::Yes,
                Some(Argument::Literal(_) | Argument::Number(_)) => Certainty::No,
                Some(Argument::Unknown | Argument::Spread) | None => Certainty::Maybe,
            },
        }
    }

    /// The one argument of that name, if it is certain which.
    fn only(&self, name: &str) -> Option<usize> {
        let mut found = None;
        for at in 0..self.args.len() {
            let edges = self.slots.edges(at);
            if !edges.iter().any(|edge| edge.name == name) {
                continue;
            }
            if edges.len() != 1 || found.is_some() || self.args[at] == Argument::Spread {
                return None;
            }
            found = Some(at);
        }
        found
    }

    fn integer(&self, name: &str) -> Option<i32> {
        let value = self.args[self.only(name)?].integer()?;
        // Larger ones bound nothing that fits into memory.
        Some(value.clamp(i64::from(i32::MIN + 1), i64::from(i32::MAX - 1)) as i32)
    }

    /// How many arguments of that name the call has.
    fn number_of(&self, name: &str) -> Interval {
        if !self.slots.known {
            return Interval::NATURAL;
        }
        let mut number = Interval::new(0, 0);
        for (at, arg) in self.args.iter().enumerate() {
            let edges = self.slots.edges(at);
            let some = edges.iter().any(|edge| edge.name == name && edge.kind != ArgType::Token);
            let all = edges.iter().all(|edge| edge.name == name);
            number = number.plus(match (some, all, *arg) {
                (false, ..) => Interval::new(0, 0),
                (true, _, Argument::Spread) => Interval::NATURAL,
                (true, true, _) => Interval::new(1, 1),
                (true, false, _) => Interval::new(0, 1),
            });
        }
        number
    }

    fn answer(&self, answer: &Answer) -> Reply {
        let &Answer::Is { kinds, low, high, element, length, shape, whole } = answer else {
            // The build keeps `+pairs` from being a first case.
            return Reply::UNKNOWN;
        };
        let high = match high {
            High::Is(high) => high,
            High::NumberOf(name) => self.number_of(name).high,
        };
        let mut reply = Reply {
            kinds,
            range: Interval::new(low, high),
            element,
            length: Interval::NATURAL,
            shape,
            whole,
            bounded_by: None,
        };
        self.measure(length, &mut reply);
        if shape == Shape::Pairs {
            reply.length = twice(reply.length);
        }
        reply
    }

    fn measure(&self, length: Length, reply: &mut Reply) {
        match length {
            Length::Between(low, high) => reply.length = Interval::new(low, high),
            Length::NumberOf(name) => reply.length = self.number_of(name),
            Length::UpToNumberOf(name) => reply.length.high = self.number_of(name).high,
            Length::AtMost(name) | Length::AtMostAbsolute(name) => {
                reply.bounded_by = self.only(name);
                match (self.integer(name), length) {
                    (Some(count), _) if 0 <= count => reply.length.high = count,
                    (Some(count), Length::AtMostAbsolute(_)) => reply.length.high = -count,
                    (Some(_), _) => reply.whole = true,
                    (None, _) => {}
                }
            }
            Length::Ranks(start, stop) => {
                reply.bounded_by = self.only(stop);
                let bound = match (self.integer(start), self.integer(stop)) {
                    (Some(start), Some(stop)) if (start < 0) == (stop < 0) => {
                        Some((i64::from(stop) - i64::from(start) + 1).max(0))
                    }
                    // From so far before the end at most to the end, or to the rank from the start.
                    (Some(start), Some(stop)) if start < 0 => Some((i64::from(stop) + 1).min(-i64::from(start))),
                    (Some(_), Some(_)) => {
                        reply.whole = true;
                        reply.bounded_by = None;
                        None
                    }
                    (Some(start), None) if start < 0 => Some(-i64::from(start)),
                    (None, Some(stop)) if 0 <= stop => Some(i64::from(stop) + 1),
                    (Some(_), None) | (None, Some(_)) | (None, None) => None,
                };
                if let Some(bound) = bound {
                    reply.length.high = i32::try_from(bound).unwrap_or(i32::MAX);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Argument::*, command},
        *,
    };

    fn reply(name: &str, args: &[Argument]) -> Reply {
        command(name.as_bytes(), None).unwrap().reply(args)
    }

    #[test]
    fn options_change_the_kinds() {
        let set = |args: &[Argument]| reply("SET", args).kinds.to_string();
        assert_eq!(set(&[Unknown, Unknown]), "status");
        assert_eq!(set(&[Unknown, Unknown, Literal(b"EX"), Unknown]), "status");
        assert_eq!(set(&[Unknown, Unknown, Literal(b"nx")]), "false|status");
        assert_eq!(set(&[Unknown, Unknown, Literal(b"NX"), Literal(b"GET")]), "string|false");
        assert_eq!(set(&[Unknown, Unknown, Unknown]), "string|false|status");
        assert_eq!(reply("LPOP", &[Unknown]).kinds.to_string(), "string|false");
        assert_eq!(reply("LPOP", &[Unknown, Unknown]).kinds.to_string(), "false|table");
        assert_eq!(reply("ZADD", &[Unknown, Number(1.0), Unknown]).kinds.to_string(), "integer");
        assert_eq!(reply("ZADD", &[Unknown, Literal(b"INCR"), Number(1.0), Unknown]).kinds.to_string(), "numeral");
    }

    #[test]
    fn literal_bounds_bound_the_length() {
        let length = |name: &str, args: &[Argument]| {
            let reply = reply(name, args);
            (reply.length.low, reply.length.high, reply.whole)
        };
        let many = i32::MAX;
        assert_eq!(length("LRANGE", &[Unknown, Number(0.0), Literal(b"99")]), (0, 100, false));
        assert_eq!(length("LRANGE", &[Unknown, Number(0.0), Number(-1.0)]), (0, many, true));
        assert_eq!(length("LRANGE", &[Unknown, Number(-10.0), Number(-1.0)]), (0, 10, false));
        assert_eq!(length("LRANGE", &[Unknown, Number(0.0), Unknown]), (0, many, false));
        assert_eq!(length("SPOP", &[Unknown, Number(10.0)]), (0, 10, false));
        assert_eq!(length("SMEMBERS", &[Unknown]), (0, many, true));
        assert_eq!(length("HGETALL", &[Unknown]), (0, many, true));
        assert_eq!(length("HMGET", &[Unknown, Unknown, Unknown]), (2, 2, false));
        assert_eq!(length("HMGET", &[Unknown, Spread]), (0, many, false));
        assert_eq!(length("TIME", &[]), (2, 2, false));
        let limited = [Unknown, Unknown, Unknown, Literal(b"LIMIT"), Number(0.0), Number(100.0)];
        assert_eq!(length("ZRANGEBYSCORE", &limited), (0, 100, false));
        assert_eq!(length("ZRANGEBYSCORE", &limited[..3]), (0, many, true));
        assert_eq!(length("ZRANGEBYSCORE", &[&limited[..], &[Literal(b"withscores")]].concat()), (0, 200, false));
        assert_eq!(length("XRANGE", &[Unknown, Literal(b"-"), Literal(b"+")]), (0, many, true));
        assert_eq!(
            length("XRANGE", &[Unknown, Literal(b"-"), Literal(b"+"), Literal(b"COUNT"), Number(5.0)]),
            (0, 5, false)
        );
        let by_argument = [Unknown, Number(0.0), Number(-1.0), Unknown];
        assert!(!reply("ZRANGE", &by_argument).whole || reply("ZRANGE", &by_argument).bounded_by.is_none());
    }

    #[test]
    fn integers_have_bounds() {
        assert_eq!(reply("EXISTS", &[Unknown]).range, Interval::new(0, 1));
        assert_eq!(reply("EXISTS", &[Unknown, Unknown]).range, Interval::new(0, 2));
        assert_eq!(reply("EXISTS", &[Spread]).range, Interval::NATURAL);
        assert_eq!(reply("INCR", &[Unknown]).range, Interval::ALL);
        assert!(!reply("GET", &[Unknown]).kinds.may_be(Kinds::INTEGER));
    }
}
