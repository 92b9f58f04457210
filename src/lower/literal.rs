//! The values of string and number tokens, as Lua 5.1's lexer reads them.

use std::borrow::Cow;

/// The bytes that a string token, with its quotes or brackets, stands for.
pub(super) fn string(token: &[u8]) -> Cow<'_, [u8]> {
    if token.first() == Some(&b'[') {
        return long_string(token);
    }
    let body = token.get(1..token.len().saturating_sub(1)).unwrap_or_default();
    if !body.contains(&b'\\') {
        return Cow::Borrowed(body);
    }
    let mut bytes = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let Some((&escape, after)) = rest.split_first() else {
            break;
        };
        rest = after;
        bytes.push(match escape {
            b'a' => 7,
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 11,
            b'f' => 12,
            b'r' => b'\r',
            b'\n' | b'\r' => {
                rest = after_line_end(escape, rest);
                b'\n'
            }
            b'0'..=b'9' => {
                let more = rest.iter().take(2).take_while(|byte| byte.is_ascii_digit()).count();
                let (digits, after) = rest.split_at(more);
                rest = after;
                // Above 255 Lua refuses the script.
                digits.iter().fold(escape - b'0', |code, digit| code.wrapping_mul(10).wrapping_add(digit - b'0'))
            }
            other => other,
        });
    }
    Cow::Owned(bytes)
}

/// `[==[...]==]`: a line's end that comes first is dropped, each other is one `\n`.
fn long_string(token: &[u8]) -> Cow<'_, [u8]> {
    let bracket = 2 + token[1..].iter().take_while(|&&byte| byte == b'=').count();
    let mut rest = token.get(bracket..token.len().saturating_sub(bracket)).unwrap_or_default();
    if let Some((&byte @ (b'\n' | b'\r'), after)) = rest.split_first() {
        rest = after_line_end(byte, after);
    }
    if !rest.contains(&b'\r') {
        return Cow::Borrowed(rest);
    }
    let mut bytes = Vec::with_capacity(rest.len());
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if matches!(byte, b'\n' | b'\r') {
            rest = after_line_end(byte, rest);
            bytes.push(b'\n');
        } else {
            bytes.push(byte);
        }
    }
    Cow::Owned(bytes)
}

/// `\r\n` and `\n\r` are one line's end.
fn after_line_end(byte: u8, rest: &[u8]) -> &[u8] {
    match rest.split_first() {
        Some((&next @ (b'\n' | b'\r'), after)) if next != byte => after,
        _ => rest,
    }
}

/// The number that C's `strtod` reads from the whole token; `None`: it can't.
pub(super) fn number(token: &[u8]) -> Option<f64> {
    match token {
        [b'0', b'x' | b'X', digits @ ..] => hexadecimal(digits),
        _ => std::str::from_utf8(token).ok()?.parse().ok(),
    }
}

/// What follows `0x`: `1F`, `.8`, `1p4`.
fn hexadecimal(digits: &[u8]) -> Option<f64> {
    let mark = digits.iter().position(|byte| byte.eq_ignore_ascii_case(&b'p')).unwrap_or(digits.len());
    let (digits, power) = digits.split_at(mark);
    let mut exponent: i64 = match power {
        [] => 0,
        [_, power @ ..] => std::str::from_utf8(power).ok()?.parse::<i32>().ok()?.into(),
    };
    // 60 bits and one that says whether more follow: enough to round to the 53 of a double.
    let mut mantissa: u64 = 0;
    let mut seen = false;
    let mut fraction = false;
    for &byte in digits {
        if byte == b'.' && !fraction {
            fraction = true;
            continue;
        }
        let digit = u64::from(char::from(byte).to_digit(16)?);
        seen = true;
        if mantissa >> 60 == 0 {
            mantissa = mantissa << 4 | digit;
            exponent -= if fraction { 4 } else { 0 };
        } else {
            mantissa |= u64::from(digit != 0);
            exponent += if fraction { 0 } else { 4 };
        }
    }
    // In two steps, as a power may be out of range where the product is not.
    let half = exponent.clamp(-4000, 4000) as i32 / 2;
    let other = exponent.clamp(-4000, 4000) as i32 - half;
    seen.then(|| mantissa as f64 * 2f64.powi(half) * 2f64.powi(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_lua_5_1() {
        for (token, bytes) in [
            (&b"'a'"[..], &b"a"[..]),
            (b"''", b""),
            (b"'\\a\\b\\t\\n\\v\\f\\r'", b"\x07\x08\t\n\x0b\x0c\r"),
            (b"'\\\\\\'\\\"'", b"\\'\""),
            (b"'\\65\\0651\\0'", b"AA1\0"),
            (b"'\\xq'", b"xq"),
            (b"'a\\\r\nb\\\nc'", b"a\nb\nc"),
            (b"'\xff\\255'", b"\xff\xff"),
            (b"[[a\\n]]", b"a\\n"),
            (b"[==[\r\na\r\nb\rc\n\rd]]]==]", b"a\nb\nc\nd]]"),
            (b"[[\n\nx]]", b"\nx"),
            (b"[[]]", b""),
        ] {
            assert_eq!(string(token), bytes, "{}", token.escape_ascii());
        }
    }

    #[test]
    fn numbers_are_those_of_strtod() {
        for (token, value) in [
            ("3", 3.0),
            ("3.", 3.0),
            (".5", 0.5),
            ("1e3", 1000.0),
            ("1E+3", 1000.0),
            ("1e-2", 0.01),
            ("1e999", f64::INFINITY),
            ("0x10", 16.0),
            ("0Xff", 255.0),
            ("0x1p4", 16.0),
            ("0x.8", 0.5),
            ("0xA.8p1", 21.0),
            ("0xffffffffffffffff", 18446744073709551615.0),
            ("0x100000000000000000", 295147905179352825856.0),
            ("0x1p1000", 2f64.powi(1000)),
        ] {
            assert_eq!(number(token.as_bytes()), Some(value), "{token}");
        }
        for token in ["0x", "0xg", "0x1p", "3a", "1e"] {
            assert_eq!(number(token.as_bytes()), None, "{token}");
        }
    }
}
