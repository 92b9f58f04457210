use crate::{facts::Facts, rule::Finding};

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
            findings.push(finding.labels(root.call_labels(event.at)));
        }
    }
    findings
}
