use crate::{facts::Facts, keys, rule::Finding, value::Kinds};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for root in &facts.roots {
        for one in keys::uses(facts, root).iter().filter(|one| one.is_wrong(facts)) {
            let command = one.event.shown_name();
            let name = facts.snippet(root, one.arg.at);
            let what = if one.arg.value.kinds.within(Kinds::BOOLEAN) { "a boolean" } else { "a number" };
            let reply = facts.origins.reply(facts.origins.present(one.origin())).and_then(|at| root.event(at));
            let mut finding = match reply {
                Some(reply) => {
                    let from = reply.shown_name();
                    Finding::new(
                        one.span(),
                        format!("`{name}` is {what}, the reply of {from}, not the key of {command}"),
                    )
                    .label(root.span(reply.at), format!("{from} replies with {what}"))
                }
                None => Finding::new(one.span(), format!("`{name}` is {what}, not the key of {command}")),
            };
            finding.labels.extend(root.call_labels(one.arg.at));
            let finding = finding.help("pass the key");
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
    }
    findings
}
