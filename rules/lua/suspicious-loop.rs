use crate::{
    facts::Facts,
    ir::{Const, Function, LoopKind, Op, ValueId},
    rule::Finding,
    source::Span,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for function in &facts.program.functions {
        for one in &function.loops {
            let LoopKind::Numeric { start, limit, step } = one.kind else { continue };
            let by = step.map_or(Some(1.0), |step| number(function, step));
            let Some(by) = by else { continue };
            let (from, to) = (number(function, start), number(function, limit));
            let is_length = matches!(function.op(start), Op::Length(_)) && to.is_some_and(|to| to <= 1.0);
            let range = function.span(start).to(step.map_or(function.span(limit), |step| function.span(step)));
            let shown = facts.source.snippet(range);
            findings.extend(match (from, to) {
                _ if by == 0.0 => Some(finding(range, format!("`{shown}` never comes to its end: the step is 0"))),
                _ if is_length && 0.0 < by => {
                    let text = facts.source.snippet(function.span(start)).into_owned();
                    let to = facts.source.snippet(function.span(limit));
                    let message = format!("`{shown}` counts up: the loop only runs if `{text}` is {to} or less");
                    Some(Finding::new(range, message).help(format!("count down: `{text}, {to}, -1`")))
                }
                (Some(from), Some(to)) if (0.0 < by && to < from) || (by < 0.0 && from < to) => {
                    Some(finding(range, format!("`{shown}` never runs: the loop counts the other way")))
                }
                (_, _) => None,
            });
        }
    }
    findings
}

fn finding(range: Span, message: String) -> Finding {
    Finding::new(range, message).help("turn the bounds round, or the step's sign")
}

/// The literal number, with its sign.
fn number(function: &Function, value: ValueId) -> Option<f64> {
    match *function.op(value) {
        Op::Const(Const::Number(number)) => Some(number.get()),
        Op::Negate(inner) => number(function, inner).map(|number| -number),
        _ => None,
    }
}
