//! Lists of values: arguments, `...`, what a call gives back.

use super::{FrameId, Inliner};
use crate::ir::{Const, Op, ValueId};
use crate::source::Span;

/// Values of the result, in order.
#[derive(Clone, Default, Debug)]
pub(super) struct List {
    pub(super) values: Vec<ValueId>,
    /// All results of this one follow: a call, `...` or an unknown value.
    pub(super) rest: Option<ValueId>,
}

impl List {
    /// Without the first `n`; `None`: some of them are not told apart.
    pub(super) fn after(&self, n: usize) -> Option<List> {
        match self.values.get(n..) {
            Some(values) => Some(List { values: values.to_vec(), rest: self.rest }),
            None if self.rest.is_none() => Some(List::default()),
            None => None,
        }
    }

    /// As an instruction holds it: the values and whether the last one is multiple.
    pub(super) fn into_values(self) -> (Vec<ValueId>, bool) {
        let mut values = self.values;
        values.extend(self.rest);
        (values, self.rest.is_some())
    }
}

impl Inliner<'_> {
    /// The copies of a frame's list.
    pub(super) fn list(&self, frame: FrameId, values: &[ValueId], tail: bool) -> List {
        let Some((&last, others)) = values.split_last().filter(|_| tail) else {
            return List { values: values.iter().map(|&value| self.mapped(frame, value)).collect(), rest: None };
        };
        let mut list = self.list(frame, others, false);
        match self.frame(frame).lists.get(&last) {
            Some(known) => {
                list.values.extend_from_slice(&known.values);
                list.rest = known.rest;
            }
            None => list.rest = Some(self.mapped(frame, last)),
        }
        list
    }

    /// The list without its first `n`; what isn't told apart becomes unknown.
    pub(super) fn list_after(&mut self, list: &List, n: usize, span: Span, via: Option<ValueId>) -> List {
        list.after(n).unwrap_or_else(|| List { values: Vec::new(), rest: Some(self.emit(Op::Unknown, span, via)) })
    }

    /// The value at place `n`, from 0; `nil` after the end.
    pub(super) fn nth(&mut self, list: &List, n: usize, span: Span, via: Option<ValueId>) -> ValueId {
        if let Some(&value) = list.values.get(n) {
            return value;
        }
        match (list.rest, n - list.values.len()) {
            (None, _) => self.emit(Op::Const(Const::Nil), span, via),
            (Some(rest), 0) => rest,
            (Some(rest), n) => self.emit(Op::Extra(rest, n as u32), span, via),
        }
    }
}
