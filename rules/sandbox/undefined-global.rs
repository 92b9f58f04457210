use rustc_hash::FxHashSet;

use crate::{
    builtins::{self, BUILTINS, BuiltinId, Stage},
    facts::{Facts, Form, Root},
    ir::{Op, TextId, ValueId},
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
        // The script's own function of that name is told of where it is made.
        let made: FxHashSet<TextId> = root.all(Form::SetGlobal).filter_map(|at| set_global(root, at)).collect();
        let mut found = Vec::new();
        for at in root.all(Form::Global) {
            let Op::Global(name) = root.op(at) else { continue };
            let (known, input) = match *facts.origins.get(root.origin(at)) {
                Origin::Builtin(builtin) => (Some(builtin), false),
                Origin::Input(_) => continue,
                _ => (None, matches!(facts.texts.get(*name), b"KEYS" | b"ARGV")),
            };
            // `server` is the library `redis` by a newer name.
            let is_missing = |builtin: BuiltinId, target| match facts.texts.get(*name) {
                b"server" => builtins::is_missing("server", target, stage),
                _ => builtin.is_missing(target, stage),
            };
            let lacks = |target| known.is_none_or(|builtin| is_missing(builtin, target));
            if !facts.targets.iter().copied().any(lacks)
                || (input && stage != Stage::Function)
                || (known.is_none() && made.contains(name))
            {
                continue;
            }
            let targets = facts.targets_where(lacks);
            let name = facts.texts.show(*name);
            if name == "arg" || facts.globals.iter().any(|global| *global == *name) || root.is_protected(at) {
                continue;
            }
            let finding = Finding {
                targets,
                ..Finding::new(root.span(at), format!("no global is called `{name}`: reading it ends the script"))
            };
            let finding = match (instead(&name), near(&name)) {
                _ if input => finding.help("functions get their keys and arguments as parameters"),
                (Some(instead), _) => finding.help(instead),
                (None, Some(near)) => finding.help(format!("did you mean `{near}`?")),
                (None, None) => finding.help("declare it with `local`, or pass it in ARGV"),
            };
            found.push((name.into_owned(), finding.labels(root.call_labels(at))));
        }
        findings.extend(one_per_root(found, "and here"));
    }
    findings
}

/// The global that the instruction sets.
fn set_global(root: &Root, at: ValueId) -> Option<TextId> {
    match root.op(at) {
        Op::SetGlobal(name, _) => Some(*name),
        _ => None,
    }
}

/// Names that are like none of the server's, so that they are no slips.
const FOREIGN: usize = 2;

/// Names of Lua's that no program defines instead.
const LUA: [&str; 5] = ["require", "dofile", "loadfile", "module", "print"];

/// Does the script lean on names that some program puts before it: functions that it calls, several values, or one if it takes nothing
/// by itself?
fn is_composed(facts: &Facts, root: &Root) -> bool {
    let mut names = FxHashSet::default();
    let mut is_needed = false;
    for at in root.all(Form::Global) {
        let Some(id) = unknown_global(facts, root, at) else { continue };
        let name = facts.texts.show(id);
        let is_known = || facts.globals.iter().any(|global| *global == *name);
        if names.contains(&id) || near(&name).is_some() || is_known() {
            continue;
        }
        let is_callee = |user: &ValueId| matches!(root.op(*user), Op::Call { callee, .. } if *callee == at);
        let is_lua = LUA.contains(&&*name);
        if !is_lua && root.users(at).iter().any(is_callee) {
            return true;
        }
        names.insert(id);
        is_needed |= !is_lua;
    }
    let takes_nothing = || {
        facts.program.locals.is_empty()
            && !root.insts().any(|at| matches!(facts.origins.get(root.origin(at)), Origin::Input(_)))
    };
    FOREIGN <= names.len() || (is_needed && takes_nothing())
}

/// The name, if the instruction reads a global that no server has.
fn unknown_global(facts: &Facts, root: &Root, at: ValueId) -> Option<TextId> {
    match (root.op(at), facts.origins.get(root.origin(at))) {
        (Op::Global(name), Origin::Global(_)) if !matches!(facts.texts.get(*name), b"arg" | b"KEYS" | b"ARGV") => {
            Some(*name)
        }
        _ => None,
    }
}

/// What to write for a name of Lua's, or of another server's.
fn instead(name: &str) -> Option<&'static str> {
    Some(match name {
        "server" => "write `redis`, which Valkey knows too: `server` is Valkey's own name for it",
        "print" => "write to the server's log: `redis.log(redis.LOG_NOTICE, ...)`",
        "os" => "ask the server for the time: `redis.call('TIME')`",
        "require" | "dofile" | "loadfile" | "module" | "package" => "put all code into the script: it can load none",
        "io" => "read files in the client, and pass what is in them in ARGV",
        _ => return None,
    })
}

/// The server's name that it may be a slip of.
fn near(name: &str) -> Option<&'static str> {
    let names = BUILTINS.iter().map(|builtin| builtin.name).filter(|name| !name.contains('.'));
    closest(name, names.chain(["KEYS", "ARGV"])).filter(|near| *near != name)
}
