//! What parses is what the server compiles, and what doesn't is named at its place.

#![allow(clippy::wildcard_enum_match_arm, reason = "a reply of any other form fails the test")]

#[path = "common/generate.rs"]
mod generate;
#[path = "common/page.rs"]
mod pages;
#[path = "common/server.rs"]
mod server;
#[path = "common/setting.rs"]
mod setting;

use std::{collections::BTreeSet, fmt::Write};

use evalint::{
    parse::{SyntaxError, parse},
    rule::RULES,
    source::Source,
};
use generate::{Random, tokens};
use server::{Reply, Server};
use setting::on_big_stack;

fn error(text: &[u8]) -> Option<SyntaxError> {
    let source = Source::file("-", text);
    on_big_stack(|| parse(&source).err().map(|mut errors| errors.remove(0)))
}

/// Scripts with an error: the text, what is underlined, and a part of what is said of it.
const REFUSED: &[(&str, &str, &str)] = &[
    // Later Luas.
    ("while x do continue end", "continue", "`continue` is not Lua"),
    ("while x do if y then continue end z() end", "continue", "`continue` is not Lua"),
    ("goto done", "goto", "`goto` is Lua 5.2 syntax"),
    ("x() ::done::", "::", "label of Lua 5.2"),
    ("x();;", ";", "an empty statement is Lua 5.2 syntax"),
    ("return a // b", "//", "`//` is a Lua 5.3 operator"),
    ("return a & b", "&", "`&` is a Lua 5.3 operator"),
    ("return a | b", "|", "`|` is a Lua 5.3 operator"),
    ("return a ~ b", "~", "`~` is a Lua 5.3 operator"),
    ("return ~a", "~", "`~` is a Lua 5.3 operator"),
    ("return a << b", "<<", "`<<` is a Lua 5.3 operator"),
    ("return a >> b", ">>", "`>>` is a Lua 5.3 operator"),
    ("local x <const> = 1", "<const>", "`<const>` is Lua 5.4 syntax"),
    ("return 5LL", "5LL", "LuaJIT"),
    // Other languages.
    ("if a != b then end", "!=", "`!=` is not Lua"),
    ("if a !== b then end", "!==", "`!==` is not Lua"),
    ("if a === b then end", "===", "`===` is not Lua"),
    ("if a <> b then end", "<>", "`<>` is not Lua"),
    ("if a && b then end", "&&", "`&&` is not Lua"),
    ("if a || b then end", "||", "`||` is not Lua"),
    ("if !a then end", "!", "`!` is not Lua"),
    ("n += 1", "+=", "`+=` is not Lua"),
    ("n ..= 'x'", "..=", "`..=` is not Lua"),
    ("n++", "++", "`++` is not Lua"),
    ("return a ? b : c", "?", "`?` is not Lua"),
    ("let x = 1", "let", "`let` is not Lua"),
    ("if a then elif b then end", "elif", "`elif` is not Lua"),
    ("x() // done", "//", "a Lua 5.3 operator"),
    ("x() /* done */", "/*", "`/*` opens no comment"),
    ("x() # done", "#", "`#` begins no comment"),
    ("return `a`", "`", "a backtick is no quote"),
    ("return 0b1", "0b1", "the binary number"),
    ("return 1_000", "1_000", "no number"),
    ("return {a: 1}", "1", "expected a name"),
    ("if a = b then end", "=", "expected `then`"),
    // Characters.
    ("\u{FEFF}return 1", "\u{FEFF}", "the script begins with a byte order mark"),
    ("return \u{A0}1", "\u{A0}", "U+00A0 is no blank"),
    ("return “a”", "“", "`“` is no quote"),
    ("local é = 1", "é", "`é` (U+00E9)"),
    ("x\0 = 1", "\0", "U+0000"),
    (" #!lua\nreturn 1", "#!", "only taken as the first bytes"),
    // Words.
    ("return 'a", "'a", "isn't closed on its line"),
    ("return 'a\n'", "'a", "isn't closed on its line"),
    ("return [==[a]]", "[==[", "the string is never closed"),
    ("--[[ a", "--[[", "the comment is never closed"),
    ("return a[=1]", "[=", "isn't followed by `[`"),
    (r"return '\400'", r"\400", "no byte"),
    ("return 1..2", "1..2", "no number"),
    ("return 0x", "0x", "no number"),
    ("return 3x", "3x", "can't begin with a digit"),
    // Grammar.
    ("f\n(1)", "(", "the server can't tell"),
    ("f --[[\n]] (1)", "(", "the server can't tell"),
    ("break", "break", "outside of a loop"),
    ("while x do local f = function() break end end", "break", "outside of a loop"),
    ("while x do break y() end", "y", "`y` follows `break`"),
    ("return 1 return 2", "return", "`return` follows `return`"),
    ("return return 1", "return", "expected an expression"),
    ("return 1;;", ";", "an empty statement"),
    ("return 1 2", "2", "expected the end of the block before `2`"),
    ("return 'it's'", "s", "the string ends before `s`"),
    ("return x.end", "end", "`end` is a keyword"),
    ("f(function() x() )", ")", "expected a statement before `)`"),
    ("function f() return ... end", "...", "without `...` among its parameters"),
    ("(a) = 1", "(a)", "can't be assigned to"),
    ("a, f() = 1", "f()", "can't be assigned to"),
    ("a", "a", "expected `=` or the arguments of a call after `a`, but the script ends"),
    ("if x then", "if", "`if` is never closed by `end`"),
    ("f(1", "(", "`(` is never closed by `)`"),
    ("f(1 2)", "2", "expected `)` to close `(` before `2`"),
    ("repeat x() end", "end", "expected `until` to close `repeat`"),
    ("x() end", "end", "`end` closes nothing"),
    ("x = (1))", ")", "`)` closes nothing"),
    ("for i = 1 do end", "do", "expected `,` before `do`"),
];

#[test]
fn errors_are_named_at_their_place() {
    let mut faults = String::new();
    for &(text, underlined, message) in REFUSED {
        let found = error(text.as_bytes());
        let (under, said) = match &found {
            Some(error) => (&text[error.span.range()], error.message.as_str()),
            None => ("", ""),
        };
        if under != underlined || !said.contains(message) {
            writeln!(faults, "{text:?}\n  underlines {under:?}, says {said:?}").unwrap();
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// Scripts that the server compiles, strange as they look.
const TAKEN: &[&[u8]] = &[
    b"#!lua flags=no-writes\nreturn 1",
    b"#!\xFF\r\nreturn 1",
    b"return '\xFF\xC3', [[\xFE]] --\xFF",
    b"return '\0' --\0",
    b"local goto, continue = 1, 2",
    b"return 0x1p4, 0xep1, 5., .5, 08, 3e-2",
    b"return 0x1p4..'a'",
    b"return '\\q\\x41\\z\\u{41}\\065'",
    b"return 'a\\\nb\\\r\nc\\\n\rd'",
    b"return [==[ ]] ]=] ]==]",
    b"return [[a[[b]]",
    b"local x\x0B=\x0C1\rlocal y = 2\n\rreturn x",
    b"-- one\rreturn 1",
    b"return {f\n(1)}",
    b"f();\n(g)()",
    b"('x'):rep(2)",
    b"return ...",
    b"return;",
    b"while true do break; end",
    b"return {1, 2; 3, a = 1, [2] = 3,}",
    b"",
];

#[test]
fn what_only_looks_wrong_parses() {
    for text in TAKEN {
        assert_eq!(error(text), None, "{}", text.escape_ascii());
    }
}

fn nested(before: &str, open: &str, inside: &str, close: &str, levels: usize) -> String {
    [before, &open.repeat(levels), inside, &close.repeat(levels)].concat()
}

/// `#` in the item is its number.
fn listed(before: &str, item: &str, between: &str, after: &str, count: usize) -> String {
    let items: Vec<String> = (0..count).map(|at| item.replace('#', &at.to_string())).collect();
    [before, &items.join(between), after].concat()
}

/// Shapes that the server takes up to a size: that size, and the script of a size.
/// A script with so many of something.
type Sized = fn(usize) -> String;

const LIMITS: &[(usize, Sized)] = &[
    (198, |n| nested("x = ", "(", "1", ")", n)),
    (198, |n| nested("x = ", "f(", "1", ")", n)),
    (124, |n| nested("x = ", "f(1, ", "1", ")", n)),
    (198, |n| nested("x = ", "not ", "1", "", n)),
    (198, |n| nested("x = ", "a .. ", "1", "", n)),
    (198, |n| nested("x = ", "a ^ ", "1", "", n)),
    (199, |n| nested("x = ", "{", "", "}", n)),
    (198, |n| nested("", "do ", "x = 1", " end ", n)),
    (199, |n| nested("", "while x do ", "f()", " end ", n)),
    (50, |n| nested("", "for i = 1, 2 do ", "f()", " end ", n)),
    (66, |n| nested("return ", "(function() return ", "1", " end)()", n)),
    (200, |n| listed("local ", "a#", ", ", "", n)),
    (200, |n| listed("", "local function f#() end", " ", "", n)),
    (200, |n| listed("local function f(", "a#", ", ", ") end", n)),
    (199, |n| listed("local function f(", "a#", ", ", ", ...) end", n)),
    (200, |n| listed("", "a#", ", ", " = 1", n)),
    (60, |n| listed("", "local a# = 1", " ", &listed(" return function() return ", "a#", " + ", " end", n), n)),
    (248, |n| listed("f(", "#", ", ", ")", n)),
    (249, |n| listed("return ", "#", ", ", "", n)),
];

#[test]
fn limits_are_the_servers() {
    for &(most, script) in LIMITS {
        assert_eq!(error(script(most).as_bytes()), None, "{}", script(most));
        assert!(error(script(most + 1).as_bytes()).is_some(), "{}", script(most + 1));
    }
}

#[test]
fn long_chains_of_one_level_parse() {
    for (term, last) in [("1 + ", "1"), ("a and ", "a"), ("a == ", "a")] {
        let text = ["return ", &term.repeat(50_000), last].concat();
        assert_eq!(error(text.as_bytes()), None, "{term}");
    }
}

#[test]
fn deep_nesting_is_one_error() {
    let found = error(nested("return ", "(", "1", ")", 5_000).as_bytes());
    assert_eq!(
        found.map(|error| error.message),
        Some("the code nests deeper than the 200 levels that the server takes".into())
    );
}

#[test]
fn comments_and_the_shebang_are_kept() {
    let text = b"#!lua name=x\r\n--a\r\nlocal s = '--no' --[==[b\n]] ]==] --[=c\nreturn s --";
    let source = Source::file("-", &text[..]);
    let parsed = parse(&source).unwrap_or_else(|errors| panic!("{errors:?}"));
    let shebang = parsed.shebang.map(|span| source.snippet(span));
    assert_eq!(shebang.as_deref(), Some("#!lua name=x"));
    let comments = parsed.comments.iter().map(|one| (source.snippet(one.span), source.snippet(one.text)));
    let expected = [("--a", "a"), ("--[==[b\n]] ]==]", "b\n]] "), ("--[=c", "[=c"), ("--", "")];
    assert!(comments.eq(expected.map(|(span, text)| (span.into(), text.into()))));
}

/// Scripts of every origin: the test data, the pages, and where they are there, the real packages and the kept cases.
fn corpus() -> BTreeSet<Vec<u8>> {
    let mut corpus: BTreeSet<Vec<u8>> =
        ["scripts", "flow"].into_iter().flat_map(setting::scripts).map(|(_, text)| text).collect();
    for rule in RULES {
        let fences = pages::page(rule).fences.into_iter();
        corpus.extend(fences.filter(|fence| fence.language == "lua").map(|fence| fence.text.into_bytes()));
    }
    for entry in walkdir::WalkDir::new(setting::root().join(".packages")).into_iter().flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "lua") {
            corpus.extend(std::fs::read(entry.path()));
        }
    }
    for cases in ["bugs", "correct"] {
        let path = setting::root().join(format!("../shared/cases/{cases}.jsonl"));
        for line in std::fs::read_to_string(path).unwrap_or_default().lines() {
            let case: serde_json::Value = serde_json::from_str(line).expect("a case is a line of JSON");
            corpus.extend(case["script"].as_str().map(|script| script.as_bytes().to_vec()));
        }
    }
    corpus
}

/// A script of the corpus with one to three tokens lost, doubled or swapped.
fn mutant(corpus: &[Vec<u8>], seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut tokens = tokens(&corpus[random.below(corpus.len())]);
    for _ in 0..=random.below(3) {
        if tokens.is_empty() {
            break;
        }
        let (one, other) = (random.below(tokens.len()), random.below(tokens.len()));
        match random.below(3) {
            0 => drop(tokens.remove(one)),
            1 => tokens.insert(one, tokens[one]),
            _ => tokens.swap(one, other),
        }
    }
    tokens.concat()
}

#[test]
#[ignore = "needs real servers: run tools/test"]
fn verdicts_are_those_of_servers() {
    let mut texts: Vec<Vec<u8>> = corpus().into_iter().collect();
    let mutants: Vec<Vec<u8>> = (0..20_000).map(|seed| mutant(&texts, seed)).collect();
    texts.extend(mutants);
    texts.extend(REFUSED.iter().map(|(text, ..)| text.as_bytes().to_vec()));
    texts.extend(TAKEN.iter().map(|text| text.to_vec()));
    texts.extend(LIMITS.iter().flat_map(|(most, script)| [script(*most), script(most + 1)].map(String::into_bytes)));
    for text in &mut texts {
        // What a shebang may say is another rule's matter; as a comment it says nothing.
        if text.starts_with(b"#!") {
            text[..2].copy_from_slice(b"--");
        }
    }
    let ours: Vec<bool> =
        on_big_stack(|| texts.iter().map(|text| parse(&Source::file("-", &text[..])).is_ok()).collect());
    let mut faults = String::new();
    for name in ["redis", "valkey"].map(server::newest) {
        let mut server = Server::start(&name).expect("it is installed");
        for (text, &parses) in texts.iter().zip(&ours) {
            let reply = server.command(&[&b"SCRIPT"[..], b"LOAD", text]);
            let compiles = match &reply {
                Reply::Bulk(_) => true,
                Reply::Error(error) if error.contains("Error compiling script") => false,
                other => panic!("{name} answers SCRIPT LOAD with {other}:\n{}", text.escape_ascii()),
            };
            if parses != compiles {
                let ours = if parses { "it parses here" } else { "it doesn't parse here" };
                writeln!(faults, "{name} says {reply}, {ours}:\n{}\n", text.escape_ascii()).unwrap();
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}
