//! How long a run took and where, for `--verbose`.

use std::time::{Duration, Instant};

use crate::render::{human::printable, plural};

/// Files that are named as the slowest.
const NAMED: usize = 3;

pub(super) struct Times {
    started: Instant,
    walk: Duration,
    files: u32,
    /// The slowest first.
    slowest: Vec<(Duration, String)>,
}

impl Times {
    pub(super) fn start() -> Times {
        Times { started: Instant::now(), walk: Duration::ZERO, files: 0, slowest: Vec::new() }
    }

    /// So many files were found.
    pub(super) fn found(&mut self, files: usize) {
        self.walk = self.started.elapsed();
        self.files = files as u32;
    }

    pub(super) fn file(&mut self, path: &str, took: Duration) {
        let at = self.slowest.partition_point(|&(other, _)| took <= other);
        if at < NAMED {
            self.slowest.insert(at, (took, path.to_owned()));
            self.slowest.truncate(NAMED);
        }
    }

    /// `took 14.2 ms: 1.1 ms to find 3 files; slowest: a.lua 8.1 ms, b.lua 2.0 ms`
    pub(super) fn line(&self) -> String {
        let slowest: Vec<_> =
            self.slowest.iter().map(|(took, path)| format!("{} {}", printable(path), shown(*took))).collect();
        let slowest = if slowest.is_empty() { String::new() } else { format!("; slowest: {}", slowest.join(", ")) };
        let (took, files) = (shown(self.started.elapsed()), plural(self.files, "file"));
        format!("took {took}: {} to find {files}{slowest}", shown(self.walk))
    }
}

fn shown(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 10.0 => format!("{:.1} ms", seconds * 1e3),
        seconds => format!("{seconds:.1} s"),
    }
}
