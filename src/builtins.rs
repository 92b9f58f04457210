//! What the server's Lua offers: libraries, functions and values, with the kinds of their first result and their effect.
//!
//! Observed on the servers (FACTS.md §3); `tests/builtins.rs` asks them again.

use crate::value::Kinds;

/// A row of [`BUILTINS`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BuiltinId(u16);

impl BuiltinId {
    pub fn get(self) -> &'static Builtin {
        &BUILTINS[self.0 as usize]
    }

    pub fn name(self) -> &'static str {
        self.get().name
    }
}

#[derive(Debug)]
pub struct Builtin {
    /// As a script writes it: `redis.call`; `server.*` is the same builtin as `redis.*`.
    pub name: &'static str,
    pub sort: Sort,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    Library,
    Value(Kinds),
    Function { result: Kinds, effect: Effect },
}

/// What a call does beside giving a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    None,
    /// Changes the table that is its first argument.
    Fills,
    /// Calls functions that it is given, which may change whatever they can reach.
    Calls,
    /// Sends a command.
    Sends,
}

const fn library(name: &'static str) -> Builtin {
    Builtin { name, sort: Sort::Library }
}

const fn value(name: &'static str, kinds: Kinds) -> Builtin {
    Builtin { name, sort: Sort::Value(kinds) }
}

const fn function(name: &'static str, result: Kinds) -> Builtin {
    Builtin { name, sort: Sort::Function { result, effect: Effect::None } }
}

const fn with(name: &'static str, result: Kinds, effect: Effect) -> Builtin {
    Builtin { name, sort: Sort::Function { result, effect } }
}

const TEXT_OR_NIL: Kinds = Kinds::STRING.or(Kinds::NIL);
const NEVER_RETURNS: Kinds = Kinds::NEVER;

/// Sorted by name.
pub static BUILTINS: &[Builtin] = &[
    library("_G"),
    value("_VERSION", Kinds::TEXT),
    with("assert", Kinds::TRUTHY, Effect::None),
    library("bit"),
    function("bit.arshift", Kinds::INTEGER),
    function("bit.band", Kinds::INTEGER),
    function("bit.bnot", Kinds::INTEGER),
    function("bit.bor", Kinds::INTEGER),
    function("bit.bswap", Kinds::INTEGER),
    function("bit.bxor", Kinds::INTEGER),
    function("bit.lshift", Kinds::INTEGER),
    function("bit.rol", Kinds::INTEGER),
    function("bit.ror", Kinds::INTEGER),
    function("bit.rshift", Kinds::INTEGER),
    function("bit.tobit", Kinds::INTEGER),
    function("bit.tohex", Kinds::STRING),
    library("cjson"),
    function("cjson.decode", Kinds::ANY),
    function("cjson.encode", Kinds::STRING),
    value("cjson.null", Kinds::NULL),
    library("cmsgpack"),
    function("cmsgpack.pack", Kinds::STRING),
    function("cmsgpack.unpack", Kinds::ANY),
    function("cmsgpack.unpack_limit", Kinds::ANY),
    function("cmsgpack.unpack_one", Kinds::ANY),
    function("collectgarbage", Kinds::NUMBER),
    library("coroutine"),
    function("error", NEVER_RETURNS),
    function("getmetatable", Kinds::ANY),
    with("ipairs", Kinds::FUNCTION, Effect::None),
    with("load", Kinds::FUNCTION.or(Kinds::NIL), Effect::Calls),
    function("loadstring", Kinds::FUNCTION.or(Kinds::NIL)),
    library("math"),
    function("math.abs", Kinds::NUMBER),
    function("math.ceil", Kinds::INTEGER),
    function("math.exp", Kinds::NUMBER),
    function("math.floor", Kinds::INTEGER),
    function("math.fmod", Kinds::NUMBER),
    value("math.huge", Kinds::INTEGER),
    function("math.log", Kinds::NUMBER),
    function("math.log10", Kinds::NUMBER),
    function("math.max", Kinds::NUMBER),
    function("math.min", Kinds::NUMBER),
    function("math.mod", Kinds::NUMBER),
    value("math.pi", Kinds::FRACTION),
    function("math.pow", Kinds::NUMBER),
    function("math.random", Kinds::NUMBER),
    function("math.randomseed", Kinds::NIL),
    function("math.sqrt", Kinds::NUMBER),
    function("next", Kinds::ANY),
    library("os"),
    function("os.clock", Kinds::NUMBER),
    with("pairs", Kinds::FUNCTION, Effect::None),
    with("pcall", Kinds::BOOLEAN, Effect::Calls),
    function("rawequal", Kinds::BOOLEAN),
    function("rawget", Kinds::ANY),
    with("rawset", Kinds::TABLES, Effect::Fills),
    library("redis"),
    function("redis.acl_check_cmd", Kinds::BOOLEAN),
    with("redis.call", Kinds::ANY, Effect::Sends),
    function("redis.error_reply", Kinds::ERROR),
    function("redis.log", Kinds::NIL),
    with("redis.pcall", Kinds::ANY, Effect::Sends),
    with("redis.register_function", Kinds::NIL, Effect::None),
    function("redis.replicate_commands", Kinds::BOOLEAN),
    function("redis.set_repl", Kinds::NIL),
    function("redis.setresp", Kinds::NIL),
    function("redis.sha1hex", Kinds::STRING),
    function("redis.status_reply", Kinds::STATUS),
    function("select", Kinds::ANY),
    with("setmetatable", Kinds::TABLES, Effect::Fills),
    library("string"),
    function("string.byte", Kinds::INTEGER.or(Kinds::NIL)),
    function("string.char", Kinds::STRING),
    function("string.find", Kinds::INTEGER.or(Kinds::NIL)),
    function("string.format", Kinds::STRING),
    function("string.gmatch", Kinds::FUNCTION),
    with("string.gsub", Kinds::STRING, Effect::Calls),
    function("string.len", Kinds::INTEGER),
    function("string.lower", Kinds::STRING),
    function("string.match", TEXT_OR_NIL.or(Kinds::INTEGER)),
    function("string.rep", Kinds::STRING),
    function("string.reverse", Kinds::STRING),
    function("string.sub", Kinds::STRING),
    function("string.upper", Kinds::STRING),
    library("struct"),
    function("struct.pack", Kinds::STRING),
    function("struct.size", Kinds::INTEGER),
    function("struct.unpack", Kinds::ANY),
    library("table"),
    function("table.concat", Kinds::STRING),
    function("table.getn", Kinds::INTEGER),
    with("table.insert", Kinds::NIL, Effect::Fills),
    function("table.maxn", Kinds::NUMBER),
    with("table.remove", Kinds::ANY, Effect::Fills),
    with("table.sort", Kinds::NIL, Effect::Fills),
    function("tonumber", Kinds::NUMBER.or(Kinds::NIL)),
    function("tostring", Kinds::STRING),
    function("type", Kinds::TEXT),
    with("unpack", Kinds::ANY, Effect::None),
    with("xpcall", Kinds::BOOLEAN, Effect::Calls),
];

/// The builtin of that full name; `server` stands for `redis`.
pub fn builtin(name: &str) -> Option<BuiltinId> {
    let name = if name == "server" { "redis" } else { name };
    let at = BUILTINS.binary_search_by(|known| known.name.cmp(name)).ok()?;
    Some(BuiltinId(at as u16))
}

/// The field of that name of a library.
pub fn field(library: BuiltinId, name: &str) -> Option<BuiltinId> {
    let prefix = match library.name() {
        "_G" => return builtin(name),
        prefix => prefix,
    };
    let order = |known: &Builtin| known.name.bytes().cmp(prefix.bytes().chain([b'.']).chain(name.bytes()));
    let at = BUILTINS.binary_search_by(order).ok()?;
    Some(BuiltinId(at as u16))
}
