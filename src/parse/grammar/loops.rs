//! Loops.

use super::{Read, Reader, statement::Pending};
use crate::parse::{
    lex::{Keyword, Kind, Token},
    registers::Place,
};

impl Reader<'_> {
    pub(super) fn while_loop(&mut self, opener: Token) -> Read<()> {
        self.advance()?;
        self.condition()?;
        let around = self.scopes.enter_loop();
        self.expect(Kind::Keyword(Keyword::Do), "`do`")?;
        self.block()?;
        self.end(opener)?;
        self.scopes.leave_block(around);
        Ok(())
    }

    pub(super) fn repeat_loop(&mut self, opener: Token) -> Read<()> {
        let around = self.scopes.enter_loop();
        let inside = self.scopes.enter_block();
        self.advance()?;
        self.chunk()?;
        self.close(Kind::Keyword(Keyword::Until), opener)?;
        self.condition()?;
        self.scopes.leave_block(inside);
        self.scopes.leave_block(around);
        Ok(())
    }

    pub(super) fn for_loop(&mut self, opener: Token) -> Read<()> {
        let around = self.scopes.enter_loop();
        self.advance()?;
        let first = self.name()?;
        // Three hidden variables go before those that have names.
        let mut names = Pending::new();
        for _ in 0..3 {
            self.announce(&mut names, None, first)?;
        }
        self.announce(&mut names, Some(first), first)?;
        match self.token.kind {
            Kind::Sign(b'=') => {
                self.advance()?;
                self.pushed_expression()?;
                self.expect_sign(b',')?;
                self.pushed_expression()?;
                if self.take_sign(b',')? {
                    self.pushed_expression()?;
                } else {
                    self.push(&mut Place::Constant.into())?;
                }
            }
            Kind::Sign(b',') | Kind::Keyword(Keyword::In) => {
                while self.take_sign(b',')? {
                    let name = self.name()?;
                    self.announce(&mut names, Some(name), name)?;
                }
                self.expect(Kind::Keyword(Keyword::In), "`in`")?;
                let (count, last) = self.expressions()?;
                self.adjust(3, count, last)?;
                let taken = self.scopes.registers().check(3);
                self.fits(taken)?;
            }
            _ => return Err(self.expected("`=` or `in`")),
        }
        let named: Pending = names.drain(3..).collect();
        self.declare(names);
        self.expect(Kind::Keyword(Keyword::Do), "`do`")?;
        let inside = self.scopes.enter_block();
        let count = named.len() as u32;
        self.declare(named);
        let taken = self.scopes.registers().reserve(count);
        self.fits(taken)?;
        self.block()?;
        self.scopes.leave_block(inside);
        self.end(opener)?;
        self.scopes.leave_block(around);
        Ok(())
    }

    fn pushed_expression(&mut self) -> Read<()> {
        let mut value = self.expression()?;
        self.push(&mut value)
    }
}
