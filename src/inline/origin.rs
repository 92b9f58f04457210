//! What a value is in a copy: the closure or table that its text names, with the frame that made it.

use super::statics::{Place, STEPS, Step};
use super::{FrameId, Inliner, Static};
use crate::ir::{FuncId, ValueId};

impl Inliner<'_> {
    /// What a frame's value is, if the text says so and it isn't `nil`.
    pub(super) fn origin(&self, frame: FrameId, value: ValueId) -> Option<Static> {
        let function = self.frame(frame).entry.function;
        self.follow(Some(frame), Place { function, value }, &mut STEPS.clone())
    }

    fn follow(&self, mut frame: Option<FrameId>, mut place: Place, left: &mut u32) -> Option<Static> {
        while *left != 0 {
            *left -= 1;
            let next = match self.statics.step(place) {
                Step::Closure(function) => return Some(Static::Closure { function, outer: frame }),
                Step::Table => return Some(Static::Table { place, frame }),
                Step::Local(local) => {
                    let declared = self.statics.program.locals[local.index()].function;
                    let home = self.enclosing(frame, place.function, declared)?;
                    if let Some(&bound) = home.and_then(|home| self.frame(home).bindings.get(&local)) {
                        return Some(bound);
                    }
                    self.statics.only(local)?
                }
                Step::Field(table, key) => {
                    let Static::Table { place: table, frame: seen } = self.follow(frame, table, left)? else {
                        return None;
                    };
                    (frame, place) = (seen, table);
                    self.statics.field(table, key)?
                }
                Step::Call(callee, first) => {
                    if self.statics.global(callee) == Some(b"setmetatable") {
                        place.value = first?;
                        continue;
                    }
                    let function = match frame {
                        Some(id) => {
                            let inner = *self.frame(id).calls.get(&place.value)?;
                            frame = Some(inner);
                            self.frame(inner).entry.function
                        }
                        None => self.statics.closure(callee)?,
                    };
                    place = self.statics.returned(function)?;
                    continue;
                }
                Step::Global(_) | Step::Nothing => return None,
            };
            frame = self.enclosing(frame, place.function, next.function)?;
            place = next;
        }
        None
    }

    /// The frame of `function` that a frame stands in, which is one of `inside`; `Some(None)`: it stands in the function, but no copy of it.
    fn enclosing(&self, frame: Option<FrameId>, inside: FuncId, function: FuncId) -> Option<Option<FrameId>> {
        let (mut frame, mut inside) = (frame, inside);
        loop {
            if inside == function {
                return Some(frame);
            }
            frame = frame.and_then(|id| self.frame(id).entry.outer);
            inside = self.statics.function(inside).parent?;
        }
    }
}
