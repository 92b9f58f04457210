//! Expiries: which calls give a key one, keep it, or ask for it.

use crate::{
    commands::Certainty,
    events::Event,
    facts::{Facts, Root},
    graph::Order,
    origin::OriginId,
};

/// Options of SET and GETEX that give an expiry.
const OPTIONS: [&str; 4] = ["EX", "PX", "EXAT", "PXAT"];

/// Does the call give its key an expiry, or may it?
pub(crate) fn gives(facts: &Facts, event: &Event) -> bool {
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

/// The calls about the key, it being their first argument.
pub(crate) fn of_key(root: &Root, key: OriginId) -> impl Iterator<Item = &Event> {
    root.events().iter().filter(move |event| event.args.first().is_some_and(|arg| arg.value.origin == key))
}

/// May the first run before the second?
pub(crate) fn may_precede(root: &Root, first: &Event, second: &Event) -> bool {
    root.before(first.at, second.at) != Order::Never
}
