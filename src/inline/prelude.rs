//! What a root knows of the functions that it stands in: they have run before, so a local of theirs that is assigned once, by an expression that
//! neither calls nor makes a table, has that value.

use rustc_hash::FxHashMap;

use super::Inliner;
use super::statics::Place;
use crate::ir::{BlockId, FuncId, LocalId, Op, ValueId};

/// How deep an expression is followed.
const DEPTH: u32 = 16;

impl Inliner<'_> {
    /// Sets the known ones of the outer locals that are read, first of all.
    pub(super) fn set_outer_constants(&mut self, root: FuncId) {
        let mut outer = Vec::new();
        for inst in &self.result.insts {
            if let Op::Get(local) = inst.op
                && let Some(declared) = self.statics.program.locals.get(local.index())
                && declared.function != root
            {
                outer.push(local);
            }
        }
        let rest = std::mem::take(&mut self.result.blocks[0].insts);
        self.at = BlockId(0);
        let mut seen = FxHashMap::default();
        for local in outer {
            self.set_constant(local, &mut seen, DEPTH);
        }
        self.result.blocks[0].insts.extend(rest);
    }

    /// Is its value known, so that it has been set? `seen` keeps the answers.
    fn set_constant(&mut self, local: LocalId, seen: &mut FxHashMap<LocalId, bool>, depth: u32) -> bool {
        if let Some(&known) = seen.get(&local) {
            return known;
        }
        seen.insert(local, false);
        let declared = self.statics.program.locals[local.index()];
        let only = self.statics.only(local).filter(|_| declared.assigned == 1);
        let Some(value) = only.and_then(|only| self.constant_value(only, seen, depth)) else {
            return false;
        };
        self.emit(Op::Set(local, value), declared.name.unwrap_or_default(), None);
        seen.insert(local, true);
        true
    }

    fn constant_value(&mut self, place: Place, seen: &mut FxHashMap<LocalId, bool>, depth: u32) -> Option<ValueId> {
        let depth = depth.checked_sub(1)?;
        let op = match *self.statics.op(place) {
            Op::Const(constant) => Op::Const(constant),
            Op::Closure(function) => Op::Closure(function),
            Op::Global(name) => Op::Global(name),
            Op::Get(local) if self.set_constant(local, seen, depth) => Op::Get(local),
            Op::Index(table, key) => Op::Index(
                self.constant_value(Place { value: table, ..place }, seen, depth)?,
                self.constant_value(Place { value: key, ..place }, seen, depth)?,
            ),
            Op::Negate(a) => Op::Negate(self.constant_value(Place { value: a, ..place }, seen, depth)?),
            Op::Binary(op, a, b) => Op::Binary(
                op,
                self.constant_value(Place { value: a, ..place }, seen, depth)?,
                self.constant_value(Place { value: b, ..place }, seen, depth)?,
            ),
            Op::Get(_)
            | Op::Unknown
            | Op::Vararg
            | Op::Table
            | Op::SetGlobal(..)
            | Op::Set(..)
            | Op::Forget(_)
            | Op::SetIndex { .. }
            | Op::SetTail { .. }
            | Op::Not(_)
            | Op::Length(_)
            | Op::Call { .. }
            | Op::Extra(..) => return None,
        };
        Some(self.emit(op, self.statics.function(place.function).span(place.value), None))
    }
}
