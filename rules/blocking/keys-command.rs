use crate::{facts::Facts, rule::Finding};

/// Commands whose work grows with all that a database holds.
const WHOLE_DATABASE: [&str; 2] = ["FLUSHALL", "FLUSHDB"];

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for event in root.events() {
            let Some(command) = event.command else { continue };
            let finding = match command.name {
                "KEYS" => {
                    Finding::new(root.span(event.at), "KEYS walks every key of the database while all clients wait")
                        .help("keep the names in a set or hash of their own, or SCAN from the client")
                }
                name if WHOLE_DATABASE.contains(&name) => {
                    Finding::new(root.span(event.at), format!("{name} empties the database while all clients wait"))
                        .help("send it from the client, with ASYNC")
                        .strict()
                }
                _ => continue,
            };
            findings.push(finding.labels(root.call_labels(event.at)));
        }
    }
    findings
}
