//! Where a script ends, and whether it refuses there.

use rustc_hash::FxHashSet;

use super::{Manner, Refusal, Set, Sets};
use crate::{
    facts::{Facts, Form, Root},
    ir::{BlockId, Const, Op, Terminator, ValueId},
    origin::{Origin, OriginId},
    source::Span,
    value::Kinds,
};

/// The exits that refuse, in reverse postorder.
pub(super) fn refusals(facts: &Facts, root: &Root, sets: &Sets) -> Vec<Refusal> {
    let exits = Exits { facts, root, sets, errors: errors(facts, root) };
    let mut found = Vec::new();
    for block in root.blocks() {
        let code = root.function.block(block);
        let asserted = code.insts.iter().filter_map(|&at| asserted(facts, root, at)).filter(|_| code.unwind.is_none());
        found.extend(asserted.map(|(at, cond)| Refusal { asserted: Some(cond), ..exits.error(block, at) }));
        match &code.end {
            Terminator::Raise if code.unwind.is_none() => {
                found.extend(code.insts.last().map(|&call| exits.error(block, call)));
            }
            Terminator::Return { values, span, .. } => match values.first() {
                Some(&value) => {
                    let exit = Refusal { span: *span, ..exits.error(block, value) };
                    exits.returns(block, exit, value, &mut found);
                }
                None => found.extend(exits.literal(block, *span)),
            },
            Terminator::Raise | Terminator::Goto(_) | Terminator::Branch { .. } => {}
        }
    }
    found
}

struct Exits<'a> {
    facts: &'a Facts<'a>,
    root: &'a Root,
    sets: &'a Sets,
    /// Tables with a field `err`.
    errors: FxHashSet<ValueId>,
}

impl Exits<'_> {
    fn error(&self, block: BlockId, at: ValueId) -> Refusal {
        Refusal { manner: Manner::Error, block, span: self.root.span(at), at, asserted: None }
    }

    /// `value` is handed back in the block `end`.
    fn returns(&self, end: BlockId, exit: Refusal, value: ValueId, found: &mut Vec<Refusal>) {
        if let Op::Get(local) = *self.root.op(value)
            && self.root.local(&self.facts.program, local).name.is_none()
            && let Some(sets) = self.sets.get(&local)
        {
            // A helper's result, or that of `and` and `or`: each place that leads straight here is an exit of its own.
            let known = found.len();
            for set in sets.iter().filter(|set| set.block != end && self.leads_straight(set, end)) {
                let place = Refusal { block: set.block, ..exit };
                let own = Refusal { at: set.at, span: self.root.span(set.at), ..place };
                let chooses = 1 < sets.len() && self.root.inst(set.at).via.is_some();
                self.returns(set.block, if chooses { own } else { place }, set.value, found);
            }
            if known < found.len() {
                return;
            }
        }
        if self.is_error(value) {
            found.push(exit);
        } else if matches!(self.root.op(value), Op::Const(_)) {
            found.extend(self.literal(exit.block, exit.span));
        }
    }

    /// From the instruction on, does nothing happen until the block ends the script?
    fn leads_straight(&self, set: &Set, end: BlockId) -> bool {
        let quiet = |insts: &[ValueId]| !insts.iter().any(|&at| matches!(self.root.op(at), Op::Call { .. }));
        let mut block = set.block;
        let insts = &self.root.function.block(block).insts;
        let after = insts.iter().position(|&at| at == set.at).map_or(0, |at| at + 1);
        let mut rest = &insts[after..];
        // Each step leads on to a block that comes later, or it is a loop.
        loop {
            if !quiet(rest) {
                return false;
            }
            if block == end {
                return true;
            }
            let Terminator::Goto(to) = self.root.function.block(block).end else {
                return false;
            };
            if self.root.graph.position(to) <= self.root.graph.position(block) {
                return false;
            }
            block = to;
            rest = &self.root.function.block(block).insts;
        }
    }

    fn is_error(&self, value: ValueId) -> bool {
        let value = self.root.value(value);
        let made = |origin: OriginId| {
            let origin = self.facts.origins.get(origin);
            matches!(origin, Origin::Made(at) if self.errors.contains(at))
        };
        let reply = !value.kinds.is_never() && value.kinds.within(Kinds::ERROR);
        reply || self.facts.origins.alternatives(value.origin).iter().all(|&origin| made(origin))
    }

    /// A literal right under a test.
    fn literal(&self, block: BlockId, span: Span) -> Option<Refusal> {
        let mut before = self.root.graph.predecessors(block);
        let under = before
            .next()
            .is_some_and(|before| matches!(self.root.function.block(before).end, Terminator::Branch { .. }));
        let quiet =
            !self.root.function.block(block).insts.iter().any(|&at| matches!(self.root.op(at), Op::Call { .. }));
        let at = *self.root.function.block(block).insts.last()?;
        (under && quiet).then_some(Refusal { manner: Manner::Literal, block, span, at, asserted: None })
    }
}

fn errors(facts: &Facts, root: &Root) -> FxHashSet<ValueId> {
    let mut errors = FxHashSet::default();
    for at in root.all(Form::SetIndex) {
        if let Op::SetIndex { table, key, .. } = *root.op(at)
            && let Origin::Made(made) = *facts.origins.get(root.origin(table))
            && let Some(Const::Text(name)) = facts.origins.constant(root.origin(key))
            && facts.texts.get(name) == b"err"
        {
            errors.insert(made);
        }
    }
    errors
}

/// `assert(condition, ...)`: the call and the condition.
fn asserted(facts: &Facts, root: &Root, at: ValueId) -> Option<(ValueId, ValueId)> {
    let Op::Call { args, .. } = root.op(at) else {
        return None;
    };
    let cond = *args.first()?;
    (root.callee(facts, at) == Some("assert")).then_some((at, cond))
}
