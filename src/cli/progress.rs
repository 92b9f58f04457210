//! The line that says how far a long run is: on standard error, if that is a terminal, and gone when the run is over.

use std::{
    io::IsTerminal,
    sync::OnceLock,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Sooner nobody wonders.
const DELAY: Duration = Duration::from_millis(500);

/// Counts what is done. Workers share it.
pub(super) struct Progress {
    started: Instant,
    total: u64,
    done: AtomicU64,
    shown: bool,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    /// Of so many files.
    pub(super) fn new(total: usize, quiet: bool) -> Progress {
        let shown = 1 < total && !quiet && std::io::stderr().is_terminal();
        Progress { started: Instant::now(), total: total as u64, done: AtomicU64::new(0), shown, bar: OnceLock::new() }
    }

    /// One more file is done.
    pub(super) fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if !self.shown || self.started.elapsed() < DELAY {
            return;
        }
        let bar = self.bar.get_or_init(|| {
            let bar = ProgressBar::with_draw_target(Some(self.total), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("checking: {pos} of {len} files {wide_bar}");
            bar.with_style(style.expect("the template is right"))
        });
        bar.set_position(done);
    }

    /// Writes with the line out of the way.
    pub(super) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match self.bar.get() {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
