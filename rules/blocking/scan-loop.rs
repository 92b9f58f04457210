use crate::{
    events::Event,
    facts::{Facts, Root},
    ir::LoopId,
    origin::{Origin, OriginId},
    rule::Finding,
    trips,
};

const SCANS: [&str; 4] = ["SCAN", "SSCAN", "HSCAN", "ZSCAN"];

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        for event in root.events() {
            let Some(command) = event.command.filter(|command| SCANS.contains(&command.name)) else { continue };
            let Some(id) = carrying_loop(facts, root, event) else { continue };
            let what = if command.name == "SCAN" { "the whole database" } else { "the whole collection" };
            let span = root.function.loops[id.index()].span;
            findings.push(
                Finding::new(span, format!("this loop carries {} on until it has walked {what}", command.name))
                    .label(root.span(event.at), "each round scans on from the last cursor")
                    .help("return the cursor and let the client call the script again"),
            );
        }
    }
    findings
}

/// The loop that hands the cursor of one round to the next, if no literal bounds its rounds.
fn carrying_loop(facts: &Facts, root: &Root, event: &Event) -> Option<LoopId> {
    let cursor = event.args.get(usize::from(event.command?.name != "SCAN"))?;
    let carrying = trips::outward(root, root.graph.in_loop(event.at))
        .find(|&id| comes_from_reply(facts, root, id, cursor.value.origin, event))?;
    trips::trips(facts, root, carrying).most.is_none().then_some(carrying)
}

/// Does the origin hold what an earlier round's reply gave, directly or through a local that the loop assigns?
fn comes_from_reply(facts: &Facts, root: &Root, id: LoopId, origin: OriginId, event: &Event) -> bool {
    let mut locals = Vec::new();
    let mut found = false;
    let mut look = |origin| {
        let mut phis = Vec::new();
        facts.origins.leaves(origin, &mut |leaf, leaf_origin| {
            found |= facts.origins.reply(leaf) == Some(event.at);
            if let Origin::Phi(local, _) = leaf_origin {
                phis.push(*local);
            }
        });
        (found, phis)
    };
    let (direct, phis) = look(origin);
    if direct {
        return true;
    }
    locals.extend(phis);
    trips::sets(root, id).any(|(local, value)| locals.contains(&local) && look(root.origin(value)).0)
}
