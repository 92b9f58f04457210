//! `--fix`, `--unsafe-fixes`, `--diff` and `--add-allow`: what they write, and what they leave alone.

#[path = "common/folder.rs"]
mod folder;

use std::{fs, path::Path};

use folder::{Folder, Run};

const NIL: &str = "local v = redis.call('GET', KEYS[1])\nif v == nil then return 1 end\nreturn v\n";
const NIL_FIXED: &str = "local v = redis.call('GET', KEYS[1])\nif not v then return 1 end\nreturn v\n";
const GLOBAL: &str = "x = redis.call('GET', KEYS[1])\nreturn x\n";
const GLOBAL_FIXED: &str = "local x = redis.call('GET', KEYS[1])\nreturn x\n";
const BROKEN: &str = "local n = #KEYS[1]\nif n = 1 then end\n";

fn bytes(folder: &Folder, path: &str) -> Vec<u8> {
    fs::read(folder.0.join(path)).unwrap()
}

fn text(folder: &Folder, path: &str) -> String {
    String::from_utf8(bytes(folder, path)).unwrap()
}

/// Every file of the folder, temporary ones too.
fn listing(path: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn ends(run: &Run, code: i32) {
    assert_eq!(run.code, code, "{}\n{}", run.out, run.err);
}

#[test]
fn safe_fixes_are_made_and_what_is_left_is_told() {
    let folder = Folder::new("safe").with("a.lua", NIL).with("b.lua", GLOBAL);
    assert!(folder.run(&[]).err.ends_with("\n`evalint fix` mends 1 of them\n"));
    let run = folder.run(&["--fix"]);
    ends(&run, 1);
    assert!(!run.err.contains("mends"), "{}", run.err);
    assert_eq!(text(&folder, "a.lua"), NIL_FIXED);
    assert_eq!(text(&folder, "b.lua"), GLOBAL);
    assert!(run.err.contains("1 fixed in 1 file\n"), "{}", run.err);
    assert!(run.out.contains("b.lua:1:1") && !run.out.contains("a.lua"), "{}", run.out);
    assert_eq!(listing(&folder.0), ["a.lua", "b.lua", "evalint.toml"]);
    let again = folder.run(&["fix"]);
    assert!(!again.err.contains("fixed"), "{}", again.err);
    let all = folder.run(&["--unsafe-fixes"]);
    ends(&all, 0);
    assert_eq!(text(&folder, "b.lua"), GLOBAL_FIXED);
}

#[test]
fn only_what_is_shown_is_fixed() {
    let folder = Folder::new("shown")
        .with("a.lua", NIL)
        .with("b.lua", NIL.replace("if v", "-- evalint: allow(nil-check-on-reply)\nif v"))
        .with("off/evalint.toml", "rules.nil-check-on-reply = 'off'")
        .with("off/a.lua", NIL)
        .with("c.lua", NIL);
    ends(&folder.run(&["fix", "--select", "global-assignment"]), 0);
    assert_eq!(text(&folder, "a.lua"), NIL);
    ends(&folder.run(&["fix", "a.lua", "b.lua", "off"]), 0);
    assert_eq!(text(&folder, "a.lua"), NIL_FIXED);
    assert!(text(&folder, "b.lua").contains("v == nil"));
    assert_eq!(text(&folder, "off/a.lua"), NIL);
    assert_eq!(text(&folder, "c.lua"), NIL);
}

#[test]
fn a_diff_changes_nothing() {
    let folder = Folder::new("diff").with("a.lua", NIL).with("sub/b.lua", GLOBAL).with("c.lua", NIL_FIXED);
    let run = folder.run(&["--diff"]);
    ends(&run, 1);
    let expected = "--- a/a.lua\n+++ b/a.lua\n@@ -1,3 +1,3 @@\n local v = redis.call('GET', KEYS[1])\n\
                    -if v == nil then return 1 end\n+if not v then return 1 end\n return v\n";
    assert_eq!(run.out, expected);
    assert_eq!(run.err, "1 would be fixed in 1 file\n");
    let both = folder.run(&["fix", "--diff", "--unsafe-fixes"]);
    ends(&both, 1);
    assert!(both.out.contains("+local x = redis") && both.out.contains("+++ b/sub/b.lua\n"), "{}", both.out);
    assert_eq!((text(&folder, "a.lua"), text(&folder, "sub/b.lua")), (NIL.into(), GLOBAL.into()));
    ends(&folder.run(&["--diff", "--exit-zero"]), 0);
    let none = folder.run(&["--diff", "c.lua"]);
    ends(&none, 0);
    assert_eq!((none.out.as_str(), none.err.as_str()), ("", "nothing would be changed\n"));
    assert_eq!(folder.run(&["--diff", "--quiet"]).err, "");
    folder.run(&["--diff", "gone.lua", "a.lua"]).trouble(&["gone.lua: does not exist"]);
    let comments = folder.run(&["--diff", "--add-allow", "a.lua"]);
    assert!(comments.out.contains("+if v == nil then return 1 end -- evalint: allow(nil-check-on-reply)\n"));
    assert_eq!(comments.err, "1 would be allowed by new comments in 1 file\n");
}

/// The diff is one for `git apply` and for `patch`.
#[test]
fn a_diff_can_be_applied() {
    let folder = Folder::new("apply").with("a b.lua", NIL.trim_end().replace('\n', "\r\n"));
    let diff = folder.run(&["--diff"]);
    let patched = std::process::Command::new("git")
        .args(["apply", "--unsafe-paths", "-"])
        .current_dir(&folder.0)
        .env("GIT_CEILING_DIRECTORIES", folder.0.parent().unwrap())
        .stdin(std::process::Stdio::piped())
        .spawn()
        .and_then(|mut git| {
            std::io::Write::write_all(&mut git.stdin.take().unwrap(), diff.out.as_bytes())?;
            git.wait()
        });
    assert!(patched.unwrap().success(), "{}", diff.out);
    assert_eq!(text(&folder, "a b.lua"), NIL_FIXED.trim_end().replace('\n', "\r\n"));
}

#[test]
fn standard_input_comes_back_on_standard_output() {
    let folder = Folder::new("stdin").with("evalint.toml", "exclude = ['vendor']");
    let run = folder.pipe(&["--fix", "-"], NIL.as_bytes());
    ends(&run, 0);
    assert_eq!(run.out, NIL_FIXED);
    assert!(run.err.contains("1 fixed in 1 file"), "{}", run.err);
    let left = folder.pipe(&["fix", "--stdin-filename", "a.lua", "--format", "json"], GLOBAL.as_bytes());
    ends(&left, 1);
    assert_eq!(left.out, GLOBAL);
    assert!(left.err.contains("global-assignment"), "{}", left.err);
    // An editor puts what it gets in the place of its text.
    for (path, text) in [("a.lua", BROKEN), ("vendor/a.lua", NIL), ("a.lua", ""), ("a.lua", "print(1)\n")] {
        assert_eq!(folder.pipe(&["--fix", "--stdin-filename", path], text.as_bytes()).out, text);
    }
    let comments = folder.pipe(&["--add-allow", "-"], GLOBAL.as_bytes());
    assert!(comments.out.starts_with("x = redis.call('GET', KEYS[1]) -- evalint: allow("), "{}", comments.out);
    let diff = folder.pipe(&["--diff", "-"], NIL.as_bytes());
    ends(&diff, 1);
    assert!(diff.out.contains("+if not v then"), "{}", diff.out);
    let big = vec![b' '; evalint::limits::SCRIPT_BYTES + 1];
    let run = folder.pipe(&["--fix", "-"], &big);
    run.trouble(&["is too big"]);
    assert_eq!(run.out, "");
    folder.run(&["--fix", "-", "evalint.toml"]).trouble(&["standard input is changed by itself"]);
}

#[test]
fn every_byte_that_is_not_fixed_stays() {
    let odd = b"-- \xff\xfe \xe2\x82\xac\r\nlocal v = redis.call('GET', KEYS[1])\r\nif v == nil then return '\xfe\\\r\n' end\r\n-- end".to_vec();
    let folder = Folder::new("bytes").with("a.lua", &odd).with("bom.lua", format!("\u{feff}{NIL}"));
    folder.run(&["--fix"]);
    let fixed = bytes(&folder, "a.lua");
    let expected = String::from_utf8_lossy(&odd).replace("v == nil", "not v");
    assert_eq!(String::from_utf8_lossy(&fixed), expected);
    assert!(fixed.windows(3).any(|window| window == b"'\xfe\\"));
    // The server refuses it: it is no script yet.
    assert_eq!(text(&folder, "bom.lua"), format!("\u{feff}{NIL}"));
    folder.run(&["--add-allow", "--preset", "strict"]);
    assert!(
        !String::from_utf8_lossy(&bytes(&folder, "a.lua")).replace("\r\n", "").contains('\n'),
        "line ends are mixed"
    );
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = Folder::new("permissions").with("a.lua", NIL).with("real/b.lua", NIL);
    let mode = |path: &str| fs::metadata(folder.0.join(path)).unwrap().permissions().mode() & 0o7777;
    fs::set_permissions(folder.0.join("a.lua"), fs::Permissions::from_mode(0o751)).unwrap();
    symlink("real/b.lua", folder.0.join("link.lua")).unwrap();
    ends(&folder.run(&["fix", "a.lua", "link.lua", "real/b.lua"]), 0);
    assert_eq!(mode("a.lua"), 0o751);
    assert!(fs::symlink_metadata(folder.0.join("link.lua")).unwrap().is_symlink());
    assert_eq!((text(&folder, "a.lua"), text(&folder, "real/b.lua")), (NIL_FIXED.into(), NIL_FIXED.into()));
}

#[cfg(unix)]
#[test]
fn what_may_not_be_written_is_named_and_the_rest_is_fixed() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new("read-only").with("a.lua", NIL).with("b.lua", NIL).with("closed/c.lua", NIL);
    fs::set_permissions(folder.0.join("a.lua"), fs::Permissions::from_mode(0o444)).unwrap();
    let run = folder.run(&["fix", "--format", "json", "a.lua", "b.lua"]);
    run.trouble(&["a.lua: can't be changed: it is read-only", "1 fixed in 1 file"]);
    assert_eq!((text(&folder, "a.lua"), text(&folder, "b.lua")), (NIL.into(), NIL_FIXED.into()));
    assert_eq!(run.paths(), ["a.lua"], "what was not fixed is still told");
    assert!(run.out.contains("\"errors\":[{\"path\":\"a.lua\""), "{}", run.out);
    let closed = folder.0.join("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    let superuser = fs::write(closed.join("probe"), "").is_ok();
    let run = folder.run(&["fix", "closed"]);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    if !superuser {
        run.trouble(&["closed/c.lua: can't be changed"]);
        assert_eq!(text(&folder, "closed/c.lua"), NIL);
    }
}

/// The fix of the global makes a local that nobody reads, which is an error here.
#[test]
fn a_fix_that_makes_an_error_is_taken_back_and_the_others_are_made() {
    let both = format!("x = 1\n{NIL}");
    let folder = Folder::new("back")
        .with("evalint.toml", "rules.unused-local = 'error'")
        .with("a.lua", &both)
        .with("b.lua", NIL);
    let run = folder.run(&["--unsafe-fixes"]);
    run.trouble(&[
        "a.lua: was not changed for `global-assignment`: the result would have a new error, `unused-local`",
        "2 fixed in 2 files",
    ]);
    assert_eq!(text(&folder, "a.lua"), format!("x = 1\n{NIL_FIXED}"));
    assert_eq!(text(&folder, "b.lua"), NIL_FIXED);
    assert!(run.out.contains("global-assignment") && !run.out.contains("unused-local"), "{}", run.out);
    let diff = folder.with("a.lua", &both).run(&["--diff", "--unsafe-fixes", "a.lua"]);
    diff.trouble(&["was not changed for `global-assignment`"]);
    assert!(diff.out.contains("+if not v") && !diff.out.contains("+local x"), "{}", diff.out);
}

const SHARED: &str = "local function absent(v)\n  return v == nil\nend\n";
const INCLUDE: &str = "--- @include \"parts/shared\"\n";

#[test]
fn an_included_file_is_fixed_once_where_all_scripts_agree() {
    let script = format!("{INCLUDE}return absent(redis.call('GET', KEYS[1]))\n");
    let folder = Folder::new("include").with("a.lua", &script).with("b.lua", &script).with("parts/shared.lua", SHARED);
    let run = folder.run(&["fix"]);
    ends(&run, 0);
    assert!(run.err.contains("1 fixed in 1 file"), "{}", run.err);
    assert_eq!(text(&folder, "parts/shared.lua"), SHARED.replace("v == nil", "not v"));
    assert_eq!(text(&folder, "a.lua"), script);
    // Where the value may be nil, the comparison is right.
    let folder =
        folder.with("parts/shared.lua", SHARED).with("b.lua", format!("{INCLUDE}return absent(tonumber(ARGV[1]))\n"));
    let run = folder.run(&["fix"]);
    ends(&run, 1);
    assert_eq!(text(&folder, "parts/shared.lua"), SHARED);
}

#[test]
fn files_that_were_not_named_are_left_alone_and_told() {
    let script = format!("{INCLUDE}return absent(redis.call('GET', KEYS[1]))\n");
    let folder = Folder::new("others").with("a.lua", script).with("parts/shared.lua", SHARED);
    let run = folder.run(&["fix", "a.lua"]);
    ends(&run, 1);
    assert_eq!(text(&folder, "parts/shared.lua"), SHARED);
    assert!(run.err.contains("parts/shared.lua: there is more to do; name the file"), "{}", run.err);
    ends(&folder.run(&["fix", "a.lua", "parts/shared.lua"]), 0);
}

#[test]
fn an_unused_allow_of_an_included_file_is_removed_once() {
    let part = "-- evalint: allow(undefined-global) a host's\nlocal function drop(key)\n  return key\nend\n";
    let script = format!("{INCLUDE}return drop(KEYS[1])\n");
    let folder = Folder::new("unused").with("a.lua", &script).with("b.lua", &script).with("parts/shared.lua", part);
    ends(&folder.run(&["fix"]), 0);
    assert_eq!(text(&folder, "parts/shared.lua"), part.split_once('\n').unwrap().1);
}

#[test]
fn names_are_taken_out_of_comments_one_by_one() {
    let line = "local v = redis.call('GET', KEYS[1])";
    for (before, after) in [
        (format!("{line} -- evalint: allow(literal-key, keys-command) why\nreturn v\n"), format!("{line}\nreturn v\n")),
        (
            "-- evalint: allow(literal-key, argument-key, keys-command) why\nreturn redis.call('KEYS', '*')\n".into(),
            "-- evalint: allow(keys-command) why\nreturn redis.call('KEYS', '*')\n".into(),
        ),
        (
            "local--[[ evalint: allow(literal-key) ]]v = KEYS[1]\nreturn v\n".into(),
            "local v = KEYS[1]\nreturn v\n".into(),
        ),
        ("  --[[ evalint: allow(literal-key) ]] return KEYS[1]\n".into(), "   return KEYS[1]\n".into()),
        // The slip has to be mended first.
        (
            "-- evalint: allow(literal-key, argument-kye)\nreturn KEYS[1]\n".into(),
            "-- evalint: allow(argument-kye)\nreturn KEYS[1]\n".into(),
        ),
    ] {
        let folder = Folder::new("names").with("a.lua", &before);
        folder.run(&["fix"]);
        assert_eq!(text(&folder, "a.lua"), after);
    }
}

/// What the comments are added to, and what they look like then; a second run is silent.
#[test]
fn comments_are_added_where_they_break_nothing() {
    for (before, after) in [
        (NIL.to_owned(), NIL.replace("return 1 end", "return 1 end -- evalint: allow(nil-check-on-reply)")),
        // A comment ends the line.
        (
            "do\n\tx = 1 -- why\nend\n".to_owned(),
            "do\n\t-- evalint: allow(global-assignment)\n\tx = 1 -- why\nend\n".to_owned(),
        ),
        ("x = 1 --[[ why ]]\n".to_owned(), "x = 1 --[[ why ]] -- evalint: allow(global-assignment)\n".to_owned()),
        // A long string or comment goes on.
        ("x = [[\n  a\n]]\n".to_owned(), "-- evalint: allow(global-assignment)\nx = [[\n  a\n]]\n".to_owned()),
        ("x = 1 --[[\n  a\n]]\n".to_owned(), "-- evalint: allow(global-assignment)\nx = 1 --[[\n  a\n]]\n".to_owned()),
        (
            "x = 'a\\\nb'\nreturn 1".to_owned(),
            "-- evalint: allow(global-assignment)\nx = 'a\\\nb'\nreturn 1".to_owned(),
        ),
        ("x = 1".to_owned(), "x = 1 -- evalint: allow(global-assignment)".to_owned()),
        // Several findings share a comment, also one that is there.
        (
            "x = 1 -- evalint: allow(undefined-global, unused-allow) why\n".to_owned(),
            "x = 1 -- evalint: allow(undefined-global, unused-allow, global-assignment) why\n".to_owned(),
        ),
        (
            "x = redis.call('GETT', KEYS[1])\r\nreturn x\r\n".to_owned(),
            "x = redis.call('GETT', KEYS[1]) -- evalint: allow(global-assignment, unknown-command)\r\nreturn x\r\n"
                .to_owned(),
        ),
        // No comment can stand above the first line, or behind it.
        (
            "#!lua flags=nonsense\nreturn 1\n".to_owned(),
            "#!lua flags=nonsense\n-- evalint: allow-file(invalid-shebang)\nreturn 1\n".to_owned(),
        ),
        (
            "#!lua flags=nonsense\n-- evalint: allow-file(unused-allow)\nreturn 1\n".to_owned(),
            "#!lua flags=nonsense\n-- evalint: allow-file(unused-allow, invalid-shebang)\nreturn 1\n".to_owned(),
        ),
        (
            "--- @include \"lost\"\nreturn 1\n".to_owned(),
            "-- evalint: allow(unresolved-include)\n--- @include \"lost\"\nreturn 1\n".to_owned(),
        ),
        // What the comment itself is wrong in.
        (
            "-- evalint: allow(literal-kye)\nreturn 1\n".to_owned(),
            "-- evalint: allow(unknown-rule)\n-- evalint: allow(literal-kye)\nreturn 1\n".to_owned(),
        ),
    ] {
        let folder = Folder::new("comments").with("a.lua", &before);
        let run = folder.run(&["--add-allow", "a.lua"]);
        assert_eq!(text(&folder, "a.lua"), after, "{}{}", run.out, run.err);
        ends(&run, 0);
        assert!(run.err.contains("allowed by new comments in 1 file"), "{}", run.err);
        let again = folder.run(&["--add-allow", "a.lua"]);
        ends(&again, 0);
        assert_eq!(again.out, "", "it is not silent: {after}");
        assert_eq!(text(&folder, "a.lua"), after);
    }
}

#[test]
fn a_syntax_error_cannot_be_allowed() {
    let folder = Folder::new("syntax").with("a.lua", BROKEN).with("b.lua", GLOBAL);
    let run = folder.run(&["--add-allow"]);
    ends(&run, 1);
    assert_eq!(text(&folder, "a.lua"), BROKEN);
    assert!(text(&folder, "b.lua").contains("evalint: allow(global-assignment)"));
    assert!(run.out.contains("a.lua:2"), "{}", run.out);
    assert!(run.err.contains("a syntax error can't be allowed by a comment"), "{}", run.err);
}

#[test]
fn comments_are_added_to_included_files() {
    let script = format!("{INCLUDE}return absent(redis.call('GET', KEYS[1]))\n");
    let folder =
        Folder::new("allow-include").with("a.lua", &script).with("b.lua", &script).with("parts/shared.lua", SHARED);
    let run = folder.run(&["--add-allow"]);
    ends(&run, 0);
    assert_eq!(
        text(&folder, "parts/shared.lua"),
        SHARED.replace("nil\n", "nil -- evalint: allow(nil-check-on-reply)\n")
    );
    assert!(run.err.contains("1 allowed by new comments in 1 file"), "{}", run.err);
    assert_eq!(folder.run(&["--add-allow"]).out, "");
    // The other script does not need it, and that is no fault.
    let other = format!("{INCLUDE}return absent(tonumber(ARGV[1]))\n");
    let folder = folder.with("parts/shared.lua", SHARED).with("b.lua", other);
    ends(&folder.run(&["--add-allow"]), 0);
    assert_eq!(
        text(&folder, "parts/shared.lua"),
        SHARED.replace("nil\n", "nil -- evalint: allow(nil-check-on-reply)\n")
    );
    assert_eq!(folder.run(&[]).out, "");
}

#[test]
fn what_makes_no_sense_together_is_refused() {
    let folder = Folder::new("refused").with("a.lua", NIL);
    for arguments in [
        &["--fix", "--add-allow"][..],
        &["--unsafe-fixes", "--add-allow"],
        &["fix", "--add-allow"],
        &["--diff", "--format", "json"],
        &["--diff", "--statistics"],
        &["--fix", "--dump", "ir"],
        &["--fix", "--show-config", "a.lua"],
        &["--since", "HEAD", "--show-config", "a.lua"],
    ] {
        folder.run(arguments).trouble(&["can"]);
    }
    assert_eq!(text(&folder, "a.lua"), NIL);
}
