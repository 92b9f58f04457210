use crate::{
    facts::{Facts, Root},
    ir::Const,
    returns::{self, Exit, Field, Sent},
    rule::{Finding, Severity},
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    returns::of_tables(facts, "returned here too", |root, exit, sent| dropped(facts, root, exit, sent))
}

fn dropped(facts: &Facts, root: &Root, exit: &Exit, sent: &Sent) -> Option<Finding> {
    let table = sent.table;
    if returns::reply_field(facts, table).is_some() {
        return None;
    }
    let mut lost: Vec<(String, &Field)> = Vec::new();
    let mut is_list = false;
    for (key, field) in table.fields.iter().filter(|(_, field)| !field.value.kinds.within(Kinds::NIL)) {
        match *key {
            Const::Text(name) => lost.push((facts.texts.show(name).into_owned(), field)),
            Const::Number(number) if 1.0 <= number.get() && number.get().fract() == 0.0 => is_list = true,
            Const::Number(number) => lost.push((number.get().to_string(), field)),
            Const::False | Const::True | Const::Nil => {}
        }
    }
    if let Some(rest) = table.rest.as_ref().filter(|rest| !rest.value.kinds.within(Kinds::NIL)) {
        if !table.rest_keys.within(Kinds::STRING) {
            is_list = true;
        } else if lost.is_empty() {
            lost.push(("...".into(), rest));
        }
    }
    let (name, first) = lost.first()?;
    let is_whole = returns::made(facts, root.origin(exit.value?)).contains(&sent.made);
    let (table, part) = if is_whole { ("the table", "") } else { ("a table in the reply", " in the reply") };
    let (message, severity) = if is_list {
        let names: Vec<String> = lost.iter().take(3).map(|(name, _)| format!("`{name}`")).collect();
        (
            format!("the client gets only the numbered elements of {table}: {} is lost", names.join(", ")),
            Severity::Warning,
        )
    } else if name == "..." {
        (format!("the client gets an empty list{part}: the table has only named fields"), Severity::Error)
    } else {
        (
            format!("the client gets an empty list{part}: the table has only named fields, such as `{name}`"),
            Severity::Error,
        )
    };
    let mut finding = Finding::new(exit.span, message)
        .grade(severity)
        .help("return a list of names and values in turn, or `cjson.encode(...)` of the table");
    let set = returns::place(root, sent.made, first);
    if !exit.span.contains(set) {
        finding = finding.label(set, "set here");
    }
    Some(finding.labels(root.call_labels(sent.made)))
}
