use crate::{
    facts::{Facts, Root},
    ir::{Op, ValueId},
    origin::Origin,
    rule::{Finding, one_per_root},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        let removals = root.calls_of("table.remove").filter_map(|at| quadratic(facts, root, at));
        findings.extend(one_per_root(removals, "and here"));
    }
    findings
}

/// `table.remove(t, 1)` in a loop that `t` comes from outside of.
fn quadratic(facts: &Facts, root: &Root, at: ValueId) -> Option<(ValueId, Finding)> {
    let Op::Call { args, .. } = root.op(at) else { return None };
    let [table, place] = args[..] else { return None };
    let within = root.graph.in_loop(at)?;
    let born = match *facts.origins.get(facts.origins.present(root.origin(table))) {
        Origin::Made(at) => root.graph.in_loop(at),
        Origin::Reply(at) if root.event(at)?.command.is_some() => root.graph.in_loop(at),
        _ => return None,
    };
    if facts.number(root.value(place)) != Some(1.0) || born.is_some_and(|born| root.graph.loop_contains(within, born)) {
        return None;
    }
    let shown = facts.snippet(root, table);
    let message = format!("each round moves all elements of `{shown}`: the loop takes quadratic time");
    let finding = Finding::new(root.span(at), message).help("walk through it with an index, or from its end");
    Some((table, finding.labels(root.call_labels(at))))
}
