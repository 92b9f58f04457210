//! Refusals that depend on what was read before.

use super::Reader;
use crate::parse::{
    SyntaxError, foreign,
    lex::{Keyword, Kind, Token},
};

impl Reader<'_> {
    /// The current word isn't what has to stand here.
    pub(super) fn expected(&self, what: &str) -> Box<SyntaxError> {
        let text = self.lexer.text;
        if let Some(error) = foreign::name(text, self.previous, self.token) {
            return error;
        }
        if let Some(previous) = self.previous
            && self.at(Kind::End)
        {
            let after = foreign::quote(text, previous);
            return SyntaxError::new(
                previous.span,
                format!("expected {what} after {after}, but the script ends"),
                None,
            );
        }
        let token = foreign::quote(text, self.token);
        let outside = self.levels == 1;
        if what == "a statement" && outside && matches!(self.token.kind, Kind::Sign(b')' | b']' | b'}')) {
            return self.closes_nothing();
        }
        if what == "a name" && matches!(self.token.kind, Kind::Keyword(_)) {
            let field = self.previous.is_some_and(|previous| previous.kind == Kind::Sign(b'.'));
            let word = token.trim_matches('`');
            let help = if field { format!("write `[\"{word}\"]`") } else { "choose another name".into() };
            return SyntaxError::new(self.token.span, format!("{token} is a keyword, no name"), Some(&help));
        }
        let help = match what {
            "`then`" | "`do`" if self.at_sign(b'=') => Some("write `==` to compare"),
            "a name" if self.previous.is_some_and(|previous| previous.kind == Kind::Sign(b':')) => {
                Some("write `key = value` in a table, and `object:method()` for a call")
            }
            _ => None,
        };
        SyntaxError::new(self.token.span, format!("expected {what} before {token}"), help)
    }

    /// What `opener` began isn't closed where it has to be.
    pub(super) fn unclosed(&self, closer: Kind, opener: Token) -> Box<SyntaxError> {
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
                _ if self.at_value() && matches!(closer.as_str(), ")" | "]" | "}") => {
                    Some("write `,` or an operator before it")
                }
                _ => None,
            };
            let token = foreign::quote(self.lexer.text, self.token);
            return SyntaxError::new(
                self.token.span,
                format!("expected `{closer}` to close {opener_text} before {token}"),
                help,
            );
        }
        let help = if self.else_if && closer == "end" {
            "add the `end`; unlike `elseif`, `else if` needs one of its own".to_owned()
        } else {
            format!("add the `{closer}`")
        };
        SyntaxError::new(opener.span, format!("{opener_text} is never closed by `{closer}`"), Some(&help))
    }

    /// The script goes on where it has to end.
    pub(super) fn unopened(&self) -> Box<SyntaxError> {
        if let Some(error) = foreign::name(self.lexer.text, self.previous, self.token) {
            return error;
        }
        if let Some(error) = self.after_last() {
            return error;
        }
        self.closes_nothing()
    }

    pub(super) fn closes_nothing(&self) -> Box<SyntaxError> {
        SyntaxError::new(
            self.token.span,
            format!("{} closes nothing", foreign::quote(self.lexer.text, self.token)),
            Some("remove it, or open what it has to close"),
        )
    }

    fn at_value(&self) -> bool {
        matches!(self.token.kind, Kind::Name | Kind::Number | Kind::Text)
    }

    /// Something follows a `return` or `break` in its block.
    pub(super) fn after_last(&self) -> Option<Box<SyntaxError>> {
        let last = self.last?;
        if self.at_block_end() {
            return None;
        }
        if self.at_sign(b';') {
            return Some(foreign::empty_statement(self.token));
        }
        let separated =
            self.token.on_new_line || self.previous.is_some_and(|previous| previous.kind == Kind::Sign(b';'));
        if last.kind == Kind::Keyword(Keyword::Return) && self.at_value() && !separated {
            let token = foreign::quote(self.lexer.text, self.token);
            let message = format!("expected the end of the block before {token}");
            return Some(SyntaxError::new(self.token.span, message, Some("write `,` or an operator before it")));
        }
        let word = foreign::quote(self.lexer.text, last);
        Some(SyntaxError::new(
            self.token.span,
            format!(
                "{} follows {word}, which has to be the last statement of its block",
                foreign::quote(self.lexer.text, self.token)
            ),
            Some(&format!("write `do {} end`, or remove what follows", word.trim_matches('`'))),
        ))
    }
}
