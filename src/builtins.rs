//! What the server's Lua offers: libraries, functions and values, with the kinds of their first result and their effect.
//!
//! Observed on the servers (FACTS.md §3); `tests/builtins.rs` asks them again.

use crate::{
    target::{Product, Target, Version},
    value::Kinds,
};

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

    /// What each argument must be, or the call raises; of those that follow the last nothing is said.
    pub fn takes(self) -> impl Iterator<Item = Kinds> {
        let text = Kinds::STRING.or(Kinds::NUMBER);
        let (kinds, count) = match self.name() {
            "unpack" | "ipairs" | "pairs" | "next" | "table.concat" | "table.insert" | "table.remove"
            | "table.sort" | "table.getn" => (Kinds::TABLES, 1),
            "cjson.decode" | "cmsgpack.unpack" => (text, 1),
            name if name.starts_with("math.") || name.starts_with("bit.") => (Kinds::NUMERIC, usize::MAX),
            "string.char" => (Kinds::NUMERIC, usize::MAX),
            name if name.starts_with("string.") => (text, 1),
            _ => (Kinds::ANY, 0),
        };
        std::iter::repeat_n(kinds, count)
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

/// When code runs: what is there differs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    /// A script of EVAL.
    Eval,
    /// The main chunk of a library, at FUNCTION LOAD.
    Load,
    /// A function of a library, at FCALL.
    Function,
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
    value("cjson._NAME", Kinds::TEXT),
    value("cjson._VERSION", Kinds::TEXT),
    function("cjson.decode", Kinds::ANY),
    function("cjson.decode_array_with_array_mt", Kinds::ANY),
    function("cjson.decode_invalid_numbers", Kinds::ANY),
    function("cjson.decode_max_depth", Kinds::ANY),
    function("cjson.encode", Kinds::STRING),
    function("cjson.encode_invalid_numbers", Kinds::ANY),
    function("cjson.encode_keep_buffer", Kinds::ANY),
    function("cjson.encode_max_depth", Kinds::ANY),
    function("cjson.encode_number_precision", Kinds::ANY),
    function("cjson.encode_sparse_array", Kinds::ANY),
    function("cjson.new", Kinds::ANY),
    value("cjson.null", Kinds::NULL),
    library("cmsgpack"),
    value("cmsgpack._COPYRIGHT", Kinds::TEXT),
    value("cmsgpack._DESCRIPTION", Kinds::TEXT),
    value("cmsgpack._NAME", Kinds::TEXT),
    value("cmsgpack._VERSION", Kinds::TEXT),
    function("cmsgpack.pack", Kinds::STRING),
    function("cmsgpack.unpack", Kinds::ANY),
    function("cmsgpack.unpack_limit", Kinds::ANY),
    function("cmsgpack.unpack_one", Kinds::ANY),
    function("collectgarbage", Kinds::NUMBER),
    library("coroutine"),
    with("coroutine.create", Kinds::FUNCTION, Effect::Calls),
    with("coroutine.resume", Kinds::ANY, Effect::Calls),
    function("coroutine.running", Kinds::ANY),
    function("coroutine.status", Kinds::TEXT),
    with("coroutine.wrap", Kinds::FUNCTION, Effect::Calls),
    with("coroutine.yield", Kinds::ANY, Effect::Calls),
    function("error", NEVER_RETURNS),
    function("gcinfo", Kinds::INTEGER),
    function("getfenv", Kinds::ANY),
    function("getmetatable", Kinds::ANY),
    with("ipairs", Kinds::FUNCTION, Effect::None),
    with("load", Kinds::FUNCTION.or(Kinds::NIL), Effect::Calls),
    function("loadstring", Kinds::FUNCTION.or(Kinds::NIL)),
    library("math"),
    function("math.abs", Kinds::NUMBER),
    function("math.acos", Kinds::NUMBER),
    function("math.asin", Kinds::NUMBER),
    function("math.atan", Kinds::NUMBER),
    function("math.atan2", Kinds::NUMBER),
    function("math.ceil", Kinds::INTEGER),
    function("math.cos", Kinds::NUMBER),
    function("math.cosh", Kinds::NUMBER),
    function("math.deg", Kinds::NUMBER),
    function("math.exp", Kinds::NUMBER),
    function("math.floor", Kinds::INTEGER),
    function("math.fmod", Kinds::NUMBER),
    function("math.frexp", Kinds::NUMBER),
    value("math.huge", Kinds::INTEGER),
    function("math.ldexp", Kinds::NUMBER),
    function("math.log", Kinds::NUMBER),
    function("math.log10", Kinds::NUMBER),
    function("math.max", Kinds::NUMBER),
    function("math.min", Kinds::NUMBER),
    function("math.mod", Kinds::NUMBER),
    function("math.modf", Kinds::NUMBER),
    value("math.pi", Kinds::FRACTION),
    function("math.pow", Kinds::NUMBER),
    function("math.rad", Kinds::NUMBER),
    function("math.random", Kinds::NUMBER),
    function("math.randomseed", Kinds::NIL),
    function("math.sin", Kinds::NUMBER),
    function("math.sinh", Kinds::NUMBER),
    function("math.sqrt", Kinds::NUMBER),
    function("math.tan", Kinds::NUMBER),
    function("math.tanh", Kinds::NUMBER),
    function("newproxy", Kinds::ANY),
    function("next", Kinds::ANY),
    library("os"),
    function("os.clock", Kinds::NUMBER),
    with("pairs", Kinds::FUNCTION, Effect::None),
    with("pcall", Kinds::BOOLEAN, Effect::Calls),
    function("print", Kinds::NIL),
    function("rawequal", Kinds::BOOLEAN),
    function("rawget", Kinds::ANY),
    with("rawset", Kinds::TABLES, Effect::Fills),
    library("redis"),
    value("redis.LOG_DEBUG", Kinds::INTEGER),
    value("redis.LOG_NOTICE", Kinds::INTEGER),
    value("redis.LOG_VERBOSE", Kinds::INTEGER),
    value("redis.LOG_WARNING", Kinds::INTEGER),
    value("redis.REDIS_VERSION", Kinds::TEXT),
    value("redis.REDIS_VERSION_NUM", Kinds::INTEGER),
    value("redis.REPL_ALL", Kinds::INTEGER),
    value("redis.REPL_AOF", Kinds::INTEGER),
    value("redis.REPL_NONE", Kinds::INTEGER),
    value("redis.REPL_REPLICA", Kinds::INTEGER),
    value("redis.REPL_SLAVE", Kinds::INTEGER),
    value("redis.SERVER_NAME", Kinds::TEXT),
    value("redis.VALKEY_VERSION", Kinds::TEXT),
    value("redis.VALKEY_VERSION_NUM", Kinds::INTEGER),
    function("redis.acl_check_cmd", Kinds::BOOLEAN),
    function("redis.breakpoint", Kinds::ANY),
    with("redis.call", Kinds::ANY, Effect::Sends),
    function("redis.debug", Kinds::ANY),
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
    with("setfenv", Kinds::ANY, Effect::Calls),
    with("setmetatable", Kinds::TABLES, Effect::Fills),
    library("string"),
    function("string.byte", Kinds::INTEGER.or(Kinds::NIL)),
    function("string.char", Kinds::STRING),
    function("string.dump", Kinds::STRING),
    function("string.find", Kinds::INTEGER.or(Kinds::NIL)),
    function("string.format", Kinds::STRING),
    function("string.gfind", Kinds::FUNCTION),
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
    with("table.foreach", Kinds::ANY, Effect::Calls),
    with("table.foreachi", Kinds::ANY, Effect::Calls),
    function("table.getn", Kinds::INTEGER),
    with("table.insert", Kinds::NIL, Effect::Fills),
    function("table.maxn", Kinds::NUMBER),
    with("table.remove", Kinds::ANY, Effect::Fills),
    function("table.setn", Kinds::ANY),
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

/// Does the server surely lack the global or field when code of this stage runs? Observed on Redis 6.2 to 8.10 and Valkey 8.0 to 9.1; what
/// depends on the patch level, not on the version, is lacking only where every observed server lacks it.
pub fn is_lacking(name: &str, target: Target, stage: Stage) -> bool {
    let (redis, valkey) = match target.product {
        Product::Redis => (Some(target.version), None),
        Product::Valkey => (None, Some(target.version)),
        Product::Dragonfly | Product::Kvrocks | Product::KeyDb => return false,
    };
    is_lacking_at(name, stage)
        || match name {
            "print" => valkey.is_some() || redis.is_some_and(|version| Version(7, 0, 0) <= version),
            "os" | "os.clock" => redis.is_some_and(|version| version < Version(7, 4, 0)),
            "getfenv" | "setfenv" | "newproxy" => {
                redis.is_some_and(|version| Version(8, 0, 2) <= version)
                    || valkey.is_some_and(|version| Version(8, 1, 8) <= version)
            }
            "redis.setresp" => redis.is_some_and(|version| version < Version(6, 0, 0)),
            "redis.acl_check_cmd" | "redis.REDIS_VERSION" | "redis.REDIS_VERSION_NUM" => {
                redis.is_some_and(|version| version < Version(7, 0, 0))
            }
            "server" | "redis.SERVER_NAME" | "redis.VALKEY_VERSION" | "redis.VALKEY_VERSION_NUM" => redis.is_some(),
            "cjson.decode_array_with_array_mt" => {
                valkey.is_some() || redis.is_some_and(|version| version < Version(8, 6, 2))
            }
            _ => false,
        }
}

/// Is it lacking, and not only because the library that asks for it is still loading?
pub fn is_missing(name: &str, target: Target, stage: Stage) -> bool {
    let later = match stage {
        Stage::Load => Stage::Function,
        Stage::Eval | Stage::Function => stage,
    };
    is_lacking(name, target, stage) && is_lacking(name, target, later)
}

/// What no server has at that stage.
fn is_lacking_at(name: &str, stage: Stage) -> bool {
    match stage {
        Stage::Eval => name == "redis.register_function",
        Stage::Function => {
            matches!(name, "redis.register_function" | "redis.breakpoint" | "redis.debug" | "redis.replicate_commands")
        }
        Stage::Load => !matches!(
            name,
            "redis"
                | "server"
                | "redis.register_function"
                | "redis.log"
                | "redis.LOG_DEBUG"
                | "redis.LOG_NOTICE"
                | "redis.LOG_VERBOSE"
                | "redis.LOG_WARNING"
                | "redis.REDIS_VERSION"
                | "redis.REDIS_VERSION_NUM"
                | "redis.SERVER_NAME"
                | "redis.VALKEY_VERSION"
                | "redis.VALKEY_VERSION_NUM"
        ),
    }
}
