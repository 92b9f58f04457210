//! From the paths of the command line to the files to check, in the order of the output.

use std::{
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    sync::mpsc,
};

use ignore::{WalkBuilder, WalkState};

use crate::{
    config::project::{self, Project},
    render::Failure,
};

/// A file that may be checked.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) path: PathBuf,
    /// As the user writes it, with `/`.
    pub(super) shown: String,
    /// Named on the command line, or a script by the config: taken without looking at its text.
    pub(super) taken: bool,
    /// Named on the command line, and not just below a named folder.
    pub(super) named: bool,
}

/// Finds the files; what can't be read is a failure, and the rest is still found.
pub(super) fn files(paths: &[PathBuf], project: &Project, detect: bool, threads: usize) -> (Vec<Input>, Vec<Failure>) {
    let mut inputs = Vec::new();
    let mut failures = Vec::new();
    for path in paths {
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => folder(path, project, threads, &mut inputs, &mut failures),
            Ok(_) => {
                let taken = !detect || project.is_script(path);
                if let Some(failure) = host(path).filter(|_| taken) {
                    failures.push(failure);
                } else if taken || is_lua(path) {
                    inputs.push(Input { path: path.clone(), shown: shown(path), taken, named: true });
                }
            }
            Err(error) => failures.push(Failure { path: shown(path), message: reason(path, &error) }),
        }
    }
    if 1 < paths.len() {
        // A file named twice, or named and in a named folder, is checked once.
        let mut seen = rustc_hash::FxHashSet::default();
        inputs.sort_by(|a, b| (!a.taken, &a.shown).cmp(&(!b.taken, &b.shown)));
        inputs.retain(|input| seen.insert(project::absolute(&input.path)));
    }
    inputs.sort_by(|a, b| a.shown.cmp(&b.shown));
    (inputs, failures)
}

fn folder(root: &Path, project: &Project, threads: usize, inputs: &mut Vec<Input>, failures: &mut Vec<Failure>) {
    let (send, receive) = mpsc::channel();
    let walk = WalkBuilder::new(root)
        .threads(threads)
        // A copy of a repository has the same files as the repository.
        .require_git(false)
        .add_custom_ignore_filename(".evalintignore")
        .build_parallel();
    walk.run(|| {
        let send = send.clone();
        Box::new(move |entry| {
            let found = match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                    let path = entry.into_path();
                    let taken = project.is_script(&path);
                    if !is_lua(&path) && !taken {
                        return WalkState::Continue;
                    }
                    // What is in the folder here is written as the user would write it.
                    let path = path.strip_prefix(".").map(Path::to_owned).unwrap_or(path);
                    Ok(Input { shown: shown(&path), path, taken, named: false })
                }
                Ok(_) => return WalkState::Continue,
                Err(error) => Err(failure(root, &error)),
            };
            // The receiver lives until all senders are gone.
            let _ = send.send(found);
            WalkState::Continue
        })
    });
    drop(send);
    let mut wrong = Vec::new();
    for found in receive {
        match found {
            Ok(input) => inputs.push(input),
            Err(failure) => wrong.push(failure),
        }
    }
    wrong.sort_by(|a: &Failure, b: &Failure| a.path.cmp(&b.path));
    failures.extend(wrong);
}

fn is_lua(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "lua")
}

/// Says so if the file is a program in another language, which is not read as Lua.
pub(super) fn host(path: &Path) -> Option<Failure> {
    const EXTENSIONS: [&str; 19] = [
        "go", "py", "js", "mjs", "cjs", "jsx", "ts", "tsx", "mts", "cts", "java", "kt", "kts", "rb", "php", "cs", "rs",
        "scala", "md",
    ];
    let extension = path.extension()?.to_str()?;
    EXTENSIONS.contains(&extension).then(|| Failure {
        path: shown(path),
        message: "is no Lua file, and scripts inside of other programs are not looked for".into(),
    })
}

fn failure(root: &Path, error: &ignore::Error) -> Failure {
    let mut path = root.to_owned();
    let mut inner = error;
    loop {
        inner = match inner {
            ignore::Error::WithPath { path: at, err } => {
                path.clone_from(at);
                err
            }
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => err,
            ignore::Error::Partial(_)
            | ignore::Error::Loop { .. }
            | ignore::Error::Io(_)
            | ignore::Error::Glob { .. }
            | ignore::Error::UnrecognizedFileType(_)
            | ignore::Error::InvalidDefinition => break,
        };
    }
    let message = match error.io_error() {
        Some(error) => reason(&path, error),
        None => inner.to_string(),
    };
    Failure { path: shown(&path), message }
}

/// Why the path can't be read.
pub(super) fn reason(path: &Path, error: &io::Error) -> String {
    let kind = error.kind();
    if kind == ErrorKind::NotFound {
        let dangles = fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
        return if dangles { "is a link to nothing" } else { "does not exist" }.into();
    }
    if kind == ErrorKind::PermissionDenied {
        return "may not be read (permission denied)".into();
    }
    format!("can't be read: {error}")
}

pub(super) fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' { text.into_owned() } else { text.replace(std::path::MAIN_SEPARATOR, "/") }
}
