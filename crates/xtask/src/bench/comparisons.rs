//! What is compared with what, and the budgets. Names are those of Criterion: a group and a bench in it.

use super::table::Line;

pub(super) struct Comparison {
    what: &'static str,
    base: &'static str,
    compared: &'static str,
    /// The highest ratio that is fine; none where the line only shows what another way would cost.
    budget: Option<f64>,
}

pub(super) const CORE: [Comparison; 9] = [
    Comparison {
        what: "one text delta, from 10 to 50,000 rows",
        base: "delta/rows-10",
        compared: "delta/rows-50000",
        budget: Some(1.2),
    },
    Comparison {
        what: "  the same by copying the list per delta",
        base: "delta-by-copy/rows-10",
        compared: "delta-by-copy/rows-50000",
        budget: None,
    },
    Comparison {
        what: "  at 50,000 rows, from the fold to copying",
        base: "delta/rows-50000",
        compared: "delta-by-copy/rows-50000",
        budget: None,
    },
    Comparison {
        what: "folding, from 10,000 to 100,000 events",
        base: "fold/events-10000",
        compared: "fold/events-100000",
        budget: Some(11.0),
    },
    Comparison {
        what: "a snapshot, from 1,000 to 50,000 rows",
        base: "snapshot/rows-1000",
        compared: "snapshot/rows-50000",
        budget: Some(1.2),
    },
    Comparison {
        what: "Markdown, one delta, after 1 KB and 100 KB",
        base: "markdown-delta/text-1-kb",
        compared: "markdown-delta/text-100-kb",
        budget: Some(1.2),
    },
    Comparison {
        what: "  the same by parsing the whole per delta",
        base: "markdown-delta-whole/text-1-kb",
        compared: "markdown-delta-whole/text-100-kb",
        budget: None,
    },
    Comparison {
        what: "  at 100 KB, from the stream to the whole",
        base: "markdown-delta/text-100-kb",
        compared: "markdown-delta-whole/text-100-kb",
        budget: None,
    },
    // The last block alone may cost what it is long.
    Comparison {
        what: "  in one open fence of 1 KB and of 100 KB",
        base: "markdown-delta/fence-1-kb",
        compared: "markdown-delta/fence-100-kb",
        budget: None,
    },
];

impl Comparison {
    pub(super) fn names(&self) -> [&'static str; 2] {
        [self.base, self.compared]
    }

    /// None unless both were measured.
    pub(super) fn line(&self, measured: &impl Fn(&str) -> Option<f64>) -> Option<Line> {
        let (base, compared) = (measured(self.base)?, measured(self.compared)?);
        Some(Line { what: self.what, base, compared, budget: self.budget })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_only_what_was_measured() {
        let measured = |name: &str| name.starts_with("delta/").then_some(80.0);
        let lines: Vec<_> = CORE.iter().filter_map(|comparison| comparison.line(&measured)).collect();
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].budget, Some(1.2));
    }
}
