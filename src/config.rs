//! What is checked, for which server, and how bad each finding is.
//!
//! [`Config`] is what the analysis of one script gets. It is made by [`project::Project`] from the nearest settings ([`file`]) and the
//! command line. Only `project` does IO.

pub mod file;
mod modules;
mod prelude;
pub mod project;
pub mod schema;
pub(crate) mod show;
mod tree;

use std::{fmt, path::PathBuf, str::FromStr};

use crate::{
    commands::Command,
    rule::{self, Finding, Preset, RULES, Rule, Severity},
    target::{Target, closest},
};

/// The settings for one script, all files and options resolved.
#[derive(Clone, Debug)]
pub struct Config {
    /// Never empty.
    pub targets: Vec<Target>,
    /// Did somebody name the targets? If not, only findings that hold on all of them are shown.
    pub targets_named: bool,
    /// Does it run on a cluster? `None`: nobody said.
    pub cluster: Option<bool>,
    pub preset: Preset,
    /// Patterns of `KEYS[1]`, `KEYS[2]` ... from `[[scripts-contract]]`.
    pub keys: Vec<String>,
    /// Inputs that wanted key schemes start with, written `KEYS[1]` or `ARGV[2]`.
    pub prefixes: Vec<String>,
    /// Globals that the host defines before the script.
    pub globals: Vec<String>,
    /// Commands of modules.
    pub commands: Vec<&'static Command>,
    /// Folders where included files are looked for, beside those of the files that include them.
    pub include_dirs: Vec<PathBuf>,
    /// The file with the findings that are known.
    pub baseline: Option<PathBuf>,
    /// `[rules]` and `[[overrides]]`; a later layer goes before an earlier one.
    pub levels: Vec<Vec<(Selector, Level)>>,
    /// `--select`; empty: the preset decides.
    pub select: Vec<Selector>,
    /// `--ignore`.
    pub ignore: Vec<Selector>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            targets: Target::DEFAULT.to_vec(),
            targets_named: false,
            cluster: None,
            preset: Preset::Recommended,
            keys: Vec::new(),
            prefixes: Vec::new(),
            globals: Vec::new(),
            commands: Vec::new(),
            include_dirs: Vec::new(),
            baseline: None,
            levels: Vec::new(),
            select: Vec::new(),
            ignore: Vec::new(),
        }
    }
}

/// Names rules. Ordered: what is more specific wins.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Selector {
    All,
    Category(&'static str),
    Rule(&'static Rule),
}

/// What a config says about a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    Off,
    At(Severity),
}

impl Config {
    /// How bad the finding is; `None`: not shown.
    pub fn severity(&self, rule: &Rule, finding: &Finding) -> Option<Severity> {
        if !self.targets_named
            && !finding.targets.is_empty()
            && !self.targets.iter().all(|target| finding.targets.contains(target))
        {
            return None;
        }
        let default = finding.grade.unwrap_or(rule.severity);
        match self.wanted(rule)? {
            Wanted::ByPreset if finding.strict && self.preset < Preset::Strict => None,
            Wanted::ByPreset | Wanted::ByName(None) => Some(default),
            Wanted::ByName(Some(severity)) => Some(severity),
        }
    }

    /// Can the rule show anything at all?
    pub fn enabled(&self, rule: &Rule) -> bool {
        self.wanted(rule).is_some()
    }

    fn wanted(&self, rule: &Rule) -> Option<Wanted> {
        if self.select.is_empty() && self.ignore.is_empty() && self.levels.is_empty() {
            return (rule.preset <= self.preset).then_some(Wanted::ByPreset);
        }
        let selected = best(&self.select, rule);
        if let Some(ignored) = best(&self.ignore, rule)
            && selected.is_none_or(|selected| selected <= ignored)
        {
            return None;
        }
        let level = self.levels.iter().rev().find_map(|layer| {
            layer
                .iter()
                .filter(|(selector, _)| selector.matches(rule))
                .max_by_key(|(selector, _)| selector.rank())
                .map(|&(_, level)| level)
        });
        let severity = match level {
            Some(Level::At(severity)) => Some(severity),
            Some(Level::Off) | None => None,
        };
        if !self.select.is_empty() {
            // The command line goes before the config: what is selected is on even where the config says "off".
            return selected.map(|_| Wanted::ByName(severity));
        }
        match level {
            Some(Level::Off) => None,
            Some(Level::At(_)) => Some(Wanted::ByName(severity)),
            None => (rule.preset <= self.preset).then_some(Wanted::ByPreset),
        }
    }
}

enum Wanted {
    ByPreset,
    /// Somebody named the rule, so that its strict findings are on, perhaps with a severity.
    ByName(Option<Severity>),
}

/// The rank of the most specific selector that matches.
fn best(selectors: &[Selector], rule: &Rule) -> Option<u8> {
    let matching = selectors.iter().filter(|selector| selector.matches(rule));
    matching.map(|selector| selector.rank()).max()
}

impl Selector {
    pub fn matches(self, rule: &Rule) -> bool {
        match self {
            Selector::All => true,
            Selector::Category(category) => rule.category == category,
            Selector::Rule(one) => rule == one,
        }
    }

    /// Rule over category over all.
    fn rank(self) -> u8 {
        match self {
            Selector::All => 0,
            Selector::Category(_) => 1,
            Selector::Rule(_) => 2,
        }
    }
}

/// A name that is neither a rule nor a category.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownName {
    pub name: String,
    /// The name that it may be a slip of.
    pub near: Option<&'static str>,
}

/// As it is written.
impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Selector::All => "all",
            Selector::Category(category) => category,
            Selector::Rule(rule) => rule.name,
        })
    }
}

impl FromStr for Selector {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Selector, UnknownName> {
        if name == "all" {
            return Ok(Selector::All);
        }
        if let Some(rule) = rule::rule(name) {
            return Ok(Selector::Rule(rule));
        }
        if let Some(rule) = RULES.iter().find(|rule| rule.category == name) {
            return Ok(Selector::Category(rule.category));
        }
        let names = RULES.iter().flat_map(|rule| [rule.name, rule.category]);
        Err(UnknownName { name: name.to_owned(), near: closest(name, names.chain(["all"])) })
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "no rule or category is called `{}`", self.name)?;
        match self.near {
            Some(near) => write!(f, "; did you mean `{near}`?"),
            None => f.write_str("; `evalint rules` lists them"),
        }
    }
}

impl std::error::Error for UnknownName {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;

    fn selector(name: &str) -> Selector {
        name.parse().expect("it names something")
    }

    fn layer(levels: &[(&str, Level)]) -> Vec<(Selector, Level)> {
        levels.iter().map(|&(name, level)| (selector(name), level)).collect()
    }

    /// What becomes of a usual and of a strict finding of `unused-allow`, by default a warning of `suppression`.
    fn severities(config: &Config) -> [Option<Severity>; 2] {
        let rule = rule::rule("unused-allow").expect("it is a rule");
        let finding = Finding::new(Span::default(), "");
        [config.severity(rule, &finding), config.severity(rule, &finding.clone().strict())]
    }

    const WARNING: Option<Severity> = Some(Severity::Warning);
    const INFO: Option<Severity> = Some(Severity::Info);

    #[test]
    fn the_preset_decides_unless_somebody_names_the_rule() {
        let config = Config::default();
        assert_eq!(severities(&config), [WARNING, None]);
        assert_eq!(severities(&Config { preset: Preset::Strict, ..config }), [WARNING; 2]);
    }

    #[test]
    fn a_level_goes_before_the_grade_and_enables_strict_findings() {
        let at = |levels: &[(&str, Level)]| severities(&Config { levels: vec![layer(levels)], ..Config::default() });
        let info = Level::At(Severity::Info);
        assert_eq!(at(&[("unused-allow", info)]), [INFO; 2]);
        assert_eq!(at(&[("suppression", info), ("all", Level::Off)]), [INFO; 2]);
        assert_eq!(at(&[("suppression", info), ("unused-allow", Level::Off)]), [None; 2]);
        let rule = rule::rule("unused-allow").expect("it is a rule");
        let graded = Finding::new(Span::default(), "").grade(Severity::Error);
        assert_eq!(Config::default().severity(rule, &graded), Some(Severity::Error));
        let config = Config { levels: vec![layer(&[("all", info)])], ..Config::default() };
        assert_eq!(config.severity(rule, &graded), INFO);
    }

    #[test]
    fn an_override_goes_before_a_more_specific_level_of_the_base() {
        let base = layer(&[("unused-allow", Level::At(Severity::Error))]);
        let levels = vec![base, layer(&[("suppression", Level::Off)])];
        assert_eq!(severities(&Config { levels, ..Config::default() }), [None; 2]);
    }

    #[test]
    fn the_command_line_goes_before_the_config() {
        let levels = vec![layer(&[("unused-allow", Level::Off)])];
        let run = |select: &[&str], ignore: &[&str]| {
            let select = select.iter().map(|name| selector(name)).collect();
            let ignore = ignore.iter().map(|name| selector(name)).collect();
            severities(&Config { levels: levels.clone(), select, ignore, ..Config::default() })
        };
        assert_eq!(run(&["all"], &[]), [WARNING; 2]);
        assert_eq!(run(&["syntax-error"], &[]), [None; 2]);
        assert_eq!(run(&["all"], &["suppression"]), [None; 2]);
        assert_eq!(run(&["unused-allow"], &["suppression"]), [WARNING; 2]);
        assert_eq!(run(&["unused-allow"], &["unused-allow"]), [None; 2]);
    }

    #[test]
    fn without_named_targets_a_finding_must_hold_on_all() {
        let rule = rule::rule("unused-allow").expect("it is a rule");
        let mut finding = Finding::new(Span::default(), "");
        finding.targets = vec![Target::DEFAULT[0]];
        let config = Config::default();
        assert_eq!(config.severity(rule, &finding), None);
        assert_eq!(Config { targets_named: true, ..config }.severity(rule, &finding), WARNING);
    }
}
