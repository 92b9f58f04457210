//! The lines of a file that a message shows, made fit for a terminal.

use std::{collections::BTreeMap, ops::Range};

use codespan_reporting::{
    diagnostic::{Label, LabelStyle},
    files::{Error, Files, Location},
};

use unicode_width::UnicodeWidthChar;

use crate::source::{LineIndex, Position, Span};

/// Columns of a line that are shown whole.
const WIDTH: usize = 140;
/// Columns that a cropped line keeps on each side of a mark.
const MARGIN: usize = 30;
/// Columns of a mark in a cropped line; of a longer one the middle is cut.
const MARK: usize = 70;

/// A place in the file with what is said about it.
pub(super) struct Mark {
    /// Its number among the files of the script.
    pub(super) file: usize,
    /// Bytes of the file. If it has several lines, only the first is marked.
    pub(super) span: Span,
    pub(super) message: String,
    pub(super) style: LabelStyle,
}

/// By number of the file: what is shown of it.
pub(super) struct Excerpts(BTreeMap<usize, Excerpt>);

/// The shown lines of a file, as codespan wants them.
struct Excerpt {
    path: String,
    /// All shown lines one behind the other.
    text: String,
    /// By index from 0 in the file: where the line is in `text`.
    lines: BTreeMap<usize, Range<usize>>,
    /// Of the first mark.
    at: Position,
}

/// One character or byte of a line, ready to be shown.
struct Cell {
    /// Its first byte in the file.
    byte: u32,
    shown: Shown,
}

enum Shown {
    Plain(char),
    Escape(String),
}

impl Cell {
    fn new(byte: u32, letter: char) -> Cell {
        let shown = match letter {
            // A tab is four columns wherever it stands: tab stops would move when a line is cropped.
            '\t' => Shown::Escape("    ".into()),
            _ if steers(letter) => Shown::Escape(escape(letter)),
            _ => Shown::Plain(letter),
        };
        Cell { byte, shown }
    }

    fn push(&self, text: &mut String) {
        match &self.shown {
            Shown::Plain(letter) => text.push(*letter),
            Shown::Escape(escape) => text.push_str(escape),
        }
    }

    /// Columns of the terminal.
    fn width(&self) -> usize {
        match &self.shown {
            Shown::Plain(letter) => letter.width().unwrap_or(0),
            Shown::Escape(escape) => escape.len(),
        }
    }
}

/// Excerpts with the labels at their places in them. The first mark is the primary one. `file` gives path, bytes and lines.
pub(super) fn excerpts<'f>(
    file: impl Fn(usize) -> (&'f str, &'f [u8], &'f LineIndex<'f>),
    marks: &[Mark],
) -> (Excerpts, Vec<Label<usize>>) {
    let mut files: Vec<usize> = marks.iter().map(|mark| mark.file).collect();
    files.sort_unstable();
    files.dedup();
    let mut excerpts = BTreeMap::new();
    let mut places: Vec<Range<usize>> = vec![0..0; marks.len()];
    for number in files {
        let (path, text, lines) = file(number);
        let own = || (0..marks.len()).filter(|&at| marks[at].file == number);
        let (excerpt, found) = Excerpt::new(path, text, lines, &own().map(|at| &marks[at]).collect::<Vec<_>>());
        own().zip(found).for_each(|(at, place)| places[at] = place);
        excerpts.insert(number, excerpt);
    }
    let label =
        |(mark, range): (&Mark, _)| Label::new(mark.style, mark.file, range).with_message(printable(&mark.message));
    (Excerpts(excerpts), marks.iter().zip(places).map(label).collect())
}

impl Excerpt {
    /// The excerpt with the places of the marks in it.
    fn new(path: &str, file: &[u8], lines: &LineIndex, marks: &[&Mark]) -> (Excerpt, Vec<Range<usize>>) {
        let end = file.len() as u32;
        let clipped: Vec<(usize, Span)> = marks
            .iter()
            .map(|mark| {
                let start = mark.span.start.min(end);
                let number = lines.line(start);
                let line = lines.line_span(number);
                let start = start.min(line.end);
                (number as usize - 1, Span::new(start, mark.span.end.clamp(start, line.end)))
            })
            .collect();
        let mut excerpt = Excerpt {
            path: printable(path),
            text: String::new(),
            lines: BTreeMap::new(),
            at: marks.first().map_or(Position { line: 1, column: 1 }, |mark| lines.position(mark.span.start)),
        };
        // Codespan also shows a line that alone lies between two.
        let mut shown: Vec<usize> = clipped.iter().map(|&(line, _)| line).collect();
        shown.sort_unstable();
        shown.dedup();
        let between: Vec<usize> =
            shown.windows(2).filter(|pair| pair[1] - pair[0] == 2).map(|pair| pair[0] + 1).collect();
        shown.extend(between);
        shown.sort_unstable();

        let mut places: Vec<Range<usize>> = vec![0..0; marks.len()];
        for line in shown {
            let inside = clipped.iter().enumerate().filter(|(_, (on, _))| *on == line);
            let inside: Vec<(usize, Span)> = inside.map(|(at, &(_, span))| (at, span)).collect();
            let spans: Vec<Span> = inside.iter().map(|&(_, span)| span).collect();
            let (start, map) = excerpt.line(line, file, lines.line_span(line as u32 + 1), &spans);
            for (at, span) in inside {
                places[at] = place(&map, span.start)..place(&map, span.end);
            }
            let end = excerpt.text.len();
            excerpt.text.push('\n');
            excerpt.lines.insert(line, start..end);
        }
        (excerpt, places)
    }

    /// Adds a line; returns where it starts and the place of each of its shown bytes in the text, sorted.
    fn line(&mut self, index: usize, file: &[u8], line: Span, marks: &[Span]) -> (usize, Vec<(u32, usize)>) {
        let mut cells = Vec::new();
        let mut byte = line.start;
        let mut bytes = &file[line.range()];
        if index == 0
            && let Some(rest) = bytes.strip_prefix(b"\xEF\xBB\xBF")
        {
            bytes = rest;
            byte += 3;
        }
        for chunk in bytes.utf8_chunks() {
            for letter in chunk.valid().chars() {
                cells.push(Cell::new(byte, letter));
                byte += letter.len_utf8() as u32;
            }
            for wrong in chunk.invalid() {
                cells.push(Cell { byte, shown: Shown::Escape(format!("\\x{wrong:02x}")) });
                byte += 1;
            }
        }
        let keep = kept(&cells, marks);
        let start = self.text.len();
        let mut map = Vec::with_capacity(cells.len().min(WIDTH) + 1);
        let mut cut = false;
        for (at, cell) in cells.iter().enumerate() {
            if keep.iter().any(|range| range.contains(&at)) {
                map.push((cell.byte, self.text.len()));
                cell.push(&mut self.text);
                cut = false;
            } else if !cut {
                map.push((cell.byte, self.text.len()));
                self.text.push('…');
                cut = true;
            }
        }
        map.push((line.end, self.text.len()));
        (start, map)
    }
}

/// Where a byte of the file stands in the excerpt; bytes that were cut stand at the mark of the cut.
fn place(map: &[(u32, usize)], byte: u32) -> usize {
    match map.binary_search_by_key(&byte, |&(byte, _)| byte) {
        Ok(at) => map[at].1,
        Err(at) => map[at.saturating_sub(1)].1,
    }
}

/// Which cells of a line are shown.
fn kept(cells: &[Cell], marks: &[Span]) -> Vec<Range<usize>> {
    let width: usize = cells.iter().map(Cell::width).sum();
    if width <= WIDTH {
        return std::iter::once(0..cells.len()).collect();
    }
    let cell = |byte: u32| cells.partition_point(|cell| cell.byte < byte);
    let mut keep = Vec::new();
    for mark in marks {
        let (start, end) = (cell(mark.start), cell(mark.end));
        let head = start - fitting(cells[..start].iter().rev(), MARGIN);
        let tail = end + fitting(&cells[end..], MARGIN);
        let whole: usize = cells[start..end].iter().map(Cell::width).sum();
        if whole <= MARK {
            keep.push(head..tail);
        } else {
            keep.push(head..start + fitting(&cells[start..end], MARK / 2));
            keep.push(end - fitting(cells[start..end].iter().rev(), MARK / 2)..tail);
        }
    }
    if keep.is_empty() {
        keep.push(0..fitting(cells, WIDTH));
    }
    keep
}

/// How many cells fit in so many columns.
fn fitting<'c>(cells: impl IntoIterator<Item = &'c Cell>, columns: usize) -> usize {
    let mut width = 0;
    let fits = cells.into_iter().take_while(|cell| {
        width += cell.width();
        width <= columns
    });
    fits.count()
}

impl<'a> Files<'a> for Excerpts {
    type FileId = usize;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, file: usize) -> Result<&'a str, Error> {
        Ok(&self.of(file)?.path)
    }

    fn source(&'a self, file: usize) -> Result<&'a str, Error> {
        Ok(&self.of(file)?.text)
    }

    fn line_index(&'a self, file: usize, byte: usize) -> Result<usize, Error> {
        let line = self.of(file)?.lines.iter().find(|(_, range)| range.start <= byte && byte <= range.end);
        line.map(|(&index, _)| index).ok_or(Error::FileMissing)
    }

    fn line_range(&'a self, file: usize, index: usize) -> Result<Range<usize>, Error> {
        self.of(file)?.lines.get(&index).cloned().ok_or(Error::FileMissing)
    }

    fn location(&'a self, file: usize, _: usize) -> Result<Location, Error> {
        let at = self.of(file)?.at;
        Ok(Location { line_number: at.line as usize, column_number: at.column as usize })
    }
}

impl Excerpts {
    fn of(&self, file: usize) -> Result<&Excerpt, Error> {
        self.0.get(&file).ok_or(Error::FileMissing)
    }
}

/// Text that can't steer the terminal: its control characters are written as escapes.
pub(super) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if steers(letter) {
            out.push_str(&escape(letter));
        } else {
            out.push(letter);
        }
    }
    out
}

/// Is it a control character, or one that changes the direction of text or can't be seen?
fn steers(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn escape(letter: char) -> String {
    match letter {
        '\n' => "\\n".into(),
        '\r' => "\\r".into(),
        '\t' => "\\t".into(),
        '\0'..='\x7f' => format!("\\x{:02x}", letter as u32),
        _ => format!("\\u{{{:x}}}", letter as u32),
    }
}
