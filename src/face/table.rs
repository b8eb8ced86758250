//! A plain table: columns as wide as their widest cell, two spaces between them, nothing behind the last.

use unicode_width::UnicodeWidthStr as _;

/// Lines up the rows. Wide characters count as the two columns that a terminal gives them.
pub(crate) fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max().unwrap_or(0))
        .collect();
    rows.iter()
        .map(|row| {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                line.push_str(cell);
                line.push_str(&" ".repeat(width.saturating_sub(cell.width()) + 2));
            }
            line.trim_end().to_owned()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::aligned;

    #[test]
    fn columns_line_up_by_what_a_terminal_shows() {
        let rows = [["A", "B", "C"], ["名前", "b", ""], ["abc", "bb", "c"]];
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|&cell| cell.to_owned()).collect()).collect();
        assert_eq!(aligned(&rows), ["A     B   C", "名前  b", "abc   bb  c"]);
        assert!(aligned(&[]).is_empty());
    }
}
