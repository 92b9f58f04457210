//! Puts changed files on the disk, or shows what would change.

use std::{
    fs::{self, OpenOptions},
    io::{self, ErrorKind, Write},
    path::Path,
};

use similar::TextDiff;

use super::rewrite::Rewritten;
use crate::render::human;

/// Writes the file at its place, whole or not at all, with the permissions and, where we may, the owner that it had.
pub(super) fn replace(path: &Path, file: &Rewritten) -> Result<(), String> {
    let why = |error: io::Error| {
        if error.kind() == ErrorKind::PermissionDenied {
            return "can't be changed: it or its folder may not be written (permission denied)".to_owned();
        }
        format!("can't be changed: {error}")
    };
    let found = fs::metadata(path).map_err(why)?;
    // A folder that may be written would let us replace the file all the same.
    if found.permissions().readonly() {
        return Err("can't be changed: it is read-only".into());
    }
    OpenOptions::new().write(true).open(path).map_err(why)?;
    if fs::read(path).map_err(why)? != *file.before {
        return Err("was not changed: somebody else changed it meanwhile".into());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new().prefix(".evalint-").tempfile_in(folder).map_err(why)?;
    new.write_all(&file.now).map_err(why)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        // Only the superuser may give files away; with another owner the file is still the user's own.
        let _ = fchown(new.as_file(), Some(found.uid()), Some(found.gid()));
    }
    new.as_file().set_permissions(found.permissions()).map_err(why)?;
    new.as_file().sync_all().map_err(why)?;
    new.persist(path).map_err(|error| why(error.error))?;
    Ok(())
}

/// The change as a unified diff. `exact`: bytes as they are, for programs; else what steers a terminal is escaped.
pub(super) fn diff(file: &Rewritten, exact: bool) -> Vec<u8> {
    let name = human::printable(&file.shown);
    // What `git apply` and `patch -p1` take: paths below the folder here.
    let below = !file.shown.starts_with('/') && !file.shown.starts_with("..");
    let (old, new) = if below { (format!("a/{name}"), format!("b/{name}")) } else { (name.clone(), name) };
    let diff = TextDiff::configure().diff_lines(&*file.before, &*file.now);
    let mut out = Vec::new();
    diff.unified_diff().header(&old, &new).to_writer(&mut out).expect("memory takes what is written");
    if exact {
        return out;
    }
    let lines = String::from_utf8_lossy(&out);
    let lines = lines.split('\n').map(|line| line.split('\t').map(human::printable).collect::<Vec<_>>().join("\t"));
    lines.collect::<Vec<_>>().join("\n").into_bytes()
}
