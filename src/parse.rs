//! From text to a syntax tree: full_moon, restricted to Lua 5.1, behind one function.
//!
//! A script is read twice. [`grammar`] gives the verdict, as the server's own parser would; only what it takes goes to
//! full_moon, which builds the tree. So full_moon never meets what makes it panic or overflow the stack.

mod foreign;
mod grammar;
mod lex;
pub(crate) mod literal;
mod registers;
mod scope;

use crate::source::{Source, Span};

/// A script that the server would compile.
pub struct Parsed {
    /// Its places are bytes of the script. Its literals aren't the script's: see [`literal`].
    pub(crate) ast: full_moon::ast::Ast,
    pub comments: Vec<Comment>,
    /// The first line if it starts with `#!`, without its end.
    pub shebang: Option<Span>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comment {
    /// With its dashes and brackets, without the line's end.
    pub span: Span,
    /// What stands inside.
    pub text: Span,
}

/// What the server would refuse, at its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    pub span: Span,
    pub message: String,
    pub help: Option<String>,
}

impl SyntaxError {
    /// In a box, so that what every function of the parser hands on is small.
    fn new(span: Span, message: impl Into<String>, help: Option<&str>) -> Box<SyntaxError> {
        Box::new(SyntaxError { span, message: message.into(), help: help.map(Into::into) })
    }
}

/// Parses a script. There is one error for one mistake: the server's parser stops at the first, and so does this.
pub fn parse(source: &Source) -> Result<Parsed, Vec<SyntaxError>> {
    let lexed = grammar::read(&source.text).map_err(|error| vec![*error])?;
    let copy = match str::from_utf8(&lexed.copy) {
        Ok(copy) => copy.into(),
        Err(_) => String::from_utf8_lossy(&lexed.copy),
    };
    let ast = full_moon::parse_fallible(&copy, full_moon::LuaVersion::lua51())
        .into_result()
        .map_err(|errors| errors.iter().map(not_understood).collect::<Vec<_>>())?;
    Ok(Parsed { ast, comments: lexed.comments, shebang: lexed.shebang })
}

/// The string literals of a text that can be parsed.
pub(crate) fn strings(text: &[u8]) -> Vec<Span> {
    let mut lexer = lex::Lexer::new(text);
    let mut strings = Vec::new();
    while let Ok(token) = lexer.next() {
        match token.kind {
            lex::Kind::Text => strings.push(token.span),
            lex::Kind::End => break,
            lex::Kind::Name
            | lex::Kind::Number
            | lex::Kind::Keyword(_)
            | lex::Kind::Concat
            | lex::Kind::Dots
            | lex::Kind::Equal
            | lex::Kind::Unequal
            | lex::Kind::AtMost
            | lex::Kind::AtLeast
            | lex::Kind::Sign(_) => {}
        }
    }
    strings
}

/// full_moon refuses what the server takes. No script is known that shows it.
fn not_understood(error: &full_moon::Error) -> SyntaxError {
    let (start, end) = error.range();
    SyntaxError {
        span: Span::new(start.bytes() as u32, end.bytes() as u32),
        message: format!("the server takes this, evalint can't read it: {}", error.error_message()),
        help: None,
    }
}

#[cfg(test)]
mod tests {
    use full_moon::node::Node;

    use super::*;

    /// The words of the tree, by the bytes of the script at their places.
    fn words(text: &[u8]) -> Vec<&[u8]> {
        let parsed = parse(&Source::file("-", text)).unwrap_or_else(|errors| panic!("{errors:?}"));
        let tokens = parsed.ast.nodes().tokens().map(|token| token.token());
        let places = tokens.map(|token| token.start_position().bytes()..token.end_position().bytes());
        places.map(|place| &text[place]).collect()
    }

    #[test]
    fn places_in_the_tree_are_places_in_the_script() {
        let text = b"#!lua\xFF\r\nlocal s --\xE9\xFF\r= '\xC3\xA9\xFF\\\r\n\\\xFE' .. [[\xE2\x82\xAC]]\x0B+ 0x1p4..n\n\rreturn\x0Cs";
        let expected: [&[u8]; 12] = [
            b"local",
            b"s",
            b"=",
            b"'\xC3\xA9\xFF\\\r\n\\\xFE'",
            b"..",
            b"[[\xE2\x82\xAC]]",
            b"+",
            b"0x1p4",
            b"..",
            b"n",
            b"return",
            b"s",
        ];
        assert_eq!(words(text), expected);
    }
}
