//! One line a finding, as compilers write it.

use super::{Format, Lines, Look, View, human::printable};
use crate::rule::Diagnostic;

pub(super) const FORMAT: Format = Format {
    name: "concise",
    about: "one line a finding: path:line:column: severity[rule] message",
    head: super::nothing,
    script,
    failure: super::no_failure,
    separator: "",
    tail: super::no_tail,
};

fn script(view: View, _: Look) -> Vec<u8> {
    let lines = Lines::new(view.source);
    let line = |one: &Diagnostic| {
        let spot = lines.spot(one.finding.span);
        let (path, message) = (printable(spot.path()), printable(&one.finding.message));
        let (line, column, severity) = (spot.start.line, spot.start.column, one.severity.name());
        format!("{path}:{line}:{column}: {severity}[{}] {message}\n", one.rule.name)
    };
    view.report.diagnostics.iter().map(line).collect::<String>().into_bytes()
}
