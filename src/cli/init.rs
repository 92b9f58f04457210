//! `evalint init`: looks at the project in this folder and writes a commented `evalint.toml` for it.
//!
//! What it finds is a *sign*, told with its place in the comment above the setting. A setting is only on where its sign leaves no
//! doubt; what is a guess stays a comment, so that nothing changes that somebody would wonder about.

mod signs;
mod text;

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use self::signs::Signs;
use super::{Exit, args::ColorChoice, output};
use crate::{
    config::project::{Lookup, Options, Project},
    render::{human, plural},
};

const NAME: &str = "evalint.toml";

pub(super) fn run() -> io::Result<Exit> {
    let refuse = |message: String| {
        output::error(&human::printable(&message));
        Ok(Exit::Trouble)
    };
    let folder = std::env::current_dir()?;
    if Path::new(NAME).symlink_metadata().is_ok() {
        return refuse(format!("{NAME} exists already; `evalint schema` describes what it can say"));
    }
    // Where a file of this name would lie.
    let governing = match Project::new(Options::default(), &Lookup::Nearest).governing(&folder.join(NAME)) {
        Ok(governing) => governing,
        Err(error) => {
            output::raw(&human::config_error(&error, output::color(ColorChoice::Auto, &io::stderr())));
            return Ok(Exit::Trouble);
        }
    };
    let base = match governing {
        Some(path) if path.parent() == Some(&folder) => {
            let name = path.file_name().unwrap_or_default().display().to_string();
            return refuse(format!("{name} has settings already, and {NAME} would replace them; extend it by hand"));
        }
        Some(path) => Some(relative(&path, &folder)),
        None => None,
    };
    let signs = signs::signs(Path::new("."));
    let text = text::settings(&signs, base.as_deref());
    // Somebody may have written it since.
    let written = fs::File::create_new(NAME).and_then(|mut file| file.write_all(text.as_bytes()));
    if let Err(error) = written {
        return refuse(format!("{NAME} can't be written: {error}"));
    }
    output::note(&told(&signs));
    Ok(Exit::Clean)
}

/// `wrote evalint.toml: 12 scripts, for redis@7.2`
fn told(signs: &Signs) -> String {
    let scripts = match signs.scripts.len() {
        0 => "no scripts are here yet".to_owned(),
        scripts => plural(scripts as u32, "script"),
    };
    let targets: Vec<_> = signs.targets.iter().map(|sign| sign.what.to_string()).collect();
    let targets = if targets.is_empty() { String::new() } else { format!(", for {}", targets.join(", ")) };
    format!("wrote {NAME}: {scripts}{targets}; look it over, then run `evalint`")
}

/// The path of a config in a folder above, as a config in `folder` writes it.
fn relative(path: &Path, folder: &Path) -> String {
    let above = path.parent().unwrap_or(Path::new(""));
    let depth = folder.strip_prefix(above).map_or(0, |inner| inner.components().count());
    let mut relative: PathBuf = std::iter::repeat_n("..", depth).collect();
    relative.push(path.file_name().unwrap_or_default());
    super::walk::shown(&relative)
}
