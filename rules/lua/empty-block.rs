use crate::{facts::Facts, ir::Remark, rule::Finding, source::Span};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let empty = |remark: &Remark| match *remark {
        Remark::Empty(span) if !is_explained(facts, span) => {
            let finding = Finding::new(span, "nothing is done here: the block is empty");
            Some(finding.help("remove it, or say in a comment why it is empty"))
        }
        Remark::Empty(_) | Remark::Unbalanced { .. } => None,
    };
    facts.program.remarks.iter().filter_map(empty).collect()
}

/// Does a comment stand in it?
fn is_explained(facts: &Facts, span: Span) -> bool {
    facts.source.text[span.range()].windows(2).any(|two| two == b"--")
}
