//! Where paths meet.

use std::rc::Rc;

use super::{
    Eval,
    state::{Field, Narrow, Protocol, State, Table},
};
use crate::{
    flow::Known,
    ir::{BlockId, Const, ValueId},
    keyspace::Key,
    origin::{Origin, OriginId, Site},
    value::{Kinds, Value},
};

impl Eval<'_> {
    pub(super) fn join_states(&mut self, into: &mut State, from: &State, block: BlockId, widen: bool) -> bool {
        // What comes around a loop was computed from the joins of the round before.
        let mut from = from;
        let stale;
        if self.comes_again(block) {
            let mut past = from.clone();
            self.past(&mut past, Site::Block(block));
            stale = past;
            from = &stale;
        }
        // What tests proved of either value would be lost with its origin.
        let (ours, theirs) = (into.narrowed.clone(), from.narrowed.clone());
        let mut changed = into.locals.join(&from.locals, false, |local, a, b| {
            let (a, b) = (refine(&ours, *a), refine(&theirs, *b));
            let place = match a.origin == b.origin {
                true => OriginId::UNKNOWN,
                false => self.shared.origins.intern(Origin::Phi(local, block)),
            };
            Some(self.join_values(place, &a, &b, block, widen))
        });
        changed |= into.narrowed.join(&from.narrowed, false, |_, a, b| join_narrow(a, b, widen));
        let union = !(into.lost || from.lost);
        changed |= into.tables.join(&from.tables, union, |at, a, b| Some(self.join_tables(at, a, b, block, widen)));
        changed |= into.keys.join(&from.keys, false, |_, a, b| {
            let key = Key { types: a.types.or(b.types) };
            (key != Key::UNKNOWN).then_some(key)
        });
        for (ours, theirs) in [
            (&mut into.lost, from.lost),
            (&mut into.keys_changed, from.keys_changed),
            (&mut into.argv_changed, from.argv_changed),
        ] {
            changed |= theirs && !*ours;
            *ours |= theirs;
        }
        if into.protocol != from.protocol && into.protocol != Protocol::Either {
            into.protocol = Protocol::Either;
            changed = true;
        }
        changed
    }

    /// `place`: where the value stands, see [`Origin::OneOf`]; a local's [`Origin::Phi`] can also be the value's whole origin. Not asked
    /// for where the origins agree.
    fn join_values(&mut self, place: OriginId, a: &Value, b: &Value, block: BlockId, widen: bool) -> Value {
        let range = a.join_range(b);
        Value {
            kinds: a.kinds.or(b.kinds),
            origin: self.join_origins(place, a.origin, b.origin, block, widen),
            range: if widen { range.widen(a.range) } else { range },
        }
    }

    fn join_origins(&mut self, place: OriginId, a: OriginId, b: OriginId, block: BlockId, widen: bool) -> OriginId {
        if a == b {
            return a;
        }
        if a == place {
            return a;
        }
        let is_local = matches!(self.shared.origins.get(place), Origin::Phi(..));
        // In a table nothing asks whether it is of this round or of an earlier one.
        if !is_local && self.shared.origins.present(a) == self.shared.origins.present(b) {
            return self.shared.origins.past(a);
        }
        let at_head = widen || self.heads.get(block.index()) == Some(&true);
        let grows = at_head && !(self.is_stable(a) && self.is_stable(b));
        let joined = if grows { None } else { self.shared.origins.one_of(a, b, place) };
        joined.unwrap_or(if is_local { place } else { OriginId::UNKNOWN })
    }

    /// Is it nothing that is computed, so that a loop can't make ever new ones of it?
    fn is_stable(&self, origin: OriginId) -> bool {
        let origins = &*self.shared.origins;
        match origins.get(origin) {
            // A counter takes ever new numbers.
            Origin::Literal(constant) => !matches!(constant, Const::Number(_)),
            Origin::Input(_)
            | Origin::Builtin(_)
            | Origin::Closure(_)
            | Origin::Reply(_)
            | Origin::Made(_)
            | Origin::Opaque(_)
            | Origin::Param(_)
            | Origin::Global(_) => true,
            Origin::Index(base, key) => match origins.get(*base) {
                Origin::Index(..) => false,
                Origin::Input(_) => self.is_number(*key),
                _ => self.is_stable(*base) && self.is_stable(*key),
            },
            Origin::Past(inner) => self.is_stable(*inner),
            Origin::OneOf(parts, _) => parts.iter().all(|&part| self.is_stable(part)),
            Origin::Unknown
            | Origin::Phi(..)
            | Origin::Apply(..)
            | Origin::Concat(_)
            | Origin::Length(_)
            | Origin::Not(_)
            | Origin::Negate(_)
            | Origin::Binary(..) => false,
        }
    }

    /// Is it a literal, a counter of a loop, or a sum of those? Loop heads see to it that a script has only so many.
    fn is_number(&self, origin: OriginId) -> bool {
        match self.shared.origins.get(origin) {
            Origin::Literal(_) | Origin::Phi(..) => true,
            Origin::OneOf(parts, _) => parts.iter().all(|&part| self.is_number(part)),
            Origin::Binary(op, a, b) => op.is_arithmetic() && self.is_number(*a) && self.is_number(*b),
            _ => self.is_stable(origin),
        }
    }

    fn join_tables(&mut self, at: ValueId, a: &Rc<Table>, b: &Rc<Table>, block: BlockId, widen: bool) -> Rc<Table> {
        if Rc::ptr_eq(a, b) || a == b {
            return a.clone();
        }
        if a.open || b.open {
            return Rc::new(Table::OPEN);
        }
        let length = a.length.join(b.length);
        let mut joined = Table {
            fields: Vec::with_capacity(a.fields.len()),
            rest: None,
            rest_keys: a.rest_keys.or(b.rest_keys),
            length: if widen { length.widen(a.length) } else { length },
            open: false,
        };
        joined.rest = match (&a.rest, &b.rest) {
            (Some(a), Some(b)) => Some(self.join_fields(OriginId::UNKNOWN, a, b, block, widen)),
            (one, other) => one.or(*other),
        };
        let mut keys: Vec<Const> = a.fields.iter().chain(&b.fields).map(|(key, _)| *key).collect();
        keys.sort();
        keys.dedup();
        for key in keys {
            // A field that one of them lacks may be nil, or what stands under other keys.
            let place = self.place_of(at, key);
            let ours = self.field_or_absent(place, a, key);
            let theirs = self.field_or_absent(place, b, key);
            let field = match (ours, theirs) {
                (Some(a), Some(b)) => self.join_fields(place, &a, &b, block, widen),
                (Some(field), None) | (None, Some(field)) => {
                    Field { value: self.or_nil(field.value, place), at: field.at }
                }
                (None, None) => continue,
            };
            joined.fields.push((key, field));
        }
        Rc::new(joined)
    }

    /// Where the values of the table's field stand.
    pub(super) fn place_of(&mut self, table: ValueId, key: Const) -> OriginId {
        let (made, key) = (self.shared.origins.intern(Origin::Made(table)), self.shared.origins.literal(key));
        self.shared.origins.intern(Origin::Index(made, key))
    }

    fn field_or_absent(&mut self, place: OriginId, table: &Table, key: Const) -> Option<Field> {
        match (table.field(key), &table.rest) {
            (Some(field), _) => Some(*field),
            (None, Some(rest)) => Some(Field { value: self.or_nil(rest.value, place), at: rest.at }),
            (None, None) => None,
        }
    }

    fn join_fields(&mut self, place: OriginId, a: &Field, b: &Field, block: BlockId, widen: bool) -> Field {
        Field { value: self.join_values(place, &a.value, &b.value, block, widen), at: a.at.min(b.at) }
    }

    /// The value, or nil.
    pub(super) fn or_nil(&mut self, value: Value, place: OriginId) -> Value {
        let nil = self.shared.origins.literal(Const::Nil);
        let origin = self.shared.origins.one_of(value.origin, nil, place).unwrap_or(OriginId::UNKNOWN);
        Value { kinds: value.kinds.or(Kinds::NIL), origin, ..value }
    }

    /// Either value, wherever it is kept.
    pub(super) fn either(&mut self, a: &Value, b: &Value, place: OriginId) -> Value {
        let origin = match a.origin == b.origin {
            true => a.origin,
            false => self.shared.origins.one_of(a.origin, b.origin, place).unwrap_or(OriginId::UNKNOWN),
        };
        Value { kinds: a.kinds.or(b.kinds), origin, range: a.join_range(b) }
    }
}

/// The value with what tests proved of its origin. If nothing would be left, the value stays as it was, so that one mistake doesn't
/// hide the next.
pub(super) fn refine(narrowed: &Known<OriginId, Narrow>, value: Value) -> Value {
    let Some(narrow) = narrowed.get(value.origin) else { return value };
    let kinds = value.kinds.and(narrow.kinds);
    Value {
        kinds: if kinds.is_never() { value.kinds } else { kinds },
        range: value.range.meet(narrow.range).unwrap_or(value.range),
        ..value
    }
}

fn join_narrow(a: &Narrow, b: &Narrow, widen: bool) -> Option<Narrow> {
    let range = a.range.join(b.range);
    let joined = Narrow {
        kinds: a.kinds.or(b.kinds),
        range: if widen { range.widen(a.range) } else { range },
        same: if a.same == b.same { a.same } else { OriginId::UNKNOWN },
        tested: a.tested && b.tested,
    };
    (joined != Narrow::NOTHING).then_some(joined)
}
