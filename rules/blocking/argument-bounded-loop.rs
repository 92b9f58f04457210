use crate::{
    facts::{Facts, Root},
    ir::{LoopId, Op},
    origin::{Input, Origin},
    rule::Finding,
    trips::{self, Source},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for index in 0..root.function.loops.len() {
            let id = LoopId(index as u32);
            findings.extend(unbounded(facts, root, id));
        }
    }
    findings
}

fn unbounded(facts: &Facts, root: &Root, id: LoopId) -> Option<Finding> {
    let mut calls = trips::insts(root, id).filter_map(|at| root.event(at));
    let call = calls.next()?;
    let trips = trips::trips(facts, root, id);
    if trips.most.is_some() || walks_arguments(facts, root, id) {
        return None;
    }
    let bound = trips.bound?;
    let argument = trips.sources.iter().find_map(|source| match source {
        Source::Argument(origin) => Some(*origin),
        Source::Count(_) | Source::Reply(_) | Source::Table(_) => None,
    });
    let whole = trips.sources.iter().find_map(|source| match source {
        Source::Reply(at) => root.event(*at).filter(|event| event.reply.whole),
        Source::Argument(_) | Source::Count(_) | Source::Table(_) => None,
    });
    let span = root.function.loops[id.index()].span;
    let finding = match (argument, whole) {
        (Some(argument), _) => {
            let shown = facts.show_origin(root, argument);
            Finding::new(span, format!("`{shown}` sets how often this loop calls {}", call.shown_name()))
                .label(root.span(bound), "nothing bounds it")
                .help(format!("bound it: `math.min(tonumber({shown}), 1000)`"))
                .strict()
        }
        (None, Some(reply)) => {
            // Reading a whole collection for each member of another is what stops servers.
            let nested = [call].into_iter().chain(calls).find(|event| event.reply.whole);
            let what = nested.map_or(call.shown_name(), |event| event.shown_name());
            let message = format!("this loop calls {what} once for each element that {} gives", reply.shown_name());
            let finding = Finding::new(span, message)
                .label(root.span(reply.at), "nothing bounds how many these are")
                .help("read a bounded part, and let the client call again for the rest");
            if nested.is_some() { finding } else { finding.strict() }
        }
        (None, None) => return None,
    };
    Some(finding.labels(root.call_labels(call.at)))
}

/// Does the body read `ARGV[i]` or `KEYS[i]`? Then the caller passes as many as there are rounds.
fn walks_arguments(facts: &Facts, root: &Root, id: LoopId) -> bool {
    trips::insts(root, id).any(|at| {
        let Op::Index(base, key) = root.op(at) else { return false };
        matches!(facts.origins.get(root.origin(*base)), Origin::Input(Input::Argv | Input::Keys))
            && facts.origins.constant(root.origin(*key)).is_none()
    })
}
