//! Which `evalint.toml` governs which file: the nearest one upwards. The only IO of the settings.

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
};
use crate::{rule::Preset, target::Target};

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

/// A config with those that it extends, the farthest first.
type Chain = Arc<Vec<File>>;

/// What is known of one folder.
type Found = Result<Option<Chain>, Arc<ConfigError>>;

const NAME: &str = "evalint.toml";

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
            Lookup::File(path) => Some(load(path)),
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
            Ok(None) => Verdict::Check(Box::new(self.resolve(&path, &[]))),
            Ok(Some(chain)) if chain.iter().any(|file| file.exclude.matches(&path)) => Verdict::Excluded,
            Ok(Some(chain)) => Verdict::Check(Box::new(self.resolve(&path, &chain))),
            Err(error) => {
                self.report(error);
                Verdict::Broken
            }
        }
    }

    /// Is it a script by the `scripts` patterns of its config?
    pub fn is_script(&self, path: &Path) -> bool {
        let path = absolute(path);
        let chain = self.chain(&path).ok().flatten();
        chain.is_some_and(|chain| chain.iter().any(|file| file.scripts.matches(&path)))
    }

    /// The configs that were needed and can't be used, by path.
    pub fn broken(&self) -> Vec<Arc<ConfigError>> {
        let mut broken = lock(&self.broken).clone();
        broken.sort_by(|a, b| a.path.cmp(&b.path));
        broken
    }

    fn resolve(&self, path: &Path, chain: &[File]) -> Config {
        let mut config = Config::default();
        for file in chain {
            if let Some(targets) = &file.targets {
                config.targets.clone_from(targets);
                config.targets_named = true;
            }
            config.cluster = file.cluster.or(config.cluster);
            config.preset = file.preset.unwrap_or(config.preset);
            config.levels.push(file.rules.clone());
            config.prefixes.extend(file.prefixes.iter().cloned());
            config.globals.extend(file.globals.iter().cloned());
            config.commands.extend(&file.commands);
            config.include_dirs.extend(file.include_dirs.iter().cloned());
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

    fn chain(&self, path: &Path) -> Found {
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
        let path = folder.join(NAME);
        let found =
            if path.is_file() { load(&path) } else { folder.parent().map_or(Ok(None), |parent| self.nearest(parent)) };
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

fn load(path: &Path) -> Found {
    load_chain(path, &mut Vec::new()).map(|chain| Some(Arc::new(chain))).map_err(Arc::new)
}

/// `above` are the configs that extend this one.
fn load_chain(path: &Path, above: &mut Vec<PathBuf>) -> Result<Vec<File>, ConfigError> {
    let here = absolute(path);
    let folder = here.parent().unwrap_or(Path::new(""));
    let fail = |text: String, problems| ConfigError { path: shown(path), text, problems };
    let text = fs::read(path)
        .and_then(|bytes| String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8")))
        .map_err(|error| fail(String::new(), vec![Problem::new(0..0, format!("it can't be read: {error}"))]))?;
    let mut file = match file::read(folder, &text) {
        Ok(file) => file,
        Err(problems) => return Err(fail(text, problems)),
    };
    for (path, span) in &file.prelude {
        match fs::read(folder.join(path)) {
            Ok(text) => file.globals.extend(prelude::names(path, text)),
            Err(error) => {
                let message = format!("`{path}` can't be read: {error}");
                return Err(fail(text, vec![Problem::new(span.clone(), message)]));
            }
        }
    }
    above.push(here.clone());
    let mut chain = Vec::new();
    if let Some((base, span)) = &file.extends {
        let path = folder.join(base);
        let message = match path.metadata() {
            Err(error) => format!("`{base}` can't be read: {error}"),
            Ok(_) if above.contains(&absolute(&path)) => format!("`{base}` comes back to this file"),
            Ok(_) => String::new(),
        };
        if !message.is_empty() {
            return Err(fail(text, vec![Problem::new(span.clone(), message)]));
        }
        chain = load_chain(&path, above)?;
    }
    chain.push(file);
    Ok(chain)
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
