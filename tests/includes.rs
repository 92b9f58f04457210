//! Scripts made of several files: what is found in them stands at its place in the file that it is in.

#[path = "common/marks.rs"]
mod marks;
#[path = "common/parts.rs"]
mod parts;
#[path = "common/setting.rs"]
mod setting;

use std::collections::BTreeMap;

use evalint::{
    include::compose,
    limits,
    rule::Diagnostic,
    source::{FileId, Source, Span},
};
use marks::{Marked, Place};
use parts::Files;
use setting::Setting;

/// The folders of `testdata/includes`: what lies in their `parts` is only checked as a part of the scripts beside it. The marks of a
/// file are met by what all scripts find in it, each finding once.
#[test]
fn findings_stand_in_the_file_that_they_are_in() {
    let mut files = Files::new();
    let mut marked: BTreeMap<String, Marked> = BTreeMap::new();
    for (path, text) in setting::scripts("includes") {
        let cut = marks::cut(&text, "--").unwrap();
        files.insert(path.clone(), cut.text.clone());
        marked.insert(path, cut);
    }
    let mut found: BTreeMap<String, (Source, FileId, Vec<Diagnostic>)> = BTreeMap::new();
    for path in files.keys().filter(|path| !path.contains("/parts/")) {
        let source = parts::script(path, &files[path], &files);
        for one in Setting::default().check(&source) {
            let place = source.place(one.finding.span);
            let path = source.files[place.file.0 as usize].path.to_string();
            let (known, _, all) = found.entry(path).or_insert_with(|| (source.clone(), place.file, Vec::new()));
            if !all.iter().any(|old| old.rule == one.rule && known.place(old.finding.span).span == place.span) {
                // As if it were found in the script that was first to find something there.
                let at = known.spans_of(known_file(known, &source, place.file));
                let piece = at.iter().find_map(|&piece| shifted(known, piece, place.span)).expect("it is a part of it");
                let finding = evalint::rule::Finding { span: piece, labels: Vec::new(), ..one.finding };
                all.push(Diagnostic { finding, ..one });
            }
        }
    }
    let mut faults = String::new();
    for (path, cut) in &marked {
        let place = Place { path, line: 1 };
        faults += &match found.get(path) {
            Some((source, file, all)) => marks::mismatches_in(&place, &cut.marks, source, *file, all),
            None => marks::mismatches(&place, &cut.marks, &Source::file(path.as_str(), cut.text.as_slice()), &[]),
        };
    }
    assert!(faults.is_empty(), "\n{faults}");
}

fn known_file(known: &Source, source: &Source, file: FileId) -> FileId {
    let path = &source.files[file.0 as usize].path;
    let at = known.files.iter().position(|one| one.path == *path).expect("it is told of the same file");
    FileId(at as u32)
}

/// The span of the text, if the piece holds that of the file.
fn shifted(source: &Source, piece: Span, in_file: Span) -> Option<Span> {
    let start = source.place(Span::new(piece.start, piece.start)).span.start;
    let at = piece.start + in_file.start.checked_sub(start)?;
    let span = Span::new(at, at + (in_file.end - in_file.start));
    (piece.contains(span) && source.place(span).span == in_file).then_some(span)
}

fn compose_of(files: &[(&str, &str)]) -> Source {
    let files: Files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
    parts::script("main.lua", &files["main.lua"], &files)
}

#[test]
fn every_form_of_include_is_followed() {
    for words in [
        "--- @include \"x\"",
        "--@include 'x.lua'",
        "-- $include(x.lua)",
        "-- import:x --",
        "--@require './x'",
        "<%= include_partial 'x' %>",
        "<%= include_partial(\"x.lua\") %>",
        "--- @include \"x\" \r",
    ] {
        let source =
            compose_of(&[("main.lua", &format!("local a\n{words}\nreturn x()")), ("x.lua", "local function x() end")]);
        let text = String::from_utf8_lossy(&source.text);
        assert!(text.contains("\nlocal function x() end\n"), "{words}: {text}");
        assert!(text.ends_with("\nreturn x()"), "{words}: {text}");
        assert_eq!(source.files.len(), 2, "{words}");
        assert!(evalint::parse::parse(&source).is_ok(), "{words}: {text}");
    }
}

#[test]
fn prose_is_no_include() {
    for words in [
        "-- include \"x\"",
        "-- import: the x",
        "-- import:x",
        "-- see @include \"x\"",
        "--[[ @include \"x\" ]]",
        "local s = '--- @include \"x\"'",
        "-- @includes \"x\"",
        "-- @include x",
    ] {
        let source = compose_of(&[("main.lua", words), ("x.lua", "return 1")]);
        assert_eq!(&*source.text, words.as_bytes());
        assert!(source.includes.is_empty(), "{words}");
    }
}

#[test]
fn a_file_is_put_in_once_but_a_template_each_time() {
    let two = |words: &str| {
        let main = format!("{words}\n{words}\n");
        let source = compose_of(&[("main.lua", &main), ("x.lua", "f()")]);
        String::from_utf8_lossy(&source.text).matches("f()").count()
    };
    assert_eq!(two("--- @include \"x\""), 1);
    assert_eq!(two("<%= include_partial 'x' %>"), 2);
}

#[test]
fn every_byte_lies_in_its_file() {
    let source = compose_of(&[
        ("main.lua", "local a = 1\n--- @include \"in/x\"\nreturn b + c"),
        ("in/x.lua", "--- @include \"y\"\nlocal b = 2"),
        ("in/y.lua", "local c = 3\n"),
    ]);
    for word in ["local a = 1", "return b + c", "local b = 2", "local c = 3", "in/x\"", "b + c"] {
        let text = String::from_utf8_lossy(&source.text).into_owned();
        let at = text.find(word).expect("it is put in") as u32;
        let place = source.place(Span::new(at, at + word.len() as u32));
        assert_eq!(&source.files[place.file.0 as usize].text[place.span.range()], word.as_bytes());
    }
    for start in 0..=source.text.len() as u32 {
        for end in start..=source.text.len() as u32 {
            let place = source.place(Span::new(start, end));
            assert!(place.span.end as usize <= source.files[place.file.0 as usize].text.len());
            assert!(place.span.start <= place.span.end);
        }
    }
    let whole = source.place(Span::new(0, source.text.len() as u32));
    assert_eq!((whole.file, whole.span), (FileId::MAIN, Span::new(0, source.files[0].text.len() as u32)));
}

/// Each file includes the next one twice: that is a text of 2^n.
#[test]
fn templates_that_grow_are_cut() {
    let mut count = 0;
    let main = evalint::source::File { path: "0".into(), text: b"<%= include_partial 'x' %>"[..].into() };
    let source = compose(main, |_, _| {
        count += 1;
        let text = b"<%= include_partial 'x' %>\n<%= include_partial 'x' %>\n";
        evalint::include::Found::File(evalint::source::File { path: format!("{count}").into(), text: text[..].into() })
    });
    assert!(count <= 3 * limits::INCLUDES, "{count}");
    assert!(source.text.len() < limits::SCRIPT_BYTES);
    assert!(Setting::default().check(&source).is_empty());
}

#[test]
fn a_circle_is_told_at_one_place() {
    let files = |main: &str| {
        compose_of(&[
            ("main.lua", &format!("--- @include \"{main}\"\n")),
            ("a.lua", "--- @include \"b\"\n"),
            ("b.lua", "--- @include \"c\"\n"),
            ("c.lua", "--- @include \"a\"\n"),
        ])
    };
    for main in ["a", "b", "c"] {
        let source = files(main);
        let found = Setting::default().check(&source);
        let [one] = &found[..] else { panic!("{found:?}") };
        assert_eq!(one.rule.name, "include-cycle");
        let place = source.place(one.finding.span);
        assert_eq!(&*source.files[place.file.0 as usize].path, "c.lua");
        assert_eq!(one.finding.labels.len(), 2);
    }
    let own = compose_of(&[("main.lua", "--- @include \"main\"\n")]);
    assert_eq!(Setting::default().check(&own).len(), 1);
}
