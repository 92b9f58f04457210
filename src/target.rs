//! The server that a script is meant for, and what differs by it.

use std::{fmt, str::FromStr};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Product {
    Redis,
    Valkey,
    Dragonfly,
    Kvrocks,
    KeyDb,
}

impl Product {
    pub const ALL: [Product; 5] =
        [Product::Redis, Product::Valkey, Product::Dragonfly, Product::Kvrocks, Product::KeyDb];

    pub fn name(self) -> &'static str {
        match self {
            Product::Redis => "redis",
            Product::Valkey => "valkey",
            Product::Dragonfly => "dragonfly",
            Product::Kvrocks => "kvrocks",
            Product::KeyDb => "keydb",
        }
    }

    /// Does it refuse keys that are not in KEYS? (FACTS.md §7 and the case files.)
    pub fn strict_keys(self) -> bool {
        match self {
            Product::Dragonfly | Product::Kvrocks => true,
            Product::Redis | Product::Valkey | Product::KeyDb => false,
        }
    }
}

/// Major, minor, patch. `u8::MAX` as patch is the newest of the series, as minor the newest of the major.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version(pub u8, pub u8, pub u8);

impl Version {
    pub const NEWEST: Version = Version(u8::MAX, u8::MAX, u8::MAX);
}

/// A product at a version, written `redis@7.2`, `redis@7.2.4`, `valkey` (the newest).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Target {
    pub product: Product,
    pub version: Version,
}

impl Target {
    /// What is checked for when nobody names a target: only findings that hold on both are shown.
    pub const DEFAULT: [Target; 2] = [
        Target { product: Product::Redis, version: Version::NEWEST },
        Target { product: Product::Valkey, version: Version::NEWEST },
    ];
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.product.name())?;
        let Version(major, minor, patch) = self.version;
        match (major, minor, patch) {
            (u8::MAX, ..) => Ok(()),
            (_, u8::MAX, _) => write!(f, "@{major}"),
            (.., u8::MAX) => write!(f, "@{major}.{minor}"),
            _ => write!(f, "@{major}.{minor}.{patch}"),
        }
    }
}

impl FromStr for Target {
    type Err = String;

    /// Says in the error what is wrong, naming the products or the form of a version.
    fn from_str(text: &str) -> Result<Target, String> {
        let (name, version) = text.split_once('@').unwrap_or((text, ""));
        let Some(product) = Product::ALL.into_iter().find(|product| product.name() == name) else {
            let names = Product::ALL.map(Product::name);
            return Err(match closest(name, names) {
                Some(near) => format!("no server is called `{name}`; did you mean `{near}`?"),
                None => format!("no server is called `{name}`; there are {}", names.join(", ")),
            });
        };
        if !text.contains('@') {
            return Ok(Target { product, version: Version::NEWEST });
        }
        let parts: Vec<Option<u8>> = version.split('.').map(|part| part.parse().ok()).collect();
        let version = match parts[..] {
            [Some(major)] => Version(major, u8::MAX, u8::MAX),
            [Some(major), Some(minor)] => Version(major, minor, u8::MAX),
            [Some(major), Some(minor), Some(patch)] => Version(major, minor, patch),
            _ => {
                return Err(format!("`{version}` is no version; write it like `{name}@7.2` or `{name}@7.2.4`"));
            }
        };
        Ok(Target { product, version })
    }
}

/// The name most like `wanted`, if one is near enough to be a slip of it.
pub fn closest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(wanted, name), name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 5)
        .min()
        .map(|(_, name)| name)
}
