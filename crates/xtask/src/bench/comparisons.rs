//! A comparison of two measurements, or of one with its budget.

use super::table::{Budget, Line, Unit};

pub(super) struct Comparison {
    what: &'static str,
    unit: Unit,
    base: Option<&'static str>,
    compared: &'static str,
    /// `None` if the line only shows the cost of an alternative.
    budget: Option<Budget>,
}

impl Comparison {
    pub(super) const fn new(
        what: &'static str,
        unit: Unit,
        base: &'static str,
        compared: &'static str,
        budget: Option<Budget>,
    ) -> Self {
        Self { what, unit, base: Some(base), compared, budget }
    }

    /// A value that is not compared with another.
    pub(super) const fn alone(
        what: &'static str,
        unit: Unit,
        value: &'static str,
        budget: Option<Budget>,
    ) -> Self {
        Self { what, unit, base: None, compared: value, budget }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.base.into_iter().chain([self.compared])
    }

    /// The line of the table; `None` unless both values were measured.
    pub(super) fn line(&self, measured: &impl Fn(&str) -> Option<f64>) -> Option<Line> {
        let base = match self.base {
            Some(base) => Some(measured(base)?),
            None => None,
        };
        let compared = measured(self.compared)?;
        Some(Line { what: self.what, unit: self.unit, base, compared, budget: self.budget })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_measured_values_are_compared() {
        let measured = |name: &str| name.starts_with("delta/").then_some(80.0);
        let pair =
            |base, compared| Comparison::new("it", Unit::Nanoseconds, base, compared, None).line(&measured);
        assert!(pair("delta/short", "delta/long").is_some());
        assert!(pair("delta/short", "fold").is_none());
        assert!(pair("fold", "delta/short").is_none());
        assert!(Comparison::alone("it", Unit::Count, "delta/short", None).line(&measured).is_some());
    }
}
