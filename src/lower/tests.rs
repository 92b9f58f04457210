use std::fmt::Write;
use std::path::Path;

use super::lower;
use crate::ir::verify::verify;
use crate::ir::{Program, print::print};
use crate::parse::parse;
use crate::source::Source;

/// The script's program, if it parses; all its functions are sound.
fn try_program(source: &Source) -> Option<Program> {
    let program = lower(source, parse(source).ok()?);
    for function in &program.functions {
        verify(function, program.functions.len(), program.locals.len());
        let end = source.text.len() as u32;
        for inst in &function.insts {
            let span = inst.span;
            assert!(span.start <= span.end && span.end <= end, "{inst:?}");
        }
    }
    Some(program)
}

fn script(text: &str) -> (Source, Program) {
    let source = Source::file("test.lua", text.as_bytes());
    let program = try_program(&source).expect("the script parses");
    (source, program)
}

/// All functions, then what is known of the named locals.
fn dump(source: &Source, program: &Program) -> String {
    let mut text = String::new();
    for (at, function) in program.functions.iter().enumerate() {
        let _ = write!(text, "f{at}: {}", print(program, function, source));
    }
    for local in &program.locals {
        let Some(name) = local.name else { continue };
        let name = source.snippet(name);
        let captured = if local.captured { ", captured" } else { "" };
        let _ = writeln!(text, "local {name}: set {}{captured}", local.assigned);
    }
    text
}

#[test]
fn each_construct_looks_so() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/ir");
    let mut paths: Vec<_> = std::fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "lua"))
        .collect();
    paths.sort();
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(&directory);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for path in paths {
            let name = path.file_stem().unwrap().to_str().unwrap();
            let (source, program) = script(&std::fs::read_to_string(&path).unwrap());
            insta::assert_snapshot!(name, dump(&source, &program));
        }
    });
}
