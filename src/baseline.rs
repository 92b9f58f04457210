//! The findings that a project lives with: how many of each rule each file may have.
//!
//! Only counts are kept, so that moved lines change nothing. The file is JSON, one count a line and sorted, so that people can read
//! its changes:
//!
//! ```json
//! {
//!   "version": 1,
//!   "findings": {
//!     "lua/deduct.lua": {
//!       "literal-key": 2
//!     }
//!   }
//! }
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

const VERSION: u32 = 1;

/// The counts by path and rule. Paths are relative to the folder of the baseline's file, with `/`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Baseline {
    pub findings: BTreeMap<String, BTreeMap<String, u32>>,
}

/// Why a text is no baseline. Line and column count from 1; 0: it is about the whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    findings: BTreeMap<String, BTreeMap<String, u32>>,
}

/// A later version may hold anything else.
#[derive(Deserialize)]
struct Head {
    version: u32,
}

impl Baseline {
    /// Reads the text of a baseline.
    ///
    /// # Errors
    ///
    /// It is no JSON, not of this version or not of its form.
    pub fn read(text: &[u8]) -> Result<Baseline, Fault> {
        let head: Head = serde_json::from_slice(text).map_err(|error| fault(&error))?;
        if head.version != VERSION {
            let message = format!("it is of version {}; this evalint reads version {VERSION}", head.version);
            return Err(Fault { line: 0, column: 0, message });
        }
        let file: File = serde_json::from_slice(text).map_err(|error| fault(&error))?;
        Ok(Baseline { findings: file.findings })
    }

    /// The text that [`Baseline::read`] reads. What is zero is left out.
    pub fn text(&self) -> String {
        let mut findings = self.findings.clone();
        findings.values_mut().for_each(|rules| rules.retain(|_, count| *count != 0));
        findings.retain(|_, rules| !rules.is_empty());
        let file = File { version: VERSION, findings };
        let text = serde_json::to_string_pretty(&file).expect("maps of strings and numbers can be written");
        text + "\n"
    }

    /// How many findings of the rule the file may have.
    pub fn count(&self, path: &str, rule: &str) -> u32 {
        self.findings.get(path).and_then(|rules| rules.get(rule)).copied().unwrap_or(0)
    }
}

fn fault(error: &serde_json::Error) -> Fault {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    Fault {
        line: error.line(),
        column: error.column(),
        message: message.strip_suffix(&place).unwrap_or(&message).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut baseline = Baseline::default();
        baseline.findings.entry("b \"é\".lua".into()).or_default().insert("literal-key".into(), 2);
        baseline.findings.entry("a.lua".into()).or_default().insert("keys-command".into(), 1);
        let text = baseline.text();
        assert!(text.find("a.lua") < text.find("b \\\"é"), "{text}");
        assert_eq!(Baseline::read(text.as_bytes()), Ok(baseline.clone()));
        baseline.findings.entry("a.lua".into()).or_default().insert("unused-allow".into(), 0);
        baseline.findings.entry("c.lua".into()).or_default();
        assert_eq!(baseline.text(), text);
    }

    #[test]
    fn faults_have_their_place() {
        let fault = |text: &str| Baseline::read(text.as_bytes()).expect_err("it is none");
        let place = |text: &str| (fault(text).line, fault(text).column);
        assert_eq!(place("{\n  \"version\": 1,\n  \"findings\": { \"a.lua\": 3 }\n}"), (3, 26));
        assert_eq!(place("{ \"version\": 1, \"findngs\": {} }"), (1, 25));
        assert!(fault("{ \"version\": 2, \"rules\": {} }").message.contains("version 2"));
        assert!(fault("{}").message.contains("version"));
        assert!(fault("").message.contains("EOF"), "{}", fault("").message);
    }
}
