use crate::{
    commands::{ArgType, Argument, Command},
    events::{Arg, Event},
    facts::{Facts, Root},
    rule::Finding,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for event in root.events() {
            let Some(command) = event.command else { continue };
            let found = no_number(facts, root, event, command).or_else(|| no_option(facts, root, event, command));
            findings.extend(found.map(|finding| finding.labels(root.call_labels(event.at))));
        }
    }
    findings
}

/// A literal where the command takes a number.
fn no_number(facts: &Facts, root: &Root, event: &Event, command: &Command) -> Option<Finding> {
    let wrong = |arg: &&Arg| {
        arg.takes.is_some_and(ArgType::is_number) && facts.text(arg.value).is_some_and(|text| !reads_as_number(text))
    };
    let no_rank = |arg: &&Arg| arg.takes == Some(ArgType::Integer) && facts.text(arg.value).is_some_and(is_bound);
    let (arg, what, help) = match event.args.iter().find(no_rank) {
        Some(arg) if command.name.starts_with("ZRANGE") => {
            (arg, "a rank", "add `BYSCORE` or `BYLEX`, without which bounds are ranks")
        }
        Some(arg) => (arg, "a whole number", "pass a whole number"),
        None => (event.args.iter().find(wrong)?, "a number", "pass a number"),
    };
    let shown = facts.show(root, arg.at);
    let message = format!("{} takes {what} here, not `{shown}`", command.name);
    Some(Finding::new(root.span(arg.at), message).help(help))
}

/// A bound of scores or members that is no whole number.
fn is_bound(text: &[u8]) -> bool {
    matches!(text, b"-" | b"+" | b"-inf" | b"+inf" | b"inf") || matches!(text.first(), Some(b'(' | b'['))
}

/// Also bounds of scores: `(5`, `-inf`, and of members: `-`, `+`, `[a`.
fn reads_as_number(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let digits = text.strip_prefix('(').unwrap_or(text);
    digits.parse::<f64>().is_ok() || matches!(text, "-" | "+") || text.starts_with('[')
}

/// A literal that is none of the words that the command knows there.
fn no_option(facts: &Facts, root: &Root, event: &Event, command: &Command) -> Option<Finding> {
    if event.fits
        || !command.has_grammar()
        || command.name.contains(' ')
        || event.args.iter().any(|arg| arg.spread.is_some())
    {
        return None;
    }
    let arguments = facts.arguments(event);
    // The number of arguments fits, so one of the words doesn't: the first one without which the rest would.
    let wrong = (0..arguments.len()).find(|&at| {
        let mut others = arguments.clone();
        matches!(others[at], Argument::Literal(_)) && {
            others[at] = Argument::Unknown;
            command.slots(&others).known
        }
    })?;
    let arg = &event.args[wrong];
    let shown = facts.show(root, arg.at);
    Some(
        Finding::new(root.span(arg.at), format!("`{shown}` is nothing that {} takes here", command.name))
            .help("compare the call with the command's syntax; each word is an argument of its own"),
    )
}
