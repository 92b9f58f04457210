//! Which slot of a cluster a key goes to, as far as its name is known.
//!
//! A *pattern* is a key's name with *holes*. Redis hashes the text between the first `{` and the next `}`, the *tag*, unless it is empty or
//! there is none: then the whole name. CRC16 (XMODEM) of that text modulo 16,384 is the slot (Redis cluster specification).

use crc::{CRC_16_XMODEM, Crc};

use crate::origin::OriginId;

const SLOTS: u16 = 16_384;
const CRC16: Crc<u16> = Crc::<u16>::new(&CRC_16_XMODEM);

/// The slot of a key.
pub fn slot(key: &[u8]) -> u16 {
    CRC16.checksum(tag(key).unwrap_or(key)) % SLOTS
}

/// The tag of a name.
fn tag(key: &[u8]) -> Option<&[u8]> {
    let open = key.iter().position(|&byte| byte == b'{')? + 1;
    let length = key[open..].iter().position(|&byte| byte == b'}')?;
    (0 < length).then(|| &key[open..open + length])
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    Text(Vec<u8>),
    /// A variable part as a comment or the config names it. It holds no braces: whoever writes a pattern shows them.
    Named(String),
    /// A value of the script, with any text.
    Value(OriginId),
}

/// A key's name, as far as it is known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pattern(pub Vec<Piece>);

/// What a key's slot is computed from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hashed {
    pub text: Vec<Piece>,
    /// Is it a tag, or the whole name?
    pub is_tag: bool,
}

impl Pattern {
    /// What people write in comments and in the config: variable parts are `<name>`, `*`, `%s`, `${x}`, and any text inside a tag.
    pub fn written(text: &str) -> Pattern {
        let mut pattern = Pattern::default();
        let mut rest = text;
        let mut tagged = false;
        while let Some(first) = rest.chars().next() {
            let close = |from: usize| rest[from..].find('}').map(|at| from + at);
            let (piece, length) = match first {
                '$' if rest.starts_with("${") && close(2).is_some() => hole(rest, close(2)),
                '<' if rest.contains('>') => hole(rest, rest.find('>')),
                '*' => hole(rest, Some(0)),
                '%' if rest.starts_with("%s") || rest.starts_with("%d") => hole(rest, Some(1)),
                '{' if !tagged => {
                    tagged = true;
                    // `{${x}}` holds a variable part of its own.
                    let inner = if rest.starts_with("{${") { close(3).and_then(|at| close(at + 1)) } else { close(1) };
                    match inner {
                        Some(end) if 1 < end => {
                            pattern.text(b"{");
                            pattern.0.push(Piece::Named(rest[1..end].into()));
                            pattern.text(b"}");
                            rest = &rest[end + 1..];
                            continue;
                        }
                        _ => (Piece::Text(b"{".to_vec()), 1),
                    }
                }
                other => (Piece::Text(other.to_string().into_bytes()), other.len_utf8()),
            };
            pattern.push(piece);
            rest = &rest[length..];
        }
        pattern
    }

    pub fn push(&mut self, piece: Piece) {
        match piece {
            Piece::Text(text) => self.text(&text),
            Piece::Named(_) | Piece::Value(_) => self.0.push(piece),
        }
    }

    fn text(&mut self, more: &[u8]) {
        match self.0.last_mut() {
            Some(Piece::Text(text)) => text.extend(more),
            _ if more.is_empty() => {}
            _ => self.0.push(Piece::Text(more.to_vec())),
        }
    }

    /// `None`: not known, as a value before the tag may hold a tag itself.
    pub fn hashed(&self) -> Option<Hashed> {
        let mut tag: Option<Pattern> = None;
        let mut known = true;
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => {
                    for &byte in text {
                        match (&mut tag, byte) {
                            (None, b'{') => tag = Some(Pattern::default()),
                            // An empty tag is none, and there is no second one.
                            (Some(inner), b'}') if inner.0.is_empty() => return self.whole(),
                            (Some(inner), b'}') => {
                                return Some(Hashed { text: std::mem::take(&mut inner.0), is_tag: true });
                            }
                            (Some(inner), byte) => inner.text(&[byte]),
                            (None, _) => {}
                        }
                    }
                }
                Piece::Named(_) | Piece::Value(_) => match &mut tag {
                    Some(inner) => inner.0.push(piece.clone()),
                    None => known &= !matches!(piece, Piece::Value(_)),
                },
            }
            if !known {
                return None;
            }
        }
        self.whole()
    }

    fn whole(&self) -> Option<Hashed> {
        let known = !self.0.iter().any(|piece| matches!(piece, Piece::Value(_)));
        known.then(|| Hashed { text: self.0.clone(), is_tag: false })
    }

    /// As a message shows it; a value of the script is `*`.
    pub fn shown(&self) -> String {
        self.0.iter().map(Piece::shown).collect()
    }

    /// Is there a variable part?
    pub fn is_variable(&self) -> bool {
        self.0.iter().any(|piece| !matches!(piece, Piece::Text(_)))
    }
}

/// The hole at the start of `rest` that ends with the byte at `end`.
fn hole(rest: &str, end: Option<usize>) -> (Piece, usize) {
    let length = end.map_or(1, |end| end + 1);
    (Piece::Named(rest[..length].into()), length)
}

impl Piece {
    fn shown(&self) -> String {
        match self {
            Piece::Text(text) => String::from_utf8_lossy(text).escape_debug().to_string(),
            Piece::Named(name) => name.clone(),
            Piece::Value(_) => "*".into(),
        }
    }
}

impl Hashed {
    /// The slot, if all of the text is known.
    pub fn slot(&self) -> Option<u16> {
        match &self.text[..] {
            [] => Some(0),
            [Piece::Text(text)] => Some(CRC16.checksum(text) % SLOTS),
            _ => None,
        }
    }

    /// Do both go to the same slot? `None`: it depends. Texts that differ do not, but for the one pair in 16,384 that does.
    pub fn same_slot(&self, other: &Hashed) -> Option<bool> {
        if let (Some(a), Some(b)) = (self.slot(), other.slot()) {
            return Some(a == b);
        }
        if self.shown() == other.shown() && self.values().eq(other.values()) {
            // Two keys of the pattern `user:<id>` may be of two users.
            return (self.is_tag || other.is_tag).then_some(true);
        }
        let known = self.values().chain(other.values()).next().is_none();
        known.then_some(false)
    }

    fn values(&self) -> impl Iterator<Item = OriginId> {
        self.text.iter().filter_map(|piece| match piece {
            Piece::Value(value) => Some(*value),
            Piece::Text(_) | Piece::Named(_) => None,
        })
    }

    pub fn shown(&self) -> String {
        self.text.iter().map(Piece::shown).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashed(text: &str) -> String {
        let hashed = Pattern::written(text).hashed().unwrap();
        format!("{}{}", if hashed.is_tag { "tag " } else { "" }, hashed.shown())
    }

    fn same(a: &str, b: &str) -> Option<bool> {
        Pattern::written(a).hashed()?.same_slot(&Pattern::written(b).hashed()?)
    }

    /// `CLUSTER KEYSLOT` of redis 7.0.15.
    #[test]
    fn slots_are_those_of_the_server() {
        for (key, expected) in [
            ("", 0),
            ("foo", 12182),
            ("123456789", 12739),
            ("user:{42}:a", 8000),
            ("{}x", 10595),
            ("a{}b{c}", 7353),
            ("{a{b}c}", 13340),
            ("x{y", 2740),
        ] {
            assert_eq!(slot(key.as_bytes()), expected, "{key}");
        }
    }

    #[test]
    fn tags_are_read_as_redis_reads_them() {
        assert_eq!(hashed("a:{b}:{c}"), "tag b");
        assert_eq!(hashed("{}:{c}"), "{}:{c}");
        assert_eq!(hashed("a:{b"), "a:{b");
        assert_eq!(hashed("user:${id}:x"), "user:${id}:x");
        assert_eq!(hashed("user:{${id}}:x"), "tag ${id}");
        assert_eq!(hashed("{user:<id>}:x"), "tag user:<id>");
    }

    #[test]
    fn patterns_share_a_slot_by_their_tag() {
        assert_eq!(same("a:{x}", "b:{x}"), Some(true));
        assert_eq!(same("a:{x}", "b:{y}"), Some(false));
        assert_eq!(same("a:x", "b:x"), Some(false));
        assert_eq!(same("a:<x>", "a:<x>"), None);
        assert_eq!(same("a:<x>", "b:<x>"), Some(false));
    }

    #[test]
    fn a_value_before_the_tag_hides_it() {
        let value = Piece::Value(OriginId::UNKNOWN);
        let text = |text: &str| Piece::Text(text.into());
        assert_eq!(Pattern(vec![value.clone(), text(":{x}")]).hashed(), None);
        let tagged = Pattern(vec![text("{"), value.clone(), text("}:x")]).hashed().unwrap();
        assert!(tagged.is_tag);
        let other = Pattern(vec![text("a:{"), value, text("}:y")]).hashed().unwrap();
        assert_eq!(tagged.same_slot(&other), Some(true));
    }
}
