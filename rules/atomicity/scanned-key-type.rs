use crate::{
    commands::Argument,
    events::Event,
    expiry,
    facts::{Facts, Root},
    keys::{self, Nature},
    keyspace::Types,
    origin::{Origin, OriginId},
    rule::{Finding, one_per_root},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        let scans = |event: &Event| matches!(expiry::name(event), "SCAN" | "KEYS");
        if root.events().iter().any(scans) {
            let found = root.events().iter().filter_map(|event| of_any_type(facts, root, event));
            findings.extend(one_per_root(found, "and here"));
        }
    }
    findings
}

/// A command for one type of key on a key that may have any.
fn of_any_type(facts: &Facts, root: &Root, event: &Event) -> Option<(OriginId, Finding)> {
    if !event.raises() || root.is_protected(event.at) {
        return None;
    }
    let any =
        |key: &&(&crate::events::KeyUse, &crate::events::Arg)| key.0.needs != Types::ANY && key.0.types == Types::ANY;
    let scanned = |origin| keys::classify(facts, root, origin).is_some_and(|class| class.nature == Nature::Scanned);
    let keys: Vec<_> = event.key_args().collect();
    let (_, arg) = keys.iter().find(|key| any(key) && scanned(key.1.value.origin))?;
    let scan = scan(facts, root, arg.value.origin)?;
    let chosen = Choice::of(facts, scan);
    if chosen == Choice::Type {
        return None;
    }
    let name = event.shown_name();
    let message =
        format!("{name} ends the script at the first key of another type: {} gives keys of all", scan.shown_name());
    let finding = Finding::new(root.span(arg.at), message)
        .label(root.span(scan.at), "the keys come from here")
        .help("ask for the type first: `SCAN cursor MATCH pattern TYPE string`, or TYPE of each key")
        .labels(root.call_labels(event.at));
    // Keys of one name mostly have one type.
    Some((root.origin(scan.at), if chosen == Choice::Name { finding.strict() } else { finding }))
}

/// The call that listed the key.
fn scan<'a>(facts: &Facts, root: &'a Root, origin: OriginId) -> Option<&'a Event> {
    let mut found = None;
    facts.origins.leaves(facts.origins.present(origin), &mut |leaf, _| {
        let event = facts.origins.reply(leaf).and_then(|at| root.event(at));
        found = found.or(event.filter(|event| matches!(expiry::name(event), "SCAN" | "KEYS")));
    });
    let mut part = facts.origins.present(origin);
    while let (None, Origin::Index(base, _)) = (found, facts.origins.get(part)) {
        part = facts.origins.present(*base);
        let event = facts.origins.reply(part).and_then(|at| root.event(at));
        found = event.filter(|event| matches!(expiry::name(event), "SCAN" | "KEYS"));
    }
    found
}

/// By what the call chooses keys.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// Nothing, or a pattern that may be any.
    Any,
    /// A pattern that begins with some text.
    Name,
    Type,
}

impl Choice {
    fn of(facts: &Facts, scan: &Event) -> Choice {
        let arguments = facts.arguments(scan);
        let is_word = |word: &'static str| move |argument: &Argument| argument.is_word(word);
        if expiry::has(facts, scan, "TYPE") {
            return Choice::Type;
        }
        let pattern = match expiry::name(scan) {
            "KEYS" => 0,
            _ => match arguments.iter().position(is_word("MATCH")) {
                Some(at) => at + 1,
                None => return Choice::Any,
            },
        };
        match arguments.get(pattern) {
            Some(Argument::Literal([b'*' | b'?' | b'[', ..])) | None => Choice::Any,
            Some(Argument::Literal(_) | Argument::Number(_) | Argument::Unknown | Argument::Spread) => Choice::Name,
        }
    }
}
