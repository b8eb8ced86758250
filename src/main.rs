//! Only the way in: everything is in [`claim::face`].

fn main() -> std::process::ExitCode {
    claim::face::main()
}
