use crate::{events::Protection, facts::Facts, rule::Finding};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for event in root.events() {
            let Some(command) = event.command else { continue };
            // These change what the server knows of the key.
            let touches = command.name == "TOUCH" || command.name.starts_with("OBJECT");
            let dropped = event.protection == Protection::None && command.is_readonly() && !touches;
            if !dropped || root.is_read(event.at) {
                continue;
            }
            let message = format!("{} only reads, and nobody uses the reply", command.name);
            let finding = Finding::new(root.span(event.at), message).help("leave it out, or use the reply");
            findings.push(Finding { labels: root.call_labels(event.at), ..finding });
        }
    }
    findings
}
