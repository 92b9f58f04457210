use crate::{
    facts::{Facts, Root},
    ir::{Op, ValueId},
    rule::Finding,
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        findings.extend(root.builtin_calls().filter_map(|(at, name)| redundant(facts, root, at, name)));
    }
    findings
}

fn redundant(facts: &Facts, root: &Root, at: ValueId, name: &str) -> Option<Finding> {
    let Op::Call { args, .. } = root.op(at) else { return None };
    let [arg] = args[..] else { return None };
    let kinds = root.value(arg).kinds;
    let what = match name {
        "tonumber" if kinds.within(Kinds::NUMBER) => "a number",
        "tostring" if kinds.within(Kinds::STRING) => "a string",
        _ => return None,
    };
    // In a helper that several call it may be needed by another call.
    if kinds.is_never() || root.inst(at).via.is_some() {
        return None;
    }
    let shown = facts.snippet(root, arg);
    Some(Finding::new(root.span(at), format!("`{shown}` is {what} already")).help(format!("write `{shown}`")))
}
