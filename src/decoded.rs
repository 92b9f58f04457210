//! What comes out of `cjson.decode`: which decoding a value is of, and from which text.

use smallvec::SmallVec;

use crate::{
    absence,
    facts::{Facts, Root},
    ir::{Op, ValueId},
    origin::{Input, Origin, OriginId},
};

/// Where a text that is decoded comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Text {
    /// The reply of this call.
    Reply(ValueId),
    Argument,
    Unknown,
}

/// The decodings that the value is or is a part of, by the origin of the call.
pub(crate) fn decodings(facts: &Facts, root: &Root, value: OriginId) -> SmallVec<[OriginId; 4]> {
    let mut found: SmallVec<[OriginId; 4]> = absence::sources(facts, root, value)
        .into_iter()
        .filter_map(|origin| decoding(facts, root, origin, 8))
        .collect();
    found.sort();
    found.dedup();
    found
}

fn decoding(facts: &Facts, root: &Root, origin: OriginId, depth: u8) -> Option<OriginId> {
    let origin = facts.origins.present(origin);
    match facts.origins.get(origin) {
        Origin::Apply(builtin, _, 0) if builtin.name() == "cjson.decode" => Some(origin),
        Origin::Index(base, _) if 0 < depth => decoding(facts, root, *base, depth - 1),
        Origin::Phi(..) if 0 < depth => {
            absence::sources(facts, root, origin).into_iter().find_map(|one| decoding(facts, root, one, depth - 1))
        }
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
        | Origin::Global(_)
        | Origin::Index(..)
        | Origin::Apply(..)
        | Origin::Concat(_)
        | Origin::Length(_)
        | Origin::Not(_)
        | Origin::Negate(_)
        | Origin::Binary(..)
        | Origin::OneOf(..)
        | Origin::Past(_) => None,
    }
}

/// What the decoding reads.
pub(crate) fn text(facts: &Facts, root: &Root, decoding: OriginId) -> Text {
    let Origin::Apply(_, parts, _) = facts.origins.get(decoding) else { return Text::Unknown };
    let Some(&subject) = parts.first() else { return Text::Unknown };
    let sources = absence::sources(facts, root, subject);
    if let Some(call) = sources.iter().find_map(|&origin| facts.origins.reply(origin)) {
        return Text::Reply(call);
    }
    let is_argument = |origin: OriginId| matches!(facts.origins.element(origin), Some((Input::Argv, _)));
    if sources.iter().any(|&origin| is_argument(origin)) { Text::Argument } else { Text::Unknown }
}

/// The call that decodes.
pub(crate) fn call(facts: &Facts, root: &Root, decoding: OriginId) -> Option<ValueId> {
    root.insts().find(|&at| {
        matches!(root.op(at), Op::Call { .. } | Op::Extra(..)) && facts.origins.present(root.origin(at)) == decoding
    })
}
