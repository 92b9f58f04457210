//! evalint reads Redis Lua scripts and says what they will do to Redis that their author did not want.

pub mod cli;
pub mod commands;
pub mod config;
pub mod contract;
pub mod explain;
pub mod facts;
pub mod graph;
pub mod inline;
pub mod ir;
pub mod limits;
pub mod lower;
pub mod parse;
pub mod render;
pub mod roots;
pub mod rule;
pub mod source;
pub mod suppress;
pub mod target;
pub mod value;

use config::Config;
use rule::Diagnostic;
use source::{Source, Span};

/// What was found in one script.
#[derive(Debug, Default)]
pub struct Report {
    /// In the order of every output: by position, then rule.
    pub diagnostics: Vec<Diagnostic>,
    /// How many findings `allow` comments silenced.
    pub allowed: u32,
    /// Was the analysis cut by a bound of [`limits`]? Then parts of the script count as unknown.
    pub cut: bool,
}

/// Checks one script. Pure: no IO, no clock, no global state, and it can't fail.
pub fn check(source: &Source, config: &Config) -> Report {
    let parsed = match parse::parse(source) {
        Ok(parsed) => parsed,
        Err(errors) => {
            // Comments of a text that is no script say nothing.
            let rule = rule::rule("syntax-error").into_iter();
            let findings = rule
                .flat_map(|rule| errors.iter().map(move |error| (rule, rule::syntax_error::finding(error.clone()))));
            return suppress::Directives::default().report(source, &[], config, findings.collect());
        }
    };
    let directives = suppress::directives(source, &parsed.comments);
    let config = directives.config(config);
    let program = lower::lower(source, parsed);
    let findings = Vec::new();
    directives.report(source, &program.statements, &config, findings)
}

/// What is known of the argument of each call of the undefined global `reveal`: the call's place, the kinds, the origin. For tests.
pub fn reveal(source: &Source, config: &Config) -> Vec<(Span, String, String)> {
    let Ok(parsed) = parse::parse(source) else { return Vec::new() };
    let (comments, shebang) = (parsed.comments.clone(), parsed.shebang);
    let program = lower::lower(source, parsed);
    let facts = facts::facts(source, program, &comments, shebang, config);
    let mut all = Vec::new();
    for root in &facts.roots {
        for &(span, value) in &root.values.reveals {
            all.push((span, value.kinds.to_string(), facts.show_origin(root, value.origin)));
        }
    }
    all
}
