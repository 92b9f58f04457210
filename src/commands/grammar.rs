//! What each argument of a call is, by the command's argument grammar.
//!
//! The grammar is a nondeterministic automaton. All ways through it that fit best are followed at once: an unknown argument can be
//! anything, a literal that is a token of the grammar is rather that than a value, and one that is no number is rather no number.

use smallvec::SmallVec;

use super::Argument;
use crate::target::Version;

/// The type of an argument; `Token` is a word of the command, like `EX`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArgType {
    Key,
    String,
    Integer,
    Double,
    Pattern,
    UnixTime,
    Token,
}

impl ArgType {
    /// Does the command raise if the argument is no number?
    pub fn is_number(self) -> bool {
        match self {
            ArgType::Integer | ArgType::Double | ArgType::UnixTime => true,
            ArgType::Key | ArgType::String | ArgType::Pattern | ArgType::Token => false,
        }
    }
}

/// One step through a grammar.
#[derive(PartialEq, Debug)]
pub struct Edge {
    pub(super) from: u8,
    pub(super) to: u8,
    /// The token in upper case, or the argument's name in lower case.
    pub name: &'static str,
    pub kind: ArgType,
    pub since: Version,
}

/// State 0 is the start.
#[derive(Debug)]
pub(super) struct Grammar {
    pub(super) states: u8,
    pub(super) accepting: &'static [u8],
    pub(super) edges: &'static [Edge],
}

/// By state: the misfits of the best way to it.
type Costs = SmallVec<[u32; 16]>;

/// Larger than any number of misfits.
const NEVER: u32 = u32::MAX / 4;

/// For each argument the edges that it may be. Of arguments that fit no way through the grammar, and of a command without a
/// grammar, nothing is known.
#[derive(Debug)]
pub struct Slots {
    edges: Vec<SmallVec<[&'static Edge; 2]>>,
    pub known: bool,
}

/// Is something so?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Certainty {
    No,
    Maybe,
    Yes,
}

impl Certainty {
    pub(super) fn and(self, other: Certainty) -> Certainty {
        match (self, other) {
            (Certainty::No, _) | (_, Certainty::No) => Certainty::No,
            (Certainty::Yes, Certainty::Yes) => Certainty::Yes,
            (Certainty::Maybe, _) | (_, Certainty::Maybe) => Certainty::Maybe,
        }
    }

    pub(super) fn or(self, other: Certainty) -> Certainty {
        match (self, other) {
            (Certainty::Yes, _) | (_, Certainty::Yes) => Certainty::Yes,
            (Certainty::No, Certainty::No) => Certainty::No,
            (Certainty::Maybe, _) | (_, Certainty::Maybe) => Certainty::Maybe,
        }
    }
}

impl Slots {
    pub(super) fn unknown(arguments: usize) -> Slots {
        Slots { edges: vec![SmallVec::new(); arguments], known: false }
    }

    /// The slots with one more argument in front.
    pub(super) fn behind(mut self, first: &'static Edge) -> Slots {
        self.edges.insert(0, SmallVec::from_slice(&[first]));
        self
    }

    /// What the argument may be; a spread's values may each be any of them.
    pub fn edges(&self, index: usize) -> &[&'static Edge] {
        self.edges.get(index).map_or(&[], |edges| &edges[..])
    }

    /// The one type that all the ways give to the argument.
    pub fn kind(&self, index: usize) -> Option<ArgType> {
        let (first, others) = self.edges(index).split_first()?;
        others.iter().all(|edge| edge.kind == first.kind).then_some(first.kind)
    }

    /// Is the token, or an argument of that name, among the arguments? `spread`: those among `args`, of which none may be.
    pub fn has(&self, name: &str, args: &[Argument]) -> Certainty {
        if !self.known {
            return Certainty::Maybe;
        }
        let mut answer = Certainty::No;
        for (edges, arg) in self.edges.iter().zip(args) {
            if !edges.iter().any(|edge| edge.name == name) {
                continue;
            }
            if edges.iter().all(|edge| edge.name == name) && *arg != Argument::Spread {
                return Certainty::Yes;
            }
            answer = Certainty::Maybe;
        }
        answer
    }
}

impl Grammar {
    /// `None`: the arguments fit no way through.
    pub(super) fn parse(&'static self, args: &[Argument]) -> Option<Slots> {
        let states = usize::from(self.states);
        let mut start = Costs::from_elem(NEVER, states);
        start[0] = 0;
        let words: SmallVec<[Word; 8]> = args.iter().map(|&arg| self.word(arg)).collect();
        let mut forward = Vec::with_capacity(words.len() + 1);
        forward.push(start);
        for word in &words {
            let last = &forward[forward.len() - 1];
            forward.push(self.step(last, word, |edge| (edge.from, edge.to)));
        }
        let mut end = Costs::from_elem(NEVER, states);
        for &state in self.accepting {
            end[usize::from(state)] = 0;
        }
        let best = lowest(&forward[args.len()], &end)?;

        let mut edges = vec![SmallVec::new(); args.len()];
        let mut after = end;
        for (at, word) in words.iter().enumerate().rev() {
            let before = self.step(&after, word, |edge| (edge.to, edge.from));
            let spread = word.arg == Argument::Spread;
            // A spread's values are the edges between any two states that it leads to.
            let from = if spread { &forward[at + 1] } else { &forward[at] };
            let to = if spread { &before } else { &after };
            for edge in self.edges {
                let ends = from[usize::from(edge.from)] + to[usize::from(edge.to)];
                if ends <= best
                    && ends + misfit(edge, word) == best
                    && !edges[at].iter().any(|known: &&Edge| same(known, edge))
                {
                    edges[at].push(edge);
                }
            }
            after = before;
        }
        Some(Slots { edges, known: true })
    }

    /// The costs after one more argument, along or against the edges.
    fn step(&self, costs: &[u32], word: &Word, ends: impl Fn(&Edge) -> (u8, u8)) -> Costs {
        let spread = word.arg == Argument::Spread;
        let mut next = match word.arg {
            Argument::Spread => Costs::from_slice(costs),
            Argument::Literal(_) | Argument::Number(_) | Argument::Unknown => Costs::from_elem(NEVER, costs.len()),
        };
        let mut changed = true;
        while changed {
            changed = false;
            for edge in self.edges {
                let (from, to) = ends(edge);
                // A spread goes on from where its own values led.
                let known = if spread { next[usize::from(from)] } else { costs[usize::from(from)] };
                if next[usize::from(to)] <= known {
                    continue;
                }
                let cost = known + misfit(edge, word);
                if cost < next[usize::from(to)] {
                    next[usize::from(to)] = cost;
                    changed |= spread;
                }
            }
        }
        next
    }

    fn word<'a>(&self, arg: Argument<'a>) -> Word<'a> {
        let Argument::Literal(text) = arg else {
            return Word { arg, token: false, number: true };
        };
        Word {
            arg,
            token: self.edges.iter().any(|edge| edge.kind == ArgType::Token && arg.is_word(edge.name)),
            number: std::str::from_utf8(text).is_ok_and(|text| text.parse::<f64>().is_ok()),
        }
    }
}

/// An argument with what is asked of it at every edge.
struct Word<'a> {
    arg: Argument<'a>,
    /// Is it a token somewhere in the grammar?
    token: bool,
    /// May it be read as a number?
    number: bool,
}

/// How badly the argument fits the edge.
fn misfit(edge: &Edge, word: &Word) -> u32 {
    match (edge.kind, word.arg) {
        (_, Argument::Unknown | Argument::Spread) => 0,
        (ArgType::Token, arg) => {
            if arg.is_word(edge.name) {
                0
            } else {
                NEVER
            }
        }
        (kind, Argument::Number(_) | Argument::Literal(_)) => {
            u32::from(word.token) + u32::from(kind.is_number() && !word.number)
        }
    }
}

/// Do they mean the same to whoever asks what an argument is?
fn same(one: &Edge, other: &Edge) -> bool {
    one.name == other.name && one.kind == other.kind && one.since == other.since
}

fn lowest(costs: &[u32], ends: &[u32]) -> Option<u32> {
    let best = costs.iter().zip(ends).map(|(cost, end)| cost + end).min()?;
    (best < NEVER).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Argument::*, command},
        *,
    };

    fn kinds(name: &str, args: &[Argument]) -> Vec<Option<ArgType>> {
        let slots = command(name.as_bytes(), None).unwrap().slots(args);
        (0..args.len()).map(|at| slots.kind(at)).collect()
    }

    #[test]
    fn options_are_told_by_their_tokens() {
        use ArgType::*;
        assert_eq!(
            kinds("SET", &[Unknown, Unknown, Literal(b"ex"), Unknown]),
            [Some(Key), Some(String), Some(Token), Some(Integer)]
        );
        assert_eq!(kinds("SET", &[Unknown, Unknown, Literal(b"PX"), Unknown, Literal(b"NX")])[3], Some(Integer));
        // Which option it is, is not known.
        assert_eq!(kinds("SET", &[Unknown, Unknown, Unknown, Unknown])[3], None);
        assert_eq!(
            kinds("ZADD", &[Unknown, Literal(b"NX"), Literal(b"CH"), Unknown, Unknown]),
            [Some(Key), Some(Token), Some(Token), Some(Double), Some(String)]
        );
        assert_eq!(
            kinds(
                "XADD",
                &[Unknown, Literal(b"MAXLEN"), Literal(b"~"), Number(100.0), Literal(b"*"), Unknown, Unknown]
            )[3..5],
            [Some(String), Some(Token)]
        );
    }

    #[test]
    fn a_spread_makes_what_follows_unsure() {
        use ArgType::*;
        assert_eq!(kinds("DEL", &[Spread, Unknown]), [Some(Key), Some(Key)]);
        assert_eq!(kinds("HMGET", &[Unknown, Spread]), [Some(Key), Some(String)]);
        assert_eq!(kinds("ZADD", &[Unknown, Spread])[0], Some(Key));
        assert_eq!(kinds("ZADD", &[Unknown, Spread])[1], None);
    }

    #[test]
    fn a_wrong_call_is_unknown() {
        assert_eq!(kinds("GET", &[Unknown, Unknown]), [None, None]);
    }
}
