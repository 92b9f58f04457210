//! The sample calls of `testdata/commands/samples.txt`, run on real servers.

#![allow(clippy::wildcard_enum_match_arm, reason = "a reply of any other form fails the test")]
#![allow(dead_code, reason = "each test uses a part")]

use std::{fs, path::Path};

use evalint::{
    commands::{Argument, Command, command},
    target::Target,
};

use super::server::{self, Reply, Server};

pub(crate) struct Sample {
    pub(crate) words: Vec<String>,
    pub(crate) command: &'static Command,
}

pub(crate) struct Samples {
    /// Commands that make the keys of the calls.
    before: Vec<Vec<String>>,
    pub(crate) calls: Vec<Sample>,
}

/// Runs a script's command and says what it sees: the kind of the reply, its number or length, the kinds of its elements.
const LOOK: &str = "
local function kind(value)
  local kind = type(value)
  if kind == 'number' then return value % 1 == 0 and 'integer' or 'fraction' end
  if kind == 'string' then return tonumber(value) and 'numeral' or 'text' end
  if kind == 'boolean' then return tostring(value) end
  if kind == 'table' then return value.ok and 'status' or value.err and 'error' or 'table' end
  return kind
end
local reply = redis.pcall(unpack(ARGV))
local seen = {kind(reply)}
if seen[1] == 'error' then return {'error', reply.err} end
if seen[1] == 'integer' then seen[2] = string.format('%.0f', reply) end
if seen[1] == 'table' then
  seen[2] = tostring(#reply)
  for i = 1, #reply do seen[i + 2] = kind(reply[i]) end
end
return seen";

/// Runs each ARGV, words joined by NUL; gives those that failed.
const SET_UP: &str = "
local failed = {}
for _, line in ipairs(ARGV) do
  local words = {}
  for word in string.gmatch(line .. '\\0', '(%Z*)%z') do words[#words + 1] = word end
  local reply = redis.pcall(unpack(words))
  if type(reply) == 'table' and reply.err then failed[#failed + 1] = table.concat(words, ' ') .. ': ' .. reply.err end
end
return failed";

impl Samples {
    pub(crate) fn read() -> Samples {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/commands/samples.txt");
        let text = fs::read_to_string(path).unwrap();
        let words = |line: &str| line.split(' ').map(|word| if word == "''" { "" } else { word }.to_owned()).collect();
        let mut samples = Samples { before: Vec::new(), calls: Vec::new() };
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(before) = line.strip_prefix("> ") {
                samples.before.push(words(before));
                continue;
            }
            let words: Vec<String> = words(line);
            let sub = words.get(1).map(String::as_bytes);
            let command = command(words[0].as_bytes(), sub).unwrap_or_else(|| panic!("`{line}` is no command"));
            samples.calls.push(Sample { words, command });
        }
        samples
    }

    /// Makes the keys anew.
    pub(crate) fn set_up(&self, server: &mut Server, target: Target) {
        server.command(&["FLUSHALL"]);
        let lines: Vec<&Vec<String>> = self
            .before
            .iter()
            .filter(|line| command(line[0].as_bytes(), line.get(1).map(String::as_bytes)).unwrap().available(target))
            .collect();
        let mut eval = vec!["EVAL".to_owned(), SET_UP.to_owned(), "0".to_owned()];
        eval.extend(lines.iter().map(|line| line.join("\0")));
        let failed = server.command(&eval);
        assert_eq!(failed, Reply::Array(Vec::new()), "{target}: the keys can't be made:\n{failed}");
    }
}

impl Sample {
    pub(crate) fn line(&self) -> String {
        self.words.join(" ")
    }

    pub(crate) fn arguments(&self) -> Vec<Argument<'_>> {
        self.words[1..].iter().map(|word| Argument::Literal(word.as_bytes())).collect()
    }

    /// Can a script for the server make this call?
    pub(crate) fn runs_on(&self, target: Target) -> bool {
        self.command.available(target)
            && !self.command.noscript(target)
            && self.command.supports(&self.arguments(), target) != Some(false)
    }

    /// The words with the `@key` ones replaced.
    pub(crate) fn words(&self, server: &mut Server) -> Vec<Vec<u8>> {
        let mut word = |word: &String| match word.strip_prefix('@').map(|key| server.command(&["DUMP", key])) {
            Some(Reply::Bulk(dump)) => dump,
            _ => word.clone().into_bytes(),
        };
        self.words.iter().map(&mut word).collect()
    }
}

/// What a script sees of the call's reply.
pub(crate) fn look(server: &mut Server, words: &[Vec<u8>]) -> Vec<String> {
    look_after(server, "", words)
}

/// The same, after some more code.
pub(crate) fn look_after(server: &mut Server, code: &str, words: &[Vec<u8>]) -> Vec<String> {
    let look = format!("{code}{LOOK}").into_bytes();
    let mut eval = vec![b"EVAL".to_vec(), look, b"0".to_vec()];
    eval.extend_from_slice(words);
    match server.command(&eval) {
        Reply::Array(seen) => seen
            .into_iter()
            .map(|one| match one {
                Reply::Bulk(text) => String::from_utf8_lossy(&text).into_owned(),
                other => other.to_string(),
            })
            .collect(),
        other => vec!["error".into(), other.to_string()],
    }
}

/// Every installed server, started, with its target.
pub(crate) fn servers() -> impl Iterator<Item = (Server, Target)> {
    server::installed().into_iter().map(|name| (Server::start(&name).unwrap(), name.parse().unwrap()))
}
