use crate::{
    facts::{Facts, Root},
    ir::{Op, ValueId},
    limits,
    origin::{Input, Origin, OriginId},
    rule::{Finding, one_per_root},
    trips::{self, Source},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        findings.extend(one_per_root(root.calls_of("unpack").filter_map(|at| beyond(facts, root, at)), "and here"));
    }
    findings
}

/// The finding with the table that it is about.
fn beyond(facts: &Facts, root: &Root, at: ValueId) -> Option<(OriginId, Finding)> {
    let Op::Call { args, .. } = root.op(at) else { return None };
    let length = root.spread_length(at)?;
    let table = *args.first()?;
    if length.high <= limits::UNPACKED || root.is_protected(at) || is_fixed(root, at) || is_part(facts, root, args) {
        return None;
    }
    let source = source(facts, root, table)?;
    let shown = facts.show(root, table);
    let finding = match source {
        Source::Reply(reply) => {
            let event = root.event(reply)?;
            let message = format!(
                "`unpack` fails beyond {} values, and nothing bounds what {} gives",
                limits::UNPACKED,
                event.shown_name()
            );
            Finding::new(root.span(at), message).label(root.span(reply), "this may be any number of values")
        }
        Source::Count(_) | Source::Argument(_) => {
            let message = format!("`unpack` fails beyond {} values, and nothing bounds `{shown}`", limits::UNPACKED);
            Finding::new(root.span(at), message).strict()
        }
        Source::Table(_) => return None,
    };
    let finding =
        finding.help("send them in chunks: `for i = 1, #t, 1000 do ... unpack(t, i, math.min(i + 999, #t)) ... end`");
    Some((root.origin(table), finding.labels(root.call_labels(at))))
}

/// Does it end where another value says? Nobody knows then how many values it gives.
fn is_part(facts: &Facts, root: &Root, args: &[ValueId]) -> bool {
    let [table, _, to] = args else { return false };
    !matches!(facts.origins.get(root.origin(*to)), Origin::Length(of) if *of == root.origin(*table))
}

/// Do its values go to a command that takes a fixed number of arguments? Then there are never many.
fn is_fixed(root: &Root, at: ValueId) -> bool {
    let fixed =
        |&user: &ValueId| root.event(user).and_then(|event| event.command).is_some_and(|command| 0 < command.arity);
    root.users(at).iter().any(fixed)
}

/// What decides how long the table gets, if that is known and unbounded.
fn source(facts: &Facts, root: &Root, table: ValueId) -> Option<Source> {
    let of_table = trips::of_list(facts, root.origin(table));
    let decoded = of_table.is_empty() && comes_from_arguments(facts, root, table);
    let mut worst = decoded.then_some(Source::Count(Input::Argv));
    for source in &of_table {
        let found = match *source {
            Source::Reply(reply) => root.event(reply)?.reply.whole.then_some(Source::Reply(reply))?,
            Source::Count(input) => Source::Count(input),
            Source::Argument(_) => return None,
            Source::Table(made) => fill_source(facts, root, made, of_table.len())?,
        };
        if worst.is_none() || matches!(found, Source::Reply(_)) {
            worst = Some(found);
        }
    }
    worst
}

/// What decides how often elements are added to a table.
fn fill_source(facts: &Facts, root: &Root, made: ValueId, tables: usize) -> Option<Source> {
    let mut worst = None;
    let born = root.graph.in_loop(made);
    for within in trips::fills(facts, root, made) {
        // Only a loop that the table outlives can make it long.
        let looped =
            trips::outward(root, within).take_while(|&id| !born.is_some_and(|born| root.graph.loop_contains(id, born)));
        for id in looped {
            // A table that the loop starts anew is a chunk.
            if 1 < tables || is_reset(facts, root, id, made) {
                return None;
            }
            let trips = trips::trips(facts, root, id);
            // The caller chooses the size of chunks.
            let chosen = trips.sources.iter().any(|source| matches!(source, Source::Argument(_)));
            if chosen || trips.most.is_some_and(|most| most <= limits::UNPACKED) {
                continue;
            }
            for source in trips.sources {
                match source {
                    Source::Reply(reply) if root.event(reply).is_some_and(|event| event.reply.whole) => {
                        return Some(Source::Reply(reply));
                    }
                    Source::Count(_) | Source::Argument(_) => worst = Some(source),
                    Source::Reply(_) | Source::Table(_) => {}
                }
            }
        }
    }
    worst
}

/// Does the loop put a new table where this one was?
fn is_reset(facts: &Facts, root: &Root, id: crate::ir::LoopId, made: ValueId) -> bool {
    let holders = trips::holders(facts, root, made);
    trips::sets(root, id).any(|(local, value)| {
        holders.contains(&local)
            && matches!(facts.origins.get(root.origin(value)), Origin::Made(other) if *other != made)
    })
}

fn comes_from_arguments(facts: &Facts, root: &Root, table: ValueId) -> bool {
    let mut found = false;
    facts.origins.leaves(root.origin(table), &mut |leaf, _| {
        found |= matches!(facts.origins.element(leaf), Some((Input::Argv, _)));
    });
    found
}
