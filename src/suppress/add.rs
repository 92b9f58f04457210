//! The comments that silence findings: where they are written, and how.
//!
//! A comment goes to the end of the finding's line. Where that is no place for one (a comment or a string goes on there) it goes
//! above the line, or above the statement that the finding is in; what no statement holds is allowed for the whole file. Where a
//! comment covers the finding already, its names get one more. Invariant: what is added covers the finding by the rules of [`cover`].

use std::collections::BTreeMap;

use super::{Directives, cover::Text, directives};
use crate::{
    ir::Statement,
    lower, parse,
    rule::{Edit, Rule},
    source::{FileId, Source, Span},
};

/// A comment, or a name more in one.
#[derive(Clone, PartialEq, Debug)]
pub struct Addition {
    pub edit: Edit,
    /// What it silences.
    pub findings: Vec<(&'static Rule, Span)>,
}

/// Where something is written, in the script's text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Spot {
    /// Before the bracket that closes a comment's names; are there none?
    Names(u32, bool),
    LineEnd(u32),
    /// At the start of a line.
    Above(u32),
    /// At the start of a file.
    File(u32),
}

/// What to add so that the findings are silent. A script that can't be parsed gets nothing: its comments say nothing.
pub fn additions(source: &Source, findings: &[(&'static Rule, Span)]) -> Vec<Addition> {
    let Ok(parsed) = parse::parse(source) else { return Vec::new() };
    let strings = parse::strings(&source.text);
    let shebang = parsed.shebang.map_or(0, |shebang| shebang.end);
    // A comment that its line ends goes on with whatever is written behind it.
    let open: Vec<Span> =
        parsed.comments.iter().filter(|one| one.span.end == one.text.end).map(|one| one.span).collect();
    let directives = directives(source, &parsed.comments);
    let statements = lower::lower(source, parsed).statements;
    let script = Script {
        text: Text::new(source, &directives.comments, &statements),
        directives: &directives,
        strings,
        open,
        shebang,
    };
    let mut spots: BTreeMap<Spot, Vec<(&'static Rule, Span)>> = BTreeMap::new();
    for &(rule, at) in findings {
        spots.entry(script.spot(at.start)).or_default().push((rule, at));
    }
    spots.into_iter().map(|(spot, findings)| Addition { edit: script.edit(spot, &findings), findings }).collect()
}

struct Script<'a> {
    text: Text<'a>,
    directives: &'a Directives,
    strings: Vec<Span>,
    open: Vec<Span>,
    /// Where the first line ends, if it is one for the server.
    shebang: u32,
}

impl Script<'_> {
    fn spot(&self, at: u32) -> Spot {
        let file = self.text.source.file_of(at);
        let own = |spot: &u32| self.text.source.file_of(*spot) == file;
        let covers = |span: &Span| span.start <= at && at < span.end;
        let names = |whole: bool| {
            let allows = self.directives.allows.iter().filter(|allow| allow.file == whole && own(&allow.comment.start));
            let allow = allows.rev().find(|allow| self.text.covered(allow).iter().any(covers))?;
            Some(Spot::Names(allow.close, allow.names.is_empty() && !allow.unknown))
        };
        let line = self.text.line(at);
        let ends = || Some(line.end).filter(|&end| own(&end) && self.takes_more(line)).map(Spot::LineEnd);
        let above = |start: u32| {
            let free = own(&start) && self.is_free(start) && covers(&self.text.below(start));
            free.then_some(Spot::Above(start))
        };
        let over = || {
            let around = |one: &&Statement| one.span.start <= at && at < one.span.end;
            let starts =
                self.text.statements.iter().rev().filter(around).map(|one| self.text.line(one.span.start).start);
            starts.into_iter().find_map(above)
        };
        names(false)
            .or_else(ends)
            .or_else(|| above(line.start))
            .or_else(over)
            .or_else(|| names(true))
            .unwrap_or_else(|| Spot::File(self.start_of(file)))
    }

    /// Can a comment be written at the end of the line, so that it covers the line?
    fn takes_more(&self, line: Span) -> bool {
        let goes_on = self.open.iter().any(|comment| comment.start < line.end && line.end <= comment.end);
        !goes_on && self.is_free(line.end) && !self.text.is_blank(line.start, line.end)
    }

    /// Is the place outside of strings, comments and the line for the server?
    fn is_free(&self, at: u32) -> bool {
        let inside = |span: &Span| span.start < at && at < span.end;
        let comments = self.text.comments.iter();
        !self.strings.iter().chain(comments).any(inside) && (self.shebang == 0 || self.shebang < at)
    }

    /// Where a comment on the whole file is written.
    fn start_of(&self, file: FileId) -> u32 {
        if file == FileId::MAIN && self.shebang != 0 {
            let rest = &self.text.source.text[self.shebang as usize..];
            let line = rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |end| end + 1);
            return self.shebang + line as u32;
        }
        self.text.source.spans_of(file).first().map_or(0, |span| span.start)
    }

    fn edit(&self, spot: Spot, findings: &[(&'static Rule, Span)]) -> Edit {
        let mut names: Vec<&str> = findings.iter().map(|(rule, _)| rule.name).collect();
        names.sort_unstable();
        names.dedup();
        let names = names.join(", ");
        let text = &self.text.source.text;
        let (at, text) = match spot {
            Spot::Names(at, true) => (at, names),
            Spot::Names(at, false) => (at, format!(", {names}")),
            Spot::LineEnd(at) => (at, format!(" -- evalint: allow({names})")),
            Spot::Above(at) => {
                let blanks = text[at as usize..].iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count();
                let indent = String::from_utf8_lossy(&text[at as usize..at as usize + blanks]);
                (at, format!("{indent}-- evalint: allow({names})\n"))
            }
            // The first line may be the last.
            Spot::File(at) if at != 0 && !matches!(text[at as usize - 1], b'\n' | b'\r') => {
                (at, format!("\n-- evalint: allow-file({names})\n"))
            }
            Spot::File(at) => (at, format!("-- evalint: allow-file({names})\n")),
        };
        Edit { span: Span::new(at, at), text }
    }
}
