use std::fmt::Write;
use std::path::Path;

use super::lower;
use crate::ir::verify::verify;
use crate::ir::{Const, Function, Number, Op, Program, Terminator, print::print};
use crate::limits::{STACK_BYTES, SYNTAX_LEVELS};
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

fn scripts() -> Vec<std::path::PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/ir");
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = entries.filter(|path| path.extension().is_some_and(|it| it == "lua")).collect();
    paths.sort();
    paths
}

#[test]
fn each_construct_looks_so() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/ir");
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(&directory);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for path in scripts() {
            let name = path.file_stem().unwrap().to_str().unwrap();
            let (source, program) = script(&std::fs::read_to_string(&path).unwrap());
            insta::assert_snapshot!(name, dump(&source, &program));
        }
    });
}

fn ends(function: &Function) -> (usize, usize) {
    let ends = |fits: fn(&Terminator) -> bool| function.blocks.iter().filter(|block| fits(&block.end)).count();
    (ends(|end| matches!(end, Terminator::Raise)), ends(|end| matches!(end, Terminator::Return { .. })))
}

#[test]
fn only_lua_s_own_error_ends_a_block() {
    for (text, raises) in [
        ("error('x')", 1),
        ("error 'x'", 1),
        ("local e = error; e('x')", 1),
        ("local error = error; local function f() error('x') end", 1),
        ("(error)('x')", 0),
        ("error.f('x')", 0),
        ("error:f('x')", 0),
        ("local function error() end error('x')", 0),
        ("local e = error; e('x'); e = print", 0),
        ("local e = error; local function f() e = print end e('x')", 0),
    ] {
        let (_, program) = script(text);
        let found: usize = program.functions.iter().map(|function| ends(function).0).sum();
        assert_eq!(found, raises, "{text}");
    }
}

#[test]
fn what_follows_a_way_out_is_lowered_and_not_reached() {
    // Statements after `return` and `break` don't exist in Lua 5.1 but for those around their block.
    let (_, program) = script("do return 1 end f()");
    assert_eq!(ends(&program.functions[0]), (0, 2));
    assert_eq!(program.functions[0].blocks.len(), 2);
    let (_, program) = script("if a then return 1 else return 2 end");
    assert_eq!(program.functions[0].blocks.len(), 3, "there is no block where none joins");
    let (_, program) = script("while true do break end repeat return until f() for i = 1, 2 do error(i) end");
    assert_eq!(program.functions[0].loops.len(), 3);
}

#[test]
fn blocks_stand_in_the_order_of_the_text() {
    for path in scripts() {
        let (_, program) = script(&std::fs::read_to_string(&path).unwrap());
        for function in &program.functions {
            let order: Vec<_> = function.blocks.iter().flat_map(|block| &block.insts).collect();
            assert!(order.is_sorted(), "{}", path.display());
        }
    }
}

#[test]
fn statements_are_listed_outer_before_inner() {
    let text =
        "local f = function() return g end\nif f() then\n  f() ; break_(1)\nend repeat local x = 1 break until x";
    let (source, program) = script(text);
    let found: Vec<_> = program
        .statements
        .iter()
        .map(|statement| (source.snippet(statement.span).into_owned(), statement.simple))
        .collect();
    let expected = [
        ("local f = function() return g end", false),
        ("return g", true),
        ("if f() then\n  f() ; break_(1)\nend", false),
        ("f()", true),
        ("break_(1)", true),
        ("repeat local x = 1 break until x", false),
        ("local x = 1", true),
        ("break", true),
    ];
    assert_eq!(found, expected.map(|(text, simple)| (text.to_owned(), simple)));
}

#[test]
fn spans_reach_from_parenthesis_to_parenthesis() {
    let text = "local x = ((a + b)) * (c.d)['e'](f, (g))\n  :h{}";
    let (source, program) = script(text);
    let main = &program.functions[0];
    let shown = |fits: fn(&Op) -> bool| -> Vec<_> {
        let found = main.insts.iter().filter(|inst| fits(&inst.op));
        found.map(|inst| source.snippet(inst.span).into_owned()).collect()
    };
    assert_eq!(shown(|op| matches!(op, Op::Binary(..))), ["a + b", &text[10..]]);
    let call = "(c.d)['e'](f, (g))";
    assert_eq!(shown(|op| matches!(op, Op::Call { .. })), [call, &text[22..]]);
    let index = "(c.d)['e']";
    assert_eq!(shown(|op| matches!(op, Op::Index(..))), ["c.d", index, &text[22..text.len() - 2]]);
}

#[test]
fn strings_and_places_are_those_of_the_script_whatever_its_bytes() {
    let text = b"local a = '\xff\\0' -- \x80\nreturn '\xc3\xa9' .. 0x1p4, [[\r\n\xfe\r]]";
    let source = Source::file("test.lua", &text[..]);
    let Some(program) = try_program(&source) else { panic!("Lua takes any byte in strings and comments") };
    let main = &program.functions[0];
    let mut found = Vec::new();
    for inst in &main.insts {
        if let Op::Const(Const::Text(text)) = inst.op {
            found.push((program.texts.get(text), &source.text[inst.span.range()]));
        }
    }
    let expected: [(&[u8], &[u8]); 3] =
        [(b"\xff\0", b"'\xff\\0'"), (b"\xc3\xa9", b"'\xc3\xa9'"), (b"\xfe\n", b"[[\r\n\xfe\r]]")];
    assert_eq!(found, expected);
    assert!(main.insts.iter().any(|inst| inst.op == Op::Const(Const::Number(Number::new(16.0)))));
}

#[test]
fn a_local_left_by_break_or_until_is_forgotten_once() {
    let text = "repeat local a repeat local b if c then break end local d until d if a then break end local e until e";
    let (source, program) = script(text);
    let main = &program.functions[0];
    let mut forgotten = String::new();
    for block in &main.blocks {
        for &value in &block.insts {
            if let Op::Forget(local) = *main.op(value) {
                forgotten += &source.snippet(program.locals[local.index()].name.unwrap());
            }
        }
        forgotten.push(' ');
    }
    // At the back edge and at the exit of each loop, the last declared first.
    assert_eq!(forgotten.split_whitespace().collect::<Vec<_>>(), ["db", "db", "ea", "ea"]);
}

/// Lowers what is too long to be verified.
fn long(text: &str) {
    let source = Source::file("test.lua", text.as_bytes());
    let Ok(parsed) = parse(&source) else { panic!("{} does not parse", &text[..30]) };
    let program = lower(&source, parsed);
    let insts = program.functions[0].insts.len();
    assert!((50_000..500_000).contains(&insts), "{insts} of {}", &text[..30]);
}

/// Lowers the deepest nest that Lua takes; where levels cost locals that is less than [`SYNTAX_LEVELS`].
fn deepest(nest: impl Fn(usize) -> String) {
    let taken = (0..=SYNTAX_LEVELS as usize).rev().find(|&levels| {
        let source = Source::file("test.lua", nest(levels).into_bytes());
        try_program(&source).is_some()
    });
    assert!(Some(48) < taken, "{}", nest(1));
}

/// What the deepest worker does in a program, a test does on a stack as large.
fn on_a_large_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(test).unwrap();
    thread.join().unwrap();
}

#[test]
fn long_chains_and_deep_nests_fit_the_stack() {
    on_a_large_stack(|| {
        for link in [" + a", " and a", " or a and a", ".a", "()"] {
            long(&format!("return a{}", link.repeat(50_000)));
        }
        long(&format!("if a then b() {} end", "elseif a then b() ".repeat(50_000)));
        long(&format!("return {{{}}}", "a or b, ".repeat(50_000)));
        long(&"while a do local b if c then break end end ".repeat(10_000));
        for (open, close) in [
            ("(", ")"),
            ("f(", ")"),
            ("{", "}"),
            ("function() return ", " end"),
            ("not ", ""),
            ("- ", ""),
            ("a .. ", ""),
            ("a ^ ", ""),
            ("a and (b or ", ")"),
        ] {
            deepest(|levels| format!("return {}a{}", open.repeat(levels), close.repeat(levels)));
        }
        for open in ["do ", "while a do ", "if a then ", "for i = 1, 2 do ", "for i in a do "] {
            deepest(|levels| format!("{}{}", open.repeat(levels), " end".repeat(levels)));
        }
    });
}

#[test]
fn real_idioms_can_be_lowered() {
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    for entry in walkdir::WalkDir::new(testdata) {
        let entry = entry.unwrap();
        if entry.path().extension().is_some_and(|it| it == "lua") {
            try_program(&Source::file("test.lua", std::fs::read(entry.path()).unwrap()));
        }
    }
}

#[test]
fn whatever_parses_can_be_lowered() {
    for path in scripts() {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut parsed = 0;
        let mut check =
            |text: String| parsed += u32::from(try_program(&Source::file("test.lua", text.into_bytes())).is_some());
        let words: Vec<&str> = text.split_inclusive(|c: char| !c.is_alphanumeric()).collect();
        for at in 0..words.len() {
            check(words[..at].concat());
            check([&words[..at], &words[at + 1..]].concat().concat());
            check([&words[..at], &words[at.saturating_sub(1)..]].concat().concat());
            let mut swapped = words.clone();
            swapped.swap(at, words.len() - 1 - at);
            check(swapped.concat());
        }
        assert!(10 < parsed, "{} of {}", parsed, path.display());
    }
}
