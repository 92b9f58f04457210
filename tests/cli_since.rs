//! `--since REV`: only what has changed, as git says.

#[path = "common/folder.rs"]
mod folder;

use std::{fs, process::Command};

use folder::{Folder, Run};

const GLOBAL: &str = "x = redis.call('GET', KEYS[1])\nreturn x\n";

/// A folder that is a repository, with all of it committed and tagged `start`.
fn repository(name: &str, files: &[(&str, &str)]) -> Folder {
    let mut folder = Folder::new(name);
    for (path, text) in files {
        folder = folder.with(path, text);
    }
    git(&folder, &["init", "--quiet", "--initial-branch", "main"]);
    commit(&folder);
    git(&folder, &["tag", "start"]);
    folder
}

fn git(folder: &Folder, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(&folder.0)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git is installed");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn commit(folder: &Folder) {
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--allow-empty", "--message", "a"]);
}

fn since(folder: &Folder, arguments: &[&str]) -> Vec<String> {
    let run = folder.run(&[&["--format", "json"], arguments].concat());
    assert_ne!(run.code, 2, "{}", run.err);
    run.paths()
}

#[test]
fn every_kind_of_change_counts() {
    let files = [("old.lua", GLOBAL), ("committed.lua", GLOBAL), ("staged.lua", GLOBAL), ("unstaged.lua", GLOBAL)];
    let folder = repository("kinds", &[&files[..], &[("moved.lua", GLOBAL), ("gone.lua", GLOBAL)]].concat());
    assert_eq!(since(&folder, &["--since", "start"]), Vec::<String>::new());
    let none = folder.run(&["--since", "HEAD"]);
    assert_eq!((none.code, none.err.as_str()), (0, "no script has changed since HEAD\n"));
    let changed = format!("{GLOBAL}-- more\n");
    let folder = folder.with("committed.lua", &changed);
    fs::remove_file(folder.0.join("gone.lua")).unwrap();
    commit(&folder);
    let folder = folder.with("staged.lua", &changed).with("unstaged.lua", &changed).with("new.lua", GLOBAL);
    git(&folder, &["add", "staged.lua"]);
    git(&folder, &["mv", "moved.lua", "renamed.lua"]);
    fs::write(folder.0.join(".gitignore"), "ignored.lua\n").unwrap();
    let folder = folder.with("ignored.lua", GLOBAL);
    let expected = ["committed.lua", "new.lua", "renamed.lua", "staged.lua", "unstaged.lua"];
    assert_eq!(since(&folder, &["--since", "start"]), expected);
    assert_eq!(since(&folder, &["--since", "HEAD"]), expected[1..]);
    assert_eq!(since(&folder, &["--since", "start", "old.lua", "new.lua"]), ["new.lua"]);
    // What was taken back has not changed.
    let folder = folder.with("staged.lua", GLOBAL);
    assert_eq!(since(&folder, &["--since", "start"]), ["committed.lua", "new.lua", "renamed.lua", "unstaged.lua"]);
}

#[test]
fn it_works_from_every_folder_and_for_every_name() {
    let strange = ["a b.lua", "quo'te\"d.lua", "ünï.lua", "new\nline.lua", "-dash.lua"];
    let mut folder = repository("names", &[("sub/old.lua", GLOBAL), ("sub/deep/old.lua", GLOBAL)]);
    for name in strange {
        folder = folder.with(&format!("sub/{name}"), GLOBAL);
    }
    let folder = folder.with("sub/deep/new.lua", GLOBAL).with("other/new.lua", GLOBAL);
    let mut found = since(&folder, &["--since", "start", "sub"]);
    let mut expected: Vec<String> =
        strange.iter().map(|name| format!("sub/{name}")).chain(["sub/deep/new.lua".into()]).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    let within = |arguments: &[&str], at: &str| {
        let arguments = [&["--format", "json", "--since", "start"], arguments].concat();
        Run::from(folder.command(&arguments).current_dir(folder.0.join(at)).output().unwrap()).paths()
    };
    assert_eq!(within(&[], "sub/deep"), ["new.lua"]);
    assert_eq!(within(&[".."], "sub/deep").len(), strange.len() + 1);
    assert_eq!(within(&["../sub/deep", "../other/new.lua"], "other"), ["../other/new.lua", "../sub/deep/new.lua"]);
    // As in a hook.
    let output = folder.command(&["--format", "json", "--since", "start", "sub/deep"]).env("GIT_DIR", ".git").output();
    assert_eq!(Run::from(output.unwrap()).paths(), ["sub/deep/new.lua"]);
    #[cfg(unix)]
    {
        let link = folder.0.parent().unwrap().join("link-to-names");
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(&folder.0, &link).unwrap();
        let path = format!("{}/sub/deep", link.display());
        assert_eq!(since(&folder, &["--since", "start", &path]), [format!("{path}/new.lua")]);
    }
}

#[test]
fn a_branch_is_compared_with_where_it_began() {
    let folder = repository("branch", &[("a.lua", GLOBAL), ("b.lua", GLOBAL)]);
    git(&folder, &["switch", "--quiet", "--create", "feature"]);
    let folder = folder.with("a.lua", format!("{GLOBAL}-- feature\n"));
    commit(&folder);
    git(&folder, &["switch", "--quiet", "main"]);
    let folder = folder.with("b.lua", format!("{GLOBAL}-- main\n"));
    commit(&folder);
    git(&folder, &["switch", "--quiet", "feature"]);
    assert_eq!(since(&folder, &["--since", "main"]), ["a.lua"]);
    assert_eq!(since(&folder, &["--since", "HEAD~1"]), ["a.lua"]);
    // Histories that have nothing in common are compared as they are.
    git(&folder, &["checkout", "--quiet", "--orphan", "alone"]);
    commit(&folder);
    assert_eq!(since(&folder, &["--since", "main"]), ["a.lua", "b.lua"]);
}

#[test]
fn scripts_are_checked_whose_includes_have_changed() {
    let script = |name: &str| format!("--- @include \"parts/{name}\"\nreturn drop(KEYS[1])\n");
    let part = "local function drop(key)\n  return redis.call('DEL', key)\nend\n";
    let files = [
        ("a.lua", script("drop")),
        ("b.lua", script("outer")),
        ("c.lua", script("other")),
        ("parts/outer.lua", "--- @include \"drop\"\n".into()),
        ("parts/drop.lua", part.into()),
        ("parts/other.lua", part.into()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let folder = repository("include", &files);
    let checked = |folder: &Folder| {
        let run = folder.run(&["--since", "start", "--format", "json"]);
        let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        (json["summary"]["files"].as_u64().unwrap(), run.paths())
    };
    assert_eq!(checked(&folder).0, 0);
    let folder = folder.with("parts/drop.lua", part.replace("key)\nend", "key, nil)\nend"));
    assert_eq!(checked(&folder), (2, vec!["parts/drop.lua".into()]));
    fs::remove_file(folder.0.join("parts/other.lua")).unwrap();
    let (count, paths) = checked(&folder);
    assert_eq!(count, 3);
    assert!(paths.contains(&"c.lua".to_owned()), "the include is lost: {paths:?}");
}

#[test]
fn it_goes_with_the_other_options() {
    let folder = repository("options", &[("old.lua", GLOBAL)]);
    let nil = "local v = redis.call('GET', KEYS[1])\nif v == nil then return 1 end\nreturn v\n";
    let folder = folder.with("new.lua", nil);
    assert_eq!(folder.run(&["fix", "--since", "HEAD"]).code, 0);
    assert!(fs::read_to_string(folder.0.join("new.lua")).unwrap().contains("if not v"));
    let folder = folder.with("new.lua", GLOBAL);
    assert_eq!(folder.run(&["--since", "HEAD", "--write-baseline", "base.json"]).code, 0);
    let base = fs::read_to_string(folder.0.join("base.json")).unwrap();
    assert!(base.contains("new.lua") && !base.contains("old.lua"), "{base}");
    assert_eq!(folder.run(&["--since", "HEAD", "--add-allow"]).code, 0);
    assert_eq!(fs::read_to_string(folder.0.join("old.lua")).unwrap(), GLOBAL);
}

#[test]
fn what_git_cannot_tell_is_an_error() {
    let folder = repository("errors", &[("a.lua", GLOBAL)]);
    for revision in ["nonsense", "-x", "--help", "", "start:a.lua"] {
        folder.run(&[&format!("--since={revision}")]).trouble(&[&format!("no revision is called `{revision}`")]);
    }
    folder.run(&["--since", "HEAD", "-"]).trouble(&["`--since` can't be used for standard input"]);
    folder.run(&["--write-baseline", "b.json", "-"]).trouble(&["`--write-baseline` can't be used for standard input"]);
    assert!(!folder.0.join("b.json").exists());
    folder.run(&["--since", "HEAD", "gone.lua"]).trouble(&["gone.lua: does not exist"]);
    let empty = folder.command(&["--since", "HEAD"]).env("PATH", "/nowhere").output().unwrap();
    Run::from(empty).trouble(&["needs the program `git`, which is not installed"]);
    let outside = Folder::new("outside").with("a.lua", GLOBAL);
    let run =
        outside.command(&["--since", "HEAD"]).env("GIT_CEILING_DIRECTORIES", outside.0.parent().unwrap()).output();
    let run = Run::from(run.unwrap());
    run.trouble(&[".: is in no git repository"]);
    assert_eq!(run.out, "");
}
