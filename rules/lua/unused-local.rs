use rustc_hash::FxHashSet;

use crate::{
    facts::{Facts, Root},
    ir::{Block, FuncId, LocalId, Op, Terminator},
    rule::Finding,
    source::Span,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let read = facts.program.read_locals();
    let mut functions = FxHashSet::default();
    for function in &facts.program.functions {
        for inst in &function.insts {
            if let Op::Set(local, value) = inst.op
                && matches!(function.op(value), Op::Closure(_))
            {
                functions.insert(local);
            }
        }
    }
    let names_only = names_only(facts);
    let mut findings = Vec::new();
    // The statement that a later local, which is read, stands in.
    let mut needed = None;
    for (at, local) in facts.program.locals.iter().enumerate().rev() {
        let Some(name) = local.name else { continue };
        let Some(statement) = declaration(&facts.source.text, name) else { continue };
        let id = LocalId(at as u32);
        if read.contains(&id) {
            needed = Some(statement);
            continue;
        }
        let shown = facts.source.snippet(name);
        // The next piece of the script may read it.
        if names_only && local.function == FuncId(0) {
            continue;
        }
        if functions.contains(&id) || needed == Some(statement) || shown.starts_with('_') {
            continue;
        }
        findings.push(Finding::new(name, format!("`{shown}` is never read")).help("remove it, or use it"));
    }
    findings
}

/// Is the text a piece of a script, or does it do nothing but give names?
fn names_only(facts: &Facts) -> bool {
    let does_nothing = |root: &Root| {
        let returns = |block: &Block| matches!(&block.end, Terminator::Return { values, .. } if !values.is_empty());
        root.events().is_empty() && !root.function.blocks.iter().any(returns)
    };
    facts.is_piece || facts.roots.iter().all(does_nothing)
}

/// Where the `local` stands that declares the name: parameters and variables of loops have none.
fn declaration(text: &[u8], name: Span) -> Option<usize> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut before = text.get(..name.start as usize)?.trim_ascii_end();
    while let Some(rest) = before.strip_suffix(b",") {
        let rest = rest.trim_ascii_end();
        before = rest[..rest.len() - rest.iter().rev().take_while(|byte| is_word(byte)).count()].trim_ascii_end();
    }
    let start = before.len().checked_sub(b"local".len())?;
    let alone = start.checked_sub(1).is_none_or(|at| !is_word(&before[at]));
    (before.ends_with(b"local") && alone).then_some(start)
}
