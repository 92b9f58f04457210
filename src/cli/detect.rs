//! Is a Lua file a Redis script? It is if its code, outside strings and comments, uses what only Redis gives to scripts and
//! does not load modules, which Redis scripts can't.

use crate::scan::{Part, Scan, word_end};

/// Fields of `redis` and `server` that name Redis's API and no client library's.
const API: [&[u8]; 8] =
    [b"call", b"pcall", b"register_function", b"error_reply", b"status_reply", b"sha1hex", b"log", b"setresp"];

/// Does the text use the Redis API, and not `require`?
pub(super) fn is_script(text: &[u8]) -> bool {
    let mut uses = text.starts_with(b"#!lua");
    // The last byte of code: behind a dot or colon a name is a field.
    let mut before = b' ';
    for part in Scan::new(text) {
        let end = match part {
            Part::Line(_) => continue,
            Part::Closed(range) if text[range.start] == b'-' => continue,
            Part::Closed(range) => range.end,
            Part::Word(range) => {
                let word = &text[range.clone()];
                if !word[0].is_ascii_digit() && before != b'.' && before != b':' {
                    if word == b"require" && matches!(next(text, range.end), Some(b'(' | b'"' | b'\'' | b'[')) {
                        return false;
                    }
                    uses |= is_api(text, word, range.end);
                }
                range.end
            }
            Part::Sign(at) => at + 1,
        };
        before = text[end - 1];
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

/// The first byte of code at or after `at` that is no blank.
fn next(text: &[u8], at: usize) -> Option<u8> {
    text[at..].iter().copied().find(|byte| !byte.is_ascii_whitespace())
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
