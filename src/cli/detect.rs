//! Is a Lua file a Redis script? It is if its code, outside strings and comments, uses what only Redis gives to scripts and
//! does not load modules, which Redis scripts can't.

/// Fields of `redis` and `server` that name Redis's API and no client library's.
const API: [&[u8]; 8] =
    [b"call", b"pcall", b"register_function", b"error_reply", b"status_reply", b"sha1hex", b"log", b"setresp"];

/// Does the text use the Redis API, and not `require`?
pub(super) fn is_script(text: &[u8]) -> bool {
    let mut uses = text.starts_with(b"#!lua");
    let mut at = 0;
    // The last byte of code before `at`: behind a dot or colon a name is a field.
    let mut before = b' ';
    while let Some(&byte) = text.get(at) {
        let end = match byte {
            b'-' if text[at..].starts_with(b"--") => {
                at = long(text, at + 2).unwrap_or_else(|| line_end(text, at));
                continue;
            }
            b'"' | b'\'' => quoted(text, at),
            b'[' => long(text, at).unwrap_or(at + 1),
            _ if is_word(byte) => {
                let end = word_end(text, at);
                let word = &text[at..end];
                if !word[0].is_ascii_digit() && before != b'.' && before != b':' {
                    if word == b"require" && matches!(next(text, end), Some(b'(' | b'"' | b'\'' | b'[')) {
                        return false;
                    }
                    uses |= is_api(text, word, end);
                }
                end
            }
            _ => at + 1,
        };
        if !byte.is_ascii_whitespace() {
            before = text[end - 1];
        }
        at = end;
    }
    uses
}

fn is_api(text: &[u8], word: &[u8], end: usize) -> bool {
    match word {
        b"KEYS" | b"ARGV" => text.get(end) == Some(&b'['),
        b"redis" | b"server" => text.get(end) == Some(&b'.') && API.contains(&&text[end + 1..word_end(text, end + 1)]),
        _ => false,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn word_end(text: &[u8], start: usize) -> usize {
    text[start..].iter().position(|&byte| !is_word(byte)).map_or(text.len(), |length| start + length)
}

fn line_end(text: &[u8], start: usize) -> usize {
    text[start..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |length| start + length)
}

/// The first byte of code at or after `at` that is no blank.
fn next(text: &[u8], at: usize) -> Option<u8> {
    text[at..].iter().copied().find(|byte| !byte.is_ascii_whitespace())
}

/// The end of the quoted string at `start`; an unfinished one ends with its line.
fn quoted(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            _ if byte == text[start] => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// The end of the long bracket at `start`, if there is one.
fn long(text: &[u8], start: usize) -> Option<usize> {
    let rest = text[start..].strip_prefix(b"[")?;
    let level = rest.iter().take_while(|&&byte| byte == b'=').count();
    if rest.get(level) != Some(&b'[') {
        return None;
    }
    let close = [b"]".as_slice(), &b"=".repeat(level), b"]"].concat();
    let inside = start + level + 2;
    let found = text[inside..].windows(close.len()).position(|window| window == close);
    Some(found.map_or(text.len(), |length| inside + length + close.len()))
}

#[cfg(test)]
mod tests {
    use super::is_script;

    #[test]
    fn redis_scripts_are_ours() {
        for text in [
            "return redis.call('GET', KEYS[1])",
            "local call = redis.pcall",
            "return server.call('PING')",
            "return #ARGV[1]",
            "#!lua flags=no-writes\nreturn 1",
            "redis.register_function('f', function() end)",
            "x = [[ require('a') ]] return KEYS[1]",
            "-- require('x')\nreturn KEYS[1]",
            "local s = 'a\\'b' return KEYS[1]",
        ] {
            assert!(is_script(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn other_lua_is_not() {
        for text in [
            "",
            "print('hi')",
            "-- redis.call('GET')",
            "--[==[ KEYS[1] ]==] print(1)",
            "local s = \"redis.call('GET', KEYS[1])\"",
            "local redis = require 'resty.redis' redis.call('x')",
            "local red = require(\"redis\")\nKEYS[1] = 2",
            "redis.connect('x')",
            "my.redis.call('x')",
            "MYKEYS[1] = 2",
            "t.KEYS[1] = 2",
        ] {
            assert!(!is_script(text.as_bytes()), "{text}");
        }
    }
}
