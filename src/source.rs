//! A text to check and places in it.
//!
//! Invariant: every [`Span`] of the crate counts bytes of [`Source::text`]. Only [`Source::to_file`] and
//! [`LineIndex`] know how those bytes lie in the file on disk.

use std::sync::Arc;

/// A half-open range of bytes, counted from 0, in a script's text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A run of bytes that lie in the file just as they lie in the script's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// First byte in the script's text.
    pub text: u32,
    /// First byte in the file on disk.
    pub file: u32,
}

/// One script: its text and where it came from.
#[derive(Clone, Debug)]
pub struct Source {
    /// As given by the user, with `/`; `-` is standard input.
    pub path: Arc<str>,
    /// The script's bytes. Lua strings may hold any byte, so this need not be UTF-8.
    pub text: Arc<[u8]>,
    /// Where the text's bytes lie in the file, sorted by `text`; empty: the text is the file.
    pub pieces: Vec<Piece>,
}

impl Source {
    /// A script that is a whole file.
    pub fn file(path: impl Into<Arc<str>>, text: impl Into<Arc<[u8]>>) -> Source {
        Source { path: path.into(), text: text.into(), pieces: Vec::new() }
    }

    /// The text at `span`, bytes that are no UTF-8 replaced.
    pub fn snippet(&self, span: Span) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.text.get(span.range()).unwrap_or_default())
    }

    /// The same place in the file on disk, in bytes.
    pub fn to_file(&self, span: Span) -> Span {
        Span { start: self.byte_in_file(span.start), end: self.byte_in_file(span.end) }
    }

    /// Where the bytes are, for a message: `line 5`, `lines 5, 9, 12 and 20 more`. `None` where the text is a part of a file, whose
    /// lines are not known here.
    pub fn lines(&self, bytes: impl IntoIterator<Item = u32>) -> Option<String> {
        const NAMED: usize = 3;
        if !self.pieces.is_empty() {
            return None;
        }
        let index = LineIndex::new(&self.text);
        let all: Vec<u32> = bytes.into_iter().map(|byte| index.line(byte)).collect();
        let mut lines = all.clone();
        lines.sort_unstable();
        lines.dedup();
        let named = lines.len().min(NAMED + usize::from(lines.len() == NAMED + 1));
        let more = all.iter().filter(|line| !lines[..named].contains(line)).count();
        let mut shown: Vec<String> = lines[..named].iter().map(u32::to_string).collect();
        shown.extend((0 < more).then(|| format!("{more} more")));
        Some(match &shown[..] {
            [] => return None,
            [one] => format!("line {one}"),
            [rest @ .., last] => format!("lines {} and {last}", rest.join(", ")),
        })
    }

    fn byte_in_file(&self, byte: u32) -> u32 {
        match self.pieces.partition_point(|piece| piece.text <= byte) {
            0 => byte,
            n => self.pieces[n - 1].file + (byte - self.pieces[n - 1].text),
        }
    }
}

/// A place as editors count it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    /// From 1.
    pub line: u32,
    /// From 1, in Unicode scalar values; a byte that is no UTF-8 counts as one, a BOM as none.
    pub column: u32,
}

/// The starts of a file's lines, to turn bytes into positions.
pub struct LineIndex<'a> {
    text: &'a [u8],
    starts: Vec<u32>,
}

impl<'a> LineIndex<'a> {
    pub fn new(text: &'a [u8]) -> LineIndex<'a> {
        let mut starts = vec![0];
        for (at, &byte) in text.iter().enumerate() {
            // CR, LF and CRLF each end one line, as in Lua.
            if byte == b'\n' || (byte == b'\r' && text.get(at + 1) != Some(&b'\n')) {
                starts.push(at as u32 + 1);
            }
        }
        LineIndex { text, starts }
    }

    /// The 1-based line that holds the byte.
    pub fn line(&self, byte: u32) -> u32 {
        self.starts.partition_point(|&start| start <= byte) as u32
    }

    /// The bytes of a 1-based line, without its end.
    pub fn line_span(&self, line: u32) -> Span {
        let start = self.starts[line as usize - 1];
        let mut end = self.starts.get(line as usize).copied().unwrap_or(self.text.len() as u32);
        while end > start && matches!(self.text[end as usize - 1], b'\n' | b'\r') {
            end -= 1;
        }
        Span { start, end }
    }

    pub fn lines(&self) -> u32 {
        self.starts.len() as u32
    }

    pub fn position(&self, byte: u32) -> Position {
        let line = self.line(byte);
        let mut start = self.starts[line as usize - 1] as usize;
        let end = (byte as usize).min(self.text.len());
        if start == 0 && self.text.starts_with(b"\xEF\xBB\xBF") {
            start = 3.min(end);
        }
        let column = self.text[start.min(end)..end].utf8_chunks().map(columns).sum::<u32>() + 1;
        Position { line, column }
    }
}

fn columns(chunk: std::str::Utf8Chunk) -> u32 {
    (chunk.valid().chars().count() + chunk.invalid().len()) as u32
}
