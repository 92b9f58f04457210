use crate::{
    facts::{Facts, Root},
    ir::{Const, Op, ValueId},
    names,
    origin::{Input, Origin, OriginId},
    rule::{Finding, one_per_root},
    value::Kinds,
};

/// Words in names of what is a pattern on purpose.
const PATTERNS: [&str; 9] = ["pattern", "patterns", "pat", "patt", "regex", "regexp", "re", "lua", "expr"];

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        findings.extend(one_per_root(
            root.builtin_calls().filter_map(|(at, name)| dynamic(facts, root, at, name)),
            "and here",
        ));
    }
    findings
}

fn dynamic(facts: &Facts, root: &Root, at: ValueId, name: &str) -> Option<(OriginId, Finding)> {
    let Op::Call { args, .. } = root.op(at) else { return None };
    let pattern = match name {
        "string.find" if args.get(3).is_some_and(|&plain| !is_false(facts, root, plain)) => None,
        "string.find" | "string.gfind" | "string.gmatch" | "string.gsub" | "string.match" => args.get(1),
        _ => return None,
    };
    let found = pattern.and_then(|&pattern| Some((pattern, foreign(facts, root, pattern)?)));
    if let Some((pattern, origin)) = found {
        let shown = facts.show_origin(root, origin);
        let message = format!("`{shown}` is taken as a Lua pattern: `-`, `.`, `%` and others in it are not plain text");
        let help = match name {
            "string.find" => "look for plain text: `string.find(text, part, 1, true)`".into(),
            _ => format!("escape it: `{shown}:gsub('%p', '%%%0')`"),
        };
        return Some((origin, Finding::new(root.span(pattern), message).help(help).labels(root.call_labels(at))));
    }
    let &by = args.get(2).filter(|_| name == "string.gsub")?;
    let origin = foreign(facts, root, by)?;
    let shown = facts.show_origin(root, origin);
    let message = format!("a `%` in the replacement `{shown}` stands for a capture, or is dropped");
    let help = format!("give a function: `function() return {shown} end`");
    Some((origin, Finding::new(root.span(by), message).help(help).labels(root.call_labels(at))))
}

fn is_false(facts: &Facts, root: &Root, value: ValueId) -> bool {
    matches!(facts.origins.constant(root.origin(value)), Some(Const::False | Const::Nil))
}

/// The text from outside that is the value or a part of it, as it came.
fn foreign(facts: &Facts, root: &Root, value: ValueId) -> Option<OriginId> {
    let known = root.value(value);
    if !known.kinds.may_be(Kinds::TEXT)
        || names::words_of(facts, root, value).iter().any(|word| PATTERNS.contains(&word.as_str()))
    {
        return None;
    }
    outside(facts, root, known.origin)
}

fn outside(facts: &Facts, root: &Root, origin: OriginId) -> Option<OriginId> {
    let origin = facts.origins.present(origin);
    match facts.origins.get(origin) {
        Origin::Reply(at) => root.event(*at)?.reply.kinds.may_be(Kinds::TEXT).then_some(origin),
        Origin::Index(base, _) => is_from_outside(facts, root, *base).then_some(origin),
        Origin::Apply(builtin, parts, 0) => match builtin.name() {
            "string.format" => parts.iter().skip(1).find_map(|&part| outside(facts, root, part)),
            "string.lower" | "string.upper" | "string.sub" | "tostring" => outside(facts, root, *parts.first()?),
            _ => None,
        },
        Origin::Concat(parts) => {
            let mut in_set = false;
            parts.iter().find_map(|&part| {
                // In a set like `[^,]` most letters stand for themselves.
                let found = if in_set { None } else { outside(facts, root, part) };
                if let Some(Const::Text(text)) = facts.origins.constant(part) {
                    let text = facts.texts.get(text);
                    in_set = text.ends_with(b"[") || text.ends_with(b"[^");
                }
                found
            })
        }
        _ => None,
    }
}

/// `ARGV`, `KEYS`, a reply, decoded data of one of them.
fn is_from_outside(facts: &Facts, root: &Root, base: OriginId) -> bool {
    let base = facts.origins.present(base);
    match facts.origins.get(base) {
        Origin::Input(Input::Argv | Input::Keys) => true,
        Origin::Reply(at) => root.event(*at).is_some_and(|event| event.reply.element.may_be(Kinds::TEXT)),
        Origin::Index(base, _) => is_from_outside(facts, root, *base),
        Origin::Apply(builtin, parts, 0) => {
            matches!(builtin.name(), "cjson.decode" | "cmsgpack.unpack")
                && parts.first().is_some_and(|&part| outside(facts, root, part).is_some())
        }
        _ => false,
    }
}
