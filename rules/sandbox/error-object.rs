use rustc_hash::FxHashSet;

use crate::{
    facts::{Facts, Form, Root},
    ir::{Const, Op, ValueId},
    origin::{Origin, OriginId},
    rule::{Finding, Severity},
    target::{Product, Target, Version},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        let raised = |at| match root.op(at) {
            Op::Call { args, .. } if !root.is_protected(at) => Some((at, *args.first()?)),
            _ => None,
        };
        let raised: Vec<(ValueId, ValueId)> = root.calls_of("error").filter_map(raised).collect();
        if raised.is_empty() {
            continue;
        }
        let other = other_tables(facts, root);
        for (at, object) in raised {
            let found = bare_table(facts, root, object, &other).or_else(|| line_end(facts, root, object));
            findings.extend(found.map(|finding| finding.labels(root.call_labels(at))));
        }
    }
    findings
}

/// Tables that may have a field `err`, or that other code gets to see.
fn other_tables(facts: &Facts, root: &Root) -> FxHashSet<OriginId> {
    let mut tables = FxHashSet::default();
    let mut add = |origin: OriginId| tables.extend(facts.origins.alternatives(facts.origins.present(origin)));
    for at in root.all(Form::SetIndex).chain(root.all(Form::Call)) {
        match root.op(at) {
            Op::SetIndex { table, key, value } => {
                add(root.origin(*value));
                let other = |name| facts.texts.get(name) != b"err";
                match facts.origins.constant(root.origin(*key)) {
                    Some(Const::Text(name)) if other(name) => {}
                    Some(Const::Number(_)) => {}
                    _ => add(root.origin(*table)),
                }
            }
            Op::Call { args, .. } if root.callee(facts, at) != Some("error") => {
                args.iter().for_each(|&arg| add(root.origin(arg)));
            }
            _ => {}
        }
    }
    tables
}

/// `error({})`, `error({ code = 1 })`
fn bare_table(facts: &Facts, root: &Root, object: ValueId, other: &FxHashSet<OriginId>) -> Option<Finding> {
    let bare = |&origin: &OriginId| matches!(facts.origins.get(origin), Origin::Made(_)) && !other.contains(&origin);
    if !facts.origins.alternatives(facts.origins.present(root.origin(object))).iter().all(bare) {
        return None;
    }
    let outcome = match facts.targets_where(crashes).first() {
        Some(target) => format!("{target} crashes"),
        None => "clients only see `ERR unknown error`".into(),
    };
    let message = format!("`error` gets a table without a field `err`: {outcome}");
    let help =
        "give it a string or `{ err = 'CODE text' }`: Redis up to 8.0.2 and Valkey up to 8.1.1 crash on other tables";
    Some(Finding::new(root.span(object), message).help(help))
}

/// A line end in a literal part of the text.
fn line_end(facts: &Facts, root: &Root, object: ValueId) -> Option<Finding> {
    let mut found = false;
    facts.origins.leaves(text(facts, root, object), &mut |_, leaf| {
        if let Origin::Literal(Const::Text(text)) = leaf {
            found |= facts.texts.get(*text).iter().any(|byte| matches!(byte, b'\r' | b'\n'));
        }
    });
    if !found {
        return None;
    }
    let finding =
        |message: &str| Finding::new(root.span(object), message).help("keep the text of an error on one line");
    let targets = facts.targets_where(breaks_protocol);
    Some(match targets.is_empty() {
        true => finding("line ends in the text of an error reach the client as blanks").grade(Severity::Warning),
        false => Finding {
            targets,
            ..finding(
                "a line end in the text of an error breaks the reply: the client reads what follows as another one",
            )
        },
    })
}

/// What the error says: the string, or the table's field `err`.
fn text(facts: &Facts, root: &Root, object: ValueId) -> OriginId {
    let Origin::Made(made) = *facts.origins.get(root.origin(object)) else { return root.origin(object) };
    let field = root.users(made).iter().find_map(|&user| match *root.op(user) {
        Op::SetIndex { key, value, .. } if facts.text(root.value(key)) == Some(b"err") => Some(root.origin(value)),
        _ => None,
    });
    field.unwrap_or(OriginId::UNKNOWN)
}

/// Observed; what a series' newest patch does is not known.
fn crashes(target: Target) -> bool {
    let last: &[Version] = match target.product {
        Product::Redis => &[Version(7, 0, 15), Version(7, 2, 4), Version(7, 4, 1), Version(8, 0, 2)],
        Product::Valkey => &[Version(8, 0, 1), Version(8, 1, 1)],
        Product::Dragonfly | Product::Kvrocks | Product::KeyDb => &[],
    };
    is_up_to(target, last)
}

/// Observed likewise.
fn breaks_protocol(target: Target) -> bool {
    let last: &[Version] = match target.product {
        Product::Redis => &[Version(7, 2, 4), Version(7, 4, 1), Version(8, 2, 3)],
        Product::Valkey => &[Version(8, 0, 1), Version(9, 0, 0)],
        Product::Dragonfly | Product::Kvrocks | Product::KeyDb => &[],
    };
    is_up_to(target, last)
}

fn is_up_to(target: Target, last: &[Version]) -> bool {
    let series = |Version(major, minor, _): Version| (major, minor);
    last.iter().any(|&last| series(last) == series(target.version) && target.version <= last)
}
