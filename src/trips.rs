//! How often loops run, and what decides it.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "asks for some forms of an instruction or origin; all others are none of them"
)]

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{
    facts::{Facts, Root},
    ir::{BinaryOp, BlockId, Function, LocalId, LoopId, LoopKind, Op, Terminator, ValueId},
    origin::{Input, Origin, OriginId},
    value::Interval,
};

/// What sets the number of rounds of a loop.
pub(crate) struct Trips {
    /// The value that bounds it: a numeric loop's limit, the list that is walked, the other side of the counter's test.
    pub bound: Option<ValueId>,
    /// Where the number comes from; empty: not known.
    pub sources: SmallVec<[Source; 2]>,
    /// No run passes this many rounds.
    pub most: Option<i32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// The text of an argument, read as a number.
    Argument(OriginId),
    /// How many keys or arguments the caller passes.
    Count(Input),
    /// How long the reply of this call is.
    Reply(ValueId),
    /// How long the table built here is.
    Table(ValueId),
}

/// What sets the rounds of the loop.
pub(crate) fn trips(facts: &Facts, root: &Root, id: LoopId) -> Trips {
    let each = &root.function.loops[id.index()];
    match each.kind {
        LoopKind::Numeric { start, limit, step } => {
            let down = step.is_some_and(|step| root.value(step).range.high < 0);
            let (far, near) = if down { (start, limit) } else { (limit, start) };
            let (far_range, near_range) = (root.value(far).range, root.value(near).range);
            // A limit in `while` form may be narrowed after the instruction that made it.
            let far_range = narrowed_limit(root, each.head, far).unwrap_or(far_range);
            let most = (far_range.has_upper() && near_range.has_lower())
                .then(|| far_range.high.saturating_sub(near_range.low).saturating_add(1).max(0));
            // From `i` to `i + 99` are 100 rounds, whatever `i` is.
            let near = facts.origins.distance(root.origin(near), root.origin(far));
            let most = near.map(|distance| distance.saturating_add(1).max(0)).or(most);
            Trips { bound: Some(far), sources: sources(facts, root.value(far).origin), most }
        }
        LoopKind::Generic { step } => generic(facts, root, step),
        LoopKind::While | LoopKind::Repeat => counted(facts, root, id),
    }
}

/// The limit of a numeric loop as its head's comparison sees it.
fn narrowed_limit(root: &Root, head: BlockId, limit: ValueId) -> Option<Interval> {
    let Terminator::Branch { cond, .. } = root.function.block(head).end else { return None };
    let Op::Binary(_, _, other) = root.op(cond) else { return None };
    let value = root.value(*other);
    (value.origin == root.origin(limit) && value.range != Interval::ALL).then_some(value.range)
}

fn generic(facts: &Facts, root: &Root, step: ValueId) -> Trips {
    let unknown = Trips { bound: None, sources: SmallVec::new(), most: None };
    let Op::Call { callee, .. } = root.op(step) else { return unknown };
    let Origin::Apply(iterator, parts, 0) = facts.origins.get(facts.origins.present(root.origin(*callee))) else {
        return unknown;
    };
    let (Some(&list), true) = (parts.first(), matches!(iterator.name(), "ipairs" | "pairs")) else { return unknown };
    let range = root.value(step).range;
    let most = range.has_upper().then_some(range.high);
    Trips { bound: Some(*callee), sources: of_list(facts, list), most }
}

/// A loop that ends when a number that it changes passes another that it doesn't.
fn counted(facts: &Facts, root: &Root, id: LoopId) -> Trips {
    let mut trips = Trips { bound: None, sources: SmallVec::new(), most: None };
    for &(from, _) in root.graph.exits(id) {
        let Terminator::Branch { cond, .. } = root.function.block(from).end else { continue };
        let Op::Binary(op, a, b) = *root.op(cond) else { continue };
        if !op.is_comparison() {
            continue;
        }
        let (counter, bound) = match (steps(facts, root, id, a), steps(facts, root, id, b)) {
            (true, false) => (a, b),
            (false, true) => (b, a),
            _ => continue,
        };
        trips.bound = Some(bound);
        trips.sources = sources(facts, root.origin(bound));
        let range = root.value(bound).range;
        if range.has_upper() && range.has_lower() {
            trips.most = Some(range.high.saturating_abs());
        }
        // Halving: the number of rounds is small whatever the bound.
        if is_scaled(root, id, counter) {
            trips.most = Some(64);
        }
        if trips.most.is_some() {
            break;
        }
    }
    trips
}

/// Is the value a local that the loop adds to or takes from?
fn steps(facts: &Facts, root: &Root, id: LoopId, value: ValueId) -> bool {
    assigned(root, id, value).any(|new| match root.op(new) {
        Op::Binary(op, ..) => op.is_arithmetic(),
        Op::Call { .. } => root.callee(facts, new).is_some_and(|name| name.starts_with("math.")),
        _ => false,
    })
}

fn is_scaled(root: &Root, id: LoopId, value: ValueId) -> bool {
    assigned(root, id, value).any(|new| divides(root, new, 3))
}

/// Is it made by a division or product, directly or through calls like `math.floor`?
fn divides(root: &Root, value: ValueId, depth: u8) -> bool {
    match root.op(value) {
        Op::Binary(BinaryOp::Div | BinaryOp::Mul, ..) => true,
        Op::Call { args, .. } if 0 < depth => args.iter().any(|&arg| divides(root, arg, depth - 1)),
        _ => false,
    }
}

/// The values that the loop assigns to the local that the instruction reads.
fn assigned<'a>(root: &'a Root, id: LoopId, value: ValueId) -> impl Iterator<Item = ValueId> + 'a {
    let local = match root.op(value) {
        Op::Get(local) => Some(*local),
        _ => None,
    };
    sets(root, id).filter(move |(set, _)| Some(*set) == local).map(|(_, new)| new)
}

/// The assignments inside the loop, its inner loops included.
pub(crate) fn sets<'a>(root: &'a Root, id: LoopId) -> impl Iterator<Item = (LocalId, ValueId)> + 'a {
    insts(root, id).filter_map(|at| match root.op(at) {
        Op::Set(local, value) => Some((*local, *value)),
        _ => None,
    })
}

/// The instructions that the loop may run again, in reverse postorder.
pub(crate) fn insts<'a>(root: &'a Root, id: LoopId) -> impl Iterator<Item = ValueId> + 'a {
    blocks(root, id).flat_map(|block| root.function.block(block).insts.iter().copied())
}

/// The reached blocks that the loop may run again. They stand together in reverse postorder, the head first.
pub(crate) fn blocks(root: &Root, id: LoopId) -> impl Iterator<Item = BlockId> + '_ {
    let head = root.graph.position(root.function.loops[id.index()].head);
    let order = head.map_or(&[][..], |head| &root.graph.rpo[head as usize..]);
    let inside = order.iter().copied().take_while(move |&block| root.graph.loop_holds(id, block));
    inside.filter(|&block| root.is_reached(block))
}

/// Where a number comes from.
fn sources(facts: &Facts, origin: OriginId) -> SmallVec<[Source; 2]> {
    let mut found = SmallVec::new();
    collect_sources(facts, origin, &mut found);
    found
}

fn collect_sources(facts: &Facts, origin: OriginId, found: &mut SmallVec<[Source; 2]>) {
    let mut push = |source| {
        if !found.contains(&source) {
            found.push(source);
        }
    };
    match facts.origins.get(origin) {
        Origin::Length(list) => of_list(facts, *list).into_iter().for_each(push),
        Origin::Index(..) if matches!(facts.origins.element(origin), Some((Input::Argv, _))) => {
            push(Source::Argument(origin));
        }
        Origin::Reply(at) => push(Source::Reply(*at)),
        origin => origin.parts(|part| collect_sources(facts, part, found)),
    }
}

/// Where a list's length comes from.
pub(crate) fn of_list(facts: &Facts, list: OriginId) -> SmallVec<[Source; 2]> {
    let mut found = SmallVec::new();
    for part in facts.origins.alternatives(facts.origins.present(list)) {
        match facts.origins.get(facts.origins.present(part)) {
            Origin::Input(input) => found.push(Source::Count(*input)),
            Origin::Reply(at) => found.push(Source::Reply(*at)),
            Origin::Made(at) => found.push(Source::Table(*at)),
            _ => {}
        }
    }
    found
}

/// What makes tables long, of a whole root.
#[derive(Default)]
pub(crate) struct Growth {
    /// By table: the instructions that add elements.
    fills: FxHashMap<ValueId, Vec<ValueId>>,
    /// By table: the locals that it is put into.
    holders: FxHashMap<ValueId, Vec<LocalId>>,
}

fn growth<'a>(facts: &Facts, root: &'a Root) -> &'a Growth {
    root.growth.get_or_init(|| {
        let mut growth = Growth::default();
        for at in root.insts() {
            let (to, is_local) = match root.op(at) {
                Op::SetIndex { table, .. } | Op::SetTail { table, .. } => (*table, None),
                Op::Call { args, .. } if root.callee(facts, at) == Some("table.insert") => match args.first() {
                    Some(&table) => (table, None),
                    None => continue,
                },
                Op::Set(local, value) => (*value, Some(*local)),
                _ => continue,
            };
            for source in of_list(facts, root.origin(to)) {
                let Source::Table(made) = source else { continue };
                match is_local {
                    Some(local) => growth.holders.entry(made).or_default().push(local),
                    None => growth.fills.entry(made).or_default().push(at),
                }
            }
        }
        growth
    })
}

/// The innermost loop around each instruction that adds elements to the table built at `made`.
pub(crate) fn fills(facts: &Facts, root: &Root, made: ValueId) -> Vec<Option<LoopId>> {
    let fills = growth(facts, root).fills.get(&made);
    fills.map_or(&[][..], Vec::as_slice).iter().map(|&at| root.graph.in_loop(at)).collect()
}

/// The locals that the table built at `made` is put into.
pub(crate) fn holders<'a>(facts: &Facts, root: &'a Root, made: ValueId) -> &'a [LocalId] {
    growth(facts, root).holders.get(&made).map_or(&[], Vec::as_slice)
}

/// The loop and those around it.
pub(crate) fn outward(root: &Root, id: Option<LoopId>) -> impl Iterator<Item = LoopId> + '_ {
    std::iter::successors(id, |&id| root.graph.loop_parent(id))
}

/// Does the function call code that isn't seen inside the loop? It may end the script by an error.
pub(crate) fn calls_unseen(facts: &Facts, root: &Root, id: LoopId) -> bool {
    insts(root, id).any(|at| {
        matches!(root.op(at), Op::Call { .. }) && root.callee(facts, at).is_none() && !is_step(&root.function, at)
    })
}

fn is_step(function: &Function, at: ValueId) -> bool {
    function.loops.iter().any(|each| matches!(each.kind, LoopKind::Generic { step } if step == at))
}
