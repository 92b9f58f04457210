//! Where a script's findings lie in files, as outputs tell it.

use std::cell::OnceCell;

use crate::{
    rule::Fix,
    source::{File, FileId, LineIndex, Position, Source, Span},
};

/// The lines of a script's files, found where they are needed.
pub(super) struct Lines<'a> {
    source: &'a Source,
    indexes: Vec<OnceCell<LineIndex<'a>>>,
}

/// A range in a file.
#[derive(Clone, Copy)]
pub(super) struct Spot<'a> {
    pub(super) id: FileId,
    pub(super) file: &'a File,
    /// Bytes of the file.
    pub(super) span: Span,
    pub(super) start: Position,
    /// Of the first byte behind it.
    pub(super) end: Position,
}

impl<'a> Lines<'a> {
    pub(super) fn new(source: &'a Source) -> Lines<'a> {
        Lines { source, indexes: source.files.iter().map(|_| OnceCell::new()).collect() }
    }

    pub(super) fn of(&self, file: FileId) -> &LineIndex<'a> {
        let at = file.0 as usize;
        self.indexes[at].get_or_init(|| LineIndex::new(&self.source.files[at].text))
    }

    /// Where the bytes of the script's text lie.
    pub(super) fn spot(&self, span: Span) -> Spot<'a> {
        let place = self.source.place(span);
        let lines = self.of(place.file);
        let [start, end] = [place.span.start, place.span.end].map(|byte| lines.position(byte));
        Spot { id: place.file, file: &self.source.files[place.file.0 as usize], span: place.span, start, end }
    }

    /// The edits of a fix in the order of their places; `None` if one goes over the border of two files, which can't be told.
    pub(super) fn edits<'f>(&self, fix: &'f Fix) -> Option<Vec<(Spot<'a>, &'f str)>> {
        let spots = fix.edits.iter().map(|edit| {
            let spot = self.spot(edit.span);
            (spot.span.range().len() == edit.span.range().len()).then_some((spot, &*edit.text))
        });
        let mut spots: Vec<_> = spots.collect::<Option<_>>()?;
        spots.sort_by_key(|(spot, _)| (spot.id, spot.span));
        Some(spots)
    }
}

impl<'a> Spot<'a> {
    /// Of its file.
    pub(super) fn path(&self) -> &'a str {
        &self.file.path
    }
}
