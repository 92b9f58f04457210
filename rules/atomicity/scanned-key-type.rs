use crate::{
    commands::Argument,
    events::Event,
    expiry,
    facts::{Facts, Root},
    keys::{self, Nature},
    keyspace::Types,
    origin::OriginId,
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
    let keys: Vec<_> = event.key_args().collect();
    // The root of a scanned key is the reply that listed it.
    let (arg, scan) = keys.iter().filter(any).find_map(|(_, arg)| {
        let class = keys::classify(facts, root, arg.value.origin)?;
        let scan = root.event(facts.origins.reply(class.root)?)?;
        let lists = class.nature == Nature::Scanned && matches!(expiry::name(scan), "SCAN" | "KEYS");
        lists.then_some((arg, scan))
    })?;
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
