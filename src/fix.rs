//! From the fixes that findings offer to a new text. It reads and writes no files: the command line does.
//!
//! An *offer* is a fix with its edits at their places in one file. Offers that touch each other are not made at once: the later one
//! waits until the text was checked again. Invariant: what is made in one round does not depend on the order of the offers.

use crate::{
    rule::{Diagnostic, Edit, Safety},
    source::{FileId, Source, Span},
};

/// A change of one file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Offer {
    /// In the file, by position, none inside of another.
    pub edits: Vec<Edit>,
    pub rule: &'static str,
    /// Where the finding is, in its file.
    pub at: Span,
}

impl Offer {
    /// The offer with its file. `None`: the edits lie in several files, or over each other.
    pub fn new(source: &Source, rule: &'static str, at: Span, edits: &[Edit]) -> Option<(FileId, Offer)> {
        let file = source.file_of(edits.first()?.span.start);
        let mut placed = Vec::with_capacity(edits.len());
        for edit in edits {
            let place = source.place(edit.span);
            // What begins in one file and ends in another has become shorter.
            if place.file != file || place.span.range().len() != edit.span.range().len() {
                return None;
            }
            placed.push(Edit { span: place.span, text: edit.text.clone() });
        }
        placed.sort();
        let apart = |pair: &[Edit]| {
            let (one, two) = (pair[0].span, pair[1].span);
            one.end <= two.start && one != two
        };
        let offer = Offer { edits: placed, rule, at: source.place(at).span };
        offer.edits.windows(2).all(apart).then_some((file, offer))
    }

    /// All that the edits touch.
    pub fn hull(&self) -> Span {
        self.edits.iter().map(|edit| edit.span).reduce(Span::to).unwrap_or_default()
    }
}

/// What the findings offer, up to that safety.
pub fn offers<'a>(
    source: &Source,
    found: impl IntoIterator<Item = &'a Diagnostic>,
    safety: Safety,
) -> Vec<(FileId, Offer)> {
    let wanted = |one: &&Diagnostic| one.finding.fix.as_ref().is_some_and(|fix| fix.safety <= safety);
    let offer =
        |one: &Diagnostic| Offer::new(source, one.rule.name, one.finding.span, &one.finding.fix.as_ref()?.edits);
    found.into_iter().filter(wanted).filter_map(offer).collect()
}

/// Those of the offers that can be made at once: from the start of the file on, none that touches an earlier one.
pub fn choose(mut offers: Vec<Offer>) -> Vec<Offer> {
    offers.sort_by(|one, two| (one.hull(), one).cmp(&(two.hull(), two)));
    let mut chosen: Vec<Offer> = Vec::new();
    let mut end = None;
    for offer in offers {
        let hull = offer.hull();
        // Two findings may ask for the same.
        let same = chosen.last().is_some_and(|last| last.edits == offer.edits);
        if same || end.is_none_or(|end| end < hull.start) {
            end = end.max(Some(hull.end));
            chosen.push(offer);
        }
    }
    chosen
}

/// The text with the edits of the offers, which [`choose`] chose. Line ends are those of the text.
pub fn apply(text: &[u8], offers: &[Offer]) -> Vec<u8> {
    let newline = line_end(text);
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    let mut edits: Vec<&Edit> = offers.iter().flat_map(|offer| &offer.edits).collect();
    edits.sort();
    edits.dedup();
    for edit in edits {
        let Some(kept) = text.get(at..edit.span.start as usize) else { continue };
        out.extend_from_slice(kept);
        out.extend(edit.text.replace('\n', newline).bytes());
        at = (edit.span.end as usize).min(text.len());
    }
    out.extend_from_slice(&text[at..]);
    out
}

/// How the lines of the text end: as the first one does.
fn line_end(text: &[u8]) -> &'static str {
    let Some(at) = text.iter().position(|&byte| byte == b'\n' || byte == b'\r') else { return "\n" };
    match &text[at..] {
        [b'\r', b'\n', ..] => "\r\n",
        [b'\r', ..] => "\r",
        _ => "\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(edits: &[(u32, u32, &str)]) -> Offer {
        let edits = edits.iter().map(|&(start, end, text)| Edit { span: Span::new(start, end), text: text.into() });
        Offer { edits: edits.collect(), rule: "a", at: Span::default() }
    }

    fn round(text: &str, offers: &[Offer]) -> String {
        let forth = String::from_utf8(apply(text.as_bytes(), &choose(offers.to_vec()))).expect("it is text");
        let back = offers.iter().rev().cloned().collect();
        assert_eq!(forth.as_bytes(), apply(text.as_bytes(), &choose(back)), "the order makes a difference");
        forth
    }

    #[test]
    fn offers_that_touch_wait() {
        assert_eq!(round("abcdef", &[offer(&[(0, 1, "X")]), offer(&[(2, 3, "Y")])]), "XbYdef");
        assert_eq!(round("abcdef", &[offer(&[(0, 2, "X")]), offer(&[(1, 3, "Y")])]), "Xcdef");
        assert_eq!(round("abcdef", &[offer(&[(0, 2, "X")]), offer(&[(2, 3, "Y")])]), "Xcdef");
        assert_eq!(round("abcdef", &[offer(&[(0, 1, "("), (5, 6, ")")]), offer(&[(2, 3, "Y")])]), "(bcde)");
    }

    #[test]
    fn one_of_two_insertions_at_a_place_is_made() {
        assert_eq!(round("ab", &[offer(&[(1, 1, "X")]), offer(&[(1, 1, "Y")])]), "aXb");
        assert_eq!(round("ab", &[offer(&[(1, 1, "X")]), offer(&[(1, 1, "X")])]), "aXb");
        assert_eq!(round("ab", &[offer(&[(1, 1, "X")]), offer(&[(0, 1, "Y")])]), "Yb");
    }

    #[test]
    fn lines_end_as_in_the_text() {
        let lines = offer(&[(0, 0, "x\ny\n")]);
        assert_eq!(round("a\r\nb", std::slice::from_ref(&lines)), "x\r\ny\r\na\r\nb");
        assert_eq!(round("a\rb\n", std::slice::from_ref(&lines)), "x\ry\ra\rb\n");
        assert_eq!(round("a", &[lines]), "x\ny\na");
    }

    #[test]
    fn what_lies_over_itself_is_no_offer() {
        let source = Source::file("a.lua", "abc".as_bytes());
        let edit = |start, end| Edit { span: Span::new(start, end), text: String::new() };
        let at = Span::default();
        assert!(Offer::new(&source, "a", at, &[edit(0, 2), edit(1, 3)]).is_none());
        assert!(Offer::new(&source, "a", at, &[edit(1, 1), edit(1, 1)]).is_none());
        assert!(Offer::new(&source, "a", at, &[edit(1, 2), edit(0, 1)]).is_some());
        assert!(Offer::new(&source, "a", at, &[]).is_none());
    }
}
