//! The XML of Checkstyle, which many readers of reports take.

use super::{Failure, Format, Look, View, by_file, xml};

pub(super) const FORMAT: Format = Format {
    name: "checkstyle",
    about: "Checkstyle's XML, for Jenkins and other readers",
    // The version is that of the format, which readers look at.
    head: || format!("{}<checkstyle version=\"8.0\">\n", xml::HEAD),
    script,
    failure,
    separator: "\n",
    tail: |_, _| "\n</checkstyle>\n".into(),
};

fn script(view: View, _: Look) -> Vec<u8> {
    xml::fragment(|out| {
        for (file, found) in by_file(view) {
            xml::element(out, "file", &[("name", &file.path)]).write_inner_content(|out| {
                for (one, spot) in found {
                    let (line, column) = (spot.start.line.to_string(), spot.start.column.to_string());
                    let attributes = [
                        ("line", line.as_str()),
                        ("column", &column),
                        ("severity", one.severity.name()),
                        ("message", &one.finding.message),
                        ("source", &format!("evalint.{}.{}", one.rule.category, one.rule.name)),
                    ];
                    xml::element(out, "error", &attributes).write_empty()?;
                }
                Ok(())
            })?;
        }
        Ok(())
    })
}

fn failure(failure: &Failure) -> String {
    let written = xml::fragment(|out| {
        xml::element(out, "file", &[("name", &failure.path)]).write_inner_content(|out| {
            let attributes =
                [("line", "1"), ("severity", "error"), ("message", &failure.message), ("source", "evalint")];
            xml::element(out, "error", &attributes).write_empty()?;
            Ok(())
        })?;
        Ok(())
    });
    String::from_utf8_lossy(&written).into_owned()
}
