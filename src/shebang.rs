//! The first line of a script, if it is a *shebang*: `#!lua flags=no-writes` before a script for EVAL, `#!lua name=lib` before a library
//! of functions. It is an engine and options, split at blanks; quotes hold blanks together and are no part of a word.

use crate::source::Span;

/// What a script or function may declare of itself.
pub const FLAGS: [&str; 5] = ["allow-cross-slot-keys", "allow-oom", "allow-stale", "no-cluster", "no-writes"];

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shebang {
    /// The whole line, without its end.
    pub span: Span,
    pub engine: Word,
    /// What follows the engine.
    pub options: Vec<Word>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word {
    /// Without quotes.
    pub text: String,
    pub span: Span,
}

impl Shebang {
    /// Reads the line, which begins with `#!` and is the text's first.
    pub fn read(line: &str) -> Shebang {
        let span = Span::new(0, line.len() as u32);
        let mut words = words(line, 2);
        // The engine follows right away: behind a blank it is an option of an engine without a name.
        let named = line[2..].starts_with(|letter: char| !letter.is_whitespace()) && !words.is_empty();
        let engine = if named { words.remove(0) } else { Word { text: String::new(), span: Span::new(0, 2) } };
        Shebang { span, engine, options: words }
    }

    /// `name=lib`, which only libraries have; case doesn't matter.
    pub fn name(&self) -> Option<&Word> {
        self.options.iter().find(|option| option.value("name").is_some())
    }

    /// The flags of a script, an empty one for nothing between commas; `None`: it has no option `flags`.
    pub fn flags(&self) -> Option<impl Iterator<Item = Word>> {
        let all: Vec<&Word> = self.options.iter().filter(|option| option.text.starts_with("flags=")).collect();
        let flags = |word: &Word| -> Vec<Word> {
            let text = &word.text["flags=".len()..];
            let part = |text: &str| Word { text: text.into(), span: word.span };
            if text.is_empty() { Vec::new() } else { text.split(',').map(part).collect() }
        };
        (!all.is_empty()).then(|| all.into_iter().flat_map(flags))
    }

    pub fn has_flag(&self, name: &str) -> bool {
        self.flags().is_some_and(|mut flags| flags.any(|flag| flag.text == name))
    }
}

impl Word {
    /// What follows `key=`, the key in any case.
    pub fn value(&self, key: &str) -> Option<&str> {
        let (own, value) = self.text.split_once('=')?;
        own.eq_ignore_ascii_case(key).then_some(value)
    }
}

fn words(line: &str, from: usize) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut quote = None;
    let mut open: Option<Word> = None;
    for (at, letter) in line.char_indices().skip_while(|&(at, _)| at < from) {
        match (quote, letter) {
            (None, blank) if blank.is_ascii_whitespace() => words.extend(open.take()),
            _ => {
                let end = (at + letter.len_utf8()) as u32;
                let word = open.get_or_insert_with(|| Word { text: String::new(), span: Span::new(at as u32, end) });
                word.span.end = end;
                match (quote, letter) {
                    (None, '"' | '\'') => quote = Some(letter),
                    (Some(mark), _) if mark == letter => quote = None,
                    _ => word.text.push(letter),
                }
            }
        }
    }
    words.extend(open);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_at_blanks() {
        let shebang = Shebang::read("#!lua\tNAME=\"my lib\"  flags=no-writes,,allow-oom ");
        assert_eq!(shebang.engine.text, "lua");
        assert_eq!(shebang.name().and_then(|name| name.value("name")), Some("my lib"));
        let flags: Vec<String> = shebang.flags().into_iter().flatten().map(|flag| flag.text).collect();
        assert_eq!(flags, ["no-writes", "", "allow-oom"]);
        assert_eq!(shebang.options[1].span, Span::new(21, 47));
        assert_eq!(Shebang::read("#! lua").engine.text, "");
        assert_eq!(Shebang::read("#!").options, []);
        assert!(Shebang::read("#!lua flags=").flags().is_some_and(|mut flags| flags.next().is_none()));
    }
}
