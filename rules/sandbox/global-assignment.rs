use crate::{
    facts::{Facts, Form},
    ir::Op,
    rule::{Edit, Finding, Safety},
    source::Span,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    // A file of functions is a piece that some program takes apart.
    if facts.is_piece {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for root in &facts.roots {
        for at in root.all(Form::SetGlobal) {
            let Op::SetGlobal(name, _) = root.op(at) else { continue };
            let name = facts.texts.show(*name);
            let span = root.span(at);
            let finding = Finding::new(span, format!("`{name}` is a global, and scripts may not make any"));
            let before = &facts.source.text[..span.start as usize];
            let statement = before.iter().rposition(|byte| !byte.is_ascii_whitespace());
            let starts = statement.is_none_or(|last| before[last + 1..].contains(&b'\n'));
            let finding = match starts {
                // In a block of its own the local would be gone after it.
                true => finding
                    .fix(Safety::Unsafe, vec![Edit { span: Span::new(span.start, span.start), text: "local ".into() }]),
                false => finding,
            };
            findings.push(finding.help(format!("declare it: `local {name}`")).labels(root.call_labels(at)));
        }
    }
    findings
}
