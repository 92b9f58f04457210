//! A name for a finding that stays when other lines come or go: made of the rule, the path, and the text of its line.

use crc::{CRC_64_XZ, Crc};
use rustc_hash::FxHashMap;

use super::{Failure, Lines, View};
use crate::{
    rule::Diagnostic,
    source::{FileId, LineIndex},
};

const CRC: Crc<u64> = Crc::<u64>::new(&CRC_64_XZ);

/// For each diagnostic, 16 digits that no other of its path has.
pub(super) fn fingerprints(view: View, lines: &Lines) -> Vec<String> {
    let mut repeats: FxHashMap<FileId, Vec<u32>> = FxHashMap::default();
    let mut seen: FxHashMap<u64, u32> = FxHashMap::default();
    let mut of = |one: &Diagnostic| {
        let spot = lines.spot(one.finding.span);
        let index = lines.of(spot.id);
        let text = trimmed(index, &spot.file.text, spot.start.line);
        let repeats = repeats.entry(spot.id).or_insert_with(|| self::repeats(index, &spot.file.text));
        // How far into the line: moving the whole line to the right changes nothing.
        let ahead = spot.span.start as i64 - (text.as_ptr() as i64 - spot.file.text.as_ptr() as i64);
        let mut digest = CRC.digest();
        for part in [one.rule.name.as_bytes(), spot.path().as_bytes(), text] {
            digest.update(part);
            digest.update(&[0]);
        }
        for number in [i64::from(repeats[spot.start.line as usize - 1]), ahead, spot.span.range().len() as i64] {
            digest.update(&number.to_le_bytes());
        }
        let mut sum = digest.finalize();
        let before = seen.entry(sum).or_default();
        *before += 1;
        // The same rule at the same place.
        if 1 < *before {
            sum = CRC.checksum(&[sum.to_le_bytes(), u64::from(*before).to_le_bytes()].concat());
        }
        format!("{sum:016x}")
    };
    view.report.diagnostics.iter().map(&mut of).collect()
}

/// Of what could not be done with a path.
pub(super) fn of_failure(failure: &Failure) -> String {
    format!("{:016x}", CRC.checksum(format!("{}\0{}", failure.path, failure.message).as_bytes()))
}

/// By line: how many lines with the same text stand before it.
fn repeats(index: &LineIndex, text: &[u8]) -> Vec<u32> {
    let mut counts: FxHashMap<&[u8], u32> = FxHashMap::default();
    let lines = (1..=index.lines()).map(|line| {
        let count = counts.entry(trimmed(index, text, line)).or_default();
        *count += 1;
        *count - 1
    });
    lines.collect()
}

fn trimmed<'t>(index: &LineIndex, text: &'t [u8], line: u32) -> &'t [u8] {
    text[index.line_span(line).range()].trim_ascii()
}
