//! `claim man`: writes the manual pages, one for claim and one for each verb, made from the command line's own tree.

use std::{io, path::PathBuf};

use clap::{Args, Command};
use clap_mangen::{
    Man,
    roff::{Roff, roman},
};

use crate::{
    core::text::visible,
    face::{exit::Exit, failure::Failure, report::Report},
    host::folder,
};

#[derive(Debug, Args)]
#[command(after_help = "Example: claim man ~/.local/share/man/man1 && man claim-take\n\
    Exit codes: 0 written, 1 error, 2 usage")]
pub(crate) struct Arguments {
    /// The directory; it is made if it is not there
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Report, Failure> {
    let mut pages = Vec::new();
    render(&crate::face::command(), &mut pages);
    let directory = visible(&arguments.directory.to_string_lossy());
    let mut report = Report::new(Exit::Done, "written");
    for (name, page) in &pages {
        folder::write(&arguments.directory, name, page)
            .map_err(|error| Failure::error("io", format!("cannot write {name} into {directory}: {error}")))?;
    }
    report.set("dir", &*arguments.directory.to_string_lossy());
    report.set("files", pages.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>());
    report.say(format!("{} manual pages are in {directory}", pages.len()));
    Ok(report)
}

fn render(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) {
    let page = Man::new(command.clone()).source(format!("claim {}", env!("CARGO_PKG_VERSION"))).manual("claim");
    let mut bytes = Vec::new();
    // Memory takes everything.
    drop(sections(&page, command, &mut bytes));
    pages.push((page.get_filename(), bytes));
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set() && verb.get_name() != "help") {
        render(verb, pages);
    }
}

fn sections(page: &Man, command: &Command, bytes: &mut Vec<u8>) -> io::Result<()> {
    page.render_title(bytes)?;
    page.render_name_section(bytes)?;
    let usage = command.clone().render_usage().to_string();
    let mut synopsis = Roff::new();
    synopsis.control("SH", ["SYNOPSIS"]).control("nf", []);
    for line in usage.trim_start_matches("Usage: ").lines() {
        synopsis.text([roman(line.trim_start())]);
    }
    synopsis.control("fi", []).to_writer(bytes)?;
    page.render_description_section(bytes)?;
    page.render_options_section(bytes)?;
    if command.has_subcommands() {
        page.render_subcommands_section(bytes)?;
    }
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let (examples, codes) = after.split_once("Exit codes: ").unwrap_or((&after, ""));
    let mut roff = Roff::new();
    if !codes.is_empty() {
        roff.control("SH", ["EXIT STATUS"]).text([roman(codes.split_whitespace().collect::<Vec<_>>().join(" "))]);
    }
    if !examples.is_empty() {
        roff.control("SH", ["EXAMPLES"]).control("nf", []);
        for line in examples.trim_end().lines() {
            roff.text([roman(line.strip_prefix("Example: ").unwrap_or(line))]);
        }
        roff.control("fi", []);
    }
    roff.to_writer(bytes)
}
