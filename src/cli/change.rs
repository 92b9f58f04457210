//! What `--fix`, `--add-allow` and `--diff` do before the check.

use std::io::{self, IsTerminal};

use rustc_hash::FxHashSet;

use super::{
    Exit,
    args::Purpose,
    output::{self, Output},
    rewrite::{self, Rewrite, STDIN, Subject},
    session::Session,
    walk::Input,
    write,
};
use crate::{
    include::disk::Disk,
    render::{Failure, human, plural},
};

/// What was done.
pub(super) struct Change {
    /// What could not be done.
    pub(super) failures: Vec<Failure>,
    /// What is said of it at the end.
    pub(super) notes: Vec<String>,
    /// What standard input has become. `None`: it was not read, or can't be a script.
    pub(super) text: Option<Vec<u8>>,
}

/// Changes the files, or standard input if that is what is checked.
pub(super) fn make(
    session: &mut Session,
    inputs: &[Input],
    stdin: Option<&[u8]>,
    purpose: Purpose,
    judged: &FxHashSet<std::path::PathBuf>,
) -> Change {
    let Rewrite { mut files, unread, refused, others, unfinished } = rewritten(session, inputs, stdin, purpose, judged);
    // What is on the disk counts again.
    session.disk = Disk::default();
    session.ledgers.reset();
    let mut failures = refused;
    let text = stdin.filter(|_| unread.is_empty());
    let text = text.map(|text| files.get(std::path::Path::new(STDIN)).map_or(text, |file| &file.now).to_vec());
    files.retain(|path, file| {
        if path.as_os_str() == STDIN {
            return true;
        }
        let written = write::replace(path, file);
        failures
            .extend(written.as_ref().err().map(|error| Failure { path: file.shown.clone(), message: error.clone() }));
        written.is_ok()
    });
    let done = Rewrite { files, others, unfinished, ..Rewrite::default() };
    let made = match purpose {
        Purpose::Fix(_) => "fixed",
        Purpose::Allow => "allowed by new comments",
    };
    Change { failures, notes: notes(&done, made), text }
}

/// Shows what would be changed.
pub(super) fn show(
    session: &mut Session,
    inputs: &[Input],
    stdin: Option<&[u8]>,
    purpose: Purpose,
    judged: &FxHashSet<std::path::PathBuf>,
    out: &mut Output,
) -> io::Result<(Vec<Failure>, Exit)> {
    let mut rewrite = rewritten(session, inputs, stdin, purpose, judged);
    let mut files: Vec<_> = rewrite.files.values().collect();
    files.sort_by_key(|file| &file.shown);
    let exact = !io::stdout().is_terminal();
    for file in files {
        out.write(&write::diff(file, exact))?;
    }
    out.flush()?;
    if !session.arguments.quiet {
        let would = match purpose {
            Purpose::Fix(_) => "would be fixed",
            Purpose::Allow => "would be allowed by new comments",
        };
        notes(&rewrite, would).iter().for_each(|note| output::note(note));
        if rewrite.files.is_empty() {
            output::note("nothing would be changed");
        }
    }
    let exit = if rewrite.files.is_empty() || session.arguments.exit_zero { Exit::Clean } else { Exit::Findings };
    rewrite.unread.append(&mut rewrite.refused);
    Ok((rewrite.unread, exit))
}

fn rewritten(
    session: &mut Session,
    inputs: &[Input],
    stdin: Option<&[u8]>,
    purpose: Purpose,
    judged: &FxHashSet<std::path::PathBuf>,
) -> Rewrite {
    let subjects: Vec<Subject> = match stdin {
        Some(text) => vec![Subject::Text(text.to_vec())],
        None => inputs.iter().map(Subject::File).collect(),
    };
    rewrite::run(session, &subjects, purpose, judged)
}

fn notes(rewrite: &Rewrite, made: &str) -> Vec<String> {
    let mut notes = Vec::new();
    if !rewrite.files.is_empty() {
        notes.push(format!("{} {made} in {}", rewrite.findings(), plural(rewrite.files.len() as u32, "file")));
    }
    for path in &rewrite.others {
        let path = human::printable(path);
        notes
            .push(format!("{path}: there is more to do; name the file, or a folder that holds it, to have it changed"));
    }
    if rewrite.unfinished {
        notes.push("there is still more to do: run it again".into());
    }
    notes
}
