use rustc_hash::FxHashSet;

use crate::{
    absence,
    commands::Group,
    facts::{Facts, Form, Root},
    ir::{BinaryOp, Op, ValueId},
    names,
    origin::{Input, Origin, OriginId},
    returns,
    rule::{Finding, one_per_root},
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    for root in &facts.roots {
        let mut texts = Vec::new();
        for at in root.all(Form::Binary).chain(root.calls_of("tostring")) {
            match root.op(at) {
                Op::Binary(BinaryOp::Concat, a, b) => texts.extend([*a, *b]),
                Op::Call { args, .. } => texts.extend(args.first()),
                _ => {}
            }
        }
        texts.retain(|&number| converted(facts, root, number).is_some());
        if texts.is_empty() {
            continue;
        }
        let sent = sent(facts, root);
        for number in texts {
            let Some(conversion) = converted(facts, root, number) else { continue };
            if sent.contains(&conversion) {
                let finding = finding(facts, root, number);
                let likely = (is_score(facts, root, conversion) && !is_short(facts, root, number))
                    || is_bound(facts, root, number);
                found.push((conversion, if likely { finding } else { finding.strict() }));
            }
        }
    }
    one_per_root(found, "here too")
}

fn finding(facts: &Facts, root: &Root, number: ValueId) -> Finding {
    let shown = facts.snippet(root, number);
    let message = format!("`{shown}` is text again, with 14 digits at most: `tonumber` has rounded it");
    Finding::new(root.span(number), message)
        .help("use the text as it came, without `tonumber`")
        .labels(root.call_labels(number))
}

/// Does the text come from a command that answers floats with all their digits?
fn is_score(facts: &Facts, root: &Root, conversion: OriginId) -> bool {
    let Origin::Apply(_, parts, _) = facts.origins.get(conversion) else { return false };
    let event = parts.iter().find_map(|&part| root.event(facts.origins.reply(part)?));
    event.and_then(|event| event.command).is_some_and(|command| {
        matches!(command.group, Group::SortedSet | Group::Geo) || command.name.ends_with("INCRBYFLOAT")
    })
}

/// Is it by its name a number of less than 14 digits?
fn is_short(facts: &Facts, root: &Root, number: ValueId) -> bool {
    const SHORT: [&str; 8] = ["millis", "milliseconds", "ms", "seconds", "secs", "count", "counter", "priority"];
    names::words_of(facts, root, number).iter().any(|word| SHORT.contains(&word.as_str()))
}

/// Is it `'(' .. n`, the bound of a range?
fn is_bound(facts: &Facts, root: &Root, number: ValueId) -> bool {
    root.users(number).iter().any(|&user| {
        matches!(*root.op(user), Op::Binary(BinaryOp::Concat, left, _) if facts.text(root.value(left)) == Some(b"("))
    })
}

/// The `tonumber` of a text from outside that the number is, unchanged.
fn converted(facts: &Facts, root: &Root, number: ValueId) -> Option<OriginId> {
    let value = root.value(number);
    if !value.kinds.within(Kinds::NUMBER.or(Kinds::NIL)) || value.range.has_upper() {
        return None;
    }
    absence::sources(facts, root, value.origin).into_iter().map(|origin| facts.origins.present(origin)).find(
        |&origin| {
            let Origin::Apply(builtin, parts, 0) = facts.origins.get(origin) else { return false };
            let [text] = parts[..] else { return false };
            builtin.name() == "tonumber" && is_text(facts, root, text)
        },
    )
}

/// Is it an argument, or a reply that may hold any text?
fn is_text(facts: &Facts, root: &Root, origin: OriginId) -> bool {
    if matches!(facts.origins.element(origin), Some((Input::Argv, _))) {
        return true;
    }
    let origin = facts.origins.present(origin);
    let event = facts.origins.reply(origin).and_then(|at| root.event(at));
    event.filter(|event| event.command.is_some_and(|command| command.name != "TIME")).is_some_and(|event| {
        let kinds = match facts.origins.get(origin) {
            Origin::Reply(_) => event.reply.kinds,
            _ => event.reply.element,
        };
        kinds != Kinds::ANY && kinds.may_be(Kinds::STRING)
    })
}

/// The conversions in what commands get, keys left aside, and in what the client gets.
fn sent(facts: &Facts, root: &Root) -> FxHashSet<OriginId> {
    let mut sent = FxHashSet::default();
    for event in root.events() {
        for (n, arg) in event.args.iter().enumerate() {
            if !event.keys.iter().any(|key| key.arg == n) {
                gather(facts, root, arg.value.origin, &mut sent, 6);
            }
        }
    }
    for exit in returns::exits(facts, root) {
        for field in exit.scalars(facts, root) {
            gather(facts, root, field.value.origin, &mut sent, 6);
        }
    }
    sent
}

/// What a text is joined of.
fn gather(facts: &Facts, root: &Root, origin: OriginId, found: &mut FxHashSet<OriginId>, depth: u8) {
    for origin in absence::sources(facts, root, origin) {
        let origin = facts.origins.present(origin);
        let parts = match facts.origins.get(origin) {
            Origin::Concat(parts) => parts.clone(),
            Origin::Apply(builtin, parts, 0) if builtin.name() == "tostring" => parts.clone(),
            _ => continue,
        };
        for part in parts {
            for one in absence::sources(facts, root, part) {
                found.insert(facts.origins.present(one));
            }
            if 0 < depth {
                gather(facts, root, part, found, depth - 1);
            }
        }
    }
}
