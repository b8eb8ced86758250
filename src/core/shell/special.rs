//! Commands whose arguments follow rules of their own.

use super::options::{parse, parse_leading};
use super::scope::Base;
use super::word::Word;
use crate::core::write::{Link, Write};

/// `dd if=A of=B`.
pub(super) fn dd(arguments: &[Word], base: &Base) -> Vec<Write> {
    arguments.iter().filter_map(|word| word.strip("of=")).filter_map(|word| base.write(&word, Link::Followed)).collect()
}

/// `sed -i SCRIPT FILE...`, and BSD's `sed -i '' SCRIPT FILE...`, where the suffix is a word of its own.
pub(super) fn sed(arguments: &[Word], base: &Base) -> Vec<Write> {
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
    let link = if parsed.has(&["--follow-symlinks"]) { Link::Followed } else { Link::Replaced };
    base.writes(parsed.operands.into_iter().skip(usize::from(!scripted)), link)
}

/// `perl -pi -e SCRIPT FILE...`, and ruby's likewise.
pub(super) fn perl(arguments: &[Word], base: &Base) -> Vec<Write> {
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
    base.writes(files.into_iter().skip(usize::from(!scripted)), Link::Replaced)
}

/// `awk -i inplace SCRIPT FILE...`, where `NAME=VALUE` among the files sets a variable.
pub(super) fn awk(arguments: &[Word], base: &Base) -> Vec<Write> {
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
    base.writes(files.filter(|word| !word.text.contains('=')), Link::Replaced)
}

/// `patch FILE`, `patch -o FILE`, and `patch -p1`, which writes what the diff names in the directory it works in.
pub(super) fn patch(arguments: &[Word], base: &Base) -> Vec<Write> {
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
        return inner.writes(Some(output), Link::Either);
    }
    match parsed.operands.first() {
        Some(file) => inner.writes(Some(*file), Link::Either),
        None => inner.into_list(),
    }
}

/// `tar -xf A -C DIR` writes in the directory, `tar -cf A` the archive.
pub(super) fn tar(arguments: &[Word], base: &Base) -> Vec<Write> {
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
        return base.writes(archive, Link::Followed);
    }
    Vec::new()
}

/// An editor that is driven by commands and told to write. Without such a command nothing is sure.
pub(super) fn vim(arguments: &[Word], base: &Base) -> Vec<Write> {
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
    if saves { base.writes(files, Link::Followed) } else { Vec::new() }
}

/// `split FILE PREFIX` makes files whose names begin with the prefix, which stands for them all.
pub(super) fn split(arguments: &[Word], base: &Base) -> Vec<Write> {
    const VALUES: &[&str] = &[
        "-a",
        "-b",
        "-C",
        "-l",
        "-n",
        "-t",
        "--suffix-length",
        "--bytes",
        "--line-bytes",
        "--lines",
        "--number",
        "--separator",
        "--additional-suffix",
        "--filter",
    ];
    let parsed = parse(arguments, VALUES, &["-d", "-x"]);
    if parsed.has(&["--filter"]) {
        return Vec::new();
    }
    let prefix = parsed.operands.get(1).map_or_else(|| Word::literal("x"), |word| (*word).clone());
    base.writes(Some(&prefix), Link::Followed)
}

/// `csplit -f PREFIX FILE PATTERN...`, likewise.
pub(super) fn csplit(arguments: &[Word], base: &Base) -> Vec<Write> {
    let parsed = parse(arguments, &["-f", "-b", "-n", "--prefix", "--suffix-format", "--digits"], &[]);
    let prefix = parsed.value(&["-f", "--prefix"]).cloned().unwrap_or_else(|| Word::literal("xx"));
    base.writes(Some(&prefix), Link::Followed)
}

/// `mktemp TEMPLATE` and `mktemp -p DIR TEMPLATE`: what it makes is named like the template. Without one, or with `-t`, it
/// is in the temporary directory.
pub(super) fn mktemp(arguments: &[Word], base: &Base) -> Vec<Write> {
    let parsed = parse(arguments, &["-p", "--suffix"], &[]);
    if parsed.has(&["-u", "--dry-run"]) {
        return Vec::new();
    }
    let directory = parsed.value(&["-p", "--tmpdir"]);
    if parsed.has(&["-t", "--tmpdir"]) && directory.is_none() {
        return Vec::new();
    }
    let inner = directory.map_or_else(|| base.clone(), |word| base.enter(word));
    let template = parsed.operands.first().map(|word| (*word).clone());
    inner.writes(template.or(directory.map(|_| Word::literal("tmp.XXXXXXXXXX"))).as_ref(), Link::Followed)
}

/// `script FILE` records what is typed.
pub(super) fn script(arguments: &[Word], base: &Base) -> Vec<Write> {
    const LOGS: &[&str] = &["-B", "-I", "-O", "-T", "--log-io", "--log-in", "--log-out", "--log-timing"];
    let values: Vec<&str> = LOGS
        .iter()
        .copied()
        .chain(["-c", "-E", "-m", "-o", "--command", "--echo", "--logging-format", "--output-limit"])
        .collect();
    let parsed = parse(arguments, &values, &[]);
    let mut writes = base.writes(parsed.values(LOGS), Link::Followed);
    match parsed.operands.first() {
        Some(file) => writes.extend(base.write(file, Link::Followed)),
        None if writes.is_empty() => writes.extend(base.write(&Word::literal("typescript"), Link::Followed)),
        None => {}
    }
    writes
}
