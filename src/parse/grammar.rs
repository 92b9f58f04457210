//! Does the server compile the script? Follows its `lparser.c` (Lua 5.1) function by function, so the verdict and the
//! place are the server's. Nothing is built; full_moon does that for the scripts that pass.
//!
//! Not followed, since it takes scripts of several hundred kilobytes: more than 262,144 different constants in one
//! function, and jumps over more than 131,071 instructions.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "as in the server's parser, a word is looked at for what may stand here"
)]

mod expression;
mod statement;

use super::{
    SyntaxError, foreign,
    lex::{Keyword, Kind, Lexed, Lexer, Token},
    registers::TooComplex,
    scope::{Scopes, TooManyUpvalues, UPVALUES},
};
use crate::{limits::SYNTAX_LEVELS, source::Span};

/// Reads a whole script.
pub(super) fn read(text: &[u8]) -> Result<Lexed, SyntaxError> {
    let mut lexer = Lexer::new(text);
    let token = lexer.next()?;
    let mut reader = Reader {
        lexer,
        previous: None,
        token,
        ahead: None,
        scopes: Scopes::new(),
        levels: 0,
        last: None,
        else_if: false,
    };
    reader.chunk()?;
    if reader.token.kind != Kind::End {
        return Err(reader.unopened());
    }
    Ok(reader.lexer.finish())
}

type Read<T> = Result<T, SyntaxError>;

struct Reader<'a> {
    lexer: Lexer<'a>,
    /// The word before the current one.
    previous: Option<Token>,
    token: Token,
    /// The word after the current one, where it had to be looked at.
    ahead: Option<Token>,
    scopes: Scopes<'a>,
    /// Open levels of blocks and expressions.
    levels: u32,
    /// The `return` or `break` that ended the block just read, while the current word is the one after that block.
    last: Option<Token>,
    /// Did an `else if` stand on one line?
    else_if: bool,
}

impl<'a> Reader<'a> {
    fn text(&self, span: Span) -> &'a [u8] {
        &self.lexer.text[span.range()]
    }

    fn advance(&mut self) -> Read<()> {
        let next = match self.ahead.take() {
            // Lua compares the lines of the two words after it has read the second: they look like one line to it.
            Some(ahead) => Token { on_new_line: false, ..ahead },
            None => self.lexer.next()?,
        };
        self.previous = Some(self.token);
        self.token = next;
        self.last = None;
        Ok(())
    }

    fn look_ahead(&mut self) -> Read<Kind> {
        let ahead = match self.ahead {
            Some(ahead) => ahead,
            None => self.lexer.next()?,
        };
        self.ahead = Some(ahead);
        Ok(ahead.kind)
    }

    fn at(&self, kind: Kind) -> bool {
        self.token.kind == kind
    }

    fn at_sign(&self, sign: u8) -> bool {
        self.at(Kind::Sign(sign))
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.at(Kind::Keyword(keyword))
    }

    /// Steps over the sign if it is there.
    fn take_sign(&mut self, sign: u8) -> Read<bool> {
        let here = self.at_sign(sign);
        if here {
            self.advance()?;
        }
        Ok(here)
    }

    fn expect(&mut self, kind: Kind, what: &str) -> Read<()> {
        if !self.at(kind) {
            return Err(self.expected(what));
        }
        self.advance()
    }

    fn expect_sign(&mut self, sign: u8) -> Read<()> {
        self.expect(Kind::Sign(sign), &format!("`{}`", char::from(sign)))
    }

    /// Steps over a name.
    fn name(&mut self) -> Read<Token> {
        let name = self.token;
        self.expect(Kind::Name, "a name")?;
        Ok(name)
    }

    /// Steps over what closes `opener`.
    fn close(&mut self, closer: Kind, opener: Token) -> Read<()> {
        if self.at(closer) {
            return self.advance();
        }
        Err(self.unclosed(closer, opener))
    }

    /// One level deeper; the server counts each block, each expression, and what stands on the right of an operator.
    fn enter_level(&mut self) -> Read<()> {
        self.levels += 1;
        if SYNTAX_LEVELS < self.levels {
            return Err(SyntaxError {
                span: self.token.span,
                message: format!("the code nests deeper than the {SYNTAX_LEVELS} levels that the server takes"),
                help: Some("move the inner part to a local variable or a function".into()),
            });
        }
        Ok(())
    }

    fn leave_level(&mut self) {
        self.levels -= 1;
    }

    /// Is the current word the end of a block?
    fn at_block_end(&self) -> bool {
        matches!(
            self.token.kind,
            Kind::End | Kind::Keyword(Keyword::Else | Keyword::Elseif | Keyword::End | Keyword::Until)
        )
    }

    /// The registers ran out at the current word.
    fn fits<T>(&self, result: Result<T, TooComplex>) -> Read<T> {
        result.map_err(|TooComplex| SyntaxError {
            span: self.token.span,
            message: "the function needs more than the 249 registers that it has for variables and values".into(),
            help: Some("pass fewer arguments at once, or pass a table with `unpack`".into()),
        })
    }

    fn resolve(&mut self, name: Token) -> Read<super::registers::Place> {
        let place = self.scopes.resolve(self.text(name.span));
        place.map_err(|TooManyUpvalues| SyntaxError {
            span: name.span,
            message: format!("the function uses more than {UPVALUES} local variables of the code around it"),
            help: Some("keep them in one table".into()),
        })
    }

    /// The current word isn't what has to stand here.
    fn expected(&self, what: &str) -> SyntaxError {
        let text = self.lexer.text;
        if let Some(error) = foreign::name(text, self.previous, self.token) {
            return error;
        }
        if let Some(previous) = self.previous
            && self.at(Kind::End)
        {
            let after = foreign::quote(text, previous);
            return SyntaxError {
                span: previous.span,
                message: format!("expected {what} after {after}, but the script ends"),
                help: None,
            };
        }
        let token = foreign::quote(text, self.token);
        if what == "a statement" && matches!(self.token.kind, Kind::Sign(b')' | b']' | b'}')) {
            return self.closes_nothing();
        }
        let help = match what {
            "`then`" | "`do`" if self.at_sign(b'=') => Some("write `==` to compare"),
            "a name" if self.previous.is_some_and(|previous| previous.kind == Kind::Sign(b':')) => {
                Some("write `key = value` in a table, and `object:method()` for a call")
            }
            _ => None,
        };
        SyntaxError {
            span: self.token.span,
            message: format!("expected {what} before {token}"),
            help: help.map(Into::into),
        }
    }

    /// What `opener` began isn't closed where it has to be.
    fn unclosed(&self, closer: Kind, opener: Token) -> SyntaxError {
        if let Some(error) = foreign::name(self.lexer.text, self.previous, self.token) {
            return error;
        }
        if let Some(error) = self.after_last() {
            return error;
        }
        let closer = match closer {
            Kind::Sign(sign) => char::from(sign).to_string(),
            Kind::Keyword(Keyword::Until) => "until".into(),
            _ => "end".into(),
        };
        let opener_text = foreign::quote(self.lexer.text, opener);
        if !self.at(Kind::End) {
            let help = match self.token.kind {
                Kind::Sign(b':') if closer == "}" => Some("write `[key] = value`"),
                Kind::Name | Kind::Number | Kind::Text if closer != "end" && closer != "until" => {
                    Some("write `,` or an operator before it")
                }
                _ => None,
            };
            let token = foreign::quote(self.lexer.text, self.token);
            return SyntaxError {
                span: self.token.span,
                message: format!("expected `{closer}` to close {opener_text} before {token}"),
                help: help.map(Into::into),
            };
        }
        let help = if self.else_if && closer == "end" {
            "add the `end`; unlike `elseif`, `else if` needs one of its own".to_owned()
        } else {
            format!("add the `{closer}`")
        };
        SyntaxError {
            span: opener.span,
            message: format!("{opener_text} is never closed by `{closer}`"),
            help: Some(help),
        }
    }

    /// The script goes on where it has to end.
    fn unopened(&self) -> SyntaxError {
        if let Some(error) = foreign::name(self.lexer.text, self.previous, self.token) {
            return error;
        }
        if let Some(error) = self.after_last() {
            return error;
        }
        self.closes_nothing()
    }

    fn closes_nothing(&self) -> SyntaxError {
        SyntaxError {
            span: self.token.span,
            message: format!("{} closes nothing", foreign::quote(self.lexer.text, self.token)),
            help: Some("remove it, or open what it has to close".into()),
        }
    }

    /// Something follows a `return` or `break` in its block.
    fn after_last(&self) -> Option<SyntaxError> {
        let last = self.last?;
        if self.at_block_end() {
            return None;
        }
        let word = foreign::quote(self.lexer.text, last);
        Some(SyntaxError {
            span: self.token.span,
            message: format!(
                "{} follows {word}, which has to be the last statement of its block",
                foreign::quote(self.lexer.text, self.token)
            ),
            help: Some(format!("write `do {} end`, or remove what follows", word.trim_matches('`'))),
        })
    }
}
