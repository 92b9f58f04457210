//! The command table against real servers: it is what they say, keys lie where they find them, types and effects are as written.

#![allow(clippy::wildcard_enum_match_arm, reason = "a reply of any other form fails the test")]

#[path = "common/samples.rs"]
mod samples;
#[path = "common/server.rs"]
mod server;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::Command as Process,
};

use evalint::{
    commands::{Access, ArgType, COMMANDS, Command, Group, RedisType},
    target::Target,
};
use samples::{Sample, Samples};
use server::{Reply, Server};

#[test]
#[ignore = "needs real servers: run tools/test"]
fn the_table_is_what_the_servers_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let made = Process::new(root.join("tools/commands")).arg("--print").output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let table = include_str!("../src/commands/table.txt");
    let (made, ours): (BTreeSet<&str>, BTreeSet<&str>) =
        (std::str::from_utf8(&made.stdout).unwrap().lines().collect(), table.lines().collect());
    let differing: Vec<&&str> = made.symmetric_difference(&ours).collect();
    assert!(differing.is_empty(), "run tools/commands; these lines differ:\n{differing:#?}");
}

/// `COMMAND GETKEYSANDFLAGS` is right: what it says of a sample is what we say.
#[test]
#[ignore = "needs real servers: run tools/test"]
fn keys_lie_where_the_servers_find_them() {
    let samples = Samples::read();
    let newest = server::newest("redis");
    let mut faults = String::new();
    let mut sampled = BTreeSet::new();
    for (mut server, target) in samples::servers() {
        if server::is_older_than(&target.to_string(), 7) {
            continue;
        }
        // The command with nothing behind it is refused by 7.0.
        for call in samples.calls.iter().filter(|call| call.runs_on(target) && call.words.len() != 1) {
            let mut words = vec!["COMMAND".to_owned(), "GETKEYSANDFLAGS".to_owned()];
            words.extend(call.words.iter().cloned());
            let theirs: Vec<(String, Vec<String>)> = match server.command(&words) {
                Reply::Array(keys) => keys.iter().map(key_and_flags).collect(),
                Reply::Error(error) if error.contains("no key arguments") => Vec::new(),
                other => {
                    faults += &format!("{target}: {}: {other}\n", call.line());
                    continue;
                }
            };
            let keys = call.command.keys(&call.arguments());
            if keys.partial {
                faults += &format!("{target}: {}: the keys are partial\n", call.line());
            }
            let ours = keys.list.iter().map(|key| {
                let flags = key.access.names().map(str::to_owned).collect();
                (call.words[key.index + 1].clone(), flags)
            });
            let mut ours: Vec<(String, Vec<String>)> = ours.collect();
            let mut theirs = theirs;
            // Flags were mended from version to version.
            if target.to_string() != newest {
                for (_, flags) in ours.iter_mut().chain(&mut theirs) {
                    flags.clear();
                }
            }
            if ours != theirs {
                faults += &format!("{target}: {}: the server says {theirs:?}, we {ours:?}\n", call.line());
            }
            sampled.insert(call.command.name);
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

fn key_and_flags(reply: &Reply) -> (String, Vec<String>) {
    let text = |reply: &Reply| match reply {
        Reply::Bulk(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Reply::Status(text) => text.clone(),
        other => panic!("{other} is no key or flag"),
    };
    match reply {
        Reply::Array(parts) => match &parts[..] {
            [key, Reply::Array(flags)] => {
                let known = ["RO", "RW", "OW", "RM", "access", "update", "insert", "delete"];
                let flags: BTreeSet<String> = flags.iter().map(text).collect();
                (text(key), known.into_iter().filter(|flag| flags.contains(*flag)).map(str::to_owned).collect())
            }
            _ => panic!("{reply} is no key with flags"),
        },
        other => panic!("{other} is no key with flags"),
    }
}

/// A text where the grammar wants a number raises.
#[test]
#[ignore = "needs real servers: run tools/test"]
fn numbers_are_needed_where_the_grammar_says_so() {
    let samples = Samples::read();
    let mut faults = String::new();
    for (mut server, target) in samples::servers() {
        samples.set_up(&mut server, target);
        for call in samples.calls.iter().filter(|call| call.runs_on(target)) {
            let arguments = call.arguments();
            for index in 0..arguments.len() {
                if !call.command.position(&arguments, index).is_some_and(ArgType::is_number) {
                    continue;
                }
                let mut words = call.words(&mut server);
                words[index + 1] = b"x".to_vec();
                let seen = samples::look(&mut server, &words);
                // MIGRATE reads its port when there is something to send.
                if seen[0] != "error" && call.command.name != "MIGRATE" {
                    faults += &format!("{target}: {}: `x` as argument {index} is taken\n", call.line());
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

fn takes_named(command: &Command, kind: &str) -> bool {
    RedisType::ALL.into_iter().any(|one| one.name() == kind && command.takes(one))
}

/// The keys of the samples' set-up by type; PFADD needs a string of its own kind.
fn example(kind: RedisType, command: &Command) -> &'static str {
    match kind {
        RedisType::String if command.group == Group::Hyperloglog => "hll",
        RedisType::String => "number",
        RedisType::List => "list",
        RedisType::Hash => "hash",
        RedisType::Set => "set",
        RedisType::SortedSet => "zset",
        RedisType::Stream => "stream",
        RedisType::VectorSet => "vec",
        RedisType::Array => "arr",
    }
}

#[test]
#[ignore = "needs real servers: run tools/test"]
fn keys_need_the_types_that_are_written() {
    let samples = Samples::read();
    let mut faults = BTreeSet::new();
    // By command, place of the key and type: was it ever taken, ever refused?
    let mut tried: BTreeMap<(&str, bool, &str), (bool, bool)> = BTreeMap::new();
    for (mut server, target) in samples::servers() {
        let mut changed = true;
        for call in samples.calls.iter().filter(|call| call.runs_on(target)) {
            // There a wrong type gets no reply at all, and no script works until the server is started anew.
            if call.command.name == "HPERSIST" && target.to_string() == "valkey@9.0.0" {
                continue;
            }
            let keys = call.command.keys(&call.arguments());
            for (place, key) in keys.list.iter().filter(|key| key.access.reads()).enumerate() {
                for kind in RedisType::ALL {
                    if changed {
                        samples.set_up(&mut server, target);
                    }
                    let name = example(kind, call.command);
                    if server.command(&["EXISTS", name]) != Reply::Integer(1) {
                        continue;
                    }
                    let mut words = call.words(&mut server);
                    words[key.index + 1] = name.into();
                    let seen = samples::look(&mut server, &words);
                    changed = seen[0] != "error";
                    let refused = seen[0] == "error"
                        && (seen[1].starts_with("WRONGTYPE")
                            || seen[1].contains("must contain string values")
                            || seen[1].contains("should be of string type"));
                    if place == 0 && !call.command.takes(kind) && !refused {
                        faults.insert(format!("{}: a {} is taken: {seen:?}", call.line(), kind.name()));
                    }
                    let tried = tried.entry((call.command.name, place == 0, kind.name())).or_default();
                    tried.0 |= !refused;
                    tried.1 |= refused;
                }
            }
        }
    }
    for ((name, first, kind), (taken, refused)) in tried {
        let takes = COMMANDS.iter().any(|command| command.name == name && takes_named(command, kind));
        // Of a later key it depends on those before, but once it matters.
        if takes && !taken || !takes && !first && !refused {
            faults.insert(format!(
                "{name}: a {kind} is {} as {} key",
                if takes { "never taken" } else { "never refused" },
                if first { "first" } else { "later" }
            ));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.into_iter().collect::<Vec<_>>().join("\n"));
}

#[test]
#[ignore = "needs real servers: run tools/test"]
fn written_keys_hold_what_is_written() {
    let samples = Samples::read();
    let mut faults = BTreeSet::new();
    let mut shown = BTreeSet::new();
    for (mut server, target) in samples::servers() {
        for call in samples.calls.iter().filter(|call| call.runs_on(target)) {
            let keys = call.command.keys(&call.arguments());
            let Some(made) = call.command.makes() else { continue };
            for key in keys.list.iter().filter(|key| key.access.writes() && !key.access.has(Access::RM)) {
                samples.set_up(&mut server, target);
                let words = call.words(&mut server);
                if samples::look(&mut server, &words)[0] == "error" {
                    continue;
                }
                let kind = server.command(&[b"TYPE".to_vec(), words[key.index + 1].clone()]).to_string();
                if kind == made.name() {
                    shown.insert(call.command.name);
                } else if kind != "none" {
                    faults.insert(format!("{}: makes a {kind}, not a {}", call.line(), made.name()));
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.into_iter().collect::<Vec<_>>().join("\n"));
}

/// Commands of which a second run changes data though they repeat nothing, with the reason.
const CHANGING: &[(&str, &str)] = &[
    ("HEXPIRE", "the time goes on"),
    ("HGETEX", "the time goes on"),
    ("HPEXPIRE", "the time goes on"),
    ("HSETEX", "the time goes on"),
    ("LTRIM", "mostly it keeps the first ones, and once is enough"),
    ("SADD", "the order within a hash table"),
    ("SWAPDB", "nobody sends it twice"),
    ("VADD", "the links of its graph"),
    ("XAUTOCLAIM", "deliveries are counted"),
    ("XCLAIM", "deliveries are counted"),
    ("XREADGROUP", "deliveries are counted"),
    ("ZREMRANGEBYRANK", "mostly it keeps the last ones, and once is enough"),
];

#[test]
#[ignore = "needs real servers: run tools/test"]
fn a_second_run_changes_data_where_that_is_written() {
    let samples = Samples::read();
    let mut faults = BTreeSet::new();
    let mut repeating: BTreeMap<&str, bool> = BTreeMap::new();
    for (mut server, target) in samples::servers() {
        for call in samples.calls.iter().filter(|call| call.runs_on(target) && call.command.is_write()) {
            let changes = second_run_changes(&samples, call, &mut server, target);
            let arguments = call.arguments();
            if call.command.repeats(&arguments, &call.command.slots(&arguments)) {
                *repeating.entry(call.command.name).or_default() |= changes;
            } else if changes && !CHANGING.iter().any(|(name, _)| *name == call.command.name) {
                faults.insert(format!("{}: a second run changes data", call.line()));
            }
        }
    }
    for (name, ever) in repeating {
        if !ever {
            faults.insert(format!("{name}: no second run changes data"));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.into_iter().collect::<Vec<_>>().join("\n"));
}

fn second_run_changes(samples: &Samples, call: &Sample, server: &mut Server, target: Target) -> bool {
    samples.set_up(server, target);
    let words = call.words(server);
    samples::look(server, &words);
    let first = contents(server);
    samples::look(server, &words);
    first != contents(server)
}

/// Every key of the first database with what it holds.
fn contents(server: &mut Server) -> Reply {
    const CONTENTS: &str = "
local keys = redis.call('KEYS', '*')
table.sort(keys)
for i = 1, #keys do keys[#keys + 1] = redis.call('DUMP', keys[i]) end
return keys";
    server.command(&["EVAL", CONTENTS, "0"])
}

/// What a rule would have to trust without a server having said it.
#[test]
fn every_command_with_keys_has_a_sample() {
    let samples = Samples::read();
    let sampled: BTreeSet<&str> = samples.calls.iter().map(|call| call.command.name).collect();
    let ever = [Target::DEFAULT[0], Target::DEFAULT[1], "redis@6.2".parse().unwrap()];
    let missing: Vec<&str> = COMMANDS
        .iter()
        .filter(|command| command.has_keys() && !command.is_container())
        .filter(|command| ever.iter().any(|&target| command.available(target) && !command.noscript(target)))
        .filter(|command| !sampled.contains(command.name))
        .map(|command| command.name)
        .collect();
    // Internal commands, and one that needs a field set of the connection.
    assert_eq!(missing, ["HIMPORT SET", "OBJECT FREQ", "PFDEBUG", "RESTORE-ASKING", "XIDMPRECORD"]);
}
