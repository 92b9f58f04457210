use crate::{
    commands::{Argument, Command},
    events::Event,
    facts::Facts,
    rule::Finding,
    target::Target,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for event in root.events() {
            let Some(command) = event.command else { continue };
            let targets =
                facts.targets_where(|target| command.available(target) && misses(event, command, target).is_some());
            let wanted = targets.first().and_then(|&target| misses(event, command, target));
            let (message, targets) = match wanted {
                Some(wanted) => (format!("{} takes {wanted}, not {}", command.name, given(event)), targets),
                None if !event.fits && !fits(event, command) => {
                    (format!("{} takes no {}: they don't come out even", command.name, given(event)), Vec::new())
                }
                None => continue,
            };
            let finding = Finding { targets, ..Finding::new(root.span(event.at), message) };
            findings
                .push(finding.help("compare the call with the command's syntax").labels(root.call_labels(event.at)));
        }
    }
    findings
}

/// The words of the command's name, as its arity counts them.
fn words(command: &Command) -> usize {
    command.name.split(' ').count()
}

/// The fewest and the most arguments that the call may pass, a subcommand left out.
fn counts(event: &Event, command: &Command) -> (usize, Option<usize>) {
    let fixed = event.args.iter().filter(|arg| arg.spread.is_none()).count() + 1 - words(command);
    let mut bounds = (fixed, Some(fixed));
    for spread in event.args.iter().filter_map(|arg| arg.spread) {
        bounds.0 += usize::try_from(spread.low).unwrap_or(0);
        bounds.1 = bounds.1.filter(|_| spread.has_upper()).map(|most| most + usize::try_from(spread.high).unwrap_or(0));
    }
    bounds
}

/// How many arguments this server's command takes, if the call surely passes another number.
fn misses(event: &Event, command: &Command, target: Target) -> Option<String> {
    let arity = command.arity_in(target);
    let wanted = usize::from(arity.unsigned_abs()) - words(command);
    let (fewest, most) = counts(event, command);
    let plural = if wanted == 1 { "" } else { "s" };
    if 0 < arity {
        (wanted < fewest || most.is_some_and(|most| most < wanted)).then(|| format!("{wanted} argument{plural}"))
    } else {
        most.is_some_and(|most| most < wanted).then(|| format!("at least {wanted} argument{plural}"))
    }
}

fn given(event: &Event) -> String {
    let command = event.command.map_or(1, words);
    let count = event.args.len() + 1 - command;
    format!("{count} argument{}", if count == 1 { "" } else { "s" })
}

/// Do that many arguments, whatever they are, fit some way through the command's grammar?
fn fits(event: &Event, command: &Command) -> bool {
    let spread = event.args.iter().any(|arg| arg.spread.is_some());
    let sub = words(command) - 1;
    let arguments: Vec<Argument> = event
        .args
        .iter()
        .enumerate()
        .map(|(n, _)| if n < sub { Argument::Literal(b"") } else { Argument::Unknown })
        .collect();
    spread || !command.has_grammar() || 0 < sub || command.slots(&arguments).known
}
