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

/// The series that were released, oldest first. Of the other products any version is taken, nothing here depends on it.
const REDIS: &[(u8, u8)] = &[
    (2, 6),
    (2, 8),
    (3, 0),
    (3, 2),
    (4, 0),
    (5, 0),
    (6, 0),
    (6, 2),
    (7, 0),
    (7, 2),
    (7, 4),
    (8, 0),
    (8, 2),
    (8, 4),
    (8, 6),
    (8, 8),
    (8, 10),
];
const VALKEY: &[(u8, u8)] = &[(7, 2), (8, 0), (8, 1), (9, 0), (9, 1)];

impl Product {
    /// Its released series, oldest first; empty: any version is taken.
    pub(crate) fn series(self) -> &'static [(u8, u8)] {
        match self {
            Product::Redis => REDIS,
            Product::Valkey => VALKEY,
            Product::Dragonfly | Product::Kvrocks | Product::KeyDb => &[],
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
    pub const DEFAULT: [Target; 2] = [Target::newest(Product::Redis), Target::newest(Product::Valkey)];

    /// The newest server of the product, whatever comes.
    pub const fn newest(product: Product) -> Target {
        Target { product, version: Version::NEWEST }
    }
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
        // Written in one way only: no sign, no zero before other digits.
        let number = |part: &str| part.parse().ok().filter(|number: &u8| number.to_string() == part);
        let parts: Vec<Option<u8>> = version.split('.').map(number).collect();
        let version = match parts[..] {
            [Some(major)] => Version(major, u8::MAX, u8::MAX),
            [Some(major), Some(minor)] => Version(major, minor, u8::MAX),
            [Some(major), Some(minor), Some(patch)] => Version(major, minor, patch),
            _ => {
                return Err(format!("`{version}` is no version; write it like `{name}@7.2` or `{name}@7.2.4`"));
            }
        };
        check_series(product, version)?;
        Ok(Target { product, version })
    }
}

/// Is there such a series? If not, the error names one that there is.
fn check_series(product: Product, Version(major, minor, _): Version) -> Result<(), String> {
    let (name, series) = (product.name(), product.series());
    let Some(&(newest, newest_minor)) = series.last() else { return Ok(()) };
    if series.iter().any(|&known| known == (major, minor) || known.0 == major && minor == u8::MAX) {
        return Ok(());
    }
    let wanted = if minor == u8::MAX { major.to_string() } else { format!("{major}.{minor}") };
    // The last one before it of the same major version, else its first.
    let same = || series.iter().filter(|known| known.0 == major);
    Err(match same().rfind(|known| known.1 < minor).or_else(|| same().next()) {
        Some((_, near)) => format!("there is no {name} {wanted}; did you mean `{name}@{major}.{near}`?"),
        None => format!("{name} {wanted} is not known; the newest known is `{name}@{newest}.{newest_minor}`"),
    })
}

/// The name most like `wanted`, if one is near enough to be a slip of it.
pub fn closest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let bound = |name: &str| 1 + name.len() / 5;
    names
        .into_iter()
        .filter(|name| name.len().abs_diff(wanted.len()) <= bound(name))
        .map(|name| (strsim::osa_distance(wanted, name), name))
        .filter(|(distance, name)| *distance <= bound(name))
        .min()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_released_series() {
        let error = |text: &str| text.parse::<Target>().unwrap_err();
        assert_eq!(error("redis@7.7"), "there is no redis 7.7; did you mean `redis@7.4`?");
        assert_eq!(error("valkey@8.2.1"), "there is no valkey 8.2; did you mean `valkey@8.1`?");
        assert_eq!(error("valkey@7.0"), "there is no valkey 7.0; did you mean `valkey@7.2`?");
        assert_eq!(error("redis@9.9"), "redis 9.9 is not known; the newest known is `redis@8.10`");
        assert_eq!(error("redis@9"), "redis 9 is not known; the newest known is `redis@8.10`");
        assert_eq!(error("redsi@7.2"), "no server is called `redsi`; did you mean `redis`?");
        assert_eq!(error("redis@new"), "`new` is no version; write it like `redis@7.2` or `redis@7.2.4`");
        for text in ["redis", "redis@7", "redis@7.2", "redis@7.2.4", "valkey@9.1", "keydb@6.3"] {
            assert_eq!(text.parse::<Target>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn an_open_version_is_newer_than_its_patches() {
        let version = |text: &str| text.parse::<Target>().unwrap().version;
        assert!(version("redis@7.2.4") < version("redis@7.2"));
        assert!(version("redis@7.2") < version("redis@7.4.0"));
        assert!(version("redis@7") < version("redis@8.0.0"));
        assert!(version("redis@8.10") < version("redis"));
    }
}
