use crate::{
    facts::Facts,
    ir::{BlockId, Const, Function, LoopKind, Op, Terminator},
    rule::Finding,
    source::Span,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for function in &facts.program.functions {
        let reached = reached(function);
        // Blocks stand in the order of the text.
        let mut told = 0;
        let mut before = 0;
        for id in function.block_ids() {
            let block = function.block(id);
            let spans = || block.insts.iter().map(|&at| function.span(at));
            let end = match &block.end {
                Terminator::Return { span, .. } => *span,
                Terminator::Goto(_) | Terminator::Branch { .. } | Terminator::Raise => Span::default(),
            };
            if reached[id.index()] {
                before = before.max(spans().map(|span| span.start).max().unwrap_or(0)).max(end.start);
                continue;
            }
            let Some(first) = spans().map(|span| span.start).min().filter(|&start| before < start && told <= start)
            else {
                continue;
            };
            let Some(statement) = statement(facts, first, before) else { continue };
            told = statement.end;
            // A `return` that ends a function after an `error(...)` or an `if` that returns on all ways harms nobody.
            if !statement_is_return(facts, statement) {
                let message = "nothing leads here: what stands before always leaves";
                findings.push(Finding::new(statement, message).help("remove it, or the exit before it"));
            }
        }
    }
    findings
}

/// The blocks that control can come to. `while true` only ends by `break`.
fn reached(function: &Function) -> Vec<bool> {
    let mut reached = vec![false; function.blocks.len()];
    let mut work = vec![BlockId(0)];
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut reached[id.index()], true) {
            continue;
        }
        match function.block(id).end {
            Terminator::Branch { cond, yes, .. } if is_endless(function, id, function.op(cond)) => work.push(yes),
            ref end => work.extend(end.successors()),
        }
    }
    reached
}

fn is_endless(function: &Function, id: BlockId, cond: &Op) -> bool {
    let holds = matches!(cond, Op::Const(Const::True | Const::Number(_) | Const::Text(_)));
    let heads = |each: &crate::ir::Loop| each.head == id && matches!(each.kind, LoopKind::While);
    holds && function.block(id).within.is_some_and(|within| heads(&function.loops[within.index()]))
}

/// The outermost statement that begins between both places and holds the first.
fn statement(facts: &Facts, first: u32, before: u32) -> Option<Span> {
    let holds = |span: &Span| before < span.start && span.start <= first && first < span.end;
    facts.program.statements.iter().map(|statement| statement.span).find(holds)
}

fn statement_is_return(facts: &Facts, statement: Span) -> bool {
    let text = &facts.source.text[statement.range()];
    let word = |word: &[u8]| {
        text.strip_prefix(word)
            .is_some_and(|rest| !rest.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_'))
    };
    word(b"return") || word(b"break")
}
