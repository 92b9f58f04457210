use crate::{
    facts::{Facts, Root},
    ir::Const,
    returns::{self, Exit, ReplyField, Sent, Table},
    rule::Finding,
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    returns::of_tables(facts, "here too", |root, exit, sent| taken(facts, root, exit, sent))
}

fn taken(facts: &Facts, root: &Root, exit: &Exit, sent: &Sent) -> Option<Finding> {
    let ReplyField { name, field, sure } = returns::reply_field(facts, sent.table)?;
    if !sure || field.value.kinds.within(Kinds::NIL) {
        return None;
    }
    let beside = beside(facts, sent.table, name);
    let message = match (name, beside) {
        ("err", Some(other)) => format!("the field `err` makes the table an error reply: {other} is lost"),
        ("ok", Some(other)) => format!("the field `ok` makes the table a status reply: {other} is lost"),
        (_, Some(other)) => format!("the field `{name}` makes the table a RESP3 {name}: {other} is lost"),
        ("map" | "set", None) if is_list(facts, exit, root, sent, name) => {
            format!(
                "the field `{name}` makes the table a RESP3 {name}, whose members are the keys 1, 2, ... of this list"
            )
        }
        (_, None) => return None,
    };
    let at = returns::place(root, sent.made, &field);
    let finding = Finding::new(at, message)
        .label(exit.span, "returned here")
        .help("give the field another name, or return `cjson.encode(...)` of the table");
    Some(finding.labels(root.call_labels(sent.made)))
}

/// What else stands in the table.
fn beside(facts: &Facts, table: &Table, name: &str) -> Option<String> {
    for (key, field) in &table.fields {
        if field.value.kinds.within(Kinds::NIL) {
            continue;
        }
        match *key {
            Const::Text(text) if facts.texts.get(text) == name.as_bytes() => {}
            Const::Text(text) => return Some(format!("`{}`", facts.texts.show(text))),
            Const::Number(number) => return Some(format!("element {}", number.get())),
            Const::Nil | Const::False | Const::True => {}
        }
    }
    table.rest.filter(|rest| !rest.value.kinds.may_be(Kinds::NIL)).map(|_| "what else it holds".into())
}

/// Is the field's table a list?
fn is_list(facts: &Facts, exit: &Exit, root: &Root, sent: &Sent, name: &str) -> bool {
    let Some(inner) = sent.table.fields.iter().find_map(|(key, field)| match *key {
        Const::Text(text) if facts.texts.get(text) == name.as_bytes() => Some(field),
        Const::Text(_) | Const::Number(_) | Const::Nil | Const::False | Const::True => None,
    }) else {
        return false;
    };
    let mut lists = returns::made(facts, inner.value.origin).into_iter();
    lists.any(|at| exit.contents(at).is_some_and(|table| !table.open && returns::element(table, 1).is_some()))
        || matches!(facts.origins.reply(inner.value.origin), Some(call) if root.event(call).is_some_and(|event| event.reply.kinds.within(Kinds::TABLE)))
}
