//! From a program to facts: each root inlined, analysed, kept.

use super::{Facts, Root};
use crate::{
    config::Config,
    contract,
    eval::{self, Entry, Shared},
    graph::Graph,
    inline::Inlined,
    ir::{FuncId, LocalId, Op, Program},
    origin::{Input, Origin, OriginId, Origins},
    parse::Comment,
    roots::{self, RootKind},
    source::{Source, Span},
    value::{Kinds, Value},
};

use rustc_hash::FxHashMap;

/// Analyses a program.
pub fn facts<'a>(
    source: &'a Source,
    mut program: Program,
    comments: &[Comment],
    shebang: Option<Span>,
    config: &'a Config,
) -> Facts<'a> {
    let mut texts = std::mem::take(&mut program.texts);
    let mut origins = Origins::default();
    let assigned_elsewhere = assigned_elsewhere(&program);
    let mut roots = Vec::new();
    let mut cut = false;
    // What the main chunk leaves behind in its locals is what its functions find later.
    let mut at_exit = FxHashMap::default();
    for (root, inlined) in roots::roots(&program, &texts) {
        let Inlined { function, locals, cut: too_big, .. } = inlined;
        let graph = Graph::new(&function);
        let entry = entry(&root.kind, &function.params, &program, root.function, &at_exit, &mut origins);
        let shared = Shared {
            origins: &mut origins,
            texts: &mut texts,
            targets: &config.targets,
            assigned_elsewhere: &assigned_elsewhere,
        };
        let values = eval::eval(&function, &locals, &graph, &entry, shared);
        cut |= too_big || values.cut;
        if root.function == FuncId(0) {
            at_exit = portable(&values.at_exit, &program, &origins);
        }
        let mut event_at = vec![0; function.insts.len()];
        for (n, event) in values.events.iter().enumerate() {
            event_at[event.at.index()] = n as u32 + 1;
        }
        roots.push(Root { kind: root.kind, function, locals, graph, values, event_at });
    }
    Facts {
        source,
        program,
        texts,
        origins,
        roots,
        patterns: contract::patterns(source, comments, config),
        cluster: config.cluster,
        targets: &config.targets,
        targets_named: config.targets_named,
        shebang: shebang.and_then(|span| std::str::from_utf8(source.text.get(span.range())?).ok()),
        cut,
    }
}

/// Captured locals that some function other than their own assigns.
fn assigned_elsewhere(program: &Program) -> Vec<LocalId> {
    let mut locals = Vec::new();
    for (id, function) in program.functions.iter().enumerate() {
        for inst in &function.insts {
            if let Op::Set(local, _) = inst.op
                && program.locals[local.index()].function.index() != id
            {
                locals.push(local);
            }
        }
    }
    locals.sort();
    locals.dedup();
    locals
}

/// What the main chunk leaves in locals that are assigned once, if it means the same elsewhere: literals, builtins, functions, inputs.
fn portable(at_exit: &FxHashMap<LocalId, Value>, program: &Program, origins: &Origins) -> FxHashMap<LocalId, Value> {
    at_exit
        .iter()
        .filter(|(local, value)| {
            program.locals.get(local.index()).is_some_and(|local| local.assigned == 1)
                && value.origin != OriginId::UNKNOWN
                && origins.is_portable(value.origin)
        })
        .map(|(&local, &value)| (local, value))
        .collect()
}

/// What a root finds in its parameters and in the locals around it.
fn entry(
    kind: &RootKind,
    params: &[LocalId],
    program: &Program,
    function: FuncId,
    at_exit: &FxHashMap<LocalId, Value>,
    origins: &mut Origins,
) -> Entry {
    let mut locals: Vec<(LocalId, Value)> = Vec::new();
    if function != FuncId(0) {
        locals.extend(program.locals.iter().enumerate().filter(|(_, local)| local.captured).map(|(id, local)| {
            let id = LocalId(id as u32);
            let unknown = || Value::new(Kinds::ANY, OriginId::UNKNOWN);
            let known = at_exit.get(&id).copied();
            (id, if local.assigned == 1 { known.unwrap_or_else(unknown) } else { unknown() })
        }));
    }
    for (n, &param) in params.iter().enumerate() {
        let value = match (kind, n) {
            (RootKind::Callback, 0) => Value::new(Kinds::TABLE, origins.intern(Origin::Input(Input::Keys))),
            (RootKind::Callback, 1) => Value::new(Kinds::TABLE, origins.intern(Origin::Input(Input::Argv))),
            _ => Value::new(Kinds::ANY, origins.intern(Origin::Param(param))),
        };
        locals.push((param, value));
    }
    Entry { locals }
}
