//! The words of a script, as the server's `llex.c` (Lua 5.1) reads them.
//!
//! One pass over the bytes, without an allocation for a word. It also makes the *copy*: the text that full_moon gets.
//! Invariant: the copy is ASCII and as long as the text, so places in full_moon's tree are places in the script. What
//! full_moon would read differently from Lua is replaced in it byte for byte: the copy is for the tree's shape only,
//! values of literals come from the text ([`literal`]).

use super::{Comment, SyntaxError, foreign, literal};
use crate::source::Span;

/// What a word is. Each byte that begins nothing longer is a `Sign`, as in Lua, even where no Lua program can hold it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Name,
    Number,
    Text,
    Keyword(Keyword),
    /// `..`
    Concat,
    /// `...`
    Dots,
    /// `==`
    Equal,
    /// `~=`
    Unequal,
    /// `<=`
    AtMost,
    /// `>=`
    AtLeast,
    Sign(u8),
    /// The script ends.
    End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Keyword {
    And,
    Break,
    Do,
    Else,
    Elseif,
    End,
    False,
    For,
    Function,
    If,
    In,
    Local,
    Nil,
    Not,
    Or,
    Repeat,
    Return,
    Then,
    True,
    Until,
    While,
}

impl Keyword {
    fn of(word: &[u8]) -> Option<Keyword> {
        Some(match word {
            b"and" => Keyword::And,
            b"break" => Keyword::Break,
            b"do" => Keyword::Do,
            b"else" => Keyword::Else,
            b"elseif" => Keyword::Elseif,
            b"end" => Keyword::End,
            b"false" => Keyword::False,
            b"for" => Keyword::For,
            b"function" => Keyword::Function,
            b"if" => Keyword::If,
            b"in" => Keyword::In,
            b"local" => Keyword::Local,
            b"nil" => Keyword::Nil,
            b"not" => Keyword::Not,
            b"or" => Keyword::Or,
            b"repeat" => Keyword::Repeat,
            b"return" => Keyword::Return,
            b"then" => Keyword::Then,
            b"true" => Keyword::True,
            b"until" => Keyword::Until,
            b"while" => Keyword::While,
            _ => return None,
        })
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
    /// Does a line end between the word before and this one?
    pub(super) on_new_line: bool,
}

pub(super) struct Lexer<'a> {
    pub(super) text: &'a [u8],
    at: usize,
    copy: Vec<u8>,
    comments: Vec<Comment>,
    shebang: Option<Span>,
}

/// What is left of the lexical pass.
pub(super) struct Lexed {
    pub(super) copy: Vec<u8>,
    pub(super) comments: Vec<Comment>,
    pub(super) shebang: Option<Span>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a [u8]) -> Lexer<'a> {
        let mut lexer = Lexer { text, at: 0, copy: text.to_vec(), comments: Vec::new(), shebang: None };
        if text.starts_with(b"#!") {
            // As the server does: up to the line feed, whatever the line holds.
            lexer.at = find(text, 0, |byte| byte == b'\n');
            lexer.copy[..lexer.at].fill(b' ');
            let end = lexer.at - usize::from(text[..lexer.at].ends_with(b"\r"));
            lexer.shebang = Some(span(0, end));
        }
        lexer
    }

    /// After the last word.
    pub(super) fn finish(self) -> Lexed {
        Lexed { copy: self.copy, comments: self.comments, shebang: self.shebang }
    }

    pub(super) fn next(&mut self) -> Result<Token, Box<SyntaxError>> {
        let on_new_line = self.skip_blanks()?;
        let start = self.at;
        let kind = self.word()?;
        Ok(Token { kind, span: span(start, self.at), on_new_line })
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    /// Steps over blanks and comments; does a line end in them?
    fn skip_blanks(&mut self) -> Result<bool, Box<SyntaxError>> {
        let mut newline = false;
        loop {
            match self.peek(0) {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\n' | b'\r') => {
                    newline = true;
                    self.at += 1;
                }
                Some(b'\x0B' | b'\x0C') => {
                    self.copy[self.at] = b' ';
                    self.at += 1;
                }
                Some(b'-') if self.peek(1) == Some(b'-') => newline |= self.comment()?,
                _ => return Ok(newline),
            }
        }
    }

    /// Keeps the comment that starts here and blanks it in the copy; does a line end in it?
    fn comment(&mut self) -> Result<bool, Box<SyntaxError>> {
        let start = self.at;
        self.at += 2;
        let text = match self.long_bracket() {
            Some(level) => {
                self.long_body(level).ok_or_else(|| foreign::unclosed("comment", span(start, self.at), self.text))?
            }
            None => {
                let end = find(self.text, self.at, |byte| matches!(byte, b'\n' | b'\r'));
                let text = span(self.at, end);
                self.at = end;
                text
            }
        };
        let span = span(start, self.at);
        self.copy[span.range()].fill(b' ');
        self.comments.push(Comment { span, text });
        let inside = &self.text[span.range()];
        Ok(inside.iter().any(|byte| matches!(byte, b'\n' | b'\r')))
    }

    /// The number of `=` in the long bracket that opens here, if one does. Does not step.
    fn long_bracket(&self) -> Option<usize> {
        if self.peek(0) != Some(b'[') {
            return None;
        }
        let end = find(self.text, self.at + 1, |byte| byte != b'=');
        (self.text.get(end) == Some(&b'[')).then(|| end - self.at - 1)
    }

    /// Steps over a long bracket and all that it holds, and says where that is; `None`: it isn't closed.
    ///
    /// `[[` inside of `[[` is refused by servers with an unpatched Lua (up to Redis 7.4.1 and Valkey 8.0.1) and taken by
    /// all later ones; it is taken here.
    fn long_body(&mut self, level: usize) -> Option<Span> {
        self.at += level + 2;
        let start = self.at;
        loop {
            let close = find(self.text, self.at, |byte| byte == b']');
            let end = find(self.text, close + 1, |byte| byte != b'=');
            if self.text.len() <= close {
                self.at = self.text.len();
                return None;
            }
            self.at = end.min(self.text.len());
            if self.peek(0) == Some(b']') && end - close - 1 == level {
                self.at += 1;
                return Some(span(start, close));
            }
        }
    }

    fn word(&mut self) -> Result<Kind, Box<SyntaxError>> {
        let start = self.at;
        let Some(first) = self.peek(0) else {
            return Ok(Kind::End);
        };
        self.at += 1;
        let second = self.peek(0);
        Ok(match (first, second) {
            (b'a'..=b'z' | b'A'..=b'Z' | b'_', _) => {
                self.at = find(self.text, self.at, |byte| !is_name_byte(byte));
                match Keyword::of(&self.text[start..self.at]) {
                    Some(keyword) => Kind::Keyword(keyword),
                    None => Kind::Name,
                }
            }
            (b'0'..=b'9', _) | (b'.', Some(b'0'..=b'9')) => {
                self.number(start)?;
                Kind::Number
            }
            (b'"' | b'\'', _) => {
                self.short_text(start, first)?;
                Kind::Text
            }
            (b'[', Some(b'[' | b'=')) => {
                self.at = start;
                self.long_text()?;
                Kind::Text
            }
            (b'=', Some(b'=')) => self.longer(1, Kind::Equal),
            (b'~', Some(b'=')) => self.longer(1, Kind::Unequal),
            (b'<', Some(b'=')) => self.longer(1, Kind::AtMost),
            (b'>', Some(b'=')) => self.longer(1, Kind::AtLeast),
            (b'.', Some(b'.')) if self.peek(1) == Some(b'.') => self.longer(2, Kind::Dots),
            (b'.', Some(b'.')) => self.longer(1, Kind::Concat),
            _ => Kind::Sign(first),
        })
    }

    fn longer(&mut self, bytes: usize, kind: Kind) -> Kind {
        self.at += bytes;
        kind
    }

    /// Lua first takes all that looks like a number and then asks whether it is one.
    fn number(&mut self, start: usize) -> Result<(), Box<SyntaxError>> {
        self.at = find(self.text, self.at, |byte| !matches!(byte, b'0'..=b'9' | b'.'));
        if matches!(self.peek(0), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(0), Some(b'+' | b'-')) {
                self.at += 1;
            }
        }
        self.at = find(self.text, self.at, |byte| !is_name_byte(byte));
        let word = &self.text[start..self.at];
        if literal::number(word).is_none() {
            return Err(foreign::number(span(start, self.at), self.text));
        }
        if word.contains(&b'p') || word.contains(&b'P') {
            // full_moon refuses the binary exponent that `strtod` takes after `0x` and digits.
            self.copy[start + 2..self.at].fill(b'1');
        }
        Ok(())
    }

    /// Steps over the rest of a string in quotes.
    fn short_text(&mut self, start: usize, quote: u8) -> Result<(), Box<SyntaxError>> {
        loop {
            self.at = find(self.text, self.at, |byte| {
                byte == quote || !byte.is_ascii() || matches!(byte, b'\\' | b'\n' | b'\r')
            });
            match self.peek(0) {
                Some(byte) if byte == quote => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                None | Some(b'\n' | b'\r') => {
                    return Err(foreign::unclosed("string", span(start, self.at), self.text));
                }
                Some(_) => {
                    self.copy[self.at] = b'?';
                    self.at += 1;
                }
            }
        }
    }

    /// Steps over one escape sequence.
    fn escape(&mut self) -> Result<(), Box<SyntaxError>> {
        let start = self.at;
        self.at += 1;
        match (self.peek(0), self.peek(1)) {
            (Some(b'\r'), Some(b'\n')) | (Some(b'\n'), Some(b'\r')) => {
                // full_moon takes only the first of the two as escaped.
                self.copy[self.at..self.at + 2].fill(b'?');
                self.at += 2;
            }
            (Some(b'0'..=b'9'), _) => {
                let digits = &self.text[self.at..self.text.len().min(self.at + 3)];
                self.at += find(digits, 0, |byte| !byte.is_ascii_digit());
                let code =
                    self.text[start + 1..self.at].iter().fold(0, |code, digit| code * 10 + u32::from(digit - b'0'));
                if u32::from(u8::MAX) < code {
                    return Err(foreign::escape(span(start, self.at), self.text));
                }
            }
            // A byte that isn't ASCII is left to the caller: it has to be replaced.
            (Some(byte), _) if byte.is_ascii() => self.at += 1,
            _ => {}
        }
        Ok(())
    }

    fn long_text(&mut self) -> Result<(), Box<SyntaxError>> {
        let start = self.at;
        let Some(level) = self.long_bracket() else {
            self.at = find(self.text, start + 1, |byte| byte != b'=');
            return Err(foreign::bracket(span(start, self.at), self.text));
        };
        if self.long_body(level).is_none() {
            return Err(foreign::unclosed("string", span(start, self.at), self.text));
        }
        for byte in &mut self.copy[start..self.at] {
            if !byte.is_ascii() {
                *byte = b'?';
            }
        }
        Ok(())
    }
}

/// The first place from `at` on where `stop` holds, or the end.
fn find(text: &[u8], at: usize, stop: impl Fn(u8) -> bool) -> usize {
    text.get(at..).and_then(|rest| rest.iter().position(|&byte| stop(byte))).map_or(text.len(), |found| at + found)
}

fn span(start: usize, end: usize) -> Span {
    Span::new(start as u32, end as u32)
}

pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
