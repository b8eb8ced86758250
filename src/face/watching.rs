//! `claim status --watch`: the table again every second, until a key or a signal ends it.
//!
//! What does not fit is cut and said to be cut: nothing wraps, nothing scrolls, nothing is paged.

use std::time::Duration;

use unicode_width::UnicodeWidthChar as _;

use crate::{
    core::text::visible,
    face::{
        context::Context,
        exit::Exit,
        failure::Failure,
        report::Report,
        verbs::status::{self, Arguments},
    },
    host::screen::{self, Event, Screen},
};

/// Shows the status until it is ended.
pub(crate) fn watch(context: &Context, arguments: &Arguments) -> Result<Report, Failure> {
    if !screen::is_there() {
        return Err(Failure::usage(
            "--watch needs a terminal on standard input and output: without one, use claim status, or claim status --json",
        ));
    }
    // What is wrong with the question is said as always, before the screen is taken.
    drop(status::once(context, arguments)?);
    let lost = |error: std::io::Error| Failure::error("io", format!("cannot draw on the terminal: {error}"));
    let screen = Screen::borrow().map_err(lost)?;
    loop {
        let context = context.at_this_moment();
        let lines = match status::once(&context, arguments) {
            Ok(report) => report.lines(),
            // It may be over in a second.
            Err(failure) => Report::from(failure).lines(),
        };
        let place = visible(&context.place.path().to_string_lossy());
        let title = format!("{}  {place}  (q ends)", context.now);
        let (columns, rows) = screen.size();
        screen.show(&frame(&title, &lines, columns, rows)).map_err(lost)?;
        if screen.wait(Duration::from_secs(1)) == Event::Quit {
            break;
        }
    }
    Ok(Report::new(Exit::Done, "watched"))
}

/// The title and as many of the lines as fit, and how many do not.
fn frame(title: &str, lines: &[String], columns: usize, rows: usize) -> Vec<String> {
    let mut shown = vec![title.to_owned()];
    // One row for the title.
    let room = rows.saturating_sub(1);
    if lines.len() <= room {
        shown.extend_from_slice(lines);
    } else {
        // And one for what is said instead.
        let fits = room.saturating_sub(1);
        let (first, rest) = lines.split_at_checked(fits).unwrap_or((lines, &[]));
        shown.extend_from_slice(first);
        shown.push(format!("… and {} more lines", rest.len()));
    }
    shown.truncate(rows.max(1));
    shown.iter().map(|line| cut(line, columns)).collect()
}

/// The line cut to the columns of a terminal, the last of them `…`. Colours take no column and are all kept, so that the
/// one that ends them is.
fn cut(line: &str, columns: usize) -> String {
    let width = |character: char| character.width().unwrap_or(0);
    let mut cut = String::new();
    let (mut used, mut full, mut colour) = (0, false, false);
    let whole: usize = plain(line).chars().map(width).sum();
    for character in line.chars() {
        if colour || character == '\u{1b}' {
            colour = !character.is_ascii_alphabetic();
            cut.push(character);
        } else if !full {
            if whole > columns && used + width(character) + 1 > columns {
                full = true;
                cut.push_str(if columns == 0 { "" } else { "…" });
            } else {
                used += width(character);
                cut.push(character);
            }
        }
    }
    cut
}

fn plain(line: &str) -> String {
    let mut colour = false;
    let mut plain = line.to_owned();
    plain.retain(|character| {
        let keep = !colour && character != '\u{1b}';
        if !keep {
            colour = !character.is_ascii_alphabetic();
        }
        keep
    });
    plain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_width::UnicodeWidthStr as _;

    use super::*;

    #[test]
    fn a_line_is_cut_to_the_columns_that_it_takes() {
        for (line, columns, shown) in [
            ("abcdef", 6, "abcdef"),
            ("abcdef", 5, "abcd…"),
            ("名前名前", 8, "名前名前"),
            ("名前名前", 7, "名前名…"),
            ("名前名前", 6, "名前…"),
            ("\u{1b}[1mabcdef\u{1b}[0m", 3, "\u{1b}[1mab…\u{1b}[0m"),
            ("\u{1b}[1mabc\u{1b}[0m", 3, "\u{1b}[1mabc\u{1b}[0m"),
            ("a", 0, ""),
            ("", 0, ""),
        ] {
            assert_eq!(cut(line, columns), shown, "{line} in {columns}");
        }
    }

    #[test]
    fn what_has_no_row_is_counted() {
        let lines: Vec<String> = (1..=9).map(|line| line.to_string()).collect();
        assert_eq!(frame("t", &lines, 80, 10).len(), 10);
        assert_eq!(frame("t", &lines, 80, 5), ["t", "1", "2", "3", "… and 6 more lines"]);
        assert_eq!(frame("t", &lines, 80, 2), ["t", "… and 9 more lines"]);
        assert_eq!(frame("t", &lines, 80, 1), ["t"]);
        assert_eq!(frame("t", &[], 80, 24), ["t"]);
    }

    proptest! {
        #[test]
        fn nothing_is_wider_or_higher_than_the_terminal(
            lines in proptest::collection::vec("[a-z名👍e\u{301} ]{0,40}", 0..30), columns in 0_usize..60, rows in 1_usize..30
        ) {
            let frame = frame("title", &lines, columns, rows);
            prop_assert!(frame.len() <= rows);
            for line in &frame {
                prop_assert!(line.width() <= columns, "{line}");
            }
        }
    }
}
