//! The JSON output, version 1. A reader may rely on every name here; a change that breaks one raises the version.

use serde::Serialize;

use super::{Failure, Format, Lines, Look, Spot, Summary, View};
use crate::{explain, source::Position};

const VERSION: u32 = 1;

pub(super) const FORMAT: Format = Format {
    name: "json",
    about: "for programs: one document",
    head,
    script: |view, _: Look| diagnostics(view).join(",\n").into_bytes(),
    failure: super::no_failure,
    separator: ",\n",
    tail,
};

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Diagnostic<'a> {
    rule: &'a str,
    category: &'a str,
    severity: &'a str,
    /// A page on the rule. `None`: `evalint explain` has it.
    url: Option<String>,
    path: &'a str,
    language: &'a str,
    span: Range,
    message: &'a str,
    help: Option<&'a str>,
    targets: Vec<String>,
    labels: Vec<Label<'a>>,
    fix: Option<Fix<'a>>,
}

#[derive(Serialize)]
struct Label<'a> {
    path: &'a str,
    span: Range,
    message: &'a str,
}

#[derive(Serialize)]
struct Fix<'a> {
    safety: &'a str,
    edits: Vec<Edit<'a>>,
}

#[derive(Serialize)]
struct Edit<'a> {
    path: &'a str,
    span: Range,
    text: &'a str,
}

/// `end` is exclusive.
#[derive(Serialize)]
struct Range {
    start: Place,
    end: Place,
}

#[derive(Serialize)]
struct Place {
    /// Bytes from 0.
    offset: u32,
    /// From 1.
    line: u32,
    /// From 1, in Unicode scalar values.
    column: u32,
}

#[derive(Serialize)]
struct Error<'a> {
    path: &'a str,
    message: &'a str,
}

#[derive(Serialize)]
struct Counts {
    files: u32,
    scripts: u32,
    errors: u32,
    warnings: u32,
    infos: u32,
    allowed: u32,
    baselined: u32,
}

/// Up to the first diagnostic.
fn head() -> String {
    let tool = Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") };
    format!("{{\"version\":{VERSION},\"tool\":{},\"diagnostics\":[\n", text(&tool))
}

/// The diagnostics of one script, each an object on one line.
pub(super) fn diagnostics(view: View) -> Vec<String> {
    let View { source, report, config, .. } = view;
    let lines = Lines::new(source);
    let rendered = report.diagnostics.iter().map(|diagnostic| {
        let finding = &diagnostic.finding;
        let targets = if finding.targets.is_empty() { &config.targets } else { &finding.targets };
        let labels = finding.labels.iter().map(|label| {
            let (path, span) = place(lines.spot(label.span));
            Label { path, span, message: &label.message }
        });
        let fix = finding.fix.as_ref().and_then(|fix| Some((fix.safety, lines.edits(fix)?))).map(|(safety, edits)| {
            let edits = edits.into_iter().map(|(spot, text)| {
                let (path, span) = place(spot);
                Edit { path, span, text }
            });
            Fix { safety: safety.name(), edits: edits.collect() }
        });
        let (path, span) = place(lines.spot(finding.span));
        text(&Diagnostic {
            rule: diagnostic.rule.name,
            category: diagnostic.rule.category,
            severity: diagnostic.severity.name(),
            url: explain::url(diagnostic.rule),
            path,
            language: "lua",
            span,
            message: &finding.message,
            help: finding.help.as_deref(),
            targets: targets.iter().map(ToString::to_string).collect(),
            labels: labels.collect(),
            fix,
        })
    });
    rendered.collect()
}

/// From the end of the diagnostics to the end of the document.
fn tail(failures: &[Failure], summary: Summary) -> String {
    let errors: Vec<_> =
        failures.iter().map(|failure| Error { path: &failure.path, message: &failure.message }).collect();
    let Summary { files, scripts, errors: error_count, warnings, infos, allowed, baselined, fixable: _ } = summary;
    let counts = Counts { files, scripts, errors: error_count, warnings, infos, allowed, baselined };
    format!("\n],\"errors\":{},\"summary\":{}}}\n", text(&errors), text(&counts))
}

fn place(spot: Spot<'_>) -> (&str, Range) {
    let place = |offset, position: Position| Place { offset, line: position.line, column: position.column };
    (spot.path(), Range { start: place(spot.span.start, spot.start), end: place(spot.span.end, spot.end) })
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("structs of strings and numbers can be written")
}
