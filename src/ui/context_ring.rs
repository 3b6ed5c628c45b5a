//! How full the model's context is: a small ring, the percentage, and the numbers on hover.

use leptos::prelude::*;
use pilothouse_core::event::ContextUsage;

use super::dynamic::{live, memo};
use crate::state::server::Session;

/// The ring's circumference is made 100, so that a percentage is a length.
const RADIUS: &str = "15.915";

#[component]
pub fn ContextRing(session: Session) -> impl IntoView {
    let usage = memo(move || session.context_usage.get());
    live(move || {
        let ring = usage.get().map(|usage| {
            let percent = percent(&usage);
            let drawn = percent.unwrap_or(0.0).clamp(0.0, 100.0);
            view! {
                <span class="context" title=details(&usage) data-full=(drawn >= 80.0).then_some("true")>
                    <svg class="context-ring" viewBox="0 0 36 36" aria-hidden="true" focusable="false">
                        <circle class="context-track" cx="18" cy="18" r=RADIUS></circle>
                        <circle
                            class="context-fill"
                            cx="18"
                            cy="18"
                            r=RADIUS
                            stroke-dasharray=format!("{drawn:.1} 100")
                            transform="rotate(-90 18 18)"
                        ></circle>
                    </svg>
                    <span class="visually-hidden">"Context used: "</span>
                    <span>{percent.map_or_else(|| "unknown".to_owned(), |percent| format!("{percent:.0}%"))}</span>
                </span>
            }
        });
        ring.into_any()
    })
}

fn percent(usage: &ContextUsage) -> Option<f64> {
    usage.percent.or_else(|| {
        let tokens = usage.tokens?;
        (usage.context_window > 0).then(|| tokens as f64 * 100.0 / usage.context_window as f64)
    })
}

fn details(usage: &ContextUsage) -> String {
    let tokens = usage.tokens.map_or_else(|| "an unknown number of".to_owned(), thousands);
    let mut words = match usage.context_window {
        0 => format!("Context: {tokens} tokens"),
        window => format!("Context: {tokens} of {} tokens", thousands(window)),
    };
    if let Some(cost) = usage.cost {
        words.push_str(&format!(" · cost ${cost:.2}"));
    }
    words
}

fn thousands(number: u64) -> String {
    match number {
        0..=9_999 => number.to_string(),
        _ => format!("{}k", number / 1_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_told_in_words_and_percent() {
        let mut usage =
            ContextUsage { tokens: Some(50_000), context_window: 200_000, ..ContextUsage::default() };
        assert_eq!(percent(&usage), Some(25.0));
        assert_eq!(details(&usage), "Context: 50k of 200k tokens");
        usage.cost = Some(0.126);
        assert_eq!(details(&usage), "Context: 50k of 200k tokens · cost $0.13");
    }

    #[test]
    fn right_after_a_compaction_it_is_unknown() {
        let usage = ContextUsage { context_window: 200_000, ..ContextUsage::default() };
        assert_eq!(percent(&usage), None);
        assert_eq!(percent(&ContextUsage::default()), None, "no division by nothing");
    }
}
