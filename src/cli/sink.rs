//! Where findings are written: standard output and the files of `--output`, each in a format of its own.

use std::{
    fmt,
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    str::FromStr,
};

use rustc_hash::FxHashSet;
use tempfile::NamedTempFile;

use super::{
    output::{self, Output},
    walk::Input,
};
use crate::{
    config::project,
    render::{self, Format, Look, View},
};

/// What `--output FORMAT=FILE` asks for.
#[derive(Clone, Debug)]
pub(super) struct OutputFile {
    pub(super) format: &'static Format,
    pub(super) path: PathBuf,
}

impl FromStr for OutputFile {
    type Err = String;

    fn from_str(text: &str) -> Result<OutputFile, String> {
        let Some((format, path)) = text.split_once('=') else {
            return Err("write FORMAT=FILE, like `sarif=evalint.sarif`".into());
        };
        let format = render::format(format)?;
        match path {
            "" => Err("name a file behind the `=`".into()),
            "-" => Err(format!("standard output is written with `--format {}`", format.name)),
            path => Ok(OutputFile { format, path: path.into() }),
        }
    }
}

/// Why these files can't be written, if one of them is written twice or is checked itself.
pub(super) fn clash(outputs: &[OutputFile], inputs: &[Input]) -> Option<String> {
    // A device takes what several write.
    let files = outputs.iter().filter(|output| fs::metadata(&output.path).map_or(true, |found| found.is_file()));
    let mut seen = FxHashSet::default();
    for output in files {
        let place = place(&output.path);
        let shown = || render::human::printable(&output.path.to_string_lossy());
        if inputs.iter().any(|input| self::place(&input.path) == place) {
            return Some(format!("`{}` is checked, so no findings are written to it", shown()));
        }
        if !seen.insert(place) {
            return Some(format!("`{}` would be written twice; give each `--output` a file of its own", shown()));
        }
    }
    None
}

fn place(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| project::absolute(path))
}

/// How one sink is rendered. Workers know of sinks only this.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub(super) format: &'static Format,
    pub(super) look: Look,
}

/// A script in every style.
pub(super) fn rendered(styles: &[Style], view: View) -> Vec<Vec<u8>> {
    styles.iter().map(|style| (style.format.script)(view, style.look)).collect()
}

pub(super) struct Sink<'a> {
    pub(super) style: Style,
    /// Was a fragment written?
    any: bool,
    to: To<'a>,
}

enum To<'a> {
    Standard(&'a mut Output),
    File(Target),
    /// It could not be written, and the user was told.
    Lost,
}

/// A file on its way: at its place only when it is whole, unless it is a device or pipe.
struct Target {
    path: PathBuf,
    out: BufWriter<Out>,
}

enum Out {
    Whole(NamedTempFile),
    Direct(File),
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Out::Whole(file) => file.write(bytes),
            Out::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Out::Whole(file) => file.flush(),
            Out::Direct(file) => file.flush(),
        }
    }
}

impl fmt::Debug for Sink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.style.format.name)
    }
}

impl Sink<'_> {
    pub(super) fn standard(out: &mut Output, style: Style) -> Sink<'_> {
        Sink { style, any: false, to: To::Standard(out) }
    }

    /// A sink that writes a file. If it can't be made, the user is told.
    pub(super) fn file(path: &Path, style: Style) -> Sink<'static> {
        let to = Target::new(path).map(To::File).unwrap_or_else(|error| lost(path, &error));
        Sink { style, any: false, to }
    }

    /// Was something lost?
    pub(super) fn is_lost(&self) -> bool {
        matches!(self.to, To::Lost)
    }

    /// Does nobody read what is written here?
    pub(super) fn is_closed(&self) -> bool {
        match &self.to {
            To::Standard(out) => out.is_closed(),
            To::File(_) => false,
            To::Lost => true,
        }
    }

    /// Writes what stands between fragments. Only for standard output an error is returned.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.to {
            To::Standard(out) => out.write(bytes)?,
            To::File(target) => {
                if let Err(error) = target.out.write_all(bytes) {
                    self.to = lost(&target.path, &error);
                }
            }
            To::Lost => {}
        }
        Ok(())
    }

    /// Writes a fragment, if it is any.
    pub(super) fn fragment(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        if self.any {
            self.write(self.style.format.separator.as_bytes())?;
        }
        self.any = true;
        self.write(bytes)
    }

    /// Puts all that was written where it belongs.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Standard(out) => out.flush()?,
            To::File(_) => {
                if let To::File(target) = std::mem::replace(&mut self.to, To::Lost) {
                    let path = target.path.clone();
                    self.to = target.finish().map(To::File).unwrap_or_else(|error| lost(&path, &error));
                }
            }
            To::Lost => {}
        }
        Ok(())
    }
}

fn lost(path: &Path, error: &io::Error) -> To<'static> {
    output::error(&format!("{} can't be written: {error}", render::human::printable(&path.to_string_lossy())));
    To::Lost
}

impl Target {
    fn new(path: &Path) -> io::Result<Target> {
        let out = match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Ok(found) if !found.is_file() => Out::Direct(OpenOptions::new().write(true).open(path)?),
            // Of a link, the file that it leads to is written.
            Ok(found) => {
                let file = beside(&fs::canonicalize(path)?)?;
                file.as_file().set_permissions(found.permissions())?;
                Out::Whole(file)
            }
            Err(_) => Out::Whole(beside(path)?),
        };
        Ok(Target { path: path.to_owned(), out: BufWriter::with_capacity(64 << 10, out) })
    }

    fn finish(self) -> io::Result<Target> {
        let out = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        let place = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let out = match out {
            Out::Whole(file) => Out::Direct(file.persist(place).map_err(|error| error.error)?),
            Out::Direct(file) => Out::Direct(file),
        };
        Ok(Target { path: self.path, out: BufWriter::with_capacity(0, out) })
    }
}

/// A new file in the folder of the path, so that it can be renamed to it.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Of a folder that is not there this says so in few words; an error of `tempfile` names a file that nobody knows.
    fs::metadata(folder)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".evalint-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Less what the process masks.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}
