//! evalint reads Redis Lua scripts and says what they will do to Redis that their author did not want.

pub(crate) mod absence;
pub mod baseline;
pub mod builtins;
pub(crate) mod chains;
pub mod cli;
pub mod commands;
pub mod config;
pub mod contract;
mod decoded;
pub mod eval;
pub mod events;
mod expiry;
pub mod explain;
pub mod facts;
pub mod fix;
pub mod flow;
mod fractions;
pub mod graph;
pub mod history;
mod holes;
pub mod include;
pub mod inline;
pub mod ir;
mod keys;
pub mod keyspace;
pub mod limits;
pub mod lower;
mod magnitude;
pub(crate) mod names;
pub mod origin;
pub mod parse;
pub mod refusals;
pub mod registrations;
pub mod render;
mod returns;
pub mod roots;
pub mod rule;
mod scan;
pub mod shebang;
pub mod slots;
pub mod source;
pub mod suppress;
pub mod target;
pub(crate) mod trips;
pub mod value;

use config::Config;
use rule::{Check, Diagnostic, Rule};
use source::{Outcome, Source, Span};

/// What was found in one script.
#[derive(Debug, Default)]
pub struct Report {
    /// In the order of every output: by position, then rule.
    pub diagnostics: Vec<Diagnostic>,
    /// What `allow` comments silenced, each with its place.
    pub allowed: Vec<(&'static Rule, Span)>,
    /// The names in `allow` comments.
    pub names: Vec<AllowedName>,
    /// Does it only make sense as a part of others: does it only define functions, or read what it does not define?
    pub fragment: bool,
    /// Was the analysis cut by a bound of [`limits`]? Then parts of the script count as unknown.
    pub cut: bool,
}

/// A name in an `allow` comment.
#[derive(Clone, PartialEq, Debug)]
pub struct AllowedName {
    pub span: Span,
    /// What to say of it if it silences nothing in any script that includes its file. `None`: it silences something in this one, or
    /// nobody can tell, or `diagnostics` has it.
    pub unused: Option<Diagnostic>,
}

/// Checks one script. Pure: no IO, no clock, no global state, and it can't fail.
pub fn check(source: &Source, config: &Config) -> Report {
    let includes = rule::RULES.iter().filter_map(|rule| match rule.check {
        Check::Include(check) if !source.includes.is_empty() && config.enabled(rule) => Some((rule, check(source))),
        Check::Include(_) | Check::Facts(_) | Check::Parse | Check::Suppress => None,
    });
    let mut findings: Vec<_> =
        includes.flat_map(|(rule, found)| found.into_iter().map(move |finding| (rule, finding))).collect();
    let parsed = match parse::parse(source) {
        Ok(parsed) => parsed,
        Err(errors) => {
            // Comments of a text that is no script say nothing.
            let rule = rule::rule("syntax-error").into_iter();
            let found = rule
                .flat_map(|rule| errors.iter().map(move |error| (rule, rule::syntax_error::finding(error.clone()))));
            findings.extend(found);
            let report = Report { fragment: true, ..Report::default() };
            return suppress::Directives::default().report(source, &[], config, findings, report);
        }
    };
    let directives = suppress::directives(source, &parsed.comments);
    let config = directives.config(config);
    let (comments, shebang) = (parsed.comments.clone(), parsed.shebang);
    let program = lower::lower(source, parsed);
    let facts = facts::facts(source, program, &comments, shebang, &config);
    findings.extend(facts.findings(&config));
    let cut = facts.cut || source.includes.iter().any(|include| include.outcome == Outcome::Cut);
    let report = Report { cut, fragment: facts.is_fragment(), ..Report::default() };
    directives.report(source, &facts.program.statements, &config, findings, report)
}

/// What is known of the argument of each call of the undefined global `reveal`: the call's place, the kinds, the origin. For tests.
pub fn reveal(source: &Source, config: &Config) -> Vec<(Span, value::Kinds, String)> {
    let Ok(parsed) = parse::parse(source) else { return Vec::new() };
    let (comments, shebang) = (parsed.comments.clone(), parsed.shebang);
    let program = lower::lower(source, parsed);
    let facts = facts::facts(source, program, &comments, shebang, config);
    let of_root = |root: &facts::Root| {
        let show = |&(span, value): &(Span, value::Value)| (span, value.kinds, facts.show_origin(root, value.origin));
        root.values.reveals.iter().map(show).collect::<Vec<_>>()
    };
    facts.roots.iter().flat_map(of_root).collect()
}
