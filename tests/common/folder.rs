//! The built binary in a folder of its own.
#![allow(dead_code, reason = "each test uses some of it")]

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// One finding in every run: an error of `unknown-rule` on line 1.
pub(crate) const SICK: &str = "-- evalint: allow(unusd-allow)\nreturn redis.call('GET', KEYS[1])\n";
pub(crate) const HEALTHY: &str = "return redis.call('GET', KEYS[1])\n";

/// A folder of its own for each test, empty at its start.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli").join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        // The folders above may hold settings of their own.
        fs::write(path.join("evalint.toml"), "").unwrap();
        Folder(path)
    }

    pub(crate) fn with(self, path: &str, text: impl AsRef<[u8]>) -> Folder {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.0.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_evalint"));
        command.args(arguments).current_dir(&self.0).stdin(Stdio::null());
        for name in ["NO_COLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::from(self.command(arguments).output().unwrap())
    }

    pub(crate) fn pipe(&self, arguments: &[&str], text: &[u8]) -> Run {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(text).unwrap();
        Run::from(child.wait_with_output().unwrap())
    }
}

pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        Run {
            code: output.status.code().expect("it ends by itself"),
            out: String::from_utf8(output.stdout).expect("the output is UTF-8"),
            err: String::from_utf8(output.stderr).expect("messages are UTF-8"),
        }
    }
}

impl Run {
    /// It could not do something, and its message holds each of `parts`.
    pub(crate) fn trouble(&self, parts: &[&str]) {
        assert_eq!(self.code, 2, "{}{}", self.out, self.err);
        for part in parts {
            assert!(self.err.contains(part), "`{part}` is not in:\n{}", self.err);
        }
        assert!(!self.err.contains("panicked"), "{}", self.err);
    }

    /// The paths of the findings, each once.
    pub(crate) fn paths(&self) -> Vec<String> {
        let json: serde_json::Value = serde_json::from_str(&self.out).expect("it is JSON");
        let diagnostics = json["diagnostics"].as_array().unwrap();
        let mut paths: Vec<_> = diagnostics.iter().map(|one| one["path"].as_str().unwrap().to_owned()).collect();
        paths.dedup();
        paths
    }
}
