//! How long a check takes: beside reading and parsing alone, and as scripts grow. `cargo bench` prints both.

use std::{env, fs, hint::black_box, path::PathBuf, thread, time::Duration};

use criterion::{BenchmarkId, Criterion, Throughput};
use evalint::{check, config::Config, limits, source::Source};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let all = || {
        let mut criterion = Criterion::default().configure_from_args();
        many_small_scripts(&mut criterion);
        growing_scripts(&mut criterion);
        criterion.final_summary();
    };
    let thread = thread::Builder::new().stack_size(limits::STACK_BYTES).spawn(all);
    thread.expect("a thread can be started").join().expect("no bench panics");
}

/// The scripts of the test data, each under a test, so that several are one script of which everything can be reached. Without those
/// that are no script inside a function.
fn blocks() -> Vec<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let parses = |text: &str| {
        let inside = format!("local function f(KEYS, ARGV)\n{text}end f(KEYS, ARGV)\n");
        evalint::parse::parse(&Source::file("-", inside.into_bytes())).is_ok()
    };
    let mut blocks = Vec::new();
    for entry in walkdir::WalkDir::new(root.join("testdata/scripts")).sort_by_file_name() {
        let path = entry.expect("testdata can be read").into_path();
        let text = fs::read_to_string(&path).unwrap_or_default();
        let block = format!("if ARGV[9] then\n{text}end\n");
        if path.extension().is_some_and(|extension| extension == "lua") && parses(&block) {
            blocks.push(block);
        }
    }
    blocks
}

/// 10,000 different scripts of several blocks, half of them longer than 1 KB.
fn small_scripts() -> Vec<String> {
    let blocks = blocks();
    let script = |n: usize| {
        let mut script = format!("-- Script {n}\n");
        let mut k = 0;
        while script.len() < 300 + 1100 * (n % 5) / 4 {
            script += &blocks[(n * 7 + k * 13) % blocks.len()];
            k += 1;
        }
        script
    };
    (0..10_000).map(script).collect()
}

/// In one run, so that what else the machine does meets both.
fn many_small_scripts(criterion: &mut Criterion) {
    let folder = env::temp_dir().join(format!("evalint-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("the folder of temporary files can be written");
    let mut bytes = 0;
    let mut paths = Vec::new();
    for (n, script) in small_scripts().iter().enumerate() {
        let path = folder.join(format!("{n}.lua"));
        fs::write(&path, script).expect("the folder of temporary files can be written");
        bytes += script.len() as u64;
        paths.push(path);
    }
    let mut group = criterion.benchmark_group("10,000 small scripts");
    group.sample_size(10).measurement_time(Duration::from_secs(20)).throughput(Throughput::Bytes(bytes));
    group.bench_function("read and parse", |bencher| {
        bencher.iter(|| {
            for path in &paths {
                let text = fs::read_to_string(path).expect("it was written");
                black_box(full_moon::parse(&text).is_ok());
            }
        });
    });
    group.bench_function("check", |bencher| {
        let config = Config::default();
        bencher.iter(|| {
            for path in &paths {
                let text = fs::read(path).expect("it was written");
                black_box(check(&Source::file("-", text), &config));
            }
        });
    });
    group.finish();
    fs::remove_dir_all(&folder).expect("it was made");
}

/// The throughput should stay the same.
fn growing_scripts(criterion: &mut Criterion) {
    let blocks = blocks();
    let mut group = criterion.benchmark_group("one big script");
    group.sample_size(10);
    for kilobytes in [10, 100, 1024] {
        let mut text = String::new();
        for (n, block) in blocks.iter().cycle().enumerate() {
            if kilobytes << 10 <= text.len() {
                break;
            }
            text += &format!("do local function f{n}(KEYS, ARGV)\n{block}end f{n}(KEYS, ARGV) end\n");
        }
        let source = Source::file("-", text.as_bytes());
        let config = Config::default();
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(BenchmarkId::from_parameter(format!("{kilobytes} KiB")), |bencher| {
            bencher.iter(|| black_box(check(&source, &config)));
        });
    }
    group.finish();
}
