use crate::{
    rule::Finding,
    source::{Outcome, Source},
};

pub(crate) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for include in &source.includes {
        let Outcome::Cycle(others) = &include.outcome else { continue };
        let name = source.snippet(include.name);
        let message = match others[..] {
            [] => format!("`{name}` is this file: it includes itself"),
            [_, ..] => format!("`{name}` includes this file again"),
        };
        let finding = Finding::new(include.name, message).help("move what both need to a file of its own");
        findings.push(others.iter().fold(finding, |finding, &other| finding.aside(other, "by this include")));
    }
    findings
}
