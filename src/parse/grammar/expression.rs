//! Expressions.

use super::{Read, Reader};
use crate::parse::{
    SyntaxError,
    lex::{Keyword, Kind},
    registers::{Binary, Operand, Place, Unary},
};

/// How strongly a prefix operator binds (UNARY_PRIORITY of `lparser.c`).
const UNARY: u8 = 8;

/// Items of a table constructor that wait in registers (LFIELDS_PER_FLUSH of `lopcodes.h`).
const FLUSH: u32 = 50;

/// The priorities of the operator to its left and to its right.
fn binary(kind: Kind) -> Option<(Binary, u8, u8)> {
    Some(match kind {
        Kind::Sign(b'+' | b'-') => (Binary::Arithmetic, 6, 6),
        Kind::Sign(b'*' | b'/' | b'%') => (Binary::Arithmetic, 7, 7),
        Kind::Sign(b'^') => (Binary::Arithmetic, 10, 9),
        Kind::Concat => (Binary::Concat, 5, 4),
        Kind::Equal | Kind::Unequal | Kind::AtMost | Kind::AtLeast | Kind::Sign(b'<' | b'>') => {
            (Binary::Comparison, 3, 3)
        }
        Kind::Keyword(Keyword::And) => (Binary::Logic, 2, 2),
        Kind::Keyword(Keyword::Or) => (Binary::Logic, 1, 1),
        _ => return None,
    })
}

fn unary(kind: Kind) -> Option<Unary> {
    match kind {
        Kind::Sign(b'-') => Some(Unary::Negate),
        Kind::Sign(b'#') => Some(Unary::Length),
        Kind::Keyword(Keyword::Not) => Some(Unary::Not),
        _ => None,
    }
}

impl Reader<'_> {
    pub(super) fn expression(&mut self) -> Read<Operand> {
        self.operation(0)
    }

    /// `subexpr`: operands and the operators between them that bind stronger than `limit`.
    fn operation(&mut self, limit: u8) -> Read<Operand> {
        self.enter_level()?;
        let mut left = if let Some(operator) = unary(self.token.kind) {
            self.advance()?;
            let mut operand = self.operation(UNARY)?;
            let taken = self.scopes.registers().unary(operator, &mut operand);
            self.fits(taken)?;
            operand
        } else {
            self.simple()?
        };
        while let Some((operator, binds, right_limit)) = binary(self.token.kind)
            && limit < binds
        {
            self.advance()?;
            let taken = self.scopes.registers().left(operator, &mut left);
            self.fits(taken)?;
            let right = self.operation(right_limit)?;
            let taken = self.scopes.registers().binary(operator, left, right);
            left = self.fits(taken)?;
        }
        self.leave_level();
        Ok(left)
    }

    fn simple(&mut self) -> Read<Operand> {
        let place = match self.token.kind {
            Kind::Number => Place::Numeral,
            Kind::Text | Kind::Keyword(Keyword::Nil | Keyword::True | Keyword::False) => Place::Constant,
            Kind::Dots if !self.scopes.is_vararg() => {
                return Err(SyntaxError::new(
                    self.token.span,
                    "`...` stands in a function without `...` among its parameters",
                    Some("add `...` to the parameters of the function"),
                ));
            }
            Kind::Dots => Place::Vararg,
            Kind::Sign(b'{') => return self.constructor(),
            Kind::Keyword(Keyword::Function) => {
                let opener = self.token;
                self.advance()?;
                self.body(opener, false)?;
                return Ok(Place::Result.into());
            }
            _ => return self.primary("an expression"),
        };
        self.advance()?;
        Ok(place.into())
    }

    /// `primaryexp`: a variable or an expression in parentheses, with all indices and calls that follow.
    pub(super) fn primary(&mut self, what: &str) -> Read<Operand> {
        let mut operand = self.prefix(what)?;
        loop {
            match self.token.kind {
                Kind::Sign(b'.') => {
                    let table = self.in_register(&mut operand)?;
                    self.advance()?;
                    self.name()?;
                    operand = Place::Indexed { table, key: None }.into();
                }
                Kind::Sign(b'[') => {
                    let table = self.in_register(&mut operand)?;
                    let mut key = self.index()?;
                    let taken = self.scopes.registers().indexed(table, &mut key);
                    operand = self.fits(taken)?;
                }
                Kind::Sign(b':') => {
                    self.advance()?;
                    self.name()?;
                    let taken = self.scopes.registers().method(&mut operand);
                    self.fits(taken)?;
                    operand = self.arguments(operand)?;
                }
                Kind::Sign(b'(' | b'{') | Kind::Text => {
                    self.push(&mut operand)?;
                    operand = self.arguments(operand)?;
                }
                _ => return Ok(operand),
            }
        }
    }

    fn prefix(&mut self, what: &str) -> Read<Operand> {
        match self.token.kind {
            Kind::Name => {
                let name = self.name()?;
                Ok(self.resolve(name)?.into())
            }
            Kind::Sign(b'(') => {
                let opener = self.token;
                self.advance()?;
                let mut operand = self.expression()?;
                self.close(Kind::Sign(b')'), opener)?;
                self.scopes.registers().load(&mut operand);
                Ok(operand)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// `[key]`
    fn index(&mut self) -> Read<Operand> {
        self.advance()?;
        let mut key = self.expression()?;
        let taken = self.scopes.registers().value(&mut key);
        self.fits(taken)?;
        self.expect_sign(b']')?;
        Ok(key)
    }

    /// The arguments of a call of the function that lies in `function`.
    fn arguments(&mut self, function: Operand) -> Read<Operand> {
        match self.token.kind {
            Kind::Sign(b'(') => {
                let opener = self.token;
                if opener.on_new_line {
                    return Err(SyntaxError::new(
                        opener.span,
                        "the server can't tell whether this `(` calls what stands before it or begins a statement",
                        Some("write the `(` on the line before for a call, or end that line with `;`"),
                    ));
                }
                self.advance()?;
                if !self.at_sign(b')') {
                    let (_, last) = self.expressions()?;
                    self.push_all(last)?;
                }
                self.close(Kind::Sign(b')'), opener)?;
            }
            Kind::Sign(b'{') => {
                let mut table = self.constructor()?;
                self.push(&mut table)?;
            }
            Kind::Text => {
                self.advance()?;
                self.push(&mut Place::Constant.into())?;
            }
            _ => return Err(self.expected("the arguments of a call")),
        }
        let Place::Register(base) = function.place else {
            return Ok(function);
        };
        self.scopes.registers().free = base + 1;
        Ok(Place::Call(base).into())
    }

    /// `explist1`: how many, and the last of them, which isn't put into its register yet.
    pub(super) fn expressions(&mut self) -> Read<(u32, Operand)> {
        let mut count = 1;
        let mut last = self.expression()?;
        while self.take_sign(b',')? {
            self.push(&mut last)?;
            last = self.expression()?;
            count += 1;
        }
        Ok((count, last))
    }

    /// A table constructor.
    fn constructor(&mut self) -> Read<Operand> {
        let opener = self.token;
        let mut table = Place::Result.into();
        self.push(&mut table)?;
        self.advance()?;
        let base = self.scopes.registers().free;
        // The item read last, not yet put into its register.
        let mut item: Option<Operand> = None;
        let mut waiting = 0;
        while !self.at_sign(b'}') {
            if let Some(mut item) = item.take() {
                self.push(&mut item)?;
                waiting += 1;
                if waiting == FLUSH {
                    self.scopes.registers().free = base;
                    waiting = 0;
                }
            }
            if self.at_sign(b'[') || (self.at(Kind::Name) && self.look_ahead()? == Kind::Sign(b'=')) {
                self.field()?;
            } else {
                item = Some(self.expression()?);
            }
            if !self.take_sign(b',')? && !self.take_sign(b';')? {
                break;
            }
        }
        self.close(Kind::Sign(b'}'), opener)?;
        if let Some(item) = item {
            self.push_all(item)?;
        }
        self.scopes.registers().free = base;
        Ok(table)
    }

    /// `name = value` or `[key] = value` in a table constructor.
    fn field(&mut self) -> Read<()> {
        let free = self.scopes.registers().free;
        if self.at(Kind::Name) {
            self.advance()?;
        } else {
            let mut key = self.index()?;
            self.operand(&mut key)?;
        }
        self.expect_sign(b'=')?;
        let mut value = self.expression()?;
        self.operand(&mut value)?;
        self.scopes.registers().free = free;
        Ok(())
    }

    /// The last of a list, with all values of a call or `...`.
    pub(super) fn push_all(&mut self, mut last: Operand) -> Read<()> {
        match last.place {
            // Its function's register is the first of them.
            Place::Call(_) => Ok(()),
            _ => self.push(&mut last),
        }
    }

    pub(super) fn push(&mut self, operand: &mut Operand) -> Read<()> {
        let taken = self.scopes.registers().push(operand);
        self.fits(taken)
    }

    fn in_register(&mut self, operand: &mut Operand) -> Read<u32> {
        let taken = self.scopes.registers().any(operand);
        self.fits(taken)
    }

    fn operand(&mut self, operand: &mut Operand) -> Read<()> {
        let taken = self.scopes.registers().operand(operand);
        self.fits(taken).map(drop)
    }
}
