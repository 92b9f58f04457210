use rustc_hash::FxHashSet;

use crate::{
    builtins::{self, BUILTINS, Stage},
    facts::{Facts, Root},
    ir::{Op, ValueId},
    origin::Origin,
    rule::{Finding, one_per_root},
    target::closest,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    if facts.is_piece {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for root in facts.roots.iter().filter(|root| root.is_whole()) {
        if is_composed(facts, root) {
            continue;
        }
        let stage = facts.stage(root);
        let mut found = Vec::new();
        for at in root.insts() {
            let Op::Global(name) = root.op(at) else { continue };
            let name = facts.texts.show(*name);
            let input = matches!(&*name, "KEYS" | "ARGV");
            let known = input || builtins::builtin(&name).is_some();
            // The script's own function of that name is told of where it is made.
            let made = || {
                root.insts().any(|at| matches!(root.op(at), Op::SetGlobal(set, _) if facts.texts.show(*set) == name))
            };
            if (input && stage != Stage::Function)
                || name == "arg"
                || facts.globals.iter().any(|global| *global == *name)
                || root.is_protected(at)
            {
                continue;
            }
            let targets = facts.targets_where(|target| !known || input || builtins::is_missing(&name, target, stage));
            if targets.is_empty() || (!known && made()) {
                continue;
            }
            let finding = Finding {
                targets,
                ..Finding::new(root.span(at), format!("no global is called `{name}`: reading it ends the script"))
            };
            let finding = match near(&name) {
                _ if input => finding.help("functions get their keys and arguments as parameters"),
                Some(near) => finding.help(format!("did you mean `{near}`?")),
                None => finding.help("declare it with `local`, or pass it in ARGV"),
            };
            found.push((name.into_owned(), finding.labels(root.call_labels(at))));
        }
        findings.extend(one_per_root(found, "and here"));
    }
    findings
}

/// Names that are like none of the server's, so that they are no slips.
const FOREIGN: usize = 2;

/// Names of Lua's that no program defines instead.
const LUA: [&str; 5] = ["require", "dofile", "loadfile", "module", "print"];

/// Does the script lean on names that some program puts before it: functions that it calls, several values, or one if it takes nothing
/// by itself?
fn is_composed(facts: &Facts, root: &Root) -> bool {
    let foreign = |at: ValueId| match root.op(at) {
        Op::Global(name) => {
            let name = facts.texts.show(*name);
            (builtins::builtin(&name).is_none() && !matches!(&*name, "KEYS" | "ARGV" | "arg") && near(&name).is_none())
                .then(|| name.into_owned())
        }
        _ => None,
    };
    let names: FxHashSet<String> = root.insts().filter_map(foreign).collect();
    let called = root.insts().any(|at| match root.op(at) {
        Op::Call { callee, .. } => foreign(*callee).is_some_and(|name| !LUA.contains(&name.as_str())),
        _ => false,
    });
    let takes_nothing = || {
        facts.program.locals.is_empty()
            && !root.insts().any(|at| matches!(facts.origins.get(root.origin(at)), Origin::Input(_)))
    };
    called || FOREIGN <= names.len() || (names.iter().any(|name| !LUA.contains(&name.as_str())) && takes_nothing())
}

/// The server's name that it may be a slip of.
fn near(name: &str) -> Option<&'static str> {
    let names = BUILTINS.iter().map(|builtin| builtin.name).filter(|name| !name.contains('.'));
    closest(name, names.chain(["KEYS", "ARGV"])).filter(|near| *near != name)
}
