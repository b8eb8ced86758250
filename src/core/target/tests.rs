//! Which texts are one target, which overlap, and that no file name escapes.

use proptest::prelude::*;

use super::*;

fn name(text: &str) -> Target {
    Target::name(text).unwrap()
}

fn path(text: &str) -> Target {
    Target::path(text, PathStyle::Unix).unwrap()
}

#[test]
fn spellings_with_one_slug_are_one_name() {
    for text in
        ["shared-config", "Shared Config", "shared/config", "shared.config", "SHARED_CONFIG!", " shared  config"]
    {
        assert!(name(text).is(&name("shared-config")), "{text}");
        assert_eq!(name(text).stem(), "shared-config");
    }
    assert!(!name("shared-configs").overlaps(&name("shared-config")));
    assert!(name("Łódź").is(&name("lodz")));
}

#[test]
fn what_cannot_be_a_target_says_which_condition_is_broken() {
    assert_eq!(Target::name(""), Err(TargetError::Empty));
    assert!(matches!(Target::name("-.-"), Err(TargetError::NoLetter(_))));
    assert!(matches!(Target::name("a\nb"), Err(TargetError::Control(_))));
    assert!(matches!(Target::name(&"a".repeat(201)), Err(TargetError::LongName(_))));
    assert!(matches!(Target::name(&"㎒".repeat(150)), Err(TargetError::LongSlug(_))));
    assert!(matches!(Target::path("/a\u{1b}b", PathStyle::Unix), Err(TargetError::Control(_))));
    assert!(matches!(Target::path(&format!("/{}", "a".repeat(4_096)), PathStyle::Unix), Err(TargetError::LongPath(_))));
    assert!(Target::name(&"a".repeat(200)).is_ok());
}

#[test]
fn only_spellings_that_begin_like_a_path_are_paths() {
    for text in ["/", "/etc", "./a", "../a", "~/a", ".", "..", "~"] {
        assert!(PathStyle::Unix.is_path(text) && PathStyle::Windows.is_path(text), "{text}");
    }
    for text in ["a/b", "a", ".hidden", "..a", "~user", "-", ""] {
        assert!(!PathStyle::Unix.is_path(text) && !PathStyle::Windows.is_path(text), "{text}");
    }
    for text in [r"C:\a", "c:a", r"\a", r"\\server\share", r".\a"] {
        assert!(!PathStyle::Unix.is_path(text) && PathStyle::Windows.is_path(text), "{text}");
    }
}

#[test]
fn a_tree_covers_what_is_below_and_nothing_beside() {
    let tree = path("/home/u/proj");
    for (other, overlap) in [
        ("/home/u/proj", true),
        ("/home/u/proj/", true),
        ("/home/u/proj/src/a.rs", true),
        ("/home/u", true),
        ("/", true),
        ("/home/u/proj2", false),
        ("/home/u/pro", false),
        ("/home/u/proj-x/a", false),
        ("/home/u/Proj", false),
    ] {
        assert_eq!(tree.overlaps(&path(other)), overlap, "{other}");
        assert_eq!(path(other).overlaps(&tree), overlap, "{other}");
    }
    assert!(!tree.overlaps(&name("home-u-proj")));
}

#[test]
fn windows_paths_fold_case_separators_and_verbatim_prefixes() {
    let one = Target::path(r"\\?\C:\Users\U\Proj", PathStyle::Windows).unwrap();
    assert_eq!(one.as_str(), r"C:\Users\U\Proj");
    for other in [r"c:\users\u\proj", "C:/Users/U/Proj/", r"C:\Users\U\Proj\"] {
        assert!(one.is(&Target::path(other, PathStyle::Windows).unwrap()), "{other}");
    }
    assert!(Target::path(r"C:\", PathStyle::Windows).unwrap().covers(&one));
    assert!(one.covers(&Target::path(r"C:\Users\u\proj\src\a.rs", PathStyle::Windows).unwrap()));
    assert!(!one.overlaps(&Target::path(r"C:\Users\u\proj2", PathStyle::Windows).unwrap()));
    let share = Target::path(r"\\?\UNC\server\share\x", PathStyle::Windows).unwrap();
    assert!(share.is(&Target::path(r"\\server\share\x", PathStyle::Windows).unwrap()));
}

#[test]
fn what_windows_leaves_out_of_a_path_makes_no_other_target() {
    let windows = |text: &str| Target::path(text, PathStyle::Windows).unwrap();
    let file = windows(r"C:\a\b.txt");
    for other in
        [r"C:\a\b.txt.", r"C:\a\b.txt. .", r"C:\a.\b.txt", r"C:\a \B.TXT", r"C:\a\b.txt:stream", r"C:\a\b.txt::$DATA"]
    {
        assert!(file.is(&windows(other)), "{other}");
    }
    assert!(windows(r"C:\a ").covers(&file) && file.reach().has(&windows(r"C:\a.").stem()));
    for other in [r"C:\a\b", r"C:\a\.b.txt", r"C:\a\b.txt.x", r"D:\a\b.txt", r"C:\...\b.txt", r"\a\b.txt"] {
        assert!(!file.overlaps(&windows(other)), "{other}");
    }
}

#[test]
fn the_paths_around_one_are_told_with_a_root_as_it_is_spelled() {
    let above = |text: &str, style| Target::path(text, style).unwrap().above().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(above("/a/b", PathStyle::Unix), ["/a", "/"]);
    assert!(above("/", PathStyle::Unix).is_empty() && above(r"C:\", PathStyle::Windows).is_empty());
    assert_eq!(above(r"C:\A\b", PathStyle::Windows), [r"c:\a", r"c:\"]);
    assert_eq!(name("a/b").above().count(), 0);
}

#[test]
fn a_posix_shell_on_windows_spells_a_drive_as_a_directory() {
    for (text, path) in [("/c/a b/x", "c:/a b/x"), ("/D", "D:/"), ("/c", "c:/"), ("/cc/x", "/cc/x"), ("c/x", "c/x")] {
        assert_eq!(PathStyle::Windows.from_shell(text), path, "{text}");
        assert_eq!(PathStyle::Unix.from_shell(text), text);
    }
    for text in ["/", "/dev/null", "//server/share", "/é/x", r"C:\x", ""] {
        assert_eq!(PathStyle::Windows.from_shell(text), text);
    }
}

#[test]
fn a_windows_path_is_recorded_as_the_path_that_it_is_read_as() {
    // Found by fuzzing: without its prefix, a volume's path read like a name.
    for text in [r"\\?\Volume{b75e2c83}\x", r"\\?\anc\s\x", r"\\?\UNC\?\C:\x", r"\\?\C:\x", r"\\?\UNC\server\share"] {
        let target = Target::path(text, PathStyle::Windows).unwrap();
        let again = Target::recorded(target.as_str(), PathStyle::Windows).unwrap();
        assert!(again.is(&target) && again.stem() == target.stem(), "{text}: {target:?} {again:?}");
    }
}

#[test]
fn two_paths_with_one_slug_have_two_stems() {
    assert_ne!(path("/a/b-c").stem(), path("/a/b/c").stem());
    assert_ne!(path("/a/b").stem(), name("a-b").stem());
    assert_eq!(path("/").stem().split_once('.').map(|(slug, _)| slug.to_owned()).as_deref(), Some("_"));
}

#[test]
fn the_hash_in_a_stem_never_changes() {
    // The published check values of 64-bit FNV-1a.
    assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
    assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
    assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
}

fn any_path() -> impl Strategy<Value = String> {
    prop::collection::vec("[a-cA-C .ü_-]{1,12}|[a-z]{40,120}", 0..6).prop_map(|parts| format!("/{}", parts.join("/")))
}

proptest! {
    #[test]
    fn reach_misses_no_overlapping_target(one in any_path(), other in any_path(), below in any_path()) {
        for style in [PathStyle::Unix, PathStyle::Windows] {
            let path = |text: &str| match style {
                PathStyle::Unix => Target::path(text, style).unwrap(),
                PathStyle::Windows => Target::path(&format!("C:{text}"), style).unwrap(),
            };
            let (deep, one, other) = (path(&format!("{one}{below}")), path(&one), path(&other));
            prop_assert!(one.overlaps(&deep));
            for (a, b) in [(&one, &other), (&one, &deep), (&deep, &one), (&other, &deep)] {
                prop_assert!(!a.overlaps(b) || a.reach().has(&b.stem()), "{} {}", a, b);
                prop_assert!(!a.covers(b) || b.above().any(|above| above == a.identity()), "{} {}", a, b);
            }
        }
    }

    #[test]
    fn every_stem_is_a_plain_file_name(text in any::<String>()) {
        for target in [Target::name(&text), Target::path(&format!("/{text}"), PathStyle::Unix)].into_iter().flatten() {
            let stem = target.stem();
            prop_assert!(stem.len() <= 200 && !stem.is_empty());
            prop_assert!(stem.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c)), "{}", stem);
            prop_assert!(!stem.starts_with('.') && !stem.contains(".."), "{}", stem);
        }
    }

    #[test]
    fn what_a_claim_records_is_the_same_target(text in any_path()) {
        let target = path(&text);
        prop_assert!(Target::recorded(target.as_str(), PathStyle::Unix).unwrap().is(&target));
    }
}
