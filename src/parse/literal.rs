//! The values of literals, from their bytes in the script: full_moon's tree holds them changed.

use std::borrow::Cow;

/// The value of a number as it stands in a script, by Lua's rules (`luaO_str2d` with glibc's `strtod`): decimal with an
/// exponent, or hexadecimal, where `0x1p4` is 16 and no point is taken.
pub(crate) fn number(word: &[u8]) -> Option<f64> {
    match word {
        [b'0', b'x' | b'X', digits @ ..] => hexadecimal(digits),
        _ => {
            let plain = word.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
            std::str::from_utf8(word).ok().filter(|_| plain)?.parse().ok()
        }
    }
}

fn hexadecimal(word: &[u8]) -> Option<f64> {
    let split = word.iter().position(|byte| matches!(byte, b'p' | b'P'));
    let (digits, power) = match split {
        Some(at) => (&word[..at], &word[at + 1..]),
        None => (word, &b"0"[..]),
    };
    if digits.is_empty() || power.is_empty() || !power.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // 60 bits and one that stands for all that follow are enough to round to the 53 of a double.
    let mut mantissa = 0_u64;
    let mut exponent = decimal(power);
    for &byte in digits {
        let digit = u64::from(char::from(byte).to_digit(16)?);
        if mantissa < 1 << 56 {
            mantissa = mantissa << 4 | digit;
        } else {
            exponent = exponent.saturating_add(4);
            mantissa |= u64::from(digit != 0);
        }
    }
    // Zero times an infinite power would be NaN.
    Some(match mantissa {
        0 => 0.0,
        _ => mantissa as f64 * f64::powi(2.0, i32::try_from(exponent).unwrap_or(i32::MAX)),
    })
}

/// The value of decimal digits; huge ones saturate.
pub(crate) fn decimal(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |value: u32, byte| value.saturating_mul(10).saturating_add(u32::from(byte - b'0')))
}

/// The bytes that a string literal stands for, brackets or quotes given with it. The literal is one that the lexical
/// pass took.
pub(crate) fn string(word: &[u8]) -> Cow<'_, [u8]> {
    if word.starts_with(b"[") {
        return long(word);
    }
    let inside = word.get(1..word.len().saturating_sub(1)).unwrap_or_default();
    if !inside.contains(&b'\\') {
        return Cow::Borrowed(inside);
    }
    let mut value = Vec::with_capacity(inside.len());
    let mut rest = inside;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'\\' {
            rest = escape(rest, &mut value);
        } else {
            value.push(byte);
        }
    }
    Cow::Owned(value)
}

/// Adds what the escape sequence after a `\` stands for; returns what follows it.
fn escape<'a>(rest: &'a [u8], value: &mut Vec<u8>) -> &'a [u8] {
    let Some((&first, after)) = rest.split_first() else {
        return rest;
    };
    value.push(match first {
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0C,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0B,
        b'\n' | b'\r' => {
            value.push(b'\n');
            return after_newline(rest);
        }
        b'0'..=b'9' => {
            let digits = rest.iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
            value.push(decimal(&rest[..digits]) as u8);
            return &rest[digits..];
        }
        other => other,
    });
    after
}

/// The string in long brackets: a first line end is dropped, every other is one line feed.
fn long(word: &[u8]) -> Cow<'_, [u8]> {
    let bracket = word.iter().skip(1).take_while(|&&byte| byte == b'=').count() + 2;
    let mut inside = word.get(bracket..word.len().saturating_sub(bracket)).unwrap_or_default();
    if matches!(inside.first(), Some(b'\n' | b'\r')) {
        inside = after_newline(inside);
    }
    if !inside.contains(&b'\r') {
        return Cow::Borrowed(inside);
    }
    let mut value = Vec::with_capacity(inside.len());
    while let Some((&byte, after)) = inside.split_first() {
        if matches!(byte, b'\n' | b'\r') {
            value.push(b'\n');
            inside = after_newline(inside);
        } else {
            value.push(byte);
            inside = after;
        }
    }
    Cow::Owned(value)
}

/// What follows the line end that `text` starts with: CR, LF, CRLF or LFCR.
fn after_newline(text: &[u8]) -> &[u8] {
    match text {
        [b'\r', b'\n', rest @ ..] | [b'\n', b'\r', rest @ ..] | [_, rest @ ..] => rest,
        [] => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_strtod_reads_them() {
        for (word, value) in [
            ("0", 0.0),
            ("08", 8.0),
            ("5.", 5.0),
            (".5", 0.5),
            ("5.e3", 5000.0),
            ("3E-2", 0.03),
            ("0x10", 16.0),
            ("0XfF", 255.0),
            ("0x1p4", 16.0),
            ("0xep1", 28.0),
            ("1e999", f64::INFINITY),
            ("0x0p99999", 0.0),
            ("0x20000000000001", 9007199254740992.0),
            ("0x20000000000003", 9007199254740996.0),
            ("0x200000000000010000000000001", 2f64.powi(105) * 1.0000000000000002),
        ] {
            assert_eq!(number(word.as_bytes()), Some(value), "{word}");
        }
        for word in ["0x", "0xg", "1..2", "3e", "3e+", "0x1p", "0xp4", "1_000", "0b1", "5LL", "1e5f", "inf"] {
            assert_eq!(number(word.as_bytes()), None, "{word}");
        }
    }

    #[test]
    fn strings_are_read_as_lua_reads_them() {
        for (word, value) in [
            (&b"'a'"[..], &b"a"[..]),
            (br#""\65\0\255\0099""#, b"A\0\xFF\x099"),
            (br"'\n\\\'\q\x41'", b"\n\\'qx41"),
            (b"'a\\\r\nb'", b"a\nb"),
            (b"'\xFF'", b"\xFF"),
            (b"[[\r\na\rb\n\rc]]", b"a\nb\nc"),
            (b"[==[\n\n]=]]==]", b"\n]=]"),
            (b"''", b""),
        ] {
            assert_eq!(string(word), value, "{}", word.escape_ascii());
        }
    }
}
