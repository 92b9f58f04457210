use crate::{facts::Facts, rule::Finding};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for event in root.events() {
            let Some(command) = event.command else { continue };
            let targets = facts.targets_where(|target| command.available(target) && command.noscript(target));
            if targets.is_empty() {
                continue;
            }
            let message = format!("{} is refused in scripts", command.name);
            let finding = Finding { targets, ..Finding::new(root.span(event.at), message) };
            findings.push(finding.help("send it from the client").labels(root.call_labels(event.at)));
        }
    }
    findings
}
