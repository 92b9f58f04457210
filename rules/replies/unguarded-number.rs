use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::{
    absence::{self, Need, Use},
    events::{Event, Protection},
    facts::{Facts, Root},
    ir::{Const, Op, ValueId},
    origin::{Origin, OriginId},
    rule::Finding,
    value::{Kinds, Value},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        let conversions = conversions(facts, root);
        let mut told = FxHashSet::default();
        for &(at, need) in root.needs(facts) {
            if let Some((origin, finding)) = unguarded(facts, root, at, need, &conversions)
                && told.insert(origin)
            {
                findings.push(finding);
            }
        }
    }
    findings
}

/// The calls of `tonumber` with what they give.
type Conversions = FxHashMap<OriginId, ValueId>;

fn conversions(facts: &Facts, root: &Root) -> Conversions {
    let mut found = Conversions::default();
    if root.needs(facts).is_empty() {
        return found;
    }
    for at in root.calls_of("tonumber") {
        found.entry(facts.origins.present(root.origin(at))).or_insert(at);
    }
    found
}

fn unguarded(
    facts: &Facts,
    root: &Root,
    at: ValueId,
    need: Need,
    conversions: &Conversions,
) -> Option<(OriginId, Finding)> {
    let takes_number = match need.what {
        Use::Arithmetic | Use::Comparison | Use::Loop => true,
        Use::Argument(name) => name.starts_with("math.") || name.starts_with("bit."),
        Use::Concatenation | Use::Length | Use::Index | Use::Command => false,
    };
    let kinds = need.value.kinds;
    if !takes_number || kinds == Kinds::ANY || !kinds.may_be(Kinds::NIL) || root.is_protected(at) {
        return None;
    }
    let converted = conversion(facts, root, need.value, conversions)?;
    let Op::Call { args, .. } = root.op(converted) else { return None };
    let subject = *args.first()?;
    let source = source(facts, root, root.value(subject))?;
    let shown = facts.snippet(root, need.at);
    let inner = facts.snippet(root, subject);
    let raises = need.what.fails();
    let (root_cause, mut finding) = match source {
        Source::Reply(event) => {
            if absence::is_known_present(facts, root, event, need.at)
                || absence::is_known_present(facts, root, event, converted)
            {
                return None;
            }
            let name = event.shown_name();
            let message = format!("`{shown}` may be nil, then {raises}: {name} gives false if there is nothing");
            let finding = Finding::new(root.span(need.at), message);
            (root.origin(event.at), finding.label(root.span(event.at), format!("the reply of {name}")))
        }
        Source::Other => {
            if root.was_tested(at) && !root.value(subject).kinds.may_be(Kinds::NULL) {
                return None;
            }
            let message = format!("`{shown}` is nil if `{inner}` is no number, then {raises}");
            let finding = Finding::new(root.span(need.at), message);
            let value = root.value(subject);
            // A field that was never asked for may not be there.
            let is_absent = is_decoded(facts, root, value) && value.kinds.may_be(Kinds::NIL);
            (root.origin(converted), if is_absent { finding } else { finding.strict() })
        }
    };
    if root.span(converted) != root.span(need.at) {
        finding = finding.label(root.span(converted), "nil if it is given no number");
    }
    finding.labels.extend(root.call_labels(at));
    Some((root_cause, finding.help("test it first, or give a default: `tonumber(x) or 0`")))
}

/// Is it a field of what was stored and decoded? What arguments hold is up to the script's own caller.
fn is_decoded(facts: &Facts, root: &Root, value: Value) -> bool {
    let sources = absence::sources(facts, root, value.origin);
    !sources.is_empty()
        && sources.into_iter().all(|origin| match *facts.origins.get(facts.origins.present(origin)) {
            Origin::Index(base, _) => match facts.origins.get(facts.origins.present(base)) {
                Origin::Apply(builtin, parts, _) => {
                    decodes(builtin.name())
                        && parts.first().is_some_and(|&text| facts.origins.reply(facts.origins.present(text)).is_some())
                }
                _ => false,
            },
            _ => false,
        })
}

/// The call of `tonumber` that gave the value, or one of those that may have.
fn conversion(facts: &Facts, root: &Root, value: Value, conversions: &Conversions) -> Option<ValueId> {
    let mut found = None;
    for origin in absence::sources(facts, root, value.origin) {
        let origin = facts.origins.present(origin);
        match *facts.origins.get(origin) {
            Origin::Apply(builtin, ..) if builtin.name() == "tonumber" => {
                found = found.or(conversions.get(&origin).copied());
            }
            // It may be this one that is nil.
            Origin::Literal(Const::Nil) | Origin::Unknown => return None,
            _ => {}
        }
    }
    found
}

fn decodes(name: &str) -> bool {
    matches!(name, "cjson.decode" | "cmsgpack.unpack")
}

/// Is it an input, or what a command that is known answers?
fn is_text(facts: &Facts, root: &Root, text: OriginId) -> bool {
    let text = facts.origins.present(text);
    let known = |at| root.event(at).is_some_and(|event| event.command.is_some());
    facts.origins.element(text).is_some() || facts.origins.reply(text).is_some_and(known)
}

enum Source<'a> {
    /// It may be false.
    Reply(&'a Event),
    /// An element of KEYS or ARGV, a reply that is there, a decoded field.
    Other,
}

fn source<'a>(facts: &Facts, root: &'a Root, value: Value) -> Option<Source<'a>> {
    if let Some(event) = absence::absent(facts, root, value) {
        return (event.protection == Protection::None).then_some(Source::Reply(event));
    }
    let known: SmallVec<[bool; 4]> = absence::sources(facts, root, value.origin)
        .into_iter()
        .map(|origin| match *facts.origins.get(facts.origins.present(origin)) {
            Origin::Index(base, _) => match facts.origins.get(facts.origins.present(base)) {
                Origin::Input(_) => true,
                Origin::Apply(builtin, parts, _) => {
                    decodes(builtin.name()) && parts.first().is_some_and(|&text| is_text(facts, root, text))
                }
                _ => false,
            },
            Origin::Reply(at) => root
                .event(at)
                .is_some_and(|event| event.reply.kinds.may_be(Kinds::TEXT) && event.reply.kinds != Kinds::ANY),
            _ => false,
        })
        .collect();
    (!known.is_empty() && known.iter().all(|&known| known)).then_some(Source::Other)
}
