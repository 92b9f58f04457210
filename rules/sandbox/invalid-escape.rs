use rustc_hash::FxHashSet;

use crate::{
    facts::Facts,
    ir::{Const, Op},
    rule::{Edit, Finding, Safety, Severity},
    source::Span,
};

/// An escape sequence that Lua 5.1 does not know, at its backslash.
struct Escape {
    span: Span,
    meant: Meant,
}

enum Meant {
    /// The same bytes as Lua 5.1 writes them.
    Bytes(String),
    /// Nobody knows.
    Nothing,
}

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut seen = FxHashSet::default();
    let mut findings = Vec::new();
    for inst in facts.program.functions.iter().flat_map(|function| &function.insts) {
        let word = &facts.source.text[inst.span.range()];
        if matches!(inst.op, Op::Const(Const::Text(_)))
            && matches!(word, [b'"' | b'\'', ..])
            && word.contains(&b'\\')
            && seen.insert(inst.span)
        {
            findings.extend(literal(facts, inst.span));
        }
    }
    findings
}

/// The first one in the literal, the others as labels.
fn literal(facts: &Facts, span: Span) -> Option<Finding> {
    let escapes = escapes(&facts.source.text[span.range()], span.start);
    let known = |escape: &Escape| matches!(escape.meant, Meant::Bytes(_));
    let first = escapes.iter().find(|&one| known(one)).or(escapes.first())?;
    let shown = facts.source.snippet(first.span);
    let text = shown.trim_start_matches('\\').trim_end();
    let finding =
        Finding::new(first.span, format!("Lua 5.1 knows no escape `{}`: it is the text `{text}`", shown.trim_end()));
    let others = escapes.iter().filter(|other| other.span != first.span);
    let finding = others.fold(finding, |finding, other| finding.aside(other.span, "and here"));
    let edit = |escape: &Escape| match &escape.meant {
        Meant::Bytes(text) => Some(Edit { span: escape.span, text: text.clone() }),
        Meant::Nothing => None,
    };
    let edits: Vec<Edit> = escapes.iter().filter_map(edit).collect();
    Some(match &first.meant {
        Meant::Bytes(text) if text.is_empty() => finding.help("leave it out").fix(Safety::Safe, edits),
        Meant::Bytes(text) => finding.help(format!("write `{text}`")).fix(Safety::Safe, edits),
        Meant::Nothing => finding
            .grade(Severity::Warning)
            .help(format!("write `\\\\{text}` for a backslash; Lua's own patterns escape with `%`")),
    })
}

fn escapes(word: &[u8], start: u32) -> Vec<Escape> {
    let mut escapes = Vec::new();
    let mut at = 1;
    while at + 2 < word.len() {
        if word[at] != b'\\' {
            at += 1;
            continue;
        }
        let (length, meant) = escape(&word[at + 1..word.len() - 1]);
        if let Some(meant) = meant {
            let from = start + at as u32;
            escapes.push(Escape { span: Span::new(from, from + 1 + length as u32), meant });
        }
        at += 1 + length;
    }
    escapes
}

/// How many bytes after the backslash belong to the sequence, and what was meant if Lua 5.1 does not know it.
fn escape(rest: &[u8]) -> (usize, Option<Meant>) {
    let hexadecimal = |digits: &[u8]| u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
    match rest {
        [b'x', a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => {
            (3, hexadecimal(&[*a, *b]).map(|byte| Meant::Bytes(format!("\\{byte:03}"))))
        }
        [b'u', b'{', digits @ ..] => match digits.iter().position(|byte| !byte.is_ascii_hexdigit()) {
            Some(end) if digits[end] == b'}' => {
                let letter = hexadecimal(&digits[..end]).and_then(char::from_u32);
                let bytes = |letter: char| {
                    let bytes = letter.to_string().into_bytes();
                    Meant::Bytes(bytes.iter().map(|byte| format!("\\{byte:03}")).collect())
                };
                (end + 3, Some(letter.map_or(Meant::Nothing, bytes)))
            }
            Some(_) | None => (1, Some(Meant::Nothing)),
        },
        [b'z', blanks @ ..] => {
            let blanks = blanks.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            (1 + blanks, Some(Meant::Bytes(String::new())))
        }
        [b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v', ..] => (1, None),
        [letter, ..] if letter.is_ascii_alphabetic() => (1, Some(Meant::Nothing)),
        _ => (1, None),
    }
}
