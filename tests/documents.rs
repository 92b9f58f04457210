//! What the book says is true, and what is published is whole.

#[path = "common/folder.rs"]
mod folder;

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use folder::Folder;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The bodies of the fences of that language.
fn fences(text: &str, language: &str) -> Vec<String> {
    let start = format!("```{language}\n");
    text.split(&start).skip(1).map(|part| part.split("```").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn the_json_page_shows_what_is_written() {
    let page = read("docs/src/json.md");
    let [script] = &fences(&page, "lua")[..] else { panic!("one script is shown") };
    let [shown] = &fences(&page, "json")[..] else { panic!("one document is shown") };
    let run = Folder::new("json-page").with("lua/a.lua", script).run(&["--format", "json", "lua"]);
    let shown: serde_json::Value = serde_json::from_str(shown).unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&run.out).unwrap(), shown);
    for name in shown.as_object().unwrap().keys().chain(shown["diagnostics"][0].as_object().unwrap().keys()) {
        assert!(
            page.contains(&format!("`{name}`"))
                || ["version", "tool", "rule", "category", "language", "message"].contains(&name.as_str()),
            "{name}"
        );
    }
}

/// Each line that starts with `evalint` in a fence of the book, the README, a hook or a job is a command that is understood.
#[test]
fn commands_in_documents_are_understood() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts: Vec<(String, String)> = Vec::new();
    for name in ["README.md", ".pre-commit-hooks.yaml", "contrib/pre-commit-mirror/.pre-commit-hooks.yaml"] {
        texts.push((name.into(), read(name)));
    }
    for entry in walkdir::WalkDir::new(root.join("docs")).sort_by_file_name() {
        let path = entry.unwrap().into_path();
        if path.is_file() {
            texts.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
        }
    }
    let folder = Folder::new("commands");
    let mut count = 0;
    for (name, text) in texts {
        for line in text.lines() {
            let line = line
                .trim()
                .trim_start_matches("- ")
                .trim_start_matches("entry: ")
                .trim_start_matches("lint-command: \"");
            let Some(arguments) = line.strip_prefix("evalint ") else { continue };
            let arguments = arguments.split(" #").next().unwrap().split(['>', '|', '"']).next().unwrap();
            let words: Vec<&str> = arguments.split_whitespace().collect();
            // A sentence, a label, or what would write a config here.
            if !words.first().is_some_and(|word| {
                word.starts_with('-')
                    || ["check", "fix", "explain", "rules", "schema"].contains(word)
                    || word.ends_with('/')
            }) {
                continue;
            }
            let run = folder.run(&words);
            assert!(
                !run.err.contains("Usage:") && !run.err.contains("invalid value"),
                "{name}: evalint {arguments}\n{}",
                run.err
            );
            count += 1;
        }
    }
    assert!(10 < count, "{count} commands were found");
}

#[test]
fn links_between_pages_lead_somewhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src");
    // These are made from the program.
    let made = ["rules.md"];
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        for link in fs::read_to_string(&path).unwrap().split("](").skip(1) {
            let link = link.split([')', '#']).next().unwrap();
            assert!(
                link.is_empty() || made.contains(&link) || folder.join(link).exists(),
                "{}: {link}",
                path.display()
            );
        }
    }
    let contents = read("docs/src/SUMMARY.md");
    for name in ["quick-start", "ci", "pre-commit", "editors", "config", "json", "why"] {
        assert!(contents.contains(&format!("({name}.md)")), "{name}");
    }
}

#[test]
fn every_category_says_why() {
    let why = read("docs/src/why.md");
    let categories: BTreeSet<_> = evalint::rule::RULES.iter().map(|rule| rule.category).collect();
    let lost: Vec<_> = categories.into_iter().filter(|category| !why.contains(&format!("**{category}**"))).collect();
    assert!(lost.is_empty(), "docs/src/why.md lacks {lost:?}");
}

/// Everything that the build reads is published, and nothing that is only for work on evalint.
#[test]
fn the_crate_is_whole_and_clean() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty", "--offline"])
        .current_dir(root)
        .output()
        .unwrap();
    let list = String::from_utf8(output.stdout).unwrap();
    let packaged: BTreeSet<&str> = list.lines().collect();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for folder in ["src", "rules"] {
        for entry in walkdir::WalkDir::new(root.join(folder)) {
            let path = entry.unwrap().into_path();
            let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            assert!(path.is_dir() || packaged.contains(name.as_str()), "{name} is not published");
        }
    }
    for name in ["Cargo.lock", "README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        assert!(packaged.contains(name), "{name} is not published");
    }
    let tops: BTreeSet<_> = packaged.iter().filter_map(|name| name.split_once('/')).map(|(top, _)| top).collect();
    assert_eq!(tops.into_iter().collect::<Vec<_>>(), ["rules", "src"]);
}

#[test]
fn versions_agree() {
    let version = env!("CARGO_PKG_VERSION");
    let mirror = read("contrib/pre-commit-mirror/pyproject.toml");
    assert!(
        mirror.contains(&format!("version = \"{version}\"")) && mirror.contains(&format!("\"evalint=={version}\"")),
        "{mirror}"
    );
    for name in ["docs/src/pre-commit.md", "docs/examples/github.yml"] {
        assert!(read(name).contains(&format!("v{version}")), "{name}");
    }
    let python: toml::Table = read("pyproject.toml").parse().unwrap();
    assert_eq!(python["project"]["description"].as_str(), Some(env!("CARGO_PKG_DESCRIPTION")));
}

/// In the folder of the repository, whose git commit the hooks are made from.
#[test]
#[ignore = "needs the network: run tools/test"]
fn hooks_find_what_is_wrong() {
    let output = Command::new("tools/hooks").current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
