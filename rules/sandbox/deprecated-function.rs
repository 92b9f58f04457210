use crate::{
    builtins::Stage,
    facts::{Facts, Root},
    ir::ValueId,
    rule::{Finding, Severity, one_per_root},
    target::{Product, Target, Version},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        findings.extend(one_per_root(
            root.builtin_calls().filter_map(|(at, name)| deprecated(facts, root, at, name)),
            "and here",
        ));
    }
    findings
}

fn deprecated(facts: &Facts, root: &Root, at: ValueId, name: &'static str) -> Option<(&'static str, Finding)> {
    let span = root.span(at);
    let finding = match name {
        // Functions lack it.
        "redis.replicate_commands" if facts.stage(root) == Stage::Function => return None,
        "redis.replicate_commands" => {
            let targets = facts.targets_where(replicates_effects);
            if targets.is_empty() {
                return None;
            }
            let message = "`redis.replicate_commands` does nothing: effects are replicated anyway";
            Finding { targets, ..Finding::new(span, message) }.help("leave it out")
        }
        "redis.set_repl" => {
            Finding::new(span, "`redis.set_repl` lets replicas and the append-only file differ from the data")
                .help("leave it out, and let every write be replicated")
        }
        "redis.breakpoint" | "redis.debug" => {
            Finding::new(span, format!("`{name}` is left from debugging: it does nothing outside of the debugger"))
                .grade(Severity::Warning)
                .help("remove it; `redis.log` writes to the server's log")
        }
        _ => return None,
    };
    Some((name, finding.labels(root.call_labels(at))))
}

/// Do scripts replicate what they do, not themselves, without asking for it?
fn replicates_effects(target: Target) -> bool {
    match target.product {
        Product::Redis => Version(5, 0, 0) <= target.version,
        Product::Valkey | Product::KeyDb => true,
        Product::Dragonfly | Product::Kvrocks => false,
    }
}
