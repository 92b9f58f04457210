//! What the value analysis knows at one point of a function.

use std::rc::Rc;

use crate::{
    flow::Known,
    ir::{Const, LocalId, ValueId},
    keyspace::Key,
    origin::{Input, OriginId},
    value::{Interval, Kinds, Value},
};

#[derive(Clone, Default, PartialEq, Debug)]
pub(crate) struct State {
    pub(super) locals: Known<LocalId, Value>,
    /// What tests and earlier uses proved of an origin.
    pub(super) narrowed: Known<OriginId, Narrow>,
    /// The contents of tables built here. An absent one was not built on any path to here, unless `lost`.
    pub(super) tables: Known<ValueId, Rc<Table>>,
    pub(super) keys: Known<OriginId, Key>,
    /// Contents of tables were given up: an absent table is unknown.
    pub(super) lost: bool,
    /// The script changed KEYS or ARGV: their elements are not the caller's any more.
    pub(super) keys_changed: bool,
    pub(super) argv_changed: bool,
    /// How the server answers.
    pub(super) protocol: Protocol,
}

/// Which `redis.setresp` was called last.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Protocol {
    #[default]
    Resp2,
    Resp3,
    Either,
}

/// What is known of an origin beyond its value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Narrow {
    pub(crate) kinds: Kinds,
    pub(crate) range: Interval,
    /// An origin that it was proven equal to.
    pub(crate) same: OriginId,
    /// Did a test or a use that would have failed look at it?
    pub(crate) tested: bool,
}

impl Narrow {
    pub(crate) const NOTHING: Narrow =
        Narrow { kinds: Kinds::ANY, range: Interval::ALL, same: OriginId::UNKNOWN, tested: false };
}

/// What stands in a table.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// By constant key, sorted.
    pub fields: Vec<(Const, Field)>,
    /// Under any other key: the join of all.
    pub rest: Option<Field>,
    /// What those keys can be.
    pub rest_keys: Kinds,
    /// Bounds of `#t`.
    pub length: Interval,
    /// Code that is not seen may have changed it: what it holds is unknown.
    pub open: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Field {
    pub value: Value,
    /// The instruction that made the (last) value.
    pub at: ValueId,
}

impl Table {
    pub const EMPTY: Table = Table {
        fields: Vec::new(),
        rest: None,
        rest_keys: Kinds::NEVER,
        length: Interval { low: 0, high: 0 },
        open: false,
    };
    pub const OPEN: Table =
        Table { fields: Vec::new(), rest: None, rest_keys: Kinds::ANY, length: Interval::NATURAL, open: true };

    pub fn field(&self, key: Const) -> Option<&Field> {
        self.fields.binary_search_by(|(known, _)| known.cmp(&key)).ok().map(|at| &self.fields[at].1)
    }

    pub fn all_fields(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().map(|(_, field)| field).chain(&self.rest)
    }
}

impl State {
    pub(super) fn changed(&self, input: Input) -> bool {
        match input {
            Input::Keys => self.keys_changed,
            Input::Argv => self.argv_changed,
        }
    }
}
