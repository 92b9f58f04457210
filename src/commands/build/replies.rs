//! The notation of `replies.txt` and `facts.txt`, explained at their heads.

use super::{Line, variant};

/// A command's replies as `&[Case]`.
pub(super) fn cases(line: &Line) -> String {
    let mut code = String::from("&[");
    for (at, case) in line.text.split("; ").enumerate() {
        let (when, answer) = match case.split_once(": ") {
            Some((when, answer)) if at != 0 => (conditions(when), answer),
            None if at == 0 => ("&[]".into(), case),
            _ => panic!("{}: `{case}` is neither the first reply nor `WHEN: REPLY`", line.place),
        };
        let answer = match answer.strip_prefix("+pairs of ") {
            Some(element) => format!("Answer::Pairs({})", kinds(element, &line.place)),
            None => reply(answer, &line.place),
        };
        code += &format!("Case {{ when: {when}, answer: {answer} }}, ");
    }
    code + "]"
}

/// The fields `takes`, `makes` and `repeats` of `Command`.
pub(super) fn facts(line: &Line) -> String {
    let (mut takes, mut makes, mut repeats) = ("None".to_owned(), "None".to_owned(), "None".to_owned());
    for fact in line.text.split(", ").filter(|fact| !fact.is_empty()) {
        match fact.split_once(' ').unwrap_or((fact, "")) {
            ("takes", "any") => takes = "Some(&[])".into(),
            ("takes", types) => {
                let types: String = types.split('|').map(|name| format!("RedisType::{}, ", variant(name))).collect();
                takes = format!("Some(&[{types}])");
            }
            ("makes", name) => makes = format!("Some(RedisType::{})", variant(name)),
            ("repeats", "") => repeats = "Some(&[])".into(),
            ("repeats", when) => repeats = format!("Some({})", conditions(when)),
            _ => panic!("{}: `{fact}` is no fact", line.place),
        }
    }
    format!("takes: {takes}, makes: {makes}, repeats: {repeats}")
}

/// `COUNT WITHDIST|WITHHASH start=-`: all of the words, one of the alternatives.
fn conditions(text: &str) -> String {
    let mut code = String::from("&[");
    for word in text.split(' ') {
        code += "&[";
        for choice in word.split('|') {
            code += &match choice.split_once('=') {
                Some((name, literal)) => format!("Test::Is({name:?}, b{literal:?}), "),
                None => format!("Test::Has({choice:?}), "),
            };
        }
        code += "], ";
    }
    code + "]"
}

/// `KINDS[LENGTH] [LOW..HIGH] [of KINDS][, pairs][, nested][, whole]`.
fn reply(text: &str, place: &str) -> String {
    let mut parts = text.split(", ");
    let mut words = parts.next().unwrap_or_default().split(' ');
    let (mut pairs, mut nested, mut whole) = (false, false, false);
    for part in parts {
        match part {
            "pairs" => pairs = true,
            "nested" => nested = true,
            "whole" => whole = true,
            _ => panic!("{place}: `{part}` is no property of a reply"),
        }
    }
    let first = words.next().unwrap_or_default();
    let (first, length) = match first.split_once('[') {
        Some((first, rest)) => {
            let inside = rest.strip_suffix(']').unwrap_or_else(|| panic!("{place}: `[` without `]`"));
            (first, length(inside, place))
        }
        None => (first, "Length::Between(0, i32::MAX)".into()),
    };
    let (mut low, mut high) = ("i32::MIN".to_owned(), "High::Is(i32::MAX)".to_owned());
    let mut element = "Kinds::NEVER".to_owned();
    while let Some(word) = words.next() {
        if let Some((from, to)) = word.split_once("..") {
            low = from.to_owned();
            high = match to.strip_prefix('#') {
                Some(name) => format!("High::NumberOf({name:?})"),
                None if to.is_empty() => high,
                None => format!("High::Is({to})"),
            };
        } else if word == "of" {
            element = kinds(words.next().unwrap_or_default(), place);
        } else {
            panic!("{place}: `{word}` is no part of a reply");
        }
    }
    let shape = match (pairs, nested) {
        (true, _) => "Pairs",
        (false, true) => "Nested",
        (false, false) => "Flat",
    };
    format!(
        "Answer::Is {{ kinds: {}, low: {low}, high: {high}, element: {element}, length: {length}, shape: Shape::{shape}, whole: {whole} }}",
        kinds(first, place)
    )
}

fn length(text: &str, place: &str) -> String {
    if let Some(name) = text.strip_prefix('#') {
        format!("Length::NumberOf({name:?})")
    } else if let Some(name) = text.strip_prefix("0..#") {
        format!("Length::UpToNumberOf({name:?})")
    } else if let Some(name) = text.strip_prefix("<|") {
        format!("Length::AtMostAbsolute({:?})", name.trim_end_matches('|'))
    } else if let Some(name) = text.strip_prefix('<') {
        format!("Length::AtMost({name:?})")
    } else if let Some((start, stop)) = text.split_once(':') {
        format!("Length::Ranks({start:?}, {stop:?})")
    } else {
        let (low, high) = text.split_once("..").unwrap_or((text, text));
        let high = if high.is_empty() { "i32::MAX" } else { high };
        assert!(low.parse::<i32>().is_ok(), "{place}: `{text}` is no length");
        format!("Length::Between({low}, {high})")
    }
}

fn kinds(text: &str, place: &str) -> String {
    let names = [
        "nil", "false", "true", "integer", "fraction", "numeral", "text", "status", "error", "table", "null", "string",
        "number", "boolean", "any",
    ];
    let mut code = String::from("Kinds::NEVER");
    for name in text.split('|') {
        assert!(names.contains(&name), "{place}: `{name}` is no kind");
        code += &format!(".or(Kinds::{})", name.to_ascii_uppercase());
    }
    code
}
