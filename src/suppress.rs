//! Comments that speak to evalint: `-- evalint: allow(rule) reason` and its kin.
//!
//! A *directive* is such a comment. `allow` behind code covers the line and the statements that it stands in; alone on its line it
//! covers the whole statement below; `allow-file` before the first statement covers the script. `target` sets the servers of the
//! script. A finding is covered if its span starts within what is covered, whether or not the config shows it: so the same comments
//! fit every preset.

use std::borrow::Cow;

use crate::{
    Report,
    config::{Config, Selector},
    ir::Statement,
    parse::Comment,
    rule::{self, Diagnostic, Edit, Finding, Rule, Safety},
    source::{FileId, LineIndex, Source, Span},
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
    names: Vec<Name>,
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
        let Some((arguments, _)) = arguments.and_then(|rest| rest.split_once(')')) else {
            let finding = Finding::new(span(word), format!("`{word}` does not say in brackets what it is for"));
            let example = if word == "target" { "redis@7.2" } else { "literal-key" };
            self.mistakes.push(finding.help(format!("write `{word}({example})`")));
            return;
        };
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
        for name in arguments {
            match name.parse() {
                Ok(selector) => names.push(Name { selector, span: span(name) }),
                Err(unknown) => {
                    let finding = Finding::new(span(name), format!("no rule or category is called `{name}`"));
                    self.mistakes.push(match unknown.near {
                        Some(near) => finding.help(format!("write `{near}`")),
                        None => finding.help("take the name from `evalint rules`"),
                    });
                }
            }
        }
        self.allows.push(Allow { file: word == "allow-file", comment: comment.span, names });
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
            let lines = LineIndex::new(&source.text);
            let allows = self.allows.iter();
            allows.map(|allow| cover(allow, &self.comments, source, &lines, statements)).collect()
        };
        if let Some(rule) = rule::rule("unknown-rule") {
            findings.extend(self.mistakes.iter().map(|mistake| (rule, mistake.clone())));
        }
        let mut used: Vec<Vec<bool>> = self.allows.iter().map(|allow| vec![false; allow.names.len()]).collect();
        let cut = report.cut;
        let mut judge = |rule: &'static Rule, finding: Finding, used: &mut [Vec<bool>]| {
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
            match config.severity(rule, &finding) {
                Some(_) if allowed => report.allowed += 1,
                Some(severity) => report.diagnostics.push(Diagnostic { rule, severity, finding }),
                None => {}
            }
        };
        for (rule, finding) in findings {
            judge(rule, finding, &mut used);
        }
        // A cut analysis may have missed what a comment allows.
        if let Some(rule) = rule::rule("unused-allow").filter(|_| !cut) {
            for finding in self.unused(&used, &covered, source, config) {
                judge(rule, finding, &mut used);
            }
        }
        report.diagnostics.sort_by(|one, other| one.order(other, source));
        report
    }

    /// Names that silence nothing, though all that they name was checked.
    fn unused(&self, used: &[Vec<bool>], covered: &[Vec<Span>], source: &Source, config: &Config) -> Vec<Finding> {
        let mut findings = Vec::new();
        for ((allow, used), covered) in self.allows.iter().zip(used).zip(covered) {
            // Another script that includes the file may need it.
            if source.file_of(allow.comment.start) != FileId::MAIN {
                continue;
            }
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
                    let edit = if unused.len() == allow.names.len() {
                        Edit { span: whole(allow.comment, source), text: String::new() }
                    } else {
                        Edit { span: with_comma(name.span, source), text: String::new() }
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

/// What the comment covers: a finding that starts in one of the spans.
fn cover(allow: &Allow, comments: &[Span], source: &Source, lines: &LineIndex, statements: &[Statement]) -> Vec<Span> {
    let end = source.text.len() as u32;
    let comment = allow.comment;
    if allow.file {
        let mut spans = source.spans_of(source.file_of(comment.start));
        let own = |at: u32| spans.iter().any(|span| span.start <= at && at < span.end);
        let first = statements.iter().map(|statement| statement.span.start).find(|&start| own(start)).unwrap_or(end);
        if first < comment.start {
            return Vec::new();
        }
        // What is found at the very end of the text too.
        if let Some(last) = spans.last_mut().filter(|last| last.end == end) {
            last.end += 1;
        }
        return spans;
    }
    let number = lines.line(comment.start);
    let line = lines.line_span(number);
    let blank =
        |from: u32, to: u32| source.text[from.min(to) as usize..to as usize].iter().all(u8::is_ascii_whitespace);
    if blank(line.start, comment.start) && blank(comment.end, lines.line_span(lines.line(comment.end)).end) {
        let code = next_code(&source.text, comments, comment.end);
        // A comment inside of a statement covers the next line of it.
        let line = lines.line_span(lines.line(code));
        let below = statements.iter().find(|statement| statement.span.start == code);
        return vec![below.map_or(Span::new(code, line.end + 1), |below| below.span)];
    }
    let mut spans = vec![Span::new(line.start, line.end + 1)];
    for (at, statement) in statements.iter().enumerate() {
        let Span { start, end } = statement.span;
        if statement.simple && start <= line.end && line.start < end {
            spans.push(statement.span);
        } else if !statement.simple && line.start <= start && start <= line.end {
            // The head: up to the first statement inside.
            let inner = statements.get(at + 1).map_or(end, |next| next.span.start);
            spans.push(Span::new(start, inner.min(end)));
        }
    }
    spans
}

/// Where the text goes on behind blanks and comments.
fn next_code(text: &[u8], comments: &[Span], from: u32) -> u32 {
    let mut at = from;
    loop {
        if text.get(at as usize).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        } else if let Ok(comment) = comments.binary_search_by_key(&at, |comment| comment.start) {
            at = comments[comment].end;
        } else {
            return at;
        }
    }
}

/// The comment with the blanks before it, and with its line's end if it stands alone.
fn whole(comment: Span, source: &Source) -> Span {
    let before = &source.text[..comment.start as usize];
    let blanks = before.iter().rev().take_while(|&&byte| byte == b' ' || byte == b'\t').count();
    let start = before.len() - blanks;
    let alone = start == 0 || matches!(source.text[start - 1], b'\n' | b'\r');
    let after = &source.text[comment.end as usize..];
    let newline = match after {
        [b'\r', b'\n', ..] => 2,
        [b'\n' | b'\r', ..] => 1,
        _ => 0,
    };
    Span::new(start as u32, comment.end + if alone { newline } else { 0 })
}

/// The name with the comma that parts it from its neighbour.
fn with_comma(name: Span, source: &Source) -> Span {
    let after = &source.text[name.end as usize..];
    let blanks = after.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    if after.get(blanks) == Some(&b',') {
        let more = after[blanks + 1..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        return Span::new(name.start, name.end + (blanks + 1 + more) as u32);
    }
    let before = &source.text[..name.start as usize];
    let back = before.iter().rev().take_while(|&&byte| byte == b',' || byte.is_ascii_whitespace()).count();
    Span::new(name.start - back as u32, name.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{lower, parse};

    /// The report on a script in which `syntax-error` would find the first `X`.
    fn report(script: &str) -> Report {
        let source = Source::file("a.lua", script.as_bytes());
        let parsed = parse::parse(&source).unwrap_or_else(|errors| panic!("{script}: {errors:?}"));
        let directives = directives(&source, &parsed.comments);
        let program = lower::lower(&source, parsed);
        let start = script.find('X').expect("it is marked") as u32;
        let finding = Finding::new(Span::new(start, start + 1), "found");
        let rule = rule::rule("syntax-error").expect("it is a rule");
        directives.report(&source, &program.statements, &Config::default(), vec![(rule, finding)], Report::default())
    }

    fn rules(script: &str) -> Vec<&'static str> {
        report(script).diagnostics.iter().map(|one| one.rule.name).collect()
    }

    #[test]
    fn an_allow_covers() {
        for script in [
            "return X -- evalint: allow(syntax-error)",
            "return X --evalint:allow( sandbox )because",
            "return X --[[ evalint: allow(all) ]]",
            "-- evalint: allow(unused-allow, syntax-error)\nreturn X",
            "-- evalint: allow(syntax-error)\n-- more\n\n--[[ and\nmore ]] return X",
            "-- evalint: allow(syntax-error)\nif a then\n  b = X\nend",
            "if X then -- evalint: allow(syntax-error)\n  b = 1\nend",
            "f(a,\n  X,\n  b) -- evalint: allow(syntax-error)",
            "f(a, -- evalint: allow(syntax-error)\n  X)",
            "f(a,\n  -- evalint: allow(syntax-error)\n  X)",
            "-- evalint: allow-file(syntax-error)\nlocal a\nreturn X",
            "for i = 1,\n  X do -- evalint: allow(syntax-error)\n  f()\nend",
        ] {
            let report = report(script);
            assert_eq!((report.diagnostics.len(), report.allowed), (0, 1), "{script}\n{:?}", report.diagnostics);
        }
    }

    #[test]
    fn an_allow_does_not_cover() {
        for script in [
            "local a -- evalint: allow(syntax-error)\nreturn X",
            "-- evalint: allow(syntax-error)\nlocal a\nreturn X",
            "-- evalint: allow(unknown-rule)\nreturn X",
            "if a then -- evalint: allow(syntax-error)\n  b = X\nend",
            "if a then\n  f()\n  -- evalint: allow(syntax-error)\nend\nreturn X",
            "local a\n-- evalint: allow-file(syntax-error)\nreturn X",
            "-- evalint is good: allow(syntax-error)\nreturn X",
        ] {
            assert!(rules(script).contains(&"syntax-error"), "{script}");
        }
    }

    #[test]
    fn an_allow_of_nothing_is_unused() {
        assert_eq!(rules("f() -- evalint: allow(syntax-error)\nreturn X"), ["unused-allow", "syntax-error"]);
        assert_eq!(rules("f() -- evalint: allow(suppression)\nreturn X"), ["syntax-error"]);
        assert_eq!(rules("local a\n-- evalint: allow-file(syntax-error)\nreturn X"), ["unused-allow", "syntax-error"]);
    }

    #[test]
    fn unknown_words_are_mistakes_and_prose_is_not() {
        assert_eq!(rules("return X -- evalint: allow(syntax-eror)"), ["syntax-error", "unknown-rule"]);
        assert_eq!(rules("return X -- evalint: alow(syntax-error)"), ["syntax-error", "unknown-rule"]);
        assert_eq!(rules("return X -- evalint: allow syntax-error"), ["syntax-error", "unknown-rule"]);
        assert_eq!(rules("return X -- evalint: target(redsi@7)"), ["syntax-error", "unknown-rule"]);
        assert_eq!(rules("return X -- evalint: is this right?"), ["syntax-error"]);
        assert_eq!(rules("return X -- evalint: allow(syntax-error, nonsense-xyz)"), ["unknown-rule"]);
    }

    #[test]
    fn the_fix_removes_the_comment_or_the_name() {
        for (script, fixed) in [
            ("f() -- evalint: allow(syntax-error)\nX()", "f()\nX()"),
            ("f()\n  -- evalint: allow(syntax-error)\ng() X()", "f()\ng() X()"),
        ] {
            let report = report(script);
            let unused = report.diagnostics.iter().find(|one| one.rule.name == "unused-allow").expect("it is unused");
            let fix = unused.finding.fix.as_ref().expect("it can be removed");
            let mut text = script.to_owned();
            text.replace_range(fix.edits[0].span.range(), &fix.edits[0].text);
            assert_eq!(text, fixed);
        }
        let source = Source::file("a.lua", "-- evalint: allow(a, bb ,c)".as_bytes());
        let at = |name: &str| {
            let start = "-- evalint: allow(a, bb ,c)".rfind(name).expect("it is there") as u32;
            let span = with_comma(Span::new(start, start + name.len() as u32), &source);
            source.snippet(span).into_owned()
        };
        assert_eq!([at("bb"), at("c")], ["bb ,".to_owned(), " ,c".to_owned()]);
    }

    #[test]
    fn a_script_names_its_own_targets() {
        let source = Source::file("a.lua", "-- evalint: target(redis@6.2)\nreturn 1".as_bytes());
        let parsed = parse::parse(&source).unwrap_or_else(|errors| panic!("{errors:?}"));
        let directives = directives(&source, &parsed.comments);
        let config = directives.config(&Config::default()).into_owned();
        assert_eq!(config.targets, ["redis@6.2".parse().expect("it is a target")]);
        assert!(config.targets_named);
    }
}
