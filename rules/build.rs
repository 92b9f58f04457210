//! Registers every rule: a pair `rules/CATEGORY/NAME.md`, `rules/CATEGORY/NAME.rs`.
//!
//! Writes to `OUT_DIR`: `rules.rs`, included by `src/rule.rs` (the modules and `RULES`, sorted by name), and `pages.rs`,
//! included by `tests/pages.rs` (one `#[test]` a page, one more a page with transcripts). A broken pair fails the build with its path.

use std::{
    collections::BTreeMap,
    env,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

#[path = "../src/commands/build.rs"]
mod commands;

fn main() {
    println!("cargo::rerun-if-changed=rules");
    println!("cargo::rerun-if-changed=src/commands");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    commands::write(&root.join("src/commands"), &out);
    let pages = pages(&root.join("rules"));

    let mut modules = String::new();
    let mut table = String::from("/// Every rule, sorted by name.\npub static RULES: &[Rule] = &[\n");
    let mut tests = String::new();
    let mut transcripts = String::new();
    for (name, page) in &pages {
        let text = fs::read_to_string(page).expect("listed a moment ago");
        let front = front_matter(page, &text);
        let module = name.replace('-', "_");
        let code = page.with_extension("rs");
        assert!(code.exists(), "{} has no {name}.rs beside it", page.display());
        // A rule looks for some forms of instructions and origins: a new form is none of them.
        writeln!(
            modules,
            "#[path = {code:?}]
#[allow(clippy::wildcard_enum_match_arm)]
pub(crate) mod {module};"
        )
        .unwrap();
        let field = |key: &str| {
            front
                .fields
                .get(key)
                .copied()
                .unwrap_or_else(|| panic!("{}: the front matter lacks `{key}:`", page.display()))
        };
        let check = match front.fields.get("stage").copied().unwrap_or("facts") {
            "facts" => format!("Check::Facts({module}::check)"),
            "include" => format!("Check::Include({module}::check)"),
            "parse" => "Check::Parse".into(),
            "suppress" => "Check::Suppress".into(),
            other => panic!("{}: no stage is called `{other}`", page.display()),
        };
        let fix = match field("fix") {
            "none" => "None".into(),
            fix => format!("Some(Safety::{})", variant(fix)),
        };
        let category = page.parent().and_then(Path::file_name).expect("found in a folder");
        writeln!(
            table,
            "Rule {{ name: {name:?}, category: {category:?}, summary: {:?}, severity: Severity::{}, preset: Preset::{}, \
             fix: {fix}, effect: Effect::{}, page: {:?}, check: {check} }},",
            field("summary"),
            variant(field("severity")),
            variant(field("preset")),
            variant(field("effect")),
            front.body,
        )
        .unwrap();
        writeln!(tests, "#[test]\nfn {module}() {{ page({name:?}) }}").unwrap();
        if front.body.contains("\n```redis ") {
            writeln!(
                transcripts,
                "#[test]\n#[ignore = \"needs real servers: run tools/test\"]\nfn {module}() {{ super::transcript({name:?}) }}"
            )
            .unwrap();
        }
    }
    table.push_str("];\n");
    fs::write(out.join("rules.rs"), modules + &table).expect("OUT_DIR can be written");
    tests += &format!("mod transcripts {{\n{transcripts}}}\n");
    fs::write(out.join("pages.rs"), tests).expect("OUT_DIR can be written");
}

/// The pages by rule name.
fn pages(rules: &Path) -> BTreeMap<String, PathBuf> {
    let mut pages = BTreeMap::new();
    for entry in walkdir::WalkDir::new(rules).min_depth(2).sort_by_file_name() {
        let path = entry.expect("rules/ can be read").into_path();
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("names are ASCII").to_owned();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("md") => {
                if let Some(other) = pages.insert(name, path.clone()) {
                    panic!("{} and {} are the same rule", other.display(), path.display());
                }
            }
            Some("rs") => assert!(path.with_extension("md").exists(), "{} has no page beside it", path.display()),
            _ => {}
        }
    }
    pages
}

struct FrontMatter<'a> {
    fields: BTreeMap<&'a str, &'a str>,
    body: &'a str,
}

fn front_matter<'a>(path: &Path, text: &'a str) -> FrontMatter<'a> {
    let split = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    let Some((head, body)) = split else {
        panic!("{}: a page starts with `---`, its front matter, `---`", path.display())
    };
    let fields = head
        .lines()
        .map(|line| match line.split_once(": ") {
            Some((key @ ("summary" | "severity" | "preset" | "fix" | "effect" | "stage"), value)) => {
                (key, value.trim())
            }
            _ => panic!("{}: `{line}` is no field of the front matter", path.display()),
        })
        .collect();
    FrontMatter { fields, body: body.trim_start() }
}

/// `recommended` is the variant `Recommended`.
fn variant(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}
