//! A text to check and places in it.
//!
//! A script's text is made of *pieces* of files: of the file that the user named, of those that it includes. Invariant: every [`Span`] of
//! the crate counts bytes of [`Source::text`]. Only [`Source::place`] and [`LineIndex`] know how those bytes lie in files on disk.

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

/// A file on disk, or standard input.
#[derive(Clone, Debug)]
pub struct File {
    /// As the user would write it, with `/`; `-` is standard input.
    pub path: Arc<str>,
    pub text: Arc<[u8]>,
}

/// Index into [`Source::files`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(pub u32);

impl FileId {
    /// The file that the script is named after.
    pub const MAIN: FileId = FileId(0);
}

/// A run of bytes that lie in a file just as they lie in the script's text. It goes on to the next piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// First byte in the script's text.
    pub text: u32,
    pub file: FileId,
    /// First byte in the file.
    pub at: u32,
}

/// A range of bytes in a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Place {
    pub file: FileId,
    pub span: Span,
}

/// Words that stand for the text of another file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Include {
    /// The name of the other file.
    pub name: Span,
    pub outcome: Outcome,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The other file's text is part of the script.
    Text,
    Missing,
    /// The included file comes back to the one that includes it, over the includes at these places.
    Cycle(Vec<Span>),
    /// It was not looked for, or can't be read.
    Unknown,
    /// The script would be more than a bound of [`crate::limits`] allows.
    Cut,
}

/// One script: its text and where it came from.
#[derive(Clone, Debug)]
pub struct Source {
    /// The script's bytes. Lua strings may hold any byte, so this need not be UTF-8.
    pub text: Arc<[u8]>,
    /// The files that the text was made of, [`FileId::MAIN`] first.
    pub files: Vec<File>,
    /// Where the text's bytes lie in the files, sorted by `text`; empty: the text is the main file.
    pub pieces: Vec<Piece>,
    /// An include that a circle is told of is there twice.
    pub includes: Vec<Include>,
}

impl Source {
    /// A script that is a whole file.
    pub fn file(path: impl Into<Arc<str>>, text: impl Into<Arc<[u8]>>) -> Source {
        let file = File { path: path.into(), text: text.into() };
        Source { text: file.text.clone(), files: vec![file], pieces: Vec::new(), includes: Vec::new() }
    }

    /// Of the main file.
    pub fn path(&self) -> &str {
        &self.files[0].path
    }

    /// The text at `span`, bytes that are no UTF-8 replaced.
    pub fn snippet(&self, span: Span) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.text.get(span.range()).unwrap_or_default())
    }

    /// The same place in a file. What begins in one file and ends in another ends where the first is left.
    pub fn place(&self, span: Span) -> Place {
        let (first, next) = self.piece(span.start);
        let last = span.end.saturating_sub(1).max(span.start);
        let (end, _) = self.piece(last);
        let (end, last) = if end.file == first.file && first.at <= end.at { (end, last) } else { (first, next - 1) };
        let file = self.files[first.file.0 as usize].text.len() as u32;
        let start = (first.at + (span.start - first.text)).min(file);
        let width = u32::from(span.start < span.end);
        let end = (end.at + (last - end.text) + width).min(file);
        Place { file: first.file, span: Span::new(start, end.max(start)) }
    }

    /// The file that holds the byte.
    pub fn file_of(&self, byte: u32) -> FileId {
        self.piece(byte).0.file
    }

    /// Do its files include each other?
    pub fn is_in_circle(&self) -> bool {
        self.includes.iter().any(|include| matches!(include.outcome, Outcome::Cycle(_)))
    }

    /// Where the text's bytes come from the file.
    pub fn spans_of(&self, file: FileId) -> Vec<Span> {
        let end = self.text.len() as u32;
        if self.pieces.is_empty() {
            return vec![Span::new(0, end)];
        }
        let ends = self.pieces.iter().skip(1).map(|piece| piece.text).chain([end]);
        let pieces = self.pieces.iter().zip(ends).filter(|(piece, _)| piece.file == file);
        pieces.map(|(piece, end)| Span::new(piece.text, end)).collect()
    }

    /// Where the bytes are, for a message: `line 5`, `lines 5, 9, 12 and 20 more`. Lines are those of the file that holds the first.
    pub fn lines(&self, bytes: impl IntoIterator<Item = u32>) -> Option<String> {
        const NAMED: usize = 3;
        let places: Vec<Place> = bytes.into_iter().map(|byte| self.place(Span::new(byte, byte))).collect();
        let file = places.first()?.file;
        let index = LineIndex::new(&self.files[file.0 as usize].text);
        let line = |place: &Place| (place.file == file).then(|| index.line(place.span.start));
        let all: Vec<Option<u32>> = places.iter().map(line).collect();
        let mut lines: Vec<u32> = all.iter().flatten().copied().collect();
        lines.sort_unstable();
        lines.dedup();
        let named = lines.len().min(NAMED + usize::from(lines.len() == NAMED + 1));
        let more = all.iter().filter(|line| line.is_none_or(|line| !lines[..named].contains(&line))).count();
        let mut shown: Vec<String> = lines[..named].iter().map(u32::to_string).collect();
        shown.extend((0 < more).then(|| format!("{more} more")));
        Some(match &shown[..] {
            [] => return None,
            [one] => format!("line {one}"),
            [rest @ .., last] => format!("lines {} and {last}", rest.join(", ")),
        })
    }

    /// The piece that holds the byte, and where the next one starts.
    fn piece(&self, byte: u32) -> (Piece, u32) {
        let end = self.text.len() as u32 + 1;
        match self.pieces.partition_point(|piece| piece.text <= byte) {
            0 => (Piece { text: 0, file: FileId::MAIN, at: 0 }, self.pieces.first().map_or(end, |piece| piece.text)),
            n => (self.pieces[n - 1], self.pieces.get(n).map_or(end, |piece| piece.text)),
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
