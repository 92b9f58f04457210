use crate::{facts::Facts, rule::Finding};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for event in root.events() {
            let Some(command) = event.command.filter(|_| event.reply.whole) else { continue };
            // `keys-command` speaks of that one.
            if command.name == "KEYS" {
                continue;
            }
            let looped = match root.graph.in_loop(event.at) {
                Some(_) => ", once a round of the loop around it",
                None => "",
            };
            let message = format!("{} reads the whole collection, however large it is{looped}", command.name);
            let finding = Finding::new(root.span(event.at), message)
                .help("read a bounded range, or page through it from the client");
            findings.push(finding.labels(root.call_labels(event.at)));
        }
    }
    findings
}
