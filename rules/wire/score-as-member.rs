use crate::{
    commands::ArgType,
    events::Event,
    facts::{Facts, Root},
    magnitude, names,
    origin::OriginId,
    rule::Finding,
};

/// Words in names of what is a time.
const TIMES: [&str; 12] =
    ["time", "timestamp", "ts", "now", "date", "at", "ms", "millis", "micros", "seconds", "clock", "epoch"];

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        findings.extend(root.events().iter().filter_map(|event| same(facts, root, event)));
    }
    findings
}

fn same(facts: &Facts, root: &Root, event: &Event) -> Option<Finding> {
    if event.command.is_none_or(|command| command.name != "ZADD") {
        return None;
    }
    let pairs = event.args.windows(2).filter_map(|pair| <&[_; 2]>::try_from(pair).ok());
    let [score, member] = pairs
        .filter(|[score, member]| score.takes == Some(ArgType::Double) && member.takes == Some(ArgType::String))
        .find(|[score, member]| {
            let plain = score.spread.is_none() && member.spread.is_none();
            let origin = score.value.origin;
            plain
                && origin != OriginId::UNKNOWN
                && facts.origins.present(origin) == facts.origins.present(member.value.origin)
                && facts.origins.constant(origin).is_none()
        })?;
    let mut is_time = false;
    facts.origins.leaves(score.value.origin, &mut |leaf, _| {
        let base = facts.origins.get(facts.origins.present(leaf));
        base.parts(|part| is_time |= magnitude::is_time(facts, root, part));
    });
    for at in [score.at, member.at] {
        is_time |= names::words_of(facts, root, at).iter().any(|word| TIMES.contains(&word.as_str()));
    }
    let shown = facts.snippet(root, member.at);
    let (message, help) = if is_time {
        (
            format!("`{shown}` is a time, and both score and member: two calls at the same time are one member"),
            "make the member unique: add a counter or an argument to it",
        )
    } else {
        (
            format!("`{shown}` is both score and member: whoever adds the same again adds nothing"),
            "make the member unique if each call is to count",
        )
    };
    let finding = Finding::new(root.span(member.at), message).help(help).labels(root.call_labels(event.at));
    Some(if is_time { finding } else { finding.strict() })
}
