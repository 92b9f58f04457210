use crate::{facts::Facts, rule::Finding, target::Target};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for event in root.events() {
            let Some(command) = event.command else { continue };
            let is_plain = |&target: &Target| command.available(target) && event.fits && command.is_uniform(target);
            if facts.targets.iter().all(is_plain) {
                continue;
            }
            let lacking = facts.targets_where(|target| !command.available(target));
            // A call that fits no server at all is for other rules.
            let (message, targets) = if lacking.is_empty() && !event.fits {
                continue;
            } else if lacking.is_empty() {
                let arguments = facts.arguments(event);
                let targets = facts.targets_where(|target| command.supports(&arguments, target) == Some(false));
                (format!("{} has not all of these options on {}", command.name, names(&targets)), targets)
            } else {
                (format!("{} is no command of {}", command.name, names(&lacking)), lacking)
            };
            if targets.is_empty() {
                continue;
            }
            let finding = Finding { targets, ..Finding::new(root.span(event.at), message) };
            findings.push(finding.labels(root.call_labels(event.at)));
        }
    }
    findings
}

fn names(targets: &[Target]) -> String {
    targets.iter().map(Target::to_string).collect::<Vec<_>>().join(", ")
}
