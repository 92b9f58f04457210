use crate::{
    events::Event,
    facts::{Facts, Root},
    ir::{Op, ValueId},
    rule::{Edit, Finding, Safety},
    source::Span,
};

/// How the command that replaced another is written.
struct Replacement {
    old: &'static str,
    new: &'static str,
    /// The reply is another one.
    unread: bool,
    /// Are the second and third argument the other way around?
    swapped: bool,
    /// Words, and the argument that they stand behind, the first being 1.
    words: (&'static [&'static str], usize),
}

/// Those that take the same arguments and give the same reply.
const REPLACEMENTS: [Replacement; 12] = [
    Replacement { words: (&["GET"], 2), ..Replacement::of("GETSET", "SET") },
    Replacement { unread: true, ..Replacement::of("HMSET", "HSET") },
    Replacement { words: (&["PX"], 2), swapped: true, ..Replacement::of("PSETEX", "SET") },
    Replacement { words: (&["RIGHT", "LEFT"], 2), ..Replacement::of("RPOPLPUSH", "LMOVE") },
    Replacement { words: (&["EX"], 2), swapped: true, ..Replacement::of("SETEX", "SET") },
    Replacement { words: (&["NX"], 2), unread: true, ..Replacement::of("SETNX", "SET") },
    Replacement::of("SUBSTR", "GETRANGE"),
    Replacement { words: (&["BYLEX"], 3), ..Replacement::of("ZRANGEBYLEX", "ZRANGE") },
    Replacement { words: (&["BYSCORE"], 3), ..Replacement::of("ZRANGEBYSCORE", "ZRANGE") },
    Replacement { words: (&["REV"], 3), ..Replacement::of("ZREVRANGE", "ZRANGE") },
    Replacement { words: (&["BYLEX", "REV"], 3), ..Replacement::of("ZREVRANGEBYLEX", "ZRANGE") },
    Replacement { words: (&["BYSCORE", "REV"], 3), ..Replacement::of("ZREVRANGEBYSCORE", "ZRANGE") },
];

impl Replacement {
    const fn of(old: &'static str, new: &'static str) -> Replacement {
        Replacement { old, new, unread: false, swapped: false, words: (&[], 0) }
    }
}

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for event in root.events() {
            let Some(command) = event.command else { continue };
            let targets = facts.targets_where(|target| command.deprecated.has(target) == Some(true));
            if targets.is_empty() {
                continue;
            }
            let finding =
                Finding { targets, ..Finding::new(root.span(event.at), format!("{} is deprecated", command.name)) };
            let finding = match REPLACEMENTS.iter().find(|one| one.old == command.name) {
                Some(one) => {
                    let words: String = one.words.0.iter().map(|word| format!(" {word}")).collect();
                    let finding = finding.help(format!("use {}{words}", one.new));
                    match edits(facts, root, event, one) {
                        Some(edits) => finding.fix(Safety::Safe, edits),
                        None => finding,
                    }
                }
                None => finding,
            };
            findings.push(finding.labels(root.call_labels(event.at)));
        }
    }
    findings
}

/// The same call with the other command, if its words stand in it as they are sent.
fn edits(facts: &Facts, root: &Root, event: &Event, replacement: &Replacement) -> Option<Vec<Edit>> {
    let Op::Call { args, .. } = root.op(event.at) else { return None };
    let given = &args[args.len().checked_sub(event.args.len())?..];
    let name = *args.get(args.len().checked_sub(event.args.len() + 1)?)?;
    let sent = event.args.iter().all(|arg| arg.spread.is_none());
    if !sent || !event.fits || (replacement.unread && root.is_read(event.at)) {
        return None;
    }
    let literal = facts.source.snippet(root.span(name));
    let quote =
        literal.chars().next().filter(|quote| matches!(quote, '\'' | '"') && matches!(root.op(name), Op::Const(_)))?;
    let lower = literal.chars().all(|letter| !letter.is_ascii_uppercase());
    let word = |word: &str| {
        let word = if lower { word.to_ascii_lowercase() } else { word.to_owned() };
        format!("{quote}{word}{quote}")
    };
    let mut edits = vec![Edit { span: root.span(name), text: word(replacement.new) }];
    let text = |at: ValueId| facts.source.snippet(root.span(at)).into_owned();
    if replacement.swapped {
        let (one, other) = (*given.get(1)?, *given.get(2)?);
        // What is sent first has to be sent first.
        if root.event(one).is_some() || root.event(other).is_some() {
            return None;
        }
        edits.push(Edit { span: root.span(one), text: text(other) });
        edits.push(Edit { span: root.span(other), text: text(one) });
    }
    if let Some(last) = replacement.words.1.checked_sub(1) {
        let at = behind(facts, root.span(*given.get(last)?), root.span(event.at))?;
        let words = replacement.words.0.iter().map(|&one| format!(", {}", word(one))).collect();
        edits.push(Edit { span: Span::new(at, at), text: words });
    }
    Some(edits)
}

/// Where the argument ends, with the parentheses around it.
fn behind(facts: &Facts, argument: Span, call: Span) -> Option<u32> {
    let mut end = argument.end;
    for (at, &byte) in (argument.end..).zip(&facts.source.text[argument.end as usize..call.end as usize - 1]) {
        match byte {
            b')' => end = at + 1,
            b',' => return Some(end),
            byte if byte.is_ascii_whitespace() => {}
            _ => return None,
        }
    }
    Some(end)
}
