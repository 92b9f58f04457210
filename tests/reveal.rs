//! `reveal(x) --= integer, the reply of INCR` in `testdata/flow` says what the analysis knows of a value: its kinds, and where it
//! came from. Either may be left out; `any` as kinds leaves open what they are.
//!
//! What it says is also true: on a real server, with a `reveal` that writes down what it gets, nothing else is seen.

#[path = "common/server.rs"]
mod server;
#[path = "common/setting.rs"]
mod setting;

use std::collections::BTreeMap;

use evalint::{
    config::Config,
    source::{LineIndex, Source},
    value::Kinds,
};
use server::{Reply, Server};
use setting::{Head, on_big_stack};

/// What is known at a line, by all the analyses that came there.
struct Known {
    kinds: Kinds,
    origins: Vec<String>,
}

fn known(path: &str, script: &[u8], config: &Config) -> BTreeMap<u32, Known> {
    let source = Source::file(path, script);
    let lines = LineIndex::new(script);
    let mut known = BTreeMap::new();
    for (span, kinds, origin) in on_big_stack(|| evalint::reveal(&source, config)) {
        let entry = known.entry(lines.line(span.start)).or_insert(Known { kinds: Kinds::NEVER, origins: Vec::new() });
        entry.kinds = entry.kinds.or(kinds);
        if !entry.origins.contains(&origin) {
            entry.origins.push(origin);
        }
    }
    known
}

fn kinds_of(text: &str) -> Option<Kinds> {
    text.split('|').try_fold(Kinds::NEVER, |kinds, name| Some(kinds.or(Kinds::named(name.trim())?)))
}

/// The lines that call `reveal`, with what stands behind `--=`.
fn expectations(script: &[u8]) -> Vec<(u32, Option<String>)> {
    let text = String::from_utf8_lossy(script);
    let lines = text.lines().zip(1..).filter(|(line, _)| line.contains("reveal("));
    lines.map(|(line, number)| (number, line.split_once("--=").map(|(_, said)| said.trim().to_owned()))).collect()
}

#[test]
fn values_are_known_as_the_scripts_say() {
    let mut faults = String::new();
    for (path, script) in setting::scripts("flow") {
        let head = Head::parse(&script).unwrap_or_else(|fault| panic!("{path}: {fault}"));
        let mut known = known(&path, &script, &head.setting.config());
        for (line, said) in expectations(&script) {
            let mut fault = |what: String| faults += &format!("{path}:{line}: {what}\n");
            let Some(said) = said else {
                fault("no `--=` says what is known".into());
                continue;
            };
            let Some(known) = known.remove(&line) else {
                fault(format!("expected `{said}`; the analysis never comes here"));
                continue;
            };
            let (kinds, origin) = said.split_once(',').unwrap_or((&said, ""));
            match kinds_of(kinds) {
                None => fault(format!("`{kinds}` are no kinds")),
                Some(expected) if expected != known.kinds && expected != Kinds::ANY => {
                    fault(format!("expected {expected}, known is {}", known.kinds));
                }
                Some(_) => {}
            }
            let (origin, origins) = (origin.trim(), known.origins.join("; "));
            if !origin.is_empty() && origin != origins {
                fault(format!("expected `{origin}`, known is `{origins}`"));
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// Writes the line and the kind of what it gets to the list `evalint:seen`. The names are those of [`Kinds`].
const REVEAL: &str = "local function reveal(line, v) local kind = type(v) \
    if kind == 'boolean' then kind = tostring(v) \
    elseif kind == 'number' then kind = (v == math.floor(v) or v ~= v) and 'integer' or 'fraction' \
    elseif kind == 'string' then kind = tonumber(v) and 'numeral' or 'text' \
    elseif kind == 'table' then kind = rawget(v, 'err') and 'error' or rawget(v, 'ok') and 'status' or 'table' \
    elseif kind == 'userdata' then kind = 'null' \
    elseif kind == 'thread' then kind = 'function' end \
    redis.call('RPUSH', 'evalint:seen', line .. ' ' .. kind) end ";

/// What one server shows at each line, by all runs of the script.
fn seen(server: &mut Server, head: &Head, script: &[u8]) -> Result<BTreeMap<u32, Kinds>, String> {
    let text = String::from_utf8_lossy(script);
    let mut told = REVEAL.to_owned();
    for (line, number) in text.lines().zip(1..) {
        told += &line.replace("reveal(", &format!("reveal({number}, "));
        told.push('\n');
    }
    let mut seen = BTreeMap::new();
    for run in head.runs() {
        server.forget_everything();
        for command in &head.before {
            if let Reply::Error(error) = server.command(command) {
                return Err(error);
            }
        }
        let eval = [vec![b"EVAL".to_vec(), told.clone().into_bytes()], run].concat();
        if let Reply::Error(error) = server.command(&eval) {
            return Err(error);
        }
        let Reply::Array(entries) = server.command(&["LRANGE", "evalint:seen", "0", "-1"]) else {
            return Err("the list of what was seen can't be read".into());
        };
        for entry in entries {
            let Reply::Bulk(entry) = entry else { continue };
            let entry = String::from_utf8_lossy(&entry).into_owned();
            let (line, kind) = entry.split_once(' ').expect("written so");
            let kinds = seen.entry(line.parse().expect("a line")).or_insert(Kinds::NEVER);
            *kinds = kinds.or(Kinds::named(kind).expect("named so"));
        }
    }
    Ok(seen)
}

#[test]
#[ignore = "needs real servers: run tools/test"]
fn what_servers_show_is_within_what_is_known() {
    let mut faults = String::new();
    for name in server::installed().iter().filter(|name| !server::is_older_than(name, 7)) {
        let mut server = Server::start(name).unwrap();
        for (path, script) in setting::scripts("flow") {
            let mut head = Head::parse(&script).unwrap();
            head.setting.target = Some(name.parse().unwrap());
            let known = known(&path, &script, &head.setting.config());
            let seen = match seen(&mut server, &head, &script) {
                Ok(seen) => seen,
                Err(error) => {
                    faults += &format!("{path}: {name} answers {error}\n");
                    continue;
                }
            };
            for (line, _) in expectations(&script) {
                let known = known.get(&line).map_or(Kinds::NEVER, |known| known.kinds);
                match seen.get(&line) {
                    None => faults += &format!("{path}:{line}: no run comes here; add one by `--: args`\n"),
                    Some(seen) if !seen.within(known) => {
                        faults += &format!("{path}:{line}: {name} shows {seen}, known is {known}\n");
                    }
                    Some(_) => {}
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}
