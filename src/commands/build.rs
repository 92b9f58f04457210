//! Turns `table.txt` into Rust, at build time. `rules/build.rs` includes this file; `src/commands.rs` includes what it writes.
//!
//! The notation, one command a line, parts after `; `:
//! ```text
//! NAME; group; SPAN; arity N; flags F...; cost O(N); keys K...; args GRAMMAR[; valkey-args GRAMMAR][; deprecated SPAN]
//! ```
//! *Span*: `redis 7.0.0..8.0.0, valkey`, the servers that have something; an end is the first that lacks it. A flag or arity that not all of
//! the command's servers have carries its span: `noscript(redis ..7.2.0)`, `arity -3 (redis 7.0.0, valkey) 3 (redis ..7.0.0)`.
//!
//! *Keys*: where they begin (`1`: that argument, the command is 0; `STREAMS>1`: after that word, looked for from there on; from the end
//! if negative), how far they go (`..`: to the last argument, `..-2`: to the last but one, `..1`: one more, `#`: the begin is their
//! number, `%2`: only the first half, `/2`: every second), and how they are used (`RO.access`, as `COMMAND GETKEYSANDFLAGS` says it).
//!
//! *Grammar*: `TOKEN`, `name:type`, `[optional]`, `(one|other)`, `{a group}`, `...` one or more times, `@7.0.0` since. `""` is the
//! empty word, `args ?` an unknown grammar. Neighbours that are all `[TOKEN ...]` come in any order.

use std::{collections::BTreeMap, fmt::Write, fs, path::Path};

/// Writes `commands.rs` to `out`. Panics with the line of what it can't read.
pub fn write(source: &Path, out: &Path) {
    let path = source.join("table.txt");
    let text = fs::read_to_string(&path).expect("the command table can be read");
    let mut rows = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        if !line.starts_with('#') {
            let place = format!("{}:{}", path.display(), at + 1);
            let (name, row) = row(line, &place);
            assert!(rows.insert(name.clone(), row).is_none(), "{place}: `{name}` stands twice");
        }
    }
    let mut code = String::from("/// Sorted by name.\npub static COMMANDS: &[Command] = &[\n");
    for (id, (name, row)) in rows.iter().enumerate() {
        writeln!(code, "Command {{ id: CommandId({id}), name: {name:?}, {row} }},").unwrap();
    }
    code.push_str("];\n");
    fs::write(out.join("commands.rs"), code).expect("OUT_DIR can be written");
}

/// The name, and the fields of `Command` from its group on.
fn row(line: &str, place: &str) -> (String, String) {
    let mut parts = line.split(';').map(str::trim);
    let mut plain = || parts.next().unwrap_or_else(|| panic!("{place}: the line ends too early"));
    let (name, group, servers) = (plain(), variant(plain()), span(plain(), place));
    let mut fields = BTreeMap::new();
    for part in parts {
        let (field, value) = part.split_once(' ').unwrap_or((part, ""));
        assert!(
            ["arity", "flags", "cost", "keys", "args", "valkey-args", "deprecated"].contains(&field),
            "{place}: no field is called `{field}`"
        );
        fields.insert(field, value);
    }
    let field = |name: &str| *fields.get(name).unwrap_or_else(|| panic!("{place}: `{name}` is missing"));
    let arities = spanned(field("arity"), place);
    let flags: String = spanned(field("flags"), place)
        .iter()
        .map(|(flag, span)| format!("(Flag::{}, {span}), ", variant(flag)))
        .collect();
    let arity = &arities.first().unwrap_or_else(|| panic!("{place}: no arity")).0;
    let arities: String = arities.iter().map(|(arity, span)| format!("({arity}, {span}), ")).collect();
    let keys: String = field("keys").split_whitespace().map(|spec| key_spec(spec, place)).collect();
    let grammar = |text: &str| format!("Some({})", automaton(text, place));
    let row = format!(
        "group: Group::{group}, servers: {servers}, arity: {arity}, arities: &[{arities}], flags: &[{flags}], cost: {:?}, \
         specs: &[{keys}], grammar: {}, valkey_grammar: {}, deprecated: {}",
        field("cost"),
        if field("args") == "?" { "None".into() } else { grammar(field("args")) },
        fields.get("valkey-args").map_or("None".into(), |text| grammar(text)),
        fields.get("deprecated").map_or("Servers::NONE".into(), |text| span(text, place)),
    );
    (name.to_owned(), row)
}

/// `sorted-set` is the variant `SortedSet`.
fn variant(name: &str) -> String {
    let mut upper = true;
    let mut variant = String::new();
    for letter in name.chars() {
        if letter == '-' || letter == '_' {
            upper = true;
        } else {
            variant.push(if upper { letter.to_ascii_uppercase() } else { letter });
            upper = false;
        }
    }
    variant
}

/// `word word(SPAN) word (SPAN)`: each word with its span as Rust.
fn spanned(text: &str, place: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('(') {
            let (inside, after) = inner.split_once(')').unwrap_or_else(|| panic!("{place}: `(` without `)`"));
            found.last_mut().unwrap_or_else(|| panic!("{place}: a span of nothing")).1 = span(inside, place);
            rest = after.trim_start();
        } else {
            let end = rest.find([' ', '(']).unwrap_or(rest.len());
            found.push((rest[..end].to_owned(), "Servers::ALL".into()));
            rest = rest[end..].trim_start();
        }
    }
    found
}

fn span(text: &str, place: &str) -> String {
    let (mut redis, mut valkey) = ("None".to_owned(), "None".to_owned());
    for part in text.split(',').map(str::trim) {
        let (product, range) = part.split_once(' ').unwrap_or((part, ""));
        let (low, high) = range.split_once("..").unwrap_or((range, ""));
        let from = if low.is_empty() { "Version(0, 0, 0)".into() } else { version(low, place) };
        let until = if high.is_empty() { "None".into() } else { format!("Some({})", version(high, place)) };
        let range = format!("Some(({from}, {until}))");
        match product {
            "redis" => redis = range,
            "valkey" => valkey = range,
            _ => panic!("{place}: `{product}` is no server of the table"),
        }
    }
    format!("Servers {{ redis: {redis}, valkey: {valkey} }}")
}

fn version(text: &str, place: &str) -> String {
    let parts: Vec<u8> = text.split('.').filter_map(|part| part.parse().ok()).collect();
    match parts[..] {
        [major, minor, patch] => format!("Version({major}, {minor}, {patch})"),
        _ => panic!("{place}: `{text}` is no version"),
    }
}

fn key_spec(spec: &str, place: &str) -> String {
    let bad = || -> ! { panic!("{place}: `{spec}` is no key spec") };
    let Some((rest, access)) = spec.split_once(':') else { bad() };
    let (rest, step) = match rest.split_once('/') {
        Some((rest, step)) => (rest, step),
        None => (rest, "1"),
    };
    let (word, rest) = match rest.split_once('>') {
        Some((word, rest)) => (format!("Some({word:?})"), rest),
        None => ("None".into(), rest),
    };
    let (begin, extent) = if let Some(begin) = rest.strip_suffix("..%2") {
        (begin, "Extent::Half".into())
    } else if let Some(begin) = rest.strip_suffix('#') {
        (begin, "Extent::Counted".into())
    } else if let Some((begin, last)) = rest.split_once("..") {
        let last: i8 = match last {
            "" => -1,
            last => last.parse().unwrap_or_else(|_| bad()),
        };
        (begin, if last < 0 { format!("Extent::To({last})") } else { format!("Extent::More({last})") })
    } else {
        (rest, "Extent::More(0)".into())
    };
    let access: Vec<&str> = access
        .split('.')
        .map(|flag| match flag {
            "RO" => "Access::RO",
            "RW" => "Access::RW",
            "OW" => "Access::OW",
            "RM" => "Access::RM",
            "access" => "Access::ACCESS",
            "update" => "Access::UPDATE",
            "insert" => "Access::INSERT",
            "delete" => "Access::DELETE",
            _ => bad(),
        })
        .collect();
    let begin: i8 = begin.parse().unwrap_or_else(|_| bad());
    let step: u8 = step.parse().unwrap_or_else(|_| bad());
    let (first, others) = access.split_first().unwrap_or_else(|| bad());
    let access = others.iter().fold((*first).to_owned(), |all, one| format!("{all}.or({one})"));
    format!("KeySpec {{ word: {word}, begin: {begin}, extent: {extent}, step: {step}, access: {access} }}, ")
}

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
fn automaton(text: &str, place: &str) -> String {
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
