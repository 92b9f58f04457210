//! What is checked, for which server, and how bad each finding is.

use crate::{
    rule::{Finding, Preset, Rule, Severity},
    target::Target,
};

/// The settings for one script, all files and options resolved.
#[derive(Clone, Debug)]
pub struct Config {
    /// Never empty.
    pub targets: Vec<Target>,
    /// Did somebody name the targets? If not, only findings that hold on all of them are shown.
    pub targets_named: bool,
    pub cluster: Option<bool>,
    pub preset: Preset,
    /// Patterns of `KEYS[1]`, `KEYS[2]` ... from `[[scripts-contract]]`.
    pub keys: Vec<String>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            targets: Target::DEFAULT.to_vec(),
            targets_named: false,
            cluster: None,
            preset: Preset::Recommended,
            keys: Vec::new(),
        }
    }
}

impl Config {
    /// How bad the finding is; `None`: not shown.
    pub fn severity(&self, rule: &Rule, finding: &Finding) -> Option<Severity> {
        let preset = if finding.strict { Preset::Strict } else { rule.preset };
        (preset <= self.preset).then(|| finding.grade.unwrap_or(rule.severity))
    }
}
