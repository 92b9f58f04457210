//! Standard output and standard error.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};

use super::args::ColorChoice;
use crate::explain;

/// Standard output, or standard error in its stead. A reader that has gone away is no error: what follows is dropped.
pub(super) struct Output {
    out: BufWriter<Box<dyn Write>>,
    closed: bool,
}

impl Default for Output {
    fn default() -> Output {
        Output::new(Box::new(io::stdout()))
    }
}

impl Output {
    pub(super) fn standard_error() -> Output {
        Output::new(Box::new(io::stderr()))
    }

    fn new(out: Box<dyn Write>) -> Output {
        Output { out: BufWriter::with_capacity(64 << 10, out), closed: false }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.attempt(|out| out.write_all(bytes))
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.attempt(|out| out.flush())
    }

    /// Does nobody read any more?
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    fn attempt(&mut self, write: impl FnOnce(&mut BufWriter<Box<dyn Write>>) -> io::Result<()>) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        match write(&mut self.out) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            result => result,
        }
    }
}

/// A line on standard error. If that is gone, nobody can be told.
pub(super) fn note(text: &str) {
    raw(format!("{text}\n").as_bytes());
}

pub(super) fn error(text: &str) {
    note(&format!("error: {text}"));
}

pub(super) fn raw(bytes: &[u8]) {
    let _ = io::stderr().lock().write_all(bytes);
}

/// Is the text on `stream` colored?
pub(super) fn color(choice: ColorChoice, stream: &impl IsTerminal) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if set("NO_COLOR") => false,
        ColorChoice::Auto
            if std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0") =>
        {
            true
        }
        ColorChoice::Auto => stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
    }
}

/// Does the terminal on standard output take links, and is there anything to link to?
pub(super) fn links() -> bool {
    explain::home().is_some() && supports_hyperlinks::on(supports_hyperlinks::Stream::Stdout)
}
