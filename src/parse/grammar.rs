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
mod loops;
mod refusal;
mod statement;

use super::{
    SyntaxError,
    lex::{Keyword, Kind, Lexed, Lexer, Token},
    registers::{Place, REGISTERS, TooComplex},
    scope::{Scopes, TooManyUpvalues, UPVALUES},
};
use crate::{limits::SYNTAX_LEVELS, source::Span};

/// Reads a whole script.
pub(super) fn read(text: &[u8]) -> Result<Lexed, Box<SyntaxError>> {
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

type Read<T> = Result<T, Box<SyntaxError>>;

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
        if !self.at_sign(sign) {
            return Err(self.expected(&format!("`{}`", char::from(sign))));
        }
        self.advance()
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
            return Err(SyntaxError::new(
                self.token.span,
                format!("the code nests deeper than the {SYNTAX_LEVELS} levels that the server takes"),
                Some("move the inner part to a local variable or a function"),
            ));
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
        result.map_err(|TooComplex| {
            SyntaxError::new(
                self.token.span,
                format!("the function needs more than the {REGISTERS} registers that it has for variables and values"),
                Some("pass fewer arguments at once, or pass a table with `unpack`"),
            )
        })
    }

    fn resolve(&mut self, name: Token) -> Read<Place> {
        let place = self.scopes.resolve(self.text(name.span));
        place.map_err(|TooManyUpvalues| {
            SyntaxError::new(
                name.span,
                format!("the function uses more than {UPVALUES} local variables of the code around it"),
                Some("keep them in one table"),
            )
        })
    }
}
