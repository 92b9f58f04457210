use crate::{
    facts::{Facts, Root},
    ir::{BinaryOp, Const, Op, ValueId},
    rule::{Finding, one_per_root},
    target::{Product, Target, Version},
};

/// Fewer letters than this to draw from are no alphabet.
const ALPHABET: usize = 10;

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        let draws: Vec<ValueId> = root.calls_of("math.random").collect();
        if draws.is_empty() || is_seeded(facts, root) {
            continue;
        }
        let texts = draws.into_iter().filter(|&at| becomes_text(facts, root, at)).map(|at| ((), weak(facts, root, at)));
        findings.extend(one_per_root(texts, "and here"));
    }
    findings
}

/// Does the script choose the sequence by what differs from run to run?
fn is_seeded(facts: &Facts, root: &Root) -> bool {
    root.calls_of("math.randomseed").any(|at| match root.op(at) {
        Op::Call { args, .. } => args.first().is_some_and(|&seed| facts.origins.constant(root.origin(seed)).is_none()),
        _ => false,
    })
}

/// Is a text made of the number: by joining it, or by drawing letters with it?
fn becomes_text(facts: &Facts, root: &Root, at: ValueId) -> bool {
    let uses = |value: ValueId| {
        root.users(value).iter().any(|&user| match root.op(user) {
            Op::Binary(BinaryOp::Concat, ..) => true,
            Op::Call { args, .. } => match root.callee(facts, user) {
                Some("string.char" | "string.format" | "tostring" | "bit.tohex") => true,
                Some("string.sub") => args.first().is_some_and(|&subject| is_alphabet(facts, root, subject)),
                _ => false,
            },
            _ => false,
        })
    };
    let kept = |user: &ValueId| match *root.op(*user) {
        Op::Set(local, _) => root.reads(local).iter().any(|&read| uses(read)),
        _ => false,
    };
    uses(at) || root.users(at).iter().any(kept)
}

fn is_alphabet(facts: &Facts, root: &Root, subject: ValueId) -> bool {
    match facts.origins.constant(root.origin(subject)) {
        Some(Const::Text(text)) => ALPHABET <= facts.texts.get(text).len(),
        _ => false,
    }
}

fn weak(facts: &Facts, root: &Root, at: ValueId) -> Finding {
    let when = match facts.targets.iter().all(|&target| is_seeded_anew(target)) {
        true => "gives the same numbers in every run",
        false => "gives the same numbers again after each restart of the server",
    };
    Finding::new(root.span(at), format!("`math.random` {when}: what is made of it is not unique and can be guessed"))
        .help("make ids and tokens in the client and pass them in ARGV, or count with INCR")
        .labels(root.call_labels(at))
}

/// Do scripts of this server start with the same seed each time?
fn is_seeded_anew(target: Target) -> bool {
    match target.product {
        Product::Redis => target.version < Version(7, 0, 0),
        Product::KeyDb => true,
        Product::Valkey | Product::Dragonfly | Product::Kvrocks => false,
    }
}
