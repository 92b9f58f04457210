use crate::{
    facts::Facts,
    ir::{Block, BlockId, Const, Function, LoopKind, Op, Terminator, ValueId},
    rule::Finding,
    source::Span,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for function in &facts.program.functions {
        for id in function.block_ids() {
            let block = function.block(id);
            let Terminator::Branch { cond, whole, .. } = block.end else { continue };
            let Op::Const(constant) = *function.op(cond) else { continue };
            let is_all = is_all(facts, whole, function.span(cond));
            if is_value(function, block, cond) || (is_all && is_loop(function, id, block, constant, whole)) {
                continue;
            }
            let holds = !matches!(constant, Const::Nil | Const::False);
            let shown = facts.source.snippet(function.span(cond));
            let because = match constant {
                Const::Number(number) if number.get() == 0.0 => ": 0 is true in Lua",
                Const::Text(text) if facts.texts.get(text).is_empty() => ": the empty string is true in Lua",
                Const::Number(_) | Const::Text(_) | Const::Nil | Const::False | Const::True => "",
            };
            let message = format!("`{shown}` is always {}{because}", if holds { "true" } else { "false" });
            let finding = Finding::new(function.span(cond), message);
            findings.push(match is_all {
                true => finding.help("remove the test"),
                false => finding.help("compare the value with it: `x == a or x == b`"),
            });
        }
    }
    findings
}

/// Is it the whole condition, parentheses aside?
fn is_all(facts: &Facts, whole: Span, cond: Span) -> bool {
    let aside = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'(' | b')');
    let text = &facts.source.text;
    whole.contains(cond)
        && text[whole.start as usize..cond.start as usize].iter().all(aside)
        && text[cond.end as usize..whole.end as usize].iter().all(aside)
}

/// Is it the value of `x and 1 or 0`, which is kept?
fn is_value(function: &Function, block: &Block, cond: ValueId) -> bool {
    let last = block.insts.last().map(|&last| function.op(last));
    matches!(last, Some(Op::Set(_, value)) if *value == cond)
}

/// `while true`, `while 1`, `repeat ... until false`, `repeat ... until true`: loops that end by `break`.
fn is_loop(function: &Function, id: BlockId, block: &Block, constant: Const, whole: Span) -> bool {
    let Some(within) = block.within else { return false };
    let own = function.loops[within.index()];
    match own.kind {
        LoopKind::While => own.head == id && !matches!(constant, Const::Nil | Const::False),
        LoopKind::Repeat => own.span.end == whole.end,
        LoopKind::Numeric { .. } | LoopKind::Generic { .. } => false,
    }
}
