//! What an `allow` comment covers: a finding that starts in one of its spans.

use super::Allow;
use crate::{
    ir::Statement,
    source::{LineIndex, Source, Span},
};

/// A script as comments see it.
pub(super) struct Text<'a> {
    pub(super) source: &'a Source,
    pub(super) lines: LineIndex<'a>,
    /// All comments, in order.
    pub(super) comments: &'a [Span],
    /// Outer before inner.
    pub(super) statements: &'a [Statement],
}

impl<'a> Text<'a> {
    pub(super) fn new(source: &'a Source, comments: &'a [Span], statements: &'a [Statement]) -> Text<'a> {
        Text { source, lines: LineIndex::new(&source.text), comments, statements }
    }

    pub(super) fn covered(&self, allow: &Allow) -> Vec<Span> {
        let comment = allow.comment;
        if allow.file {
            return self.by_file(comment.start);
        }
        let line = self.line(comment.start);
        let last = self.line(comment.end);
        if self.is_blank(line.start, comment.start) && self.is_blank(comment.end, last.end) {
            return vec![self.below(comment.end)];
        }
        self.beside(line)
    }

    /// The line that holds the byte, without its end.
    pub(super) fn line(&self, byte: u32) -> Span {
        self.lines.line_span(self.lines.line(byte))
    }

    pub(super) fn is_blank(&self, from: u32, to: u32) -> bool {
        self.source.text[from.min(to) as usize..to as usize].iter().all(u8::is_ascii_whitespace)
    }

    /// Where the first statement of a file starts, in the script's text.
    pub(super) fn first_statement(&self, of_file: &[Span]) -> Option<u32> {
        let own = |at: u32| of_file.iter().any(|span| span.start <= at && at < span.end);
        self.statements.iter().map(|statement| statement.span.start).find(|&start| own(start))
    }

    fn by_file(&self, comment: u32) -> Vec<Span> {
        let end = self.source.text.len() as u32;
        let mut spans = self.source.spans_of(self.source.file_of(comment));
        if self.first_statement(&spans).unwrap_or(end) < comment {
            return Vec::new();
        }
        // What is found at the very end of the text too.
        if let Some(last) = spans.last_mut().filter(|last| last.end == end) {
            last.end += 1;
        }
        spans
    }

    /// What a comment that stands alone and ends at `at` covers: all down to the end of the statement below.
    pub(super) fn below(&self, at: u32) -> Span {
        let code = next_code(&self.source.text, self.comments, at);
        // An include is no statement; what follows it is another file's.
        let include = self.source.includes.iter().map(|include| include.name).find(|name| at <= name.start);
        if let Some(name) = include.filter(|name| name.start < code) {
            return Span::new(at, name.end);
        }
        // A comment inside of a statement covers the next line of it.
        let below = self.statements.iter().find(|statement| statement.span.start == code);
        Span::new(at, below.map_or(self.line(code).end + 1, |below| below.span.end))
    }

    /// What a comment behind code on the line covers: the line and the statements that it stands in.
    pub(super) fn beside(&self, line: Span) -> Vec<Span> {
        let mut spans = vec![Span::new(line.start, line.end + 1)];
        for (at, statement) in self.statements.iter().enumerate() {
            let Span { start, end } = statement.span;
            if statement.simple && start <= line.end && line.start < end {
                spans.push(statement.span);
            } else if !statement.simple && line.start <= start && start <= line.end {
                // The head: up to the first statement inside.
                let inner = self.statements.get(at + 1).map_or(end, |next| next.span.start);
                spans.push(Span::new(start, inner.min(end)));
            }
        }
        spans
    }
}

/// Where the text goes on behind blanks and comments.
fn next_code(text: &[u8], comments: &[Span], from: u32) -> u32 {
    let mut at = from;
    loop {
        if text.get(at as usize).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        } else if let Ok(comment) = comments.binary_search_by_key(&at, |comment| comment.start) {
            at = comments[comment].end;
        } else {
            return at;
        }
    }
}
