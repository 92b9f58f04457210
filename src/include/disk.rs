//! Included files on disk: the only IO of includes.

use std::{
    collections::HashMap,
    fs::File as DiskFile,
    io::Read,
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use rustc_hash::FxHashSet;

use super::{Found, compose, names};
use crate::{
    config::project::absolute,
    limits,
    source::{File, Source},
};

/// Included files, each read once. Workers share it.
#[derive(Default)]
pub struct Disk {
    texts: Mutex<HashMap<PathBuf, Arc<OnceLock<Text>>>>,
    /// Files that are others by now than on the disk, by their real path.
    changed: HashMap<PathBuf, Arc<[u8]>>,
}

/// What a file asks for.
#[derive(Default)]
pub struct Included {
    pub found: FxHashSet<PathBuf>,
    /// Where the files might have been that are nowhere.
    pub missing: FxHashSet<PathBuf>,
}

#[derive(Clone)]
enum Text {
    Read(Arc<[u8]>),
    Missing,
    /// It is there, but too big or closed to us.
    Unreadable,
}

impl Disk {
    /// From now on the file at the real path has this text.
    pub fn change(&mut self, path: PathBuf, text: Arc<[u8]>) {
        self.changed.insert(path, text);
    }

    /// The text of the file at `path`, if [`Disk::change`] changed it.
    pub fn changed(&self, path: &Path) -> Option<Arc<[u8]>> {
        if self.changed.is_empty() {
            return None;
        }
        let found = self.changed.get(path);
        found.or_else(|| self.changed.get(&path.canonicalize().ok()?)).cloned()
    }

    /// The script that the file at `path` makes, with `folders` to look in beside the file's own. `None`: it is nowhere.
    pub fn compose(&self, path: Option<&Path>, main: File, folders: &[PathBuf]) -> Source {
        let Some(path) = path.map(absolute) else { return compose(main, |_, _| Found::Unknown) };
        let mut shown: HashMap<PathBuf, Arc<str>> = HashMap::from([(path.clone(), main.path.clone())]);
        let mut places: HashMap<Arc<str>, PathBuf> = HashMap::from([(main.path.clone(), path.clone())]);
        compose(main, |from, name| {
            let Some(place) = places.get(&from.path) else { return Found::Unknown };
            let (found, text) = match self.find(place, &path, name, folders) {
                Ok(found) => found,
                Err(found) => return found,
            };
            let new = || Arc::from(shown_path(from, place, &found));
            let path = shown.entry(found.clone()).or_insert_with(new).clone();
            places.insert(path.clone(), found);
            Found::File(File { path, text })
        })
    }

    /// The files that the text at `path` includes, and what these include.
    pub fn included(&self, path: &Path, text: &[u8], folders: &[PathBuf]) -> Included {
        let main = absolute(path);
        let mut all = Included::default();
        let mut names_of = |place: &Path, text: &[u8]| {
            let mut new = Vec::new();
            for name in names(text) {
                match self.find(place, &main, name, folders) {
                    Ok((path, text)) if all.found.insert(path.clone()) => new.push((path, text)),
                    Ok(_) | Err(Found::File(_) | Found::Unknown) => {}
                    Err(Found::Missing) => all.missing.extend(candidates(place, &main, name, folders)),
                }
            }
            new
        };
        let mut new = names_of(&main, text);
        while let Some((place, text)) = new.pop() {
            new.extend(names_of(&place, &text));
        }
        all
    }

    /// The file of that name, said by the file at `from`.
    fn find(&self, from: &Path, main: &Path, name: &str, folders: &[PathBuf]) -> Result<(PathBuf, Arc<[u8]>), Found> {
        // Patterns and names that the host's settings map to folders.
        if name.contains(['*', '<', '>']) || name.starts_with('~') {
            return Err(Found::Unknown);
        }
        for path in candidates(from, main, name, folders) {
            match self.read(&path) {
                Text::Read(text) => return Ok((path, text)),
                Text::Unreadable => return Err(Found::Unknown),
                Text::Missing => {}
            }
        }
        Err(Found::Missing)
    }

    fn read(&self, path: &Path) -> Text {
        if let Some(text) = self.changed(path) {
            return Text::Read(text);
        }
        let cell = {
            // A worker that panicked left nothing half-done behind.
            let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
            texts.entry(path.to_owned()).or_default().clone()
        };
        cell.get_or_init(|| read(path)).clone()
    }
}

/// Where a file of that name may be, in the order of the search.
fn candidates<'a>(
    from: &'a Path,
    main: &'a Path,
    name: &'a str,
    folders: &'a [PathBuf],
) -> impl Iterator<Item = PathBuf> + use<'a> {
    let own = [from, main].into_iter().filter_map(Path::parent);
    let folders = own.chain(folders.iter().map(PathBuf::as_path));
    folders.flat_map(move |folder| ["", ".lua"].map(|end| normal(&folder.join(format!("{name}{end}")))))
}

fn read(path: &Path) -> Text {
    if !path.is_file() {
        return Text::Missing;
    }
    let mut text = Vec::new();
    let read = DiskFile::open(path).and_then(|file| file.take(limits::SCRIPT_BYTES as u64 + 1).read_to_end(&mut text));
    match read {
        Ok(length) if length <= limits::SCRIPT_BYTES => Text::Read(text.into()),
        Ok(_) | Err(_) => Text::Unreadable,
    }
}

/// The path as the user would write it who wrote the path of the file that includes it.
fn shown_path(from: &File, place: &Path, found: &Path) -> String {
    let beside = || {
        let inner = found.strip_prefix(place.parent()?).ok()?;
        Some(Path::new(&*from.path).parent()?.join(inner))
    };
    let here = || Some(found.strip_prefix(std::env::current_dir().ok()?).ok()?.to_owned());
    let whole = Path::new(&*from.path).is_absolute();
    let path = beside().or_else(|| if whole { None } else { here() }).unwrap_or_else(|| found.to_owned());
    let path = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' { path.into_owned() } else { path.replace(std::path::MAIN_SEPARATOR, "/") }
}

/// Without `.` and `..`.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}
