use crate::{
    facts::{Facts, Form},
    ir::Op,
    origin::Origin,
    rule::Finding,
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for at in root.all(Form::Index) {
            let Op::Index(base, key) = root.op(at) else { continue };
            let Origin::Input(input) = *facts.origins.get(root.origin(*base)) else { continue };
            let index = root.value(*key);
            if !index.kinds.within(Kinds::INTEGER) || 0 < index.range.high || !index.range.has_upper() {
                continue;
            }
            let name = facts.input_name(root, input);
            let message = format!("`{}` is nil: the first one is `{name}[1]`", facts.snippet(root, at));
            findings.push(Finding::new(root.span(at), message).help("count from 1").labels(root.call_labels(at)));
        }
    }
    findings
}
