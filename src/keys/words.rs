//! What is said of keys that are not in KEYS.

use super::{Base, Nature, Use, classify, grade::Site, made_of};
use crate::{
    facts::Facts,
    origin::{Input, Origin, OriginId},
    rule::Finding,
    source::Span,
};

/// Labels of one finding, so that it stays readable.
const LABELS: usize = 5;

/// "EXISTS reads `ARGV[4]`, which is not in KEYS"
pub(super) fn place(facts: &Facts, one: &Use) -> Finding {
    let does = format!("{} {}", one.event.shown_name(), if one.writes { "writes" } else { "reads" });
    let name = name(facts, one);
    let reply = one.class.filter(|class| class.base == Base::Reply && class.nature != Nature::Built);
    let from = reply.and_then(|class| facts.origins.reply(class.root)).and_then(|at| one.root.event(at));
    let may_be_declared = facts
        .origins
        .alternatives(one.origin())
        .iter()
        .any(|&way| classify(facts, one.root, way).is_some_and(|class| class.nature == Nature::Declared));
    let keys = facts.input_name(one.root, Input::Keys);
    let finding = match from {
        Some(from) => {
            let command = from.shown_name();
            let comes = if may_be_declared { "may come" } else { "comes" };
            Finding::new(one.span(), format!("{does} {name}, which {comes} from {command}, not from {keys}"))
                .label(one.root.span(from.at), format!("the reply of {command}"))
        }
        None if may_be_declared => Finding::new(one.span(), format!("{does} {name}, which need not be in {keys}")),
        None => Finding::new(one.span(), format!("{does} {name}, which is not in {keys}")),
    };
    let mut finding = finding.help(format!("pass it in {keys}"));
    finding.labels.extend(one.root.call_labels(one.arg.at));
    finding
}

/// The key in the user's words.
pub(super) fn name(facts: &Facts, one: &Use) -> String {
    let from_reply = one.class.is_some_and(|class| class.base == Base::Reply && class.nature != Nature::Built);
    if from_reply || one.arg.spread.is_some() {
        return format!("`{}`", facts.snippet(one.root, one.arg.at));
    }
    format!("`{}`", facts.show(one.root, one.arg.at))
}

pub(super) fn no_keys(facts: &Facts, sites: &[Site]) -> Finding {
    let keys = facts.input_name(sites[0].first().root, Input::Keys);
    let message = format!("takes no {keys}; routing and ACLs cannot see its");
    let message = match sites {
        [one] => format!("{message} key {}", name(facts, one.first())),
        many => format!("{message} {} keys{}", many.len(), lines(facts, many)),
    };
    Finding::new(sites[0].span(), message).help(format!("pass the keys in {keys}"))
}

/// "builds 23 keys from the prefix `ARGV[1]` and replies (lines 5, 9, 12 and 20 more)"
pub(super) fn scheme(facts: &Facts, sites: &[Site], first: usize) -> Finding {
    let (built, raw): (Vec<&Site>, Vec<&Site>) = sites.iter().partition(|site| site.class.nature == Nature::Built);
    let site = &sites[first];
    let mut finding = match built[..] {
        [one] => place(facts, one.first()),
        _ => {
            let from = made_from(facts, &built);
            let message = format!("builds {} keys from {from}{}", built.len(), lines(facts, built.iter().copied()));
            let mut finding = Finding::new(site.span(), message);
            finding.labels = site.first().root.call_labels(site.first().arg.at);
            finding
        }
    };
    let keys = facts.input_name(site.first().root, Input::Keys);
    for site in raw.iter().take(LABELS) {
        let use_ = site.first();
        let does = if use_.writes { "writes" } else { "reads" };
        let message =
            format!("{} {does} {}, which is not in {keys} either", use_.event.shown_name(), name(facts, use_));
        finding = finding.aside(use_.span(), message);
    }
    let accept = facts.origins.element(site.class.root).and_then(|(input, number)| Some((input.name(), number?)));
    finding.help(match accept {
        Some((input, number)) => {
            format!(
                "pass the keys in {keys}, or accept keys of this prefix by a comment `---@prefix {input}[{number}]`"
            )
        }
        None => format!("pass the keys in {keys}"),
    })
}

/// " (lines 5, 9, 12 and 20 more)"; nothing where lines of the text are not those of the file.
fn lines<'a, 'b: 'a>(facts: &Facts, sites: impl IntoIterator<Item = &'a Site<'b>>) -> String {
    facts
        .source
        .lines(sites.into_iter().map(|site| site.span().start))
        .map_or(String::new(), |lines| format!(" ({lines})"))
}

/// "the prefix `ARGV[1]` and replies"
fn made_from(facts: &Facts, built: &[&Site]) -> String {
    let root = built[0].first().root;
    let names: Vec<Vec<OriginId>> = built.iter().map(|site| parts(facts, site.first().origin())).collect();
    let prefix = common_start(facts, &names);
    let mut prefixes: Vec<String> = Vec::new();
    let mut others: Vec<&str> = Vec::new();
    for name in &names {
        let start = if prefix.is_empty() { &name[..usize::from(starts(facts, name[0]))] } else { &prefix[..] };
        let shown: Vec<String> = start.iter().map(|&part| facts.show_origin(root, part)).collect();
        let shown = shown.join(" .. ");
        if !shown.is_empty() && !prefixes.contains(&shown) {
            prefixes.push(shown);
        }
        for &part in &name[start.len()..] {
            match made_of(facts, root, part).map(|class| class.base) {
                Some(Base::Key) => others.push("keys"),
                Some(Base::Argument) => others.push("arguments"),
                Some(Base::Reply) => others.push("replies"),
                Some(Base::Literal) | None => {}
            }
        }
    }
    others.sort_unstable();
    others.dedup();
    let mut parts: Vec<String> = match &prefixes[..] {
        [] => Vec::new(),
        [one] => vec![format!("the prefix `{one}`")],
        [one, two] => vec![format!("the prefixes `{one}`"), format!("`{two}`")],
        [one, ..] => vec![format!("{} prefixes like `{one}`", prefixes.len())],
    };
    parts.extend(others.into_iter().map(String::from));
    match &parts[..] {
        [] => "other values".into(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// What a name is joined of.
pub(super) fn parts(facts: &Facts, origin: OriginId) -> Vec<OriginId> {
    let origin = facts.origins.present(origin);
    match facts.origins.get(origin) {
        Origin::Concat(parts) => parts.iter().map(|&part| facts.origins.present(part)).collect(),
        _ => vec![origin],
    }
}

/// Can it stand in a prefix: a literal, or an element of KEYS or ARGV?
fn starts(facts: &Facts, part: OriginId) -> bool {
    facts.origins.constant(part).is_some() || facts.origins.element(part).is_some()
}

/// The parts that all names start with.
fn common_start(facts: &Facts, names: &[Vec<OriginId>]) -> Vec<OriginId> {
    let [first, rest @ ..] = names else { return Vec::new() };
    let mut common: Vec<OriginId> = first.iter().copied().take_while(|&part| starts(facts, part)).collect();
    for name in rest {
        let same = common.iter().zip(name).take_while(|(a, b)| a == b).count();
        common.truncate(same);
    }
    common
}

pub(super) fn label_spans(finding: Finding, spans: impl Iterator<Item = Span>, message: &str) -> Finding {
    let mut spans: Vec<Span> = spans.collect();
    spans.dedup();
    spans.into_iter().take(LABELS).fold(finding, |finding, span| finding.aside(span, message))
}
