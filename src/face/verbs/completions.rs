//! `claim completions`: prints the script that makes a shell complete claim's command lines. The scripts are files of
//! their own in completions/, which is also where a package takes them from.

use clap::{Args, ValueEnum};

use crate::face::{exit::Exit, report::Report};

#[derive(Debug, Args)]
#[command(after_help = "Example: claim completions bash > ~/.local/share/bash-completion/completions/claim\n\
    bash        ~/.local/share/bash-completion/completions/claim, or source it in ~/.bashrc\n\
    zsh         _claim in a directory of $fpath, or source it in ~/.zshrc after compinit\n\
    fish        ~/.config/fish/completions/claim.fish\n\
    powershell  append it to $PROFILE\n\
    elvish      append it to ~/.config/elvish/rc.elv\n\
    nushell     claim.nu in an autoload directory, or `use claim.nu *` in config.nu\n\
    Exit codes: 0 printed, 1 error, 2 usage")]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
    Powershell,
    Elvish,
    Nushell,
}

pub(crate) fn run(arguments: &Arguments) -> Report {
    let script = match arguments.shell {
        Shell::Bash => include_str!("../../../completions/claim.bash"),
        Shell::Zsh => include_str!("../../../completions/_claim"),
        Shell::Fish => include_str!("../../../completions/claim.fish"),
        Shell::Powershell => include_str!("../../../completions/_claim.ps1"),
        Shell::Elvish => include_str!("../../../completions/claim.elv"),
        Shell::Nushell => include_str!("../../../completions/claim.nu"),
    };
    let mut report = Report::text(Exit::Done, "script", script.to_owned());
    report.set("script", script);
    report
}
