//! Laws of fixes and of added comments, over all scripts at hand and mixtures of them: what was fixed is gone, nothing new is wrong, and
//! a second time there is nothing to do. No step is taken back here, as the command line would.

#[path = "common/page.rs"]
mod pages;
#[path = "common/server.rs"]
mod server;
#[path = "common/setting.rs"]
mod setting;

use std::{collections::BTreeMap, sync::LazyLock};

use evalint::{
    check,
    config::Config,
    fix::{self, Offer},
    limits,
    rule::{Diagnostic, Preset, RULES, Rule, Safety, Severity},
    source::{Source, Span},
    suppress::add,
};
use proptest::prelude::*;
use server::{Reply, Server};
use setting::on_big_stack;

/// The scripts of the test data and of the pages.
static CORPUS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let data = ["scripts", "flow"].into_iter().flat_map(setting::scripts);
    let mut corpus: Vec<Vec<u8>> = data.map(|(_, text)| text).collect();
    for rule in RULES {
        let fences = pages::page(rule).fences.into_iter().filter(|fence| fence.language == "lua");
        corpus.extend(fences.map(|fence| fence.text.into_bytes()));
    }
    corpus
});

/// Those of them for which there are fixes.
static FIXABLE: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let fixes = |text: &&Vec<u8>| found(text, true).iter().any(|one| one.finding.fix.is_some());
    on_big_stack(|| CORPUS.iter().filter(fixes).cloned().collect())
});

fn found(text: &[u8], strict: bool) -> Vec<Diagnostic> {
    let preset = if strict { Preset::Strict } else { Preset::Recommended };
    check(&Source::file("-", text), &Config { preset, ..Config::default() }).diagnostics
}

fn counts(found: &[Diagnostic], wanted: impl Fn(&Diagnostic) -> bool) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for one in found.iter().filter(|one| wanted(one)) {
        *counts.entry(one.rule.name).or_default() += 1;
    }
    counts
}

/// The text when there is nothing more to do, and what was done.
fn settled(text: &[u8], offers: impl Fn(&[u8]) -> Vec<Offer>) -> Result<(Vec<u8>, Vec<Offer>), String> {
    let mut text = text.to_vec();
    let mut made = Vec::new();
    for _ in 0..limits::FIX_ROUNDS {
        let chosen = fix::choose(offers(&text));
        if chosen.is_empty() {
            return Ok((text, made));
        }
        text = fix::apply(&text, &chosen);
        made.extend(chosen);
    }
    Err(format!("it never ends:\n{}", String::from_utf8_lossy(&text)))
}

fn fixed(text: &[u8], strict: bool, safety: Safety) -> Result<(Vec<u8>, Vec<Offer>), String> {
    settled(text, |text| {
        let source = Source::file("-", text);
        fix::offers(&source, &found(text, strict), safety).into_iter().map(|(_, offer)| offer).collect()
    })
}

/// What is wrong with the fixes of the text.
fn faults_of_fixes(text: &[u8], strict: bool, safety: Safety) -> Result<(), String> {
    let before = found(text, strict);
    let (after_text, made) = fixed(text, strict, safety)?;
    let after = found(&after_text, strict);
    let show = || format!("{}\nbecame\n{}", String::from_utf8_lossy(text), String::from_utf8_lossy(&after_text));
    let error = |one: &Diagnostic| one.severity == Severity::Error;
    let errors = counts(&before, error);
    for (rule, count) in counts(&after, error) {
        if errors.get(rule).is_none_or(|&before| before < count) {
            return Err(format!("a new error of {rule}: {}", show()));
        }
    }
    let offered = |one: &Diagnostic| one.finding.fix.as_ref().is_some_and(|fix| fix.safety <= safety);
    let stay = counts(&before, |one| !offered(one));
    for (rule, left) in counts(&after, |one| made.iter().any(|offer| offer.rule == one.rule.name)) {
        if stay.get(rule).is_none_or(|&stay| stay < left) {
            return Err(format!("{left} of {rule} are left: {}", show()));
        }
    }
    Ok(())
}

/// What is wrong with the comments that are added to the text.
fn faults_of_comments(text: &[u8], strict: bool) -> Result<(), String> {
    let wanted = |text: &[u8]| -> Vec<(&'static Rule, Span)> {
        let found = found(text, strict);
        found.iter().filter(|one| one.rule.name != "syntax-error").map(|one| (one.rule, one.finding.span)).collect()
    };
    let (after, _) = settled(text, |text| {
        let source = Source::file("-", text);
        let additions = add::additions(&source, &wanted(text));
        let offer = |one: &add::Addition| {
            let (rule, at) = one.findings[0];
            Offer::new(&source, rule.name, at, std::slice::from_ref(&one.edit)).map(|(_, offer)| offer)
        };
        additions.iter().filter_map(offer).collect()
    })?;
    let show = || format!("{}\nbecame\n{}", String::from_utf8_lossy(text), String::from_utf8_lossy(&after));
    let broken = |text: &[u8]| found(text, strict).iter().any(|one| one.rule.name == "syntax-error");
    if broken(text) {
        return if after == text {
            Ok(())
        } else {
            Err(format!("a text that can't be parsed was changed: {}", show()))
        };
    }
    if let Some(one) = found(&after, strict).first() {
        return Err(format!("{} is still told: {}", one.rule.name, show()));
    }
    Ok(())
}

#[test]
fn fixes_of_every_script_leave_nothing_behind() {
    let faults: Vec<String> = on_big_stack(|| {
        let all = FIXABLE.iter().flat_map(|text| [(text, Safety::Safe), (text, Safety::Unsafe)]);
        all.filter_map(|(text, safety)| faults_of_fixes(text, true, safety).err()).collect()
    });
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    assert!(10 < FIXABLE.len(), "there are scripts to fix");
}

#[test]
fn comments_silence_every_script() {
    let faults: Vec<String> =
        on_big_stack(|| CORPUS.iter().filter_map(|text| faults_of_comments(text, true).err()).collect());
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), CORPUS.len(), faults.join("\n\n"));
}

/// Scripts one after the other, each reached on some runs only.
fn mixture(parts: &[prop::sample::Index], of: &[Vec<u8>], crlf: bool) -> Vec<u8> {
    let mut text = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let body = part.get(of);
        if body.starts_with(b"#!") {
            continue;
        }
        text.extend(format!("if ARGV[{}] == 'on' then\n", number + 20).bytes());
        text.extend_from_slice(body);
        text.extend(b"\nend\n");
    }
    if crlf { String::from_utf8_lossy(&text).replace('\n', "\r\n").into_bytes() } else { text }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fixes_of_mixtures_leave_nothing_behind(
        parts in prop::collection::vec(any::<prop::sample::Index>(), 1..6), crlf: bool, strict: bool, all: bool,
    ) {
        let text = mixture(&parts, &FIXABLE, crlf);
        let safety = if all { Safety::Unsafe } else { Safety::Safe };
        let result = on_big_stack(|| faults_of_fixes(&text, strict, safety));
        prop_assert!(result.is_ok(), "{}", result.unwrap_err());
    }

    #[test]
    fn comments_silence_mixtures(
        parts in prop::collection::vec(any::<prop::sample::Index>(), 1..6), crlf: bool, strict: bool,
    ) {
        let text = mixture(&parts, &CORPUS, crlf);
        let result = on_big_stack(|| faults_of_comments(&text, strict));
        prop_assert!(result.is_ok(), "{}", result.unwrap_err());
    }
}

#[test]
#[ignore = "needs real servers: run tools/test"]
fn servers_compile_what_was_fixed() {
    let mut faults = Vec::new();
    for product in ["redis", "valkey"] {
        let mut server = Server::start(&server::newest(product)).unwrap();
        let mut loads = |text: &[u8]| matches!(server.command(&[b"SCRIPT".as_slice(), b"LOAD", text]), Reply::Bulk(_));
        for text in FIXABLE.iter().filter(|text| loads(text)).collect::<Vec<_>>() {
            for safety in [Safety::Safe, Safety::Unsafe] {
                let (after, _) = on_big_stack(|| fixed(text, true, safety)).unwrap();
                if !loads(&after) {
                    faults.push(format!("{product} refuses\n{}", String::from_utf8_lossy(&after)));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}
