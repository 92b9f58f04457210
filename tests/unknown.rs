//! No rule reports on what is unknown: the bad examples of all pages, with their sources replaced by ones that nobody can know.

#[path = "common/marks.rs"]
mod marks;
#[path = "common/page.rs"]
mod pages;
#[path = "common/setting.rs"]
mod setting;

use std::fmt::Write;

use evalint::{
    rule::{RULES, rule},
    source::{LineIndex, Source},
};
use setting::Setting;

/// What the text shows by itself, wherever values come from. A rule with a part of its message: only what says that.
const SHOWN_BY_TEXT: &[(&str, &str)] = &[
    // Names, literals and comments.
    ("syntax-error", ""),
    ("invalid-escape", ""),
    ("undefined-global", ""),
    ("missing-function", ""),
    ("deprecated-function", ""),
    ("global-assignment", ""),
    ("readonly-table", ""),
    ("leaking-setting", ""),
    ("error-object", ""),
    ("weak-random", ""),
    ("unknown-rule", ""),
    ("unused-allow", ""),
    // Several values in one place, whatever they are.
    ("unpack-not-last", ""),
    // The form of what is returned: named fields, comparisons, fractions that the script makes, a nil or a hole.
    ("boolean-reply", ""),
    ("mixed-reply", ""),
    ("cyclic-reply", ""),
    ("dropped-fields", ""),
    ("reserved-reply-field", ""),
    ("truncated-float", "holds only the whole part of"),
    ("truncated-array", "is left out on some rounds"),
    ("truncated-array", "it is nil"),
    // Names and flags of functions; examples lose their shebang.
    ("invalid-registration", ""),
    ("invalid-shebang", ""),
    ("call-at-load", "`math`"),
    ("engine-difference", "is written with a point"),
    // That it is unknown is what it says.
    ("dynamic-command", ""),
    // Every command may fail, and this is how `pcall` tells it.
    ("unchecked-pcall", ""),
    ("caught-error-is-string", ""),
    // Tables that the script builds, quotients, and what comparisons give, on their way to the client or into JSON.
    ("boolean-reply", ""),
    ("cyclic-reply", ""),
    ("dropped-fields", ""),
    ("empty-array-as-object", ""),
    ("mixed-reply", ""),
    ("reserved-reply-field", ""),
    ("truncated-array", "`wanted[i]`"),
    ("truncated-array", "it is nil"),
    ("truncated-float", "Redis cuts"),
    // Literals and names.
    ("number-argument-format", "`1000000000`"),
    // Any JSON may hold null.
    ("json-null-test", ""),
    // A local without a value, `n % 2`, `1 == 2`.
    ("maybe-nil", "`prefix`"),
    ("always-true-reply", "`odd`"),
    ("non-string-argument", "`flag`, which is boolean"),
];

#[test]
fn replies_of_an_unknown_function() {
    assert_silent(|script| script.calls(|_| "fetch".into()).inputs().text);
}

#[test]
fn replies_of_an_unknown_command() {
    assert_silent(|script| script.commands().inputs().text);
}

#[test]
fn parameters_of_a_helper_that_nobody_calls() {
    assert_silent(|script| {
        let body = script.calls(|_| "fetch".into()).inputs().text;
        format!("local function helper(fetch, given, ...)\n{body}\nend\nreturn 1\n")
    });
}

/// Checks every bad example after `change`, with all rules of the strict preset.
fn assert_silent(change: impl Fn(Script) -> String) {
    let mut faults = String::new();
    let mut examples = 0;
    for rule in RULES {
        let page = pages::page(rule);
        for fence in page.fences.iter().filter(|fence| fence.language == "lua" && fence.is("bad")) {
            let marked = marks::cut(fence.text.as_bytes(), "--").unwrap();
            let text = change(Script::new(&String::from_utf8(marked.text).expect("pages are UTF-8")));
            let mut setting = Setting { strict: true, ..Setting::default() };
            for word in fence.words[1..].iter().filter(|word| !word.ends_with(".lua") && *word != "strict") {
                setting.word(word).unwrap();
            }
            let source = Source::file(page.path.as_str(), text.as_bytes());
            let lines = LineIndex::new(&source.text);
            examples += 1;
            for one in setting.check(&source) {
                let shown = |&(name, part): &(&str, &str)| name == one.rule.name && one.finding.message.contains(part);
                // Rules about plain Lua look at the text alone.
                if one.rule.category == "lua" || SHOWN_BY_TEXT.iter().any(shown) {
                    continue;
                }
                let line = lines.line_span(lines.line(one.finding.span.start));
                writeln!(
                    faults,
                    "{}: {}: {}\n    {}",
                    page.path,
                    one.rule.name,
                    one.finding.message,
                    source.snippet(line)
                )
                .unwrap();
            }
        }
    }
    assert!(RULES.len() / 2 < examples);
    assert!(faults.is_empty(), "these report on what is unknown, or on what belongs into SHOWN_BY_TEXT:\n{faults}");
}

#[test]
fn the_exceptions_are_rules() {
    for (name, _) in SHOWN_BY_TEXT {
        assert!(rule(name).is_some(), "{name}");
    }
}

/// A script whose sources are being replaced.
struct Script {
    text: String,
}

impl Script {
    /// Without a shebang, whose functions would be roots.
    fn new(text: &str) -> Script {
        let text = match text.strip_prefix("#!") {
            Some(rest) => rest.split_once('\n').map_or("", |(_, rest)| rest),
            None => text,
        };
        Script { text: text.replace("server.call", "redis.call").replace("server.pcall", "redis.pcall") }
    }

    /// Puts something else for the functions that send commands.
    fn calls(self, with: impl Fn(&str) -> String) -> Script {
        let text = self.text.replace("redis.pcall", &with("redis.pcall")).replace("redis.call", &with("redis.call"));
        Script { text }
    }

    /// KEYS and ARGV are some table.
    fn inputs(self) -> Script {
        Script { text: self.words(|word| matches!(word, "KEYS" | "ARGV").then(|| "given".into())) }
    }

    /// The names of commands are unknown.
    fn commands(self) -> Script {
        // `local call = redis.call`
        let alias = |line: &str| {
            let (name, value) = line.trim_start().strip_prefix("local ")?.split_once(" = ")?;
            matches!(value.trim(), "redis.call" | "redis.pcall").then(|| name.to_owned())
        };
        let mut calls: Vec<String> = self.text.lines().filter_map(alias).collect();
        calls.extend(["redis.call".into(), "redis.pcall".into()]);
        let mut text = self.text;
        for call in calls {
            let mut out = String::new();
            let mut rest = text.as_str();
            while let Some(at) = rest.find(&call) {
                let (before, after) = rest.split_at(at + call.len());
                out += before;
                let blanks = after.len() - after.trim_start_matches(['(', ',', ' ', '\n']).len();
                let (open, literal) = after.split_at(blanks);
                rest = after;
                if let Some(quote) = literal.chars().next().filter(|quote| matches!(quote, '\'' | '"'))
                    && open.contains(['(', ','])
                    && let Some((_, tail)) = literal[1..].split_once(quote)
                {
                    out += open;
                    out += "fetch()";
                    rest = tail;
                }
            }
            text = out + rest;
        }
        Script { text }
    }

    /// The text with some of its words replaced.
    fn words(&self, with: impl Fn(&str) -> Option<String>) -> String {
        let mut out = String::new();
        let mut rest = self.text.as_str();
        while let Some(first) = rest.chars().next() {
            let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
            let end = match is_word(first) {
                true => rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()),
                false => first.len_utf8(),
            };
            let (word, after) = rest.split_at(end);
            out += &with(word).unwrap_or_else(|| word.into());
            rest = after;
        }
        out
    }
}
