//! Expiries: which calls give a key one, keep it, or ask for it.

use rustc_hash::FxHashMap;

use crate::{
    commands::Certainty,
    events::Event,
    facts::{Facts, Root},
    graph::Order,
    limits,
    origin::OriginId,
};

/// Options of SET and GETEX that give an expiry.
const OPTIONS: [&str; 4] = ["EX", "PX", "EXAT", "PXAT"];

/// Does the call give its key an expiry, or may it?
fn gives(facts: &Facts, event: &Event) -> bool {
    match name(event) {
        "EXPIRE" | "PEXPIRE" | "EXPIREAT" | "PEXPIREAT" | "SETEX" | "PSETEX" | "RESTORE" => true,
        "SET" | "GETEX" => OPTIONS.iter().any(|option| has(facts, event, option)),
        _ => false,
    }
}

/// Does it ask for its key's expiry?
pub(crate) fn asks(event: &Event) -> bool {
    matches!(name(event), "TTL" | "PTTL" | "EXPIRETIME" | "PEXPIRETIME")
}

/// Does it change nothing but its key's expiry?
pub(crate) fn sets(event: &Event) -> bool {
    matches!(name(event), "EXPIRE" | "PEXPIRE" | "EXPIREAT" | "PEXPIREAT" | "PERSIST")
}

/// Does it raise a number?
pub(crate) fn counts(event: &Event) -> bool {
    matches!(name(event), "INCR" | "INCRBY" | "INCRBYFLOAT")
}

/// May the option be among the call's arguments?
pub(crate) fn has(facts: &Facts, event: &Event, option: &str) -> bool {
    let Some(command) = event.command else { return true };
    let arguments = facts.arguments(event);
    command.slots(&arguments).has(option, &arguments) != Certainty::No
}

/// The command's name; empty if it is not known.
pub(crate) fn name(event: &Event) -> &'static str {
    event.command.map_or("", |command| command.name)
}

/// The call's first argument, if it is known to be the same in all calls that have it.
pub(crate) fn key(facts: &Facts, event: &Event) -> Option<OriginId> {
    let key = event.args.first().filter(|arg| arg.spread.is_none())?.value.origin;
    facts.origins.is_single(key).then_some(key)
}

/// The calls about one key, in reverse postorder.
#[derive(Default)]
pub(crate) struct Uses {
    /// Places among the root's events, with whether the call gives an expiry.
    calls: Vec<(usize, bool)>,
    /// Were there more than fit?
    cut: bool,
}

/// By key: the calls that have it as a key.
pub(crate) type ByKey = FxHashMap<OriginId, Uses>;

/// The calls about the key; `None` if there are very many.
pub(crate) fn uses<'a>(
    facts: &Facts,
    root: &'a Root,
    key: OriginId,
) -> Option<impl Iterator<Item = (&'a Event, bool)> + Clone + use<'a>> {
    let uses = root.expiries.get_or_init(|| by_key(facts, root)).get(&key).filter(|uses| !uses.cut)?;
    Some(uses.calls.iter().map(|&(at, gives)| (&root.events()[at], gives)))
}

fn by_key(facts: &Facts, root: &Root) -> ByKey {
    let mut all = ByKey::default();
    for (at, event) in root.events().iter().enumerate() {
        let mut gives = None;
        for (_, arg) in event.key_args() {
            let uses = all.entry(arg.value.origin).or_default();
            uses.cut |= limits::KEY_USES <= uses.calls.len();
            if !uses.cut {
                uses.calls.push((at, *gives.get_or_insert_with(|| self::gives(facts, event))));
            }
        }
    }
    all
}

/// May the first run before the second?
pub(crate) fn may_precede(root: &Root, first: &Event, second: &Event) -> bool {
    root.before(first.at, second.at) != Order::Never
}
