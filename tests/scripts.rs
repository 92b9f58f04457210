//! The scripts of `testdata` carry marks: what is found in them is what the marks say, no more and no less.

#[path = "common/marks.rs"]
mod marks;
#[path = "common/setting.rs"]
mod setting;

use evalint::source::Source;
use marks::Place;
use setting::Head;

#[test]
fn scripts_give_the_marked_findings() {
    assert_marks("scripts");
}

#[test]
fn flow_scripts_give_the_marked_findings() {
    assert_marks("flow");
}

fn assert_marks(folder: &str) {
    let mut faults = String::new();
    for (path, script) in setting::scripts(folder) {
        let place = Place { path: &path, line: 1 };
        let checked = Head::parse(&script).and_then(|head| {
            let marked = marks::cut(&script, "--")?;
            let source = Source::file(path.as_str(), marked.text);
            let found = head.setting.check(&source);
            Ok(marks::mismatches(&place, &marked.marks, &source, &found))
        });
        match checked {
            Ok(mismatches) => faults += &mismatches,
            Err(fault) => faults += &format!("{path}: {fault}\n"),
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}
