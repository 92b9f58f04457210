use crate::{
    events::Event,
    expiry,
    facts::{Facts, Root},
    origin::{OriginId, Site},
    rule::{Finding, one_per_root},
};

/// Commands that take any number of elements for one key.
const VARIADIC: [&str; 9] = ["HDEL", "HSET", "LPUSH", "PFADD", "RPUSH", "SADD", "SREM", "ZADD", "ZREM"];

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        let found = root.events().iter().filter_map(|event| single(facts, root, event));
        findings.extend(one_per_root(found, "and here"));
    }
    findings
}

/// A call in a loop with the same key in each round, for one element.
fn single(facts: &Facts, root: &Root, event: &Event) -> Option<((OriginId, &'static str), Finding)> {
    let name = expiry::name(event);
    let within = root.graph.in_loop(event.at)?;
    // Of an unpacked table it takes many already.
    if event.args.iter().any(|arg| arg.spread.is_some()) {
        return None;
    }
    if !VARIADIC.contains(&name) || !event.raises() || root.is_read(event.at) {
        return None;
    }
    let key = expiry::key(facts, event)?;
    // A key that each round makes anew is another one.
    let in_loop = |site: Site| match site {
        Site::Value(at) => root.graph.in_loop(at).is_some_and(|inner| root.graph.loop_contains(within, inner)),
        Site::Block(block) => root.graph.loop_holds(within, block),
    };
    if facts.origins.sites(key).iter().any(|&site| in_loop(site)) {
        return None;
    }
    // Only what is done in each round: a condition may choose some, and others may look at the key meanwhile.
    let block = root.block_of(event.at)?;
    let always = root.graph.back_edges(within).iter().all(|&back| root.graph.dominates(block, back));
    let looked_at = |other: &Event| {
        other.at != event.at
            && root.graph.in_loop(other.at).is_some_and(|inner| root.graph.loop_contains(within, inner))
    };
    if !always || expiry::uses(facts, root, key)?.any(|(other, _)| looked_at(other)) {
        return None;
    }
    let message = format!("each round calls {name} for one element: one call takes them all");
    let finding = Finding::new(root.span(event.at), message)
        .help("collect them, and send them in chunks: `unpack(t, i, math.min(i + 999, #t))`");
    Some(((key, name), finding.labels(root.call_labels(event.at))))
}
