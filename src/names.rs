//! What names say: the words in them.

use crate::{
    facts::{Facts, Root},
    ir::{LocalId, Op, ValueId},
};

/// `startTime`, `start_time`: start, time.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower = false;
    for letter in name.chars() {
        if !letter.is_ascii_alphanumeric() || (lower && letter.is_ascii_uppercase()) {
            words.push(String::new());
        }
        lower = letter.is_ascii_lowercase();
        if letter.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(letter.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The words in the name of the local that the value is read from.
pub(crate) fn words_of(facts: &Facts, root: &Root, value: ValueId) -> Vec<String> {
    let Op::Get(local) = *root.op(value) else { return Vec::new() };
    words_of_local(facts, root, local)
}

pub(crate) fn words_of_local(facts: &Facts, root: &Root, local: LocalId) -> Vec<String> {
    root.local(&facts.program, local).name.map_or_else(Vec::new, |name| words(&facts.source.snippet(name)))
}
