//! What comments say about a script's keys.
//!
//! A *pattern* is a key's name with variable parts (`inventory:{sku}:stock`). People write it beside the input already:
//! `-- KEYS[1] inventory:{sku}:stock`. Only what can't be prose counts: one word without blanks or quotes that holds `:` or `{`.

use crate::{
    parse::Comment,
    source::{Source, Span},
};

/// What a script's comments say about its keys.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Patterns {
    pub keys: Vec<Pattern>,
    /// Inputs that a wanted key scheme starts with, written `KEYS[1]` or `ARGV[2]`.
    pub prefixes: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// 1 for `KEYS[1]`.
    pub index: u32,
    pub text: String,
    pub span: Span,
}

/// Reads all comments of a script.
pub fn patterns(source: &Source, comments: &[Comment]) -> Patterns {
    let mut patterns = Patterns::default();
    for comment in comments {
        let mut start = comment.text.start;
        let text = &source.text[comment.text.range()];
        if !text.iter().any(|byte| matches!(byte, b'[' | b'@')) {
            continue;
        }
        for line in text.split(|&byte| byte == b'\n' || byte == b'\r') {
            // Patterns are ASCII or UTF-8; a line with other bytes is prose in another encoding.
            if let Ok(line) = str::from_utf8(line) {
                read_line(line, start, &mut patterns);
            }
            start += line.len() as u32 + 1;
        }
    }
    patterns
}

/// `text` if it is `KEYS[n]` or `ARGV[n]`.
pub(crate) fn input(text: &str) -> Option<String> {
    let number = |rest: &str| rest.strip_suffix(']').and_then(index);
    let written = match text.get(..5)? {
        name @ ("KEYS[" | "ARGV[") => format!("{name}{}]", number(&text[5..])?),
        _ => return None,
    };
    Some(written)
}

fn index(text: &str) -> Option<u32> {
    text.parse().ok().filter(|&index| index != 0)
}

fn read_line(line: &str, start: u32, patterns: &mut Patterns) {
    // What comes before the input: the third dash of `---`, bullets, `*` of blocks.
    let text = line.trim_start_matches(['-', '*', ' ', '\t', '•']);
    let text = text.strip_prefix("@param ").unwrap_or(text).trim_start();
    if let Some(rest) = text.strip_prefix("@prefix ") {
        patterns.prefixes.extend(rest.split([' ', ',']).filter_map(input));
        return;
    }
    let (number, rest) = if let Some(rest) = text.strip_prefix("@key ") {
        // An annotation says that it is one: prose may follow.
        let rest = rest.trim_start();
        let (number, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let word = rest.trim_start();
        (number, word.split_whitespace().next().unwrap_or(word))
    } else if let Some((number, rest)) = text.strip_prefix("KEYS[").and_then(|rest| rest.split_once(']')) {
        let rest = rest.trim_start();
        let separators = ["->", "=>", ":", "=", "-", "–", "—"];
        let rest = separators.iter().find_map(|separator| rest.strip_prefix(separator)).unwrap_or(rest);
        (number, rest.trim())
    } else {
        return;
    };
    let word = rest.trim_end_matches([',', ';', '.']);
    if let Some(index) = index(number.trim())
        && is_pattern(word)
    {
        let offset = word.as_ptr() as usize - line.as_ptr() as usize;
        let start = start + offset as u32;
        patterns.keys.push(Pattern { index, text: word.to_owned(), span: Span::new(start, start + word.len() as u32) });
    }
}

fn is_pattern(word: &str) -> bool {
    // A tag must be closed to be one, and a word that ends in a colon announces prose.
    let tagged = word.split_once('{').is_some_and(|(_, rest)| rest.contains('}'));
    (word.contains(':') || tagged)
        && !word.ends_with(':')
        && !word.contains(|letter: char| letter.is_whitespace() || "'\"`()".contains(letter))
        && word.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys and prefixes of a comment's inside.
    fn read(text: &str) -> (Vec<(u32, String)>, Vec<String>) {
        let source = Source::file("a.lua", format!("--{text}").into_bytes());
        let text = Span::new(2, 2 + text.len() as u32);
        let span = Span::new(0, text.end);
        let patterns = patterns(&source, &[Comment { span, text }]);
        for key in &patterns.keys {
            assert_eq!(source.snippet(key.span), key.text);
        }
        let keys = patterns.keys.into_iter().map(|key| (key.index, key.text));
        (keys.collect(), patterns.prefixes)
    }

    fn key(text: &str) -> Option<(u32, String)> {
        read(text).0.pop()
    }

    #[test]
    fn the_forms_that_people_write() {
        let stock = |index| Some((index, "inventory:{sku}:stock".to_owned()));
        assert_eq!(key(" KEYS[1] inventory:{sku}:stock"), stock(1));
        assert_eq!(key("KEYS[2]: inventory:{sku}:stock"), stock(2));
        assert_eq!(key("  - KEYS[3] = inventory:{sku}:stock,"), stock(3));
        assert_eq!(key(" KEYS[12] -> inventory:{sku}:stock"), stock(12));
        assert_eq!(key("-@key 1 inventory:{sku}:stock how many are left"), stock(1));
        assert_eq!(key(" @param KEYS[1] inventory:{sku}:stock"), stock(1));
        assert_eq!(key(" KEYS[1] {queue}"), Some((1, "{queue}".into())));
    }

    #[test]
    fn prose_is_no_pattern() {
        for text in [
            " KEYS[1] 'wait'",
            " KEYS[1] job key",
            " KEYS[1] wait",
            " KEYS[1] a:b the counter",
            " KEYS[1] key:",
            " KEYS[1] {",
            " KEYS[0] a:b",
            " KEYS[i] a:b",
            " uses KEYS[1] a:b",
            " ARGV[1] a:b",
            " KEYS[1] \"a:b\"",
        ] {
            assert_eq!(key(text), None, "{text}");
        }
    }

    #[test]
    fn a_block_is_read_line_by_line() {
        let (keys, prefixes) = read("\n  Input:\n    KEYS[1] a:{x}\n  * KEYS[2] b:{x}\r\n @prefix KEYS[1], ARGV[2]\n");
        assert_eq!(keys, [(1, "a:{x}".into()), (2, "b:{x}".into())]);
        assert_eq!(prefixes, ["KEYS[1]", "ARGV[2]"]);
    }
}
