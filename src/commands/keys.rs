//! Which arguments of a call are keys, and what the command does to them.

use smallvec::SmallVec;

use super::{
    Argument, Command, RedisType,
    grammar::{Certainty, Slots},
};

/// How a command uses a key, in the words of `COMMAND GETKEYSANDFLAGS`: one of `RO`, `RW`, `OW` (overwrites), `RM` (removes), and
/// what happens to the user's data in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access(u8);

impl Access {
    pub const RO: Access = Access(1);
    pub const RW: Access = Access(1 << 1);
    pub const OW: Access = Access(1 << 2);
    pub const RM: Access = Access(1 << 3);
    /// Returns or copies data of the key.
    pub const ACCESS: Access = Access(1 << 4);
    pub const UPDATE: Access = Access(1 << 5);
    pub const INSERT: Access = Access(1 << 6);
    pub const DELETE: Access = Access(1 << 7);

    const NAMES: [(Access, &'static str); 8] = [
        (Access::RO, "RO"),
        (Access::RW, "RW"),
        (Access::OW, "OW"),
        (Access::RM, "RM"),
        (Access::ACCESS, "access"),
        (Access::UPDATE, "update"),
        (Access::INSERT, "insert"),
        (Access::DELETE, "delete"),
    ];

    pub const fn or(self, other: Access) -> Access {
        Access(self.0 | other.0)
    }

    pub const fn has(self, other: Access) -> bool {
        self.0 & other.0 == other.0
    }

    /// May the key be another one afterwards?
    pub fn writes(self) -> bool {
        !self.has(Access::RO)
    }

    /// Does what the key held before matter?
    pub fn reads(self) -> bool {
        !self.has(Access::OW) && !self.has(Access::RM)
    }

    /// The flags' names as the servers print them.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Access::NAMES.into_iter().filter(move |&(flag, _)| self.has(flag)).map(|(_, name)| name)
    }
}

/// How far the keys go from where they begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extent {
    /// So many after the first.
    More(i8),
    /// To this one from the end, -1 is the last.
    To(i8),
    /// The begin is their number; they follow.
    Counted,
    /// The first half of what follows.
    Half,
}

/// A place of keys. Positions count the command's name as 0.
#[derive(Debug)]
pub(super) struct KeySpec {
    /// They follow this option.
    pub(super) word: Option<&'static str>,
    pub(super) begin: i8,
    pub(super) extent: Extent,
    pub(super) step: u8,
    pub(super) access: Access,
}

/// One argument that is a key; if it is a spread, each of its values is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyAt {
    /// Index into the arguments.
    pub index: usize,
    pub access: Access,
    /// The type that the key must have, if it exists, or the call raises; of a later key only where the ones before don't end the call.
    pub needs: Option<RedisType>,
}

#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Keys {
    pub list: SmallVec<[KeyAt; 2]>,
    /// There may be keys that are not in the list.
    pub partial: bool,
}

impl Command {
    /// The arguments that are keys. What a command reads by a pattern (KEYS, SORT ... BY) is not among them.
    pub fn keys(&self, args: &[Argument]) -> Keys {
        let mut keys = Keys::default();
        let mut slots = None;
        for spec in self.specs {
            let begin = match spec.word {
                None => Some(spec.begin as usize - 1),
                Some(word) => {
                    let slots = slots.get_or_insert_with(|| self.slots(args));
                    after(word, args, slots, &mut keys)
                }
            };
            let Some(begin) = begin else { continue };
            // `MIGRATE ... "" ... KEYS a b`: the keys after the word replace the one before.
            if self.name == "MIGRATE" && spec.word.is_some() {
                keys.list.clear();
            }
            let access = self.access(spec, args, &mut slots);
            let needs = if access.reads() { self.key_type() } else { None };
            place(spec, begin, args, (access, needs), &mut keys);
        }
        keys
    }

    /// What the options make of the spec's access.
    fn access(&self, spec: &KeySpec, args: &[Argument], slots: &mut Option<Slots>) -> Access {
        let mut surely_lacks = |names: &[&str]| {
            let slots = slots.get_or_insert_with(|| self.slots(args));
            names.iter().all(|name| slots.has(name, args) == Certainty::No)
        };
        match self.name {
            "SET" if surely_lacks(&["GET"]) => {
                let compares = !surely_lacks(&["IFEQ", "IFNE", "IFDEQ", "IFDNE"]);
                Access::UPDATE.or(if compares { Access::RW } else { Access::OW })
            }
            "BITFIELD" if surely_lacks(&["SET", "INCRBY"]) => Access::RO.or(Access::ACCESS),
            "DELEX" if surely_lacks(&["IFEQ", "IFNE", "IFDEQ", "IFDNE"]) => Access::RM.or(Access::DELETE),
            _ => spec.access,
        }
    }
}

/// Where the keys after an option begin; the last one counts. `None`: it is not among the arguments, or nobody knows.
fn after(word: &str, args: &[Argument], slots: &Slots, keys: &mut Keys) -> Option<usize> {
    if !slots.known {
        // Not a right call. The word is still taken for what it is, as the servers do.
        keys.partial |= args.iter().any(|arg| matches!(arg, Argument::Unknown | Argument::Spread));
        return args.iter().position(|arg| arg.is_word(word)).map(|at| at + 1);
    }
    let mut found = None;
    for (at, arg) in args.iter().enumerate() {
        let edges = slots.edges(at);
        if !edges.iter().any(|edge| edge.name == word) {
            continue;
        }
        if arg.is_word(word) && edges.iter().all(|edge| edge.name == word) {
            found = Some(at + 1);
        } else {
            keys.partial = true;
        }
    }
    found
}

/// Adds the spec's keys, of which the first is at `begin`.
fn place(
    spec: &KeySpec,
    begin: usize,
    args: &[Argument],
    (access, needs): (Access, Option<RedisType>),
    keys: &mut Keys,
) {
    let step = usize::from(spec.step);
    let spread = args.iter().position(|arg| *arg == Argument::Spread).unwrap_or(usize::MAX);
    let has_spread = spread < args.len();
    // Where an argument after a spread stands is not known.
    if spread < begin || spread == begin && matches!(spec.extent, Extent::More(_) | Extent::Counted) {
        keys.partial = true;
        return;
    }
    // The end is exclusive, and before the spread but where all the rest are keys.
    let (begin, end) = match spec.extent {
        Extent::More(more) => {
            let end = begin + more as usize + 1;
            keys.partial |= spread < end;
            (begin, end.min(spread))
        }
        Extent::To(last) => {
            let end = (args.len() as isize + isize::from(last) + 1).max(0) as usize;
            if has_spread && step != 1 {
                keys.partial = true;
                (begin, end.min(spread))
            } else if has_spread && end <= spread {
                // An empty spread would shift the end.
                keys.partial = true;
                (begin, end.saturating_sub(1))
            } else {
                (begin, end)
            }
        }
        Extent::Counted => match args.get(begin).map(|count| count.integer()) {
            Some(Some(count)) => {
                let count = usize::try_from(count).unwrap_or(0);
                let end = begin.saturating_add(1).saturating_add(count.saturating_mul(step));
                keys.partial |= spread < end;
                (begin + 1, end.min(spread))
            }
            Some(None) => {
                // At least one, or the call fails.
                keys.partial = true;
                (begin + 1, (begin + 2).min(spread))
            }
            None => return,
        },
        Extent::Half => {
            let rest = args.len().saturating_sub(begin);
            if has_spread {
                keys.partial = true;
                (begin, (begin + 1).min(spread))
            } else {
                (begin, begin + rest / 2)
            }
        }
    };
    for index in (begin..end.min(args.len())).step_by(step) {
        keys.list.push(KeyAt { index, access, needs });
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Argument::*, command},
        *,
    };

    fn keys(name: &str, args: &[Argument]) -> (Vec<usize>, bool) {
        let keys = command(name.as_bytes(), None).unwrap().keys(args);
        (keys.list.iter().map(|key| key.index).collect(), keys.partial)
    }

    #[test]
    fn keys_are_found_by_every_kind_of_spec() {
        assert_eq!(keys("GET", &[Unknown]), (vec![0], false));
        assert_eq!(keys("MSET", &[Unknown; 4]), (vec![0, 2], false));
        assert_eq!(keys("BLPOP", &[Unknown; 3]), (vec![0, 1], false));
        assert_eq!(keys("LCS", &[Unknown; 2]), (vec![0, 1], false));
        assert_eq!(keys("ZUNIONSTORE", &[Unknown, Literal(b"2"), Unknown, Unknown]), (vec![0, 2, 3], false));
        assert_eq!(keys("ZUNION", &[Number(1.0), Unknown, Literal(b"WITHSCORES")]), (vec![1], false));
        assert_eq!(
            keys("XREAD", &[Literal(b"count"), Unknown, Literal(b"streams"), Unknown, Unknown]),
            (vec![3], false)
        );
        assert_eq!(keys("SORT", &[Unknown, Literal(b"BY"), Unknown, Literal(b"STORE"), Unknown]), (vec![0, 4], false));
    }

    #[test]
    fn what_is_not_known_makes_the_list_partial() {
        assert_eq!(keys("DEL", &[Spread]), (vec![0], false));
        assert_eq!(keys("BLPOP", &[Spread, Number(0.0)]), (vec![0], false));
        assert_eq!(keys("MSET", &[Unknown, Unknown, Spread]), (vec![0], true));
        assert_eq!(keys("GET", &[Spread]), (vec![], true));
        assert_eq!(keys("ZUNIONSTORE", &[Unknown, Unknown, Unknown, Unknown]), (vec![0, 2], true));
        assert_eq!(keys("ZUNIONSTORE", &[Unknown, Number(2.0), Spread]), (vec![0], true));
        assert_eq!(keys("SORT", &[Unknown, Unknown, Unknown]), (vec![0], true));
    }

    #[test]
    fn options_change_the_access() {
        let set = |args: &[Argument]| command(b"SET", None).unwrap().keys(args).list[0].access;
        assert!(!set(&[Unknown, Unknown]).has(Access::ACCESS));
        assert!(set(&[Unknown, Unknown, Literal(b"GET")]).has(Access::ACCESS));
        assert!(set(&[Unknown, Unknown, Unknown]).has(Access::ACCESS));
    }
}
