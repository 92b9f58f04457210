use crate::{
    builtins::Sort,
    facts::{Facts, Form},
    ir::Op,
    origin::Origin,
    rule::Finding,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for at in root.all(Form::SetIndex) {
            let Op::SetIndex { table, .. } = root.op(at) else { continue };
            let Origin::Builtin(builtin) = *facts.origins.get(root.origin(*table)) else { continue };
            if builtin.get().sort != Sort::Library || root.is_protected(at) {
                continue;
            }
            let message = format!("`{}` is read-only: writing to it ends the script", builtin.name());
            let finding = Finding::new(root.span(at), message).help("keep your functions in a local table");
            findings.push(finding.labels(root.call_labels(at)));
        }
    }
    findings
}
