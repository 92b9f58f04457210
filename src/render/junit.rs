//! A test report: a suite for each file, a failed test for each finding that fails the run. A file without findings is a test that
//! passed, and a lesser finding one that passed with output.

use super::{Failure, Format, Look, View, by_file, xml};

pub(super) const FORMAT: Format = Format {
    name: "junit",
    about: "a JUnit test report: findings at or above --fail-on are failed tests",
    head: || format!("{}<testsuites name=\"evalint\">\n", xml::HEAD),
    script,
    failure,
    separator: "\n",
    tail: |_, _| "\n</testsuites>\n".into(),
};

fn script(view: View, look: Look) -> Vec<u8> {
    let mut files = by_file(view);
    if files.is_empty() {
        files.push((&view.source.files[0], Vec::new()));
    }
    xml::fragment(|out| {
        for (file, found) in files {
            let failed = found.iter().filter(|(one, _)| look.fail_on <= one.severity).count();
            suite(out, &file.path, found.len().max(1), failed, 0).write_inner_content(|out| {
                if found.is_empty() {
                    case(out, &file.path, "evalint").write_empty()?;
                }
                for (one, spot) in found {
                    let (line, column) = (spot.start.line, spot.start.column);
                    let (rule, message) = (one.rule.name, &one.finding.message);
                    let severity = one.severity.name();
                    let story = super::story(&one.finding);
                    let story = format!("{}:{line}:{column}: {severity}[{rule}] {story}", file.path);
                    case(out, &file.path, &format!("{rule} at {line}:{column}")).write_inner_content(|out| {
                        if look.fail_on <= one.severity {
                            xml::element(out, "failure", &[("type", rule), ("message", message)])
                                .write_text_content(xml::text(&story))?;
                        } else {
                            xml::element(out, "system-out", &[]).write_text_content(xml::text(&story))?;
                        }
                        Ok(())
                    })?;
                }
                Ok(())
            })?;
        }
        Ok(())
    })
}

fn failure(failure: &Failure) -> String {
    let written = xml::fragment(|out| {
        suite(out, &failure.path, 1, 0, 1).write_inner_content(|out| {
            case(out, &failure.path, "evalint").write_inner_content(|out| {
                xml::element(out, "error", &[("message", &failure.message)]).write_empty()?;
                Ok(())
            })?;
            Ok(())
        })?;
        Ok(())
    });
    String::from_utf8_lossy(&written).into_owned()
}

fn suite<'w>(out: &'w mut xml::Xml, path: &str, tests: usize, failures: usize, errors: usize) -> xml::Element<'w> {
    let [tests, failures, errors] = [tests, failures, errors].map(|count| count.to_string());
    let attributes = [("name", path), ("tests", &tests), ("failures", &failures), ("errors", &errors)];
    xml::element(out, "testsuite", &attributes)
}

/// Readers take what stands before the last dot of the class for a package, so the path goes without its extension.
fn case<'w>(out: &'w mut xml::Xml, path: &str, name: &str) -> xml::Element<'w> {
    let class = path.strip_suffix(".lua").unwrap_or(path);
    xml::element(out, "testcase", &[("classname", class), ("name", name)])
}
