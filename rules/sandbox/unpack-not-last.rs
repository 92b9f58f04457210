use crate::{
    facts::{Facts, Form, Root},
    ir::{Op, ValueId},
    rule::Finding,
    value::Interval,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for at in root.all(Form::Call) {
            let Op::Call { args, tail, .. } = root.op(at) else { continue };
            let last = args.len().saturating_sub(usize::from(*tail));
            let inner = if *tail { &args[..last] } else { &args[..last.saturating_sub(1)] };
            findings.extend(
                inner
                    .iter()
                    .filter_map(|&arg| cut(facts, root, arg))
                    .map(|finding| finding.labels(root.call_labels(at))),
            );
        }
    }
    findings
}

/// `unpack(...)` before further arguments: only its first value is passed.
fn cut(facts: &Facts, root: &Root, at: ValueId) -> Option<Finding> {
    let Op::Call { args, .. } = root.op(at) else { return None };
    let one = root.spread_length(at) == Some(Interval::new(1, 1));
    if root.callee(facts, at) != Some("unpack") || one || args.is_empty() {
        return None;
    }
    let shown = facts.snippet(root, at);
    Some(
        Finding::new(root.span(at), format!("`{shown}` gives only its first value here: more arguments follow"))
            .help("put it last, or build one table with all arguments and unpack that"),
    )
}
