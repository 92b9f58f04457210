//! reviewdog's diagnostics. A column counts bytes.

use serde_json::{Value, json};

use super::{Failure, Format, Lines, Look, Spot, Summary, View};
use crate::{
    explain,
    rule::{Fix, Severity},
};

pub(super) const FORMAT: Format = Format {
    name: "rdjson",
    about: "for reviewdog",
    head: || format!("{{\"source\":{{\"name\":\"{}\"}},\"diagnostics\":[\n", env!("CARGO_PKG_NAME")),
    script,
    failure,
    separator: ",\n",
    tail: |_: &[Failure], _: Summary| "\n]}\n".into(),
};

fn script(view: View, _: Look) -> Vec<u8> {
    let lines = Lines::new(view.source);
    let written = view.report.diagnostics.iter().map(|one| {
        let finding = &one.finding;
        let severity = match one.severity {
            Severity::Error => "ERROR",
            Severity::Warning => "WARNING",
            Severity::Info => "INFO",
        };
        let location = |spot: Spot| json!({ "path": spot.path(), "range": range(&lines, spot) });
        let mut code = json!({ "value": one.rule.name });
        if let Some(url) = explain::url(one.rule) {
            code["url"] = url.into();
        }
        let mut written = json!({
            "message": super::story(finding),
            "location": location(lines.spot(finding.span)),
            "severity": severity,
            "code": code,
        });
        if !finding.labels.is_empty() {
            let labels = finding.labels.iter();
            let labels =
                labels.map(|label| json!({ "message": label.message, "location": location(lines.spot(label.span)) }));
            written["related_locations"] = labels.collect();
        }
        if let Some(suggestion) = finding.fix.as_ref().and_then(|fix| suggestion(&lines, lines.spot(finding.span), fix))
        {
            written["suggestions"] = json!([suggestion]);
        }
        written.to_string()
    });
    written.collect::<Vec<_>>().join(FORMAT.separator).into_bytes()
}

/// Several suggestions would be a choice, so all edits of a fix are one: with the text between them.
fn suggestion(lines: &Lines, primary: Spot, fix: &Fix) -> Option<Value> {
    let edits = lines.edits(fix)?;
    let ((first, _), (last, _)) = (edits.first()?, edits.last()?);
    if edits.iter().any(|(spot, _)| spot.id != primary.id) {
        return None;
    }
    let mut text = String::new();
    let mut at = first.span.start;
    for (spot, new) in &edits {
        text += str::from_utf8(first.file.text.get(at as usize..spot.span.start as usize)?).ok()?;
        text += new;
        at = spot.span.end;
    }
    let whole = Spot { span: first.span.to(last.span), end: last.end, ..*first };
    Some(json!({ "range": range(lines, whole), "text": text }))
}

fn range(lines: &Lines, spot: Spot) -> Value {
    let place = |line, byte: u32| {
        let start = lines.of(spot.id).line_span(line).start;
        json!({ "line": line, "column": byte - start + 1 })
    };
    json!({ "start": place(spot.start.line, spot.span.start), "end": place(spot.end.line, spot.span.end) })
}

fn failure(failure: &Failure) -> String {
    let written = json!({ "message": failure.message, "location": { "path": failure.path }, "severity": "ERROR" });
    written.to_string()
}
