//! What of a program's functions is known without running them: which value a name stands for, how many values a function returns, where
//! `...` is used. Computed once for all roots.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::ir::{Const, FuncId, Function, LocalId, Op, Program, Terminator, TextId, ValueId};

/// Steps that a name is followed: through locals, fields and calls.
pub(super) const STEPS: u32 = 32;

/// An instruction of one of the program's functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Place {
    pub(crate) function: FuncId,
    pub(crate) value: ValueId,
}

pub(crate) struct Statics<'a> {
    pub(crate) program: &'a Program,
    /// By function.
    pub(super) shapes: Vec<Shape>,
    /// By local: its place among the locals of its function.
    pub(super) slots: Vec<u32>,
    /// By local: the only value but `nil` that is ever assigned to it.
    only: Vec<Option<Place>>,
    /// By table constructor and key: the only value that is stored there; `None`: there are several.
    fields: FxHashMap<(Place, Const), Option<Place>>,
    /// Table constructors to which also a key is stored that isn't constant.
    dynamic: FxHashSet<Place>,
    /// By table constructor: the only metatable that it is given; `None`: there are several.
    metatables: FxHashMap<Place, Option<Place>>,
}

/// One step towards what a value is.
pub(super) enum Step {
    Closure(FuncId),
    Table,
    Global(TextId),
    Local(LocalId),
    Field(Place, Const),
    /// The first result of a call, with its callee and its first argument.
    Call(Place, Option<ValueId>),
    Nothing,
}

/// What inlining asks of a function.
#[derive(Default)]
pub(super) struct Shape {
    /// The locals that it declares.
    pub(super) locals: Vec<LocalId>,
    /// By the value with several results: the `Extra` instructions that read a further one.
    pub(super) extras: FxHashMap<ValueId, SmallVec<[(u32, ValueId); 2]>>,
    /// Values all of whose results end a list.
    pub(super) tails: FxHashSet<ValueId>,
    pub(super) varargs: Vec<ValueId>,
    pub(super) selects: Vec<(ValueId, Select)>,
    /// The only value but `nil` that is returned first.
    returned: Option<ValueId>,
    pub(super) returns: Returns,
}

/// `select(..., ...)` of exactly the variable arguments.
#[derive(Clone, Copy)]
pub(super) enum Select {
    /// `'#'`
    Count,
    /// From this one on, counted from 1, or from -1 at the end.
    From(i32),
}

/// How many values a function gives back.
#[derive(Clone, Copy, Default)]
pub(super) struct Returns {
    /// `return` statements, the function's end included.
    pub(super) count: usize,
    pub(super) least: usize,
    pub(super) most: usize,
    /// Is it always one of `least` to `most`? Else further ones may follow.
    pub(super) closed: bool,
}

impl Returns {
    /// The number of values, if all returns agree.
    pub(super) fn fixed(self) -> Option<usize> {
        (self.closed && self.least == self.most).then_some(self.most)
    }
}

impl<'a> Statics<'a> {
    pub(crate) fn new(program: &'a Program) -> Statics<'a> {
        let mut statics = Statics {
            program,
            shapes: program.functions.iter().map(shape).collect(),
            slots: Vec::with_capacity(program.locals.len()),
            only: only(program),
            fields: FxHashMap::default(),
            dynamic: FxHashSet::default(),
            metatables: FxHashMap::default(),
        };
        for (id, local) in (0..).map(LocalId).zip(&program.locals) {
            let own = &mut statics.shapes[local.function.index()].locals;
            statics.slots.push(own.len() as u32);
            own.push(id);
        }
        for function in function_ids(program) {
            statics.collect_fields(function);
        }
        for function in function_ids(program) {
            statics.shapes[function.index()].selects = statics.selects(function);
        }
        let mut known = vec![None; program.functions.len()];
        for function in function_ids(program) {
            statics.shapes[function.index()].returns = statics.returns(function, &mut known, STEPS);
        }
        statics
    }

    pub(crate) fn function(&self, id: FuncId) -> &'a Function {
        &self.program.functions[id.index()]
    }

    pub(crate) fn op(&self, place: Place) -> &'a Op {
        self.function(place.function).op(place.value)
    }

    /// The only value but `nil` that is ever assigned to the local.
    pub(super) fn only(&self, local: LocalId) -> Option<Place> {
        self.only[local.index()]
    }

    /// What the table's field is, if it isn't `nil`; found by its metatable's `__index` if need be.
    pub(crate) fn field(&self, table: Place, key: Const) -> Option<Place> {
        let mut at = table;
        for _ in 0..STEPS {
            if let Some(&stored) = self.fields.get(&(at, key)) {
                return stored.filter(|_| !self.dynamic.contains(&at));
            }
            let metatable = self.table((*self.metatables.get(&at)?)?)?;
            let index = Const::Text(self.program.texts.find(b"__index")?);
            at = self.table((*self.fields.get(&(metatable, index))?)?)?;
        }
        None
    }

    /// The only value but `nil` that the function returns first.
    pub(super) fn returned(&self, function: FuncId) -> Option<Place> {
        let value = self.shapes[function.index()].returned?;
        Some(Place { function, value })
    }

    pub(crate) fn constant(&self, place: Place) -> Option<Const> {
        let Op::Const(constant) = self.op(place) else {
            return None;
        };
        Some(*constant)
    }

    /// What the instruction says of the value that it makes.
    pub(super) fn step(&self, place: Place) -> Step {
        match *self.op(place) {
            Op::Call { callee, ref args, .. } => Step::Call(Place { value: callee, ..place }, args.first().copied()),
            Op::Closure(function) => Step::Closure(function),
            Op::Table => Step::Table,
            Op::Global(name) => Step::Global(name),
            Op::Get(local) => Step::Local(local),
            Op::Index(table, key) => match self.constant(Place { value: key, ..place }) {
                Some(key) => Step::Field(Place { value: table, ..place }, key),
                None => Step::Nothing,
            },
            Op::Const(_)
            | Op::Unknown
            | Op::Vararg
            | Op::SetGlobal(..)
            | Op::Set(..)
            | Op::Forget(_)
            | Op::SetIndex { .. }
            | Op::SetTail { .. }
            | Op::Not(_)
            | Op::Negate(_)
            | Op::Length(_)
            | Op::Binary(..)
            | Op::Extra(..) => Step::Nothing,
        }
    }

    /// The closure, table constructor, global or unresolved field that the value must be, if it isn't `nil`.
    fn origin(&self, place: Place) -> Option<Place> {
        self.follow(place, &mut STEPS.clone())
    }

    fn follow(&self, mut place: Place, left: &mut u32) -> Option<Place> {
        while *left != 0 {
            *left -= 1;
            place = match self.step(place) {
                Step::Closure(_) | Step::Table | Step::Global(_) => return Some(place),
                Step::Local(local) => self.only(local)?,
                Step::Field(table, key) => {
                    let table = self.follow(table, left)?;
                    match self.field(table, key) {
                        Some(stored) => stored,
                        None => return Some(place),
                    }
                }
                Step::Call(callee, first) => {
                    let callee = self.follow(callee, left)?;
                    match self.step(callee) {
                        Step::Closure(function) => self.returned(function)?,
                        Step::Global(name) if self.program.texts.get(name) == b"setmetatable" => {
                            Place { value: first?, ..place }
                        }
                        Step::Global(_)
                        | Step::Table
                        | Step::Local(_)
                        | Step::Field(..)
                        | Step::Call(..)
                        | Step::Nothing => return None,
                    }
                }
                Step::Nothing => return None,
            };
        }
        None
    }

    /// The function that the value must be.
    pub(crate) fn closure(&self, place: Place) -> Option<FuncId> {
        let Step::Closure(function) = self.step(self.origin(place)?) else {
            return None;
        };
        Some(function)
    }

    /// The table constructor that the value must be.
    pub(crate) fn table(&self, place: Place) -> Option<Place> {
        self.origin(place).filter(|&place| matches!(self.op(place), Op::Table))
    }

    /// The name of the global that the value must be.
    pub(crate) fn global(&self, place: Place) -> Option<&'a [u8]> {
        let Step::Global(name) = self.step(self.origin(place)?) else {
            return None;
        };
        Some(self.program.texts.get(name))
    }

    /// The name of the function in `redis` or `server` that the value must be.
    pub(crate) fn server_function(&self, place: Place) -> Option<&'a [u8]> {
        let Step::Field(object, Const::Text(name)) = self.step(self.origin(place)?) else {
            return None;
        };
        let object = self.global(object)?;
        matches!(object, b"redis" | b"server").then_some(self.program.texts.get(name))
    }

    fn collect_fields(&mut self, function: FuncId) {
        let several = |stored: &mut Option<Place>| *stored = None;
        let place = |value: ValueId| Place { function, value };
        for inst in &self.function(function).insts {
            if let Op::SetIndex { table, key, value } = inst.op
                && let Some(table) = self.table(place(table))
            {
                match self.constant(place(key)) {
                    Some(key) => {
                        self.fields.entry((table, key)).and_modify(several).or_insert(Some(place(value)));
                    }
                    None => {
                        self.dynamic.insert(table);
                    }
                }
            }
            if let Op::Call { callee, args, .. } = &inst.op
                && let [table, metatable] = args[..]
                && self.global(place(*callee)) == Some(b"setmetatable")
                && let Some(table) = self.table(place(table))
            {
                self.metatables.entry(table).and_modify(several).or_insert(Some(place(metatable)));
            }
        }
    }

    fn selects(&self, function: FuncId) -> Vec<(ValueId, Select)> {
        let body = self.function(function);
        let mut selects = Vec::new();
        // Nothing but the variable arguments has to follow.
        if self.shapes[function.index()].varargs.is_empty() {
            return selects;
        }
        for (value, inst) in (0..).map(ValueId).zip(&body.insts) {
            if let Op::Call { callee, args, tail: true } = &inst.op
                && let [number, rest] = args[..]
                && matches!(body.op(rest), Op::Vararg)
                && self.global(Place { function, value: *callee }) == Some(b"select")
                && let Some(select) = self.select(Place { function, value: number })
            {
                selects.push((value, select));
            }
        }
        selects
    }

    /// What a first argument of `select` selects.
    fn select(&self, number: Place) -> Option<Select> {
        let (number, sign) =
            if let Op::Negate(value) = *self.op(number) { (Place { value, ..number }, -1) } else { (number, 1) };
        match self.constant(number)? {
            Const::Text(text) if self.program.texts.get(text) == b"#" => Some(Select::Count),
            Const::Number(number) if number.get() as i32 != 0 => Some(Select::From(sign * number.get() as i32)),
            Const::Text(_) | Const::Number(_) | Const::Nil | Const::False | Const::True => None,
        }
    }

    /// `known` keeps what was found, also that nothing was: a function that returns what itself returns.
    fn returns(&self, function: FuncId, known: &mut [Option<Returns>], steps: u32) -> Returns {
        if let Some(returns) = known[function.index()] {
            return returns;
        }
        let mut all = Returns { count: 0, least: usize::MAX, most: 0, closed: true };
        known[function.index()] = Some(Returns { closed: false, ..Returns::default() });
        for block in &self.function(function).blocks {
            let Terminator::Return { values, tail, .. } = &block.end else {
                continue;
            };
            let last = match values.last() {
                Some(&value) if *tail => self.results(Place { function, value }, known, steps),
                Some(_) => Returns { count: 0, least: 1, most: 1, closed: true },
                None => Returns { count: 0, least: 0, most: 0, closed: true },
            };
            let others = values.len().saturating_sub(1);
            all.count += 1;
            all.least = all.least.min(others + last.least);
            all.most = all.most.max(others + last.most);
            all.closed &= last.closed;
        }
        all.least = all.least.min(all.most);
        known[function.index()] = Some(all);
        all
    }

    /// How many values a call gives.
    fn results(&self, call: Place, known: &mut [Option<Returns>], steps: u32) -> Returns {
        let open = Returns { count: 0, least: 0, most: 1, closed: false };
        let Op::Call { callee, .. } = self.op(call) else {
            return open;
        };
        let callee = Place { value: *callee, ..call };
        if let Some(b"call" | b"pcall" | b"error_reply" | b"status_reply" | b"sha1hex") = self.server_function(callee) {
            return Returns { count: 0, least: 1, most: 1, closed: true };
        }
        match self.closure(callee) {
            Some(function) if steps != 0 => self.returns(function, known, steps - 1),
            _ => open,
        }
    }
}

pub(crate) fn function_ids(program: &Program) -> impl Iterator<Item = FuncId> + use<> {
    (0..program.functions.len() as u32).map(FuncId)
}

fn only(program: &Program) -> Vec<Option<Place>> {
    let mut only = vec![None; program.locals.len()];
    let mut several = vec![false; program.locals.len()];
    for id in function_ids(program) {
        let function = &program.functions[id.index()];
        for param in &function.params {
            several[param.index()] = true;
        }
        for inst in &function.insts {
            let Op::Set(local, value) = inst.op else {
                continue;
            };
            if *function.op(value) != Op::Const(Const::Nil) {
                let before = only[local.index()].replace(Place { function: id, value });
                several[local.index()] |= before.is_some();
            }
        }
    }
    for (only, several) in only.iter_mut().zip(several) {
        *only = only.filter(|_| !several);
    }
    only
}

fn shape(function: &Function) -> Shape {
    let mut shape = Shape::default();
    for (value, inst) in (0..).map(ValueId).zip(&function.insts) {
        match &inst.op {
            Op::Vararg => shape.varargs.push(value),
            Op::Extra(of, number) => shape.extras.entry(*of).or_default().push((*number, value)),
            Op::SetTail { tail, .. } => {
                shape.tails.insert(*tail);
            }
            Op::Call { args, tail: true, .. } => shape.tails.extend(args.last()),
            Op::Call { .. }
            | Op::Const(_)
            | Op::Unknown
            | Op::Closure(_)
            | Op::Table
            | Op::Global(_)
            | Op::SetGlobal(..)
            | Op::Get(_)
            | Op::Set(..)
            | Op::Forget(_)
            | Op::Index(..)
            | Op::SetIndex { .. }
            | Op::Not(_)
            | Op::Negate(_)
            | Op::Length(_)
            | Op::Binary(..) => {}
        }
    }
    let mut returned = FxHashSet::default();
    for block in &function.blocks {
        let Terminator::Return { values, tail, .. } = &block.end else {
            continue;
        };
        shape.tails.extend(values.last().filter(|_| *tail));
        returned.extend(values.first().filter(|&&value| *function.op(value) != Op::Const(Const::Nil)));
    }
    shape.returned = returned.iter().copied().next().filter(|_| returned.len() == 1);
    shape
}
