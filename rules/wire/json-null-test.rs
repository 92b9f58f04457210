use rustc_hash::FxHashSet;

use crate::{
    absence, decoded,
    facts::{Facts, Form, Root},
    ir::{Op, Terminator, ValueId},
    origin::{Origin, OriginId},
    rule::Finding,
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    if facts.texts.find(b"decode").is_none() {
        return findings;
    }
    for root in &facts.roots {
        let known = known(facts, root);
        let mut told = FxHashSet::default();
        for at in root.insts() {
            absence::needs(facts, root, at, is_taken_for_value, |need| {
                if !root.is_protected(at)
                    && let Some(field) = field(facts, root, need.value.origin)
                    && !is_known(facts, root, &known, field)
                    && told.insert(field)
                {
                    findings.push(used(facts, root, need.at, &need.what.fails()));
                }
            });
        }
        for block in root.blocks() {
            let Terminator::Branch { cond, .. } = root.function.block(block).end else { continue };
            let subject = match *root.op(cond) {
                Op::Not(inner) => inner,
                _ => cond,
            };
            let value = root.value(subject);
            let open = value.kinds.may_be(Kinds::NULL) && value.kinds.may_be(Kinds::NIL);
            let Some(field) = field(facts, root, value.origin).filter(|_| open) else { continue };
            if !is_known(facts, root, &known, field) && told.insert(field) {
                findings.push(tested(facts, root, subject));
            }
        }
    }
    findings
}

/// Was it tested for presence, but not for `null`?
fn is_taken_for_value(kinds: Kinds) -> bool {
    kinds.within(Kinds::TRUTHY)
        && kinds.may_be(Kinds::NULL)
        && kinds.may_be(Kinds::STRING)
        && kinds.may_be(Kinds::TABLE)
}

/// The field of something decoded that the value is, or is by default.
fn field(facts: &Facts, root: &Root, origin: OriginId) -> Option<OriginId> {
    absence::sources(facts, root, origin).into_iter().map(|one| facts.origins.present(one)).find(|&one| {
        matches!(facts.origins.get(one), Origin::Index(..)) && !decoded::decodings(facts, root, one).is_empty()
    })
}

fn used(facts: &Facts, root: &Root, at: ValueId, fails: &str) -> Finding {
    let shown = facts.snippet(root, at);
    let message = format!("`{shown}` may be JSON's null, which is true in Lua: then {fails}");
    Finding::new(root.span(at), message)
        .help(format!("test `{shown} ~= cjson.null` too, or its `type`"))
        .labels(root.call_labels(at))
}

fn tested(facts: &Facts, root: &Root, at: ValueId) -> Finding {
    let shown = facts.snippet(root, at);
    let message = format!("`{shown}` is also true for JSON's null: it is `cjson.null`, not nil");
    Finding::new(root.span(at), message)
        .help(format!("test `{shown} ~= cjson.null` too"))
        .labels(root.call_labels(at))
        .strict()
}

/// What the script compares with `cjson.null` or asks the type of: fields, and whole tables of which it looks at all fields.
fn known(facts: &Facts, root: &Root) -> FxHashSet<OriginId> {
    let mut known = FxHashSet::default();
    let is_null = |at: ValueId| matches!(facts.origins.get(root.origin(at)), Origin::Builtin(builtin) if builtin.name() == "cjson.null");
    let mut note = |at: ValueId| {
        for origin in absence::sources(facts, root, root.origin(at)) {
            let origin = facts.origins.present(origin);
            let any = match facts.origins.get(origin) {
                Origin::Index(_, key) => facts.origins.constant(*key).is_none(),
                _ => false,
            };
            known.insert(origin);
            if any {
                known.extend(decoded::decodings(facts, root, origin));
            }
        }
    };
    for at in root.all(Form::Binary).chain(root.calls_of("type")) {
        match root.op(at) {
            Op::Binary(_, a, b) if is_null(*a) || is_null(*b) => {
                note(*a);
                note(*b);
            }
            Op::Call { args, .. } => args.iter().copied().for_each(&mut note),
            _ => {}
        }
    }
    known
}

fn is_known(facts: &Facts, root: &Root, known: &FxHashSet<OriginId>, field: OriginId) -> bool {
    known.contains(&field) || decoded::decodings(facts, root, field).iter().any(|decoding| known.contains(decoding))
}
