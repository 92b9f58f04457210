use crate::{
    builtins::{self, Stage},
    facts::{Facts, Form, Root},
    ir::{Op, ValueId},
    origin::Origin,
    rule::{Finding, one_per_root},
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let root = facts.main();
    if facts.stage(root) != Stage::Load {
        return Vec::new();
    }
    one_per_root(
        root.all(Form::Global).chain(root.all(Form::Index)).filter_map(|at| early(facts, root, at)),
        "and here",
    )
}

/// What scripts and functions have, but not the library while it loads.
fn early(facts: &Facts, root: &Root, at: ValueId) -> Option<(String, Finding)> {
    let name = match *root.op(at) {
        Op::Global(name) => facts.texts.show(name).into_owned(),
        Op::Index(base, key) => {
            let Origin::Builtin(library) = *facts.origins.get(root.origin(base)) else { return None };
            // Of a library that is not there itself its name was told.
            if library.name() != "redis" {
                return None;
            }
            format!("redis.{}", String::from_utf8_lossy(facts.text(root.value(key))?))
        }
        _ => return None,
    };
    let known = builtins::builtin(&name).is_some() || matches!(name.as_str(), "KEYS" | "ARGV");
    let lacks =
        |target| builtins::is_lacking(&name, target, Stage::Load) && !builtins::is_missing(&name, target, Stage::Load);
    let always = matches!(name.as_str(), "KEYS" | "ARGV");
    let targets = facts.targets_where(|target| always || lacks(target));
    if !known || targets.is_empty() || facts.globals.contains(&name) {
        return None;
    }
    let shown = facts.snippet(root, at);
    let message = format!("`{shown}` is not there while the library loads");
    let finding = Finding { targets, ..Finding::new(root.span(at), message) };
    let help = match always {
        true => "functions get their keys and arguments as parameters",
        false => {
            "use it inside the functions: at the top level there are only `redis.register_function` and `redis.log`"
        }
    };
    Some((name, finding.help(help).labels(root.call_labels(at))))
}
