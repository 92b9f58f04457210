use crate::{
    facts::{Facts, Root},
    ir::ValueId,
    returns::{self, Exit},
    rule::Finding,
    value::Kinds,
};

/// What a client can tell apart.
const SHAPES: [(Kinds, &str); 4] = [
    (Kinds::NUMBER.or(Kinds::TRUE), "a number"),
    (Kinds::STRING.or(Kinds::STATUS), "text"),
    (Kinds::TABLE, "an array"),
    (Kinds::FALSY.or(Kinds::NULL).or(Kinds::FUNCTION), "nil"),
];

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    facts.roots.iter().filter_map(|root| mixed(facts, root)).collect()
}

fn mixed(facts: &Facts, root: &Root) -> Option<Finding> {
    let mut seen: Vec<(Kinds, Exit)> = Vec::new();
    for exit in returns::exits(facts, root) {
        let kinds = kinds(facts, root, &exit);
        let known = kinds != Kinds::ANY && !kinds.is_never();
        if !known {
            continue;
        }
        // No shape in common: the caller has to look.
        if let Some((other, before)) =
            seen.iter().find(|(other, _)| !SHAPES.iter().any(|(shape, _)| kinds.may_be(*shape) && other.may_be(*shape)))
        {
            let message = format!("answers {} here, {} elsewhere", shown(kinds), shown(*other));
            let finding = Finding::new(exit.span, message).aside(before.span, format!("{} here", shown(*other)));
            return Some(finding.help("answer in one shape, so that the caller need not guess"));
        }
        seen.push((kinds, exit));
    }
    None
}

/// What the client may get; error replies do not count.
fn kinds(facts: &Facts, root: &Root, exit: &Exit) -> Kinds {
    let Some(value) = exit.value else { return Kinds::NIL };
    let kinds = root.value(value).kinds;
    if kinds == Kinds::ANY {
        return kinds;
    }
    let tables: Vec<ValueId> = returns::made(facts, root.origin(value));
    let mut sent = kinds.without(Kinds::ERROR);
    for table in tables.into_iter().filter_map(|made| exit.contents(made)) {
        if table.open {
            return Kinds::ANY;
        }
        sent = match returns::reply_field(facts, table).map(|field| field.name) {
            None => sent,
            Some("err") => sent.without(Kinds::TABLE),
            Some("ok" | "big_number" | "verbatim_string") => sent.without(Kinds::TABLE).or(Kinds::TEXT),
            Some("double") => sent.without(Kinds::TABLE).or(Kinds::FRACTION),
            Some(_) => sent,
        };
    }
    sent
}

fn shown(kinds: Kinds) -> String {
    let names: Vec<&str> = SHAPES.into_iter().filter(|(shape, _)| kinds.may_be(*shape)).map(|(_, name)| name).collect();
    names.join(" or ")
}
