use rustc_hash::FxHashSet;

use crate::{
    facts::{Facts, Root},
    keys::{self, Nature},
    origin::OriginId,
    rule::Finding,
    slots::{Pattern, Piece},
    source::Span,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for root in facts.roots.iter().filter(|root| root.is_whole()) {
        if let Some((tag, span)) = constant_tag(facts, root)
            && !findings.iter().any(|known| known.span == span)
        {
            let message = format!("every key has the tag `{{{tag}}}`, so that one shard takes all");
            findings.push(Finding::new(span, message).help("put the part that varies into the tag"));
        }
    }
    findings
}

/// The tag that all keys have, and where the first of them is.
fn constant_tag(facts: &Facts, root: &Root) -> Option<(String, Span)> {
    let mut found: Option<(String, Span)> = None;
    let mut keys: FxHashSet<OriginId> = FxHashSet::default();
    let mut varies = false;
    for one in keys::uses(facts, root) {
        if one.class?.nature == Nature::Scanned {
            return None;
        }
        let pattern = keys::pattern(facts, one.origin())?;
        let tag = constant(&pattern)?;
        varies |= pattern.is_variable();
        keys.insert(one.origin());
        let span = one.span();
        match &mut found {
            Some((known, first)) if *known == tag => *first = (*first).min(span),
            Some(_) => return None,
            None => found = Some((tag, span)),
        }
    }
    // One key of one name is in one place anyway.
    found.filter(|_| varies || 1 < keys.len())
}

/// The tag, if it is the same for all keys of the pattern.
fn constant(pattern: &Pattern) -> Option<String> {
    let hashed = pattern.hashed().filter(|hashed| hashed.is_tag)?;
    match &hashed.text[..] {
        [Piece::Text(_)] => Some(hashed.shown()),
        // `{inventory}:<sku>`: where the name has another variable part, the tag is no name for one.
        [Piece::Named(name)] if is_word(name) && pattern.0.iter().any(|piece| varies(piece, name)) => {
            Some(hashed.shown())
        }
        _ => None,
    }
}

fn is_word(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':' | b'.'))
}

fn varies(piece: &Piece, tag: &str) -> bool {
    match piece {
        Piece::Named(name) => name != tag,
        Piece::Value(_) => true,
        Piece::Text(_) => false,
    }
}
