//! The lines of the table: one for each library, value and function.

use super::{Builtin, Effect, Sort, Stage};
use crate::{commands::Servers, target::Version, value::Kinds};

const fn library(name: &'static str) -> Builtin {
    plain(name, Sort::Library)
}

const fn value(name: &'static str, kinds: Kinds) -> Builtin {
    plain(name, Sort::Value(kinds))
}

const fn function(name: &'static str, result: Kinds) -> Builtin {
    plain(name, Sort::Function { result, effect: Effect::None })
}

const fn plain(name: &'static str, sort: Sort) -> Builtin {
    Builtin { name, sort, takes: &[], rest: Kinds::ANY, many: false, servers: Servers::ALL, stages: AT_RUN }
}

impl Builtin {
    const fn with(self, effect: Effect) -> Builtin {
        match self.sort {
            Sort::Function { result, .. } => Builtin { sort: Sort::Function { result, effect }, ..self },
            Sort::Library | Sort::Value(_) => self,
        }
    }

    const fn many(self) -> Builtin {
        Builtin { many: true, ..self }
    }

    const fn takes(self, takes: &'static [Kinds]) -> Builtin {
        Builtin { takes, ..self }
    }

    const fn rest(self, rest: Kinds) -> Builtin {
        Builtin { rest, ..self }
    }

    const fn on(self, servers: Servers) -> Builtin {
        Builtin { servers, ..self }
    }

    const fn at(self, stages: &'static [Stage]) -> Builtin {
        Builtin { stages, ..self }
    }
}

const AT_RUN: &[Stage] = &[Stage::Eval, Stage::Function];
const EVERYWHERE: &[Stage] = &[Stage::Eval, Stage::Load, Stage::Function];
const IN_EVAL: &[Stage] = &[Stage::Eval];
const AT_LOAD: &[Stage] = &[Stage::Load];

const FIRST: Version = Version(0, 0, 0);
const fn since(redis: Version) -> Servers {
    Servers { redis: Some((redis, None)), valkey: Some((FIRST, None)) }
}
const SINCE_6: Servers = since(Version(6, 0, 0));
const SINCE_7: Servers = since(Version(7, 0, 0));
const CLOCK: Servers = since(Version(7, 4, 0));
const VALKEY: Servers = Servers { redis: None, valkey: Some((Version(8, 0, 0), None)) };
const ARRAY_MT: Servers = Servers { redis: Some((Version(8, 6, 2), None)), valkey: None };
const PRINT: Servers = Servers { redis: Some((FIRST, Some(Version(7, 0, 0)))), valkey: None };
/// Taken away by security patches of every series; gone for sure from these on.
const FENV: Servers =
    Servers { redis: Some((FIRST, Some(Version(8, 0, 2)))), valkey: Some((FIRST, Some(Version(8, 1, 8)))) };

const ANY: Kinds = Kinds::ANY;
const BOOLEAN: Kinds = Kinds::BOOLEAN;
const ERROR: Kinds = Kinds::ERROR;
const FRACTION: Kinds = Kinds::FRACTION;
const FUNCTION: Kinds = Kinds::FUNCTION;
const INTEGER: Kinds = Kinds::INTEGER;
const NEVER: Kinds = Kinds::NEVER;
const NIL: Kinds = Kinds::NIL;
const NULL: Kinds = Kinds::NULL;
const NUMBER: Kinds = Kinds::NUMBER;
const NUMERIC: Kinds = Kinds::NUMERIC;
const STATUS: Kinds = Kinds::STATUS;
const STRING: Kinds = Kinds::STRING;
const TABLE: Kinds = Kinds::TABLE;
const TABLES: Kinds = Kinds::TABLES;
const TEXT: Kinds = Kinds::TEXT;
const TRUTHY: Kinds = Kinds::TRUTHY;
/// What JSON can hold.
const DECODED: Kinds = ANY.without(NIL).without(FUNCTION);
const NOT_FUNCTION: Kinds = ANY.without(FUNCTION);
/// A string, or a number that is written as one.
const SENT: Kinds = STRING.or(NUMBER);
/// A number that may be left out.
const OPTIONAL: Kinds = NUMERIC.or(NIL);
/// What `gsub` puts in.
const REPLACES: Kinds = SENT.or(TABLES).or(FUNCTION);

/// Sorted by name.
pub static BUILTINS: &[Builtin] = &[
    library("_G"),
    value("_VERSION", TEXT),
    function("assert", TRUTHY).many(),
    library("bit"),
    function("bit.arshift", INTEGER).takes(&[NUMERIC, NUMERIC]),
    function("bit.band", INTEGER).takes(&[NUMERIC]).rest(NUMERIC),
    function("bit.bnot", INTEGER).takes(&[NUMERIC]),
    function("bit.bor", INTEGER).takes(&[NUMERIC]).rest(NUMERIC),
    function("bit.bswap", INTEGER).takes(&[NUMERIC]),
    function("bit.bxor", INTEGER).takes(&[NUMERIC]).rest(NUMERIC),
    function("bit.lshift", INTEGER).takes(&[NUMERIC, NUMERIC]),
    function("bit.rol", INTEGER).takes(&[NUMERIC, NUMERIC]),
    function("bit.ror", INTEGER).takes(&[NUMERIC, NUMERIC]),
    function("bit.rshift", INTEGER).takes(&[NUMERIC, NUMERIC]),
    function("bit.tobit", INTEGER).takes(&[NUMERIC]),
    function("bit.tohex", STRING).takes(&[NUMERIC]),
    library("cjson"),
    value("cjson._NAME", TEXT),
    value("cjson._VERSION", TEXT),
    function("cjson.decode", DECODED).takes(&[SENT]),
    function("cjson.decode_array_with_array_mt", BOOLEAN).on(ARRAY_MT),
    function("cjson.decode_invalid_numbers", BOOLEAN),
    function("cjson.decode_max_depth", INTEGER),
    function("cjson.encode", STRING).takes(&[NOT_FUNCTION]),
    function("cjson.encode_invalid_numbers", BOOLEAN.or(TEXT)),
    function("cjson.encode_keep_buffer", BOOLEAN),
    function("cjson.encode_max_depth", INTEGER),
    function("cjson.encode_number_precision", INTEGER),
    function("cjson.encode_sparse_array", BOOLEAN).many(),
    function("cjson.new", TABLE),
    value("cjson.null", NULL),
    library("cmsgpack"),
    value("cmsgpack._COPYRIGHT", TEXT),
    value("cmsgpack._DESCRIPTION", TEXT),
    value("cmsgpack._NAME", TEXT),
    value("cmsgpack._VERSION", TEXT),
    function("cmsgpack.pack", STRING),
    function("cmsgpack.unpack", ANY).many().takes(&[SENT]),
    function("cmsgpack.unpack_limit", ANY).many().takes(&[SENT, NUMERIC]),
    function("cmsgpack.unpack_one", ANY).many().takes(&[SENT]),
    function("collectgarbage", NUMBER.or(BOOLEAN)),
    library("coroutine"),
    function("coroutine.create", FUNCTION).with(Effect::Calls).takes(&[FUNCTION]),
    function("coroutine.resume", BOOLEAN).with(Effect::Calls).many(),
    function("coroutine.running", FUNCTION.or(NIL)).many(),
    function("coroutine.status", TEXT),
    function("coroutine.wrap", FUNCTION).with(Effect::Calls).takes(&[FUNCTION]),
    function("coroutine.yield", ANY).with(Effect::Calls).many(),
    function("error", NEVER),
    function("gcinfo", INTEGER),
    function("getfenv", ANY).many().on(FENV),
    function("getmetatable", ANY),
    function("ipairs", FUNCTION).many().takes(&[TABLES]),
    function("load", FUNCTION.or(NIL)).with(Effect::Calls).many().takes(&[FUNCTION]),
    function("loadstring", FUNCTION.or(NIL)).many().takes(&[SENT]),
    library("math"),
    function("math.abs", NUMBER).takes(&[NUMERIC]),
    function("math.acos", NUMBER).takes(&[NUMERIC]),
    function("math.asin", NUMBER).takes(&[NUMERIC]),
    function("math.atan", NUMBER).takes(&[NUMERIC]),
    function("math.atan2", NUMBER).takes(&[NUMERIC, NUMERIC]),
    function("math.ceil", INTEGER).takes(&[NUMERIC]),
    function("math.cos", NUMBER).takes(&[NUMERIC]),
    function("math.cosh", NUMBER).takes(&[NUMERIC]),
    function("math.deg", NUMBER).takes(&[NUMERIC]),
    function("math.exp", NUMBER).takes(&[NUMERIC]),
    function("math.floor", INTEGER).takes(&[NUMERIC]),
    function("math.fmod", NUMBER).takes(&[NUMERIC, NUMERIC]),
    function("math.frexp", NUMBER).many().takes(&[NUMERIC]),
    value("math.huge", INTEGER),
    function("math.ldexp", NUMBER).takes(&[NUMERIC, NUMERIC]),
    function("math.log", NUMBER).takes(&[NUMERIC]),
    function("math.log10", NUMBER).takes(&[NUMERIC]),
    function("math.max", NUMBER).takes(&[NUMERIC]).rest(NUMERIC),
    function("math.min", NUMBER).takes(&[NUMERIC]).rest(NUMERIC),
    function("math.mod", NUMBER).takes(&[NUMERIC, NUMERIC]),
    function("math.modf", INTEGER).many().takes(&[NUMERIC]),
    value("math.pi", FRACTION),
    function("math.pow", NUMBER).takes(&[NUMERIC, NUMERIC]),
    function("math.rad", NUMBER).takes(&[NUMERIC]),
    function("math.random", NUMBER).takes(&[NUMERIC, NUMERIC]),
    function("math.randomseed", NIL).many().takes(&[NUMERIC]),
    function("math.sin", NUMBER).takes(&[NUMERIC]),
    function("math.sinh", NUMBER).takes(&[NUMERIC]),
    function("math.sqrt", NUMBER).takes(&[NUMERIC]),
    function("math.tan", NUMBER).takes(&[NUMERIC]),
    function("math.tanh", NUMBER).takes(&[NUMERIC]),
    function("newproxy", ANY).on(FENV),
    function("next", ANY).many().takes(&[TABLES]),
    library("os").on(CLOCK),
    function("os.clock", NUMBER).on(CLOCK),
    function("pairs", FUNCTION).many().takes(&[TABLES]),
    function("pcall", BOOLEAN).with(Effect::Calls).many(),
    function("print", NIL).many().on(PRINT),
    function("rawequal", BOOLEAN),
    function("rawget", ANY).takes(&[TABLES]),
    function("rawset", TABLES).with(Effect::Fills).takes(&[TABLES]),
    library("redis").at(EVERYWHERE),
    value("redis.LOG_DEBUG", INTEGER).at(EVERYWHERE),
    value("redis.LOG_NOTICE", INTEGER).at(EVERYWHERE),
    value("redis.LOG_VERBOSE", INTEGER).at(EVERYWHERE),
    value("redis.LOG_WARNING", INTEGER).at(EVERYWHERE),
    value("redis.REDIS_VERSION", TEXT).on(SINCE_7).at(EVERYWHERE),
    value("redis.REDIS_VERSION_NUM", INTEGER).on(SINCE_7).at(EVERYWHERE),
    value("redis.REPL_ALL", INTEGER),
    value("redis.REPL_AOF", INTEGER),
    value("redis.REPL_NONE", INTEGER),
    value("redis.REPL_REPLICA", INTEGER),
    value("redis.REPL_SLAVE", INTEGER),
    value("redis.SERVER_NAME", TEXT).on(VALKEY).at(EVERYWHERE),
    value("redis.VALKEY_VERSION", TEXT).on(VALKEY).at(EVERYWHERE),
    value("redis.VALKEY_VERSION_NUM", INTEGER).on(VALKEY).at(EVERYWHERE),
    function("redis.acl_check_cmd", BOOLEAN).on(SINCE_7),
    function("redis.breakpoint", BOOLEAN).at(IN_EVAL),
    function("redis.call", ANY).with(Effect::Sends),
    function("redis.debug", NIL).many().at(IN_EVAL),
    function("redis.error_reply", ERROR),
    function("redis.log", NIL).many().takes(&[NUMERIC]).at(EVERYWHERE),
    function("redis.pcall", ANY).with(Effect::Sends),
    function("redis.register_function", NIL).many().at(AT_LOAD),
    function("redis.replicate_commands", BOOLEAN).at(IN_EVAL),
    function("redis.set_repl", NIL).many(),
    function("redis.setresp", NIL).many().takes(&[NUMERIC]).on(SINCE_6),
    function("redis.sha1hex", STRING),
    function("redis.status_reply", STATUS),
    function("select", ANY).many(),
    function("setfenv", ANY).with(Effect::Calls).on(FENV),
    function("setmetatable", TABLES).with(Effect::Fills).takes(&[TABLES, TABLES.or(NIL)]),
    library("string"),
    function("string.byte", INTEGER.or(NIL)).many().takes(&[SENT, OPTIONAL, OPTIONAL]),
    function("string.char", STRING).rest(NUMERIC),
    function("string.dump", TEXT).takes(&[FUNCTION]),
    function("string.find", INTEGER.or(NIL)).many().takes(&[SENT, SENT, OPTIONAL]),
    function("string.format", STRING).takes(&[SENT]),
    function("string.gfind", FUNCTION).takes(&[SENT, SENT]),
    function("string.gmatch", FUNCTION).takes(&[SENT, SENT]),
    function("string.gsub", STRING).with(Effect::Calls).many().takes(&[SENT, SENT, REPLACES, OPTIONAL]),
    function("string.len", INTEGER).takes(&[SENT]),
    function("string.lower", STRING).takes(&[SENT]),
    function("string.match", STRING.or(INTEGER).or(NIL)).many().takes(&[SENT, SENT, OPTIONAL]),
    function("string.rep", STRING).takes(&[SENT, NUMERIC]),
    function("string.reverse", STRING).takes(&[SENT]),
    function("string.sub", STRING).takes(&[SENT, NUMERIC, OPTIONAL]),
    function("string.upper", STRING).takes(&[SENT]),
    library("struct"),
    function("struct.pack", STRING).takes(&[SENT]),
    function("struct.size", INTEGER).takes(&[SENT]),
    function("struct.unpack", ANY).many().takes(&[SENT, SENT]),
    library("table"),
    function("table.concat", STRING).takes(&[TABLES, SENT.or(NIL), OPTIONAL]),
    function("table.foreach", ANY).with(Effect::Calls).many().takes(&[TABLES, FUNCTION]),
    function("table.foreachi", ANY).with(Effect::Calls).many().takes(&[TABLES, FUNCTION]),
    function("table.getn", INTEGER).takes(&[TABLES]),
    function("table.insert", NIL).with(Effect::Fills).many().takes(&[TABLES]),
    function("table.maxn", NUMBER).takes(&[TABLES]),
    function("table.remove", ANY).with(Effect::Fills).many().takes(&[TABLES]),
    function("table.setn", NEVER),
    function("table.sort", NIL).with(Effect::Fills).many().takes(&[TABLES, FUNCTION.or(NIL)]),
    function("tonumber", NUMBER.or(NIL)),
    function("tostring", STRING),
    function("type", TEXT),
    function("unpack", ANY).many().takes(&[TABLES]),
    function("xpcall", BOOLEAN).with(Effect::Calls).many(),
];
