//! Lists filled at the counter of a loop, `t[i] = v`, but not on each round: they have holes.

use rustc_hash::FxHashSet;

use crate::{
    facts::{Facts, Root},
    ir::{BlockId, LocalId, LoopId, LoopKind, Op, Terminator, ValueId},
    origin::Origin,
    returns,
};

pub(crate) struct Hole {
    /// The table.
    pub(crate) made: ValueId,
    /// The assignment that is not made on each round.
    pub(crate) set: ValueId,
}

/// What is stored in a table that was built outside of the loop.
struct Store {
    made: ValueId,
    set: ValueId,
    block: BlockId,
    /// The counter that is the key, with its loop.
    counter: Option<(LocalId, LoopId)>,
}

/// The assignments that leave holes in the tables that are asked for.
pub(crate) fn holes(facts: &Facts, root: &Root, wanted: &impl Fn(ValueId) -> bool) -> Vec<Hole> {
    if root.function.loops.is_empty() {
        return Vec::new();
    }
    let stores = stores(facts, root, wanted);
    let mut tables: Vec<ValueId> = stores.iter().map(|store| store.made).collect();
    tables.sort();
    tables.dedup();
    tables.into_iter().filter_map(|made| hole(facts, root, &stores, made)).collect()
}

fn stores(facts: &Facts, root: &Root, wanted: &impl Fn(ValueId) -> bool) -> Vec<Store> {
    let mut stores = Vec::new();
    for block in root.blocks() {
        for &set in &root.function.block(block).insts {
            let (table, counter) = match root.op(set) {
                Op::SetIndex { table, key, .. } => (*table, counter(facts, root, *key)),
                Op::SetTail { table, .. } => (*table, None),
                Op::Call { args, .. } => match (args.first(), root.callee(facts, set)) {
                    (Some(&table), Some("table.insert" | "table.remove" | "table.sort" | "rawset")) => (table, None),
                    (Some(_) | None, _) => continue,
                },
                Op::Const(_)
                | Op::Unknown
                | Op::Vararg
                | Op::Closure(_)
                | Op::Table
                | Op::Global(_)
                | Op::SetGlobal(..)
                | Op::Get(_)
                | Op::Set(..)
                | Op::Forget(_)
                | Op::Index(..)
                | Op::Not(_)
                | Op::Negate(_)
                | Op::Length(_)
                | Op::Binary(..)
                | Op::Extra(..) => continue,
            };
            let made = returns::made(facts, root.origin(table)).into_iter().filter(|&made| wanted(made));
            stores.extend(made.map(|made| Store { made, set, block, counter }));
        }
    }
    stores
}

/// The loop of which the key is the counter.
fn counter(facts: &Facts, root: &Root, key: ValueId) -> Option<(LocalId, LoopId)> {
    let Op::Get(local) = *root.op(key) else { return None };
    let &[set] = root.sets(local) else { return None };
    let Op::Set(_, value) = *root.op(set) else { return None };
    let Op::Get(hidden) = *root.op(value) else { return None };
    let id = root.graph.in_loop(set)?;
    let counts = match root.function.loops[id.index()].kind {
        LoopKind::Numeric { .. } => true,
        LoopKind::Generic { step } => {
            let Op::Call { callee, .. } = *root.op(step) else { return None };
            matches!(facts.origins.get(facts.origins.present(root.origin(callee))),
                Origin::Apply(builtin, ..) if builtin.name() == "ipairs")
        }
        LoopKind::While | LoopKind::Repeat => false,
    };
    (counts && root.local(&facts.program, hidden).name.is_none()).then_some((local, id))
}

fn hole(facts: &Facts, root: &Root, stores: &[Store], made: ValueId) -> Option<Hole> {
    let own: Vec<&Store> = stores.iter().filter(|store| store.made == made).collect();
    let first = own.first()?;
    let (local, id) = first.counter?;
    let inside = |block: BlockId| root.graph.loop_holds(id, block);
    if inside(root.graph.block_of(made)?) || own.iter().any(|store| store.counter != Some((local, id))) {
        return None;
    }
    let blocks: FxHashSet<BlockId> = own.iter().map(|store| store.block).collect();
    if !may_skip(root, id, &blocks) || own.iter().any(|store| is_prefix(facts, root, id, local, store.block)) {
        return None;
    }
    Some(Hole { made, set: first.set })
}

/// Is there a round of the loop that passes none of the blocks and goes on to the next?
fn may_skip(root: &Root, id: LoopId, blocks: &FxHashSet<BlockId>) -> bool {
    let head = root.function.loops[id.index()].head;
    let mut seen = FxHashSet::default();
    let mut left = vec![head];
    while let Some(block) = left.pop() {
        if !seen.insert(block) || blocks.contains(&block) || !root.is_reached(block) {
            continue;
        }
        if root.graph.back_edges(id).contains(&block) {
            return true;
        }
        left.extend(root.graph.successors(block).filter(|&next| next != head && root.graph.loop_holds(id, next)));
    }
    false
}

/// Is it stored on the first rounds only, by a test of the counter?
fn is_prefix(facts: &Facts, root: &Root, id: LoopId, local: LocalId, block: BlockId) -> bool {
    let counts = |value: ValueId| {
        let origin = facts.origins.present(root.origin(value));
        matches!(root.op(value), Op::Get(read) if *read == local)
            || root.reads(local).first().is_some_and(|&read| facts.origins.present(root.origin(read)) == origin)
    };
    root.conditions(block).any(|(branch, cond)| {
        let own = root.graph.loop_holds(id, branch) && root.graph.headed_by(branch).is_none();
        let is_branch = matches!(root.function.block(branch).end, Terminator::Branch { .. });
        own && is_branch && matches!(*root.op(cond), Op::Binary(op, a, b) if op.is_order() && (counts(a) || counts(b)))
    })
}
