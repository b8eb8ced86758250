//! What becomes of a link at the end of a path. What is said here was tried: `real` does it again.

use std::path::Path;

use super::{CWD, HOME, Link, writes_in};
use Link::{Either, Entered, Followed, Made, Replaced};

fn check(cases: &[(&str, &[(&str, Link)])]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(command, expected)| {
            let found = writes_in(command, Path::new(CWD), Some(Path::new(HOME)));
            let found: Vec<_> =
                found.iter().map(|write| (write.path.to_str().unwrap_or_default(), write.link)).collect();
            let expected: Vec<_> = expected.iter().map(|(path, link)| (format!("{CWD}/{path}"), *link)).collect();
            let same = found.iter().map(|(path, link)| ((*path).to_owned(), *link)).eq(expected.iter().cloned());
            (!same).then(|| format!("{command}\n    expected {expected:?}\n    found    {found:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn what_is_written_through() {
    check(&[
        ("echo > l", &[("l", Followed)]),
        ("echo >> l", &[("l", Followed)]),
        ("tee l", &[("l", Followed)]),
        ("sponge l", &[("l", Followed)]),
        ("touch l", &[("l", Followed)]),
        ("chmod 600 l", &[("l", Followed)]),
        ("truncate -s 0 l", &[("l", Followed)]),
        ("dd of=l", &[("l", Followed)]),
        ("cp a l", &[("l", Followed)]),
        ("cp -T a l", &[("l", Followed)]),
        ("cp -f a l", &[("l", Followed)]),
        ("cp a d/", &[("d/a", Followed)]),
        ("sort -o l a", &[("l", Followed)]),
        ("uniq a l", &[("l", Followed)]),
        ("curl -o l u", &[("l", Followed)]),
        ("wget -O l u", &[("l", Followed)]),
        ("tar cf l a", &[("l", Followed)]),
        ("tar xf a -C l", &[("l", Followed)]),
        ("sed -i --follow-symlinks s/a/b/ l", &[("l", Followed)]),
        ("vim -es -c wq l", &[("l", Followed)]),
        ("git diff --output=l", &[("l", Followed)]),
        ("gofmt -w l", &[("l", Followed)]),
        ("black l", &[("l", Followed)]),
        ("gcc -o l a.c", &[("l", Followed)]),
    ]);
}

#[test]
fn what_is_made_unless_it_is_there() {
    check(&[
        ("mkdir d", &[("d", Made)]),
        ("mkdir -p d/e/", &[("d/e", Made)]),
        ("mkdir -pm 700 d; rm -r d", &[("d", Either)]),
        ("install -d d", &[("d", Followed)]),
    ]);
}

#[test]
fn what_is_replaced() {
    check(&[
        ("rm l", &[("l", Replaced)]),
        ("rm -rf l", &[("l", Replaced)]),
        ("unlink l", &[("l", Replaced)]),
        ("rmdir l", &[("l", Replaced)]),
        ("sed -i s/a/b/ l", &[("l", Replaced)]),
        ("perl -pi -e s/a/b/ l", &[("l", Replaced)]),
        ("gawk -i inplace 1 l", &[("l", Replaced)]),
        ("touch -h l", &[("l", Replaced)]),
        ("chown -h u l", &[("l", Replaced)]),
        ("gzip -f l", &[("l", Replaced)]),
        ("find l -delete", &[("l", Replaced)]),
        ("find -L l -delete", &[("l", Followed)]),
        ("mv l m", &[("l", Replaced), ("m", Entered)]),
        ("mv -T l m", &[("l", Replaced), ("m", Replaced)]),
        ("mv l d/", &[("l", Replaced), ("d/l", Replaced)]),
        ("mv -t d l", &[("l", Replaced), ("d/l", Replaced)]),
        ("ln -sf a l", &[("l", Entered)]),
        ("ln -sfn a l", &[("l", Replaced)]),
        ("ln -sfT a l", &[("l", Replaced)]),
        ("ln -sf ../l", &[("l", Replaced)]),
        ("ln -sf a d/", &[("d/a", Replaced)]),
        ("install a l", &[("l", Entered)]),
        ("install -T a l", &[("l", Replaced)]),
        ("install -d l", &[("l", Followed)]),
        ("cp --remove-destination a l", &[("l", Entered)]),
        ("cp -sf a l", &[("l", Entered)]),
        ("cp -al a l", &[("l", Entered)]),
        ("rsync -a a l", &[("l", Entered)]),
        ("apply_patch '*** Delete File: l'", &[("l", Replaced)]),
    ]);
}

#[test]
fn what_is_not_plain_is_both() {
    check(&[
        ("cp -a a l", &[("l", Either)]),
        ("cp -P a l", &[("l", Either)]),
        ("cp -r a l", &[("l", Either)]),
        ("shred -u l", &[("l", Either)]),
        ("rsync --inplace a l", &[("l", Either)]),
        ("chown -R u l", &[("l", Either)]),
        ("yq -i .a=1 l", &[("l", Either)]),
        ("rm l; echo > l", &[("l", Either)]),
        ("echo > l; echo >> l", &[("l", Followed)]),
        ("apply_patch '*** Update File: a\n*** Move to: l'", &[("a", Replaced), ("l", Either)]),
    ]);
}

#[test]
fn a_separator_at_the_end_leads_through_the_link() {
    check(&[
        ("rm -rf l/", &[("l", Followed)]),
        ("rm -rf l/*", &[("l", Followed)]),
        ("rm -rf l/.", &[("l", Followed)]),
        ("mv a l/", &[("a", Replaced), ("l/a", Replaced)]),
        ("ln -sfn a l/", &[("l/a", Replaced)]),
        ("find l/ -delete", &[("l", Followed)]),
    ]);
}
