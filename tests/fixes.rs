//! The fixes that rules offer: applied to the bad example of a page they give the `lua fixed` fence below it, what they are for is gone,
//! and servers run the result as the page says.

#[path = "common/marks.rs"]
mod marks;
#[path = "common/page.rs"]
mod pages;
#[path = "common/server.rs"]
mod server;
#[path = "common/setting.rs"]
mod setting;
#[path = "common/transcript.rs"]
mod transcript;

use evalint::{
    rule::{Edit, Effect, RULES, Safety},
    source::Source,
};
use pages::{Fence, Page};
use server::Server;
use setting::Setting;

#[test]
fn fixes_give_what_the_pages_show() {
    let mut faults = String::new();
    for rule in RULES {
        let page = pages::page(rule);
        let mut strongest = None;
        let lua: Vec<&Fence> = page.fences.iter().filter(|fence| fence.language == "lua").collect();
        for (at, fence) in lua.iter().enumerate().filter(|(_, fence)| fence.is("bad")) {
            match fixed(&page, fence) {
                Ok(None) => {}
                Ok(Some((text, safety))) => {
                    strongest = strongest.max(Some(safety == Safety::Unsafe));
                    match lua.get(at + 1).filter(|next| next.is("fixed")) {
                        Some(next) if without_marks(next) == text => {}
                        Some(_) | None => {
                            faults +=
                                &format!("{}:{}: write below it\n```lua fixed\n{text}```\n", page.path, fence.line);
                        }
                    }
                }
                Err(fault) => faults += &format!("{}:{}: {fault}\n", page.path, fence.line),
            }
        }
        if strongest != rule.fix.map(|safety| safety == Safety::Unsafe) {
            faults += &format!("{}: `fix:` is not the strongest one of its examples\n", page.path);
        }
        let played = page.fences.iter().any(|fence| fence.language == "redis" && fence.text.contains("@fixed"));
        if rule.fix.is_some() && rule.effect != Effect::None && !played {
            faults += &format!("{}: no transcript plays `@fixed`\n", page.path);
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// The transcripts themselves are played with the pages, on the server that each names.
#[test]
#[ignore = "needs real servers: run tools/test"]
fn fixed_scripts_run_on_valkey_too() {
    let mut faults = String::new();
    for rule in RULES {
        let page = pages::page(rule);
        for fence in page.fences.iter().filter(|fence| fence.language == "redis" && fence.text.contains("@fixed")) {
            let server = Server::start(&server::newest("valkey")).unwrap();
            match transcript::play_on(&page, fence, server, |line| line.contains("@fixed")) {
                Ok(differences) => faults += &differences,
                Err(fault) => faults += &format!("{}:{}: {fault}\n", page.path, fence.line),
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// The example with all fixes of the page's rule, and the least safe of them; `None`: it offers none.
fn fixed(page: &Page, fence: &Fence) -> Result<Option<(String, Safety)>, String> {
    let mut setting = Setting { select: vec![page.rule.name.into()], ..Setting::default() };
    for word in fence.words[1..].iter().filter(|word| !word.ends_with(".lua")) {
        setting.word(word)?;
    }
    let check = |text: &str| {
        let source = Source::file(page.path.as_str(), text.as_bytes());
        let mut found = setting.check(&source);
        found.retain(|one| one.rule == page.rule || one.rule.name == "syntax-error");
        found
    };
    let text = without_marks(fence);
    let before = check(&text);
    let fixes: Vec<_> = before.iter().filter_map(|one| one.finding.fix.as_ref()).collect();
    let Some(least) = fixes.iter().map(|fix| fix.safety).max_by_key(|&safety| safety == Safety::Unsafe) else {
        return Ok(None);
    };
    let result = apply(&text, fixes.iter().flat_map(|fix| &fix.edits).collect())?;
    let left = check(&result);
    if let Some(one) = left.iter().find(|one| one.rule != page.rule || one.finding.fix.is_some()) {
        return Err(format!("after the fix there still is: {}\n{result}", one.finding.message));
    }
    if left.len() + fixes.len() != before.len() {
        return Err(format!("{} of {} findings are left after {} fixes", left.len(), before.len(), fixes.len()));
    }
    Ok(Some((result, least)))
}

fn apply(text: &str, mut edits: Vec<&Edit>) -> Result<String, String> {
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    if edits.windows(2).any(|pair| pair[1].span.start < pair[0].span.end) {
        return Err("two edits overlap".into());
    }
    let mut result = text.to_owned();
    for edit in edits.into_iter().rev() {
        result.replace_range(edit.span.range(), &edit.text);
    }
    Ok(result)
}

fn without_marks(fence: &Fence) -> String {
    let marked = marks::cut(fence.text.as_bytes(), "--").expect("tests/pages.rs reads it too");
    String::from_utf8(marked.text).expect("pages are UTF-8")
}
