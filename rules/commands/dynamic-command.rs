use crate::{facts::Facts, rule::Finding};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for event in root.events().iter().filter(|event| event.name.is_none()) {
            let finding = Finding::new(
                root.span(event.at),
                "nobody can tell which command this sends, so nothing about it is checked",
            );
            findings.push(finding.help("write the command's name as a literal").labels(root.call_labels(event.at)));
        }
    }
    findings
}
