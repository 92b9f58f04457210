//! Completes the book in the folder of its argument: a page a rule from `rules/`, the reference of settings from the schema, and the
//! table of contents. Run by `tools/docs`.

use std::{fmt::Write, fs, io, path::Path};

use evalint::{
    config,
    rule::{RULES, Rule},
};
use serde_json::Value;

fn main() -> io::Result<()> {
    let folder = std::env::args_os().nth(1).ok_or_else(|| io::Error::other("usage: book FOLDER"))?;
    let pages = Path::new(&folder).join("src");
    fs::create_dir_all(pages.join("rules"))?;
    let mut rules: Vec<&Rule> = RULES.iter().collect();
    rules.sort_by_key(|rule| (rule.category, rule.name));

    let mut list =
        String::from("# Rules\n\n| rule | category | severity | preset | fix | finds |\n|---|---|---|---|---|---|\n");
    let mut contents = fs::read_to_string(pages.join("SUMMARY.md"))?;
    contents += "\n- [Rules](rules.md)\n";
    let mut category = "";
    for rule in rules {
        if category != rule.category {
            category = rule.category;
            writeln!(contents, "  - [{category}]()").expect("a String takes all");
        }
        writeln!(contents, "    - [{0}](rules/{0}.md)", rule.name).expect("a String takes all");
        let fix = rule.fix.map_or("", |safety| safety.name());
        let (severity, preset, summary) = (rule.severity.name(), rule.preset.name(), rule.summary.replace('|', "\\|"));
        writeln!(list, "| [{0}](rules/{0}.md) | {category} | {severity} | {preset} | {fix} | {summary} |", rule.name)
            .expect("a String takes all");
        fs::write(pages.join("rules").join(format!("{}.md", rule.name)), page(rule))?;
    }
    fs::write(pages.join("rules.md"), list)?;
    fs::write(pages.join("SUMMARY.md"), contents)?;
    let path = pages.join("config.md");
    let text = fs::read_to_string(&path)?;
    fs::write(path, text + &reference(&config::schema::schema()))
}

/// The page without the words that are for tests: what an example is stands above it, and a mark is a comment in words.
fn page(rule: &Rule) -> String {
    let fix = rule.fix.map_or(String::new(), |safety| format!(", fix: {}", safety.name()));
    let head = format!("*{}, {}, {}{fix}*\n", rule.category, rule.severity.name(), rule.preset.name());
    let mut out = String::new();
    let mut fence = false;
    for line in rule.page.lines() {
        match line.strip_prefix("```") {
            Some(info) if !fence => {
                let words: Vec<&str> = info.split(' ').collect();
                let kinds = [("bad", "Bad:"), ("fixed", "Fixed:"), ("good", "Good:"), ("part", "An included file:")];
                let kind = kinds.iter().find(|(kind, _)| words.contains(kind));
                let servers =
                    words.iter().filter(|word| word.contains('@') || **word == "cluster" || word.ends_with(".lua"));
                let servers = servers.map(|word| word.trim_start_matches("target=")).collect::<Vec<_>>().join(", ");
                let language = if words[0] == "redis" { "text" } else { words[0] };
                match (kind, servers.as_str()) {
                    (Some((_, kind)), "") => writeln!(out, "{kind}\n\n```{language}"),
                    (Some((_, kind)), servers) => {
                        writeln!(out, "{} ({servers}):\n\n```{language}", kind.trim_end_matches(':'))
                    }
                    (None, "") => writeln!(out, "```{language}"),
                    (None, servers) => writeln!(out, "On {servers}:\n\n```{language}"),
                }
            }
            Some(_) => writeln!(out, "```"),
            None if fence => writeln!(out, "{}", shown(line)),
            None if line.starts_with("# ") => writeln!(out, "{line}\n\n{head}"),
            None => writeln!(out, "{line}"),
        }
        .expect("a String takes all");
        fence ^= line.starts_with("```");
    }
    out
}

/// `x() --~ rule "message"` as `x() -- rule`.
fn shown(line: &str) -> String {
    let Some((code, mark)) = line.split_once("--~") else { return line.to_owned() };
    let rules: Vec<&str> = mark.split_whitespace().filter(|word| evalint::rule::rule(word).is_some()).collect();
    let above = if mark.starts_with('^') { "above: " } else { "" };
    format!("{code}-- {above}{}", rules.join(", "))
}

/// A section a setting.
fn reference(schema: &Value) -> String {
    let mut out = String::new();
    section(&mut out, schema, schema, "", 2);
    out
}

fn section(out: &mut String, schema: &Value, table: &Value, prefix: &str, depth: usize) {
    let Some(members) = table["properties"].as_object() else { return };
    let required = table["required"].as_array().map_or(&[][..], Vec::as_slice);
    for (name, member) in members {
        let inner = target(schema, member);
        let values = |key: &str| member.get(key).or(inner.get(key)).and_then(Value::as_array);
        writeln!(out, "\n{} `{prefix}{name}`\n", "#".repeat(depth)).expect("a String takes all");
        let needed = if required.contains(&Value::from(name.as_str())) { " It has to be there." } else { "" };
        let description = member["description"].as_str().unwrap_or_default();
        writeln!(out, "{description}{needed}").expect("a String takes all");
        if let Some(choices) = values("enum") {
            writeln!(out, "\nOne of {}.", codes(choices)).expect("a String takes all");
        }
        if let Some(examples) = values("examples") {
            writeln!(out, "\nFor example {}.", codes(examples)).expect("a String takes all");
        }
        // Rules have pages of their own.
        if inner["properties"].as_object().is_some_and(|inner| inner.contains_key("all")) {
            writeln!(
                out,
                "\nEach is one of `\"off\"`, `\"info\"`, `\"warning\"`, `\"error\"`; [Rules](rules.md) lists the names."
            )
            .expect("a String takes all");
            continue;
        }
        let table =
            ["items", "additionalProperties"].iter().find_map(|key| inner.get(*key).filter(|one| one.is_object()));
        let prefix = match inner["type"].as_str() {
            Some("object") if table.is_some() => format!("{prefix}{name}.NAME."),
            Some(_) | None => format!("{prefix}{name}."),
        };
        section(out, schema, table.map_or(inner, |table| target(schema, table)), &prefix, depth + 1);
    }
}

/// What a member refers to, or itself.
fn target<'a>(schema: &'a Value, member: &'a Value) -> &'a Value {
    let reference = member["$ref"].as_str().or(member["allOf"][0]["$ref"].as_str());
    reference.and_then(|reference| schema.pointer(reference.trim_start_matches('#'))).unwrap_or(member)
}

fn codes(values: &[Value]) -> String {
    values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ")
}
