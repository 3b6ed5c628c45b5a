//! Formats the table of ratios.

/// The unit of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Nanoseconds,
    PerSecond,
    Bytes,
    Count,
}

/// The accepted values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Budget {
    /// The highest ratio.
    Ratio(f64),
    AtLeast(f64),
    AtMost(f64),
    Below(f64),
}

/// A row of the table: a value, and the one it is compared with.
pub(super) struct Line {
    pub(super) what: &'static str,
    pub(super) unit: Unit,
    pub(super) base: Option<f64>,
    pub(super) compared: f64,
    pub(super) budget: Option<Budget>,
}

impl Line {
    fn ratio(&self) -> Option<f64> {
        self.base.filter(|base| *base > 0.0).map(|base| self.compared / base)
    }

    fn is_over(&self) -> bool {
        self.budget.is_some_and(|budget| match budget {
            Budget::Ratio(most) => self.ratio().is_some_and(|ratio| ratio > most),
            Budget::AtLeast(least) => self.compared < least,
            Budget::AtMost(most) => self.compared > most,
            Budget::Below(limit) => self.compared >= limit,
        })
    }

    fn cells(&self) -> [String; 6] {
        let verdict = match (self.budget, self.is_over()) {
            (None, _) => "",
            (_, true) => "over",
            (_, false) => "within",
        };
        let format = |value| self.unit.format(value);
        let budget = self.budget.map(|budget| match budget {
            Budget::Ratio(most) => format!("≤ {most} ×"),
            Budget::AtLeast(least) => format!("≥ {}", format(least)),
            Budget::AtMost(most) => format!("≤ {}", format(most)),
            Budget::Below(limit) => format!("< {}", format(limit)),
        });
        [
            self.what.into(),
            self.base.map(format).unwrap_or_default(),
            format(self.compared),
            self.ratio().map(ratio).unwrap_or_default(),
            budget.unwrap_or_default(),
            verdict.into(),
        ]
    }
}

pub(super) fn format(lines: &[Line]) -> String {
    let head = ["what", "from", "to", "ratio", "budget", ""].map(String::from);
    let rows: Vec<[String; 6]> = std::iter::once(head).chain(lines.iter().map(Line::cells)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; 6] = std::array::from_fn(width);
    let mut text = String::new();
    for row in &rows {
        // Words are aligned to the left, numbers to the right.
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

/// The summary below the table. `known` is the number of lines if everything was measured.
pub(super) fn summary(lines: &[Line], known: usize) -> String {
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

impl Unit {
    fn format(self, value: f64) -> String {
        match self {
            Self::Nanoseconds => time(value),
            Self::PerSecond => format!("{value:.0}/s"),
            Self::Bytes if value < 1e6 => format!("{:.0} KB", value / 1e3),
            Self::Bytes => format!("{:.1} MB", value / 1e6),
            Self::Count => format!("{value:.0}"),
        }
    }
}

fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        0.0 => String::from("none"),
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

    fn line(what: &'static str, times: (f64, f64), budget: Option<f64>) -> Line {
        let budget = budget.map(Budget::Ratio);
        Line { what, unit: Unit::Nanoseconds, base: Some(times.0), compared: times.1, budget }
    }

    fn lines() -> [Line; 3] {
        [
            line("one delta", (80.0, 84.0), Some(1.2)),
            line("  by copying", (300.0, 450_000.0), None),
            line("folding", (1.5e6, 18e6), Some(11.0)),
        ]
    }

    #[test]
    fn columns_are_aligned() {
        let expected = [
            "  what            from        to    ratio   budget",
            "  one delta      80 ns     84 ns   1.05 ×  ≤ 1.2 ×  within",
            "    by copying  300 ns  450.0 µs   1500 ×",
            "  folding       1.5 ms   18.0 ms  12.00 ×   ≤ 11 ×  over",
        ];
        assert_eq!(format(&lines()).lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_summary_counts_budgets() {
        assert_eq!(summary(&lines(), 3), "1 of 2 budgets kept, 1 over");
        assert_eq!(summary(&lines()[..1], 3), "1 of 1 budgets kept; 1 of 3 comparisons were measured");
    }

    #[test]
    fn a_budget_may_be_an_absolute_value() {
        let alone = |unit, compared, budget| {
            let line = Line { what: "it", unit, base: None, compared, budget: Some(budget) };
            let [_, _, value, ratio, budget, verdict] = line.cells();
            assert_eq!(ratio, "");
            format!("{value} {budget} {verdict}")
        };
        assert_eq!(alone(Unit::PerSecond, 54.0, Budget::AtLeast(55.0)), "54/s ≥ 55/s over");
        assert_eq!(alone(Unit::Nanoseconds, 50e6, Budget::Below(50e6)), "50.0 ms < 50.0 ms over");
        assert_eq!(alone(Unit::Nanoseconds, 0.0, Budget::Below(50e6)), "none < 50.0 ms within");
        assert_eq!(alone(Unit::Bytes, 249_500.0, Budget::AtMost(250e3)), "250 KB ≤ 250 KB within");
    }

    #[test]
    fn times_have_a_suitable_unit() {
        assert_eq!([80.4, 1_234.0, 2.5e6, 3.2e9].map(time), ["80 ns", "1.2 µs", "2.5 ms", "3.2 s"]);
    }
}
