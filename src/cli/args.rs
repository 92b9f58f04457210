//! What can be written on the command line.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
};

use clap::{
    Args, Parser, Subcommand, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};

use super::{sink::OutputFile, statistics::Detail};
use crate::{
    config::{
        Selector,
        project::{Lookup, Options},
    },
    render::{self, FORMATS, Format},
    rule::{Preset, Safety, Severity},
    target::Target,
};

/// Finds what Redis and Valkey Lua scripts will do that their author did not want.
///
/// Without a command it checks: `evalint lua/` is `evalint check lua/`.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true, max_term_width = 100)]
#[command(
    after_help = "Exit status: 0 nothing found at or above --fail-on, 1 findings, 2 something could not be done."
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    #[command(flatten)]
    pub(super) check: Check,
}

#[derive(Subcommand)]
pub(super) enum Command {
    /// Check files and folders (the default).
    Check(Check),
    /// Fix what can be fixed safely, then check: `check --fix`.
    Fix(Check),
    /// Show the page of a rule, or the rules of a category.
    Explain {
        /// A rule or category.
        #[arg(value_name = "RULE|CATEGORY", value_parser = Selector::from_str)]
        name: Selector,
    },
    /// List all rules.
    Rules {
        #[arg(long, value_enum, default_value_t = RulesFormat::Human)]
        format: RulesFormat,
    },
    /// Write a commented `evalint.toml` for the project in this folder.
    Init,
    /// Print the JSON Schema of `evalint.toml`.
    Schema,
    /// Print the completions for a shell.
    Completions { shell: clap_complete::Shell },
    /// Print the manual page.
    Man,
}

#[derive(Args)]
pub(super) struct Check {
    /// Files and folders; `-` reads standard input.
    #[arg(value_name = "PATHS", default_value = ".", hide_default_value = true)]
    pub(super) paths: Vec<PathBuf>,
    /// How findings are written.
    #[arg(long, value_name = "FORMAT", default_value = "human", value_parser = format())]
    pub(super) format: &'static Format,
    /// Also write the findings to a file, like `sarif=evalint.sarif`; several are all written.
    #[arg(long = "output", value_name = "FORMAT=FILE", value_parser = OutputFile::from_str)]
    pub(super) outputs: Vec<OutputFile>,
    /// The rules that are on without being named.
    #[arg(long, value_name = "PRESET", value_parser = preset)]
    preset: Option<Preset>,
    /// Only these rules or categories, or `all`; replaces the preset.
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = Selector::from_str)]
    select: Vec<Selector>,
    /// Not these rules or categories.
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = Selector::from_str)]
    ignore: Vec<Selector>,
    /// The server that the scripts are for, like `redis@7.2`; several are all checked.
    #[arg(long = "target", value_name = "TARGET", value_delimiter = ',', value_parser = Target::from_str)]
    targets: Vec<Target>,
    /// The scripts run on a cluster.
    #[arg(long, overrides_with = "no_cluster")]
    cluster: bool,
    /// The scripts never run on a cluster.
    #[arg(long)]
    no_cluster: bool,
    /// The least severity that makes the exit status 1.
    #[arg(long, value_name = "SEVERITY", default_value = "warning", value_parser = severity)]
    pub(super) fail_on: Severity,
    /// Exit with 0 even if something is found.
    #[arg(long)]
    pub(super) exit_zero: bool,
    /// Pass over named files that are no Redis scripts, as in folders.
    #[arg(long)]
    pub(super) detect: bool,
    /// The path that standard input (`-`) stands for, in messages and for the config.
    #[arg(long, value_name = "PATH")]
    pub(super) stdin_filename: Option<PathBuf>,
    /// Use this config instead of the nearest one.
    #[arg(long, value_name = "FILE", conflicts_with = "isolated")]
    config: Option<PathBuf>,
    /// Use no config.
    #[arg(long)]
    isolated: bool,
    /// Print the settings of this file, each with the place that says it, and check nothing.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["paths", "format", "fail_on", "exit_zero", "detect", "stdin_filename", "statistics", "dump", "threads", "outputs", "fix", "unsafe_fixes", "add_allow", "diff", "baseline", "write_baseline", "since", "watch"])]
    pub(super) show_config: Option<PathBuf>,
    /// Color the output: NO_COLOR and CLICOLOR_FORCE are heeded.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    pub(super) color: ColorChoice,
    /// Make the safe fixes, then check.
    #[arg(long, help_heading = "Changing files")]
    pub(super) fix: bool,
    /// Also make the fixes that somebody should look at; implies --fix.
    #[arg(long, help_heading = "Changing files")]
    pub(super) unsafe_fixes: bool,
    /// Add comments that allow what is found, so that only new findings are told.
    #[arg(long, conflicts_with_all = ["fix", "unsafe_fixes"], help_heading = "Changing files")]
    pub(super) add_allow: bool,
    /// Print what would be changed as a diff, and change nothing; alone, what --fix would change.
    #[arg(long, conflicts_with_all = ["format", "outputs", "statistics"], help_heading = "Changing files")]
    pub(super) diff: bool,
    /// Tell only what is not in this file, which `--write-baseline` writes.
    #[arg(long, value_name = "FILE", help_heading = "Old projects")]
    pub(super) baseline: Option<PathBuf>,
    /// Write what is found to this file, as what is known.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baseline", "diff", "add_allow", "format", "outputs"], help_heading = "Old projects")]
    pub(super) write_baseline: Option<PathBuf>,
    /// Only files that have changed since this revision of git, and scripts that include them.
    #[arg(long, value_name = "REV", help_heading = "Old projects")]
    pub(super) since: Option<String>,
    /// Check again whenever a file changes, and print only what has become different.
    #[arg(long, conflicts_with_all = ["fix", "unsafe_fixes", "add_allow", "diff", "write_baseline", "since", "outputs", "stdin_filename", "dump", "statistics"])]
    pub(super) watch: bool,
    /// Print no summary.
    #[arg(long, short, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Show all findings whole, the time taken, and where an analysis was cut.
    #[arg(long, short)]
    pub(super) verbose: bool,
    /// Count the findings by rule and by file.
    #[arg(long)]
    pub(super) statistics: bool,
    /// Print a stage of the analysis instead of findings.
    #[arg(long, hide = true, value_enum, conflicts_with_all = ["format", "outputs", "statistics", "fix", "unsafe_fixes", "add_allow", "diff", "baseline", "write_baseline"])]
    pub(super) dump: Option<Dump>,
    /// How many threads check, 1 to 256; by default one a processor.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) threads: Option<u16>,
}

impl Check {
    pub(super) fn options(&self) -> Options {
        let cluster = match (self.cluster, self.no_cluster) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        };
        Options {
            targets: self.targets.clone(),
            cluster,
            preset: self.preset,
            select: self.select.clone(),
            ignore: self.ignore.clone(),
        }
    }

    /// What is to be changed, if anything.
    pub(super) fn purpose(&self) -> Option<Purpose> {
        match (self.add_allow, self.unsafe_fixes) {
            (true, _) => Some(Purpose::Allow),
            (false, true) => Some(Purpose::Fix(Safety::Unsafe)),
            (false, false) => (self.fix || self.diff).then_some(Purpose::Fix(Safety::Safe)),
        }
    }

    /// The named files that say how it is checked.
    pub(super) fn settings(&self) -> impl Iterator<Item = &Path> {
        [&self.config, &self.baseline].into_iter().flatten().map(PathBuf::as_path)
    }

    pub(super) fn detail(&self) -> Detail {
        if self.statistics { Detail::Files } else { Detail::Rules }
    }

    pub(super) fn lookup(&self) -> Lookup {
        match &self.config {
            Some(path) => Lookup::File(path.clone()),
            None if self.isolated => Lookup::None,
            None => Lookup::Nearest,
        }
    }
}

/// What files are changed for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// The fixes that are at least that safe.
    Fix(Safety),
    /// Comments that allow what is found.
    Allow,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Dump {
    /// The intermediate representation, as lowered.
    Ir,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum RulesFormat {
    Human,
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum ColorChoice {
    Auto,
    Always,
    Never,
}

fn format() -> impl TypedValueParser<Value = &'static Format> {
    let names = FORMATS.map(|format| PossibleValue::new(format.name).help(format.about));
    PossibleValuesParser::new(names).try_map(|name| render::format(&name))
}

fn preset(name: &str) -> Result<Preset, String> {
    named(name, &Preset::ALL, Preset::name)
}

fn severity(name: &str) -> Result<Severity, String> {
    named(name, &Severity::ALL, Severity::name)
}

fn named<T: Copy>(name: &str, all: &[T], name_of: fn(T) -> &'static str) -> Result<T, String> {
    let found = all.iter().copied().find(|&one| name_of(one) == name);
    found.ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|&one| name_of(one)).collect();
        format!("use one of {}", names.join(", "))
    })
}
