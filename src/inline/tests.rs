#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks for one kind of instruction")]

use std::path::Path;

use super::*;
use crate::ir::print::print;
use crate::ir::verify::verify;
use crate::ir::{Const, Terminator};
use crate::parse::parse;
use crate::roots::{Root, RootKind, roots};
use crate::source::Source;

/// The program and its roots, all sound and with locals that `print` can name.
fn inlined(source: &Source) -> (Program, Vec<(Root, Inlined)>) {
    let program = crate::lower::lower(source, parse(source).expect("the script parses"));
    let roots = sound_roots(&program);
    (program, roots)
}

fn sound_roots(program: &Program) -> Vec<(Root, Inlined)> {
    let roots = roots(program);
    for (_, inlined) in &roots {
        let locals = program.locals.len() + inlined.copies.len();
        verify(&inlined.function, program.functions.len(), locals);
    }
    roots
}

/// The first root with its locals among the program's.
fn main_of(text: &str) -> (Program, Inlined) {
    let (mut program, roots) = inlined(&Source::file("test.lua", text.as_bytes()));
    let (_, main) = roots.into_iter().next().expect("the main chunk");
    program.locals.extend(main.copies.iter().map(|copy| copy.local));
    (program, main)
}

/// The arguments of each remaining call whose callee was read from `field`, told as constants where the text says them.
fn calls(text: &str, field: &str) -> Vec<String> {
    let (program, main) = main_of(text);
    let function = &main.function;
    let shown = |&value: &ValueId| show(&program, function, value);
    let mut calls = Vec::new();
    for block in &function.blocks {
        for &value in &block.insts {
            if let Op::Call { callee, args, tail } = function.op(value)
                && let Op::Index(_, key) = *function.op(*callee)
                && show(&program, function, key) == field
            {
                let dots = if *tail { "..." } else { "" };
                calls.push(args.iter().map(shown).collect::<Vec<_>>().join(" ") + dots);
            }
        }
    }
    calls
}

/// Follows locals that are set once.
fn show(program: &Program, function: &Function, value: ValueId) -> String {
    match *function.op(value) {
        Op::Const(Const::Text(text)) => program.texts.show(text).into_owned(),
        Op::Const(Const::Number(number)) => number.get().to_string(),
        Op::Const(Const::Nil) => "nil".into(),
        Op::Global(name) => program.texts.show(name).into_owned(),
        Op::Binary(_, a, b) => show(program, function, a) + &show(program, function, b),
        Op::Index(table, key) => format!("{}.{}", show(program, function, table), show(program, function, key)),
        Op::Get(local) => {
            let sets: Vec<ValueId> = function
                .blocks
                .iter()
                .flat_map(|block| &block.insts)
                .filter_map(|&inst| match *function.op(inst) {
                    Op::Set(to, value) if to == local => Some(value),
                    _ => None,
                })
                .collect();
            match sets[..] {
                [only] => show(program, function, only),
                _ => "?".into(),
            }
        }
        _ => "?".into(),
    }
}

#[test]
fn each_kind_of_call_looks_so() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/inline");
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
            let source = Source::file("test.lua", std::fs::read(&path).unwrap());
            let (program, roots) = inlined(&source);
            let mut text = String::new();
            for (root, inlined) in roots {
                let mut program = program.clone();
                program.locals.extend(inlined.copies.iter().map(|copy| copy.local));
                text += &format!("{:?} ", root.kind);
                text += &print(&program, &inlined.function, &source);
            }
            insta::assert_snapshot!(name, text);
        }
    });
}

#[test]
fn a_wrapper_passes_its_arguments_on() {
    let wrapper = "local function call(cmd, ...) return redis.call(cmd, ...) end\n";
    let all = |text: &str| calls(&format!("{wrapper}{text}"), "call");
    assert_eq!(all("return call('SET', KEYS[1], 1)"), ["SET KEYS.1 1"]);
    assert_eq!(all("return call('PING')"), ["PING"]);
    assert_eq!(all("return call('DEL', unpack(KEYS))"), ["DEL ?..."]);
    assert_eq!(all("local function two(...) return call('X', 1, ...) end two(2, 3)"), ["X 1 2 3"]);
    assert_eq!(all("call('A', call('B'))"), ["B", "A ?"]);
}

#[test]
fn select_of_known_arguments_is_known() {
    let f = "local function f(...) return redis.call('X', select('#', ...), select(2, ...)) end\n";
    let all = |text: &str| calls(&format!("{f}{text}"), "call");
    assert_eq!(all("f('a', 'b', 'c')"), ["X 3 b c"]);
    assert_eq!(all("f('a')"), ["X 1"]);
    let negative = "local function f(...) redis.call('X', select(-1, ...), (select(1, ...))) end f('a', 'b')";
    assert_eq!(calls(negative, "call"), ["X b a"]);
}

#[test]
fn functions_are_found_behind_names() {
    for text in [
        "local function f(x) redis.call(x) end f('A')",
        "local f = function(x) redis.call(x) end f('A')",
        "local f f = function(x) redis.call(x) end f('A')",
        "local f = function(x) redis.call(x) end local g = f g('A')",
        "local M = {} function M.f(x) redis.call(x) end M.f('A')",
        "local M = {} function M:f(x) redis.call(x) end M:f('A')",
        "local M = { f = function(x) redis.call(x) end } M.f('A')",
        "local M = {} M.sub = {} function M.sub.f(x) redis.call(x) end M.sub.f('A')",
        "local M = {} function M:f(x) redis.call(x) end function M:g(x) self:f(x) end M:g('A')",
        "(function(x) redis.call(x) end)('A')",
        "local function make(x) return function() redis.call(x) end end local f = make('A') f()",
        "local function make(x) return function() redis.call(x) end end make('A')()",
        "local function make(x) return { f = function() redis.call(x) end } end local t = make('A') t.f()",
        "local C = {} C.__index = C function C.new(x) return setmetatable({ x = x }, C) end
            function C:run(x) redis.call(x) end function C:go(x) self:run(x) end local c = C.new() c:go('A')",
        "local C = {} function C.new() local o = setmetatable({}, { __index = C }) o.y = 1 return o end
            function C:run(x) redis.call(x) end C.new():run('A')",
        "local function once(x) return function(_, last) redis.call(x) end end for a in once('A') do end",
        "local function with(f, x) return f(x) end with(function(x) redis.call(x) end, 'A')",
        "local function f(x) redis.call(x) end local function with(f, x) return f(x) end with(f, 'A')",
        "local function f(g, ...) g(...) end local function h(...) f(...) end h(function(x) redis.call(x) end, 'A')",
        "local function with(f) f() end local x = 'A' with(function() redis.call(x) end)",
        "local function outer(x) local function inner() redis.call(x) end inner() end outer('A')",
        "pcall(function() redis.call('A') end)",
        "local function f(x) redis.call(x) end pcall(f, 'A')",
        "xpcall(function() redis.call('A') end, function(e) return e end)",
        "local pcall = pcall pcall(function() redis.call('A') end)",
    ] {
        assert_eq!(calls(text, "call"), ["A"], "{text}");
    }
}

#[test]
fn functions_that_may_be_another_are_not_inlined() {
    for text in [
        "local f = function() redis.call('A') end f = function() end f()",
        "local M = {} function M.f() redis.call('A') end M[KEYS[1]] = 1 M.f()",
        "local M = {} function M.f() redis.call('A') end M.f = nil M.f()",
        "local function f() redis.call('A') end local function g(f) f() end g(tonumber)",
        "local pcall = tonumber pcall(function() redis.call('A') end)",
    ] {
        assert_eq!(calls(text, "call"), [] as [String; 0], "{text}");
    }
}

#[test]
fn recursion_is_not_inlined_twice() {
    let text = "local function f(n) redis.call('A', n) if n then f(1) end end f(0)";
    assert_eq!(calls(text, "call"), ["A 0"]);
    let (_, main) = main_of(text);
    assert!(!main.cut);
    let mutual = "local g local function f() redis.call('F') g() end g = function() redis.call('G') f() end f()";
    assert_eq!(calls(mutual, "call"), ["F", "G"]);
}

#[test]
fn doubling_helpers_are_cut() {
    let mut text = String::from("local function f0() redis.call('A') end\n");
    for n in 1..60 {
        text += &format!("local function f{n}() f{0}() f{0}() end\n", n - 1);
    }
    text += "f59()";
    let (_, main) = main_of(&text);
    assert!(main.cut);
    assert!(main.function.insts.len() < 2 * crate::limits::INLINED_INSTS);
}

#[test]
fn a_chain_of_a_thousand_helpers_is_covered_by_some_roots() {
    let mut text = String::from("local M = {}\nfunction M.f0() redis.call('A') end\n");
    for n in 1..1000 {
        text += &format!("function M.f{n}() M.f{}() end\n", n - 1);
    }
    text += "M.f999()";
    let (program, roots) = inlined(&Source::file("test.lua", text.as_bytes()));
    let covered: FxHashSet<FuncId> = roots.iter().flat_map(|(_, inlined)| inlined.covered.iter().copied()).collect();
    assert_eq!(covered.len(), program.functions.len());
    assert!(roots.len() < 100, "{}", roots.len());
}

#[test]
fn many_uncalled_functions_take_space_in_proportion() {
    let mut text = String::from("local function big() ");
    text += &"redis.call('A') ".repeat(1000);
    text += "end\n";
    text += "local M = {}\n";
    text += &"function M.f() big() end\n".repeat(1000);
    let (program, roots) = inlined(&Source::file("test.lua", text.as_bytes()));
    let before: usize = program.functions.iter().map(|function| function.insts.len()).sum();
    let after: usize = roots.iter().map(|(_, inlined)| inlined.function.insts.len()).sum();
    assert!(after < before * 10 + 2 * crate::limits::INLINED_INSTS, "{before} {after}");
}

#[test]
fn a_copy_has_locals_and_places_of_its_own() {
    let (program, main) =
        main_of("local function f(x) for i = 1, 2 do redis.call(x, i) end end while true do f('A') f('B') end");
    assert_eq!(main.function.loops.len(), 3);
    assert!(main.function.loops[1..].iter().all(|each| each.parent == Some(LoopId(0))));
    let names = main.copies.iter().filter(|copy| copy.of.is_some()).count();
    assert_eq!(names % 2, 0);
    for block in &main.function.blocks {
        for &value in &block.insts {
            let mut inst = main.function.inst(value);
            let mut depth = 0;
            while let Some(via) = inst.via {
                inst = main.function.inst(via);
                depth += 1;
            }
            assert!(depth <= 1);
            assert!(program.functions[0].span.contains(inst.span));
        }
    }
}

#[test]
fn results_of_all_returns_meet() {
    let (_, main) = main_of(
        "local function f(x) if x then return 1, 2 end return nil, 'e' end local a, b = f(KEYS[1]) return a, b, f()",
    );
    let returned = main.function.blocks.iter().find_map(|block| match &block.end {
        Terminator::Return { values, tail, .. } => Some((values.len(), *tail)),
        _ => None,
    });
    assert_eq!(returned, Some((4, false)));
}

#[test]
fn callbacks_and_helpers_are_roots() {
    let kinds = |text: &str| -> Vec<(RootKind, u32)> {
        let (_, roots) = inlined(&Source::file("test.lua", text.as_bytes()));
        roots.iter().map(|(root, _)| (root.kind, root.function.0)).collect()
    };
    let callback = |keys: u32, argv: u32| RootKind::Callback { keys: Some(LocalId(keys)), argv: Some(LocalId(argv)) };
    let script = (RootKind::Script, 0);
    assert_eq!(kinds("#!lua name=l\nredis.register_function('f', function(k, a) end)"), [script, (callback(0, 1), 1)]);
    assert_eq!(
        kinds(
            "#!lua name=l\nlocal function f(k, a) end server.register_function{function_name='f', callback=f, flags={}}"
        ),
        [script, (callback(1, 2), 1)]
    );
    assert_eq!(kinds("local function f() end return f()"), [script]);
    let helper = |id| (RootKind::Helper, id);
    assert_eq!(kinds("local function f() end local function g() f() end"), [script, helper(2)]);
    assert_eq!(kinds("table.sort(KEYS, function(a, b) return a < b end)"), [script, helper(1)]);
    assert_eq!(kinds("local function f() return function() end end"), [script, helper(1), helper(2)]);
}

#[test]
fn a_helper_knows_the_constants_around_it() {
    let text = "local call, prefix = redis.call, 'a' .. 1 local full = prefix
        local count, list = 0, {} count = 1
        return { function(x) return call(full, count, list, x) end }";
    let (mut program, roots) = inlined(&Source::file("test.lua", text.as_bytes()));
    let (root, helper) = &roots[1];
    assert_eq!(root.kind, RootKind::Helper);
    program.locals.extend(helper.copies.iter().map(|copy| copy.local));
    let function = &helper.function;
    let call = function.blocks[0].insts.iter().find_map(|&value| match function.op(value) {
        Op::Call { callee, args, .. } => Some((callee, args)),
        _ => None,
    });
    let (callee, args) = call.expect("the call");
    assert_eq!(show(&program, function, *callee), "redis.call");
    let shown: Vec<_> = args.iter().map(|&arg| show(&program, function, arg)).collect();
    assert_eq!(shown, ["a1", "?", "?", "?"]);
}

/// The scripts of other tests, whatever they are about.
#[test]
fn every_script_stays_sound() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let mut scripts = 0;
    for entry in walkdir::WalkDir::new(directory).into_iter().map(Result::unwrap) {
        if entry.path().extension().is_none_or(|it| it != "lua") {
            continue;
        }
        let source = Source::file("test.lua", std::fs::read(entry.path()).unwrap());
        if let Ok(parsed) = parse(&source) {
            let program = crate::lower::lower(&source, parsed);
            for (_, inlined) in sound_roots(&program) {
                reducible(&inlined.function);
            }
            scripts += 1;
        }
    }
    assert!(scripts != 0);
}

/// The graph relies on it: what leads back leads to the head of a loop, which dominates it.
fn reducible(function: &Function) {
    let graph = crate::graph::Graph::new(function);
    for &from in &graph.rpo {
        for to in graph.successors(from).filter(|&to| graph.position(to) <= graph.position(from)) {
            assert!(graph.dominates(to, from) && graph.headed_by(to).is_some(), "{from:?} leads back to {to:?}");
        }
    }
}
