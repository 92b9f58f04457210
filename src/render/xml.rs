//! What the XML formats have in common: elements with text that XML 1.0 can hold.

use std::{borrow::Cow, io};

use quick_xml::{Writer, escape::escape, events::BytesText, writer::ElementWriter};

pub(super) const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

pub(super) type Xml = Writer<Vec<u8>>;
pub(super) type Element<'w> = ElementWriter<'w, Vec<u8>>;

/// The elements that `write` makes.
pub(super) fn fragment(write: impl FnOnce(&mut Xml) -> io::Result<()>) -> Vec<u8> {
    let mut out = Writer::new_with_indent(Vec::new(), b' ', 2);
    write(&mut out).expect("a Vec takes all");
    out.into_inner()
}

/// An element with attributes, each a name and a value.
pub(super) fn element<'w>(out: &'w mut Xml, name: &'w str, attributes: &[(&str, &str)]) -> Element<'w> {
    let attributes = attributes.iter().map(|&(name, value)| {
        // Readers take line ends and tabs in attributes for blanks.
        let value = legal(value).replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t");
        (name, Cow::Owned(value))
    });
    out.create_element(name).with_attributes(attributes)
}

pub(super) fn text(text: &str) -> BytesText<'static> {
    BytesText::from_escaped(escape(legal(text)))
}

/// The text with what XML 1.0 can't hold or shows to nobody as escapes.
fn legal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\t' | '\n' | '\r' | ' '..='\u{7e}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'.. => out.push(letter),
            _ if letter.is_ascii() => out.push_str(&format!("\\x{:02x}", letter as u32)),
            _ => out.push_str(&format!("\\u{{{:x}}}", letter as u32)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_hold_is_escaped() {
        let written = fragment(|out| {
            element(out, "a", &[("b", "\0<\"\n\u{1b}\u{ffff}\u{85}é漢🦀")])
                .write_text_content(text("\u{8}\r&]]>\n"))?;
            Ok(())
        });
        let written = String::from_utf8(written).expect("it is UTF-8");
        let wanted = "<a b=\"\\x00&lt;&quot;\\n\\x1b\\u{ffff}\\u{85}é漢🦀\">\\x08&#13;&amp;]]&gt;\n</a>";
        assert_eq!(written, wanted);
    }
}
