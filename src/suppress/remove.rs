//! The edits that take a name, or a whole comment, out of a script.

use crate::{
    rule::Edit,
    source::{Source, Span},
};

/// Takes out the comment with the blanks before it, and with its line's end if it stands alone.
pub(super) fn comment(comment: Span, source: &Source) -> Edit {
    let before = &source.text[..comment.start as usize];
    let blanks = before.iter().rev().take_while(|&&byte| byte == b' ' || byte == b'\t').count();
    let start = before.len() - blanks;
    let first = start == 0 || matches!(source.text[start - 1], b'\n' | b'\r');
    let after = &source.text[comment.end as usize..];
    let newline = match after {
        [b'\r', b'\n', ..] => 2,
        [b'\n' | b'\r', ..] => 1,
        _ => 0,
    };
    // The words on both sides stay apart, and the code stays where its line's comment was.
    let apart = newline == 0 && !after.first().is_none_or(u8::is_ascii_whitespace) && !first;
    let start = if first && newline == 0 { comment.start as usize } else { start };
    let end = comment.end + if first { newline } else { 0 };
    Edit { span: Span::new(start as u32, end), text: if apart { " ".into() } else { String::new() } }
}

/// Takes out the name with the comma that parts it from its neighbour.
pub(super) fn name(name: Span, source: &Source) -> Edit {
    let after = &source.text[name.end as usize..];
    let blanks = after.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let span = if after.get(blanks) == Some(&b',') {
        let more = after[blanks + 1..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        Span::new(name.start, name.end + (blanks + 1 + more) as u32)
    } else {
        let before = &source.text[..name.start as usize];
        let back = before.iter().rev().take_while(|&&byte| byte == b',' || byte.is_ascii_whitespace()).count();
        Span::new(name.start - back as u32, name.end)
    };
    Edit { span, text: String::new() }
}
