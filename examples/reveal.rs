//! Prints what evalint knows of each argument of `reveal(...)` in the scripts named on the command line.

use evalint::{
    config::Config,
    source::{LineIndex, Source},
};

fn main() -> std::io::Result<()> {
    for path in std::env::args().skip(1) {
        let source = Source::file(path.as_str(), std::fs::read(&path)?);
        let lines = LineIndex::new(&source.text);
        for (span, kinds, origin) in evalint::reveal(&source, &Config::default()) {
            println!("{path}:{}: {} = {kinds}, {origin}", lines.line(span.start), source.snippet(span));
        }
    }
    Ok(())
}
