//! A rule's page as a test: its fences with their places.

#![allow(dead_code, reason = "each test uses a part")]

use evalint::rule::Rule;

use crate::setting::root;

pub(crate) struct Page {
    pub(crate) rule: &'static Rule,
    /// From the root of the repository.
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) fences: Vec<Fence>,
}

/// A block of code between lines of three backticks.
pub(crate) struct Fence {
    pub(crate) language: String,
    /// What stands after the language.
    pub(crate) words: Vec<String>,
    pub(crate) text: String,
    /// The line of the file that is the text's first.
    pub(crate) line: u32,
}

impl Fence {
    pub(crate) fn is(&self, word: &str) -> bool {
        self.words.first().is_some_and(|first| first == word)
    }
}

/// The page of a rule, read from disk so that lines are those of the file.
pub(crate) fn page(rule: &'static Rule) -> Page {
    let path = format!("rules/{}/{}.md", rule.category, rule.name);
    let text = std::fs::read_to_string(root().join(&path)).expect("the build read it");
    let mut page = Page { rule, path, title: String::new(), fences: Vec::new() };
    let mut open: Option<Fence> = None;
    for (line, number) in text.lines().zip(1..) {
        if line.starts_with("```") {
            match open.take() {
                Some(fence) => page.fences.push(fence),
                None => {
                    let mut words = line.trim_start_matches('`').split_whitespace().map(String::from);
                    open = Some(Fence {
                        language: words.next().unwrap_or_default(),
                        words: words.collect(),
                        text: String::new(),
                        line: number + 1,
                    });
                }
            }
        } else if let Some(fence) = &mut open {
            fence.text += line;
            fence.text.push('\n');
        } else if let Some(title) = line.strip_prefix("# ")
            && page.title.is_empty()
        {
            page.title = title.into();
        }
    }
    assert!(open.is_none(), "{}: the last fence is not closed", page.path);
    page
}
