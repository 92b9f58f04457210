use crate::{
    events::Event,
    facts::{Facts, Root},
    graph::Order,
    ir::ValueId,
    rule::Finding,
    target::{Product, Target, Version},
};

/// Commands whose reply differs from run to run, as those servers mark them.
const RANDOM: [&str; 9] = ["HSCAN", "LASTSAVE", "RANDOMKEY", "SCAN", "SPOP", "SRANDMEMBER", "SSCAN", "TIME", "ZSCAN"];

/// So many of a script's reads are looked at.
const READS: usize = 16;

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let targets = facts.targets_where(refuses);
    if targets.is_empty() {
        return Vec::new();
    }
    let found = facts.roots.iter().filter_map(refused);
    found.map(|finding| Finding { targets: targets.clone(), ..finding }).collect()
}

/// Does the server replicate the script's text, so that it must write the same everywhere?
fn refuses(target: Target) -> bool {
    match target.product {
        Product::Redis => target.version < Version(5, 0, 0),
        Product::Valkey | Product::Dragonfly | Product::Kvrocks | Product::KeyDb => false,
    }
}

/// The first write that a random read always comes before.
fn refused(root: &Root) -> Option<Finding> {
    let random = |event: &&Event| RANDOM.contains(&event.shown_name());
    let reads: Vec<&Event> = root.events().iter().filter(random).take(READS).collect();
    if reads.is_empty() {
        return None;
    }
    let asked: Vec<ValueId> = root.calls_of("redis.replicate_commands").take(READS).collect();
    let refused = |write: &Event| {
        let read = reads.iter().find(|read| root.before(read.at, write.at) == Order::Always)?;
        let chosen = asked.iter().any(|&at| root.before(at, write.at) != Order::Never);
        (!chosen && !root.is_protected(write.at)).then_some(read.at)
    };
    let (write, read) = root.writes().find_map(|write| Some((write, refused(write)?)))?;
    let name = |at| root.event(at).map_or("", Event::shown_name);
    let message = format!("{} is refused: after {} no script may write", write.shown_name(), name(read));
    Some(
        Finding::new(root.span(write.at), message)
            .label(root.span(read), "differs from run to run")
            .labels(root.call_labels(write.at))
            .help("call `redis.replicate_commands()` first, or pass what differs in ARGV"),
    )
}
