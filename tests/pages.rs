//! Each rule's page is run: its examples carry marks, its transcripts are played on real servers.

#[path = "common/marks.rs"]
mod marks;
#[path = "common/page.rs"]
mod pages;
#[path = "common/parts.rs"]
mod parts;
#[path = "common/server.rs"]
mod server;
#[path = "common/setting.rs"]
mod setting;
#[path = "common/transcript.rs"]
mod transcript;

use evalint::rule::{Effect, rule};
use marks::Place;
use pages::{Fence, Page};
use parts::Files;
use setting::Setting;

include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// The page of the rule says about its examples what a check says.
fn page(name: &str) {
    let page = pages::page(rule(name).expect("it is registered"));
    let mut faults = String::new();
    if page.title != name {
        faults += &format!("{}: its title is not `# {name}`\n", page.path);
    }
    for needed in ["bad", "good"] {
        if !page.fences.iter().any(|fence| fence.is(needed)) {
            faults += &format!("{}: no fence is `lua {needed}`\n", page.path);
        }
    }
    if page.rule.effect != Effect::None && !page.fences.iter().any(|one| one.language == "redis") {
        faults +=
            &format!("{}: its effect is shown in no `redis` fence; play one, or write `effect: none`\n", page.path);
    }
    for fence in page.fences.iter().filter(|fence| fence.language == "lua" && !fence.is("part")) {
        match example(&page, fence) {
            Ok(mismatches) => faults += &mismatches,
            Err(fault) => faults += &format!("{}:{}: {fault}\n", page.path, fence.line),
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// What the page says that servers answer, they answer.
fn transcript(name: &str) {
    let page = pages::page(rule(name).expect("it is registered"));
    let mut faults = String::new();
    for fence in page.fences.iter().filter(|fence| fence.language == "redis") {
        match transcript::play(&page, fence) {
            Ok(differences) => faults += &differences,
            Err(fault) => faults += &format!("{}:{}: {fault}\n", page.path, fence.line),
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// What a fence's marks and its findings differ by.
fn example(page: &Page, fence: &Fence) -> Result<String, String> {
    let [verdict, words @ ..] = fence.words.as_slice() else {
        return Err("the fence is none of `lua bad`, `lua fixed`, `lua good`".into());
    };
    let mut setting = Setting { select: vec![page.rule.name.into()], ..Setting::default() };
    let mut path = "example.lua";
    for word in words {
        if word.ends_with(".lua") { path = word } else { setting.word(word)? }
    }
    let marked = marks::cut(fence.text.as_bytes(), "--")?;
    let own = marked.marks.iter().any(|mark| mark.rule() == page.rule.name);
    match verdict.as_str() {
        "bad" if !own => return Err(format!("a bad example has no mark of {}", page.rule.name)),
        "good" if own => return Err(format!("a good example has a mark of {}", page.rule.name)),
        // What can't be fixed is left.
        "bad" | "good" | "fixed" => {}
        other => return Err(format!("`lua {other}` is none of `lua bad`, `lua fixed`, `lua good`")),
    }
    let source = parts::script(path, &marked.text, &parts(page));
    let place = Place { path: &page.path, line: fence.line };
    let found = setting.check(&source);
    Ok(marks::mismatches(&place, &marked.marks, &source, &found))
}

/// The fences ```` ```lua part PATH ```` of a page are files that its examples can include.
fn parts(page: &Page) -> Files {
    let part = |fence: &Fence| match &fence.words[..] {
        [part, path] if part == "part" => Some((path.clone(), fence.text.clone().into_bytes())),
        _ => None,
    };
    page.fences.iter().filter_map(part).collect()
}
