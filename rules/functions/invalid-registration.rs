use rustc_hash::FxHashMap;

use crate::{
    facts::{Facts, Root},
    ir::Const,
    registrations::{Field, Form, Registration},
    rule::Finding,
    shebang::FLAGS,
    source::Span,
    target::closest,
    value::Kinds,
};

const ARGUMENTS: [&str; 4] = ["callback", "description", "flags", "function_name"];

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let root = facts.main();
    let mut findings = Vec::new();
    for registration in &facts.registrations {
        let faults = match &registration.form {
            Form::Positional(args) => positional(root, registration, args).into_iter().collect(),
            Form::Named(fields) => named(facts, registration, fields),
            Form::Unknown => Vec::new(),
        };
        let faults = faults.into_iter().chain(bad_name(facts, registration)).chain(bad_flags(facts, registration));
        findings.extend(faults.map(|finding| finding.labels(root.call_labels(registration.at))));
    }
    findings.extend(twice(facts));
    findings.extend(nothing(facts));
    findings
}

fn positional(root: &Root, registration: &Registration, args: &[Field]) -> Option<Finding> {
    let at = root.span(registration.at);
    match args {
        [name, callback] if !name.value.kinds.may_be(Kinds::STRING.or(Kinds::NUMBER)) => {
            let finding = Finding::new(root.span(name.at), "the first argument of `register_function` is the name");
            Some(match name.value.kinds.within(Kinds::FUNCTION) && callback.value.kinds.within(Kinds::STRING) {
                true => finding.help("swap the two arguments"),
                false => finding.help("give it a string"),
            })
        }
        [_, callback] if !callback.value.kinds.may_be(Kinds::FUNCTION) => {
            let message = "the second argument of `register_function` is the function";
            Some(Finding::new(root.span(callback.at), message).help("write `function(keys, args) ... end`"))
        }
        [_, _] => None,
        [table] if table.value.kinds.may_be(Kinds::TABLES) => None,
        [_, _, more, ..] => {
            let message = "`register_function` takes a name and a function, nothing more";
            let help =
                "name the arguments: `register_function{ function_name = ..., callback = ..., flags = { ... } }`";
            Some(Finding::new(root.span(more.at), message).help(help))
        }
        [] | [_] => {
            let finding = Finding::new(at, "`register_function` takes a name and a function, or one table of both");
            Some(finding.help("write `register_function('name', function(keys, args) ... end)`"))
        }
    }
}

fn named(facts: &Facts, registration: &Registration, fields: &[(Const, Field)]) -> Vec<Finding> {
    let root = facts.main();
    let mut findings = Vec::new();
    for &(key, field) in fields {
        let Const::Text(text) = key else {
            let finding =
                Finding::new(root.span(field.at), "the arguments of `register_function` in a table have names");
            findings.push(finding.help("write `function_name = ...` and `callback = ...`"));
            break;
        };
        let name = facts.texts.show(text);
        if !ARGUMENTS.contains(&&*name) {
            let finding = Finding::new(root.span(field.at), format!("`register_function` takes no argument `{name}`"));
            findings.push(match closest(&name, ARGUMENTS).or((name == "name").then_some("function_name")) {
                Some(near) => finding.help(format!("did you mean `{near}`?")),
                None => finding.help(format!("there are {}", ARGUMENTS.join(", "))),
            });
        }
    }
    if !findings.is_empty() {
        return findings;
    }
    let (name, callback) =
        (registration.field(&facts.texts, "function_name"), registration.field(&facts.texts, "callback"));
    for (field, needs, kinds) in
        [(name, "function_name", Kinds::STRING.or(Kinds::NUMBER)), (callback, "callback", Kinds::FUNCTION)]
    {
        match field {
            None => {
                findings.push(Finding::new(root.span(registration.at), format!("the argument `{needs}` is missing")))
            }
            Some(field) if !field.value.kinds.may_be(kinds) => {
                let what = if needs == "callback" { "a function" } else { "a string" };
                findings.push(Finding::new(root.span(field.at), format!("`{needs}` has to be {what}")));
            }
            Some(_) => {}
        }
    }
    findings
}

fn bad_name(facts: &Facts, registration: &Registration) -> Option<Finding> {
    let field = registration.name(&facts.texts)?;
    let name = facts.text(field.value)?;
    let fits = !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let message =
        format!("`{}` is no name: only letters, digits and `_` may stand in it", String::from_utf8_lossy(name));
    (!fits).then(|| Finding::new(facts.main().span(field.at), message))
}

fn bad_flags(facts: &Facts, registration: &Registration) -> Vec<Finding> {
    let root = facts.main();
    let mut findings = Vec::new();
    if let Some(flags) = registration.field(&facts.texts, "flags")
        && !flags.value.kinds.may_be(Kinds::TABLES)
    {
        let finding = Finding::new(root.span(flags.at), "`flags` has to be a table of strings");
        findings.push(finding.help("write `flags = { 'no-writes' }`"));
    }
    for flag in registration.flags.iter().flatten() {
        let Some(text) = facts.text(flag.value) else { continue };
        let text = String::from_utf8_lossy(text);
        if FLAGS.contains(&&*text) {
            continue;
        }
        let finding = Finding::new(root.span(flag.at), format!("no flag is called `{text}`"));
        findings.push(match closest(&text.to_ascii_lowercase(), FLAGS) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding.help(format!("there are {}", FLAGS.join(", "))),
        });
    }
    findings
}

/// The same name again: the library is refused, or one function hides the other.
fn twice(facts: &Facts) -> Vec<Finding> {
    let root = facts.main();
    let mut known: FxHashMap<String, (&[u8], Span)> = FxHashMap::default();
    let mut findings = Vec::new();
    for registration in &facts.registrations {
        let Some(field) = registration.name(&facts.texts) else { continue };
        let Some(name) = facts.text(field.value) else { continue };
        let lower = String::from_utf8_lossy(name).to_ascii_lowercase();
        let Some(&(other, first)) = known.get(&lower) else {
            known.insert(lower, (name, root.span(field.at)));
            continue;
        };
        let (shown, other) = (String::from_utf8_lossy(name), String::from_utf8_lossy(other));
        let message = match shown == other {
            true => format!("a function `{shown}` is registered already: the library is refused"),
            false => format!("`{shown}` and `{other}` are the same name to FCALL: one hides the other"),
        };
        findings.push(
            Finding::new(root.span(field.at), message).aside(first, "registered here").help("rename one of them"),
        );
    }
    findings
}

/// A library that registers nothing.
fn nothing(facts: &Facts) -> Option<Finding> {
    let name = facts.shebang.as_ref()?.name()?;
    if facts.is_piece || facts.texts.find(b"register_function").is_some() {
        return None;
    }
    let finding = Finding::new(name.span, "the library registers no function: FUNCTION LOAD refuses it");
    Some(finding.help("call `redis.register_function`, or remove `name=` from a script for EVAL"))
}
