//! The registers of a function's frame, as the server's code generator (`lcode.c`) hands them out.
//!
//! A frame has [`REGISTERS`]; what needs more is refused as "function or expression too complex". Which of them is taken
//! when depends on where each part of an expression lies, so that is followed here; no code is made.

/// One less than MAXSTACK of `lcode.c`, which refuses what reaches it.
pub(super) const REGISTERS: u32 = 249;

/// A frame can't hold what the function needs at once.
#[derive(Debug)]
pub(super) struct TooComplex;

/// Where the value of an expression lies (`expkind` of `lparser.h`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// No expression.
    Nothing,
    Constant,
    Numeral,
    Local(u32),
    Upvalue,
    Global,
    Indexed {
        table: u32,
        key: Option<u32>,
    },
    /// A comparison, not yet turned into a value.
    Jump,
    /// The result of an instruction that may go to any register.
    Result,
    Register(u32),
    /// The registers from there on hold a function and its arguments.
    Call(u32),
    Vararg,
}

impl Place {
    fn is_constant(self) -> bool {
        matches!(self, Place::Constant | Place::Numeral)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Operand {
    pub(super) place: Place,
    /// Does `and` or `or` jump over a part of it?
    jumps: bool,
}

impl Operand {
    /// Such operands are folded into one.
    fn is_numeral(self) -> bool {
        self.place == Place::Numeral && !self.jumps
    }
}

impl From<Place> for Operand {
    fn from(place: Place) -> Operand {
        Operand { place, jumps: false }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    Arithmetic,
    Concat,
    Comparison,
    Logic,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unary {
    Negate,
    Not,
    Length,
}

type Taken<T> = Result<T, TooComplex>;

/// The registers of one function. Invariant: those below `locals` belong to local variables in scope.
#[derive(Default)]
pub(super) struct Registers {
    pub(super) locals: u32,
    pub(super) free: u32,
}

impl Registers {
    pub(super) fn check(&self, count: u32) -> Taken<()> {
        if self.free + count <= REGISTERS { Ok(()) } else { Err(TooComplex) }
    }

    pub(super) fn reserve(&mut self, count: u32) -> Taken<()> {
        self.check(count)?;
        self.free += count;
        Ok(())
    }

    /// Gives back a temporary register; those of locals stay.
    fn release(&mut self, register: u32) {
        if self.locals <= register {
            self.free -= 1;
        }
    }

    fn release_operand(&mut self, operand: Operand) {
        if let Place::Register(register) = operand.place {
            self.release(register);
        }
    }

    /// `luaK_dischargevars`: the value of a variable, a call or `...`.
    pub(super) fn load(&mut self, operand: &mut Operand) {
        operand.place = match operand.place {
            Place::Local(register) | Place::Call(register) => Place::Register(register),
            Place::Upvalue | Place::Global | Place::Vararg => Place::Result,
            Place::Indexed { table, key } => {
                if let Some(key) = key {
                    self.release(key);
                }
                self.release(table);
                Place::Result
            }
            place @ (Place::Nothing
            | Place::Constant
            | Place::Numeral
            | Place::Jump
            | Place::Result
            | Place::Register(_)) => place,
        };
    }

    /// `luaK_exp2nextreg`.
    pub(super) fn push(&mut self, operand: &mut Operand) -> Taken<()> {
        self.load(operand);
        self.release_operand(*operand);
        self.reserve(1)?;
        *operand = Place::Register(self.free - 1).into();
        Ok(())
    }

    /// `luaK_exp2anyreg`.
    pub(super) fn any(&mut self, operand: &mut Operand) -> Taken<u32> {
        self.load(operand);
        if let Place::Register(register) = operand.place
            && (!operand.jumps || self.locals <= register)
        {
            operand.jumps = false;
            return Ok(register);
        }
        self.push(operand)?;
        Ok(self.free - 1)
    }

    /// `luaK_exp2val`.
    pub(super) fn value(&mut self, operand: &mut Operand) -> Taken<()> {
        if operand.jumps {
            self.any(operand)?;
        } else {
            self.load(operand);
        }
        Ok(())
    }

    /// `luaK_exp2RK`; `None`: a constant. (From its 257th constant on, a function loads constants into registers; that
    /// is not followed.)
    pub(super) fn operand(&mut self, operand: &mut Operand) -> Taken<Option<u32>> {
        self.value(operand)?;
        if operand.place.is_constant() { Ok(None) } else { self.any(operand).map(Some) }
    }

    /// `luaK_indexed`, the table in a register already.
    pub(super) fn indexed(&mut self, table: u32, key: &mut Operand) -> Taken<Operand> {
        let key = self.operand(key)?;
        Ok(Place::Indexed { table, key }.into())
    }

    /// `luaK_self`: a method and its object take the next two registers.
    pub(super) fn method(&mut self, object: &mut Operand) -> Taken<()> {
        self.any(object)?;
        self.release_operand(*object);
        let function = self.free;
        self.reserve(2)?;
        *object = Place::Register(function).into();
        Ok(())
    }

    /// `luaK_goiftrue`: a test and a jump.
    pub(super) fn test(&mut self, operand: &mut Operand) -> Taken<()> {
        self.load(operand);
        if operand.place.is_constant() {
            return Ok(());
        }
        if operand.place != Place::Jump {
            self.put(operand)?;
            self.release_operand(*operand);
        }
        operand.jumps = true;
        Ok(())
    }

    /// `discharge2anyreg`.
    fn put(&mut self, operand: &mut Operand) -> Taken<()> {
        if !matches!(operand.place, Place::Register(_)) {
            self.reserve(1)?;
            operand.place = Place::Register(self.free - 1);
        }
        Ok(())
    }

    /// `luaK_storevar`.
    pub(super) fn store(&mut self, target: Operand, value: &mut Operand) -> Taken<()> {
        if let Place::Local(_) = target.place {
            self.load(value);
        } else if let Place::Indexed { .. } = target.place {
            self.operand(value)?;
        } else {
            self.any(value)?;
        }
        self.release_operand(*value);
        Ok(())
    }

    /// `luaK_prefix`.
    pub(super) fn unary(&mut self, operator: Unary, operand: &mut Operand) -> Taken<()> {
        match operator {
            Unary::Negate if operand.is_numeral() => return Ok(()),
            Unary::Negate | Unary::Length => {
                self.any(operand)?;
            }
            Unary::Not => {
                self.load(operand);
                if operand.place.is_constant() {
                    operand.place = Place::Constant;
                    return Ok(());
                }
                if operand.place == Place::Jump {
                    return Ok(());
                }
                self.put(operand)?;
            }
        }
        self.release_operand(*operand);
        operand.place = Place::Result;
        Ok(())
    }

    /// `luaK_infix`: the left operand, before the right one is read.
    pub(super) fn left(&mut self, operator: Binary, left: &mut Operand) -> Taken<()> {
        match operator {
            Binary::Logic => self.test(left),
            Binary::Concat => self.push(left),
            Binary::Arithmetic if left.is_numeral() => Ok(()),
            Binary::Arithmetic | Binary::Comparison => self.operand(left).map(drop),
        }
    }

    /// `luaK_posfix`: both operands become their result.
    pub(super) fn binary(&mut self, operator: Binary, mut left: Operand, mut right: Operand) -> Taken<Operand> {
        match operator {
            Binary::Logic => {
                self.load(&mut right);
                right.jumps |= left.jumps;
                return Ok(right);
            }
            Binary::Arithmetic if left.is_numeral() && right.is_numeral() => {
                return Ok(Place::Numeral.into());
            }
            Binary::Concat => self.push(&mut right)?,
            Binary::Arithmetic | Binary::Comparison => {
                self.operand(&mut right)?;
                self.operand(&mut left)?;
            }
        }
        self.release_operand(right);
        self.release_operand(left);
        Ok(match operator {
            Binary::Comparison => Place::Jump.into(),
            Binary::Arithmetic | Binary::Concat | Binary::Logic => Place::Result.into(),
        })
    }
}
