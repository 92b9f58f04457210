//! What `replies.txt` says of a command is what a script sees of it on real servers, no more and no less.

#[path = "common/samples.rs"]
mod samples;
#[path = "common/server.rs"]
mod server;

use std::collections::{BTreeMap, BTreeSet};

use evalint::{
    commands::{COMMANDS, Command, Flag, Shape},
    target::Target,
    value::{Interval, Kinds},
};
use samples::Samples;

/// Commands without a sample, or without a line.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("ASKING", "needs a cluster"),
    ("BACKUP LIST", "needs a backup"),
    ("CLUSTER", "needs a cluster"),
    ("CLUSTERSCAN", "needs a cluster"),
    ("HIMPORT SET", "needs a field set of the connection"),
    ("OBJECT FREQ", "needs another eviction policy"),
    ("PFDEBUG", "is for the servers' own tests"),
    ("READONLY", "needs a cluster"),
    ("READWRITE", "needs a cluster"),
    ("RESTORE-ASKING", "is sent between nodes"),
    ("TRIMSLOTS", "needs a cluster"),
    ("XIDMPRECORD", "needs a message with an id of a producer"),
];

/// Kinds that a line has though no sample shows them.
const UNSEEN: &[(&str, Kinds, &str)] = &[
    ("DIGEST", Kinds::NUMERAL, "sixteen hexadecimal digits are seldom all decimal"),
    ("GEOHASH", Kinds::NUMERAL, "eleven letters and digits are seldom all digits"),
    ("PUBSUB CHANNELS", Kinds::STRING, "needs a subscriber"),
    ("PUBSUB SHARDCHANNELS", Kinds::STRING, "needs a subscriber"),
    ("RANDOMKEY", Kinds::FALSE.or(Kinds::NUMERAL), "random, and needs an empty database"),
];

fn exception(command: &Command) -> Option<&'static str> {
    let is_it = |name: &str| command.name == name || command.name.starts_with(&format!("{name} "));
    EXCEPTIONS.iter().find(|(name, _)| is_it(name)).map(|&(_, reason)| reason)
}

/// Could a script call it on any of the servers?
fn is_callable(command: &Command, targets: &[Target]) -> bool {
    let called = |&target: &Target| command.available(target) && !command.noscript(target);
    !command.ever(Flag::Container) && targets.iter().any(called)
}

#[derive(Default)]
struct Written {
    kinds: Option<(Kinds, Kinds)>,
    seen: Option<(Kinds, Kinds)>,
    calls: BTreeSet<String>,
}

#[test]
#[ignore = "needs real servers: run tools/test"]
fn replies_are_what_scripts_see() {
    let samples = Samples::read();
    let mut faults = String::new();
    // By command and the cases that hold.
    let mut lines: BTreeMap<(&str, Vec<bool>), Written> = BTreeMap::new();
    let mut targets = Vec::new();
    for (mut server, target) in samples::servers() {
        targets.push(target);
        server.command(&["CONFIG", "SET", "slowlog-log-slower-than", "0"]);
        for call in samples.calls.iter().filter(|call| call.runs_on(target)) {
            samples.set_up(&mut server, target);
            let words = call.words(&mut server);
            let seen = samples::look(&mut server, &words);
            if seen[0] == "error" {
                faults += &format!("{target}: {}: {}\n", call.line(), seen[1]);
                continue;
            }
            let reply = call.command.reply(&call.arguments());
            let kind = Kinds::named(&seen[0]).unwrap();
            let number = seen.get(1).map_or(Interval::ALL, |number| Interval::of(number.parse().unwrap()));
            let elements =
                seen.iter().skip(2).fold(Kinds::NEVER, |all, element| all.or(Kinds::named(element).unwrap()));
            let within = match seen[0].as_str() {
                "integer" => reply.range,
                "table" => reply.length,
                _ => Interval::ALL,
            };
            if !kind.within(reply.kinds) || within.meet(number).is_none() || !elements.within(reply.element) {
                faults += &format!("{target}: {}: {} does not lie within {reply:?}\n", call.line(), seen.join(" "));
            }
            if seen[0] == "table" && reply.shape == Shape::Pairs && !seen.len().is_multiple_of(2) {
                faults += &format!("{target}: {}: {} are no pairs\n", call.line(), seen.join(" "));
            }
            let line = lines.entry((call.command.name, call.command.cases(&call.arguments()))).or_default();
            let add = |all: &mut Option<(Kinds, Kinds)>, kinds: Kinds, elements: Kinds| {
                let before = all.unwrap_or((Kinds::NEVER, Kinds::NEVER));
                *all = Some((before.0.or(kinds), before.1.or(elements)));
            };
            add(&mut line.kinds, reply.kinds, reply.element);
            add(&mut line.seen, kind, elements);
            line.calls.insert(call.line());
        }
    }
    let mut held: BTreeMap<&str, Vec<bool>> = BTreeMap::new();
    for ((name, cases), line) in &lines {
        let all = held.entry(name).or_insert_with(|| vec![false; cases.len()]);
        all.iter_mut().zip(cases).for_each(|(all, one)| *all |= one);
        let (Some(written), Some(seen)) = (line.kinds, line.seen) else { continue };
        let unseen = UNSEEN.iter().filter(|(command, ..)| command == name).fold(Kinds::NEVER, |all, one| all.or(one.1));
        let missing = (written.0.without(seen.0).without(unseen), written.1.without(seen.1).without(unseen));
        if !missing.0.is_never() || !missing.1.is_never() {
            let calls: Vec<&str> = line.calls.iter().map(String::as_str).collect();
            faults += &format!("{name}: no sample shows {} (of {}) in {}\n", missing.0, missing.1, calls.join(" | "));
        }
    }
    for command in COMMANDS.iter().filter(|command| is_callable(command, &targets)) {
        match (held.get(command.name), exception(command)) {
            (None, None) => faults += &format!("{}: no sample runs\n", command.name),
            (Some(_), Some(_)) => faults += &format!("{}: has samples though it is an exception\n", command.name),
            (Some(held), None) if !held.iter().all(|held| *held) => {
                faults += &format!("{}: not all of its cases are sampled: {held:?}\n", command.name);
            }
            (Some(_), None) | (None, Some(_)) => {}
        }
        if exception(command).is_none() && !command.has_reply() {
            faults += &format!("{}: has no line in replies.txt\n", command.name);
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
#[ignore = "needs real servers: run tools/test"]
fn replies_of_resp3_are_what_scripts_see() {
    let samples = Samples::read();
    let mut faults = String::new();
    for (mut server, target) in samples::servers() {
        for call in samples.calls.iter().filter(|call| call.runs_on(target)) {
            samples.set_up(&mut server, target);
            let words = call.words(&mut server);
            let seen = samples::look_after(&mut server, "redis.setresp(3)", &words);
            let reply = call.command.reply(&call.arguments()).resp3(call.command);
            let Some(kind) = Kinds::named(&seen[0]).filter(|_| seen[0] != "error" && reply.kinds != Kinds::ANY) else {
                continue;
            };
            let elements = seen
                .iter()
                .skip(2)
                .fold(Kinds::NEVER, |all, element| all.or(Kinds::named(element).unwrap_or(Kinds::ANY)));
            let length = seen.get(1).map_or(Interval::ALL, |number| Interval::of(number.parse().unwrap()));
            let fits = seen[0] != "table" || reply.length.meet(length).is_some();
            if !kind.within(reply.kinds) || !elements.within(reply.element) || !fits {
                faults += &format!("{target}: {}: {} does not lie within {reply:?}\n", call.line(), seen.join(" "));
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}
