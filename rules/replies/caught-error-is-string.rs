use crate::{
    events::Protection,
    facts::{Facts, Form},
    ir::Op,
    origin::Origin,
    rule::Finding,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for at in root.all(Form::Index) {
            let Op::Index(base, key) = root.op(at) else { continue };
            let Origin::Reply(call) = *facts.origins.get(facts.origins.present(root.origin(*base))) else { continue };
            let Some(event) = root.event(call).filter(|event| event.protection == Protection::Caught) else { continue };
            if facts.text(root.value(*key)) != Some(b"err") {
                continue;
            }
            let shown = facts.snippet(root, *base);
            let finding = Finding::new(
                root.span(at),
                format!("`{shown}.err` is always nil: `pcall` gives the error's text, not a table"),
            )
            .label(root.span(call), format!("{} is called through Lua's `pcall`", event.shown_name()))
            .help(format!("use `{shown}` itself, or call `redis.pcall`, which gives a table"));
            findings.push(finding.labels(root.call_labels(at)));
        }
    }
    findings
}
