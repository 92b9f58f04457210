//! Turns `table.txt`, `replies.txt` and `facts.txt` into Rust, at build time. `rules/build.rs` includes this file; `src/commands.rs` includes what it writes.
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

#[path = "build/grammar.rs"]
mod grammar;
#[path = "build/replies.rs"]
mod replies;

use std::{collections::BTreeMap, fmt::Write, fs, path::Path};

/// Writes `commands.rs` to `out`. Panics with the line of what it can't read.
pub(crate) fn write(source: &Path, out: &Path) {
    let commands = lines(&source.join("table.txt"), ';');
    let mut replies = lines(&source.join("replies.txt"), ':');
    let mut facts = lines(&source.join("facts.txt"), ':');
    let mut code = String::from("/// Sorted by name.\npub static COMMANDS: &[Command] = &[\n");
    for (id, (name, line)) in commands.iter().enumerate() {
        let row = row(line);
        let replies = replies.remove(name).map_or("&[]".into(), |line| replies::cases(&line));
        let facts = facts.remove(name).unwrap_or_default();
        let facts = replies::facts(&facts);
        writeln!(code, "Command {{ id: CommandId({id}), name: {name:?}, {row}, replies: {replies}, {facts} }},")
            .unwrap();
    }
    code.push_str("];\n");
    fs::write(out.join("commands.rs"), code).expect("OUT_DIR can be written");
    if let Some((name, line)) = replies.into_iter().chain(facts).next() {
        panic!("{}: no command is called `{name}`", line.place);
    }
}

/// What stands after a command's name.
#[derive(Default)]
struct Line {
    text: String,
    place: String,
}

/// A file's lines by what stands before the first `separator`.
fn lines(path: &Path, separator: char) -> BTreeMap<String, Line> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut found = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let place = format!("{}:{}", path.display(), at + 1);
        let (name, text) =
            line.split_once(separator).unwrap_or_else(|| panic!("{place}: `{separator}` expected after a name"));
        let line = Line { text: text.trim().to_owned(), place: place.clone() };
        assert!(found.insert(name.to_owned(), line).is_none(), "{place}: `{name}` stands twice");
    }
    found
}

/// The fields of `Command` from its group on.
fn row(line: &Line) -> String {
    let place = &line.place[..];
    let mut parts = line.text.split(';').map(str::trim);
    let mut plain = || parts.next().unwrap_or_else(|| panic!("{place}: the line ends too early"));
    let (group, servers) = (variant(plain()), span(plain(), place));
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
    let grammar = |text: &str| format!("Some({})", grammar::automaton(text, place));
    format!(
        "group: Group::{group}, servers: {servers}, arity: {arity}, arities: &[{arities}], flags: &[{flags}], cost: {:?}, \
         specs: &[{keys}], grammar: {}, valkey_grammar: {}, deprecated: {}",
        field("cost"),
        if field("args") == "?" { "None".into() } else { grammar(field("args")) },
        fields.get("valkey-args").map_or("None".into(), |text| grammar(text)),
        fields.get("deprecated").map_or("Servers::NONE".into(), |text| span(text, place)),
    )
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
