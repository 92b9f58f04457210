use rustc_hash::FxHashSet;

use crate::{
    commands::ArgType,
    facts::{Facts, Root},
    ir::{Op, ValueId},
    origin::{Input, Origin, OriginId},
    refusals::{self, Manner, Refusals},
    rule::Finding,
    source::Span,
    value::{Kinds, Value},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    facts.roots.iter().flat_map(|root| of_root(facts, root)).collect()
}

/// A place where an argument that nobody looked at can raise.
struct Place {
    operand: ValueId,
    argument: OriginId,
    what: String,
}

/// One finding for each argument, at the first place where it can raise after a write.
fn of_root(facts: &Facts, root: &Root) -> Vec<Finding> {
    if root.writes().next().is_none() {
        return Vec::new();
    }
    let mut told = FxHashSet::default();
    let mut refused = None;
    let mut found = Vec::new();
    for at in root.insts() {
        for place in places(facts, root, at) {
            let written = root.history.before(at);
            if !written.always || root.is_protected(at) || told.contains(&place.argument) {
                continue;
            }
            let sure = written.sure.iter().filter_map(|&at| root.event(at)).filter(|write| !refusals::prunes(write));
            let Some(write) = sure.clone().find(|write| write.repeats).or(sure.clone().next()) else {
                continue;
            };
            told.insert(place.argument);
            let name = write.shown_name();
            let argument = facts.show_origin(root, place.argument);
            let message =
                format!("`{argument}` is not checked before {name} writes, and {} on a bad value", place.what);
            let mut finding = Finding::new(root.span(place.operand), message)
                .label(root.span(write.at), format!("{name} writes here, and a retry writes again"))
                .help(format!("check `tonumber({argument})` before {name}"));
            let refused = refused.get_or_insert_with(|| refused_early(facts, root));
            match refused.iter().find(|(other, _)| *other != place.argument) {
                Some(&(_, test)) if write.repeats => {
                    finding = finding.aside(test, "another argument is checked in time");
                }
                Some(_) | None => finding.strict = true,
            }
            if !write.repeats {
                finding.labels[0].message = format!("{name} writes here");
            }
            finding.labels.extend(root.call_labels(at));
            found.push(finding);
        }
    }
    found
}

/// Where the call or operation raises unless an argument is a number.
fn places(facts: &Facts, root: &Root, at: ValueId) -> Vec<Place> {
    let mut places = Vec::new();
    if let Some(event) = root.event(at) {
        let bound = |n| event.command.is_some_and(|command| command.takes_score_bound(n));
        for (n, arg) in event.args.iter().enumerate().filter(|(_, arg)| arg.spread.is_none() && !arg.tested) {
            if (arg.takes.is_some_and(ArgType::is_number) || bound(n))
                && let Some(argument) = argument(facts, arg.value)
            {
                let what = format!("{} raises", event.shown_name());
                places.push(Place { operand: arg.at, argument, what });
            }
        }
    }
    if let Op::Binary(op, a, b) = *root.op(at)
        && !root.was_tested(at)
    {
        for (operand, other) in [(a, b), (b, a)] {
            let value = root.value(operand);
            // Text compares with text, and with a number it always raises: that is for other rules.
            let raises = op.is_arithmetic()
                || op.is_order()
                    && !value.kinds.may_be(Kinds::STRING)
                    && root.value(other).kinds.within(Kinds::NUMBER.or(Kinds::NIL));
            if raises && let Some(argument) = argument(facts, value) {
                places.push(Place { operand, argument, what: format!("`{}` raises", op.symbol()) });
            }
        }
    }
    places
}

/// The element of ARGV that the value is, or is the number of, if it may be no number.
fn argument(facts: &Facts, value: Value) -> Option<OriginId> {
    if value.kinds.within(Kinds::NUMERIC) {
        return None;
    }
    let mut origin = value.origin;
    if let Origin::Apply(builtin, parts, 0) = facts.origins.get(origin)
        && builtin.name() == "tonumber"
    {
        origin = *parts.first()?;
    }
    match facts.origins.element(origin) {
        Some((Input::Argv, _)) => Some(origin),
        Some((Input::Keys, _)) | None => None,
    }
}

/// The arguments for which the script refuses before it writes anything, with the tests.
fn refused_early(facts: &Facts, root: &Root) -> Vec<(OriginId, Span)> {
    let refusals = Refusals::new(facts, root);
    let mut found = Vec::new();
    for refusal in refusals.all() {
        let tests = refusals.tests(refusal);
        // What a reply decides is no check of arguments.
        if !refusals.asked(&tests).is_empty() {
            continue;
        }
        for test in tests {
            let choice = refusal.manner == Manner::Literal && refusals.is_mode_switch(&test);
            if choice || refusals.written(&test).ever {
                continue;
            }
            facts.origins.leaves(root.origin(test.cond), &mut |leaf, _| {
                if let Some((Input::Argv, _)) = facts.origins.element(leaf) {
                    found.push((leaf, test.span));
                }
            });
        }
    }
    found
}
