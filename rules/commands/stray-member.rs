use crate::{
    events::Event,
    facts::{Facts, Root},
    rule::Finding,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        findings.extend(root.events().iter().filter_map(|event| stray(facts, root, event)));
    }
    findings
}

/// A number literal among names that are none.
fn stray(facts: &Facts, root: &Root, event: &Event) -> Option<Finding> {
    let command = event.command?.name;
    let other = match command {
        "HDEL" | "HMGET" => "HSET",
        "SREM" => "SADD",
        "ZREM" => "ZADD",
        _ => return None,
    };
    let names = event.args.get(1..)?;
    let is_number = |n: usize| facts.number(names[n].value).is_some();
    let n = (0..names.len()).find(|&n| names[n].spread.is_none() && is_number(n))?;
    if !(0..names.len()).any(|other| names[other].spread.is_none() && !is_number(other)) {
        return None;
    }
    let message = format!("{command} takes `{}` for a name", facts.snippet(root, names[n].at));
    let finding = Finding::new(root.span(names[n].at), message)
        .help(format!("leave it out, if it was left over from {other}; else write it as text"));
    Some(finding.labels(root.call_labels(event.at)))
}
