use evalint::{
    config::Config,
    source::{LineIndex, Source},
};
fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read(&path).unwrap();
        let source = Source::file(path.as_str(), text);
        let lines = LineIndex::new(&source.text);
        for (span, kinds, origin) in evalint::reveal(&source, &Config::default()) {
            println!("{path}:{}: {} = {kinds}, {origin}", lines.line(span.start), source.snippet(span));
        }
    }
}
