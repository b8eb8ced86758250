//! What a change would change, line by line, for `--dry-run`.

/// Lines around a change that are shown with it.
const CONTEXT: usize = 2;

/// The most cells of the table that the common lines are found with. Above it the changed part is shown as a whole.
const MOST_CELLS: usize = 4_000_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Same,
    Gone,
    New,
}

/// The changed lines with a few around them: `  ` before one that stays, `- ` and `+ ` before one that goes and comes.
#[must_use]
pub fn lines(old: &str, new: &str) -> Vec<String> {
    let marked = compare(&old.lines().collect::<Vec<_>>(), &new.lines().collect::<Vec<_>>());
    let mut shown = Vec::new();
    let mut skipped = false;
    for (index, (mark, line)) in marked.iter().enumerate() {
        let near = marked.iter().skip(index.saturating_sub(CONTEXT)).take(index.min(CONTEXT) + CONTEXT + 1);
        if near.into_iter().all(|(mark, _)| *mark == Mark::Same) {
            skipped = true;
            continue;
        }
        if std::mem::take(&mut skipped) && !shown.is_empty() {
            shown.push("  ...".to_owned());
        }
        shown.push(match mark {
            Mark::Same => format!("  {line}"),
            Mark::Gone => format!("- {line}"),
            Mark::New => format!("+ {line}"),
        });
    }
    shown
}

fn compare<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(Mark, &'a str)> {
    let before = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let (old_rest, new_rest) = (old.get(before..).unwrap_or_default(), new.get(before..).unwrap_or_default());
    let after = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(one, other)| one == other).count();
    let old_part = old_rest.get(..old_rest.len() - after).unwrap_or_default();
    let new_part = new_rest.get(..new_rest.len() - after).unwrap_or_default();

    let mut marked: Vec<_> = old.iter().take(before).map(|line| (Mark::Same, *line)).collect();
    if old_part.len().saturating_mul(new_part.len()) > MOST_CELLS {
        marked.extend(old_part.iter().map(|line| (Mark::Gone, *line)));
        marked.extend(new_part.iter().map(|line| (Mark::New, *line)));
    } else {
        longest_common(old_part, new_part, &mut marked);
    }
    marked.extend(old.iter().skip(old.len() - after).map(|line| (Mark::Same, *line)));
    marked
}

/// Marks the lines so that as many as can be stay.
fn longest_common<'a>(old: &[&'a str], new: &[&'a str], marked: &mut Vec<(Mark, &'a str)>) {
    let width = new.len() + 1;
    // How many lines are common from here on; the last row and column are zero.
    let mut common = vec![0_u32; (old.len() + 1) * width];
    let at = |common: &[u32], row: usize, column: usize| common.get(row * width + column).copied().unwrap_or(0);
    for (row, one) in old.iter().enumerate().rev() {
        for (column, other) in new.iter().enumerate().rev() {
            let value = if one == other {
                at(&common, row + 1, column + 1) + 1
            } else {
                at(&common, row + 1, column).max(at(&common, row, column + 1))
            };
            if let Some(cell) = common.get_mut(row * width + column) {
                *cell = value;
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    loop {
        match (old.get(row), new.get(column)) {
            (Some(one), Some(other)) if one == other => {
                marked.push((Mark::Same, one));
                (row, column) = (row + 1, column + 1);
            }
            (Some(one), other) if other.is_none() || at(&common, row + 1, column) >= at(&common, row, column + 1) => {
                marked.push((Mark::Gone, one));
                row += 1;
            }
            (_, Some(other)) => {
                marked.push((Mark::New, other));
                column += 1;
            }
            (_, None) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn a_change_is_shown_with_a_few_lines_around_it() {
        let old: Vec<String> = (1..=20).map(|number| number.to_string()).collect();
        let mut new = old.clone();
        new.insert(10, "new".to_owned());
        new.remove(0);
        let shown = lines(&old.join("\n"), &new.join("\n"));
        assert_eq!(shown, ["- 1", "  2", "  3", "  ...", "  9", "  10", "+ new", "  11", "  12"]);
        assert_eq!(lines("", "a\nb\n"), ["+ a", "+ b"]);
        assert_eq!(lines("a\n", ""), ["- a"]);
        assert!(lines("a\nb\n", "a\nb\n").is_empty());
    }
}
