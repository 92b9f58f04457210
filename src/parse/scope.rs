//! Functions, blocks and local variables while a script is read, and the bounds that the server sets to them.

use rustc_hash::FxHashMap;

use super::registers::{Place, Registers};

/// Local variables in scope in one function (LUAI_MAXVARS of `luaconf.h`), parameters and the hidden ones of `for`
/// included.
pub(super) const LOCALS: usize = 200;

/// Different variables of outer functions in one function (LUAI_MAXUPVALUES of `luaconf.h`).
pub(super) const UPVALUES: usize = 60;

/// The function would have more than [`UPVALUES`].
#[derive(Debug)]
pub(super) struct TooManyUpvalues;

#[derive(Default)]
struct Function {
    /// May it use `...`?
    vararg: bool,
    /// Loops around the current place, inside of the function.
    loops: u32,
    registers: Registers,
    /// The first of its variables in [`Scopes::variables`].
    first: usize,
    /// What it uses of outer functions, as places in [`Scopes::variables`].
    upvalues: Vec<usize>,
}

/// What to return to at the end of a block.
#[must_use]
pub(super) struct Block {
    variables: usize,
    loops: u32,
}

pub(super) struct Scopes<'a> {
    functions: Vec<Function>,
    /// Those in scope, of all open functions; `None`: hidden.
    variables: Vec<Option<&'a [u8]>>,
    /// The variables of each name, the innermost last.
    by_name: FxHashMap<&'a [u8], Vec<usize>>,
}

impl<'a> Scopes<'a> {
    /// Inside of the main chunk.
    pub(super) fn new() -> Scopes<'a> {
        let main = Function { vararg: true, ..Function::default() };
        Scopes { functions: vec![main], variables: Vec::new(), by_name: FxHashMap::default() }
    }

    fn function(&self) -> &Function {
        self.functions.last().expect("the main chunk is never left")
    }

    fn function_mut(&mut self) -> &mut Function {
        self.functions.last_mut().expect("the main chunk is never left")
    }

    pub(super) fn registers(&mut self) -> &mut Registers {
        &mut self.function_mut().registers
    }

    pub(super) fn in_main(&self) -> bool {
        self.functions.len() == 1
    }

    pub(super) fn is_vararg(&self) -> bool {
        self.function().vararg
    }

    pub(super) fn set_vararg(&mut self) {
        self.function_mut().vararg = true;
    }

    pub(super) fn in_loop(&self) -> bool {
        0 < self.function().loops
    }

    pub(super) fn enter_function(&mut self) {
        let function = Function { first: self.variables.len(), ..Function::default() };
        self.functions.push(function);
    }

    pub(super) fn leave_function(&mut self) {
        self.forget_down_to(self.function().first);
        self.functions.pop();
    }

    pub(super) fn enter_block(&self) -> Block {
        Block { variables: self.variables.len(), loops: self.function().loops }
    }

    pub(super) fn enter_loop(&mut self) -> Block {
        let block = self.enter_block();
        self.function_mut().loops += 1;
        block
    }

    pub(super) fn leave_block(&mut self, block: Block) {
        self.forget_down_to(block.variables);
        self.function_mut().loops = block.loops;
        self.end_statement();
    }

    /// Temporaries don't outlive a statement.
    pub(super) fn end_statement(&mut self) {
        let registers = self.registers();
        registers.free = registers.locals;
    }

    /// Is there room for one variable more, when `pending` are read but not in scope yet?
    pub(super) fn has_room(&self, pending: usize) -> bool {
        let inside = self.variables.len() - self.function().first;
        inside + pending < LOCALS
    }

    /// Brings a variable into scope.
    pub(super) fn declare(&mut self, name: Option<&'a [u8]>) {
        if let Some(name) = name {
            let at = self.variables.len();
            self.by_name.entry(name).or_default().push(at);
        }
        self.variables.push(name);
        self.registers().locals += 1;
    }

    fn forget_down_to(&mut self, count: usize) {
        while count < self.variables.len() {
            if let Some(Some(name)) = self.variables.pop()
                && let Some(named) = self.by_name.get_mut(name)
            {
                named.pop();
            }
            self.registers().locals -= 1;
        }
    }

    /// What a name stands for here.
    pub(super) fn resolve(&mut self, name: &[u8]) -> Result<Place, TooManyUpvalues> {
        let Some(&variable) = self.by_name.get(name).and_then(|named| named.last()) else {
            return Ok(Place::Global);
        };
        let first = self.function().first;
        if first <= variable {
            return Ok(Place::Local((variable - first) as u32));
        }
        // Each function between the variable's and this one hands it on. The inner ones have what the outer ones have.
        for function in self.functions.iter_mut().rev() {
            if function.first <= variable || function.upvalues.contains(&variable) {
                break;
            }
            if function.upvalues.len() == UPVALUES {
                return Err(TooManyUpvalues);
            }
            function.upvalues.push(variable);
        }
        Ok(Place::Upvalue)
    }
}
