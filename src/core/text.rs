//! What may reach a terminal. A claim file can be written by anybody who can write into its directory, so no byte of it
//! is printed as it is: control characters could move the cursor, hide a line or retype the prompt.
//!
//! JSON output does not need this: JSON escapes control characters itself, and there the exact text is wanted.

/// The most characters of one text that are shown.
pub const SHOWN: usize = 200;

/// The text as one line without control or direction-changing characters, cut to [`SHOWN`] characters.
#[must_use]
pub fn visible(text: &str) -> String {
    shortened(text, SHOWN)
}

/// As [`visible`], cut to `most` characters, the last of them `…` when something was cut.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    let mut characters = text.chars().map(|character| if is_hidden(character) { '\u{fffd}' } else { character });
    let mut shown: String = characters.by_ref().take(most).collect();
    if characters.next().is_some() && shown.pop().is_some() {
        shown.push('…');
    }
    shown
}

/// Whether a character does something other than showing itself: C0, DEL and C1 controls, line and paragraph
/// separators, the directional overrides and isolates, zero-width characters and tags.
#[must_use]
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escape_sequences_newlines_and_overrides_do_not_pass() {
        for text in ["\u{1b}[2Jx", "a\nb", "a\rb", "\u{9b}31m", "\u{202e}txt", "a\u{7f}", "\0", "\u{2028}", "\u{e0041}"]
        {
            let shown = visible(text);
            assert!(!shown.chars().any(is_hidden), "{text:?} became {shown:?}");
        }
        assert_eq!(visible("a\nb"), "a\u{fffd}b");
        assert_eq!(visible("Überschrift 名前 👍"), "Überschrift 名前 👍");
    }

    #[test]
    fn a_long_text_is_cut_and_says_so() {
        assert_eq!(visible(&"x".repeat(200)), "x".repeat(200));
        assert_eq!(visible(&"x".repeat(201)), format!("{}…", "x".repeat(199)));
        assert_eq!(shortened("abc", 0), "");
    }

    proptest! {
        #[test]
        fn nothing_hidden_and_nothing_long_passes(text in any::<String>(), most in 0_usize..300) {
            let shown = shortened(&text, most);
            prop_assert!(shown.chars().count() <= most);
            prop_assert!(!shown.chars().any(is_hidden));
        }
    }
}
