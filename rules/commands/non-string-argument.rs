use crate::{facts::Facts, rule::Finding, value::Kinds};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for event in root.events().iter().filter(|event| event.raises() && !root.is_protected(event.at)) {
            for arg in event.args.iter().filter(|arg| arg.spread.is_none()) {
                let kinds = arg.value.kinds;
                if kinds.is_never() || kinds.may_be(Kinds::STRING.or(Kinds::NUMBER)) {
                    continue;
                }
                let shown = facts.snippet(root, arg.at);
                let message = format!(
                    "{} gets `{shown}`, which is {kinds}: only strings and numbers can be sent",
                    event.shown_name()
                );
                let help = if kinds.within(Kinds::NIL) {
                    "give it a value first"
                } else {
                    "send text: `tostring(...)`, `cjson.encode(...)` or a field of it"
                };
                findings.push(Finding::new(root.span(arg.at), message).help(help).labels(root.call_labels(event.at)));
                break;
            }
        }
    }
    findings
}
