use crate::{
    commands::{Command, Flag},
    events::Event,
    facts::{Facts, Root},
    roots::RootKind,
    rule::Finding,
    source::Span,
    target::{Product, Target, Version},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    facts.roots.iter().filter_map(|root| forbidden(facts, root)).collect()
}

/// One for each script or function, where it declares the flag.
fn forbidden(facts: &Facts, root: &Root) -> Option<Finding> {
    let flag = flag(facts, root)?;
    let refused = |event: &&Event| {
        let refusing = |command: &Command| !facts.targets_where(|target| refuses(command, target)).is_empty();
        event.command.is_some_and(refusing) && !root.is_protected(event.at)
    };
    let mut writes = root.events().iter().filter(refused).peekable();
    let first = writes.peek()?;
    let command = first.command?;
    let why = if command.is_write() { "writes" } else { "counts as a write" };
    let message = format!("`no-writes` is given, but {} {why}: the call ends the script", command.name);
    let finding = Finding {
        targets: facts.targets_where(|target| refuses(command, target)),
        ..Finding::new(flag, message).help(format!("remove the flag, or the call of {}", command.name))
    };
    Some(writes.fold(finding, |finding, event| {
        let finding = finding.label(root.span(event.at), format!("{} is refused", event.shown_name()));
        finding.labels(root.call_labels(event.at))
    }))
}

fn flag(facts: &Facts, root: &Root) -> Option<Span> {
    match root.kind {
        RootKind::Script if !facts.is_library => {
            let shebang = facts.shebang.as_ref()?;
            shebang.flags()?.find(|flag| flag.text == "no-writes").map(|flag| flag.span)
        }
        RootKind::Callback { .. } => facts.registration(root)?.flag(facts, "no-writes"),
        RootKind::Script | RootKind::Helper => None,
    }
}

/// Is the command refused in read-only scripts? That is more than what writes.
fn refuses(command: &Command, target: Target) -> bool {
    let has_flags = match target.product {
        Product::Redis => Version(7, 0, 0) <= target.version,
        Product::Valkey => true,
        Product::Dragonfly | Product::Kvrocks | Product::KeyDb => false,
    };
    has_flags
        && command.available(target)
        && (command.has(Flag::Write, target) || command.has(Flag::MayReplicate, target))
}
