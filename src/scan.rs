//! Lua text cut into comments, strings and words, without judging it: it may be a program of another kind, or a template of one.

use std::ops::Range;

/// A part of a text. What lies between parts is blank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// `-- ...`, without the line's end.
    Line(Range<usize>),
    /// `--[[ ... ]]`, a quoted string, a long string.
    Closed(Range<usize>),
    Word(Range<usize>),
    Sign(usize),
}

/// Goes over the parts of a text.
pub(crate) struct Scan<'a> {
    text: &'a [u8],
    /// Where the next part is looked for.
    pub(crate) at: usize,
}

impl Scan<'_> {
    pub(crate) fn new(text: &[u8]) -> Scan<'_> {
        Scan { text, at: 0 }
    }
}

impl Iterator for Scan<'_> {
    type Item = Part;

    fn next(&mut self) -> Option<Part> {
        let text = self.text;
        while text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        let at = self.at;
        let part = match *text.get(at)? {
            b'-' if text[at..].starts_with(b"--") => match long(text, at + 2) {
                Some(end) => Part::Closed(at..end),
                None => Part::Line(at..line_end(text, at)),
            },
            b'"' | b'\'' => Part::Closed(at..quoted(text, at)),
            b'[' => long(text, at).map_or(Part::Sign(at), |end| Part::Closed(at..end)),
            byte if is_word(byte) => Part::Word(at..word_end(text, at)),
            _ => Part::Sign(at),
        };
        self.at = match &part {
            Part::Line(range) | Part::Closed(range) | Part::Word(range) => range.end,
            Part::Sign(at) => at + 1,
        };
        Some(part)
    }
}

pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

pub(crate) fn word_end(text: &[u8], start: usize) -> usize {
    text[start..].iter().position(|&byte| !is_word(byte)).map_or(text.len(), |length| start + length)
}

fn line_end(text: &[u8], start: usize) -> usize {
    text[start..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |length| start + length)
}

/// The end of the quoted string at `start`; an unfinished one ends with its line.
fn quoted(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            _ if byte == text[start] => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// The end of the long bracket at `start`, if there is one.
fn long(text: &[u8], start: usize) -> Option<usize> {
    let rest = text[start..].strip_prefix(b"[")?;
    let level = rest.iter().take_while(|&&byte| byte == b'=').count();
    if rest.get(level) != Some(&b'[') {
        return None;
    }
    let close = [b"]".as_slice(), &b"=".repeat(level), b"]"].concat();
    let inside = start + level + 2;
    let found = text[inside..].windows(close.len()).position(|window| window == close);
    Some(found.map_or(text.len(), |length| inside + length + close.len()))
}
