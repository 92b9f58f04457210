//! What the table of builtins says of Lua's and Redis's functions is what scripts and libraries see on real servers.

#[path = "common/server.rs"]
mod server;

use std::collections::{BTreeMap, BTreeSet};

use evalint::{
    builtins::{self, BUILTINS, Builtin, Sort, Stage},
    target::{Target, Version},
    value::Kinds,
};
use server::{Reply, Server};

/// What depends on the patch level: there or not, whatever the table says.
const BY_PATCH: [&str; 3] = ["getfenv", "newproxy", "setfenv"];

/// Globals of the servers' own scripts.
const OWN: [&str; 2] = ["__redis__err__handler", "__server__err__handler"];

/// Kinds that a line has though no sample shows them.
const UNSEEN: &[(&str, Kinds, &str)] = &[
    ("math.random", Kinds::INTEGER, "of the numbers below one only 0 is whole"),
    ("os.clock", Kinds::INTEGER, "a time is seldom whole"),
    ("redis.acl_check_cmd", Kinds::FALSE, "needs a user without rights"),
    ("redis.breakpoint", Kinds::TRUE, "needs the debugger"),
    ("redis.replicate_commands", Kinds::FALSE, "Redis 6 answers so after a write"),
    ("redis.sha1hex", Kinds::NUMERAL, "forty hexadecimal digits are seldom all decimal"),
];

/// Functions that give one value in every sample though they may give several or none.
const ONE_IN_SAMPLES: &[(&str, &str)] = &[
    ("coroutine.yield", "a script's main chunk can't yield"),
    ("coroutine.running", "gives none only in the main chunk of some servers"),
    ("getfenv", "kept open"),
    ("load", "gives its error as a second value"),
    ("table.foreach", "gives what its function gives"),
    ("table.foreachi", "gives what its function gives"),
];

/// One value of each kind.
const VALUES: &[(Kinds, &str)] = &[
    (Kinds::NIL, "nil"),
    (Kinds::FALSE, "false"),
    (Kinds::TRUE, "true"),
    (Kinds::INTEGER, "7"),
    (Kinds::FRACTION, "1.5"),
    (Kinds::NUMERAL, "'7'"),
    (Kinds::TEXT, "'x'"),
    (Kinds::STATUS, "{ok = 'x'}"),
    (Kinds::ERROR, "{err = 'x'}"),
    (Kinds::TABLE, "{}"),
    (Kinds::FUNCTION, "type"),
    (Kinds::NULL, "cjson.null"),
];

/// The number of results, and the kind of the first.
const LOOK: &str = "
local function kind(value)
  local kind = type(value)
  if kind == 'number' then return value % 1 ~= 0 and value - value == 0 and 'fraction' or 'integer' end
  if kind == 'string' then return tonumber(value) and 'numeral' or 'text' end
  if kind == 'boolean' then return tostring(value) end
  if kind == 'table' then return value.ok and 'status' or value.err and 'error' or 'table' end
  if kind == 'thread' then return 'function' end
  if kind == 'userdata' then return 'null' end
  return kind
end
local function look(...) return {tostring(select('#', ...)), kind((...))} end
return look(";

/// Every installed server with its target.
fn servers() -> impl Iterator<Item = (Server, Target)> {
    server::installed().into_iter().map(|name| (Server::start(&name).unwrap(), name.parse().unwrap()))
}

fn text(reply: &Reply) -> String {
    match reply {
        Reply::Bulk(text) => String::from_utf8_lossy(text).into_owned(),
        Reply::Status(_) | Reply::Error(_) | Reply::Integer(_) | Reply::Nil | Reply::Array(_) => reply.to_string(),
    }
}

/// Runs code, which returns a string, in a script or in a function.
fn run(server: &mut Server, stage: Stage, code: &str) -> String {
    match stage {
        Stage::Eval => text(&server.command(&["EVAL", code, "0"])),
        Stage::Load | Stage::Function => {
            let library = format!("#!lua name=l\nredis.register_function('f', function() {code}\nend)");
            server.command(&["FUNCTION", "LOAD", "REPLACE", &library]);
            text(&server.command(&["FCALL", "f", "0"]))
        }
    }
}

fn has_functions(target: Target) -> bool {
    Version(7, 0, 0) <= target.version
}

/// The names of the table, and those that `server` has too.
fn names(target: Target) -> Vec<String> {
    let own = BUILTINS.iter().map(|builtin| builtin.name.to_owned());
    let with_server = !builtins::is_lacking("server", target, Stage::Eval);
    let also = BUILTINS.iter().filter_map(|builtin| builtin.name.strip_prefix("redis."));
    own.chain(["server".into()]).chain(also.filter(|_| with_server).map(|name| format!("server.{name}"))).collect()
}

fn lacks(name: &str, target: Target, stage: Stage) -> bool {
    builtins::is_lacking(&name.replace("server.", "redis."), target, stage)
}

#[test]
#[ignore = "needs real servers: run tools/test"]
fn builtins_are_where_the_table_says() {
    let mut faults = String::new();
    for (mut server, target) in servers() {
        let names = names(target);
        let mut check = |stage, name: &str, seen: &str| {
            let expected = !lacks(name, target, stage);
            if (seen != "nil") != expected && !BY_PATCH.contains(&name) {
                faults += &format!("{target}: {name} is {seen} at {stage:?}\n");
            }
            let full = name.replace("server.", "redis.");
            let sort = builtins::builtin(&full).map(|builtin| builtin.get().sort);
            let fits = match (sort, seen) {
                (_, "nil" | "there") => true,
                (None | Some(Sort::Library), _) => seen == "table",
                (Some(Sort::Function { .. }), _) => seen == "function",
                (Some(Sort::Value(kinds)), _) => match seen {
                    "number" => kinds.within(Kinds::NUMBER),
                    "string" => kinds.within(Kinds::STRING),
                    _ => seen == "userdata" && kinds == Kinds::NULL,
                },
            };
            if !fits {
                faults += &format!("{target}: {name} is a {seen}\n");
            }
        };
        let each = |name: &String| format!("t(function() return {name} end) ");
        let code = format!(
            "local out = {{}} local function t(f) local ok, v = pcall(f) out[#out + 1] = ok and type(v) or 'nil' end {} return \
             table.concat(out, ' ')",
            names.iter().map(each).collect::<String>()
        );
        for stage in [Stage::Eval, Stage::Function] {
            if stage == Stage::Eval || has_functions(target) {
                let seen = run(&mut server, stage, &code);
                assert_eq!(seen.split(' ').count(), names.len(), "{target}: {seen}");
                names.iter().zip(seen.split(' ')).for_each(|(name, seen)| check(stage, name, seen));
            }
        }
        for name in names.iter().filter(|_| has_functions(target)) {
            let library = format!("#!lua name=l\nlocal x = {name}\nredis.register_function('f', function() end)");
            let loaded = server.command(&["FUNCTION", "LOAD", "REPLACE", &library]);
            check(Stage::Load, name, if matches!(loaded, Reply::Bulk(_)) { "there" } else { "nil" });
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
#[ignore = "needs real servers: run tools/test"]
fn the_table_has_all_builtins() {
    let walk = "local out = {} for k, v in pairs(_G) do out[#out + 1] = k
        if type(v) == 'table' and k ~= '_G' and k ~= 'KEYS' and k ~= 'ARGV' then
          for field in pairs(v) do out[#out + 1] = k .. '.' .. tostring(field) end
        end end return table.concat(out, ' ')";
    let mut faults = BTreeSet::new();
    for (mut server, target) in servers() {
        for stage in [Stage::Eval, Stage::Function] {
            let seen = if stage == Stage::Eval || has_functions(target) {
                run(&mut server, stage, walk)
            } else {
                String::new()
            };
            let known = |name: &str| {
                builtins::builtin(&name.replace("server.", "redis.")).is_some()
                    || OWN.contains(&name)
                    || matches!(name, "KEYS" | "ARGV")
            };
            faults.extend(seen.split_whitespace().filter(|name| !known(name)).map(|name| format!("{target}: {name}")));
        }
    }
    assert!(faults.is_empty(), "\n{faults:#?}");
}

/// The sample calls by the function's name.
fn samples() -> BTreeMap<&'static str, Vec<String>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/builtins/samples.txt");
    let mut samples: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for line in std::fs::read_to_string(path).unwrap().lines().filter(|line| !line.starts_with('#')) {
        let name = line.split('(').next().unwrap();
        let builtin = builtins::builtin(name).unwrap_or_else(|| panic!("`{name}` is no builtin"));
        // What runs in a coroutine shows more.
        let name = if line.ends_with(" coroutine.running() end)()") { "coroutine.running" } else { builtin.name() };
        samples.entry(name).or_default().push(line.to_owned());
    }
    samples
}

fn functions() -> impl Iterator<Item = (&'static Builtin, Kinds)> {
    BUILTINS.iter().filter_map(|builtin| match builtin.sort {
        Sort::Function { result, .. } if builtin.stages.contains(&Stage::Eval) => Some((builtin, result)),
        Sort::Function { .. } | Sort::Library | Sort::Value(_) => None,
    })
}

#[test]
#[ignore = "needs real servers: run tools/test"]
fn functions_give_what_the_table_says() {
    let samples = samples();
    let mut faults = String::new();
    let mut all_seen: BTreeMap<&str, (Kinds, bool)> = BTreeMap::new();
    for (mut server, target) in servers() {
        for (builtin, result) in functions() {
            if lacks(builtin.name, target, Stage::Eval) {
                continue;
            }
            for call in samples.get(builtin.name).into_iter().flatten() {
                let reply = server.command(&["EVAL", &format!("{LOOK}{call})"), "0"]);
                let Reply::Array(seen) = &reply else {
                    let raises = result == Kinds::NEVER || ["coroutine.yield"].contains(&builtin.name);
                    if !raises && !BY_PATCH.contains(&builtin.name) {
                        faults += &format!("{target}: {call}: {reply}\n");
                    }
                    continue;
                };
                let (count, kind) = (text(&seen[0]), Kinds::named(&text(&seen[1])).unwrap());
                if !kind.within(result) || (count != "1" && !builtin.many) {
                    faults += &format!("{target}: {call}: {count} values, the first is {kind}\n");
                }
                let all = all_seen.entry(builtin.name).or_insert((Kinds::NEVER, false));
                *all = (all.0.or(kind), all.1 || count != "1");
            }
        }
    }
    for (builtin, result) in functions() {
        if result != Kinds::NEVER && !samples.contains_key(builtin.name) {
            faults += &format!("{}: no sample calls it\n", builtin.name);
        }
        let Some(&(seen, many)) = all_seen.get(builtin.name) else { continue };
        let unseen =
            UNSEEN.iter().filter(|(name, ..)| *name == builtin.name).fold(Kinds::NEVER, |all, one| all.or(one.1));
        let missing = result.without(seen).without(unseen);
        if result != Kinds::ANY && !missing.is_never() {
            faults += &format!("{}: no sample shows {missing}\n", builtin.name);
        }
        if builtin.many
            && !many
            && result != Kinds::ANY
            && !ONE_IN_SAMPLES.iter().any(|(name, _)| *name == builtin.name)
        {
            faults += &format!("{}: no sample gives none or several values\n", builtin.name);
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
#[ignore = "needs real servers: run tools/test"]
fn functions_refuse_what_the_table_says() {
    let samples = samples();
    let mut faults = String::new();
    for (mut server, target) in servers() {
        for (builtin, _) in functions() {
            let takes = builtin.takes.iter().chain([&builtin.rest]);
            if lacks(builtin.name, target, Stage::Eval) || BY_PATCH.contains(&builtin.name) {
                continue;
            }
            let longest = samples.get(builtin.name).into_iter().flatten().map(|call| arguments(call));
            let Some(base) = longest.rev().max_by_key(Vec::len) else { continue };
            for (at, &takes) in takes.enumerate() {
                if takes == Kinds::ANY {
                    continue;
                }
                if base.len() < at {
                    faults += &format!("{}: no sample has {at} arguments\n", builtin.name);
                    break;
                }
                for (_, value) in VALUES.iter().filter(|(kind, _)| !kind.may_be(takes)) {
                    let mut args = base.clone();
                    args.truncate(args.len().max(at + 1));
                    if at < args.len() {
                        args[at] = (*value).into()
                    } else {
                        args.push((*value).into())
                    }
                    let call = format!("{}({})", builtin.name, args.join(", "));
                    let reply = server.command(&["EVAL", &format!("local x = {call} return 1"), "0"]);
                    if !matches!(reply, Reply::Error(_)) {
                        faults += &format!("{target}: {call} does not raise\n");
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// The arguments of a sample's call.
fn arguments(call: &str) -> Vec<String> {
    let inside = call.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')')).map_or("", |(inside, _)| inside);
    let mut args = vec![String::new()];
    let (mut depth, mut quote) = (0, false);
    for letter in inside.chars() {
        match letter {
            '\'' => quote = !quote,
            '(' | '{' if !quote => depth += 1,
            ')' | '}' if !quote => depth -= 1,
            _ => {}
        }
        match letter {
            ',' if depth == 0 && !quote => args.push(String::new()),
            _ => args.last_mut().unwrap().push(letter),
        }
    }
    args.retain(|arg| !arg.trim().is_empty());
    args
}

#[test]
#[ignore = "needs real servers: run tools/test"]
fn libraries_are_read_only() {
    let mut faults = String::new();
    for (mut server, target) in servers() {
        for builtin in BUILTINS.iter().filter(|builtin| builtin.sort == Sort::Library) {
            if !lacks(builtin.name, target, Stage::Eval) {
                let reply = server.command(&["EVAL", &format!("{}.x = 1", builtin.name), "0"]);
                if !reply.to_string().contains("readonly") {
                    faults += &format!("{target}: {}.x = 1: {reply}\n", builtin.name);
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}
