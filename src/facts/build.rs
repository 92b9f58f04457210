//! From a program to facts: each root inlined, analysed, kept.

use std::cell::OnceCell;

use super::{Facts, Root, index::Index};
use crate::{
    config::Config,
    contract::{self, Pattern, Patterns},
    eval::{self, Entry, Shared},
    graph::Graph,
    history::History,
    include,
    inline::Inlined,
    ir::{FuncId, LocalId, Op, Program, Terminator},
    origin::{Input, Origin, OriginId, Origins},
    parse::Comment,
    registrations::Registration,
    roots::{self, RootKind},
    shebang::Shebang,
    source::{FileId, Outcome, Source, Span},
    value::{Kinds, Value},
};

use rustc_hash::{FxHashMap, FxHashSet};

/// Analyses a program.
pub fn facts<'a>(
    source: &'a Source,
    mut program: Program,
    comments: &[Comment],
    shebang: Option<Span>,
    config: &'a Config,
) -> Facts<'a> {
    let roots = roots::roots(&program);
    let line = shebang.and_then(|span| std::str::from_utf8(source.text.get(span.range())?).ok());
    let shebang = line.map(Shebang::read);
    let registers = roots.iter().any(|(root, _)| matches!(root.kind, RootKind::Callback { .. }));
    let is_library = registers || shebang.as_ref().is_some_and(|shebang| shebang.name().is_some());
    let mut texts = std::mem::take(&mut program.texts);
    let mut origins = Origins::default();
    let assigned_elsewhere = assigned_elsewhere(&program);
    let mut done = Vec::new();
    let mut cut = false;
    let mut registrations = Vec::new();
    let mut registered = Vec::new();
    // What the main chunk leaves behind in its locals is what its functions find later.
    let mut at_exit = FxHashMap::default();
    for (mut root, inlined) in roots {
        if root.kind == RootKind::Helper && registered.contains(&root.function) {
            root = roots::callback(&program, root.function);
        }
        let graph = Graph::new(&inlined.function);
        let entry = entry(root, &inlined, &at_exit, &mut origins);
        let shared = Shared {
            program: &program,
            origins: &mut origins,
            texts: &mut texts,
            assigned_elsewhere: &assigned_elsewhere,
            is_library,
            commands: &config.commands,
        };
        let mut values = eval::eval(&inlined, &graph, &entry, shared);
        cut |= inlined.cut || values.cut;
        if root.function == FuncId(0) {
            at_exit = portable(&values.at_exit, &program, &origins);
            registrations = std::mem::take(&mut values.registrations);
            registered.extend(registrations.iter().filter_map(|one: &Registration| one.callback(&origins, &texts)));
        }
        let mut event_at = vec![0; inlined.function.insts.len()];
        for (n, event) in values.events.iter().enumerate() {
            event_at[event.at.index()] = n as u32 + 1;
        }
        let Inlined { function, copies, .. } = inlined;
        let history = History::new(&function, &graph, &values, &origins, &texts);
        let index = Index::new(&function, &graph, &values, &origins, program.locals.len() + copies.len());
        done.push(Root {
            kind: root.kind,
            id: root.function,
            function,
            copies,
            graph,
            values,
            history,
            event_at,
            index,
            needs: OnceCell::new(),
            growth: OnceCell::new(),
            refusals: OnceCell::new(),
            chains: OnceCell::new(),
            expiries: OnceCell::new(),
        });
    }
    let is_piece = (only_defines(&program) && !is_library) || is_open(source, comments);
    Facts {
        source,
        globals: &config.globals,
        is_piece,
        program,
        texts,
        origins,
        roots: done,
        patterns: patterns(source, comments, config),
        cluster: config.cluster,
        targets: &config.targets,
        targets_named: config.targets_named,
        shebang,
        is_library,
        registrations,
        cut,
        judged_keys: OnceCell::new(),
    }
}

/// Does the main chunk only define functions?
fn only_defines(program: &Program) -> bool {
    let main = &program.functions[0];
    1 < program.functions.len()
        && !main.insts.iter().any(|inst| matches!(inst.op, Op::Call { .. }))
        && !main
            .blocks
            .iter()
            .any(|block| matches!(&block.end, Terminator::Return { values, .. } if !values.is_empty()))
}

/// Is an include of it not known?
fn is_open(source: &Source, comments: &[Comment]) -> bool {
    match source.includes[..] {
        [] => comments.iter().any(|comment| include::is_include(&source.snippet(comment.text))),
        [_, ..] => {
            source.includes.iter().any(|one| matches!(one.outcome, Outcome::Missing | Outcome::Unknown | Outcome::Cut))
        }
    }
}

/// The patterns of comments and of the config; where both name a key, the comment is nearer.
fn patterns(source: &Source, comments: &[Comment], config: &Config) -> Patterns {
    // An included file speaks of the keys of all scripts that include it.
    let own: Vec<Comment> =
        comments.iter().copied().filter(|comment| source.file_of(comment.span.start) == FileId::MAIN).collect();
    let mut patterns = contract::patterns(source, &own);
    for (n, text) in config.keys.iter().enumerate() {
        let index = n as u32 + 1;
        if !patterns.keys.iter().any(|known| known.index == index) {
            patterns.keys.push(Pattern { index, text: text.clone(), span: Span::default() });
        }
    }
    patterns.prefixes.extend(config.prefixes.iter().cloned());
    patterns
}

/// Captured locals that some function other than their own assigns.
fn assigned_elsewhere(program: &Program) -> FxHashSet<LocalId> {
    let mut locals = FxHashSet::default();
    for (id, function) in program.functions.iter().enumerate() {
        for inst in &function.insts {
            if let Op::Set(local, _) = inst.op
                && program.locals[local.index()].function.index() != id
            {
                locals.insert(local);
            }
        }
    }
    locals
}

/// What the main chunk leaves in locals that are assigned once, if it means the same elsewhere: literals, builtins, functions, inputs.
fn portable(at_exit: &FxHashMap<LocalId, Value>, program: &Program, origins: &Origins) -> FxHashMap<LocalId, Value> {
    let means_the_same = |local: &LocalId, value: &Value| {
        program.locals.get(local.index()).is_some_and(|local| local.assigned == 1)
            && value.origin != OriginId::UNKNOWN
            && origins.is_portable(value.origin)
    };
    at_exit
        .iter()
        .filter(|(local, value)| means_the_same(local, value))
        .map(|(&local, &value)| (local, value))
        .collect()
}

/// What a root finds in its parameters and in the locals around it.
fn entry(root: roots::Root, inlined: &Inlined, at_exit: &FxHashMap<LocalId, Value>, origins: &mut Origins) -> Entry {
    let mut locals: Vec<(LocalId, Value)> = Vec::new();
    if root.function != FuncId(0) {
        for inst in &inlined.function.insts {
            if let Op::Get(local) = inst.op
                && let Some(value) = at_exit.get(&local)
            {
                locals.push((local, *value));
            }
        }
    }
    for &param in &inlined.function.params {
        let origin = match root.kind {
            RootKind::Callback { keys, .. } if keys == Some(param) => Origin::Input(Input::Keys),
            RootKind::Callback { argv, .. } if argv == Some(param) => Origin::Input(Input::Argv),
            RootKind::Script | RootKind::Callback { .. } | RootKind::Helper => Origin::Param(param),
        };
        let kinds = if matches!(origin, Origin::Input(_)) { Kinds::TABLE } else { Kinds::ANY };
        locals.push((param, Value::new(kinds, origins.intern(origin))));
    }
    Entry { locals }
}
