//! What `curl` and `wget` fetch, and under which name they keep it.

use super::options::parse;
use super::scope::Base;
use super::word::Word;
use crate::core::write::{Link, Write};

/// `curl -o FILE URL`, `curl -O URL`.
pub(super) fn curl(arguments: &[Word], base: &Base) -> Vec<Write> {
    const VALUES: &[&str] = &[
        "-A",
        "-b",
        "-c",
        "-C",
        "-d",
        "-D",
        "-e",
        "-E",
        "-F",
        "-h",
        "-H",
        "-K",
        "-m",
        "-o",
        "-P",
        "-Q",
        "-r",
        "-t",
        "-T",
        "-u",
        "-U",
        "-w",
        "-x",
        "-X",
        "-y",
        "-Y",
        "-z",
        "--output",
        "--output-dir",
        "--header",
        "--data",
        "--data-raw",
        "--data-binary",
        "--data-urlencode",
        "--json",
        "--form",
        "--request",
        "--user",
        "--user-agent",
        "--referer",
        "--cookie",
        "--cookie-jar",
        "--cacert",
        "--cert",
        "--key",
        "--max-time",
        "--connect-timeout",
        "--retry",
        "--retry-delay",
        "--proxy",
        "--range",
        "--url",
        "--write-out",
        "--dump-header",
        "--upload-file",
        "--resolve",
        "--config",
        "--limit-rate",
        "--oauth2-bearer",
    ];
    let parsed = parse(arguments, VALUES, &[]);
    let inner = parsed.value(&["--output-dir"]).map_or_else(|| base.clone(), |word| base.enter(word));
    let written = parsed.values(&["-o", "--output"]).into_iter().filter(|word| word.text != "-");
    let mut writes = inner.writes(written, Link::Followed);
    let kept =
        parsed.values(&["-c", "-D", "--cookie-jar", "--dump-header"]).into_iter().filter(|word| word.text != "-");
    writes.extend(base.writes(kept, Link::Followed));
    if parsed.has(&["-O", "--remote-name", "--remote-name-all"]) {
        let named = parsed.operands.iter().copied().chain(parsed.values(&["--url"]));
        writes.extend(named.filter_map(remote_name).filter_map(|name| inner.join(name)).map(Write::through));
    }
    writes
}

/// `wget -O FILE URL`, `wget -P DIR URL`, `wget URL`.
pub(super) fn wget(arguments: &[Word], base: &Base) -> Vec<Write> {
    const VALUES: &[&str] = &[
        "-O",
        "-P",
        "-o",
        "-a",
        "-e",
        "-i",
        "-t",
        "-T",
        "-w",
        "-Q",
        "-U",
        "-l",
        "-A",
        "-R",
        "-D",
        "-I",
        "-X",
        "-B",
        "--output-document",
        "--directory-prefix",
        "--output-file",
        "--append-output",
        "--tries",
        "--timeout",
        "--wait",
        "--user-agent",
        "--header",
        "--input-file",
        "--user",
        "--password",
        "--post-data",
        "--post-file",
        "--level",
    ];
    let parsed = parse(arguments, VALUES, &[]);
    let mut writes = base.writes(parsed.values(&["-o", "-a", "--output-file", "--append-output"]), Link::Followed);
    if parsed.has(&["--spider"]) {
        return writes;
    }
    if let Some(document) = parsed.value(&["-O", "--output-document"]) {
        if document.text != "-" {
            writes.extend(base.write(document, Link::Followed));
        }
        return writes;
    }
    let prefix = parsed.value(&["-P", "--directory-prefix"]);
    let inner = prefix.map_or_else(|| base.clone(), |word| base.enter(word));
    if parsed.has(&["-r", "-m", "-p", "-x", "-i", "--recursive", "--mirror", "--page-requisites", "--input-file"]) {
        writes.extend(inner.into_list());
        return writes;
    }
    let names = parsed.operands.iter().filter_map(|url| remote_name(url)).filter_map(|name| inner.join(name));
    writes.extend(names.map(Write::through));
    writes
}

/// The file name that a download takes from its address.
fn remote_name(url: &Word) -> Option<&str> {
    let address = url.exact()?;
    let address = address.split_once("://").map_or(address, |(_, rest)| rest);
    let address = address.split(['?', '#']).next()?;
    let (_, name) = address.rsplit_once('/')?;
    (!name.is_empty()).then_some(name)
}
