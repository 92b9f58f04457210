//! Marks: comments in a test script that say which findings are expected and where.
//!
//! `--~ rule "part of the message"` expects one finding of `rule` that starts on the mark's line and says that text; the
//! text may be left out. `--~^` means the line above, one more per `^`; `--~@` any place of the file. Several marks may
//! stand on one line. Marks are cut before the script is parsed, so that the server and the parser never see them.
//!
//! Invariant: a script passes if its marks and its findings match one to one.

#![allow(dead_code, reason = "each test uses a part")]

use std::fmt::Write;

use evalint::{
    rule::Diagnostic,
    source::{FileId, LineIndex, Source, Span},
};

/// A script whose marks are cut.
pub(crate) struct Marked {
    pub(crate) text: Vec<u8>,
    pub(crate) marks: Vec<Mark>,
}

pub(crate) struct Mark {
    /// The 1-based line where the finding has to start; `None`: anywhere.
    line: Option<u32>,
    /// The line that the mark stands on.
    written: u32,
    rule: String,
    text: String,
}

/// Where a script stands, for messages.
pub(crate) struct Place<'a> {
    pub(crate) path: &'a str,
    /// The line of the file that is the script's first.
    pub(crate) line: u32,
}

/// Takes the marks out of a script whose comments start with `comment`.
pub(crate) fn cut(script: &[u8], comment: &str) -> Result<Marked, String> {
    let sign = [comment.as_bytes(), b"~"].concat();
    let mut marked = Marked { text: Vec::with_capacity(script.len()), marks: Vec::new() };
    for (line, written) in script.split_inclusive(|&byte| byte == b'\n').zip(1..) {
        let body = line.trim_ascii_end();
        let Some(at) = body.windows(sign.len()).position(|window| window == sign.as_slice()) else {
            marked.text.extend_from_slice(line);
            continue;
        };
        marked.text.extend_from_slice(body[..at].trim_ascii_end());
        marked.text.extend_from_slice(&line[body.len()..]);
        let marks = String::from_utf8_lossy(&body[at + sign.len()..]);
        for mark in marks.split(&format!("{comment}~")) {
            marked.marks.push(Mark::parse(mark, written)?);
        }
    }
    Ok(marked)
}

impl Mark {
    fn parse(mark: &str, written: u32) -> Result<Mark, String> {
        let mark = mark.trim();
        let above = mark.len() - mark.trim_start_matches('^').len();
        let (line, mark) = match mark.strip_prefix('@') {
            Some(rest) => (None, rest),
            None => (written.checked_sub(above as u32), &mark[above..]),
        };
        let (rule, text) = match mark.trim().split_once(' ') {
            Some((rule, text)) => (rule, text.trim()),
            None => (mark.trim(), "\"\""),
        };
        let text = text
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'))
            .ok_or_else(|| format!("line {written}: write the mark like `rule \"part of the message\"`"))?;
        Ok(Mark { line, written, rule: rule.into(), text: text.into() })
    }

    pub(crate) fn rule(&self) -> &str {
        &self.rule
    }

    fn fits(&self, diagnostic: &Diagnostic, line: u32) -> bool {
        self.rule == diagnostic.rule.name
            && self.line.is_none_or(|expected| expected == line)
            && diagnostic.finding.message.contains(&self.text)
    }
}

/// What the marks expect but nobody found, and what was found without a mark; empty if they match.
pub(crate) fn mismatches(place: &Place, marks: &[Mark], source: &Source, diagnostics: &[Diagnostic]) -> String {
    mismatches_in(place, marks, source, FileId::MAIN, diagnostics)
}

/// The same for one of the script's files, of which the marks are.
pub(crate) fn mismatches_in(
    place: &Place,
    marks: &[Mark],
    source: &Source,
    file: FileId,
    diagnostics: &[Diagnostic],
) -> String {
    let lines = LineIndex::new(&source.files[file.0 as usize].text);
    let line = |diagnostic: &Diagnostic| lines.line(source.place(diagnostic.finding.span).span.start);
    let mut unmarked: Vec<&Diagnostic> = diagnostics.iter().collect();
    let mut unmet: Vec<&Mark> = marks.iter().collect();
    // The pickiest mark chooses first: one of a line before one of the file, a long text before a short one.
    unmet.sort_by_key(|mark| (mark.line.is_none(), usize::MAX - mark.text.len()));
    unmet.retain(|mark| {
        let found = unmarked.iter().position(|one| mark.fits(one, line(one)));
        found.map(|at| unmarked.remove(at)).is_none()
    });
    unmet.sort_by_key(|mark| mark.written);

    let mut out = String::new();
    let in_file = |line: u32| place.line + line - 1;
    for mark in unmet {
        let at = mark.line.unwrap_or(mark.written);
        let text = match mark.text.as_str() {
            "" => String::new(),
            text => format!(" \"{text}\""),
        };
        let near = match unmarked.iter().find(|one| one.rule.name == mark.rule) {
            Some(one) if line(one) == at => "another message",
            Some(_) => "another line",
            None if evalint::rule::rule(&mark.rule).is_none() => "no rule of this name",
            None => "nothing of this rule",
        };
        writeln!(out, "{}:{}: expected {}{text}; found {near}", place.path, in_file(at), mark.rule).unwrap();
    }
    for one in unmarked {
        writeln!(out, "{}:{}: {} {} has no mark", place.path, in_file(line(one)), one.severity.name(), one.rule.name)
            .unwrap();
        out += &shown(source, one, &lines, in_file);
    }
    out
}

/// The finding with the line that it stands on, as a failure shows it.
fn shown(source: &Source, diagnostic: &Diagnostic, lines: &LineIndex, in_file: impl Fn(u32) -> u32) -> String {
    let finding = &diagnostic.finding;
    let place = source.place(finding.span);
    let file = Source::file("", source.files[place.file.0 as usize].text.clone());
    let line = lines.line(place.span.start);
    let whole = lines.line_span(line);
    let text = file.snippet(whole);
    let column = lines.position(place.span.start).column as usize - 1;
    let end = place.span.end.clamp(place.span.start, whole.end.max(place.span.start));
    let width = file.snippet(Span::new(place.span.start, end)).chars().count().max(1);
    let mut out = format!("    | {text}\n    | {}{} {}\n", " ".repeat(column), "^".repeat(width), finding.message);
    for label in &finding.labels {
        let at = source.place(label.span);
        let at = match at.file == place.file {
            true => format!("line {}", in_file(lines.line(at.span.start))),
            false => source.files[at.file.0 as usize].path.to_string(),
        };
        writeln!(out, "    | {at}, `{}`: {}", source.snippet(label.span), label.message).unwrap();
    }
    if let Some(help) = &finding.help {
        writeln!(out, "    | help: {help}").unwrap();
    }
    out
}
