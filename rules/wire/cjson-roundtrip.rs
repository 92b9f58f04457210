use crate::{
    decoded::{self, Text},
    facts::{Facts, Form, Root},
    graph::Order,
    ir::{Op, ValueId},
    origin::{Origin, OriginId},
    rule::{Finding, one_per_root},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    for root in &facts.roots {
        let mut encodings = root.calls_of("cjson.encode").peekable();
        if encodings.peek().is_none() || root.calls_of("cjson.decode_array_with_array_mt").next().is_some() {
            continue;
        }
        let changes = changes(facts, root);
        found.extend(encodings.filter_map(|at| roundtrip(facts, root, at, &changes)));
    }
    one_per_root(found, "encoded here too")
}

/// Assignments to what was decoded.
fn changes(facts: &Facts, root: &Root) -> Vec<(OriginId, ValueId)> {
    let mut changes = Vec::new();
    for at in root.all(Form::SetIndex).chain(root.all(Form::Call)) {
        let table = match root.op(at) {
            Op::SetIndex { table, .. } => *table,
            Op::Call { args, .. } => match (args.first(), root.callee(facts, at)) {
                (Some(&table), Some("table.insert" | "table.remove" | "table.sort" | "rawset")) => table,
                _ => continue,
            },
            _ => continue,
        };
        changes.extend(decoded::decodings(facts, root, root.origin(table)).into_iter().map(|decoding| (decoding, at)));
    }
    changes
}

fn roundtrip(facts: &Facts, root: &Root, at: ValueId, changes: &[(OriginId, ValueId)]) -> Option<(OriginId, Finding)> {
    let Op::Call { args, .. } = root.op(at) else { return None };
    let decodings = decoded::decodings(facts, root, root.origin(*args.first()?));
    let &(decoding, change) = changes
        .iter()
        .find(|(decoding, change)| decodings.contains(decoding) && root.before(*change, at) != Order::Never)?;
    let stored = is_stored(facts, root, at);
    let (what, strict) = match decoded::text(facts, root, decoding) {
        Text::Reply(call) => (format!("the reply of {}", root.event(call)?.command?.name), !stored),
        Text::Argument => ("an argument".into(), true),
        Text::Unknown => return None,
    };
    let message = format!(
        "decoding and encoding {what} changes more than the script does: an empty array becomes `{{}}`, numbers keep 14 digits"
    );
    let mut finding = Finding::new(root.span(at), message);
    if let Some(call) = decoded::call(facts, root, decoding) {
        finding = finding.label(root.span(call), "decoded here");
    }
    finding = finding
        .label(root.span(change), "changed here")
        .help("keep what changes in a hash of its own, or let the client change the JSON")
        .labels(root.call_labels(at));
    Some((decoding, if strict { finding.strict() } else { finding }))
}

/// Does the text go to a command that writes?
fn is_stored(facts: &Facts, root: &Root, encoding: ValueId) -> bool {
    let text = facts.origins.present(root.origin(encoding));
    text != OriginId::UNKNOWN
        && root.writes().any(|event| event.args.iter().any(|arg| holds(facts, arg.value.origin, text, 6)))
}

/// Is the origin the other one, or made of it?
fn holds(facts: &Facts, origin: OriginId, part: OriginId, depth: u8) -> bool {
    let origin = facts.origins.present(origin);
    if origin == part {
        return true;
    }
    let mut found = false;
    if 0 < depth && matches!(facts.origins.get(origin), Origin::Concat(_) | Origin::OneOf(..)) {
        facts.origins.get(origin).parts(|one| found = found || holds(facts, one, part, depth - 1));
    }
    found
}
