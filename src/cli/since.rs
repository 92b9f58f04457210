//! `--since REV`: what has changed since a revision, as the `git` program says.

use std::{
    ffi::OsString,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use rustc_hash::FxHashSet;

use super::walk;
use crate::{config::project, include::disk::Included, render::Failure};

/// The files that have changed.
pub(super) struct Changed(FxHashSet<PathBuf>);

/// The files below the paths' repositories that were changed, added or deleted since the revision, without links: committed, staged or
/// not, and those that git does not know. Compared is the working tree with where it parted from the revision. Paths of which git
/// can't tell are failures.
pub(super) fn changed(revision: &str, paths: &[PathBuf]) -> (Changed, Vec<Failure>) {
    let mut changed = FxHashSet::default();
    let mut failures = Vec::new();
    let mut seen = FxHashSet::default();
    for path in paths {
        let fail = |message| Failure { path: walk::shown(path), message };
        let folder = match fs::metadata(path) {
            Ok(found) if found.is_dir() => path.clone(),
            Ok(_) => path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned(),
            // The walk tells it.
            Err(_) => continue,
        };
        match top(&folder) {
            Ok(top) if seen.contains(&top) => {}
            Ok(top) => {
                match in_repository(revision, &top) {
                    Ok(names) => changed.extend(names),
                    Err(message) => failures.push(fail(message)),
                }
                seen.insert(top);
            }
            Err(message) => failures.push(fail(message)),
        }
    }
    (Changed(changed), failures)
}

impl Changed {
    /// Is the file one of them, or does it include or miss one?
    pub(super) fn touches(&self, path: &Path, included: &Included) -> bool {
        // A link has changed if it leads elsewhere, or to what has changed.
        let has = |path: &Path| self.0.contains(&place(path)) || self.0.contains(&real(path));
        has(path) || included.found.iter().chain(&included.missing).any(|path| has(path))
    }
}

/// The path with a folder without links.
fn place(path: &Path) -> PathBuf {
    let path = project::absolute(path);
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => real(folder).join(name),
        _ => path,
    }
}

fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The folder of the repository.
fn top(folder: &Path) -> Result<PathBuf, String> {
    let output = git(folder, &["rev-parse", "--show-toplevel"])?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(match said.contains("not a git repository") {
            true => "is in no git repository, so `--since` can't tell what has changed".into(),
            false => format!("git can't tell its repository: {}", first_line(&output)),
        });
    }
    let name = output.stdout.strip_suffix(b"\n").unwrap_or(&output.stdout);
    let top = path(name);
    Ok(fs::canonicalize(&top).unwrap_or(top))
}

fn in_repository(revision: &str, top: &Path) -> Result<Vec<PathBuf>, String> {
    let unknown = || format!("no revision is called `{revision}` in its git repository");
    // Git would take it for an option.
    if revision.is_empty() || revision.starts_with('-') {
        return Err(unknown());
    }
    let commit = git(top, &["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")])?;
    if !commit.status.success() {
        return Err(unknown());
    }
    let commit = String::from_utf8_lossy(&commit.stdout).trim().to_owned();
    // Without a common ancestor, as in a shallow clone, the revision itself is compared.
    let base = git(top, &["merge-base", &commit, "HEAD"])?;
    let base = if base.status.success() { String::from_utf8_lossy(&base.stdout).trim().to_owned() } else { commit };
    let mut names = Vec::new();
    for arguments in [
        // Of a renamed file both names count: scripts may include the old one.
        &["-c", "diff.relative=false", "diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", &base, "--"][..],
        &["ls-files", "--others", "--exclude-standard", "-z"],
    ] {
        let output = git(top, arguments)?;
        if !output.status.success() {
            return Err(format!("git can't tell what has changed: {}", first_line(&output)));
        }
        let found = output.stdout.split(|&byte| byte == 0).filter(|name| !name.is_empty());
        names.extend(found.map(|name| top.join(path(name))));
    }
    Ok(names)
}

fn git(folder: &Path, arguments: &[&str]) -> Result<Output, String> {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("LC_ALL", "C");
    // In a hook it may be a path from another folder.
    if std::env::var_os("GIT_DIR").is_some_and(|path| Path::new(&path).is_relative()) {
        command.env_remove("GIT_DIR");
    }
    command.output().map_err(|error| match error.kind() == ErrorKind::NotFound {
        true => "`--since` needs the program `git`, which is not installed".into(),
        false => format!("git can't be run: {error}"),
    })
}

fn first_line(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    said.lines().next().unwrap_or("it does not say why").to_owned()
}

#[cfg(unix)]
fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(bytes.to_vec()).into()
}

#[cfg(not(unix))]
fn path(bytes: &[u8]) -> PathBuf {
    OsString::from(String::from_utf8_lossy(bytes).into_owned()).into()
}
