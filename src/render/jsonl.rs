//! The diagnostics of the JSON output, each alone on its line. There is no document around them.

use super::{Format, Look, View, json};

pub(super) const FORMAT: Format = Format {
    name: "jsonl",
    about: "for programs: one JSON object a line, the diagnostics of json",
    head: super::nothing,
    script,
    failure: super::no_failure,
    separator: "",
    tail: super::no_tail,
};

fn script(view: View, _: Look) -> Vec<u8> {
    json::diagnostics(view).into_iter().map(|one| one + "\n").collect::<String>().into_bytes()
}
