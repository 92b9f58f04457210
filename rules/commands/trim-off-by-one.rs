use crate::{
    commands::Flag,
    events::Event,
    facts::{Facts, Form, Root},
    graph::Order,
    ir::{BinaryOp, Const, Op, ValueId},
    origin::{Origin, OriginId},
    rule::Finding,
};

/// A number: a literal, or a value or its negative plus a literal.
#[derive(Clone, Copy, PartialEq)]
struct Linear {
    /// With a minus before it?
    base: Option<(OriginId, bool)>,
    plus: f64,
}

/// What the script tests the size of a key against: there are to be so many at most.
struct Limit {
    key: OriginId,
    count: Linear,
    at: ValueId,
}

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in &facts.roots {
        let mut trims = root.events().iter().filter(|event| kept(facts, event).is_some()).peekable();
        if trims.peek().is_none() {
            continue;
        }
        let limits: Vec<Limit> = root.all(Form::Binary).filter_map(|at| limit(facts, root, at)).collect();
        findings.extend(trims.filter_map(|trim| off_by_one(facts, root, trim, &limits)));
    }
    findings
}

fn off_by_one(facts: &Facts, root: &Root, trim: &Event, limits: &[Limit]) -> Option<Finding> {
    let kept = kept(facts, trim)?;
    let key = trim.args.first()?.value.origin;
    let own = || limits.iter().filter(|limit| limit.key == key && limit.count.base == kept.base);
    if own().any(|limit| limit.count == kept) {
        return None;
    }
    let limit = own().find(|limit| (kept.plus - limit.count.plus).abs() == 1.0)?;
    let more = limit.count.plus < kept.plus;
    // Room for one that is added afterwards.
    let adds = |event: &&Event| {
        let same = event.args.first().is_some_and(|arg| arg.value.origin == key);
        same && event.command.is_some_and(|command| command.ever(Flag::Denyoom))
    };
    if !more && root.writes().filter(adds).any(|event| root.before(trim.at, event.at) != Order::Never) {
        return None;
    }
    let side = if more { "one more" } else { "one less" };
    let name = trim.shown_name();
    let message = format!("{name} keeps {side} than the limit that the size is tested against");
    let help = match (name, more) {
        ("LTRIM", _) => "keep n: `LTRIM key 0 n-1` or `LTRIM key -n -1`",
        (_, _) => "keep the n highest: `ZREMRANGEBYRANK key 0 -(n+1)`",
    };
    let finding = Finding::new(root.span(trim.at), message).aside(root.span(limit.at), "the limit").help(help);
    Some(finding.labels(root.call_labels(trim.at)))
}

/// How many the command leaves.
fn kept(facts: &Facts, event: &Event) -> Option<Linear> {
    let [_, start, stop] = event.args.get(..3)? else { return None };
    if [start, stop].into_iter().any(|arg| arg.spread.is_some()) {
        return None;
    }
    let (start, stop) = (linear(facts, start.value.origin)?, linear(facts, stop.value.origin)?);
    let literal = |number: Linear, is: f64| number.base.is_none() && number.plus == is;
    let from_end = |number: Linear| match number.base {
        Some((_, negative)) => negative,
        None => number.plus < 0.0,
    };
    match event.command?.name {
        "LTRIM" if literal(start, 0.0) && !from_end(stop) => Some(Linear { plus: stop.plus + 1.0, ..stop }),
        "LTRIM" if literal(stop, -1.0) && from_end(start) => Some(negated(start)),
        "ZREMRANGEBYRANK" if literal(start, 0.0) && from_end(stop) => {
            let last = negated(stop);
            Some(Linear { plus: last.plus - 1.0, ..last })
        }
        "ZREMRANGEBYRANK" if literal(stop, -1.0) && !from_end(start) => Some(start),
        _ => None,
    }
}

/// `size > n`, `size <= n`, or turned round.
fn limit(facts: &Facts, root: &Root, at: ValueId) -> Option<Limit> {
    let Op::Binary(op, a, b) = *root.op(at) else { return None };
    let (size, bound) = match op {
        BinaryOp::Gt | BinaryOp::Le => (a, b),
        BinaryOp::Lt | BinaryOp::Ge => (b, a),
        _ => return None,
    };
    let Origin::Reply(call) = *facts.origins.get(facts.origins.present(root.origin(size))) else { return None };
    let event = root.event(call)?;
    let counts = matches!(event.command?.name, "LLEN" | "ZCARD" | "LPUSH" | "RPUSH" | "LPUSHX" | "RPUSHX");
    let key = event.args.first()?.value.origin;
    let count = linear(facts, root.origin(bound))?;
    (counts && key != OriginId::UNKNOWN).then_some(Limit { key, count, at })
}

fn negated(number: Linear) -> Linear {
    Linear { base: number.base.map(|(base, negative)| (base, !negative)), plus: -number.plus }
}

fn linear(facts: &Facts, origin: OriginId) -> Option<Linear> {
    let origins = &facts.origins;
    let literal = |plus: f64| Some(Linear { base: None, plus });
    let sum = |a: Linear, b: Linear| match (a.base, b.base) {
        (base, None) | (None, base) => Some(Linear { base, plus: a.plus + b.plus }),
        (Some(_), Some(_)) => None,
    };
    match origins.get(origins.present(origin)) {
        Origin::Unknown => None,
        Origin::Literal(Const::Number(number)) => literal(number.get()),
        Origin::Literal(Const::Text(text)) => literal(std::str::from_utf8(facts.texts.get(*text)).ok()?.parse().ok()?),
        Origin::Negate(inner) => linear(facts, *inner).map(negated),
        Origin::Binary(BinaryOp::Add, a, b) => sum(linear(facts, *a)?, linear(facts, *b)?),
        Origin::Binary(BinaryOp::Sub, a, b) => sum(linear(facts, *a)?, negated(linear(facts, *b)?)),
        Origin::Apply(builtin, parts, 0) if builtin.name() == "tonumber" => linear(facts, *parts.first()?),
        Origin::Concat(parts) => match parts[..] {
            [minus, number] if origins.constant(minus).is_some_and(|one| is_minus(facts, one)) => {
                linear(facts, number).map(negated)
            }
            _ => None,
        },
        _ => Some(Linear { base: Some((origins.present(origin), false)), plus: 0.0 }),
    }
}

fn is_minus(facts: &Facts, constant: Const) -> bool {
    matches!(constant, Const::Text(text) if facts.texts.get(text) == b"-")
}
