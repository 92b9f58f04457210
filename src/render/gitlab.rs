//! A code quality report for GitLab merge requests.

use serde_json::json;

use super::{Failure, Format, Lines, Look, View, fingerprint};
use crate::rule::Severity;

pub(super) const FORMAT: Format = Format {
    name: "gitlab",
    about: "a code quality report for GitLab",
    head: || "[\n".into(),
    script,
    failure,
    separator: ",\n",
    tail: |_, _| "\n]\n".into(),
};

fn script(view: View, _: Look) -> Vec<u8> {
    let lines = Lines::new(view.source);
    let issues =
        view.report.diagnostics.iter().zip(fingerprint::fingerprints(view, &lines)).map(|(one, fingerprint)| {
            let spot = lines.spot(one.finding.span);
            let severity = match one.severity {
                Severity::Error => "critical",
                Severity::Warning => "major",
                Severity::Info => "info",
            };
            let mut issue = json!({
                "type": "issue",
                "check_name": one.rule.name,
                "description": one.finding.message.replace('\n', " "),
                "categories": ["Bug Risk"],
                "severity": severity,
                "fingerprint": fingerprint,
                "location": { "path": spot.path(), "lines": { "begin": spot.start.line, "end": spot.end.line } },
            });
            if let Some(help) = &one.finding.help {
                issue["content"] = json!({ "body": help });
            }
            issue.to_string()
        });
    issues.collect::<Vec<_>>().join(FORMAT.separator).into_bytes()
}

/// The report has no other place for it.
fn failure(failure: &Failure) -> String {
    let issue = json!({
        "type": "issue",
        "check_name": "evalint",
        "description": failure.message.replace('\n', " "),
        "categories": ["Bug Risk"],
        "severity": "blocker",
        "fingerprint": fingerprint::of_failure(failure),
        "location": { "path": failure.path, "lines": { "begin": 1, "end": 1 } },
    });
    issue.to_string()
}
