//! Whatever the bytes, a check ends, does not panic, and takes time in proportion to them.

#[path = "common/generate.rs"]
mod generate;
#[path = "common/page.rs"]
mod pages;
#[path = "common/setting.rs"]
mod setting;

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::LazyLock,
    thread,
    time::{Duration, Instant},
};

use evalint::{
    check,
    config::Config,
    rule::{Preset, RULES},
    source::Source,
};
use generate::{Random, tokens};
use proptest::prelude::*;
use setting::on_big_stack;

fn strict() -> Config {
    Config { preset: Preset::Strict, ..Config::default() }
}

/// Checks texts one after the other on a thread; names the text that panics.
fn survives(texts: impl Iterator<Item = Vec<u8>> + Send) {
    on_big_stack(|| {
        let config = strict();
        for text in texts {
            let source = Source::file("-", text);
            let report = catch_unwind(AssertUnwindSafe(|| check(&source, &config)));
            let Ok(report) = report else {
                panic!("the check of this text panics:\n{}", String::from_utf8_lossy(&source.text))
            };
            for one in report.diagnostics {
                let span = one.finding.span;
                let inside = span.start <= span.end && span.end as usize <= source.text.len();
                assert!(inside, "{} at {span:?} lies outside of:\n{}", one.rule.name, source.snippet(span));
            }
        }
    });
}

/// Each different script of the test data and the pages.
fn corpus() -> Vec<Vec<u8>> {
    let mut corpus: Vec<Vec<u8>> =
        ["scripts", "flow"].into_iter().flat_map(setting::scripts).map(|(_, text)| text).collect();
    for rule in RULES {
        let fences = pages::page(rule).fences.into_iter();
        corpus.extend(fences.filter(|fence| fence.language == "lua").map(|fence| fence.text.into_bytes()));
    }
    corpus
}

#[test]
fn every_prefix_survives() {
    for text in corpus() {
        survives((0..text.len()).map(|end| text[..end].to_vec()));
    }
}

#[test]
fn every_lost_or_doubled_token_survives() {
    for text in corpus() {
        let tokens = tokens(&text);
        let changed = (0..tokens.len()).flat_map(|at| {
            let lost = [&tokens[..at], &tokens[at + 1..]].concat();
            let doubled = [&tokens[..=at], &tokens[at..]].concat();
            [lost.concat(), doubled.concat()]
        });
        survives(changed);
    }
}

#[test]
fn generated_programs_survive() {
    survives((0..3_000).map(|seed| generate::program(seed).into_bytes()));
}

#[test]
fn mutants_of_generated_programs_survive() {
    let mutants = (0..3_000).map(|seed| {
        let program = generate::program(seed);
        let mut tokens = tokens(program.as_bytes());
        let mut random = Random::new(seed + 1);
        let (one, other) = (random.below(tokens.len()), random.below(tokens.len()));
        tokens.swap(one, other);
        tokens.concat()
    });
    survives(mutants);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_survive(text in proptest::collection::vec(any::<u8>(), 0..200)) {
        survives(std::iter::once(text));
    }

    #[test]
    fn arbitrary_signs_survive(text in "[-a-z0-9 \n\t.,:;=~<>(){}\\[\\]\"'`#%^*/+\\\\]{0,200}") {
        survives(std::iter::once(text.into_bytes()));
    }
}

#[test]
fn deep_nesting_survives() {
    let nested = |open: &str, close: &str, levels: usize| [&open.repeat(levels), "1", &close.repeat(levels)].concat();
    let shapes = [
        ("(", ")"),
        ("{", "}"),
        ("a[", "]"),
        ("f(", ")"),
        ("not ", ""),
        ("- ", ""),
        ("2 ^ ", ""),
        ("'x' .. ", ""),
        ("function() return ", " end"),
    ];
    let mut texts = Vec::new();
    for levels in [150, 198, 199, 200, 5_000] {
        texts.extend(shapes.map(|(open, close)| format!("return {}", nested(open, close, levels))));
        texts.extend(
            [
                ("do ", " end"),
                ("if x then ", " end"),
                ("while x do ", " end"),
                ("repeat ", " until x"),
                ("for i = 1, 2 do ", " end"),
            ]
            .map(|(open, close)| format!("{}f(){}", open.repeat(levels), close.repeat(levels))),
        );
        // Never closed.
        texts.extend(shapes.map(|(open, _)| open.repeat(levels)));
    }
    survives(texts.into_iter().map(String::into_bytes));
}

#[test]
fn long_chains_survive() {
    let terms = 50_000;
    let chain = |term: &str| format!("local a = {{}} return a{}", term.repeat(terms));
    let texts = [
        chain(" + a"),
        chain(" .. a"),
        chain(" and a"),
        chain(" or a"),
        chain(" == a"),
        chain(".b"),
        chain("[1]"),
        chain("(1)"),
        chain(":m()"),
        format!("if a then {} end", "elseif b then ".repeat(terms)),
        format!("return {{{}}}", "1, ".repeat(terms)),
        format!("f({}1)", "1, ".repeat(terms)),
        "local a = 1 ".repeat(terms),
        "redis.call('SET', KEYS[1], 1) ".repeat(terms),
        format!("return {}", "-- \n".repeat(terms)),
    ];
    survives(texts.into_iter().map(String::into_bytes));
}

/// Each helper calls the one before twice: inlined without a bound, 2^60 calls.
#[test]
fn helpers_that_call_twice_survive() {
    let mut text = String::from("local function f0(k) return redis.call('INCR', k) end\n");
    for at in 1..60 {
        text += &format!("local function f{at}(k) f{0}(k) return f{0}(k) end\n", at - 1);
    }
    text += "return f59(KEYS[1])";
    survives(std::iter::once(text.into_bytes()));
}

#[test]
fn recursion_survives() {
    let texts = [
        "local function f(n) if n == 0 then return 1 end return n * f(n - 1) end return f(tonumber(ARGV[1]))",
        "local even, odd function even(n) return n == 0 or odd(n - 1) end function odd(n) return n ~= 0 and even(n - 1) end return even(4)",
        "local f f = function() return f() end return f()",
        "local t = {} t.t = t t[t] = t return t.t.t",
        "local function f(...) return f(f, ...) end return f()",
        "local function f(g) return g(g) end return f(f)",
    ];
    survives(texts.into_iter().map(|text| text.as_bytes().to_vec()));
}

#[test]
fn odd_bytes_survive() {
    let mega = "x".repeat(2 << 20);
    let texts: [Vec<u8>; 10] = [
        format!("return '{mega}'").into(),
        format!("return [[{mega}]]").into(),
        format!("--[[{mega}").into(),
        format!("return {mega}").into(),
        format!("redis.call('SET', KEYS[1], '{mega}')").into(),
        b"\xEF\xBB\xBFreturn 1".to_vec(),
        b"return '\xff\xfe\x00'".to_vec(),
        b"\x00".to_vec(),
        "`".repeat(300).into(),
        b"#!lua name=x\r\nreturn 1\r\r\n".to_vec(),
    ];
    survives(texts.into_iter());
}

/// The time that this thread has had, whatever else the machine does; where the system doesn't tell, the time of day.
fn clock() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    // The system counts a thread's time when it is put aside.
    thread::yield_now();
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// The time of the fastest of a few checks.
fn fastest(text: &str) -> Duration {
    let source = Source::file("-", text.as_bytes());
    let config = strict();
    let once = || {
        let start = clock();
        check(&source, &config);
        clock() - start
    };
    on_big_stack(|| (0..5).map(|_| once()).min().expect("there are five"))
}

/// A script ten times as long takes about ten times as long. Each shape was quadratic somewhere in this or another tool.
#[test]
fn time_is_linear() {
    type Shape = fn(usize) -> String;
    let shapes: &[(&str, Shape)] = &[
        ("statements", |n| "redis.call('SET', KEYS[1], ARGV[1])\n".repeat(n)),
        ("reads", |n| {
            "do local v = redis.call('GET', KEYS[1]) if v then redis.call('DEL', KEYS[1]) end end\n".repeat(n)
        }),
        ("built keys", |n| (0..n).map(|i| format!("redis.call('GET', 'k:' .. ARGV[1] .. ':{i}')\n")).collect()),
        ("one local", |n| format!("local v = 0\n{}return v", "v = v + 1\n".repeat(n))),
        ("one table", |n| format!("local t = {{}}\n{}return t", "t[#t + 1] = redis.call('GET', KEYS[1])\n".repeat(n))),
        ("fields", |n| {
            format!("local t = {{}}\n{}return t", (0..n).map(|i| format!("t.f{i} = {i}\n")).collect::<String>())
        }),
        ("sum", |n| format!("return 0{}", " + 1".repeat(5 * n))),
        ("concatenation", |n| format!("local s = ''\n{}return s", "s = s .. 'x'\n".repeat(n))),
        ("conditions", |n| {
            format!(
                "local v = redis.call('GET', KEYS[1])\n{}",
                "if v == ARGV[1] then redis.call('DEL', KEYS[1]) end\n".repeat(n)
            )
        }),
        ("elseif", |n| {
            format!(
                "local v = ARGV[1]\nif v == '' then return 0\n{}end",
                "elseif v == 'x' then redis.call('DEL', KEYS[1])\n".repeat(n)
            )
        }),
        ("loops", |n| "for i = 1, #KEYS do redis.call('DEL', KEYS[i]) end\n".repeat(n)),
        ("functions", |n| {
            (0..n)
                .map(|_| "do local function f(k) return redis.call('GET', k) end f(KEYS[1]) end\n".to_owned())
                .collect()
        }),
        ("one helper", |n| {
            format!("local function f(k) return redis.call('GET', k) end\n{}", "f(KEYS[1])\n".repeat(n))
        }),
        ("closures", |n| format!("local n = 0\n{}return n", "do local function f() n = n + 1 end f() end\n".repeat(n))),
        ("refusals", |n| {
            format!(
                "redis.call('INCR', KEYS[1])\n{}",
                "if not tonumber(ARGV[1]) then return redis.error_reply('no') end\n".repeat(n)
            )
        }),
        ("comments", |n| "-- evalint: allow(derived-key) reason\nredis.call('GET', KEYS[1])\n".repeat(n)),
        ("faults", |n| "local x = = 1\n".repeat(n)),
    ];
    // Debug builds run this for the panics; their times say little.
    let (size, bound) = if cfg!(debug_assertions) { (40, 30) } else { (200, 13) };
    let mut faults = String::new();
    for (name, shape) in shapes {
        let (short, long) = (fastest(&shape(size)), fastest(&shape(10 * size)));
        // What takes no time at all can't be compared.
        if bound * short.max(Duration::from_millis(1)) < long {
            faults += &format!("{name}: {short:?}, ten times as long {long:?}\n");
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}
