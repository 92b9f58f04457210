//! Says what a refused word is: syntax of later Luas and of other languages by its name, and what to write instead.

use super::{
    SyntaxError,
    lex::{Keyword, Kind, Token, is_name_byte},
};
use crate::source::Span;

/// Bytes of a word that a message quotes; longer ones are cut.
const QUOTED: usize = 40;

const LUA_52: &str = "is Lua 5.2 syntax, the server runs Lua 5.1";
const LUA_53: &str = "is a Lua 5.3 operator, the server runs Lua 5.1";
const NOT_LUA: &str = "is not Lua";

/// Signs by how they begin, the longer ones first: what they are and what to write.
const SIGNS: &[(&str, &str, &str)] = &[
    ("===", NOT_LUA, "write `==`"),
    ("!==", NOT_LUA, "write `~=`"),
    ("..=", NOT_LUA, "write `x = x .. y`"),
    ("!=", NOT_LUA, "write `~=`"),
    ("<>", NOT_LUA, "write `~=`"),
    ("&&", NOT_LUA, "write `and`"),
    ("||", NOT_LUA, "write `or`"),
    ("++", NOT_LUA, "write `x = x + 1`"),
    ("+=", NOT_LUA, "write `x = x + y`"),
    ("-=", NOT_LUA, "write `x = x - y`"),
    ("*=", NOT_LUA, "write `x = x * y`"),
    ("/=", NOT_LUA, "write `x = x / y`, or `~=` to compare"),
    ("%=", NOT_LUA, "write `x = x % y`"),
    ("^=", NOT_LUA, "write `x = x ^ y`"),
    ("=>", NOT_LUA, "write `=` in a table, and `function() ... end` for a function"),
    ("->", NOT_LUA, "write `.` or `:` for a member, and `function() ... end` for a function"),
    ("/*", "opens no comment in Lua", "write `--`, or `--[[ ... ]]` over several lines"),
    ("//", LUA_53, "write `math.floor(a / b)`; a comment begins with `--`"),
    ("<<", LUA_53, "call `bit.lshift`"),
    (">>", LUA_53, "call `bit.rshift`"),
    ("::", "begins a label of Lua 5.2, the server runs Lua 5.1", "leave loops with `break` or `return`"),
    ("#!", "is only taken as the first bytes of the script", "move it to the very start, or remove it"),
    ("#", "begins no comment in Lua", "write `--`"),
    ("&", LUA_53, "call `bit.band`"),
    ("|", LUA_53, "call `bit.bor`"),
    ("~", LUA_53, "call `bit.bxor` or `bit.bnot`; `not equal` is `~=`"),
    ("!", NOT_LUA, "write `not`"),
    ("?", NOT_LUA, "write `condition and this or that`, or `if`"),
    ("`", "is no quote in Lua", "write `\"`, or `[[ ... ]]` over several lines"),
    ("\\", "stands outside of a string", "write a line end or a quote as it is"),
];

/// Words that stand before another where Lua has no such statement: what they are and what to write.
const WORDS: &[(&str, &str, &str)] = &[
    ("goto", LUA_52, "leave loops with `break` or `return`, and skip code with `if`"),
    ("let", NOT_LUA, "write `local`"),
    ("var", NOT_LUA, "write `local`"),
    ("const", NOT_LUA, "write `local`"),
    ("elif", NOT_LUA, "write `elseif`"),
    ("elsif", NOT_LUA, "write `elseif`"),
    ("def", NOT_LUA, "write `local function`"),
    ("fn", NOT_LUA, "write `local function`"),
    ("func", NOT_LUA, "write `local function`"),
    ("throw", NOT_LUA, "call `error`"),
    ("raise", NOT_LUA, "call `error`"),
];

fn error(span: Span, message: String, help: &str) -> Box<SyntaxError> {
    SyntaxError::new(span, message, Some(help))
}

/// What the refused word is, if it is known from elsewhere.
pub(super) fn name(text: &[u8], previous: Option<Token>, token: Token) -> Option<Box<SyntaxError>> {
    let Kind::Sign(byte) = token.kind else {
        let sign = if token.kind == Kind::Concat { sign(text, token.span.start, "..=".len()) } else { None };
        return sign.or_else(|| word(text, previous?, token));
    };
    if !byte.is_ascii() || byte.is_ascii_control() {
        return Some(character(text, token.span.start));
    }
    if let Some(previous) = previous {
        if previous.kind == Kind::Name
            && byte == b'<'
            && let Some(end) = attribute(text, token.span.start)
        {
            let span = Span::new(token.span.start, end);
            return Some(error(
                span,
                format!("`{}` is Lua 5.4 syntax, the server runs Lua 5.1", shown(text, span)),
                "remove it",
            ));
        }
        if is(text, previous, "continue") {
            return word(text, previous, token);
        }
        let joined = matches!(previous.kind, Kind::Sign(_) | Kind::Equal) && previous.span.end == token.span.start;
        if joined && let Some(error) = sign(text, previous.span.start, 2) {
            return Some(error);
        }
    }
    sign(text, token.span.start, 1)
}

/// The foreign sign of at least so many bytes that starts there.
fn sign(text: &[u8], start: u32, least: usize) -> Option<Box<SyntaxError>> {
    let rest = &text[start as usize..];
    let &(spelling, what, help) =
        SIGNS.iter().find(|(spelling, ..)| least <= spelling.len() && rest.starts_with(spelling.as_bytes()))?;
    let span = Span::new(start, start + spelling.len() as u32);
    let quoted = if spelling == "`" { "a backtick".into() } else { format!("`{spelling}`") };
    Some(error(span, format!("{quoted} {what}"), help))
}

fn is(text: &[u8], token: Token, word: &str) -> bool {
    token.kind == Kind::Name && &text[token.span.range()] == word.as_bytes()
}

/// A word that is a statement elsewhere, before the refused one.
fn word(text: &[u8], previous: Token, token: Token) -> Option<Box<SyntaxError>> {
    if is(text, previous, "continue") {
        return Some(error(
            previous.span,
            format!("`continue` {NOT_LUA}"),
            "put the rest of the loop's body into an `if`",
        ));
    }
    let quote = text[previous.span.end as usize - 1];
    let joined = previous.span.end == token.span.start;
    if token.kind == Kind::Name && joined && matches!(quote, b'"' | b'\'') {
        return Some(error(
            token.span,
            format!("the string ends before `{}`", shown(text, token.span)),
            &format!("write `\\{}` for a quote inside of the string", char::from(quote)),
        ));
    }
    if token.kind != Kind::Name && !matches!(token.kind, Kind::Keyword(Keyword::Function | Keyword::Not)) {
        return None;
    }
    let &(_, what, help) = WORDS.iter().find(|(word, ..)| is(text, previous, word))?;
    Some(error(previous.span, format!("`{}` {what}", shown(text, previous.span)), help))
}

/// The end of the `<const>` or `<close>` that starts there.
fn attribute(text: &[u8], start: u32) -> Option<u32> {
    let inside = &text[start as usize + 1..];
    let end = inside.iter().position(|&byte| byte == b'>')?;
    matches!(inside[..end].trim_ascii(), b"const" | b"close").then_some(start + 2 + end as u32)
}

/// A character that stands in no Lua program outside of strings and comments.
fn character(text: &[u8], start: u32) -> Box<SyntaxError> {
    let rest = &text[start as usize..];
    let first = rest.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
    let span = Span::new(start, start + first.map_or(1, char::len_utf8) as u32);
    let Some(found) = first else {
        return error(
            span,
            format!("the byte 0x{:02X} stands outside of a string or comment", rest[0]),
            "remove it, or save the file as UTF-8",
        );
    };
    let code = u32::from(found);
    let (message, help) = match found {
        '\u{FEFF}' if start == 0 => ("the script begins with a byte order mark".into(), "save the file without BOM"),
        '“' | '”' | '„' | '«' | '»' => (format!("`{found}` is no quote in Lua"), "write `\"`"),
        '‘' | '’' | '‚' => (format!("`{found}` is no quote in Lua"), "write `'`"),
        '–' | '—' | '−' => (format!("`{found}` (U+{code:04X}) is no minus in Lua"), "write `-`"),
        '≠' => (format!("`{found}` {NOT_LUA}"), "write `~=`"),
        '≤' => (format!("`{found}` {NOT_LUA}"), "write `<=`"),
        '≥' => (format!("`{found}` {NOT_LUA}"), "write `>=`"),
        _ if found.is_whitespace() => (format!("the character U+{code:04X} is no blank in Lua"), "write a plain space"),
        _ if found.is_alphabetic() => (
            format!("`{found}` (U+{code:04X}) stands outside of a string or comment"),
            "write names with ASCII letters, digits and `_`",
        ),
        _ if found.is_control() || matches!(found, '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{AD}') => {
            (format!("the invisible character U+{code:04X} stands outside of a string or comment"), "remove it")
        }
        _ => (format!("`{found}` (U+{code:04X}) stands outside of a string or comment"), "remove it"),
    };
    error(span, message, help)
}

/// A `;` that ends nothing.
pub(super) fn empty_statement(semicolon: Token) -> Box<SyntaxError> {
    error(semicolon.span, format!("an empty statement {LUA_52}"), "remove the `;`")
}

/// A number that isn't one.
pub(super) fn number(span: Span, text: &[u8]) -> Box<SyntaxError> {
    let word = &text[span.range()];
    let shown = shown(text, span);
    let lower = word.to_ascii_lowercase();
    let (message, help) = if lower.starts_with(b"0b") {
        (format!("the binary number `{shown}` {NOT_LUA}"), "write it in decimal or as `0x...`")
    } else if lower.contains(&b'_') {
        (format!("`{shown}` is no number in Lua"), "remove the `_`")
    } else if lower.ends_with(b"ll") || lower.ends_with(b"i") {
        (format!("`{shown}` is LuaJIT syntax, the server runs Lua 5.1"), "remove the suffix")
    } else if lower.windows(2).any(|two| two == b"..") {
        (format!("`{shown}` is no number"), "write a blank before `..`")
    } else if word.iter().all(|&byte| is_name_byte(byte)) && !lower.starts_with(b"0x") {
        (format!("`{shown}` is no number, and a name can't begin with a digit"), "begin the name with a letter")
    } else {
        (format!("`{shown}` is no number"), "write it as `10`, `1.5`, `1e3` or `0xff`")
    };
    error(span, message, help)
}

/// A string or comment that goes on to the end of its line or of the script.
pub(super) fn unclosed(what: &str, span: Span, text: &[u8]) -> Box<SyntaxError> {
    let word = &text[span.range()];
    let bracket = word.strip_prefix(b"--").unwrap_or(word);
    if let [b'[', level @ ..] = bracket {
        let level: String = level.iter().take_while(|&&byte| byte == b'=').map(|_| '=').collect();
        let opener = (word.len() - bracket.len() + level.len() + 2) as u32;
        return error(
            Span::new(span.start, span.start + opener),
            format!("the {what} is never closed"),
            &format!("close it with `]{level}]`"),
        );
    }
    let quote = char::from(word[0]);
    error(
        span,
        format!("the {what} isn't closed on its line"),
        &format!("close it with `{quote}`, and write `\\n` for a line end in it"),
    )
}

/// `\` with a number above 255.
pub(super) fn escape(span: Span, text: &[u8]) -> Box<SyntaxError> {
    error(span, format!("`{}` is no byte", shown(text, span)), "write a number up to `\\255`")
}

/// `[=` that opens nothing.
pub(super) fn bracket(span: Span, text: &[u8]) -> Box<SyntaxError> {
    let shown = shown(text, span);
    error(span, format!("`{shown}` begins a long string, but isn't followed by `[`"), &format!("write `{shown}[`"))
}

/// The word as messages show it: in backticks, the first line of it, cut where it is long.
#[expect(clippy::wildcard_enum_match_arm, reason = "most words are shown as they are")]
pub(super) fn quote(text: &[u8], token: Token) -> String {
    match token.kind {
        Kind::End => "the end of the script".into(),
        Kind::Text => "a string".into(),
        Kind::Sign(byte) if !byte.is_ascii_graphic() => format!("the byte 0x{byte:02X}"),
        Kind::Sign(b'`') => "a backtick".into(),
        _ => format!("`{}`", shown(text, token.span)),
    }
}

fn shown(text: &[u8], span: Span) -> String {
    let word = &text[span.range()];
    let cut = word.iter().take(QUOTED).take_while(|byte| byte.is_ascii_graphic()).count();
    let end = if cut < word.len() { "..." } else { "" };
    format!("{}{end}", String::from_utf8_lossy(&word[..cut]))
}
