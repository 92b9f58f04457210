//! Scripts that include others, from files in memory.

use std::collections::BTreeMap;

use evalint::{
    include::{Found, compose},
    source::{File, Source},
};

/// Texts by path, with `/`.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// The script that the file at `path` makes with the others.
pub(crate) fn script(path: &str, text: &[u8], files: &Files) -> Source {
    let main = File { path: path.into(), text: text.into() };
    compose(main.clone(), |from, name| {
        let folder = from.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let path = normal(&format!("{folder}/{name}"));
        let file = |path: String| match path == *main.path {
            true => Some(main.clone()),
            false => files.get(&path).map(|text| File { text: text.as_slice().into(), path: path.into() }),
        };
        file(path.clone()).or_else(|| file(format!("{path}.lua"))).map_or(Found::Missing, Found::File)
    })
}

/// Without `.` and `..`.
fn normal(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
