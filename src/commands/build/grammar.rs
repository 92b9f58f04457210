//! Argument grammars: from the table's notation to an automaton.

use std::fmt::Write;

use super::{variant, version};

/// A grammar as a tree.
enum Item {
    Token { text: String, since: String },
    Value { name: String, kind: String, since: String },
    Sequence(Vec<Item>),
    OneOf(Vec<Item>),
    Optional(Box<Item>),
    Repeat(Box<Item>),
}

struct Reader<'a> {
    rest: &'a str,
    place: &'a str,
}

impl Reader<'_> {
    fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, text: &str) {
        assert!(self.eat(text), "{}: `{text}` expected before `{}`", self.place, self.rest);
    }

    fn sequence(&mut self) -> Item {
        let mut items = Vec::new();
        loop {
            while self.eat(" ") {}
            if self.rest.is_empty() || self.rest.starts_with([')', ']', '}', '|']) {
                return Item::Sequence(items);
            }
            items.push(self.item());
        }
    }

    fn item(&mut self) -> Item {
        let mut item = if self.eat("[") {
            let inner = self.sequence();
            self.expect("]");
            Item::Optional(Box::new(inner))
        } else if self.eat("{") {
            let inner = self.sequence();
            self.expect("}");
            inner
        } else if self.eat("(") {
            let mut others = vec![self.sequence()];
            while self.eat("|") {
                others.push(self.sequence());
            }
            self.expect(")");
            Item::OneOf(others)
        } else {
            let end = self.rest.find([' ', ')', ']', '}', '|', '@']).unwrap_or(self.rest.len());
            let end = self.rest[..end].find("...").unwrap_or(end);
            let word = &self.rest[..end];
            assert!(!word.is_empty(), "{}: a word expected before `{}`", self.place, self.rest);
            self.rest = &self.rest[end..];
            match word.split_once(':') {
                Some((name, kind)) => Item::Value { name: name.into(), kind: variant(kind), since: String::new() },
                None => Item::Token { text: word.trim_matches('"').into(), since: String::new() },
            }
        };
        if self.eat("@") {
            let end = self.rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(self.rest.len());
            let end = self.rest[..end].find("...").unwrap_or(end);
            item = dated(item, &version(&self.rest[..end], self.place));
            self.rest = &self.rest[end..];
        }
        if self.eat("...") {
            item = Item::Repeat(Box::new(item));
        }
        item
    }
}

/// Gives the version to all that has none of its own.
fn dated(item: Item, version: &str) -> Item {
    let all = |items: Vec<Item>| items.into_iter().map(|item| dated(item, version)).collect();
    let own = |since: String| if since.is_empty() { version.to_owned() } else { since };
    match item {
        Item::Token { text, since } => Item::Token { text, since: own(since) },
        Item::Value { name, kind, since } => Item::Value { name, kind, since: own(since) },
        Item::Sequence(items) => Item::Sequence(all(items)),
        Item::OneOf(items) => Item::OneOf(all(items)),
        Item::Optional(item) => Item::Optional(Box::new(dated(*item, version))),
        Item::Repeat(item) => Item::Repeat(Box::new(dated(*item, version))),
    }
}

/// A nondeterministic automaton over arguments, made the way of Thompson: `empty` edges consume nothing.
#[derive(Default)]
struct Automaton {
    states: usize,
    edges: Vec<(usize, usize, String)>,
    empty: Vec<(usize, usize)>,
}

impl Automaton {
    fn state(&mut self) -> usize {
        self.states += 1;
        self.states - 1
    }

    /// Adds what leads from `from` through the item; gives where it ends.
    fn add(&mut self, item: &Item, from: usize) -> usize {
        let edge = |name: &str, kind: &str, since: &str| {
            let since = if since.is_empty() { "Version(0, 0, 0)" } else { since };
            format!("name: {name:?}, kind: ArgType::{kind}, since: {since}")
        };
        match item {
            Item::Token { text, since } => {
                let to = self.state();
                self.edges.push((from, to, edge(text, "Token", since)));
                to
            }
            Item::Value { name, kind, since } => {
                let to = self.state();
                self.edges.push((from, to, edge(name, kind, since)));
                to
            }
            Item::Sequence(items) => {
                let mut at = from;
                let mut rest = &items[..];
                while let Some((first, after)) = rest.split_first() {
                    let options = rest.iter().take_while(|item| is_option(item)).count();
                    if options < 2 {
                        at = self.add(first, at);
                        rest = after;
                        continue;
                    }
                    // Each of them any number of times: a state to which they all return.
                    let hub = self.state();
                    self.empty.push((at, hub));
                    for option in &rest[..options] {
                        let Item::Optional(inner) = option else { unreachable!("is_option asked") };
                        let end = self.add(inner, hub);
                        self.empty.push((end, hub));
                    }
                    at = hub;
                    rest = &rest[options..];
                }
                at
            }
            Item::OneOf(items) => {
                let to = self.state();
                for item in items {
                    let end = self.add(item, from);
                    self.empty.push((end, to));
                }
                to
            }
            Item::Optional(item) => {
                let start = self.state();
                self.empty.push((from, start));
                let end = self.add(item, start);
                let to = self.state();
                self.empty.extend([(end, to), (start, to)]);
                to
            }
            Item::Repeat(item) => {
                let start = self.state();
                self.empty.push((from, start));
                let end = self.add(item, start);
                let to = self.state();
                self.empty.extend([(end, start), (end, to)]);
                to
            }
        }
    }

    /// All states reached from this one without consuming.
    fn closure(&self, state: usize) -> Vec<usize> {
        let mut found = vec![state];
        let mut next = 0;
        while let Some(&at) = found.get(next) {
            next += 1;
            for &(from, to) in &self.empty {
                if from == at && !found.contains(&to) {
                    found.push(to);
                }
            }
        }
        found
    }
}

/// Is it `[TOKEN ...]` or `[(TOKEN ...|TOKEN ...)]`?
fn is_option(item: &Item) -> bool {
    fn starts_with_token(item: &Item) -> bool {
        match item {
            Item::Token { .. } => true,
            Item::Value { .. } | Item::Optional(_) => false,
            Item::Sequence(items) => items.first().is_some_and(starts_with_token),
            Item::OneOf(items) => items.iter().all(starts_with_token),
            Item::Repeat(item) => starts_with_token(item),
        }
    }
    matches!(item, Item::Optional(inner) if starts_with_token(inner))
}

/// The grammar's automaton without empty edges, as a `Grammar`; its states are renumbered from the start, 0.
pub(super) fn automaton(text: &str, place: &str) -> String {
    let mut reader = Reader { rest: text, place };
    let item = reader.sequence();
    assert!(reader.rest.is_empty(), "{place}: `{}` is too much", reader.rest);
    let mut automaton = Automaton::default();
    let start = automaton.state();
    let end = automaton.add(&item, start);

    let mut numbers = vec![start];
    let mut edges = String::new();
    let mut accepting = Vec::new();
    let mut next = 0;
    while let Some(&state) = numbers.get(next) {
        let closure = automaton.closure(state);
        if closure.contains(&end) {
            accepting.push(next);
        }
        for (from, to, fields) in &automaton.edges {
            if !closure.contains(from) {
                continue;
            }
            let number = numbers.iter().position(|known| known == to).unwrap_or_else(|| {
                numbers.push(*to);
                numbers.len() - 1
            });
            write!(edges, "Edge {{ from: {next}, to: {number}, {fields} }}, ").unwrap();
        }
        next += 1;
    }
    assert!(numbers.len() <= 128, "{place}: the grammar has too many states");
    format!("Grammar {{ states: {}, accepting: &{accepting:?}, edges: &[{edges}] }}", numbers.len())
}
