//! What runs by itself: the script, the functions that it registers, and functions that no call of it reaches.

use rustc_hash::FxHashSet;

use crate::inline::statics::{Place, Statics, function_ids};
use crate::inline::{Inlined, inline};
use crate::ir::{Const, FuncId, LocalId, Op, Program, ValueId};
use crate::limits;

/// A function that is analysed by itself, with all that it calls inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Root {
    pub kind: RootKind,
    pub function: FuncId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RootKind {
    /// The main chunk. In a function library it runs when the library is loaded.
    Script,
    /// Registered with `redis.register_function`; the server calls it with the keys and the arguments.
    Callback { keys: Option<LocalId>, argv: Option<LocalId> },
    /// No other root calls it as far as can be seen, so that nothing is known of its parameters.
    Helper,
}

/// All roots, so that each function of the program is in at least one of them: the main chunk, then callbacks, then helpers, a helper
/// before those that it calls.
pub fn roots(program: &Program) -> Vec<(Root, Inlined)> {
    let statics = Statics::new(program);
    let insts: usize = program.functions.iter().map(|function| function.insts.len()).sum();
    let share = limits::INLINED_INSTS.max(limits::INLINED_SHARE * insts);
    let main = inline(&statics, FuncId(0), share);
    let mut covered = main.covered.clone();
    let mut roots = vec![(Root { kind: RootKind::Script, function: FuncId(0) }, main)];
    if program.functions.len() == 1 {
        return roots;
    }
    let callbacks = callbacks(&statics).into_iter().map(|function| callback(program, function));
    let helpers = callers_first(&statics).into_iter().map(|function| Root { kind: RootKind::Helper, function });
    let mut left = share;
    for root in callbacks.chain(helpers) {
        if root.kind == RootKind::Helper && covered.contains(&root.function) {
            continue;
        }
        let inlined = inline(&statics, root.function, left);
        left -= inlined.spent;
        covered.extend(&inlined.covered);
        roots.push((root, inlined));
    }
    roots
}

/// The function as one that is registered.
pub(crate) fn callback(program: &Program, function: FuncId) -> Root {
    let mut params = program.functions[function.index()].params.iter().copied();
    Root { kind: RootKind::Callback { keys: params.next(), argv: params.next() }, function }
}

/// The functions that are registered, in the order of the text, each once.
fn callbacks(statics: &Statics) -> Vec<FuncId> {
    let mut seen = FxHashSet::default();
    let mut callbacks = Vec::new();
    for function in function_ids(statics.program) {
        for inst in &statics.function(function).insts {
            if let Op::Call { callee, args, .. } = &inst.op
                && statics.server_function(Place { function, value: *callee }) == Some(b"register_function")
                && let Some(callback) = registered(statics, function, args)
                && seen.insert(callback)
            {
                callbacks.push(callback);
            }
        }
    }
    callbacks
}

/// `register_function('name', f)` or `register_function{ callback = f }`.
fn registered(statics: &Statics, function: FuncId, args: &[ValueId]) -> Option<FuncId> {
    match *args {
        [_, callback] => statics.closure(Place { function, value: callback }),
        [fields] => {
            let table = statics.table(Place { function, value: fields })?;
            statics.closure(statics.field(table, Const::Text(statics.program.texts.find(b"callback")?))?)
        }
        _ => None,
    }
}

/// All functions, a caller before what it calls or holds unless they call each other.
fn callers_first(statics: &Statics) -> Vec<FuncId> {
    let called: Vec<Vec<FuncId>> = function_ids(statics.program).map(|id| called(statics, id)).collect();
    let mut seen = vec![false; called.len()];
    let mut order = Vec::with_capacity(called.len());
    let mut stack = Vec::new();
    for start in function_ids(statics.program) {
        if !std::mem::replace(&mut seen[start.index()], true) {
            stack.push((start, 0));
        }
        while let Some((function, next)) = stack.last_mut() {
            let Some(&callee) = called[function.index()].get(*next) else {
                order.push(*function);
                stack.pop();
                continue;
            };
            *next += 1;
            if !std::mem::replace(&mut seen[callee.index()], true) {
                stack.push((callee, 0));
            }
        }
    }
    order.reverse();
    order
}

fn called(statics: &Statics, function: FuncId) -> Vec<FuncId> {
    let mut called = Vec::new();
    for (value, inst) in (0..).map(ValueId).zip(&statics.function(function).insts) {
        match &inst.op {
            Op::Closure(_) => called.extend(statics.closure(Place { function, value })),
            Op::Call { callee, args, .. } => {
                let values = std::iter::once(callee).chain(args);
                called.extend(values.filter_map(|&value| statics.closure(Place { function, value })));
            }
            Op::Const(_)
            | Op::Unknown
            | Op::Vararg
            | Op::Table
            | Op::Global(_)
            | Op::SetGlobal(..)
            | Op::Get(_)
            | Op::Set(..)
            | Op::Forget(_)
            | Op::Index(..)
            | Op::SetIndex { .. }
            | Op::SetTail { .. }
            | Op::Not(_)
            | Op::Negate(_)
            | Op::Length(_)
            | Op::Binary(..)
            | Op::Extra(..) => {}
        }
    }
    called
}
