//! The scripts of `testdata` carry marks: what is found in them is what the marks say, no more and no less.

#[path = "common/marks.rs"]
mod marks;
#[path = "common/server.rs"]
mod server;
#[path = "common/setting.rs"]
mod setting;

use evalint::source::Source;
use marks::Place;
use server::{Reply, Server};
use setting::Head;

#[test]
fn scripts_give_the_marked_findings() {
    assert_marks("scripts");
}

#[test]
fn flow_scripts_give_the_marked_findings() {
    assert_marks("flow");
}

/// What is called correct is: a script without marks runs through.
#[test]
#[ignore = "needs real servers: run tools/test"]
fn scripts_without_marks_run() {
    let mut faults = String::new();
    for name in server::installed().iter().filter(|name| !server::is_older_than(name, 7)) {
        let mut server = Server::start(name).unwrap();
        for (path, script) in setting::scripts("scripts") {
            let head = Head::parse(&script).unwrap();
            let marked = marks::cut(&script, "--").unwrap();
            if head.piece || !marked.marks.is_empty() {
                continue;
            }
            for run in head.runs() {
                server.forget_everything();
                for command in &head.before {
                    server.command(command);
                }
                let eval = [vec![b"EVAL".to_vec(), marked.text.clone()], run].concat();
                if let Reply::Error(error) = server.command(&eval) {
                    faults += &format!("{path}: {name} answers {error}\n");
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
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
