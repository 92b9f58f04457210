use crate::{
    facts::{Facts, Root},
    ir::{Const, Op, ValueId},
    origin::{Origin, OriginId},
    rule::{Finding, Severity, one_per_root},
};

/// The most digits that `cjson.encode_number_precision` takes.
const DIGITS: f64 = 14.0;

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        let set: Vec<(&str, ValueId)> =
            root.builtin_calls().filter_map(|(at, name)| setting(facts, root, at, name)).collect();
        let restored = |name| set.iter().any(|&(other, at)| other == name && is_restoring(facts, root, name, at));
        let leaks =
            set.iter().filter(|(name, _)| !restored(*name)).map(|&(name, at)| (name, leak(facts, root, name, at)));
        findings.extend(one_per_root(leaks, "and here"));
    }
    findings
}

/// The call changes this setting: with an argument, as it reads it without one.
fn setting(facts: &Facts, root: &Root, at: ValueId, name: &'static str) -> Option<(&'static str, ValueId)> {
    let Op::Call { args, .. } = root.op(at) else { return None };
    let &first = args.first()?;
    let changes = match name {
        "cjson.decode_array_with_array_mt"
        | "cjson.decode_invalid_numbers"
        | "cjson.decode_max_depth"
        | "cjson.encode_invalid_numbers"
        | "cjson.encode_keep_buffer"
        | "cjson.encode_max_depth"
        | "cjson.encode_number_precision"
        | "cjson.encode_sparse_array" => true,
        "collectgarbage" => {
            matches!(facts.text(root.value(first)), Some(b"stop" | b"restart" | b"setpause" | b"setstepmul"))
        }
        _ => false,
    };
    changes.then_some((name, at))
}

/// Does the call set what the server starts with, or what the script has read before?
fn is_restoring(facts: &Facts, root: &Root, name: &str, at: ValueId) -> bool {
    let Op::Call { args, .. } = root.op(at) else { return false };
    let first = root.value(args[0]);
    let default = match name {
        "collectgarbage" => facts.text(first) == Some(b"restart"),
        "cjson.decode_max_depth" | "cjson.encode_max_depth" => facts.number(first) == Some(1000.0),
        "cjson.encode_number_precision" => facts.number(first) == Some(DIGITS),
        "cjson.decode_invalid_numbers" | "cjson.encode_keep_buffer" => {
            facts.origins.constant(first.origin) == Some(Const::True)
        }
        _ => facts.origins.constant(first.origin) == Some(Const::False),
    };
    default || args.iter().any(|&arg| was_read(facts, root.origin(arg), name))
}

fn was_read(facts: &Facts, origin: OriginId, name: &str) -> bool {
    let mut read = false;
    facts.origins.leaves(origin, &mut |_, leaf| {
        read |= matches!(leaf, Origin::Apply(builtin, ..) if builtin.name() == name);
    });
    read
}

fn leak(facts: &Facts, root: &Root, name: &str, at: ValueId) -> Finding {
    let Op::Call { args, .. } = root.op(at) else { return Finding::new(root.span(at), name) };
    let finding = match facts.number(root.value(args[0])) {
        Some(digits) if name == "cjson.encode_number_precision" && DIGITS < digits => {
            let message = format!("`{name}` takes at most {DIGITS} digits: the call ends the script");
            Finding::new(root.span(at), message).grade(Severity::Error).help("write long numbers as strings")
        }
        _ => {
            let message = format!("`{name}` changes the setting for all later scripts of the server too");
            let finding = Finding::new(root.span(at), message);
            match name.starts_with("cjson.") {
                true => finding.help("set it on a copy of your own: `local json = cjson.new()`"),
                false => finding.help("leave it out"),
            }
        }
    };
    finding.labels(root.call_labels(at))
}
