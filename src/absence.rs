//! Replies that tell by `false` that nothing is there, and what scripts do to rule it out.
//!
//! A reply is *absent* at a place if the line of its own command holds `false`, and no test on the way has taken that away. A value
//! whose source isn't wholly known is never absent.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "asks for some forms of an instruction or origin; all others are none of them"
)]

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::{
    chains,
    commands::{Flag, Shape},
    events::Event,
    facts::{Facts, Root},
    graph::Order,
    ir::{BinaryOp, Const, LocalId, LoopKind, Op, ValueId},
    keyspace::Types,
    origin::{Origin, OriginId, Site},
    value::{Kinds, Value},
};

/// The call whose reply (or an element of it) the value is, if that reply may be `false` there.
pub(crate) fn absent<'a>(facts: &Facts, root: &'a Root, value: Value) -> Option<&'a Event> {
    if value.kinds == Kinds::ANY || !value.kinds.may_be(Kinds::FALSE) {
        return None;
    }
    let mut found = None;
    for origin in sources(facts, root, value.origin) {
        let origin = facts.origins.present(origin);
        match *facts.origins.get(origin) {
            Origin::Literal(constant) if constant != Const::False => {}
            Origin::Reply(at) => {
                let event = root.event(at)?;
                let own = event.reply.kinds;
                if own != Kinds::ANY && own.may_be(Kinds::FALSE) {
                    found = found.or(Some(event));
                }
            }
            Origin::Index(base, _) => match *facts.origins.get(facts.origins.present(base)) {
                Origin::Reply(at) => {
                    let event = root.event(at)?;
                    let element = event.reply.element;
                    if element != Kinds::ANY && element.may_be(Kinds::FALSE) && event.reply.shape != Shape::Nested {
                        found = found.or(Some(event));
                    }
                }
                Origin::Input(_) => {}
                _ => return None,
            },
            _ => return None,
        }
    }
    found.filter(|event| !facts.is_of_another_piece(event))
}

/// The origins that the value may have; where paths meet in a local, those of all that it was set to.
pub(crate) fn sources(facts: &Facts, root: &Root, origin: OriginId) -> SmallVec<[OriginId; 4]> {
    let origin = facts.origins.present(origin);
    let Origin::Phi(local, _) = *facts.origins.get(origin) else { return facts.origins.alternatives(origin) };
    let mut found = SmallVec::new();
    for &at in root.sets(local) {
        root.op(at).operands(|value| {
            found.extend(facts.origins.alternatives(facts.origins.present(root.origin(value))));
        });
    }
    found.retain(|id| *id != origin);
    found
}

/// Where something must not be false or nil: the operand and what is known of it there.
#[derive(Clone, Copy)]
pub(crate) struct Need {
    pub(crate) at: ValueId,
    pub(crate) value: Value,
    pub(crate) what: Use,
}

/// What raises on false and nil.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Arithmetic,
    Comparison,
    /// Bounds of `for`.
    Loop,
    Concatenation,
    Length,
    Index,
    Argument(&'static str),
    /// Of the command sent by the call.
    Command,
}

/// Calls `f` with each operand of the instruction that raises if it is false or nil, and is of the kinds that are asked for.
pub(crate) fn needs(facts: &Facts, root: &Root, at: ValueId, kinds: impl Fn(Kinds) -> bool, mut f: impl FnMut(Need)) {
    let mut need = |at: ValueId, value: Value, what: &dyn Fn() -> Use| {
        if kinds(value.kinds) {
            f(Need { at, value, what: what() });
        }
    };
    let mut own = |at: ValueId, what: &dyn Fn() -> Use| need(at, root.value(at), what);
    match root.op(at) {
        Op::Binary(op, a, b) => {
            let what = || match op.symbol() {
                ".." => Use::Concatenation,
                _ if chains::bounds_loop(root, at) => Use::Loop,
                _ if op.is_order() => Use::Comparison,
                _ => Use::Arithmetic,
            };
            if !matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
                own(*a, &what);
                own(*b, &what);
            }
        }
        Op::Negate(a) => own(*a, &|| Use::Arithmetic),
        Op::Length(a) => own(*a, &|| Use::Length),
        Op::Index(base, _) => own(*base, &|| Use::Index),
        Op::SetIndex { table, .. } => own(*table, &|| Use::Index),
        Op::Call { callee, args, .. } => {
            if let Some(event) = root.event(at) {
                for arg in event.args.iter().filter(|arg| arg.spread.is_none()) {
                    need(arg.at, arg.value, &|| Use::Command);
                }
            } else if let Origin::Builtin(builtin) = *facts.origins.get(root.origin(*callee)) {
                let taken = args.iter().zip(builtin.takes()).filter(|(_, kinds)| !kinds.may_be(Kinds::FALSY));
                for (&arg, _) in taken {
                    own(arg, &|| Use::Argument(builtin.name()));
                }
            }
        }
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
        | Op::SetTail { .. }
        | Op::Not(_)
        | Op::Extra(..) => {}
    }
}

impl Use {
    /// "cannot be ..." of a value that is false or nil.
    pub(crate) fn fails(self) -> String {
        match self {
            Use::Arithmetic => "arithmetic raises".into(),
            Use::Comparison => "the comparison raises".into(),
            Use::Loop => "the loop raises".into(),
            Use::Concatenation => "`..` raises".into(),
            Use::Length => "`#` raises".into(),
            Use::Index => "indexing raises".into(),
            Use::Argument(name) => format!("`{name}` raises"),
            Use::Command => "the command is refused".into(),
        }
    }
}

/// Does the script itself know that the reply is there: by what it wrote, by a test of the same key or of a sibling field, by a length?
pub(crate) fn is_known_present(facts: &Facts, root: &Root, event: &Event, place: ValueId) -> bool {
    let keys: SmallVec<[OriginId; 2]> = event.key_args().map(|(_, arg)| arg.value.origin).collect();
    if event.keys.iter().any(|key| !key.types.may_be(Types::ABSENT)) {
        return true;
    }
    let of_key =
        |other: &Event| other.at != event.at && other.key_args().any(|(_, arg)| keys.contains(&arg.value.origin));
    let written = root.writes().any(|write| {
        let adds = write.command.is_some_and(|command| command.ever(Flag::Denyoom));
        adds && of_key(write) && root.before(write.at, event.at) != Order::Never
    });
    if written {
        return true;
    }
    let mentions = |origin: OriginId| {
        let mut found = false;
        facts.origins.leaves(origin, &mut |leaf, _| {
            found |= facts.origins.reply(leaf).and_then(|at| root.event(at)).is_some_and(&of_key);
        });
        found
    };
    // A member that the same key listed, an index below its length.
    let listed = event.args.iter().any(|arg| !keys.contains(&arg.value.origin) && mentions(arg.value.origin));
    if listed || counted(root, event, &mentions) {
        return true;
    }
    let local = match root.op(place) {
        Op::Get(local) => Some(*local),
        _ => None,
    };
    [place, event.at].into_iter().any(|from| {
        controls(root, from)
            .into_iter()
            .any(|cond| !depends_on(root, cond, place, 8) && looks(facts, root, cond, local, event, &mentions, 6))
    })
}

/// Is the call in a loop up to a length of its key?
fn counted(root: &Root, event: &Event, mentions: &impl Fn(OriginId) -> bool) -> bool {
    let mut within = root.graph.in_loop(event.at);
    while let Some(id) = within {
        if let LoopKind::Numeric { limit, .. } = root.function.loops[id.index()].kind
            && mentions(root.origin(limit))
        {
            return true;
        }
        within = root.graph.loop_parent(id);
    }
    false
}

/// The conditions that decide whether control comes to the instruction, and those that decide about these.
pub(crate) fn controls(root: &Root, from: ValueId) -> Vec<ValueId> {
    let mut conditions = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work: Vec<_> = root.graph.block_of(from).into_iter().collect();
    while let Some(block) = work.pop() {
        for (branch, cond) in root.conditions(block) {
            if seen.insert(branch) {
                conditions.push(cond);
                work.push(branch);
            }
        }
    }
    conditions
}

fn looks(
    facts: &Facts,
    root: &Root,
    value: ValueId,
    local: Option<LocalId>,
    event: &Event,
    mentions: &impl Fn(OriginId) -> bool,
    depth: u8,
) -> bool {
    let origin = root.origin(value);
    let mut found = facts.origins.mentions(origin, Site::Value(event.at))
        || facts.origins.reply(origin) == Some(event.at)
        || mentions(origin)
        || matches!(root.op(value), Op::Get(read) if Some(*read) == local);
    if !found && 0 < depth {
        root.op(value).operands(|operand| {
            found = found || looks(facts, root, operand, local, event, mentions, depth - 1);
        });
    }
    found
}

/// Is the value computed from that of the other instruction?
pub(crate) fn depends_on(root: &Root, value: ValueId, on: ValueId, depth: u8) -> bool {
    let mut found = value == on;
    if !found && 0 < depth {
        root.op(value).operands(|operand| found = found || depends_on(root, operand, on, depth - 1));
    }
    found
}
