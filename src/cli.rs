//! The command line: arguments, files, exit codes. The only place that prints.

mod args;
mod change;
mod check;
mod detect;
mod init;
mod ledger;
mod manual;
mod output;
mod printer;
mod progress;
mod rewrite;
mod session;
mod since;
mod sink;
mod statistics;
mod times;
mod walk;
mod watch;
mod write;

use std::{ffi::OsString, io, process::ExitCode};

use clap::{CommandFactory, Parser, error::ErrorKind};

use self::{
    args::{Arguments, Command, RulesFormat},
    output::Output,
};
use crate::{
    config::{Selector, schema},
    explain,
};

/// How a run ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Exit {
    /// Nothing at or above `--fail-on`.
    Clean,
    Findings,
    /// Something could not be done; standard error says what.
    Trouble,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Clean => 0,
            Exit::Findings => 1,
            Exit::Trouble => 2,
        })
    }
}

/// Runs the program with its arguments, its name first.
pub fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let mut out = Output::default();
    let exit = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => run(arguments, &mut out),
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            out.write(error.render().to_string().as_bytes()).map(|()| Exit::Clean)
        }
        Err(error) => {
            // If standard error is gone, nobody can be told.
            let _ = error.print();
            Ok(Exit::Trouble)
        }
    };
    match exit.and_then(|exit| out.flush().map(|()| exit)) {
        Ok(exit) => exit.into(),
        Err(error) => {
            output::error(&format!("standard output can't be written: {error}"));
            Exit::Trouble.into()
        }
    }
}

fn run(arguments: Arguments, out: &mut Output) -> io::Result<Exit> {
    match arguments.command {
        None => check::run(&arguments.check, out),
        Some(Command::Check(arguments)) => check::run(&arguments, out),
        Some(Command::Fix(mut arguments)) => {
            arguments.fix = true;
            check::run(&arguments, out)
        }
        Some(Command::Explain { name }) => out.write(explain::explain(name).as_bytes()).map(|()| Exit::Clean),
        Some(Command::Rules { format }) => {
            let text = match format {
                RulesFormat::Human => explain::rules(Selector::All),
                RulesFormat::Json => explain::rules_json(),
            };
            out.write(text.as_bytes()).map(|()| Exit::Clean)
        }
        Some(Command::Init) => init::run(),
        Some(Command::Schema) => {
            let text = serde_json::to_string_pretty(&schema::schema()).map_err(io::Error::other)?;
            out.write((text + "\n").as_bytes()).map(|()| Exit::Clean)
        }
        Some(Command::Completions { shell }) => {
            let mut text = Vec::new();
            let mut command = Arguments::command();
            clap_complete::generate(shell, &mut command, env!("CARGO_PKG_NAME"), &mut text);
            out.write(&text).map(|()| Exit::Clean)
        }
        Some(Command::Man) => out.write(&manual::page()?).map(|()| Exit::Clean),
    }
}
