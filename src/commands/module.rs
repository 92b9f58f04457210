//! Commands of modules, as a config declares them.

use super::{
    COMMANDS, Command, CommandId, Flag, Group,
    keys::{Access, Extent, KeySpec},
    reply::{Answer, Case, High, Length, Shape},
};
use crate::{commands::Servers, value::Kinds};

/// What a config says of a command.
#[derive(Clone, Debug)]
pub struct Declared {
    pub name: String,
    /// Words of a call, the command's own included; negative: at least so many.
    pub arity: i16,
    pub keys: Option<KeyRange>,
    pub flags: Vec<Flag>,
    pub reply: Kinds,
}

/// As in the reply of COMMAND: positions count the name as 0, a negative last one counts from the end.
#[derive(Clone, Copy, Debug)]
pub struct KeyRange {
    pub first: i8,
    pub last: i8,
    pub step: u8,
}

/// A row of the table for the `number`th command of a config. Rows are static, and the few of a config stay as long as the program runs.
pub fn declare(declared: &Declared, number: usize) -> &'static Command {
    let access = match declared.flags.contains(&Flag::Write) {
        true => Access::RW.or(Access::ACCESS).or(Access::UPDATE),
        false => Access::RO.or(Access::ACCESS),
    };
    let spec = declared.keys.map(|KeyRange { first, last, step }| KeySpec {
        word: None,
        begin: first,
        extent: if last < 0 { Extent::To(last) } else { Extent::More(last - first) },
        step,
        access,
    });
    let flags: Vec<(Flag, Servers)> = declared.flags.iter().map(|&flag| (flag, Servers::ALL)).collect();
    let answer = Answer::Is {
        kinds: declared.reply,
        low: i32::MIN,
        high: High::Is(i32::MAX),
        element: Kinds::ANY,
        length: Length::Between(0, i32::MAX),
        shape: Shape::Nested,
        whole: false,
    };
    Box::leak(Box::new(Command {
        id: CommandId((COMMANDS.len() + number) as u16),
        name: declared.name.to_ascii_uppercase().leak(),
        group: Group::Generic,
        servers: Servers::ALL,
        arity: declared.arity,
        arities: &[],
        flags: flags.leak(),
        cost: "?",
        specs: Vec::from_iter(spec).leak(),
        grammar: None,
        valkey_grammar: None,
        deprecated: Servers::NONE,
        replies: vec![Case { when: &[], answer }].leak(),
        takes: Some(&[]),
        makes: None,
        repeats: None,
    }))
}
