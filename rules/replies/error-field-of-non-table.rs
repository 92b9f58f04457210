use crate::{
    events::Protection,
    facts::{Facts, Form},
    ir::Op,
    origin::Origin,
    rule::Finding,
    value::Kinds,
};

/// What raises when it is indexed; a string only gives nil.
const RAISES: Kinds = Kinds::NUMBER.or(Kinds::BOOLEAN).or(Kinds::NIL);

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for at in root.all(Form::Index) {
            let Op::Index(base, key) = root.op(at) else { continue };
            let value = root.value(*base);
            let Origin::Reply(call) = *facts.origins.get(facts.origins.present(value.origin)) else { continue };
            let Some(event) = root.event(call).filter(|event| event.protection == Protection::Reply) else { continue };
            // The reply's own line in the table must hold the bad kind: an unknown reply says nothing.
            let bad = event.reply.kinds.and(value.kinds).and(RAISES);
            let known = event.reply.kinds != Kinds::ANY;
            if facts.text(root.value(*key)) != Some(b"err") || !known || bad.is_never() || root.is_protected(at) {
                continue;
            }
            let shown = facts.snippet(root, *base);
            let finding = Finding::new(
                root.span(at),
                format!("`{shown}.err` raises where {} succeeds: the reply is {bad}", event.shown_name()),
            )
            .label(root.span(call), format!("gives {}, or an error table", event.reply.kinds))
            .help(format!("test the type first: `type({shown}) == 'table' and {shown}.err`"));
            findings.push(finding.labels(root.call_labels(at)));
        }
    }
    findings
}
