use rustc_hash::FxHashSet;

use crate::{
    events::{Arg, Event},
    facts::{Facts, Root},
    ir::{LocalId, LoopId, Op, ValueId},
    origin::{Origin, OriginId, Site},
    rule::{Finding, one_per_root},
    trips::{self, Source},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        let unguarded = root.events().iter().filter_map(|event| unguarded(facts, root, event));
        findings.extend(one_per_root(unguarded, "and here"));
    }
    findings
}

/// The finding with the table that it is about.
fn unguarded(facts: &Facts, root: &Root, event: &Event) -> Option<(OriginId, Finding)> {
    let command = event.command?;
    let (last, fixed) = event.args.split_last()?;
    let empty = last.spread.is_some_and(|count| count.low == 0);
    let alone = command.arity < 0;
    // The command's name counts as one.
    let fails = fixed.len() + 1 < usize::from(command.arity.unsigned_abs());
    if !empty || !alone || !fails || root.is_protected(event.at) {
        return None;
    }
    let Op::Call { args, .. } = root.op(last.at) else { return None };
    // Where the values end is up to code that nobody can read: it may count them before.
    let [table, ..] = args[..] else { return None };
    if 2 < args.len() {
        return None;
    }
    let (message, related) = may_be_empty(facts, root, table)?;
    if is_guarded(facts, root, event, &related) {
        return None;
    }
    let shown = facts.snippet(root, table);
    let finding = Finding::new(root.span(last.at), format!("{} fails if `{shown}` is empty: {message}", command.name))
        .help(format!("test it first: `if #{shown} > 0 then`"));
    Some((root.origin(table), finding.labels(root.call_labels(last.at))))
}

/// What a guard would test: the table, what it is filled from, and what is counted beside it.
#[derive(Default)]
struct Related {
    sites: FxHashSet<ValueId>,
    locals: FxHashSet<LocalId>,
    origins: FxHashSet<OriginId>,
}

/// Why the table may be empty, if it surely can.
fn may_be_empty(facts: &Facts, root: &Root, table: ValueId) -> Option<(String, Related)> {
    let mut related = Related::default();
    if let Op::Get(local) = root.op(table) {
        related.locals.insert(*local);
    }
    let sources = trips::of_list(facts, root.origin(table));
    let mut message = None;
    for source in &sources {
        match *source {
            Source::Reply(at) => {
                let event = root.event(at).filter(|event| !facts.is_of_another_piece(event))?;
                related.sites.insert(at);
                if 0 < event.reply.length.low {
                    return None;
                }
                related.origins.extend(event.key_args().map(|(_, arg)| arg.value.origin));
                message = Some(format!("{} may give nothing", event.shown_name()));
            }
            Source::Table(made) => {
                related.sites.insert(made);
                message = Some(filled(facts, root, made, &mut related)?);
            }
            Source::Count(_) | Source::Argument(_) => return None,
        }
    }
    Some((message?, related))
}

/// Every element is added in a loop over a reply, or only if a reply says so.
fn filled(facts: &Facts, root: &Root, made: ValueId, related: &mut Related) -> Option<String> {
    let fills = trips::fills(facts, root, made);
    let mut message = None;
    for within in fills {
        let id = within?;
        let sources = trips::trips(facts, root, id).sources;
        note_loop(facts, root, id, related);
        let reply = sources.iter().find_map(|source| match source {
            Source::Reply(at) => {
                root.event(*at).filter(|event| event.reply.length.low == 0 && !facts.is_of_another_piece(event))
            }
            Source::Argument(_) | Source::Count(_) | Source::Table(_) => None,
        })?;
        related.sites.insert(reply.at);
        message = Some(format!("it is filled from what {} gives", reply.shown_name()));
    }
    message
}

/// What the loop changes beside the table: parallel tables, counters, flags.
fn note_loop(facts: &Facts, root: &Root, id: LoopId, related: &mut Related) {
    related.locals.extend(trips::sets(root, id).map(|(local, _)| local));
    for at in trips::insts(root, id) {
        if let Op::SetIndex { table, .. } = root.op(at)
            && let Origin::Made(made) = facts.origins.get(root.origin(*table))
        {
            related.sites.insert(*made);
        }
    }
}

/// Does a condition on the way to the call look at anything related?
fn is_guarded(facts: &Facts, root: &Root, event: &Event, related: &Related) -> bool {
    let Some(block) = root.graph.block_of(event.at) else { return true };
    // Inside a loop over the reply there is an element.
    let walks = |id: LoopId| {
        let sources = trips::trips(facts, root, id).sources;
        sources.iter().any(|source| matches!(source, Source::Reply(at) if related.sites.contains(at)))
    };
    if trips::outward(root, root.graph.in_loop(event.at)).any(walks) {
        return true;
    }
    let mut seen = FxHashSet::default();
    let mut work = vec![block];
    while let Some(block) = work.pop() {
        for (branch, cond) in root.conditions(block) {
            if seen.insert(branch) {
                if looks_at(facts, root, cond, related, 6) {
                    return true;
                }
                work.push(branch);
            }
        }
    }
    false
}

fn looks_at(facts: &Facts, root: &Root, value: ValueId, related: &Related, depth: u8) -> bool {
    let origin = root.origin(value);
    let mentioned = related.sites.iter().any(|&site| facts.origins.mentions(origin, Site::Value(site)));
    let mut found = mentioned || matches!(root.op(value), Op::Get(local) if related.locals.contains(local));
    facts.origins.leaves(origin, &mut |leaf, leaf_origin| {
        found |= related.origins.contains(&leaf) && facts.origins.constant(leaf).is_none();
        found |= matches!(leaf_origin, Origin::Phi(local, _) if related.locals.contains(local));
        // `EXISTS key` before a read of the key.
        if let Origin::Reply(at) = leaf_origin
            && let Some(event) = root.event(*at)
        {
            found |= event.key_args().any(|(_, arg): (_, &Arg)| related.origins.contains(&arg.value.origin));
        }
    });
    if !found && 0 < depth {
        root.op(value).operands(|operand| found |= looks_at(facts, root, operand, related, depth - 1));
    }
    found
}
