//! The keys that a script touches, and where their names come from.
//!
//! A key argument is *declared* (an element of KEYS, unchanged), *scanned* (handed out by SCAN or KEYS), *raw* (a literal, or one value of
//! ARGV or a reply as it came) or *built* (joined, formatted, cut, or taken out of decoded data). The *base* of a key is the strongest of
//! the values that its name is made of, KEYS before ARGV before replies before literals; it decides which rule speaks. Where any way to a
//! name is unknown, the key is, and nobody speaks.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "asks for some forms of an instruction or origin; all others are none of them"
)]

mod grade;
mod words;

use crate::{
    events::{Arg, Event},
    facts::{Facts, Root},
    ir::{BinaryOp, Const},
    origin::{Input, Origin, OriginId},
    slots::{Pattern, Piece},
    source::Span,
    value::Kinds,
};

pub(crate) use grade::findings;

/// How a key's name came to be. Ordered: of several ways the last one tells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Nature {
    Declared,
    Scanned,
    Raw,
    Built,
}

/// What a key's name is made of. Ordered: the strongest part decides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Base {
    Literal,
    Reply,
    Argument,
    Key,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Class {
    pub(crate) nature: Nature,
    pub(crate) base: Base,
    /// The value that the base is: the literal, the reply, the element.
    pub(crate) root: OriginId,
}

/// A key argument of a Redis call.
pub(crate) struct Use<'a> {
    pub(crate) root: &'a Root,
    pub(crate) event: &'a Event,
    pub(crate) arg: &'a Arg,
    pub(crate) writes: bool,
    /// `None`: not known.
    pub(crate) class: Option<Class>,
}

impl Use<'_> {
    pub(crate) fn span(&self) -> Span {
        self.root.span(self.arg.at)
    }

    pub(crate) fn origin(&self) -> OriginId {
        self.arg.value.origin
    }

    /// A number or boolean that Redis answered is no name of a key: `wrong-key-value` speaks.
    pub(crate) fn is_wrong(&self, facts: &Facts) -> bool {
        let kinds = self.arg.value.kinds;
        let counted = kinds.within(Kinds::INTEGER) && facts.origins.reply(self.origin()).is_some();
        !kinds.is_never() && (counted || kinds.within(Kinds::BOOLEAN))
    }
}

/// All key arguments of a root.
pub(crate) fn uses<'a>(facts: &Facts, root: &'a Root) -> Vec<Use<'a>> {
    let mut uses = Vec::new();
    for event in root.events() {
        for (key, arg) in event.key_args() {
            let class = classify(facts, root, arg.value.origin);
            uses.push(Use { root, event, arg, writes: key.writes, class });
        }
    }
    uses
}

/// Where a key of this origin comes from.
pub(crate) fn classify(facts: &Facts, root: &Root, origin: OriginId) -> Option<Class> {
    let raw = |base| Some(Class { nature: Nature::Raw, base, root: origin });
    match facts.origins.get(origin) {
        Origin::Past(inner) => classify(facts, root, *inner),
        Origin::OneOf(parts, _) => {
            // A key that is nil or a boolean raises; the other ways tell where it comes from.
            let mut ways = parts.iter().filter(|&&part| !is_no_name(facts, part));
            let first = classify(facts, root, *ways.next()?)?;
            ways.try_fold(first, |known, &way| Some(known.max(classify(facts, root, way)?)))
        }
        Origin::Literal(Const::Text(_) | Const::Number(_)) => raw(Base::Literal),
        Origin::Literal(Const::Nil | Const::False | Const::True) => None,
        Origin::Reply(_) => element(facts, root, origin, origin),
        Origin::Index(base, _) => element(facts, root, origin, *base),
        Origin::Apply(builtin, parts, _) => match (builtin.name(), &parts[..]) {
            ("tostring" | "tonumber" | "assert", [value, ..]) => classify(facts, root, *value),
            (name, parts) if gives_text(name) => built(facts, root, parts),
            _ => None,
        },
        Origin::Concat(parts) => {
            let is_empty = |part| facts.origins.constant(part).is_some_and(|text| is_empty_text(facts, text));
            let parts: Vec<OriginId> = parts.iter().copied().filter(|&part| !is_empty(part)).collect();
            match parts[..] {
                [one] => classify(facts, root, one),
                _ => built(facts, root, &parts),
            }
        }
        Origin::Binary(op, a, b) if op.is_arithmetic() || *op == BinaryOp::Concat => built(facts, root, &[*a, *b]),
        Origin::Negate(a) => built(facts, root, &[*a]),
        Origin::Unknown
        | Origin::Input(_)
        | Origin::Builtin(_)
        | Origin::Closure(_)
        | Origin::Made(_)
        | Origin::Opaque(_)
        | Origin::Phi(..)
        | Origin::Param(_)
        | Origin::Global(_)
        | Origin::Binary(..)
        | Origin::Length(_)
        | Origin::Not(_) => None,
    }
}

/// `origin` is `base`, or an element of it or deeper in.
fn element(facts: &Facts, root: &Root, origin: OriginId, base: OriginId) -> Option<Class> {
    let class = |nature, base, root| Some(Class { nature, base, root });
    match facts.origins.get(base) {
        Origin::Past(inner) => element(facts, root, origin, *inner),
        Origin::Index(deeper, _) => element(facts, root, origin, *deeper),
        Origin::Input(Input::Keys) => class(Nature::Declared, Base::Key, origin),
        Origin::Input(Input::Argv) => class(Nature::Raw, Base::Argument, origin),
        Origin::Reply(at) => {
            let command = root.event(*at)?.command?;
            let scanned = matches!(command.name, "SCAN" | "KEYS" | "RANDOMKEY");
            class(if scanned { Nature::Scanned } else { Nature::Raw }, Base::Reply, base)
        }
        Origin::Apply(builtin, parts, _) if gives_parts(builtin.name()) => built(facts, root, parts),
        Origin::OneOf(parts, _) => {
            let mut ways = parts.iter().filter(|&&part| !is_no_name(facts, part));
            let first = element(facts, root, origin, *ways.next()?)?;
            ways.try_fold(first, |known, &way| Some(known.max(element(facts, root, origin, way)?)))
        }
        Origin::Unknown
        | Origin::Literal(_)
        | Origin::Builtin(_)
        | Origin::Closure(_)
        | Origin::Made(_)
        | Origin::Opaque(_)
        | Origin::Phi(..)
        | Origin::Param(_)
        | Origin::Global(_)
        | Origin::Apply(..)
        | Origin::Concat(_)
        | Origin::Length(_)
        | Origin::Not(_)
        | Origin::Negate(_)
        | Origin::Binary(..) => None,
    }
}

/// A name that is made of these. Of an unknown part nobody knows whether it is a stronger one, unless there is no stronger.
fn built(facts: &Facts, root: &Root, parts: &[OriginId]) -> Option<Class> {
    let (mut best, mut unknown): (Option<Class>, bool) = (None, false);
    for &part in parts {
        match made_of(facts, root, part) {
            // Of equal ones the first: it is the prefix.
            Some(class) if best.is_none_or(|best| best.base < class.base) => best = Some(class),
            Some(_) => {}
            None => unknown = true,
        }
    }
    let best = best?;
    (!unknown || Base::Reply < best.base).then_some(Class { nature: Nature::Built, ..best })
}

/// What a part of a name is made of.
fn made_of(facts: &Facts, root: &Root, part: OriginId) -> Option<Class> {
    let whole = |base| Some(Class { nature: Nature::Built, base, root: part });
    match facts.origins.get(part) {
        // `table.concat(KEYS, ':')`, `cjson.encode(ARGV)`
        Origin::Input(Input::Keys) => whole(Base::Key),
        Origin::Input(Input::Argv) => whole(Base::Argument),
        // How many there are is no name.
        Origin::Length(_) => whole(Base::Literal),
        _ => classify(facts, root, part),
    }
}

/// Does the function of that name make a text or number out of its arguments?
fn gives_text(name: &str) -> bool {
    let makes = ["table.concat", "cjson.encode", "cmsgpack.pack", "struct.pack", "redis.sha1hex"];
    let libraries = ["string.", "math.", "bit."];
    makes.contains(&name) || libraries.iter().any(|library| name.starts_with(library)) || gives_parts(name)
}

/// Does it take a text apart?
fn gives_parts(name: &str) -> bool {
    matches!(name, "cjson.decode" | "struct.unpack" | "string.gmatch") || name.starts_with("cmsgpack.unpack")
}

fn is_no_name(facts: &Facts, origin: OriginId) -> bool {
    matches!(facts.origins.constant(origin), Some(Const::Nil | Const::False | Const::True))
}

fn is_empty_text(facts: &Facts, constant: Const) -> bool {
    matches!(constant, Const::Text(text) if facts.texts.get(text).is_empty())
}

/// The name of a key of this origin, as far as it is known.
pub(crate) fn pattern(facts: &Facts, origin: OriginId) -> Option<Pattern> {
    let mut pattern = Pattern::default();
    add(facts, origin, &mut pattern).then_some(pattern)
}

fn add(facts: &Facts, origin: OriginId, pattern: &mut Pattern) -> bool {
    match facts.origins.get(origin) {
        Origin::Literal(Const::Text(text)) => pattern.push(Piece::Text(facts.texts.get(*text).to_vec())),
        Origin::Literal(Const::Number(number)) => {
            pattern.push(Piece::Text(crate::eval::format_number(number.get()).into_bytes()));
        }
        Origin::Concat(parts) => return parts.iter().all(|&part| add(facts, part, pattern)),
        Origin::Past(inner) => return add(facts, *inner, pattern),
        // No one name, or none that can be compared.
        Origin::OneOf(..) | Origin::Unknown | Origin::Literal(Const::Nil | Const::False | Const::True) => return false,
        Origin::Index(..) => match facts.origins.element(origin) {
            Some((Input::Keys, Some(number))) => match declared(facts, number) {
                Some(text) => Pattern::written(text).0.into_iter().for_each(|piece| pattern.push(piece)),
                None => pattern.push(Piece::Value(origin)),
            },
            _ => pattern.push(Piece::Value(origin)),
        },
        Origin::Input(_)
        | Origin::Builtin(_)
        | Origin::Closure(_)
        | Origin::Reply(_)
        | Origin::Made(_)
        | Origin::Opaque(_)
        | Origin::Phi(..)
        | Origin::Param(_)
        | Origin::Global(_)
        | Origin::Apply(..)
        | Origin::Length(_)
        | Origin::Not(_)
        | Origin::Negate(_)
        | Origin::Binary(..) => pattern.push(Piece::Value(origin)),
    }
    true
}

/// What a comment or the config says of the name of `KEYS[number]`.
fn declared<'a>(facts: &'a Facts, number: u32) -> Option<&'a str> {
    facts.patterns.keys.iter().find(|key| key.index == number).map(|key| key.text.as_str())
}
