//! Lua programs from a seed: every statement and expression of the language, around calls of Redis.

#![allow(dead_code, reason = "each test uses a part")]

use std::fmt::Write;

/// A small generator of numbers (an LCG; constants of Knuth's MMIX), so that a seed names one program for ever.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        let mut random = Random(seed);
        random.below(1);
        random
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % bound
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

const NAMES: &[&str] = &["a", "b", "c", "n", "t", "key", "KEYS", "rcall"];
const BINARY: &[&str] = &["+", "-", "*", "/", "%", "^", "..", "==", "~=", "<", "<=", ">", ">=", "and", "or"];
const FUNCTIONS: &[&str] = &[
    "redis.call",
    "redis.pcall",
    "tonumber",
    "tostring",
    "type",
    "unpack",
    "ipairs",
    "pairs",
    "select",
    "pcall",
    "string.format",
    "table.concat",
    "table.insert",
    "cjson.decode",
    "cmsgpack.unpack",
    "math.min",
    "math.floor",
    "f",
    "g",
    "setmetatable",
    "error",
    "redis.error_reply",
    "next",
];
const LITERALS: &[&str] = &[
    "nil",
    "true",
    "false",
    "0",
    "1",
    "2.5",
    "1e9",
    "'GET'",
    "'INCR'",
    "'HGETALL'",
    "'SET'",
    "'1'",
    "''",
    "[[x]]",
    "KEYS[1]",
    "ARGV[1]",
    "KEYS",
    "ARGV",
    "#ARGV",
    "...",
];

/// A whole program that Lua compiles.
pub(crate) fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut out = String::from("local a, b, c, n, t, key\nlocal rcall = redis.call\nlocal f, g\n");
    let statements = 3 + random.below(12);
    block(&mut out, &mut random, 4, statements);
    out
}

fn block(out: &mut String, random: &mut Random, depth: usize, statements: usize) {
    for _ in 0..statements {
        statement(out, random, depth);
        out.push('\n');
    }
}

fn statement(out: &mut String, random: &mut Random, depth: usize) {
    let inner = depth.saturating_sub(1);
    let body = |out: &mut String, random: &mut Random| {
        let statements = random.below(4);
        block(out, random, inner, statements);
    };
    let (name, other) = (random.pick(NAMES), random.pick(NAMES));
    // Without depth left only the flat statements, which come first, are chosen.
    match random.below(if depth == 0 { 5 } else { 14 }) {
        0 => *out += &format!("local {name}, {other} = {}", list(random, inner)),
        1 => *out += &format!("{name} = {}", expression(random, inner)),
        2 => *out += &format!("{name}[{}] = {}", expression(random, inner), expression(random, inner)),
        3 => *out += &format!("{name}, {other}.x = {}", list(random, inner)),
        4 => *out += &call(random, inner),
        5 | 6 => {
            *out += &format!("if {} then\n", expression(random, inner));
            body(out, random);
            if random.below(3) == 0 {
                *out += &format!("elseif {} then\n", expression(random, inner));
                body(out, random);
            }
            if random.below(2) == 0 {
                *out += "else\n";
                body(out, random);
            }
            *out += "end";
        }
        7 => {
            *out += &format!("while {} do\n", expression(random, inner));
            body(out, random);
            *out += random.pick(&["break end", "end"]);
        }
        8 => {
            *out += "repeat\nlocal n = 1\n";
            body(out, random);
            *out += &format!("until {}", expression(random, inner));
        }
        9 => {
            *out += &format!("for {name} = 1, {} do\n", expression(random, inner));
            body(out, random);
            *out += "end";
        }
        10 => {
            *out += &format!("for {name}, {other} in {} do\n", call(random, inner));
            body(out, random);
            *out += "end";
        }
        11 => {
            *out += &format!("local function {}({name}, ...)\n", random.pick(&["f", "g"]));
            body(out, random);
            *out += &format!("return {}\nend", list(random, inner));
        }
        12 => {
            *out += "do\n";
            body(out, random);
            *out += "end";
        }
        _ => {
            *out += &format!("if {} then return {} end", expression(random, inner), list(random, inner));
        }
    }
}

fn list(random: &mut Random, depth: usize) -> String {
    let mut list = expression(random, depth);
    for _ in 0..random.below(3) {
        write!(list, ", {}", expression(random, depth)).unwrap();
    }
    list
}

fn call(random: &mut Random, depth: usize) -> String {
    match random.below(8) {
        0 => format!(
            "({}):format({})",
            expression(random, depth.saturating_sub(1)),
            list(random, depth.saturating_sub(1))
        ),
        1 => format!(
            "rcall('{}', {})",
            random.pick(&["GET", "INCR", "LPUSH", "SMEMBERS"]),
            list(random, depth.saturating_sub(1))
        ),
        _ => format!("{}({})", random.pick(FUNCTIONS), list(random, depth.saturating_sub(1))),
    }
}

fn expression(random: &mut Random, depth: usize) -> String {
    let inner = depth.saturating_sub(1);
    match random.below(if depth == 0 { 4 } else { 12 }) {
        0 | 1 => random.pick(NAMES).into(),
        2 | 3 => random.pick(LITERALS).into(),
        4 | 5 => call(random, inner),
        6 | 7 => format!("({} {} {})", expression(random, inner), random.pick(BINARY), expression(random, inner)),
        8 => format!("{} {}", random.pick(&["not", "-", "#"]), expression(random, inner)),
        9 => format!("({})[{}]", expression(random, inner), expression(random, inner)),
        10 => format!(
            "{{{}, x = {}, [{}] = {}}}",
            expression(random, inner),
            expression(random, inner),
            expression(random, inner),
            expression(random, inner)
        ),
        _ => format!("function(a, ...) return {} end", list(random, inner)),
    }
}

/// Runs of word letters, runs of blanks, and every other byte by itself: roughly Lua's tokens.
pub(crate) fn tokens(text: &[u8]) -> Vec<&[u8]> {
    let class = |byte: u8| match byte {
        byte if byte.is_ascii_alphanumeric() || byte == b'_' => 0,
        byte if byte.is_ascii_whitespace() => 1,
        _ => 2,
    };
    text.chunk_by(|&a, &b| class(a) == class(b) && class(a) != 2).collect()
}
