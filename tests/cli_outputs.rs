//! Where findings are written, and in which form.

#[path = "common/folder.rs"]
mod folder;

use std::fs;

use folder::{Folder, HEALTHY, SICK};

#[test]
fn findings_go_to_files_beside_standard_output() {
    let folder = Folder::new("outputs").with("a.lua", SICK).with("b.lua", SICK);
    let plain = folder.run(&["."]);
    let run = folder.run(&[".", "--output", "json=out.json", "--output=human=out.txt"]);
    assert_eq!((run.code, &run.out, &run.err), (1, &plain.out, &plain.err));
    assert_eq!(folder.read("out.txt"), plain.out);
    assert_eq!(folder.read("out.json"), folder.run(&["--format", "json"]).out);
    let run = folder.run(&[".", "--format=json", "--output=human=out.txt", "--color=always"]);
    assert_eq!(run.out, folder.read("out.json"));
    assert!(folder.read("out.txt").contains("\x1b["));
}

#[test]
fn a_file_that_cannot_be_written_is_named_and_the_others_are_written() {
    let folder = Folder::new("outputs-lost").with("a.lua", SICK).with("folder/x", "");
    let run = folder.run(&["--output=json=gone/out.json", "--output=json=folder", "--output=json=out.json", "a.lua"]);
    run.trouble(&["gone/out.json can't be written", "folder can't be written"]);
    assert!(run.out.contains("unknown-rule"), "{}", run.out);
    assert!(folder.read("out.json").ends_with("}\n"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_named() {
    let folder = Folder::new("outputs-full").with("a.lua", SICK);
    folder.run(&["--output=json=/dev/full", "a.lua"]).trouble(&["/dev/full can't be written"]);
    assert_eq!(folder.run(&["--output=json=/dev/null", "--output=human=/dev/null", "a.lua"]).code, 1);
    assert!(fs::metadata("/dev/null").is_ok_and(|found| !found.is_file()), "the device was replaced");
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_permissions_and_a_link_its_place() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = Folder::new("outputs-kept").with("a.lua", SICK).with("deep/old.json", "old");
    let old = folder.0.join("deep/old.json");
    fs::set_permissions(&old, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("deep/old.json", folder.0.join("link.json")).unwrap();
    assert_eq!(folder.run(&["--output=json=link.json", "a.lua"]).code, 1);
    assert!(folder.0.join("link.json").is_symlink());
    assert!(folder.read("deep/old.json").contains("unknown-rule"));
    assert_eq!(fs::metadata(&old).unwrap().permissions().mode() & 0o777, 0o640);
    let left: Vec<_> = fs::read_dir(folder.0.join("deep")).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing unfinished is left");
}

#[test]
fn outputs_that_make_no_sense_are_refused() {
    let folder = Folder::new("outputs-refused").with("a.lua", HEALTHY);
    folder.run(&["--output", "json"]).trouble(&["FORMAT=FILE"]);
    folder.run(&["--output", "jsn=x"]).trouble(&["did you mean `json`?"]);
    folder.run(&["--output", "json="]).trouble(&["name a file"]);
    folder.run(&["--output", "json=-"]).trouble(&["--format json"]);
    folder.run(&["--format", "jsn"]).trouble(&["jsn", "json"]);
    folder.run(&["--output=json=x", "--output=human=./x", "a.lua"]).trouble(&["twice"]);
    folder.run(&["--output=json=./a.lua"]).trouble(&["`./a.lua` is checked"]);
    folder.run(&["--dump=ir", "--format=json"]).trouble(&["cannot be used with"]);
    assert_eq!(folder.read("a.lua"), HEALTHY);
}
