//! Scripts that are made of several files: words that stand for the text of another file are followed by it.
//!
//! Redis knows no includes; the programs that load scripts do, each in its own way:
//!
//! ```text
//! --- @include "x"      --@require './x'      -- $include(x.lua)      -- import:x --      <%= include_partial 'x' %>
//! ```
//!
//! The words stay, as a comment, so that what is wrong with an include has a place. All but the template's are for files that are
//! needed once: where such a file comes again, nothing follows.

pub mod disk;

use std::sync::Arc;

use crate::{
    limits,
    scan::{Part, Scan},
    source::{File, FileId, Include, Outcome, Piece, Source, Span},
};

/// What a name stands for.
pub enum Found {
    File(File),
    Missing,
    /// Nobody can say, or it is not a name of one file.
    Unknown,
}

/// The script that the file makes. `find` looks for a name in the view of the file that says it.
pub fn compose(main: File, mut find: impl FnMut(&File, &str) -> Found) -> Source {
    let words = words(&main.text);
    if words.is_empty() {
        return Source::file(main.path, main.text);
    }
    let mut composer = Composer {
        find: &mut find,
        text: Vec::with_capacity(main.text.len()),
        source: Source { text: Arc::from([]), files: vec![main], pieces: Vec::new(), includes: Vec::new() },
        open: Vec::new(),
        found: 0,
    };
    composer.file(FileId::MAIN, words);
    let Composer { text, mut source, .. } = composer;
    source.text = text.into();
    source
}

/// Is the comment's inside an include? Then the script may have names from elsewhere.
pub fn is_include(comment: &str) -> bool {
    name(comment).is_some()
}

/// The names of the files that the text asks for.
pub fn names(text: &[u8]) -> impl Iterator<Item = &str> {
    words(text).into_iter().filter_map(|words| str::from_utf8(text.get(words.name.range())?).ok())
}

/// An include in a file.
struct Words {
    /// All of it.
    span: Span,
    name: Span,
    /// Is it of a template, which is replaced wherever it stands?
    template: bool,
}

/// The includes of a file, in the order of its text.
fn words(text: &[u8]) -> Vec<Words> {
    const OPEN: &[u8] = b"<%=";
    const CLOSE: &[u8] = b"%>";
    let mut found = Vec::new();
    let mut scan = Scan::new(text);
    while let Some(part) = scan.next() {
        let (span, inside, template) = match part {
            Part::Line(range) => (range.clone(), range.start + 2..range.end, false),
            Part::Sign(at) if text[at..].starts_with(OPEN) => {
                let Some(length) = text[at..].windows(CLOSE.len()).position(|window| window == CLOSE) else {
                    continue;
                };
                (at..at + length + CLOSE.len(), at + 2..at + length + CLOSE.len(), true)
            }
            Part::Sign(_) | Part::Closed(_) | Part::Word(_) => continue,
        };
        let Some(name) = str::from_utf8(&text[inside.clone()]).ok().and_then(name) else { continue };
        scan.at = span.end;
        let start = (name.as_ptr() as usize - text.as_ptr() as usize) as u32;
        let name = Span::new(start, start + name.len() as u32);
        found.push(Words { span: Span::new(span.start as u32, span.end as u32), name, template });
    }
    found
}

/// The name in a comment's inside.
fn name(comment: &str) -> Option<&str> {
    let text = comment.trim_start_matches(['-', ' ', '\t']).trim_end();
    let name = if let Some(rest) = text.strip_prefix("$include(") {
        rest.split_once(')')?.0.trim_matches(['"', '\'', ' '])
    } else if let Some(rest) = text.strip_prefix("import:") {
        let name = rest.trim_end_matches('-').trim_end();
        if name.len() == rest.len() {
            return None;
        }
        name.trim_start()
    } else {
        let quoted = ["@include", "@require", "#include", "= include_partial", "=include_partial"];
        let rest = quoted.iter().find_map(|word| text.strip_prefix(word))?;
        let rest = rest.trim_start_matches([' ', '\t', '(']);
        let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        rest[1..].split_once(quote)?.0
    };
    (!name.is_empty() && !name.contains(['\t', '\n', '\0'])).then_some(name)
}

struct Composer<'a> {
    find: &'a mut dyn FnMut(&File, &str) -> Found,
    text: Vec<u8>,
    source: Source,
    /// The files that are being put in, outermost first, each with the name that it was included by.
    open: Vec<(FileId, Span)>,
    /// How many includes were followed.
    found: usize,
}

impl Composer<'_> {
    /// Puts in a file and all that it includes.
    fn file(&mut self, id: FileId, all: Vec<Words>) {
        let text = self.source.files[id.0 as usize].text.clone();
        let mut at = 0;
        for words in all {
            let name = str::from_utf8(&text[words.name.range()]).unwrap_or_default();
            let offset = self.copy(id, &text, at, words.span.end) as i64 - at as i64;
            at = words.span.end;
            if words.template {
                let start = (words.span.start as i64 + offset) as usize;
                self.text[start..start + 2].copy_from_slice(b"--");
                self.text.push(b'\n');
            }
            let span = |of: Span| Span::new((of.start as i64 + offset) as u32, (of.end as i64 + offset) as u32);
            let outcome = self.include(id, name, span(words.name), words.template);
            self.source.includes.push(Include { name: span(words.name), outcome });
        }
        self.copy(id, &text, at, text.len() as u32);
    }

    /// Puts in bytes of a file; returns where.
    fn copy(&mut self, file: FileId, text: &[u8], from: u32, to: u32) -> u32 {
        let start = self.text.len() as u32;
        self.source.pieces.push(Piece { text: start, file, at: from });
        self.text.extend_from_slice(&text[from as usize..to as usize]);
        start
    }

    fn include(&mut self, from: FileId, name: &str, at: Span, each: bool) -> Outcome {
        let file = match (self.find)(&self.source.files[from.0 as usize], name) {
            Found::File(file) => file,
            Found::Missing => return Outcome::Missing,
            Found::Unknown => return Outcome::Unknown,
        };
        let known = self.source.files.iter().position(|known| known.path == file.path);
        let id = FileId(known.unwrap_or(self.source.files.len()) as u32);
        let depth = self.open.iter().position(|&(open, _)| open == id).map(|depth| depth + 1);
        if let Some(inner) = depth.or((id == FileId::MAIN).then_some(0)) {
            return self.cycle(inner, at);
        }
        if known.is_some() && !each {
            return Outcome::Text;
        }
        self.found += 1;
        if limits::INCLUDES < self.found
            || limits::INCLUDE_DEPTH <= self.open.len()
            || limits::SCRIPT_BYTES < self.text.len() + file.text.len()
        {
            return Outcome::Cut;
        }
        let all = words(&file.text);
        if known.is_none() {
            self.source.files.push(file);
        }
        self.text.push(b'\n');
        self.open.push((id, at));
        self.file(id, all);
        self.open.pop();
        self.text.push(b'\n');
        Outcome::Text
    }

    /// A circle is told at the same place whatever file of it a script enters by: where the file with the least path is included.
    /// `inner` of the open includes lead to the circle, `last` closes it.
    fn cycle(&mut self, inner: usize, last: Span) -> Outcome {
        let ring: Vec<Span> = self.open[inner..].iter().map(|&(_, name)| name).chain([last]).collect();
        // Each name is included in the file before; so the name of the first file of the ring is the last.
        let first = if inner == 0 { FileId::MAIN } else { self.open[inner - 1].0 };
        let files = [first].into_iter().chain(self.open[inner..].iter().map(|&(file, _)| file));
        let files: Vec<FileId> = files.collect();
        let least = (0..files.len()).min_by_key(|&at| &self.source.files[files[at].0 as usize].path).unwrap_or(0);
        let told = ring[(least + ring.len() - 1) % ring.len()];
        let others: Vec<Span> = ring.into_iter().filter(|&name| name != told).collect();
        if told == last {
            return Outcome::Cycle(others);
        }
        self.source.includes.push(Include { name: told, outcome: Outcome::Cycle(others) });
        Outcome::Text
    }
}
