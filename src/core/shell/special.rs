//! Commands whose arguments follow rules of their own.

use std::path::PathBuf;

use super::options::{parse, parse_leading};
use super::scope::Base;
use super::word::Word;

/// `dd if=A of=B`.
pub(super) fn dd(arguments: &[Word], base: &Base) -> Vec<PathBuf> {
    arguments.iter().filter_map(|word| word.strip("of=")).filter_map(|word| base.place(&word)).collect()
}

/// `sed -i SCRIPT FILE...`, and BSD's `sed -i '' SCRIPT FILE...`, where the suffix is a word of its own.
pub(super) fn sed(arguments: &[Word], base: &Base) -> Vec<PathBuf> {
    const VALUES: &[&str] = &["-e", "-f", "-l", "--expression", "--file", "--line-length"];
    let scripted = parse(arguments, VALUES, &["-i", "-I"]).has(&["-e", "-f", "--expression", "--file"]);
    let mut words = Vec::new();
    let mut after_in_place = false;
    for word in arguments {
        let suffix = word.text.is_empty() || (word.text.starts_with('.') && !scripted && !word.text.contains('/'));
        if !(after_in_place && suffix) {
            words.push(word.clone());
        }
        let cluster = word.text.starts_with('-') && !word.text.starts_with("--");
        after_in_place = cluster && word.text.ends_with(['i', 'I']);
    }
    let parsed = parse(&words, VALUES, &["-i", "-I"]);
    if !parsed.has(&["-i", "-I", "--in-place"]) {
        return Vec::new();
    }
    base.places(parsed.operands.into_iter().skip(usize::from(!scripted)))
}

/// `perl -pi -e SCRIPT FILE...`, and ruby's likewise.
pub(super) fn perl(arguments: &[Word], base: &Base) -> Vec<PathBuf> {
    let mut in_place = false;
    let mut scripted = false;
    let mut words = arguments.iter();
    let mut files = Vec::new();
    while let Some(word) = words.next() {
        let Some(cluster) = word.text.strip_prefix('-').filter(|rest| !rest.is_empty() && *rest != "-") else {
            // Options end at the first operand.
            if word.text != "--" {
                files.push(word);
            }
            files.extend(words);
            break;
        };
        let mut letters = cluster.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '0' | 'l' => letters = letters.as_str().trim_start_matches(|next: char| next.is_ascii_digit()).chars(),
                'i' => {
                    in_place = true;
                    break;
                }
                'e' | 'E' | 'I' => {
                    scripted |= letter != 'I';
                    if letters.as_str().is_empty() {
                        words.next();
                    }
                    break;
                }
                'M' | 'm' | 'F' | 'C' | 'x' | 'D' | 'V' | 'r' => break,
                _ => {}
            }
        }
    }
    if !in_place {
        return Vec::new();
    }
    base.places(files.into_iter().skip(usize::from(!scripted)))
}

/// `awk -i inplace SCRIPT FILE...`, where `NAME=VALUE` among the files sets a variable.
pub(super) fn awk(arguments: &[Word], base: &Base) -> Vec<PathBuf> {
    const VALUES: &[&str] = &[
        "-F",
        "-v",
        "-f",
        "-i",
        "-e",
        "-l",
        "--include",
        "--source",
        "--file",
        "--assign",
        "--field-separator",
        "--load",
    ];
    let (parsed, start) = parse_leading(arguments, VALUES, &[]);
    if !parsed.values(&["-i", "--include"]).iter().any(|word| matches!(word.text.as_str(), "inplace" | "inplace.awk")) {
        return Vec::new();
    }
    let scripted = parsed.has(&["-f", "-e", "--file", "--source"]);
    let files = arguments.get(start..).unwrap_or_default().iter().skip(usize::from(!scripted));
    base.places(files.filter(|word| !word.text.contains('=')))
}

/// `patch FILE`, `patch -o FILE`, and `patch -p1`, which writes what the diff names in the directory it works in.
pub(super) fn patch(arguments: &[Word], base: &Base) -> Vec<PathBuf> {
    const VALUES: &[&str] = &[
        "-p",
        "-d",
        "-o",
        "-i",
        "-r",
        "-B",
        "-D",
        "-F",
        "-V",
        "-x",
        "-z",
        "-Y",
        "-g",
        "--strip",
        "--directory",
        "--output",
        "--input",
        "--reject-file",
        "--prefix",
        "--ifdef",
        "--fuzz",
        "--version-control",
        "--suffix",
        "--basename-prefix",
        "--get",
    ];
    let parsed = parse(arguments, VALUES, &[]);
    if parsed.has(&["--dry-run", "--check", "-C", "-v"]) {
        return Vec::new();
    }
    let inner = parsed.value(&["-d", "--directory"]).map_or_else(|| base.clone(), |word| base.enter(word));
    if let Some(output) = parsed.value(&["-o", "--output"]) {
        return inner.place(output).into_iter().collect();
    }
    match parsed.operands.first() {
        Some(file) => inner.place(file).into_iter().collect(),
        None => inner.into_list(),
    }
}

/// `tar -xf A -C DIR` writes in the directory, `tar -cf A` the archive.
pub(super) fn tar(arguments: &[Word], base: &Base) -> Vec<PathBuf> {
    const VALUES: &[&str] = &[
        "-f",
        "-C",
        "-b",
        "-T",
        "-X",
        "-I",
        "-H",
        "-V",
        "-g",
        "-K",
        "-N",
        "-L",
        "--file",
        "--directory",
        "--exclude",
        "--exclude-from",
        "--files-from",
        "--transform",
        "--use-compress-program",
        "--strip-components",
        "--format",
        "--owner",
        "--group",
        "--mode",
        "--mtime",
    ];
    let mut words = arguments.to_vec();
    // `tar xzf A`: the letters come without a dash, and their values follow in order.
    let mut bundled = Vec::new();
    if words.first().is_some_and(|word| word.exact().is_some() && !word.text.starts_with('-')) {
        let letters = words.remove(0);
        for letter in letters.text.chars() {
            bundled.push(Word::literal(&format!("-{letter}")));
            if VALUES.contains(&format!("-{letter}").as_str()) && !words.is_empty() {
                bundled.push(words.remove(0));
            }
        }
    }
    bundled.extend(words);
    let parsed = parse(&bundled, VALUES, &[]);
    let inner = parsed.value(&["-C", "--directory"]).map_or_else(|| base.clone(), |word| base.enter(word));
    if parsed.has(&["-t", "--list", "-d", "--diff", "--compare"]) {
        return Vec::new();
    }
    if parsed.has(&["-x", "--extract", "--get"]) {
        return if parsed.has(&["-O", "--to-stdout"]) { Vec::new() } else { inner.into_list() };
    }
    if parsed.has(&["-c", "-r", "-u", "-A", "--create", "--append", "--update", "--concatenate"]) {
        let archive = parsed.value(&["-f", "--file"]).filter(|word| word.text != "-");
        return base.places(archive);
    }
    Vec::new()
}

/// `curl -o FILE URL`, `curl -O URL`.
pub(super) fn curl(arguments: &[Word], base: &Base) -> Vec<PathBuf> {
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
    let mut paths = inner.places(written);
    let kept =
        parsed.values(&["-c", "-D", "--cookie-jar", "--dump-header"]).into_iter().filter(|word| word.text != "-");
    paths.extend(base.places(kept));
    if parsed.has(&["-O", "--remote-name", "--remote-name-all"]) {
        let named = parsed.operands.iter().copied().chain(parsed.values(&["--url"]));
        paths.extend(named.filter_map(remote_name).filter_map(|name| inner.join(name)));
    }
    paths
}

/// `wget -O FILE URL`, `wget -P DIR URL`, `wget URL`.
pub(super) fn wget(arguments: &[Word], base: &Base) -> Vec<PathBuf> {
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
    let mut paths = base.places(parsed.values(&["-o", "-a", "--output-file", "--append-output"]));
    if parsed.has(&["--spider"]) {
        return paths;
    }
    if let Some(document) = parsed.value(&["-O", "--output-document"]) {
        if document.text != "-" {
            paths.extend(base.place(document));
        }
        return paths;
    }
    let prefix = parsed.value(&["-P", "--directory-prefix"]);
    let inner = prefix.map_or_else(|| base.clone(), |word| base.enter(word));
    if parsed.has(&["-r", "-m", "-p", "-x", "-i", "--recursive", "--mirror", "--page-requisites", "--input-file"]) {
        paths.extend(inner.into_list());
        return paths;
    }
    paths.extend(parsed.operands.iter().filter_map(|url| remote_name(url)).filter_map(|name| inner.join(name)));
    paths
}

/// The file name that a download takes from its address.
fn remote_name(url: &Word) -> Option<&str> {
    let address = url.exact()?;
    let address = address.split_once("://").map_or(address, |(_, rest)| rest);
    let address = address.split(['?', '#']).next()?;
    let (_, name) = address.rsplit_once('/')?;
    (!name.is_empty()).then_some(name)
}

/// An editor that is driven by commands and told to write. Without such a command nothing is sure.
pub(super) fn vim(arguments: &[Word], base: &Base) -> Vec<PathBuf> {
    let parsed = parse(arguments, &["-c", "-S", "-u", "-U", "-T", "-i", "-w", "-W", "--cmd"], &[]);
    if parsed.has(&["-R", "-d", "-t", "-q"]) {
        return Vec::new();
    }
    let (commands, files): (Vec<&Word>, Vec<&Word>) =
        parsed.operands.iter().copied().partition(|word| word.text.starts_with('+'));
    let saves = parsed.values(&["-c", "--cmd"]).into_iter().chain(commands).any(|command| {
        command.text.split(|character: char| !character.is_ascii_alphabetic()).any(|token| {
            matches!(
                token,
                "w" | "wq" | "wa" | "wqa" | "wall" | "wqall" | "write" | "x" | "xa" | "xit" | "up" | "update"
            )
        })
    });
    if saves { base.places(files) } else { Vec::new() }
}
