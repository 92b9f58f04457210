//! Which settings govern which file: those of the nearest folder upwards that has some. The only IO of the settings.

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    Config, Selector,
    file::{self, File, Problem},
    prelude,
    tree::{self, Form},
};
use crate::{
    commands::{self, Command, Declared},
    rule::Preset,
    target::Target,
};

/// What the command line says; it goes before every file.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub targets: Vec<Target>,
    pub cluster: Option<bool>,
    pub preset: Option<Preset>,
    pub select: Vec<Selector>,
    pub ignore: Vec<Selector>,
}

/// Where settings are looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lookup {
    Nearest,
    /// `--config FILE`
    File(PathBuf),
    /// `--isolated`
    None,
}

/// What the settings say about one file.
#[derive(Debug)]
pub enum Verdict {
    Check(Box<Config>),
    Excluded,
    /// Its config can't be used; [`Project::broken`] has the reason.
    Broken,
}

/// A config that can't be used.
#[derive(Clone, Debug)]
pub struct ConfigError {
    pub path: PathBuf,
    pub text: String,
    pub problems: Vec<Problem>,
}

/// A config with those that it extends.
pub(super) struct Chain {
    /// The farthest first.
    pub(super) files: Vec<File>,
    /// Those of all files; a nearer one goes before a farther one of the same name.
    commands: Vec<&'static Command>,
}

/// What is known of one folder.
pub(super) type Found = Result<Option<Arc<Chain>>, Arc<ConfigError>>;

/// In one folder, the first of them that has settings holds.
const NAMES: [&str; 3] = ["evalint.toml", "pyproject.toml", "package.json"];

/// Finds the settings of each file. Workers share it.
pub struct Project {
    options: Options,
    fixed: Option<Found>,
    folders: Mutex<HashMap<PathBuf, Found>>,
    broken: Mutex<Vec<Arc<ConfigError>>>,
}

impl Project {
    pub fn new(options: Options, lookup: &Lookup) -> Project {
        let mut project = Project { options, fixed: None, folders: Mutex::default(), broken: Mutex::default() };
        project.fixed = match lookup {
            Lookup::Nearest => None,
            Lookup::None => Some(Ok(None)),
            Lookup::File(path) => Some(load(path, Named::Asked)),
        };
        if let Some(Err(error)) = &project.fixed {
            project.report(error.clone());
        }
        project
    }

    /// The settings for the file at `path`, which need not exist.
    pub fn verdict(&self, path: &Path) -> Verdict {
        let path = absolute(path);
        match self.chain(&path) {
            Ok(Some(chain)) if chain.files.iter().any(|file| file.exclude.matches(&path)) => Verdict::Excluded,
            Ok(chain) => Verdict::Check(Box::new(self.resolve(&path, chain.as_deref()))),
            Err(error) => {
                self.report(error);
                Verdict::Broken
            }
        }
    }

    /// The absolute path of the config that governs the file at `path`, which need not exist.
    ///
    /// # Errors
    ///
    /// It can't be used.
    pub fn governing(&self, path: &Path) -> Result<Option<PathBuf>, Arc<ConfigError>> {
        let chain = self.chain(&absolute(path))?;
        let nearest = chain.as_deref().and_then(|chain| chain.files.last());
        Ok(nearest.map(|file| file.folder.join(file.path.file_name().unwrap_or_default())))
    }

    /// Is it a script by the `scripts` patterns of its config?
    pub fn is_script(&self, path: &Path) -> bool {
        let path = absolute(path);
        let chain = self.chain(&path).ok().flatten();
        chain.is_some_and(|chain| chain.files.iter().any(|file| file.scripts.matches(&path)))
    }

    /// The configs that were needed and can't be used, by path.
    pub fn broken(&self) -> Vec<Arc<ConfigError>> {
        let mut broken = lock(&self.broken).clone();
        broken.sort_by(|a, b| a.path.cmp(&b.path));
        broken
    }

    pub(super) fn options(&self) -> &Options {
        &self.options
    }

    fn resolve(&self, path: &Path, chain: Option<&Chain>) -> Config {
        let mut config = Config::default();
        if let Some(chain) = chain {
            config.commands.clone_from(&chain.commands);
        }
        for file in chain.iter().flat_map(|chain| &chain.files) {
            if let Some(targets) = &file.targets {
                config.targets.clone_from(targets);
                config.targets_named = true;
            }
            config.cluster = file.cluster.or(config.cluster);
            config.preset = file.preset.unwrap_or(config.preset);
            config.levels.push(file.rules.clone());
            config.prefixes.extend(file.prefixes.iter().cloned());
            config.globals.extend(file.globals.iter().cloned());
            config.baseline = file.baseline.as_ref().map(|name| file.folder.join(name)).or(config.baseline);
            config.include_dirs.extend(file.include_dirs.iter().map(|(name, _)| file.folder.join(name)));
            for one in file.overrides.iter().filter(|one| one.files.matches(path)) {
                config.levels.push(one.rules.clone());
            }
            for one in file.contracts.iter().filter(|one| one.files.matches(path)) {
                config.keys.clone_from(&one.keys);
            }
        }
        let options = &self.options;
        if !options.targets.is_empty() {
            config.targets.clone_from(&options.targets);
            config.targets_named = true;
        }
        config.cluster = options.cluster.or(config.cluster);
        config.preset = options.preset.unwrap_or(config.preset);
        config.select.clone_from(&options.select);
        config.ignore.clone_from(&options.ignore);
        config
    }

    pub(super) fn chain(&self, path: &Path) -> Found {
        match (&self.fixed, path.parent()) {
            (Some(fixed), _) => fixed.clone(),
            (None, Some(folder)) => self.nearest(folder),
            (None, None) => Ok(None),
        }
    }

    fn nearest(&self, folder: &Path) -> Found {
        if let Some(found) = lock(&self.folders).get(folder) {
            return found.clone();
        }
        let own = NAMES.iter().map(|name| folder.join(name)).find_map(|path| match path.is_file() {
            true => load(&path, Named::Found).transpose(),
            false => None,
        });
        let found = match (own, folder.parent()) {
            (Some(own), _) => own.map(Some),
            (None, Some(parent)) => self.nearest(parent),
            (None, None) => Ok(None),
        };
        // Two workers may load the same file at once; the first result stands.
        lock(&self.folders).entry(folder.to_owned()).or_insert(found).clone()
    }

    fn report(&self, error: Arc<ConfigError>) {
        let mut broken = lock(&self.broken);
        if !broken.iter().any(|known| known.path == error.path) {
            broken.push(error);
        }
    }
}

/// How a config came to be read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    /// Somebody named it: it has to have settings.
    Asked,
    /// It lies in the folder: a manifest without our table does not count.
    Found,
}

/// `None`: it does not count.
fn load(path: &Path, named: Named) -> Found {
    let mut files = Vec::new();
    if !load_chain(path, named, &mut Vec::new(), &mut files)? {
        return Ok(None);
    }
    let mut declared: Vec<&Declared> = Vec::new();
    for one in files.iter().flat_map(|file| &file.commands) {
        declared.retain(|before| !before.name.eq_ignore_ascii_case(&one.name));
        declared.push(one);
    }
    let commands = declared.into_iter().enumerate().map(|(number, one)| commands::declare(one, number)).collect();
    Ok(Some(Arc::new(Chain { files, commands })))
}

/// Adds the file and before it those that it extends; false: it does not count. `above` are the configs that extend this one.
fn load_chain(
    path: &Path,
    named: Named,
    above: &mut Vec<PathBuf>,
    files: &mut Vec<File>,
) -> Result<bool, Arc<ConfigError>> {
    let here = absolute(path);
    let folder = here.parent().unwrap_or(Path::new(""));
    let fail = |text: String, problems| Arc::new(ConfigError { path: shown(&here), text, problems });
    let text = fs::read(path)
        .and_then(|bytes| String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8")))
        .map_err(|error| fail(String::new(), vec![Problem::new(0..0, format!("it can't be read: {error}"))]))?;
    let form = Form::of(path);
    // Most manifests are not about us, and some are large.
    let about_us = form == Form::Whole || text.contains("evalint");
    let root = match if about_us { tree::parse(form, &text) } else { Ok(None) } {
        Ok(Some(root)) => root,
        Ok(None) if named == Named::Found => return Ok(false),
        Ok(None) => {
            let problem = Problem::new(0..0, format!("it has no {} table", form.table()));
            return Err(fail(String::new(), vec![problem]));
        }
        Err(problem) => return Err(fail(text, vec![problem])),
    };
    let mut file = file::read(shown(&here), folder, text, root).map_err(|(text, problems)| fail(text, problems))?;
    let mut problems = Vec::new();
    for (path, span) in &file.prelude {
        match fs::read(folder.join(path)) {
            Ok(text) => file.globals.extend(prelude::names(path, text)),
            Err(error) => problems.push(Problem::new(span.clone(), format!("`{path}` can't be read: {error}"))),
        }
    }
    for (name, span) in &file.include_dirs {
        let message = match fs::metadata(folder.join(name)) {
            Ok(found) if found.is_dir() => continue,
            Ok(_) => format!("`{name}` is no folder"),
            Err(error) => format!("`{name}` can't be read: {error}"),
        };
        problems.push(Problem::new(span.clone(), message));
    }
    // Links may lead back by another name.
    above.push(here.canonicalize().unwrap_or(here.clone()));
    if let Some((base, span)) = &file.extends {
        let path = folder.join(base);
        match path.canonicalize() {
            Err(error) => problems.push(Problem::new(span.clone(), format!("`{base}` can't be read: {error}"))),
            Ok(real) if above.contains(&real) => {
                problems.push(Problem::new(span.clone(), format!("`{base}` comes back to this file")));
            }
            Ok(_) if problems.is_empty() => {
                load_chain(&path, Named::Asked, above, files)?;
            }
            Ok(_) => {}
        }
    }
    if !problems.is_empty() {
        problems.sort_by_key(|problem| problem.span.start);
        return Err(fail(file.text, problems));
    }
    files.push(file);
    Ok(true)
}

/// The path as a user in this folder would write it.
fn shown(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path).to_owned()
}

/// Without `.` and `..`, so that the folders above it are its parents. Links are only followed where `..` comes after them.
pub fn absolute(path: &Path) -> PathBuf {
    let up = path.components().any(|part| part == std::path::Component::ParentDir);
    if up
        && let (Some(folder), Some(name)) = (path.parent(), path.file_name())
        && let Ok(folder) = folder.canonicalize()
    {
        return folder.join(name);
    }
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// A worker that panicked left nothing half-done behind.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
