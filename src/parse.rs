//! From text to a syntax tree: full_moon, restricted to Lua 5.1, behind one function.

use crate::source::{Source, Span};

/// A script that the server would compile.
pub struct Parsed {
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

/// Parses a script.
pub fn parse(source: &Source) -> Result<Parsed, Vec<SyntaxError>> {
    let text = String::from_utf8_lossy(&source.text);
    let ast = full_moon::parse(&text).map_err(|_| Vec::new())?;
    Ok(Parsed { ast, comments: Vec::new(), shebang: None })
}
