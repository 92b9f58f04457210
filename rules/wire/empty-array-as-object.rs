use crate::{
    facts::{Facts, Root},
    ir::{Const, LoopKind, Op, ValueId},
    names,
    origin::{Input, Origin, OriginId, Site},
    returns::{self, Field, Table},
    rule::{Finding, one_per_root},
    value::Kinds,
};

/// Words in names of what is a list.
const LISTS: [&str; 14] = [
    "array", "list", "items", "rows", "entries", "elements", "results", "values", "members", "ids", "keys", "queue",
    "jobs", "tags",
];

/// Words in names of what has named fields.
const OBJECTS: [&str; 16] = [
    "by",
    "map",
    "object",
    "obj",
    "dict",
    "options",
    "opts",
    "params",
    "headers",
    "settings",
    "meta",
    "attributes",
    "props",
    "fields",
    "stats",
    "counts",
];

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    for (n, root) in facts.roots.iter().enumerate() {
        for at in root.calls_of("cjson.encode") {
            let Some(tables) = root.values.handed.get(&Site::Value(at)) else { continue };
            let mut tables: Vec<(ValueId, &Table)> = tables.iter().map(|(&made, table)| (made, &**table)).collect();
            tables.sort_by_key(|(made, _)| *made);
            for &(made, table) in &tables {
                if let Some(finding) = object(facts, root, at, made, table, &tables) {
                    found.push(((n, made), finding));
                }
            }
        }
    }
    one_per_root(found, "encoded here too")
}

fn object(
    facts: &Facts,
    root: &Root,
    at: ValueId,
    made: ValueId,
    table: &Table,
    tables: &[(ValueId, &Table)],
) -> Option<Finding> {
    if table.open || table.length.low != 0 {
        return None;
    }
    let finding = if table.fields.is_empty() && table.rest.is_none() {
        let name = name(facts, root, made, tables)?;
        let message = format!("`{name}` is written as `{{}}`, an object: cjson knows no empty array");
        Finding::new(root.span(made), message)
    } else {
        let rest = table.rest.as_ref().filter(|_| is_list(table))?;
        if over_keys(facts, root, rest) {
            return None;
        }
        let message = "the list may be empty, and is then written as `{}`, an object: cjson knows no empty array";
        Finding::new(root.span(at), message).label(root.span(made), "filled from here on")
    };
    let finding = finding.help("write `#t == 0 and '[]' or cjson.encode(t)`, or leave the field out while it is empty");
    Some(finding.labels(root.call_labels(at)))
}

/// Was it only appended to?
fn is_list(table: &Table) -> bool {
    let numbers = |(key, _): &(Const, Field)| matches!(key, Const::Number(_));
    table.fields.iter().all(numbers) && !table.rest_keys.is_never() && table.rest_keys.within(Kinds::NUMBER)
}

/// The plural name under which the empty table stands.
fn name(facts: &Facts, root: &Root, made: ValueId, tables: &[(ValueId, &Table)]) -> Option<String> {
    let fields = tables.iter().flat_map(|(_, table)| &table.fields);
    let field =
        fields.filter(|(_, field)| returns::made(facts, field.value.origin).contains(&made)).find_map(|(key, _)| {
            match *key {
                Const::Text(name) => Some(facts.texts.show(name).into_owned()),
                Const::Number(_) | Const::Nil | Const::False | Const::True => None,
            }
        });
    let local = || {
        root.users(made).iter().find_map(|&user| match *root.op(user) {
            Op::Set(local, _) => {
                root.local(&facts.program, local).name.map(|name| facts.source.snippet(name).into_owned())
            }
            _ => None,
        })
    };
    let name = field.or_else(local)?;
    let words = names::words(&name);
    let last = words.last()?;
    let plural = last.ends_with('s') && !last.ends_with("ss") && !last.ends_with("us") && 3 < last.len();
    let is_object = words.iter().any(|word| OBJECTS.contains(&word.as_str()));
    ((plural || LISTS.contains(&last.as_str())) && !is_object).then_some(name)
}

/// Is it filled once for each of KEYS? Callers pass some.
fn over_keys(facts: &Facts, root: &Root, field: &Field) -> bool {
    let keys = |origin: OriginId| match *facts.origins.get(facts.origins.present(origin)) {
        Origin::Length(of) => *facts.origins.get(of) == Origin::Input(Input::Keys),
        _ => false,
    };
    let mut within = root.graph.in_loop(field.at);
    while let Some(id) = within {
        let over = match root.function.loops[id.index()].kind {
            LoopKind::Numeric { limit, .. } => keys(root.origin(limit)),
            LoopKind::Generic { step } => match *root.op(step) {
                Op::Call { callee, .. } => match facts.origins.get(facts.origins.present(root.origin(callee))) {
                    Origin::Apply(_, parts, _) => {
                        parts.iter().any(|&part| *facts.origins.get(part) == Origin::Input(Input::Keys))
                    }
                    _ => false,
                },
                _ => false,
            },
            LoopKind::While | LoopKind::Repeat => false,
        };
        if over {
            return true;
        }
        within = root.graph.loop_parent(id);
    }
    false
}
