//! Reads Criterion's results from `<group>/<bench>/new/estimates.json`.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use serde_json::Value;

/// The median time of a bench in nanoseconds, if it was measured after `since`.
pub(super) fn median(folder: &Path, name: &str, since: SystemTime) -> Option<f64> {
    let file = folder.join(name).join("new/estimates.json");
    let written = fs::metadata(&file).and_then(|file| file.modified()).ok()?;
    (written >= since).then(|| median_in(&fs::read_to_string(&file).ok()?)).flatten()
}

fn median_in(text: &str) -> Option<f64> {
    let estimates: Value = serde_json::from_str(text).ok()?;
    estimates["median"]["point_estimate"].as_f64()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const ESTIMATES: &str = r#"{
        "mean": {
            "confidence_interval": {"confidence_level": 0.95, "lower_bound": 98.1, "upper_bound": 104.2},
            "point_estimate": 101.0, "standard_error": 1.5
        },
        "median": {
            "confidence_interval": {"confidence_level": 0.95, "lower_bound": 93.2, "upper_bound": 96.8},
            "point_estimate": 94.5, "standard_error": 0.9
        },
        "slope": null
    }"#;

    #[test]
    fn the_median_is_read() {
        assert_eq!(median_in(ESTIMATES), Some(94.5));
        assert_eq!(median_in("{}"), None);
        assert_eq!(median_in("half a fi"), None);
    }

    #[test]
    fn results_of_an_earlier_run_are_ignored() {
        let folder = std::env::temp_dir().join(format!("xtask-estimates-{}", std::process::id()));
        let bench = folder.join("delta/rows-10/new");
        fs::create_dir_all(&bench).unwrap();
        fs::write(bench.join("estimates.json"), ESTIMATES).unwrap();
        let hour = Duration::from_secs(3600);
        let measured = |name, since| median(&folder, name, since);
        assert_eq!(measured("delta/rows-10", SystemTime::now() - hour), Some(94.5));
        assert_eq!(measured("delta/rows-10", SystemTime::now() + hour), None);
        assert_eq!(measured("delta/rows-50000", SystemTime::now() - hour), None);
        fs::remove_dir_all(&folder).unwrap();
    }
}
