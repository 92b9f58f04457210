//! SARIF 2.1.0, for code scanning.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::{Failure, Format, Lines, Look, Spot, Summary, View, fingerprint};
use crate::{
    config::Selector,
    explain,
    rule::{Diagnostic, Fix, Part, Preset, RULES, Rule, Severity},
};

pub(super) const FORMAT: Format = Format {
    name: "sarif",
    about: "SARIF 2.1.0, for code scanning and editors",
    head,
    script,
    failure: super::no_failure,
    separator: ",\n",
    tail,
};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Bytes of a text that is shown beside its place.
const SNIPPET: usize = 400;

/// What may stand in a path of a URI as it is. A colon could end a scheme.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn head() -> String {
    let rules: Vec<Value> = RULES.iter().map(rule).collect();
    let mut driver = json!({
        "name": env!("CARGO_PKG_NAME"),
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    if let Some(home) = explain::home() {
        driver["informationUri"] = home.into();
    }
    let tool = json!({ "driver": driver });
    // Lines end as in Lua.
    let ends = json!(["\r\n", "\n", "\r"]);
    format!(
        "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{tool},\n\
         \"columnKind\":\"unicodeCodePoints\",\"newlineSequences\":{ends},\"results\":[\n"
    )
}

fn rule(rule: &'static Rule) -> Value {
    let mut out = json!({
        "id": rule.name,
        "shortDescription": { "text": sentence(rule.summary) },
        "fullDescription": { "text": sentence(rule.summary) },
        "help": { "text": explain::explain(Selector::Rule(rule)), "markdown": explain::markdown(rule) },
        "defaultConfiguration": { "enabled": rule.preset == Preset::Recommended, "level": level(rule.severity) },
        "properties": { "tags": [rule.category], "precision": "high" },
    });
    if let Some(url) = explain::url(rule) {
        out["helpUri"] = url.into();
    }
    out
}

fn script(view: View, _: Look) -> Vec<u8> {
    let lines = Lines::new(view.source);
    let prints = fingerprint::fingerprints(view, &lines);
    let results =
        view.report.diagnostics.iter().zip(prints).map(|(one, print)| result(&lines, one, &print).to_string());
    results.collect::<Vec<_>>().join(FORMAT.separator).into_bytes()
}

fn result(lines: &Lines, one: &Diagnostic, print: &str) -> Value {
    let finding = &one.finding;
    let mut message = sentence(&finding.message);
    if let Some(help) = &finding.help {
        message = format!("{message}\nhelp: {}", sentence(help));
    }
    let mut out = json!({
        "ruleId": one.rule.name,
        "ruleIndex": RULES.binary_search_by(|rule| rule.name.cmp(one.rule.name)).unwrap_or_default(),
        "level": level(one.severity),
        "message": { "text": message },
        "locations": [{ "physicalLocation": place(lines.spot(finding.span)) }],
        "partialFingerprints": { "evalint/v1": print },
    });
    if !finding.labels.is_empty() {
        let labels = finding.labels.iter().enumerate();
        let labels = labels.map(|(id, label)| {
            let mut location = told(lines.spot(label.span), &label.message);
            location["id"] = (id + 1).into();
            location
        });
        out["relatedLocations"] = labels.collect();
    }
    if let Some(flow) = flow(lines, one) {
        out["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow }] }]);
    }
    if let Some(fix) = finding.fix.as_ref().and_then(|fix| fixed(lines, fix, finding.help.as_deref())) {
        out["fixes"] = json!([fix]);
    }
    out
}

/// The steps of a run to the fault and on, where labels tell of them: in the order of the text, a call before what it calls.
fn flow(lines: &Lines, one: &Diagnostic) -> Option<Vec<Value>> {
    let finding = &one.finding;
    let calls = || finding.labels.iter().filter(|label| label.part == Part::Call).rev();
    // What was called runs where the outermost call stands.
    let entry = calls().next().map_or(finding.span, |label| label.span);
    let steps = finding.labels.iter().filter(|label| label.part == Part::Step && label.span != finding.span);
    let mut steps: Vec<_> = steps.map(|label| (label.span, vec![(label.span, &label.message)])).collect();
    let own: Vec<_> =
        calls().map(|label| (label.span, &label.message)).chain([(finding.span, &finding.message)]).collect();
    if steps.is_empty() && own.len() == 1 {
        return None;
    }
    steps.push((entry, own));
    steps.sort_by_key(|&(at, _)| at);
    let steps = steps.into_iter().flat_map(|(_, steps)| steps);
    Some(steps.map(|(span, message)| json!({ "location": told(lines.spot(span), message) })).collect())
}

fn fixed(lines: &Lines, fix: &Fix, help: Option<&str>) -> Option<Value> {
    let edits = lines.edits(fix)?;
    let changes = edits.chunk_by(|(one, _), (next, _)| one.id == next.id).map(|edits| {
        let replacements = edits
            .iter()
            .map(|(spot, text)| json!({ "deletedRegion": region(*spot), "insertedContent": { "text": text } }));
        json!({
            "artifactLocation": { "uri": uri(edits[0].0.path()) },
            "replacements": replacements.collect::<Vec<_>>(),
        })
    });
    let changes: Vec<_> = changes.collect();
    let description = sentence(help.unwrap_or("apply the fix"));
    Some(
        json!({ "description": { "text": description }, "artifactChanges": changes, "properties": { "safety": fix.safety.name() } }),
    )
}

fn told(spot: Spot, message: &str) -> Value {
    json!({ "physicalLocation": place(spot), "message": { "text": sentence(message) } })
}

fn place(spot: Spot) -> Value {
    let mut region = region(spot);
    if let Some(text) = spot.file.text.get(spot.span.range()).filter(|text| text.len() <= SNIPPET) {
        region["snippet"] = json!({ "text": String::from_utf8_lossy(text) });
    }
    json!({ "artifactLocation": { "uri": uri(spot.path()) }, "region": region })
}

fn region(spot: Spot) -> Value {
    json!({
        "startLine": spot.start.line,
        "startColumn": spot.start.column,
        "endLine": spot.end.line,
        "endColumn": spot.end.column,
        "byteOffset": spot.span.start,
        "byteLength": spot.span.range().len(),
    })
}

/// A path as given, as a reference; an absolute one as a URI of a file.
fn uri(path: &str) -> String {
    let escaped = utf8_percent_encode(path, PATH);
    match path.as_bytes() {
        [b'/', b'/', ..] => format!("file:{escaped}"),
        [b'/', ..] => format!("file://{escaped}"),
        [drive, b':', b'/', ..] if drive.is_ascii_alphabetic() => {
            format!("file:///{}:{}", *drive as char, utf8_percent_encode(&path[2..], PATH))
        }
        _ => escaped.to_string(),
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// SARIF's texts are sentences that end.
fn sentence(text: &str) -> String {
    if text.ends_with(['.', '!', '?']) { text.into() } else { format!("{text}.") }
}

fn tail(failures: &[Failure], _: Summary) -> String {
    let notifications: Vec<Value> = failures
        .iter()
        .map(|failure| {
            json!({
                "level": "error",
                "message": { "text": sentence(&failure.message) },
                "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(&failure.path) } } }],
            })
        })
        .collect();
    let mut invocation = json!({ "executionSuccessful": failures.is_empty() });
    if !notifications.is_empty() {
        invocation["toolExecutionNotifications"] = notifications.into();
    }
    format!("\n],\"invocations\":[{invocation}]}}]}}\n")
}
