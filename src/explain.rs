//! What the catalogue says, for the terminal and for the README: all is printed from [`RULES`].

use std::fmt::Write;

use serde::Serialize;

use crate::{
    config::Selector,
    rule::{RULES, Rule},
};

/// Columns of the terminal that pages are written for.
const WIDTH: usize = 80;

/// The page of a rule, or the rules of a category or of all.
pub fn explain(selector: Selector) -> String {
    match selector {
        Selector::Rule(rule) => page(rule),
        Selector::Category(_) | Selector::All => rules(selector),
    }
}

/// A line a rule: name, severity, preset, summary.
pub fn rules(selector: Selector) -> String {
    let rules: Vec<_> = RULES.iter().filter(|rule| selector.matches(rule)).collect();
    let width = rules.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    let mut categories: Vec<_> = rules.iter().map(|rule| rule.category).collect();
    categories.sort_unstable();
    categories.dedup();
    for category in categories {
        writeln!(out, "{}{category}", if out.is_empty() { "" } else { "\n" }).expect("a String takes all");
        for rule in rules.iter().filter(|rule| rule.category == category) {
            let (severity, preset) = (rule.severity.name(), rule.preset.name());
            writeln!(out, "  {:width$}  {severity:7}  {preset:11}  {}", rule.name, rule.summary)
                .expect("a String takes all");
        }
    }
    out
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    category: &'static str,
    severity: &'static str,
    preset: &'static str,
    fix: Option<&'static str>,
    summary: &'static str,
}

/// `evalint rules --format json`
pub fn rules_json() -> String {
    let rows: Vec<_> = RULES
        .iter()
        .map(|rule| Row {
            name: rule.name,
            category: rule.category,
            severity: rule.severity.name(),
            preset: rule.preset.name(),
            fix: rule.fix.map(|safety| safety.name()),
            summary: rule.summary,
        })
        .collect();
    serde_json::to_string_pretty(&rows).expect("structs of strings can be written") + "\n"
}

/// The rules as a Markdown table, for the README.
pub fn table() -> String {
    let mut out = String::from("| rule | category | severity | preset | fix | finds |\n|---|---|---|---|---|---|\n");
    let mut rules: Vec<_> = RULES.iter().collect();
    rules.sort_by_key(|rule| (rule.category, rule.name));
    for rule in rules {
        let (severity, preset) = (rule.severity.name(), rule.preset.name());
        let fix = rule.fix.map_or("", |safety| safety.name());
        let summary = rule.summary.replace('|', "\\|");
        let (name, category) = (rule.name, rule.category);
        let page = format!("[`{name}`](rules/{category}/{name}.md)");
        writeln!(out, "| {page} | {category} | {severity} | {preset} | {fix} | {summary} |")
            .expect("a String takes all");
    }
    out
}

/// The project's public address, if the manifest knows one.
pub fn home() -> Option<&'static str> {
    [env!("CARGO_PKG_HOMEPAGE"), env!("CARGO_PKG_REPOSITORY")].into_iter().find(|address| !address.is_empty())
}

/// Where the rule's page is published: below the homepage. Without one it is printed by `evalint explain` only.
pub fn url(rule: &Rule) -> Option<String> {
    let home = Some(env!("CARGO_PKG_HOMEPAGE")).filter(|home| !home.is_empty())?;
    Some(format!("{}/rules/{}.html", home.trim_end_matches('/'), rule.name))
}

/// The page as Markdown, without the marks of its examples.
pub fn markdown(rule: &Rule) -> String {
    let mut out = String::new();
    let mut fence = false;
    for line in rule.page.lines() {
        let line = match line.strip_prefix("```") {
            Some(info) => {
                fence = !fence;
                if let Some(caption) = caption(info) {
                    out.push_str(&format!("*{caption}:*\n\n"));
                }
                &line[..3 + info.find(' ').unwrap_or(info.len())]
            }
            None if fence => unmarked(line),
            None => line,
        };
        out.push_str(line);
        out.push('\n');
    }
    out.trim().to_owned() + "\n"
}

fn page(rule: &Rule) -> String {
    let mut out = format!("{} ({}, {}, {})\n", rule.name, rule.category, rule.severity.name(), rule.preset.name());
    wrap(&mut out, "", rule.summary);
    out.push('\n');
    let mut paragraph = String::new();
    let mut fence = false;
    for line in rule.page.lines() {
        let heading = line.starts_with('#') && !fence;
        if fence || line.is_empty() || heading || line.starts_with("```") || line.starts_with('|') || is_item(line) {
            flush(&mut out, &mut paragraph);
        }
        if let Some(info) = line.strip_prefix("```") {
            fence = !fence;
            if let Some(caption) = caption(info) {
                writeln!(out, "{caption}:").expect("a String takes all");
            }
        } else if fence {
            let line = unmarked(line);
            writeln!(out, "{}{line}", if line.is_empty() { "" } else { "    " }).expect("a String takes all");
        } else if line.starts_with('|') {
            writeln!(out, "{line}").expect("a String takes all");
        } else if line.is_empty() {
            if !out.ends_with("\n\n") {
                out.push('\n');
            }
        } else if heading {
            let title = line.trim_start_matches('#').trim();
            if title != rule.name {
                writeln!(out, "{title}").expect("a String takes all");
            }
        } else {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(if paragraph.is_empty() { line } else { line.trim_start() });
        }
    }
    flush(&mut out, &mut paragraph);
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// What an example is by the words of its fence, and where, if not everywhere: `bad, on redis@4.0`.
fn caption(info: &str) -> Option<String> {
    let words = info.split_whitespace();
    let mut caption = words.clone().find(|word| matches!(*word, "bad" | "fixed" | "good"))?.to_owned();
    for word in words {
        if let Some(target) = word.strip_prefix("target=") {
            caption = format!("{caption}, on {target}");
        } else if word == "cluster" {
            caption += ", on a cluster";
        }
    }
    Some(caption)
}

/// The line of an example without the mark of what is found in it.
fn unmarked(line: &str) -> &str {
    ["--~", "#~", "//~"].iter().filter_map(|mark| line.find(mark)).min().map_or(line, |at| line[..at].trim_end())
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("- ")
        || line.starts_with("* ")
        || line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok())
}

fn flush(out: &mut String, paragraph: &mut String) {
    let text = std::mem::take(paragraph);
    if !text.is_empty() {
        let indent = if is_item(&text) { "  " } else { "" };
        wrap(out, indent, &text);
    }
}

/// Breaks a paragraph at blanks; `indent` stands before all lines but the first.
fn wrap(out: &mut String, indent: &str, text: &str) {
    let mut column = 0;
    for word in text.split_whitespace() {
        let width = word.chars().count();
        if column != 0 && WIDTH < column + 1 + width {
            out.push('\n');
            out.push_str(indent);
            column = indent.len();
        } else if column != 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_say_where_an_example_holds() {
        assert_eq!(caption("lua bad strict target=redis@4.0").as_deref(), Some("bad, on redis@4.0"));
        assert_eq!(caption("lua good cluster").as_deref(), Some("good, on a cluster"));
        assert_eq!(caption("redis redis@7.0.15"), None);
    }

    #[test]
    fn no_page_shows_one_text_under_one_caption_twice() {
        for rule in RULES {
            let mut seen = std::collections::BTreeMap::new();
            let page = page(rule);
            for example in page.split("\n\n").filter(|part| part.contains(":\n    ")) {
                let (caption, text) = example.split_once(":\n    ").expect("it was asked");
                let other = seen.insert(text.to_owned(), caption.to_owned());
                assert!(other.is_none_or(|other| other != caption), "{}: {example}", rule.name);
            }
        }
    }
}
