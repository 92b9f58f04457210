use crate::{
    rule::Finding,
    source::{Outcome, Source},
};

pub(crate) fn check(source: &Source) -> Vec<Finding> {
    let missing = source.includes.iter().filter(|include| include.outcome == Outcome::Missing);
    missing
        .map(|include| {
            Finding::new(
                include.name,
                format!("`{}` is not found: nothing is put in here", source.snippet(include.name)),
            )
            .help("write the path as seen from this file, or name its folder in `include-dirs` of `evalint.toml`")
        })
        .collect()
}
