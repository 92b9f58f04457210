use super::*;
use crate::{lower, parse};

/// The report on a script in which `syntax-error` would find the first `X`.
fn report(script: &str) -> Report {
    let source = Source::file("a.lua", script.as_bytes());
    let parsed = parse::parse(&source).unwrap_or_else(|errors| panic!("{script}: {errors:?}"));
    let directives = directives(&source, &parsed.comments);
    let program = lower::lower(&source, parsed);
    let start = script.find('X').expect("it is marked") as u32;
    let finding = Finding::new(Span::new(start, start + 1), "found");
    let rule = rule::rule("syntax-error").expect("it is a rule");
    directives.report(&source, &program.statements, &Config::default(), vec![(rule, finding)], Report::default())
}

fn rules(script: &str) -> Vec<&'static str> {
    report(script).diagnostics.iter().map(|one| one.rule.name).collect()
}

#[test]
fn an_allow_covers() {
    for script in [
        "return X -- evalint: allow(syntax-error)",
        "return X --evalint:allow( sandbox )because",
        "return X --[[ evalint: allow(all) ]]",
        "-- evalint: allow(unused-allow, syntax-error)\nreturn X",
        "-- evalint: allow(syntax-error)\n-- more\n\n--[[ and\nmore ]] return X",
        "-- evalint: allow(syntax-error)\nif a then\n  b = X\nend",
        "if X then -- evalint: allow(syntax-error)\n  b = 1\nend",
        "f(a,\n  X,\n  b) -- evalint: allow(syntax-error)",
        "f(a, -- evalint: allow(syntax-error)\n  X)",
        "f(a,\n  -- evalint: allow(syntax-error)\n  X)",
        "-- evalint: allow-file(syntax-error)\nlocal a\nreturn X",
        "for i = 1,\n  X do -- evalint: allow(syntax-error)\n  f()\nend",
    ] {
        let report = report(script);
        assert_eq!((report.diagnostics.len(), report.allowed.len()), (0, 1), "{script}\n{:?}", report.diagnostics);
    }
}

#[test]
fn an_allow_does_not_cover() {
    for script in [
        "local a -- evalint: allow(syntax-error)\nreturn X",
        "-- evalint: allow(syntax-error)\nlocal a\nreturn X",
        "-- evalint: allow(unknown-rule)\nreturn X",
        "if a then -- evalint: allow(syntax-error)\n  b = X\nend",
        "if a then\n  f()\n  -- evalint: allow(syntax-error)\nend\nreturn X",
        "local a\n-- evalint: allow-file(syntax-error)\nreturn X",
        "-- evalint is good: allow(syntax-error)\nreturn X",
    ] {
        assert!(rules(script).contains(&"syntax-error"), "{script}");
    }
}

#[test]
fn an_allow_of_nothing_is_unused() {
    assert_eq!(rules("f() -- evalint: allow(syntax-error)\nreturn X"), ["unused-allow", "syntax-error"]);
    assert_eq!(rules("f() -- evalint: allow(suppression)\nreturn X"), ["syntax-error"]);
    assert_eq!(rules("local a\n-- evalint: allow-file(syntax-error)\nreturn X"), ["unused-allow", "syntax-error"]);
}

#[test]
fn unknown_words_are_mistakes_and_prose_is_not() {
    assert_eq!(rules("return X -- evalint: allow(syntax-eror)"), ["syntax-error", "unknown-rule"]);
    assert_eq!(rules("return X -- evalint: alow(syntax-error)"), ["syntax-error", "unknown-rule"]);
    assert_eq!(rules("return X -- evalint: allow syntax-error"), ["syntax-error", "unknown-rule"]);
    assert_eq!(rules("return X -- evalint: target(redsi@7)"), ["syntax-error", "unknown-rule"]);
    assert_eq!(rules("return X -- evalint: is this right?"), ["syntax-error"]);
    assert_eq!(rules("return X -- evalint: allow(syntax-error, nonsense-xyz)"), ["unknown-rule"]);
}

#[test]
fn the_fix_removes_the_comment_or_the_name() {
    for (script, fixed) in [
        ("f() -- evalint: allow(syntax-error)\nX()", "f()\nX()"),
        ("f()\n  -- evalint: allow(syntax-error)\ng() X()", "f()\ng() X()"),
    ] {
        let report = report(script);
        let unused = report.diagnostics.iter().find(|one| one.rule.name == "unused-allow").expect("it is unused");
        let fix = unused.finding.fix.as_ref().expect("it can be removed");
        let mut text = script.to_owned();
        text.replace_range(fix.edits[0].span.range(), &fix.edits[0].text);
        assert_eq!(text, fixed);
    }
    let source = Source::file("a.lua", "-- evalint: allow(a, bb ,c)".as_bytes());
    let at = |name: &str| {
        let start = "-- evalint: allow(a, bb ,c)".rfind(name).expect("it is there") as u32;
        let edit = remove::name(Span::new(start, start + name.len() as u32), &source);
        source.snippet(edit.span).into_owned()
    };
    assert_eq!([at("bb"), at("c")], ["bb ,".to_owned(), " ,c".to_owned()]);
}

#[test]
fn a_script_names_its_own_targets() {
    let source = Source::file("a.lua", "-- evalint: target(redis@6.2)\nreturn 1".as_bytes());
    let parsed = parse::parse(&source).unwrap_or_else(|errors| panic!("{errors:?}"));
    let directives = directives(&source, &parsed.comments);
    let config = directives.config(&Config::default()).into_owned();
    assert_eq!(config.targets, ["redis@6.2".parse().expect("it is a target")]);
    assert!(config.targets_named);
}
