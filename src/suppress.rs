//! Comments that speak to evalint: `-- evalint: allow(rule) reason` and its kin.
//!
//! A *directive* is such a comment. `allow` behind code covers the line and the statements that it stands in; alone on its line it
//! covers the whole statement below; `allow-file` before the first statement covers the script. `target` sets the servers of the
//! script. A finding is covered if its span starts within what is covered, whether or not the config shows it: so the same comments
//! fit every preset.

pub mod add;
mod cover;
mod remove;

use std::borrow::Cow;

use self::cover::Text;
use crate::{
    AllowedName, Report,
    config::{Config, Selector},
    ir::Statement,
    parse::Comment,
    rule::{self, Diagnostic, Finding, Rule, Safety},
    source::{FileId, Source, Span},
    target::{Target, closest},
};

/// The directives of one script.
#[derive(Debug, Default)]
pub struct Directives {
    allows: Vec<Allow>,
    /// All comments of the script.
    comments: Vec<Span>,
    targets: Vec<Target>,
    /// What is wrong with them, for `unknown-rule`.
    mistakes: Vec<Finding>,
}

#[derive(Debug)]
struct Allow {
    /// Does it cover the whole script?
    file: bool,
    comment: Span,
    /// The bracket behind the names.
    close: u32,
    /// Those that name something.
    names: Vec<Name>,
    /// Are there others, for `unknown-rule`?
    unknown: bool,
}

#[derive(Debug)]
struct Name {
    selector: Selector,
    span: Span,
}

const WORDS: [&str; 3] = ["allow", "allow-file", "target"];

/// Reads the directives among the comments.
pub fn directives(source: &Source, comments: &[Comment]) -> Directives {
    let spans = comments.iter().map(|comment| comment.span).collect();
    let mut directives = Directives { comments: spans, ..Directives::default() };
    for comment in comments {
        if let Ok(text) = str::from_utf8(&source.text[comment.text.range()]) {
            directives.read(comment, text);
        }
    }
    directives
}

impl Directives {
    fn read(&mut self, comment: &Comment, text: &str) {
        let span = |part: &str| {
            let start = comment.text.start + (part.as_ptr() as usize - text.as_ptr() as usize) as u32;
            Span::new(start, start + part.len() as u32)
        };
        let Some(rest) = text.trim_start_matches(['-', ' ', '\t']).strip_prefix("evalint:") else {
            return;
        };
        let rest = rest.trim_start();
        let word =
            &rest[..rest.find(|letter: char| letter != '-' && !letter.is_ascii_alphanumeric()).unwrap_or(rest.len())];
        let arguments = rest[word.len()..].trim_start().strip_prefix('(');
        if !WORDS.contains(&word) {
            // Without the bracket it may be prose.
            let near = closest(word, WORDS);
            if arguments.is_some() || near.is_some() {
                let finding = Finding::new(span(word), format!("`{word}` is no word that evalint knows"));
                self.mistakes.push(finding.help(match near {
                    Some(near) => format!("write `{near}(...)`"),
                    None => format!("use one of {}", WORDS.map(|word| format!("`{word}(...)`")).join(", ")),
                }));
            }
            return;
        }
        let Some((arguments, rest)) = arguments.and_then(|rest| rest.split_once(')')) else {
            let finding = Finding::new(span(word), format!("`{word}` does not say in brackets what it is for"));
            let example = if word == "target" { "redis@7.2" } else { "literal-key" };
            self.mistakes.push(finding.help(format!("write `{word}({example})`")));
            return;
        };
        let close = span(rest).start - 1;
        let arguments = arguments.split(',').map(str::trim).filter(|name| !name.is_empty());
        if word == "target" {
            for name in arguments {
                match name.parse() {
                    Ok(target) => self.targets.push(target),
                    Err(message) => self.mistakes.push(Finding::new(span(name), message)),
                }
            }
            return;
        }
        let mut names = Vec::new();
        let mut unknown = false;
        for name in arguments {
            match name.parse() {
                Ok(selector) => names.push(Name { selector, span: span(name) }),
                Err(error) => {
                    unknown = true;
                    let finding = Finding::new(span(name), format!("no rule or category is called `{name}`"));
                    self.mistakes.push(match error.near {
                        Some(near) => finding.help(format!("write `{near}`")),
                        None => finding.help("take the name from `evalint rules`"),
                    });
                }
            }
        }
        self.allows.push(Allow { file: word == "allow-file", comment: comment.span, close, names, unknown });
    }

    /// The settings of the script: its own targets go before all others.
    pub fn config<'c>(&self, config: &'c Config) -> Cow<'c, Config> {
        if self.targets.is_empty() {
            return Cow::Borrowed(config);
        }
        let mut config = config.clone();
        config.targets.clone_from(&self.targets);
        config.targets_named = true;
        Cow::Owned(config)
    }

    /// What is shown of `findings`, which are those of every enabled rule, in the order of every output. `report` is empty but for
    /// what it says of the analysis.
    pub fn report(
        &self,
        source: &Source,
        statements: &[Statement],
        config: &Config,
        mut findings: Vec<(&'static Rule, Finding)>,
        mut report: Report,
    ) -> Report {
        let covered = if self.allows.is_empty() {
            Vec::new()
        } else {
            let text = Text::new(source, &self.comments, statements);
            self.allows.iter().map(|allow| text.covered(allow)).collect()
        };
        if let Some(rule) = rule::rule("unknown-rule") {
            findings.extend(self.mistakes.iter().map(|mistake| (rule, mistake.clone())));
        }
        let mut used: Vec<Vec<bool>> = self.allows.iter().map(|allow| vec![false; allow.names.len()]).collect();
        let judge = |rule: &'static Rule, finding: Finding, used: &mut [Vec<bool>]| {
            let mut allowed = false;
            for (at, allow) in self.allows.iter().enumerate() {
                if covered[at]
                    .iter()
                    .any(|range: &Span| range.start <= finding.span.start && finding.span.start < range.end)
                {
                    for (name, used) in allow.names.iter().zip(&mut used[at]) {
                        let matches = name.selector.matches(rule);
                        *used |= matches;
                        allowed |= matches;
                    }
                }
            }
            let severity = config.severity(rule, &finding)?;
            Some((allowed, Diagnostic { rule, severity, finding }))
        };
        for (rule, finding) in findings {
            match judge(rule, finding, &mut used) {
                Some((true, one)) => report.allowed.push((rule, one.finding.span)),
                Some((false, one)) => report.diagnostics.push(one),
                None => {}
            }
        }
        // A cut analysis may have missed what a comment allows.
        let mut unused = if report.cut { Vec::new() } else { self.unused(&used, &covered, source, config) };
        let names = self.allows.iter().flat_map(|allow| &allow.names);
        report.names.extend(names.map(|name| AllowedName { span: name.span, unused: None }));
        for (finding, rule) in unused.drain(..).zip(rule::rule("unused-allow").into_iter().cycle()) {
            match judge(rule, finding, &mut used) {
                Some((true, one)) => report.allowed.push((rule, one.finding.span)),
                // Another script that includes the file may need it.
                Some((false, one)) if source.file_of(one.finding.span.start) != FileId::MAIN => {
                    let name = report.names.iter_mut().find(|name| name.span == one.finding.span);
                    name.into_iter().for_each(|name| name.unused = Some(one.clone()));
                }
                Some((false, one)) => report.diagnostics.push(one),
                None => {}
            }
        }
        report.diagnostics.sort_by(|one, other| one.order(other, source));
        report
    }

    /// Names that silence nothing, though all that they name was checked.
    fn unused(&self, used: &[Vec<bool>], covered: &[Vec<Span>], source: &Source, config: &Config) -> Vec<Finding> {
        let mut findings = Vec::new();
        for ((allow, used), covered) in self.allows.iter().zip(used).zip(covered) {
            let unused: Vec<_> = allow
                .names
                .iter()
                .zip(used)
                .filter(|(name, used)| !**used && checked(name.selector, config))
                .map(|(name, _)| name)
                .collect();
            for name in &unused {
                let text = source.snippet(name.span);
                let finding = if allow.file && covered.is_empty() {
                    Finding::new(
                        name.span,
                        format!("`allow-file({text})` stands below the first statement, where it silences nothing"),
                    )
                    .help("move it above the first statement")
                } else {
                    let edit = if unused.len() == allow.names.len() && !allow.unknown {
                        remove::comment(allow.comment, source)
                    } else {
                        remove::name(name.span, source)
                    };
                    Finding::new(name.span, format!("`{text}` finds nothing here that could be allowed"))
                        .help("remove it")
                        .fix(Safety::Safe, vec![edit])
                };
                findings.push(finding);
            }
        }
        findings
    }
}

/// Did this run look for all that the name stands for?
fn checked(selector: Selector, config: &Config) -> bool {
    rule::RULES.iter().filter(|rule| selector.matches(rule)).all(|rule| {
        // These two are about the comments themselves: whether they speak depends on this very question.
        !matches!(rule.check, rule::Check::Suppress) && config.enabled(rule)
    })
}

#[cfg(test)]
mod tests;
