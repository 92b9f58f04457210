//! What a value is decided by: what was known before the first write, or what the script has written itself.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::Refusals;
use crate::{
    ir::{BlockId, LocalId, LoopKind, Op, Terminator, ValueId},
    origin::{Origin, OriginId},
};

/// What a condition is decided by; the greatest of what it is computed from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Basis {
    /// Literals alone.
    Nothing,
    /// What was known before the first write.
    Inputs,
    Unknown,
    /// What a write answered, or what it may have changed.
    Written,
}

/// Instructions that are followed from a condition to what it is computed from. Conditions are short; each step may double the work.
const STEPS: u32 = 10;

impl Refusals<'_> {
    /// What the instruction's value is decided by.
    pub(crate) fn basis(&self, value: ValueId) -> Basis {
        self.follow(value, STEPS)
    }

    /// Where the origin does not tell, because it is one of several, the instructions may tell what chose among them.
    fn follow(&self, value: ValueId, steps: u32) -> Basis {
        let known = self.basis_of(self.root.origin(value), &mut FxHashSet::default());
        let Some(left) = steps.checked_sub(1).filter(|_| known == Basis::Unknown) else {
            return known;
        };
        let most = |values: &[ValueId]| values.iter().map(|&each| self.follow(each, left)).max();
        match self.root.op(value) {
            Op::Get(local) => self.chosen(*local).and_then(|values| most(&values)).unwrap_or(known),
            Op::Not(a) | Op::Negate(a) | Op::Length(a) => self.follow(*a, left),
            Op::Binary(_, a, b) | Op::Index(a, b) => self.follow(*a, left).max(self.follow(*b, left)),
            Op::Call { args, .. } => {
                let applied = matches!(self.facts.origins.get(self.root.origin(value)), Origin::Apply(..));
                if applied { most(args).unwrap_or(known) } else { known }
            }
            Op::Const(_)
            | Op::Unknown
            | Op::Vararg
            | Op::Closure(_)
            | Op::Table
            | Op::Global(_)
            | Op::SetGlobal(..)
            | Op::Set(..)
            | Op::Forget(_)
            | Op::SetIndex { .. }
            | Op::SetTail { .. }
            | Op::Extra(..) => known,
        }
    }

    /// The values that the local may hold, if nothing else than they themselves chose among them: it is set once, or is the
    /// outcome of `a or b` or `a and b`.
    fn chosen(&self, local: LocalId) -> Option<SmallVec<[ValueId; 2]>> {
        let sets = self.found.sets.get(&local)?;
        let known = self.root.local(&self.facts.program, local);
        match sets[..] {
            [only] if known.assigned == 1 => Some(SmallVec::from_slice(&[only.value])),
            [first, second] if known.name.is_none() => match self.root.function.block(first.block).end {
                Terminator::Branch { cond, .. } if cond == first.value => {
                    Some(SmallVec::from_slice(&[first.value, second.value]))
                }
                Terminator::Branch { .. } | Terminator::Goto(_) | Terminator::Return { .. } | Terminator::Raise => None,
            },
            _ => None,
        }
    }

    fn basis_of(&self, origin: OriginId, seen: &mut FxHashSet<OriginId>) -> Basis {
        if !seen.insert(origin) {
            return Basis::Nothing;
        }
        let mut most =
            |parts: &[OriginId]| parts.iter().map(|&part| self.basis_of(part, seen)).max().unwrap_or(Basis::Nothing);
        match self.facts.origins.get(origin) {
            Origin::Literal(_) | Origin::Builtin(_) => Basis::Nothing,
            Origin::Input(_) => Basis::Inputs,
            Origin::Reply(at) => self.basis_of_reply(*at, seen),
            Origin::Opaque(at) => self.basis_of_step(*at, seen),
            Origin::Phi(local, block) => self.basis_of_index(*local, *block, seen),
            Origin::Index(a, b) => match (self.facts.origins.get(*a), self.facts.origins.get(*b)) {
                // The index of a loop: its start in the first round, then what it counts to. No test chose among them.
                (Origin::Input(_), Origin::OneOf(indices, _)) if indices.iter().any(|&id| self.is_loop_index(id)) => {
                    most(indices).max(Basis::Inputs)
                }
                _ => most(&[*a, *b]),
            },
            Origin::Binary(_, a, b) => most(&[*a, *b]),
            Origin::Apply(_, parts, _) | Origin::Concat(parts) => most(parts),
            Origin::Length(a) | Origin::Not(a) | Origin::Negate(a) => most(&[*a]),
            // Of several values nobody knows what chose.
            Origin::OneOf(parts, _) => most(parts).max(Basis::Unknown),
            Origin::Unknown
            | Origin::Closure(_)
            | Origin::Made(_)
            | Origin::Param(_)
            | Origin::Global(_)
            | Origin::Past(_) => Basis::Unknown,
        }
    }

    fn basis_of_reply(&self, at: ValueId, seen: &mut FxHashSet<OriginId>) -> Basis {
        let Some(event) = self.root.event(at) else {
            return Basis::Unknown;
        };
        if event.is_write() || self.root.history.is_stale(at) {
            return Basis::Written;
        }
        if event.command.is_none() {
            return Basis::Unknown;
        }
        let args = event.args.iter().map(|arg| self.basis_of(arg.value.origin, seen));
        args.max().unwrap_or(Basis::Nothing).max(Basis::Inputs)
    }

    /// A step of a loop over a table: decided by the table.
    fn basis_of_step(&self, at: ValueId, seen: &mut FxHashSet<OriginId>) -> Basis {
        let Op::Call { callee, .. } = self.root.op(at) else {
            return Basis::Unknown;
        };
        let callee = self.facts.origins.present(self.root.origin(*callee));
        let steps = matches!(self.facts.origins.get(callee), Origin::Apply(..));
        if steps { self.basis_of(callee, seen) } else { Basis::Unknown }
    }

    /// The index of a numeric loop: decided by its bounds.
    fn basis_of_index(&self, local: LocalId, block: BlockId, seen: &mut FxHashSet<OriginId>) -> Basis {
        match self.counts(local, block) {
            Some(bounds) => {
                let bounds = bounds.into_iter().flatten();
                bounds.map(|bound| self.basis_of(self.root.origin(bound), seen)).max().unwrap_or(Basis::Nothing)
            }
            None => Basis::Unknown,
        }
    }

    fn is_loop_index(&self, origin: OriginId) -> bool {
        let origin = self.facts.origins.get(origin);
        matches!(*origin, Origin::Phi(local, block) if self.counts(local, block).is_some())
    }

    /// The bounds of the numeric loop with this head, if the local counts its rounds.
    fn counts(&self, local: LocalId, block: BlockId) -> Option<[Option<ValueId>; 3]> {
        self.root.function.blocks.get(block.index())?;
        let head = self.root.graph.headed_by(block)?;
        let hidden = self.root.local(&self.facts.program, local).name.is_none();
        match self.root.function.loops[head.index()].kind {
            LoopKind::Numeric { start, limit, step } if hidden => Some([Some(start), Some(limit), step]),
            LoopKind::Numeric { .. } | LoopKind::Generic { .. } | LoopKind::While | LoopKind::Repeat => None,
        }
    }
}
