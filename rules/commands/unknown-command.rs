use crate::{
    commands::{self, COMMANDS},
    facts::Facts,
    rule::Finding,
    target::closest,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for event in root.events() {
            let (None, Some(name)) = (event.command, &event.name) else { continue };
            // Modules name their commands so; what is loaded nobody knows here.
            if name.contains('.') {
                continue;
            }
            let upper = name.to_ascii_uppercase();
            let container = commands::command(name.as_bytes(), None).filter(|command| command.is_container());
            let mut words = upper.split_whitespace();
            let first = words.next().unwrap_or_default();
            let finding = if let Some(container) = container {
                let Some(sub) = event.args.first().and_then(|arg| facts.text(arg.value)) else { continue };
                let sub = String::from_utf8_lossy(sub).to_ascii_uppercase();
                let prefix = format!("{} ", container.name);
                let known = COMMANDS.iter().filter_map(|command| command.name.strip_prefix(&prefix));
                let finding =
                    Finding::new(root.span(event.args[0].at), format!("{} has no subcommand {sub}", container.name));
                help(finding, closest(&sub, known))
            } else if words.next().is_some() && commands::command(first.as_bytes(), None).is_some() {
                Finding::new(root.span(event.at), format!("no command is called `{name}`: the name holds blanks"))
                    .help("pass each word as an argument of its own")
            } else {
                let known = COMMANDS.iter().map(|command| command.name).filter(|name| !name.contains(' '));
                let finding = Finding::new(root.span(event.at), format!("no command is called `{name}`"));
                help(finding, closest(&upper, known))
            };
            findings.push(finding.labels(root.call_labels(event.at)));
        }
    }
    findings
}

fn help(finding: Finding, near: Option<&str>) -> Finding {
    match near {
        Some(near) => finding.help(format!("did you mean {near}?")),
        None => finding,
    }
}
