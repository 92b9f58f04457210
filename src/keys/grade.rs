//! How bad it is that a key is not in KEYS: the table of the four key rules.
//!
//! *Mistake*: a script with declared keys takes others as they come. *Scheme*: it builds keys, on purpose. *No keys*: it takes none. Of the
//! last two one finding is told for each root; the single places are for the strict preset.

use rustc_hash::FxHashMap;

use super::{
    Base, Class, Nature, Use, pattern, uses,
    words::{label_spans, name, no_keys, parts, place, scheme},
};
use crate::{
    facts::{Facts, Root},
    origin::{Input, Origin, OriginId},
    rule::{Finding, Severity},
    shebang::Shebang,
    slots::Hashed,
    source::Span,
};

/// All that is to be said of keys whose base is this.
pub(crate) fn findings(facts: &Facts, base: Base) -> Vec<Finding> {
    let judged = facts.judged_keys.get_or_init(|| judge_all(facts));
    judged.iter().filter(|(own, _)| *own == base).map(|(_, finding)| finding.clone()).collect()
}

fn judge_all(facts: &Facts) -> Vec<(Base, Finding)> {
    let mut told: Vec<(Base, Finding)> = Vec::new();
    let mut by_span: FxHashMap<Span, Vec<usize>> = FxHashMap::default();
    for root in &facts.roots {
        for (base, finding) in judge(facts, root) {
            // A helper that several functions call is told of once.
            let same = by_span.entry(finding.span).or_default();
            let known = same.iter().map(|&at| &told[at].1);
            let mut known = known.filter(|known| known.message == finding.message || known.strict || finding.strict);
            if known.next().is_none() {
                same.push(told.len());
                told.push((base, finding));
            }
        }
    }
    told
}

/// A key that is not declared, with all places that use it.
pub(super) struct Site<'a> {
    pub(super) class: Class,
    pub(super) uses: Vec<Use<'a>>,
}

impl Site<'_> {
    pub(super) fn first(&self) -> &Use<'_> {
        &self.uses[0]
    }

    pub(super) fn span(&self) -> Span {
        self.first().span()
    }
}

fn judge(facts: &Facts, root: &Root) -> Vec<(Base, Finding)> {
    let uses = uses(facts, root);
    let declared: Vec<OriginId> = declared(&uses);
    let sites = sites(facts, uses);
    let (scanned, sites): (Vec<Site>, Vec<Site>) =
        sites.into_iter().partition(|site| site.class.nature == Nature::Scanned);
    let mut told: Vec<(Base, Finding)> = Vec::new();
    let single = |site: &Site| (site.class.base, strict(facts, place(facts, site.first())));
    told.extend(by_root(scanned).iter().map(single));
    if sites.is_empty() {
        return told;
    }
    let grade = severity(facts);
    if !root.is_whole() {
        told.extend(sites.iter().map(single));
    } else if !takes_keys(facts, root) {
        let mut finding = no_keys(facts, &sites).grade(grade);
        finding.labels.extend(root.call_labels(sites[0].first().arg.at));
        told.push((sites[0].class.base, finding));
        told.extend(sites[1..].iter().map(single));
    } else if sites.iter().any(|site| site.class.nature == Nature::Built) {
        let (mistakes, sites) = mistakes_inside(facts, sites, &declared);
        told.extend(mistakes);
        let proven = is_proven(facts, &sites, &declared) && !refuses(facts);
        let first = sites.iter().position(|site| site.class.nature == Nature::Built).filter(|_| !proven);
        if let Some(first) = first {
            told.push((sites[first].class.base, scheme(facts, &sites, first).grade(grade)));
        }
        let others = sites.iter().enumerate().filter(|&(n, _)| Some(n) != first).map(|(_, site)| single(site));
        told.extend(others.map(|(base, finding)| (base, if proven { finding.grade(Severity::Info) } else { finding })));
    } else {
        for site in by_root(sites) {
            let mut finding = place(facts, site.first());
            let again = site.uses[1..].iter().filter(|again| again.span() != site.span());
            finding = label_spans(finding, again.map(Use::span), "again here");
            told.push((site.class.base, if refuses(facts) { finding.grade(Severity::Error) } else { finding }));
        }
    }
    told
}

/// The elements of KEYS that are used as keys.
fn declared(uses: &[Use]) -> Vec<OriginId> {
    let mut declared: Vec<OriginId> = uses
        .iter()
        .filter_map(|one| one.class.filter(|class| class.nature == Nature::Declared))
        .map(|class| class.root)
        .collect();
    declared.sort();
    declared.dedup();
    declared
}

/// The keys that KEYS does not hold, in the order of the text; uses in one place or of one name are one.
fn sites<'a>(facts: &Facts, mut uses: Vec<Use<'a>>) -> Vec<Site<'a>> {
    uses.sort_by_key(|one| one.span());
    let mut sites: Vec<Site> = Vec::new();
    let mut by_name: FxHashMap<OriginId, usize> = FxHashMap::default();
    let mut by_place: FxHashMap<(Span, OriginId), usize> = FxHashMap::default();
    for one in uses {
        let Some(class) = one.class.filter(|class| class.nature != Nature::Declared) else { continue };
        if one.is_wrong(facts) || is_accepted(facts, class) {
            continue;
        }
        let place = (one.span(), class.root);
        match by_name.get(&one.origin()).or_else(|| by_place.get(&place)) {
            Some(&known) => sites[known].uses.push(one),
            None => {
                by_name.insert(one.origin(), sites.len());
                by_place.insert(place, sites.len());
                sites.push(Site { class, uses: vec![one] });
            }
        }
    }
    sites
}

/// One for each value that names come from.
fn by_root(sites: Vec<Site>) -> Vec<Site> {
    let mut roots: Vec<Site> = Vec::new();
    let mut known: FxHashMap<OriginId, usize> = FxHashMap::default();
    for site in sites {
        match known.get(&site.class.root) {
            Some(&known) => roots[known].uses.extend(site.uses),
            None => {
                known.insert(site.class.root, roots.len());
                roots.push(site);
            }
        }
    }
    roots
}

/// Do comments or the config accept the key: does it start with a prefix that is wanted?
fn is_accepted(facts: &Facts, class: Class) -> bool {
    facts.origins.element(class.root).is_some_and(|(input, number)| {
        let shown = |number| format!("{}[{number}]", input.name());
        number.map(shown).is_some_and(|shown| facts.patterns.prefixes.contains(&shown))
    })
}

/// Does the script look at KEYS anywhere?
fn takes_keys(facts: &Facts, root: &Root) -> bool {
    let looks = |root: &Root| {
        let is_keys = |at| *facts.origins.get(root.origin(at)) == Origin::Input(Input::Keys);
        root.insts().any(is_keys)
            || root
                .insts()
                .any(|at| facts.origins.element(root.origin(at)).is_some_and(|(input, _)| input == Input::Keys))
    };
    looks(root) || facts.roots.iter().any(|other| !other.is_whole() && looks(other))
}

/// Is there a target that refuses keys which are not in KEYS, on a cluster or not?
fn refuses(facts: &Facts) -> bool {
    facts.targets_named && facts.targets.iter().any(|target| target.product.strict_keys())
}

/// How bad a scheme is, or a script without KEYS.
fn severity(facts: &Facts) -> Severity {
    if refuses(facts) {
        return Severity::Error;
    }
    let flags = facts.shebang.as_ref().and_then(Shebang::flags);
    // With flags a script may touch one slot only, unless it says otherwise.
    let one_slot = flags.is_some_and(|mut flags| {
        !flags.any(|flag| matches!(flag.text.as_str(), "allow-cross-slot-keys" | "no-cluster"))
    });
    match facts.cluster {
        Some(true) => Severity::Warning,
        None if one_slot => Severity::Warning,
        Some(false) | None => Severity::Info,
    }
}

fn strict(facts: &Facts, finding: Finding) -> Finding {
    finding.grade(severity(facts)).strict()
}

/// Keys of a scheme that are wrong by its own measure, and the rest.
fn mistakes_inside<'a>(
    facts: &Facts,
    sites: Vec<Site<'a>>,
    declared: &[OriginId],
) -> (Vec<(Base, Finding)>, Vec<Site<'a>>) {
    let mut told = Vec::new();
    let odd = odd_one(facts, &sites).map(|n| sites[n].span());
    let tagged = sites.iter().find_map(|site| tag(facts, site));
    let mut rest = Vec::new();
    for site in sites {
        let finding = if facts.cluster == Some(false) {
            None
        } else {
            lost_slot(facts, &site, declared).or_else(|| untagged(facts, &site, tagged.as_ref()))
        };
        let finding = finding.or_else(|| {
            let message = |name: String| format!("{name} lacks the prefix of the script's other built keys");
            (odd == Some(site.span())).then(|| Finding::new(site.span(), message(name(facts, site.first()))))
        });
        match finding {
            Some(finding) => {
                let keys = facts.input_name(site.first().root, Input::Keys);
                told.push((site.class.base, finding.help(format!("pass it in {keys}"))));
            }
            None => rest.push(site),
        }
    }
    (told, rest)
}

/// The one key whose name starts with a literal, where all others start with the same value and it has no part of that.
fn odd_one(facts: &Facts, sites: &[Site]) -> Option<usize> {
    let built: Vec<(usize, OriginId)> = sites
        .iter()
        .enumerate()
        .filter(|(_, site)| site.class.nature == Nature::Built)
        .map(|(n, site)| (n, parts(facts, site.first().origin())[0]))
        .collect();
    let is_literal = |first: OriginId| facts.origins.constant(first).is_some();
    let mut literal = built.iter().filter(|(_, first)| is_literal(*first));
    let (Some(&(odd, _)), None) = (literal.next(), literal.next()) else { return None };
    let mut others = built.iter().filter(|&&(n, _)| n != odd).map(|&(_, first)| first);
    let prefix = others.next().filter(|&first| facts.origins.element(first).is_some())?;
    let mut has_part = false;
    facts.origins.leaves(sites[odd].first().origin(), &mut |leaf, _| has_part |= leaf == prefix);
    (2 < built.len() && others.all(|first| first == prefix) && !has_part).then_some(odd)
}

fn hashed(facts: &Facts, origin: OriginId) -> Option<Hashed> {
    pattern(facts, origin)?.hashed()
}

/// The tag of a built key.
fn tag(facts: &Facts, site: &Site) -> Option<(Hashed, String)> {
    if site.class.nature != Nature::Built {
        return None;
    }
    let hashed = hashed(facts, site.first().origin()).filter(|hashed| hashed.is_tag)?;
    Some((hashed, name(facts, site.first())))
}

/// A key made of one of KEYS that surely goes elsewhere than that one.
fn lost_slot(facts: &Facts, site: &Site, declared: &[OriginId]) -> Option<Finding> {
    if site.class.nature != Nature::Built || site.class.base != Base::Key {
        return None;
    }
    let own = hashed(facts, site.first().origin())?;
    let key = facts.show_origin(site.first().root, site.class.root);
    let name = name(facts, site.first());
    let finding = |message| Some(Finding::new(site.span(), message));
    match hashed(facts, site.class.root) {
        Some(base) if own.same_slot(&base) == Some(false) => {
            finding(format!("on a cluster {name} is not in the slot of `{key}`: it is hashed by `{}`", own.shown()))
        }
        Some(_) => None,
        // A tag before the key's own name hides the one that the key may have.
        None if own.is_tag && own.slot().is_some() && declared.contains(&site.class.root) => {
            finding(format!("on a cluster {name} is hashed by the constant tag `{}`, not like `{key}`", own.shown()))
        }
        None => None,
    }
}

/// A literal key without the tag that the scheme's keys have.
fn untagged(facts: &Facts, site: &Site, tag: Option<&(Hashed, String)>) -> Option<Finding> {
    let (tag, other) = tag?;
    if site.class.nature != Nature::Raw || site.class.base != Base::Literal {
        return None;
    }
    let own = hashed(facts, site.first().origin())?;
    // Where both are known, `cross-slot-keys` tells.
    if tag.slot().is_some() || own.same_slot(tag) == Some(true) {
        return None;
    }
    let name = name(facts, site.first());
    Some(Finding::new(site.span(), format!("on a cluster {name} is not in the slot of {other}: it lacks the tag")))
}

/// Are all built keys surely in the slot of the declared ones?
fn is_proven(facts: &Facts, sites: &[Site], declared: &[OriginId]) -> bool {
    let built = sites.iter().filter(|site| site.class.nature == Nature::Built);
    let bases = built.clone().filter(|site| site.class.base == Base::Key).map(|site| site.class.root);
    let all = built.clone().map(|site| site.first().origin()).chain(bases).chain(declared.iter().copied());
    let hashed: Option<Vec<Hashed>> = all.map(|origin| hashed(facts, origin)).collect();
    let Some(hashed) = hashed else { return false };
    hashed.iter().all(|one| one.is_tag && one.same_slot(&hashed[0]) == Some(true))
}
