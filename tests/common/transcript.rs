//! Transcripts: what a page says that a server answers, played on that server.
//!
//! A line `> COMMAND word ...` is sent, the lines below it are its reply as redis-cli prints it. `@bad`, `@fixed` and `@good` are the
//! text of the nearest such example above. A reply that ends in `...` matches what starts so. Names of scripts, which are hashes, and
//! what an error says of the script's line are cut on both sides.

#![allow(dead_code, reason = "each test uses a part")]

use std::fmt::Write;

use crate::{
    marks,
    pages::{Fence, Page},
    server::Server,
    setting::{Word, words},
};

/// Plays a `redis` fence; what the server answered otherwise is the result, empty if nothing.
pub(crate) fn play(page: &Page, fence: &Fence) -> Result<String, String> {
    let server = match fence.words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [name] => Server::start(name)?,
        [name, "cluster"] => Server::start_cluster(name)?,
        _ => return Err("write the fence like `redis redis@7.2.4` or `redis redis@7.2.4 cluster`".into()),
    };
    play_on(page, fence, server, |_| true)
}

/// The same on another server; only lines that are `wanted` are compared.
pub(crate) fn play_on(
    page: &Page,
    fence: &Fence,
    mut server: Server,
    wanted: impl Fn(&str) -> bool,
) -> Result<String, String> {
    let mut faults = String::new();
    let mut lines = fence.text.lines().zip(fence.line..).peekable();
    while let Some((line, number)) = lines.next() {
        if line.trim().is_empty() {
            continue;
        }
        let Some(command) = line.strip_prefix("> ") else {
            return Err(format!("line {number}: `{line}` is the reply of no command"));
        };
        let mut expected = Vec::new();
        while let Some((reply, _)) = lines.next_if(|(line, _)| !line.starts_with("> ")) {
            expected.push(cut(reply));
        }
        while expected.last().is_some_and(|line| line.trim().is_empty()) {
            expected.pop();
        }
        let command = words(command)
            .into_iter()
            .map(|word| example(page, fence, word))
            .collect::<Result<Vec<Word>, String>>()
            .map_err(|fault| format!("line {number}: {fault}"))?;
        let answered = server.command(&command).to_string();
        let answered: Vec<String> = answered.lines().map(cut).collect();
        if wanted(line) && !matches(&expected, &answered) {
            writeln!(
                faults,
                "{}:{number}: {line}\n  the page says:\n{}  the server says:\n{}",
                page.path,
                indented(&expected),
                indented(&answered)
            )
            .unwrap();
        }
    }
    Ok(faults)
}

/// `@bad`, `@fixed` and `@good` are the text of an example.
fn example(page: &Page, fence: &Fence, word: Word) -> Result<Word, String> {
    let verdict = match word.as_slice() {
        b"@bad" => "bad",
        b"@fixed" => "fixed",
        b"@good" => "good",
        _ => return Ok(word),
    };
    let above = page.fences.iter().rev().filter(|other| other.line < fence.line);
    let nearest = above.filter(|other| other.language == "lua").find(|other| other.is(verdict));
    let nearest = nearest.ok_or_else(|| format!("no `lua {verdict}` stands above"))?;
    Ok(marks::cut(nearest.text.as_bytes(), "--")?.text)
}

/// Takes out of an error what is a script's hash, and where in the script it was raised.
fn cut(line: &str) -> String {
    let end = line.find(" script: ").unwrap_or(line.len());
    match (line.starts_with("(error)"), line[..end].split_once("(call to f_")) {
        (true, Some((before, after))) => {
            let after = after.split_once("): ").map_or("", |(_, after)| after);
            format!("{before}{after}")
        }
        (true, None) => line[..end].into(),
        (false, _) => line.into(),
    }
}

fn matches(expected: &[String], answered: &[String]) -> bool {
    match (expected, answered) {
        ([], []) => true,
        ([rest], _) if rest == "..." => true,
        ([line, expected @ ..], [answer, answered @ ..]) => {
            let fits = match line.strip_suffix("...") {
                Some(start) => answer.starts_with(start.trim_end()),
                None => line.trim_end() == answer.trim_end(),
            };
            fits && matches(expected, answered)
        }
        ([], [_, ..]) | ([_, ..], []) => false,
    }
}

fn indented(lines: &[String]) -> String {
    lines.iter().map(|line| format!("    {line}\n")).collect()
}
