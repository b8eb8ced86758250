//! As much of TOML as it takes to read a few settings of Codex, which is no reason for a parser of all of it.
//!
//! Tables, keys with a value in the same line or a list over several, comments, both kinds of quoted text in one line.
//! What is written otherwise (dotted keys, inline tables, text over several lines) is not found; `claim doctor` then says
//! something too much, and never that all is well.

/// The text of a key's value: `sandbox_mode` at the top has no table.
pub(super) fn value<'a>(text: &'a str, table: Option<&str>, key: &str) -> Option<&'a str> {
    let mut current: Option<&str> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        let line = line.trim();
        if let Some(name) = line.strip_prefix('[').filter(|_| !line.starts_with("[[")) {
            current = name.split(']').next().map(str::trim);
            continue;
        }
        if line.starts_with("[[") {
            current = Some("[[");
            continue;
        }
        let Some((name, _)) = line.split_once('=') else { continue };
        if current == table && name.trim().trim_matches(['"', '\'']) == key {
            let from = text.get(at..)?.find('=')? + at + 1;
            return text.get(from..).map(extent);
        }
    }
    None
}

/// The texts of a list.
pub(super) fn texts(list: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = list;
    while let Some(at) = rest.find(['"', '\'', '#']) {
        let after = rest.get(at + 1..).unwrap_or_default();
        let Some(quote) = rest.get(at..=at).filter(|quote| *quote != "#") else {
            rest = after.split_once('\n').map_or("", |(_, next)| next);
            continue;
        };
        let Some((text, next)) = after.split_once(quote) else { break };
        texts.push(text.to_owned());
        rest = next;
    }
    texts
}

/// A value up to its end: a list to its bracket, anything else to the end of the line or a comment.
fn extent(text: &str) -> &str {
    let text = text.trim_start_matches([' ', '\t']);
    let is_list = text.starts_with('[');
    let mut quote = None;
    let mut comment = false;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (_, '\n') if comment => comment = false,
            _ if comment => {}
            (Some(open), _) if character == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '#') if is_list => comment = true,
            (None, '#' | '\n') if !is_list => return text.get(..at).unwrap_or_default().trim(),
            (None, ']') if is_list => return text.get(..=at).unwrap_or_default(),
            _ => {}
        }
    }
    text.trim()
}

#[cfg(test)]
mod tests {
    use super::{texts, value};

    #[test]
    fn the_settings_that_matter_are_found() {
        let text = "sandbox_mode = \"workspace-write\" # as usual\n\n[features]\nhooks = false\n[[hooks.PreToolUse]]\n\
                    writable_roots = [\"/no\"]\n[ sandbox_workspace_write ]\n# writable_roots = [\"/not\"]\n\
                    writable_roots = [\n  \"/home/u/a]b\", # ] \"x\"\n  '/home/u/c',\n]\nnetwork_access = true\n";
        assert_eq!(value(text, None, "sandbox_mode"), Some("\"workspace-write\""));
        assert_eq!(value(text, Some("features"), "hooks"), Some("false"));
        let roots = value(text, Some("sandbox_workspace_write"), "writable_roots").unwrap();
        assert_eq!(texts(roots), ["/home/u/a]b", "/home/u/c"]);
        assert_eq!(value(text, Some("sandbox_workspace_write"), "network_access"), Some("true"));
        assert_eq!(value(text, None, "hooks"), None);
        assert_eq!(value("", None, "hooks"), None);
    }
}
