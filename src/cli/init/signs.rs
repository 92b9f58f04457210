//! What the files of a project say about its scripts and servers.

use std::{
    fs,
    path::{Component, Path, PathBuf},
    str::FromStr,
};

use ignore::WalkBuilder;
use rustc_hash::FxHashSet;

use crate::{
    cli::{detect, walk},
    include, limits,
    scan::{Part, Scan},
    target::{Product, Target},
};

/// Bytes of a file that may name servers; a longer one is data.
const LONGEST: u64 = 256 << 10;

/// Something that was seen, with where: `compose.yaml:4: image redis:7.2`.
pub(super) struct Sign<T> {
    pub(super) what: T,
    pub(super) seen: String,
}

#[derive(Default)]
pub(super) struct Signs {
    /// Each once, with the first place that names it.
    pub(super) targets: Vec<Sign<Target>>,
    /// A server is started with cluster mode on.
    pub(super) cluster: Option<Sign<()>>,
    /// A key has a hash tag, which is only good for a cluster.
    pub(super) hash_tag: Option<Sign<()>>,
    /// By path.
    pub(super) scripts: Vec<PathBuf>,
    /// Lua files beside scripts that do not look like any.
    pub(super) unlike: Vec<PathBuf>,
    /// Folders, each with what is included from there.
    pub(super) include_dirs: Vec<Sign<PathBuf>>,
}

/// Looks at the files below `root`.
pub(super) fn signs(root: &Path) -> Signs {
    let mut signs = Signs::default();
    let mut lua: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    // Pipelines are described in hidden folders.
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .require_git(false)
        .add_custom_ignore_filename(".evalintignore")
        .filter_entry(|entry| entry.file_name() != ".git")
        .sort_by_file_name(Ord::cmp)
        .build();
    for entry in walk.flatten() {
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let path = entry.path().strip_prefix(root).unwrap_or(entry.path()).to_owned();
        let hidden = path.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."));
        if path.extension().is_some_and(|extension| extension == "lua") && !hidden {
            let fits = entry.metadata().is_ok_and(|found| found.len() <= limits::SCRIPT_BYTES as u64);
            if let Some(text) = fits.then(|| fs::read(entry.path()).ok()).flatten() {
                lua.push((path, text));
            }
        } else if names_servers(&path)
            && entry.metadata().is_ok_and(|found| found.len() <= LONGEST)
            && let Ok(text) = fs::read_to_string(entry.path())
        {
            signs.servers(&path, &text);
        }
    }
    signs.of_scripts(&lua);
    signs
}

fn names_servers(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let end = path.extension().unwrap_or_default();
    name.starts_with("Dockerfile") || end == "yml" || end == "yaml" || (end == "conf" && name.contains("redis"))
}

impl Signs {
    fn servers(&mut self, path: &Path, text: &str) {
        for (line, number) in text.lines().zip(1..) {
            let line = if line.trim_start().starts_with('#') { "" } else { line };
            let line = line.split_once(" #").map_or(line, |(code, _)| code);
            let seen = |what: &str| format!("{}:{number} {what}", walk::shown(path));
            for word in line.split([' ', '\t', '"', '\'', ',', '[', ']', '=']) {
                let Some((target, cluster)) = image(word) else { continue };
                if !self.targets.iter().any(|known| known.what == target) {
                    self.targets.push(Sign { what: target, seen: seen(&format!("runs {word}")) });
                }
                if cluster && self.cluster.is_none() {
                    self.cluster = Some(Sign { what: (), seen: seen(&format!("runs {word}")) });
                }
            }
            let mut words = line.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
            let option = words.any(|word| word.trim_start_matches('-') == "cluster-enabled");
            if self.cluster.is_none() && option && words.find(|word| !word.is_empty()) == Some("yes") {
                self.cluster = Some(Sign { what: (), seen: seen("turns cluster mode on") });
            }
        }
    }

    fn of_scripts(&mut self, lua: &[(PathBuf, Vec<u8>)]) {
        let paths: FxHashSet<&Path> = lua.iter().map(|(path, _)| path.as_path()).collect();
        let mut included = FxHashSet::default();
        for (path, text) in lua {
            let names: Vec<&str> = include::names(text).collect();
            for name in &names {
                let Some((file, folder)) = find(name, path, &paths) else { continue };
                included.insert(file);
                if let Some(folder) = folder
                    && !self.include_dirs.iter().any(|known| known.what == folder)
                {
                    let seen = format!("{} includes `{name}`, which is there", walk::shown(path));
                    self.include_dirs.push(Sign { what: folder, seen });
                }
            }
            if detect::is_script(text) || !names.is_empty() {
                self.scripts.push(path.clone());
                if self.hash_tag.is_none()
                    && let Some((line, key)) = hash_tag(text)
                {
                    let seen = format!("{}:{line} writes a hash tag: {key}", walk::shown(path));
                    self.hash_tag = Some(Sign { what: (), seen });
                }
            }
        }
        let beside: FxHashSet<Option<&Path>> = self.scripts.iter().map(|path| path.parent()).collect();
        let scripts: FxHashSet<&Path> = self.scripts.iter().map(PathBuf::as_path).collect();
        let unlike = lua.iter().filter(|(path, text)| {
            let other = scripts.contains(path.as_path()) || included.contains(path) || loads_modules(text);
            beside.contains(&path.parent()) && !other
        });
        self.unlike = unlike.map(|(path, _)| path.clone()).collect();
    }
}

/// `docker.io/valkey/valkey:8.1-alpine`: the server of an image, and whether it is one for clusters.
fn image(word: &str) -> Option<(Target, bool)> {
    let (name, tag) = word.rsplit_once(':')?;
    let name = name.rsplit('/').next()?;
    let (product, cluster) = match name {
        "redis" | "redis-stack" | "redis-stack-server" => (Product::Redis, false),
        "redis-cluster" => (Product::Redis, true),
        "valkey" | "valkey-bundle" => (Product::Valkey, false),
        "valkey-cluster" => (Product::Valkey, true),
        "dragonfly" => (Product::Dragonfly, false),
        "kvrocks" => (Product::Kvrocks, false),
        "keydb" => (Product::KeyDb, false),
        _ => return None,
    };
    let version = tag.strip_prefix(['v', 'x']).map_or(tag, |rest| rest.strip_prefix("86_64_v").unwrap_or(rest));
    let digits = version.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(version.len());
    let target = match version[..digits].trim_end_matches('.') {
        // The newest, by whatever name; a port or a protocol is no tag.
        "" if tag.starts_with(|letter: char| letter.is_ascii_lowercase()) => Target::newest(product),
        "" => return None,
        version => Target::from_str(&format!("{}@{version}", product.name())).ok()?,
    };
    Some((target, cluster))
}

/// The file of that name, and the folder to look in if it does not lie beside the file that includes it.
fn find(name: &str, from: &Path, paths: &FxHashSet<&Path>) -> Option<(PathBuf, Option<PathBuf>)> {
    let own = from.parent().unwrap_or(Path::new(""));
    let plain: PathBuf = Path::new(name).components().filter(|part| matches!(part, Component::Normal(_))).collect();
    let names = [plain.clone(), PathBuf::from(format!("{}.lua", plain.display()))];
    let beside = ["", ".lua"].map(|end| include::disk::normal(&own.join(format!("{name}{end}"))));
    if let Some(found) = beside.into_iter().find(|path| paths.contains(path.as_path())) {
        return Some((found, None));
    }
    // A name that climbs is meant from its own folder.
    if plain != Path::new(name).components().filter(|part| *part != Component::CurDir).collect::<PathBuf>() {
        return None;
    }
    let matching = paths.iter().filter(|path| names.iter().any(|name| path.ends_with(name)));
    let found = matching.min_by_key(|path| (path.components().count(), **path))?;
    let depth = found.components().count() - plain.components().count();
    let folder: PathBuf = found.components().take(depth).collect();
    let folder = if depth == 0 { PathBuf::from(".") } else { folder };
    Some((found.to_path_buf(), Some(folder)))
}

/// Then it is no script, whatever it calls.
fn loads_modules(text: &[u8]) -> bool {
    Scan::new(text).any(|part| matches!(part, Part::Word(range) if &text[range.clone()] == b"require"))
}

/// The first string that looks like a key with a hash tag, and its line.
fn hash_tag(text: &[u8]) -> Option<(usize, String)> {
    Scan::new(text).find_map(|part| {
        let Part::Closed(range) = part else { return None };
        let inner = str::from_utf8(&text[range.clone()]).ok().filter(|inner| !inner.starts_with("--"))?;
        let body = inner.trim_matches(['\'', '"']);
        let fits = body.contains('{') && body.contains(':') && !body.contains(['"', '\n', ' ']) && body.len() < 80;
        let line = 1 + text[..range.start].iter().filter(|&&byte| byte == b'\n').count();
        fits.then(|| (line, inner.to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_name_servers() {
        let target = |word: &str| image(word).map(|(target, _)| target.to_string());
        assert_eq!(target("redis:7.2-alpine").as_deref(), Some("redis@7.2"));
        assert_eq!(target("docker.io/valkey/valkey:8.1.3").as_deref(), Some("valkey@8.1.3"));
        assert_eq!(target("redis/redis-stack-server:7.2.0-v9").as_deref(), Some("redis@7.2.0"));
        assert_eq!(target("docker.dragonflydb.io/dragonflydb/dragonfly:v1.23.1").as_deref(), Some("dragonfly@1.23.1"));
        assert_eq!(target("eqalpha/keydb:x86_64_v6.3.4").as_deref(), Some("keydb@6.3.4"));
        assert_eq!(target("valkey:latest").as_deref(), Some("valkey"));
        for word in
            ["redis:6379", "redis://redis:6379", "redis:", "redis", "redisinsight:2.6", "redis:99", "my-redis:7.2"]
        {
            assert_eq!(target(word), None, "{word}");
        }
        assert_eq!(image("bitnami/redis-cluster:7.2").map(|(_, cluster)| cluster), Some(true));
    }

    #[test]
    fn hash_tags_are_not_json() {
        let found = |text: &str| hash_tag(text.as_bytes()).map(|(line, _)| line);
        assert_eq!(found("\nlocal key = 'stock:{' .. ARGV[1] .. '}'"), Some(2));
        assert_eq!(found("return '{\"a\":1}'"), None);
        assert_eq!(found("-- 'a:{b}'\nreturn 'a'"), None);
    }
}
