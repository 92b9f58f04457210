//! Statements.

use smallvec::SmallVec;

use super::{Read, Reader};
use crate::{
    limits::SYNTAX_LEVELS,
    parse::{
        SyntaxError, foreign,
        lex::{Keyword, Kind, Token},
        registers::{Operand, Place},
        scope::LOCALS,
    },
};

/// Names that are read but not in scope yet; `None`: hidden.
pub(super) type Pending<'a> = SmallVec<[Option<&'a [u8]>; 8]>;

impl<'a> Reader<'a> {
    pub(super) fn chunk(&mut self) -> Read<()> {
        self.enter_level()?;
        self.last = None;
        while !self.at_block_end() {
            let first = self.token;
            let last = self.statement()?;
            self.take_sign(b';')?;
            self.scopes.end_statement();
            self.last = last.then_some(first);
            if last {
                break;
            }
        }
        self.leave_level();
        Ok(())
    }

    pub(super) fn block(&mut self) -> Read<()> {
        let block = self.scopes.enter_block();
        self.chunk()?;
        self.scopes.leave_block(block);
        Ok(())
    }

    /// Reads one statement; is it one that has to be the last of its block?
    fn statement(&mut self) -> Read<bool> {
        let opener = self.token;
        let Kind::Keyword(keyword) = opener.kind else {
            self.call_or_assignment()?;
            return Ok(false);
        };
        match keyword {
            Keyword::If => self.branch(opener)?,
            Keyword::While => self.while_loop(opener)?,
            Keyword::Do => {
                self.advance()?;
                self.block()?;
                self.end(opener)?;
            }
            Keyword::For => self.for_loop(opener)?,
            Keyword::Repeat => self.repeat_loop(opener)?,
            Keyword::Function => self.function(opener)?,
            Keyword::Local => {
                self.advance()?;
                if self.at_keyword(Keyword::Function) {
                    self.local_function()?;
                } else {
                    self.local()?;
                }
            }
            Keyword::Return => {
                self.returned()?;
                return Ok(true);
            }
            Keyword::Break => {
                if !self.scopes.in_loop() {
                    return Err(SyntaxError::new(
                        opener.span,
                        "`break` stands outside of a loop",
                        Some("leave a function or the script with `return`"),
                    ));
                }
                self.advance()?;
                return Ok(true);
            }
            Keyword::And
            | Keyword::Else
            | Keyword::Elseif
            | Keyword::End
            | Keyword::False
            | Keyword::In
            | Keyword::Nil
            | Keyword::Not
            | Keyword::Or
            | Keyword::Then
            | Keyword::True
            | Keyword::Until => self.call_or_assignment()?,
        }
        Ok(false)
    }

    pub(super) fn end(&mut self, opener: Token) -> Read<()> {
        self.close(Kind::Keyword(Keyword::End), opener)
    }

    pub(super) fn condition(&mut self) -> Read<()> {
        let mut condition = self.expression()?;
        let taken = self.scopes.registers().test(&mut condition);
        self.fits(taken)
    }

    fn branch(&mut self, opener: Token) -> Read<()> {
        loop {
            self.advance()?;
            self.condition()?;
            self.expect(Kind::Keyword(Keyword::Then), "`then`")?;
            self.block()?;
            if !self.at_keyword(Keyword::Elseif) {
                break;
            }
        }
        if self.at_keyword(Keyword::Else) {
            self.advance()?;
            if self.at_keyword(Keyword::If) && !self.token.on_new_line {
                self.else_if = true;
            }
            self.block()?;
        }
        self.end(opener)
    }

    fn function(&mut self, opener: Token) -> Read<()> {
        self.advance()?;
        let name = self.name()?;
        let mut target: Operand = self.resolve(name)?.into();
        while self.take_sign(b'.')? {
            target = self.member(target)?;
        }
        let method = self.take_sign(b':')?;
        if method {
            target = self.member(target)?;
        }
        self.body(opener, method)?;
        self.store(target, &mut Place::Result.into())
    }

    /// A name after `.` or `:`.
    fn member(&mut self, mut of: Operand) -> Read<Operand> {
        let taken = self.scopes.registers().any(&mut of);
        let table = self.fits(taken)?;
        self.name()?;
        Ok(Place::Indexed { table, key: None }.into())
    }

    /// Parameters, block and `end` of a function.
    pub(super) fn body(&mut self, opener: Token, method: bool) -> Read<()> {
        self.scopes.enter_function();
        let parenthesis = self.token;
        self.expect_sign(b'(')?;
        if method {
            self.scopes.declare(Some(b"self"));
        }
        let mut names = Pending::new();
        if !self.at_sign(b')') {
            loop {
                match self.token.kind {
                    Kind::Name => {
                        let name = self.name()?;
                        self.announce(&mut names, Some(name), name)?;
                    }
                    Kind::Dots => {
                        let dots = self.token;
                        self.advance()?;
                        // `arg`, Lua 5.0's table of the rest; it's there as long as `...` isn't used.
                        self.announce(&mut names, None, dots)?;
                        names.pop();
                        names.push(Some(b"arg"));
                        self.scopes.set_vararg();
                        break;
                    }
                    _ => return Err(self.expected("a parameter's name or `...`")),
                }
                if !self.take_sign(b',')? {
                    break;
                }
            }
        }
        self.declare(names);
        let locals = self.scopes.registers().locals;
        let taken = self.scopes.registers().reserve(locals);
        self.fits(taken)?;
        self.close(Kind::Sign(b')'), parenthesis)?;
        self.chunk()?;
        self.end(opener)?;
        self.scopes.leave_function();
        Ok(())
    }

    fn local_function(&mut self) -> Read<()> {
        let opener = self.token;
        self.advance()?;
        let name = self.name()?;
        let mut names = Pending::new();
        self.announce(&mut names, Some(name), name)?;
        let taken = self.scopes.registers().reserve(1);
        self.fits(taken)?;
        self.declare(names);
        self.body(opener, false)
    }

    fn local(&mut self) -> Read<()> {
        let mut names = Pending::new();
        loop {
            let name = self.name()?;
            self.announce(&mut names, Some(name), name)?;
            if !self.take_sign(b',')? {
                break;
            }
        }
        let (count, last) = if self.take_sign(b'=')? { self.expressions()? } else { (0, Place::Nothing.into()) };
        self.adjust(names.len() as u32, count, last)?;
        self.declare(names);
        Ok(())
    }

    fn returned(&mut self) -> Read<()> {
        self.advance()?;
        if self.at_block_end() || self.at_sign(b';') {
            return Ok(());
        }
        let (count, mut last) = self.expressions()?;
        if count == 1 {
            let taken = self.scopes.registers().any(&mut last);
            self.fits(taken)?;
            Ok(())
        } else {
            self.push_all(last)
        }
    }

    /// `exprstat`
    fn call_or_assignment(&mut self) -> Read<()> {
        let mut start = self.token;
        if self.at_sign(b';') {
            return Err(foreign::empty_statement(start));
        }
        let mut target = self.primary("a statement")?;
        if matches!(target.place, Place::Call(_)) {
            return Ok(());
        }
        self.assignable(target, start)?;
        let mut wanted = 1;
        while self.take_sign(b',')? {
            if SYNTAX_LEVELS - self.levels < wanted {
                return Err(SyntaxError::new(
                    self.token.span,
                    format!("the assignment has more than {wanted} variables"),
                    Some("assign in several statements"),
                ));
            }
            start = self.token;
            target = self.primary("a variable")?;
            self.assignable(target, start)?;
            wanted += 1;
        }
        let what = if wanted == 1 { "`=` or the arguments of a call" } else { "`=`" };
        self.expect(Kind::Sign(b'='), what)?;
        let (count, mut last) = self.expressions()?;
        if count == wanted {
            // The others are in registers already and go from there.
            self.store(target, &mut last)
        } else {
            self.adjust(wanted, count, last)
        }
    }

    fn assignable(&self, target: Operand, start: Token) -> Read<()> {
        let message = match target.place {
            Place::Local(_) | Place::Upvalue | Place::Global | Place::Indexed { .. } => {
                return Ok(());
            }
            Place::Call(_) => "a call can't be assigned to",
            Place::Nothing
            | Place::Constant
            | Place::Numeral
            | Place::Jump
            | Place::Result
            | Place::Register(_)
            | Place::Vararg => "an expression in parentheses is no statement and can't be assigned to",
        };
        Err(SyntaxError::new(start.span.to(self.previous.unwrap_or(start).span), message, None))
    }

    /// `adjust_assign`: brings `count` values, the last of which isn't in its register yet, to `wanted`.
    pub(super) fn adjust(&mut self, wanted: u32, count: u32, mut last: Operand) -> Read<()> {
        let missing = wanted.saturating_sub(count);
        let registers = self.scopes.registers();
        let taken = match last.place {
            Place::Call(_) => registers.reserve(missing),
            Place::Vararg => registers.reserve(missing + 1),
            Place::Nothing => registers.reserve(missing),
            Place::Constant
            | Place::Numeral
            | Place::Local(_)
            | Place::Upvalue
            | Place::Global
            | Place::Indexed { .. }
            | Place::Jump
            | Place::Result
            | Place::Register(_) => registers.push(&mut last).and_then(|()| registers.reserve(missing)),
        };
        self.fits(taken)
    }

    fn store(&mut self, target: Operand, value: &mut Operand) -> Read<()> {
        let taken = self.scopes.registers().store(target, value);
        self.fits(taken)
    }

    /// Keeps a name that will be in scope soon.
    pub(super) fn announce(&self, names: &mut Pending<'a>, name: Option<Token>, at: Token) -> Read<()> {
        if !self.scopes.has_room(names.len()) {
            let whose = if self.scopes.in_main() { "the script" } else { "the function" };
            return Err(SyntaxError::new(
                at.span,
                format!(
                    "{} is one local variable more than the {LOCALS} that {whose} can hold at once",
                    foreign::quote(self.lexer.text, at)
                ),
                Some("keep some of them in a table or inside `do ... end`"),
            ));
        }
        names.push(name.map(|name| self.text(name.span)));
        Ok(())
    }

    pub(super) fn declare(&mut self, names: Pending<'a>) {
        for name in names {
            self.scopes.declare(name);
        }
    }
}
