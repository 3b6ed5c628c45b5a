//! The table of ratios, as text.

/// Two times in nanoseconds, and the ratio that is fine.
pub(super) struct Line {
    pub(super) what: &'static str,
    pub(super) base: f64,
    pub(super) compared: f64,
    pub(super) budget: Option<f64>,
}

impl Line {
    fn ratio(&self) -> f64 {
        self.compared / self.base
    }

    fn is_over(&self) -> bool {
        self.budget.is_some_and(|budget| self.ratio() > budget)
    }

    fn cells(&self) -> [String; 6] {
        let budget = self.budget.map(|budget| format!("≤ {budget}")).unwrap_or_default();
        let verdict = match (self.budget, self.is_over()) {
            (None, _) => "",
            (_, true) => "over",
            (_, false) => "within",
        };
        [self.what.into(), time(self.base), time(self.compared), ratio(self.ratio()), budget, verdict.into()]
    }
}

pub(super) fn told(lines: &[Line]) -> String {
    let head = ["what", "from", "to", "ratio", "budget", ""].map(String::from);
    let rows: Vec<[String; 6]> = std::iter::once(head).chain(lines.iter().map(Line::cells)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; 6] = std::array::from_fn(width);
    let mut text = String::new();
    for row in &rows {
        // Words to the left, numbers to the right.
        let mut line = format!("  {:<width$}", row[0], width = widths[0]);
        for column in 1..5 {
            line.push_str(&format!("  {:>width$}", row[column], width = widths[column]));
        }
        line.push_str(&format!("  {}", row[5]));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// What the table comes to; `known` is how many lines it has when everything is measured.
pub(super) fn closing_line(lines: &[Line], known: usize) -> String {
    let budgets = lines.iter().filter(|line| line.budget.is_some()).count();
    let over = lines.iter().filter(|line| line.is_over()).count();
    let mut text = format!("{} of {budgets} budgets kept", budgets - over);
    if over > 0 {
        text.push_str(&format!(", {over} over"));
    }
    if lines.len() < known {
        text.push_str(&format!("; {} of {known} comparisons were measured", lines.len()));
    }
    text
}

fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        under if under < 1e3 => format!("{under:.0} ns"),
        under if under < 1e6 => format!("{:.1} µs", under / 1e3),
        under if under < 1e9 => format!("{:.1} ms", under / 1e6),
        longer => format!("{:.1} s", longer / 1e9),
    }
}

fn ratio(ratio: f64) -> String {
    if ratio < 100.0 { format!("{ratio:.2} ×") } else { format!("{ratio:.0} ×") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> [Line; 3] {
        [
            Line { what: "one delta", base: 80.0, compared: 84.0, budget: Some(1.2) },
            Line { what: "  by copying", base: 300.0, compared: 450_000.0, budget: None },
            Line { what: "folding", base: 1.5e6, compared: 18e6, budget: Some(11.0) },
        ]
    }

    #[test]
    fn lines_up_what_is_compared() {
        let expected = [
            "  what            from        to    ratio  budget",
            "  one delta      80 ns     84 ns   1.05 ×   ≤ 1.2  within",
            "    by copying  300 ns  450.0 µs   1500 ×",
            "  folding       1.5 ms   18.0 ms  12.00 ×    ≤ 11  over",
        ];
        assert_eq!(told(&lines()).lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn counts_the_budgets_kept() {
        assert_eq!(closing_line(&lines(), 3), "1 of 2 budgets kept, 1 over");
        assert_eq!(closing_line(&lines()[..1], 3), "1 of 1 budgets kept; 1 of 3 comparisons were measured");
    }

    #[test]
    fn tells_times_in_their_unit() {
        assert_eq!([80.4, 1_234.0, 2.5e6, 3.2e9].map(time), ["80 ns", "1.2 µs", "2.5 ms", "3.2 s"]);
    }
}
