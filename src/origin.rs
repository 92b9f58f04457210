//! Provenance: where a value came from, told as the user would write it.
//!
//! Origins are interned per analysis: equal origins have equal ids, so a fact about an origin is a fact about every value that has it,
//! through whatever locals it flowed. An origin *mentions* the instructions and joins that it was made at; when one of them is
//! executed again (in a loop), what mentions it tells of the round before and must be forgotten.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "asks for some forms of an instruction or origin; all others are none of them"
)]

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{
    builtins::BuiltinId,
    ir::{BinaryOp, BlockId, Const, FuncId, LocalId, Number, TextId, ValueId},
    limits,
    value::Interval,
};

/// An interned [`Origin`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct OriginId(u32);

impl OriginId {
    /// Nothing is known of where it came from. Facts about it are never kept.
    pub const UNKNOWN: OriginId = OriginId(0);
}

/// The tables that the caller fills.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Input {
    Keys,
    Argv,
}

impl Input {
    pub fn name(self) -> &'static str {
        match self {
            Input::Keys => "KEYS",
            Input::Argv => "ARGV",
        }
    }
}

type Parts = SmallVec<[OriginId; 4]>;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    Unknown,
    Literal(Const),
    /// `KEYS` or `ARGV` itself; an element is an [`Origin::Index`] of it.
    Input(Input),
    Builtin(BuiltinId),
    Closure(FuncId),
    /// The reply of the Redis call at this instruction.
    Reply(ValueId),
    /// The table built at this instruction.
    Made(ValueId),
    /// What nobody knows, but always the same until the instruction is executed again.
    Opaque(ValueId),
    /// The local where paths with different origins meet: a value of its own.
    Phi(LocalId, BlockId),
    /// A parameter of a function that nobody calls.
    Param(LocalId),
    /// A global that is neither Lua's nor Redis's.
    Global(TextId),
    Index(OriginId, OriginId),
    /// A result of a builtin, counted from 0.
    Apply(BuiltinId, Parts, u32),
    Concat(Parts),
    Length(OriginId),
    Not(OriginId),
    Negate(OriginId),
    /// Arithmetic and comparisons.
    Binary(BinaryOp, OriginId, OriginId),
    /// One of these, sorted. The second tells where the choice stands, a [`Origin::Phi`] or the [`Origin::Index`] of a table's field:
    /// whatever has the same origin is the same value. [`OriginId::UNKNOWN`]: only where it came from is known.
    OneOf(Parts, OriginId),
    /// What the origin meant before the instruction or join that it mentions was executed again. Tells provenance, but is no one value.
    Past(OriginId),
}

/// An instruction or join that an origin was made at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Site {
    Value(ValueId),
    Block(BlockId),
}

struct Entry {
    origin: Origin,
    /// Sorted by first occurrence, without doubles.
    mentions: SmallVec<[Site; 2]>,
    depth: u8,
    /// Has whatever has this origin the same value, until a site that it mentions is executed again?
    single: bool,
}

/// The interner.
pub struct Origins {
    entries: Vec<Entry>,
    ids: FxHashMap<Origin, OriginId>,
    /// The origins that mention a site.
    by_site: FxHashMap<Site, Vec<OriginId>>,
}

/// Origins nested deeper than this are unknown: a value that is computed from itself in a loop would grow for ever.
const DEPTH: u8 = 24;

impl Default for Origins {
    fn default() -> Origins {
        let unknown = Entry { origin: Origin::Unknown, mentions: SmallVec::new(), depth: 0, single: false };
        Origins { entries: vec![unknown], ids: FxHashMap::default(), by_site: FxHashMap::default() }
    }
}

impl Origins {
    pub fn get(&self, id: OriginId) -> &Origin {
        &self.entries[id.0 as usize].origin
    }

    pub fn intern(&mut self, origin: Origin) -> OriginId {
        if origin == Origin::Unknown {
            return OriginId::UNKNOWN;
        }
        if let Some(&id) = self.ids.get(&origin) {
            return id;
        }
        let mut mentions = SmallVec::new();
        let mut depth = 0;
        match origin {
            Origin::Reply(at) | Origin::Made(at) | Origin::Opaque(at) => mentions.push(Site::Value(at)),
            Origin::Phi(_, block) => mentions.push(Site::Block(block)),
            _ => {}
        }
        let past = matches!(origin, Origin::Past(_));
        let place = match origin {
            Origin::OneOf(_, place) => Some(place),
            _ => None,
        };
        let mut single = !past && place != Some(OriginId::UNKNOWN);
        let mut note = |part: OriginId, is_place: bool| {
            let part = &self.entries[part.0 as usize];
            depth = depth.max(part.depth + 1);
            // A choice is one value whatever it was made of.
            single &= part.single || (place.is_some() && !is_place);
            if past {
                return;
            }
            for site in &part.mentions {
                if !mentions.contains(site) {
                    mentions.push(*site);
                }
            }
        };
        origin.parts(|part| note(part, false));
        if let Some(place) = place {
            note(place, true);
        }
        if DEPTH <= depth || 32 < mentions.len() {
            return OriginId::UNKNOWN;
        }
        let id = OriginId(self.entries.len() as u32);
        for &site in &mentions {
            self.by_site.entry(site).or_default().push(id);
        }
        self.entries.push(Entry { origin: origin.clone(), mentions, depth, single });
        self.ids.insert(origin, id);
        id
    }

    /// The same provenance, of an earlier round.
    pub fn past(&mut self, id: OriginId) -> OriginId {
        match self.get(id) {
            Origin::Past(_) | Origin::Unknown => id,
            // Each of them, so that rounds don't nest.
            Origin::OneOf(parts, _) => {
                let mut parts = parts.clone();
                for part in &mut parts {
                    if !self.entries[part.0 as usize].mentions.is_empty() {
                        *part = self.past(*part);
                    }
                }
                parts.sort();
                parts.dedup();
                if let [one] = parts[..] { one } else { self.intern(Origin::OneOf(parts, OriginId::UNKNOWN)) }
            }
            _ => self.intern(Origin::Past(id)),
        }
    }

    /// The provenance, whichever round it is of.
    pub fn present(&self, id: OriginId) -> OriginId {
        match *self.get(id) {
            Origin::Past(inner) => inner,
            _ => id,
        }
    }

    pub fn literal(&mut self, constant: Const) -> OriginId {
        self.intern(Origin::Literal(constant))
    }

    pub fn number(&mut self, number: f64) -> OriginId {
        self.literal(Const::Number(Number::new(number)))
    }

    /// Has whatever has this origin the same value, as long as no site that it mentions is executed again?
    pub fn is_single(&self, id: OriginId) -> bool {
        self.entries[id.0 as usize].single
    }

    /// Does it mean the same in the analysis of another root?
    pub fn is_portable(&self, id: OriginId) -> bool {
        self.entries[id.0 as usize].mentions.is_empty() && !matches!(self.get(id), Origin::Past(_))
    }

    pub fn mentions(&self, id: OriginId, site: Site) -> bool {
        self.entries[id.0 as usize].mentions.contains(&site)
    }

    /// The instructions and joins that it was made at.
    pub fn sites(&self, id: OriginId) -> &[Site] {
        &self.entries[id.0 as usize].mentions
    }

    /// Was anything made at the site at all?
    pub fn is_mentioned(&self, site: Site) -> bool {
        self.by_site.contains_key(&site)
    }

    pub fn mentioning(&self, site: Site) -> &[OriginId] {
        self.by_site.get(&site).map_or(&[], Vec::as_slice)
    }

    /// One of both, chosen at the place (see [`Origin::OneOf`]), or `None` past the bound.
    pub fn one_of(&mut self, a: OriginId, b: OriginId, place: OriginId) -> Option<OriginId> {
        let mut parts = Parts::new();
        for id in [a, b] {
            match self.get(id) {
                Origin::OneOf(more, _) => parts.extend(more.iter().copied()),
                _ => parts.push(id),
            }
        }
        parts.sort();
        parts.dedup();
        let past: Parts = parts
            .iter()
            .filter_map(|&part| match *self.get(part) {
                Origin::Past(inner) => Some(inner),
                _ => None,
            })
            .collect();
        parts.retain(|part| !past.contains(part));
        if let [one] = parts[..] {
            return Some(one);
        }
        if parts.contains(&OriginId::UNKNOWN) || limits::ONE_OF < parts.len() {
            return None;
        }
        Some(self.intern(Origin::OneOf(parts, place)))
    }

    /// The text of both, one after the other; what passes the bound is one unknown part.
    pub fn concat(&mut self, a: OriginId, b: OriginId) -> OriginId {
        let mut parts = Parts::new();
        for id in [a, b] {
            match self.get(id) {
                Origin::Concat(more) => parts.extend(more.iter().copied()),
                _ => parts.push(id),
            }
        }
        self.concat_all(parts)
    }

    pub fn concat_all(&mut self, mut parts: SmallVec<[OriginId; 4]>) -> OriginId {
        if limits::CONCAT_PARTS < parts.len() {
            parts.truncate(limits::CONCAT_PARTS - 1);
            parts.push(OriginId::UNKNOWN);
        }
        self.intern(Origin::Concat(parts))
    }

    /// Calls `f` with each origin that has no parts: what the value was computed from.
    pub fn leaves(&self, id: OriginId, f: &mut impl FnMut(OriginId, &Origin)) {
        let origin = self.get(id);
        let mut leaf = true;
        // An element is a leaf of its own, whatever the table.
        if let Origin::Index(base, _) = origin
            && matches!(self.get(*base), Origin::Input(_) | Origin::Reply(_))
        {
            return f(id, origin);
        }
        origin.parts(|part| {
            leaf = false;
            self.leaves(part, f);
        });
        if leaf {
            f(id, origin);
        }
    }

    pub fn constant(&self, id: OriginId) -> Option<Const> {
        match self.get(id) {
            Origin::Literal(constant) => Some(*constant),
            _ => None,
        }
    }

    /// The element of `KEYS` or `ARGV` that it is, unchanged; its 1-based number where that is a literal.
    pub fn element(&self, id: OriginId) -> Option<(Input, Option<u32>)> {
        let Origin::Index(base, key) = *self.get(self.present(id)) else {
            return None;
        };
        let Origin::Input(input) = *self.get(base) else {
            return None;
        };
        let number = match self.constant(key) {
            Some(Const::Number(number)) => Some(number.get() as u32),
            _ => None,
        };
        Some((input, number))
    }

    /// The Redis call whose reply it is, or is an element of.
    pub fn reply(&self, id: OriginId) -> Option<ValueId> {
        match *self.get(id) {
            Origin::Reply(at) => Some(at),
            Origin::Index(base, _) | Origin::Past(base) => self.reply(base),
            _ => None,
        }
    }

    /// `to - from` at most, if both are the same value plus literals, or `to` is the least of such and others.
    pub fn distance(&self, from: OriginId, to: OriginId) -> Option<i32> {
        if let Origin::Apply(builtin, parts, 0) = self.get(to)
            && builtin.name() == "math.min"
        {
            return parts.iter().filter_map(|&part| self.distance(from, part)).min();
        }
        let (base, start) = self.offset(from);
        let (other, end) = self.offset(to);
        (base == other && base != OriginId::UNKNOWN).then(|| end.checked_sub(start))?
    }

    /// The origin as another one plus a literal.
    fn offset(&self, origin: OriginId) -> (OriginId, i32) {
        let literal = |id| match self.constant(id) {
            Some(Const::Number(number)) => Interval::of(number.get()).exact(),
            Some(Const::Nil | Const::False | Const::True | Const::Text(_)) | None => None,
        };
        let Origin::Binary(op, a, b) = *self.get(origin) else { return (origin, 0) };
        let (inner, more) = match (op, literal(a), literal(b)) {
            (BinaryOp::Add, None, Some(more)) => (a, more),
            (BinaryOp::Add, Some(more), None) => (b, more),
            (BinaryOp::Sub, None, Some(less)) => (a, less.saturating_neg()),
            _ => return (origin, 0),
        };
        let (base, offset) = self.offset(inner);
        (base, offset.saturating_add(more))
    }

    /// The alternatives: the parts of a `OneOf`, else itself.
    pub fn alternatives(&self, id: OriginId) -> SmallVec<[OriginId; 4]> {
        match self.get(id) {
            Origin::OneOf(parts, _) => parts.clone(),
            _ => SmallVec::from_slice(&[id]),
        }
    }
}

impl Origin {
    /// Calls `f` with each origin that it is directly made of; the place of a choice is none.
    pub fn parts(&self, mut f: impl FnMut(OriginId)) {
        match self {
            Origin::Unknown
            | Origin::Literal(_)
            | Origin::Input(_)
            | Origin::Builtin(_)
            | Origin::Closure(_)
            | Origin::Reply(_)
            | Origin::Made(_)
            | Origin::Opaque(_)
            | Origin::Phi(..)
            | Origin::Param(_)
            | Origin::Global(_) => {}
            Origin::Length(a) | Origin::Not(a) | Origin::Negate(a) | Origin::Past(a) => f(*a),
            Origin::Index(a, b) | Origin::Binary(_, a, b) => {
                f(*a);
                f(*b);
            }
            Origin::Apply(_, parts, _) | Origin::Concat(parts) | Origin::OneOf(parts, _) => {
                parts.iter().copied().for_each(f);
            }
        }
    }
}

#[cfg(test)]
mod tests;
