//! The binary: everything is in the library.

use std::{process::ExitCode, thread};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // One or few files are checked on this thread, so it needs the stack of a worker.
    thread::Builder::new()
        .stack_size(evalint::limits::STACK_BYTES)
        .spawn(|| evalint::cli::main(std::env::args_os()))
        .expect("a process can have a second thread")
        .join()
        .unwrap_or(ExitCode::from(2))
}
