use crate::{facts::Facts, ir::Remark, rule::Finding};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    let unbalanced = |remark: &Remark| {
        let Remark::Unbalanced { span, names, values } = *remark else { return None };
        let finding = match values.checked_sub(names) {
            Some(more) => {
                let message = format!("{} for {}: {more} too many", count(values, "value"), count(names, "name"));
                Finding::new(span, message).help("remove what no name takes")
            }
            None => {
                let rest = if names - values == 1 { "the last gets nil" } else { "the others get nil" };
                let message = format!("{} for {}: {rest}", count(values, "value"), count(names, "name"));
                Finding::new(span, message).help("give each name a value, or write `nil`")
            }
        };
        Some(finding)
    };
    facts.program.remarks.iter().filter_map(unbalanced).collect()
}

fn count(n: u32, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
