use crate::{
    facts::Facts,
    registrations::Registration,
    rule::{Finding, Severity},
    shebang::{FLAGS, Shebang, Word},
    source::Span,
    target::{Product, Target, Version, closest},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let Some(shebang) = &facts.shebang else { return missing(facts).into_iter().collect() };
    let old = facts.targets_where(takes_none);
    if !old.is_empty() {
        let message = "Redis before 7.0 takes no shebang: the script does not compile";
        let finding = Finding { targets: old, ..Finding::new(shebang.span, message) };
        return vec![finding.help("remove the line")];
    }
    if shebang.span.end as usize == facts.source.text.len() {
        return vec![Finding::new(shebang.span, "the shebang has no line end, so that nothing is left to run")];
    }
    let faults = if facts.is_library { of_library(facts, shebang) } else { of_script(shebang) };
    engine(facts, shebang).into_iter().chain(faults).collect()
}

/// Functions without a shebang, which FUNCTION LOAD refuses. Some program may put it there.
fn missing(facts: &Facts) -> Option<Finding> {
    let first: &Registration = facts.registrations.first().filter(|_| !facts.is_piece)?;
    let message = "a library of functions begins with a shebang: FUNCTION LOAD refuses it without one";
    let finding = Finding::new(facts.main().span(first.at), message).grade(Severity::Warning);
    Some(finding.help("put `#!lua name=NAME` into the first line"))
}

fn takes_none(target: Target) -> bool {
    match target.product {
        Product::Redis => target.version < Version(7, 0, 0),
        Product::KeyDb => true,
        Product::Valkey | Product::Dragonfly | Product::Kvrocks => false,
    }
}

fn engine(facts: &Facts, shebang: &Shebang) -> Option<Finding> {
    let engine = &shebang.engine;
    if engine.text == "lua" || (facts.is_library && engine.text.eq_ignore_ascii_case("lua")) {
        return None;
    }
    let targets = facts.targets_where(|target| !(engine.text.eq_ignore_ascii_case("lua") && takes_any_case(target)));
    if targets.is_empty() {
        return None;
    }
    let message = match engine.text.as_str() {
        "" => "the engine has to follow `#!` right away".into(),
        name => format!("no engine is called `{name}`"),
    };
    Some(Finding { targets, ..Finding::new(engine.span, message) }.help("write `#!lua`"))
}

/// Does the server take the engine of scripts in any case?
fn takes_any_case(target: Target) -> bool {
    match target.product {
        Product::Valkey => Version(8, 1, 0) <= target.version,
        Product::Redis | Product::Dragonfly | Product::Kvrocks | Product::KeyDb => false,
    }
}

fn of_script(shebang: &Shebang) -> Vec<Finding> {
    let mut findings = Vec::new();
    for option in &shebang.options {
        let word = option.text.as_str();
        if word.starts_with("flags=") {
            continue;
        }
        // The blank behind a comma was told of.
        let before = shebang.options.iter().rev().find(|other| other.span.end < option.span.start);
        if before.is_some_and(|before| before.text.starts_with("flags=") && before.text.ends_with(',')) {
            continue;
        }
        let finding = Finding::new(option.span, format!("scripts take no option `{word}`"));
        let flag = word.trim_start_matches('-').trim_start_matches("flags:");
        findings.push(match FLAGS.contains(&flag) || word.eq_ignore_ascii_case("flags") {
            true => finding.help("write flags like `flags=no-writes,allow-stale`"),
            false => finding.help("the only option is `flags=`"),
        });
    }
    let flags = shebang.flags().into_iter().flatten();
    findings.extend(flags.filter(|flag| !FLAGS.contains(&flag.text.as_str())).map(|flag| unknown_flag(&flag)));
    findings.dedup_by_key(|finding| (finding.span, finding.message.clone()));
    findings
}

fn unknown_flag(flag: &Word) -> Finding {
    if flag.text.is_empty() {
        return Finding::new(flag.span, "a flag is empty: flags are split by commas, without blanks")
            .help("write `flags=no-writes,allow-stale`");
    }
    let finding = Finding::new(flag.span, format!("no flag is called `{}`", flag.text));
    match closest(&flag.text.to_ascii_lowercase(), FLAGS) {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None => finding.help(format!("there are {}", FLAGS.join(", "))),
    }
}

fn of_library(facts: &Facts, shebang: &Shebang) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut name: Option<Span> = None;
    for option in &shebang.options {
        match option.value("name") {
            Some(_) if name.is_some() => findings.push(Finding::new(option.span, "the library has a name already")),
            Some(given) => {
                name = Some(option.span);
                if given.is_empty() || !given.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                    let message = format!("`{given}` is no name: only letters, digits and `_` may stand in it");
                    findings.push(Finding::new(option.span, message));
                }
            }
            None => {
                let finding = Finding::new(option.span, format!("libraries take no option `{}`", option.text));
                findings.push(match option.text.starts_with("flags") {
                    true => {
                        finding.help("give flags to each function: `register_function{ ..., flags = { 'no-writes' } }`")
                    }
                    false => finding.help("the only option is `name=`"),
                });
            }
        }
    }
    if name.is_none() && !facts.registrations.is_empty() && findings.is_empty() {
        let finding = Finding::new(shebang.span, "the library has no name");
        findings.push(finding.help("write `#!lua name=NAME`"));
    }
    findings
}
