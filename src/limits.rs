//! Every bound of the analysis, with its reason. A cut analysis says so (`--verbose`), it never guesses.

/// Bytes of a script. full_moon needs about 120 times the text in memory (measured), so 8 MiB is a gigabyte.
pub const SCRIPT_BYTES: usize = 8 << 20;

/// Open levels of blocks and expressions, as the server counts them (LUAI_MAXCCALLS of `luaconf.h`): 198 parentheses
/// inside each other, or 199 loops, or 66 functions.
pub const SYNTAX_LEVELS: u32 = 200;

/// Bytes of a worker's stack: full_moon and `lower` recurse, 200 levels need about 8 MiB in a debug build. The
/// pages are only taken when touched.
pub const STACK_BYTES: usize = 256 << 20;

/// Instructions that inlining may add to the main chunk, and as many again to all other roots together; or [`INLINED_SHARE`], if that is more.
/// Real scripts stay below 10,000; the bound keeps helpers that call helpers twice from growing exponentially.
pub const INLINED_INSTS: usize = 50_000;

/// The same for each instruction of the script, so that long scripts of many helpers take time in proportion to their text.
pub const INLINED_SHARE: usize = 4;

/// How deep calls are inlined inside each other. Recursion is not inlined at all.
pub const INLINE_DEPTH: usize = 16;

/// Parts of a concatenation that are told apart; what is beyond becomes one unknown part.
pub const CONCAT_PARTS: usize = 16;

/// Different origins of one value before it is unknown.
pub const ONE_OF: usize = 8;

/// Constant keys of one table that are told apart; what is beyond is joined.
pub const TABLE_FIELDS: usize = 256;

/// Visits of one loop head before intervals are widened.
pub const JOINS_BEFORE_WIDENING: u32 = 3;

/// Visits of one block before all that is known there is given up. Loops settle in under ten; the bound is a guard.
pub const VISITS: u32 = 64;

/// Locals, tables, keys and narrowed origins that one state tells apart. A Lua function has at most 200 locals; what is beyond is
/// unknown, so that states stay small in very long scripts.
pub const KNOWN: usize = 512;

/// Values that one `unpack` may give on an empty stack: 7,999 on every server (observed).
pub const UNPACKED: i32 = 7_999;

/// Writes before a place that are told apart. Rules name the first of them, and look among these for one that suits.
pub const SURE_WRITES: usize = 8;

/// Keys that a script may have written before a place; more count as any key.
pub const WRITTEN_KEYS: usize = 64;

/// Blocks between an exit and the test that leads to it that are searched for a write that makes up for the earlier one. It stands
/// close to the exit.
pub const REPAIR_BLOCKS: usize = 16;

/// Files that one script may be made of, those that come again counted again. The largest real script has about 40.
pub const INCLUDES: usize = 1_000;

/// How deep files may include each other. Real ones go to 6.
pub const INCLUDE_DEPTH: usize = 64;

/// Rounds of fixes in one run. Fixes that touch each other wait for the next round: real scripts need two or three. The bound is a
/// guard against fixes that undo each other.
pub const FIX_ROUNDS: usize = 64;

/// Blocks in which the next read of a local is looked for; beyond, it counts as read. The scope of a local is seldom as long, and a
/// search for each assignment must not make long scripts slow.
pub const READ_SEARCH: usize = 64;

/// Calls about one key that are compared with each other; a key with more is not judged. Real scripts have under twenty.
pub const KEY_USES: usize = 64;

/// Labels that say through which calls a finding in a helper came to be. More hide what they explain.
pub const CALL_LABELS: usize = 3;
