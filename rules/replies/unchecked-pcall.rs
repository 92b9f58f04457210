use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::{
    events::{Event, Protection},
    facts::{Facts, Root},
    ir::{BinaryOp, Op, Terminator, ValueId},
    origin::Origin,
    rule::{Edit, Finding, Safety},
    source::Span,
    value::Kinds,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        let mut uses = None;
        for event in root.events() {
            findings.extend(match event.protection {
                Protection::None => None,
                Protection::Reply => {
                    let uses = uses.get_or_insert_with(|| uses_of_replies(facts, root));
                    unchecked_reply(facts, root, event, uses)
                }
                Protection::Caught => ignored_outcome(facts, root, event),
            });
        }
    }
    findings
}

/// What a root does with the replies of its `redis.pcall`s, by call.
#[derive(Default)]
struct Uses {
    /// Calls of whose reply `.err` or `.ok` is read.
    looked_at: FxHashSet<ValueId>,
    /// Where a reply that may be an error is first used as data.
    used: FxHashMap<ValueId, ValueId>,
    /// Where one is first a condition.
    tested: FxHashMap<ValueId, ValueId>,
}

fn uses_of_replies(facts: &Facts, root: &Root) -> Uses {
    let mut uses = Uses::default();
    for block in root.blocks() {
        let code = root.function.block(block);
        for &at in &code.insts {
            for operand in data_operands(facts, root, at, &mut uses.looked_at) {
                if let Some(call) = failing(facts, root, operand) {
                    uses.used.entry(call).or_insert(operand);
                }
            }
        }
        if let Terminator::Branch { cond, .. } = code.end
            && let Some(call) = failing(facts, root, cond)
        {
            uses.tested.entry(call).or_insert(cond);
        }
    }
    uses
}

/// What the instruction takes for a reply. Reading `.err` or `.ok` is a look at the outcome.
fn data_operands(
    facts: &Facts,
    root: &Root,
    at: ValueId,
    looked_at: &mut FxHashSet<ValueId>,
) -> SmallVec<[ValueId; 2]> {
    match root.op(at) {
        Op::Index(base, key) if is_outcome(facts, root, *key) => {
            looked_at.extend(facts.origins.reply(root.origin(*base)));
            SmallVec::new()
        }
        Op::Index(base, _) => SmallVec::from_slice(&[*base]),
        Op::Binary(op, a, b) if !matches!(op, BinaryOp::Eq | BinaryOp::Ne) => SmallVec::from_slice(&[*a, *b]),
        Op::Length(of) | Op::Negate(of) => SmallVec::from_slice(&[*of]),
        Op::Call { args, .. } => match root.callee(facts, at) {
            // What takes anything is a test, and a function that isn't seen may be one.
            Some("type" | "tostring" | "assert" | "redis.log" | "cjson.encode" | "pcall" | "unpack" | "select")
            | None => SmallVec::new(),
            Some(_) => args.iter().copied().collect(),
        },
        _ => SmallVec::new(),
    }
}

/// The `redis.pcall` whose reply the value is, if it may be an error here.
fn failing(facts: &Facts, root: &Root, value: ValueId) -> Option<ValueId> {
    let known = root.value(value);
    let Origin::Reply(call) = *facts.origins.get(facts.origins.present(known.origin)) else { return None };
    let protected = root.event(call)?.protection == Protection::Reply;
    (protected && known.kinds.may_be(Kinds::ERROR)).then_some(call)
}

/// `pcall(redis.call, ...)` whose first result nobody reads.
fn ignored_outcome(facts: &Facts, root: &Root, event: &Event) -> Option<Finding> {
    if root.is_read(event.at) {
        return None;
    }
    let name = event.shown_name();
    let finding = Finding::new(root.span(event.at), format!("nobody looks whether {name} failed"))
        .help("test the first result of `pcall`, or use `redis.call` so that an error ends the script");
    Some(removal(event, raising(facts, root, event, finding).labels(root.call_labels(event.at))))
}

/// Where the call is a statement, it can be one that ends the script if it fails.
fn raising(facts: &Facts, root: &Root, event: &Event, finding: Finding) -> Finding {
    let Op::Call { callee, args, .. } = root.op(event.at) else { return finding };
    let call = root.span(event.at);
    let is_statement = facts.program.statements.binary_search_by_key(&call.start, |statement| statement.span.start);
    let edit = match (&*facts.source.snippet(root.span(*callee)), &args[..]) {
        (name @ ("redis.pcall" | "server.pcall"), _) => {
            Edit { span: root.span(*callee), text: name.replace("pcall", "call") }
        }
        ("pcall", &[sent, name, ..]) => {
            let text = format!("{}(", facts.source.snippet(root.span(sent)));
            Edit { span: Span::new(call.start, root.span(name).start), text }
        }
        _ => return finding,
    };
    if is_statement.is_err() { finding } else { finding.fix(Safety::Unsafe, vec![edit]) }
}

/// A removal that fails leaves behind what was there: many scripts don't care.
fn removal(event: &Event, finding: Finding) -> Finding {
    let name = event.shown_name();
    let removes = matches!(name, "DEL" | "UNLINK") || name.ends_with("REM") || name == "HDEL";
    if removes { finding.strict() } else { finding }
}

fn unchecked_reply(facts: &Facts, root: &Root, event: &Event, uses: &Uses) -> Option<Finding> {
    let name = event.shown_name();
    if !root.is_read(event.at) {
        let finding = Finding::new(
            root.span(event.at),
            format!("an error of {name} is dropped: nobody looks at what `redis.pcall` gives"),
        )
        .help("test `.err` of the reply, or use `redis.call` so that an error ends the script");
        return Some(removal(event, raising(facts, root, event, finding).labels(root.call_labels(event.at))));
    }
    let tested = uses.tested.get(&event.at).filter(|_| !uses.looked_at.contains(&event.at));
    let (at, message) = match (uses.used.get(&event.at).copied(), tested.copied()) {
        (Some(used), _) => {
            (used, format!("`{}` may be the error of {name}: nothing tested `.err`", facts.snippet(root, used)))
        }
        (None, Some(cond)) => {
            (cond, format!("`{}` is true for an error of {name} too: an error is a table", facts.snippet(root, cond)))
        }
        (None, None) => return None,
    };
    let finding = Finding::new(root.span(at), message)
        .label(root.span(event.at), "an error comes back as a table with `err`")
        .help("test it first: `if type(reply) == 'table' and reply.err then return reply end`");
    Some(finding.labels(root.call_labels(at)))
}

/// `err` or `ok`: looking at either tells an error from a reply.
fn is_outcome(facts: &Facts, root: &Root, key: ValueId) -> bool {
    matches!(facts.text(root.value(key)), Some(b"err" | b"ok"))
}
