//! Commands that make a GitHub workflow annotate lines.

use super::{Failure, Format, Lines, Look, View, human::printable};
use crate::rule::{Diagnostic, Severity};

pub(super) const FORMAT: Format = Format {
    name: "github",
    about: "annotations in a GitHub workflow",
    head: super::nothing,
    script,
    failure,
    separator: "",
    tail: super::no_tail,
};

fn script(view: View, _: Look) -> Vec<u8> {
    let lines = Lines::new(view.source);
    let command = |one: &Diagnostic| {
        let spot = lines.spot(one.finding.span);
        let (path, rule) = (spot.path(), one.rule.name);
        let level = match one.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let (start, end) = (spot.start, spot.end);
        // Columns are only understood within one line; the last one belongs to the range.
        let columns = if start.line == end.line {
            let last = end.column.saturating_sub(1).max(start.column);
            format!(",col={},endColumn={last}", start.column)
        } else {
            String::new()
        };
        let place = format!("file={},line={},endLine={}{columns}", property(path), start.line, end.line);
        // The log shows the message alone, so it says where.
        let message = format!("{path}:{}:{}: {}", start.line, start.column, super::story(&one.finding));
        format!("::{level} title={},{place}::{}\n", property(&format!("evalint: {rule}")), data(&message))
    };
    view.report.diagnostics.iter().map(command).collect::<String>().into_bytes()
}

fn failure(failure: &Failure) -> String {
    let message = format!("{}: {}", failure.path, failure.message);
    format!("::error title=evalint,file={}::{}\n", property(&failure.path), data(&message))
}

/// Only line ends and the sign of escapes can't stand in a message.
fn data(text: &str) -> String {
    let text = text.lines().map(printable).collect::<Vec<_>>().join("\n");
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    text.replace(':', "%3A").replace(',', "%2C")
}
