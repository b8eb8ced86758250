//! The files that an `apply_patch` document touches.
//!
//! Codex edits through one document that may add, update, delete and move several files. A write guard needs all of
//! their names, also from a document that a stricter reader would reject: a half-broken patch may still be applied in
//! part, so the markers are looked for line by line and nothing else is checked. Lines of content start with `+`, `-`,
//! a space or `@@`, so a marker that is quoted inside a file's text is not taken for one.

use crate::core::write::{Link, Write, Writes};

const UPDATE: &str = "*** Update File:";
const DELETE: &str = "*** Delete File:";
const MOVE: &str = "*** Move to:";

/// What may stand before a file's name, at the start of a line.
const MARKERS: [&str; 4] = ["*** Add File:", UPDATE, DELETE, MOVE];

/// Every file that the patch adds, updates, deletes or moves to, as spelled there, in order, each once.
///
/// A file that is deleted, or moved from, goes as a link if it is one. Where a file is moved to, Codex writes through a
/// link, and others rename onto it.
#[must_use]
pub fn files(patch: &str) -> Vec<Write> {
    let mut files = Writes::default();
    let mut updating = false;
    let mut from = None;
    for line in patch.lines() {
        // Codex takes an indented marker for one, but within an update a space begins a line of context.
        if updating && line.starts_with(' ') {
            continue;
        }
        let line = line.trim();
        let Some((marker, name)) = MARKERS.iter().find_map(|marker| Some((*marker, line.strip_prefix(marker)?.trim())))
        else {
            continue;
        };
        updating = marker == UPDATE || marker == MOVE;
        let link = match marker {
            DELETE => Link::Replaced,
            MOVE => Link::Either,
            _ => Link::Followed,
        };
        if marker == MOVE
            && let Some(moved) = from.take().and_then(|place| files.at(place))
        {
            moved.link = Link::Replaced;
        }
        if name.is_empty() {
            continue;
        }
        let place = files.add(Write { path: name.into(), link });
        from = (marker == UPDATE).then_some(place);
    }
    files.into_list()
}

#[cfg(test)]
mod tests {
    use super::{Link, Write};

    fn files(patch: &str) -> Vec<String> {
        super::files(patch).iter().map(|file| file.path.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_link_is_written_through_deleted_or_moved() {
        let link = |patch: &str| super::files(patch).iter().map(|Write { link, .. }| *link).collect::<Vec<_>>();
        assert_eq!(link("*** Add File: a\n+x\n*** Update File: b\n@@\n+x\n"), [Link::Followed, Link::Followed]);
        assert_eq!(link("*** Delete File: a\n"), [Link::Replaced]);
        assert_eq!(link("*** Update File: a\n*** Move to: b\n@@\n+x\n"), [Link::Replaced, Link::Either]);
        assert_eq!(link("*** Move to: b\n*** Delete File: c\n"), [Link::Either, Link::Replaced]);
        assert_eq!(link("*** Delete File: a\n*** Add File: a\n+x\n"), [Link::Either]);
    }

    #[test]
    fn every_kind_of_change_is_named_once_and_in_order() {
        let patch = "*** Begin Patch\n*** Add File: notes/new.md\n+*** Add File: not-this-one\n+text\n\
                     *** Update File: src/a b.rs\n*** Move to: ../sibling/b.rs\n@@ fn x\n-old\n+new\n\
                     *** Delete File: /home/u/gone.txt\n*** Update File: src/a b.rs\n@@\n+more\n*** End Patch\n";
        assert_eq!(files(patch), ["notes/new.md", "src/a b.rs", "../sibling/b.rs", "/home/u/gone.txt"]);
    }

    #[test]
    fn a_patch_that_is_cut_short_or_has_windows_line_ends_still_names_its_files() {
        assert_eq!(files("*** Begin Patch\r\n*** Add File: a.txt\r\n+x"), ["a.txt"]);
        assert_eq!(files("  *** Update File: b.txt  \n*** Move to:\n"), ["b.txt"]);
        assert_eq!(files("no patch at all"), Vec::<String>::new());
        assert_eq!(files(""), Vec::<String>::new());
    }

    #[test]
    fn an_unpatched_line_of_content_is_no_marker() {
        assert_eq!(
            files("*** Update File: doc.md\n@@\n-*** Delete File: x\n *** Add File: z\n+*** Move to: y\n"),
            ["doc.md"]
        );
    }
}
