//! The usage of the model's context window: a ring with the percentage, and a popover with details and
//! compaction.

use leptos::prelude::*;
use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::protocol::event::ContextUsage;

use crate::actions::use_actions;
use crate::dom::build::{button, hand_built};
use crate::dom::element::{append, clear, toggle_attribute, with_class, with_text};
use crate::dom::keyed_list::render_effect;
use crate::reactive::memo;
use crate::store::server::Session;
use crate::widgets::icon::Icon;
use crate::widgets::popover::{Popover, close_popover};

/// The percentage from which the ring warns that the context is nearly full.
const NEARLY_FULL: u32 = 80;

/// The ring, once the usage is known.
#[component]
pub fn ContextRing(session: Session) -> impl IntoView {
    let usage = memo(move || session.meta.context_usage().get());
    let is_known = memo(move || usage.with(Option::is_some));
    let used_percent = memo(move || usage.with(|usage| usage.as_ref().and_then(percent)));
    let ring_percent = move || used_percent.get().unwrap_or(0).min(100);
    let label = move || usage.with(|usage| usage.as_ref().map(short_usage).unwrap_or_default());
    let face = move || {
        view! {
            <span
                class="context-ring"
                data-full=move || (ring_percent() >= NEARLY_FULL).then_some("true")
                style:--used=move || format!("{}%", ring_percent())
                aria-hidden="true"
            ></span>
            <span class="visually-hidden">"Context used: "</span>
            <span>{label}</span>
        }
    };
    view! {
        <Show when=move || is_known.get()>
            <Popover label="Context" class="button quiet title-choice context" face=face.into() panel_class="context-details" role="dialog" has_text=true>
                {context_details(session, usage)}
            </Popover>
        </Show>
    }
}

/// The content of the popover.
fn context_details(session: Session, usage: Memo<Option<ContextUsage>>) -> AnyView {
    let actions = use_actions();
    hand_built("", move |place| {
        let numbers = with_class("dl", "context-numbers");
        let compact = button("button", Some(Icon::Compact), "Compact now", move || {
            close_popover();
            actions.compact(&session.id());
        });
        for part in [&with_text("h2", "context-title", "Context window"), &numbers, &compact] {
            append(place, part);
        }
        render_effect(Box::new(move || {
            let can_compact = session.meta.capabilities().with(|can| can.compact);
            toggle_attribute(&compact, "hidden", (!can_compact).then_some(""));
            clear(&numbers);
            for (name, value) in usage.with(|usage| usage.as_ref().map(details).unwrap_or_default()) {
                append(&numbers, &with_text("dt", "", name));
                append(&numbers, &with_text("dd", "", &value));
            }
        }));
    })
}

/// The reported percentage, or the one computed from tokens and window.
fn percent(usage: &ContextUsage) -> Option<u32> {
    let percent = usage.percent.or_else(|| {
        let tokens = usage.tokens?;
        (usage.context_window > 0).then(|| tokens as f64 * 100.0 / usage.context_window as f64)
    });
    percent.map(|percent| percent.round() as u32)
}

/// The usage in the title bar: a percentage, else the number of tokens if the agent does not tell the limit.
fn short_usage(usage: &ContextUsage) -> String {
    match (percent(usage), usage.tokens) {
        (Some(percent), _) => format!("{percent}%"),
        (None, Some(tokens)) => compact_number(tokens),
        (None, None) => "unknown".to_owned(),
    }
}

/// The lines of the popover: names and values.
fn details(usage: &ContextUsage) -> Vec<(&'static str, String)> {
    let tokens = usage.tokens.map(|tokens| format!("{} tokens", compact_number(tokens)));
    let used = match (tokens, percent(usage)) {
        (Some(tokens), Some(percent)) => format!("{tokens} ({percent}%)"),
        (Some(tokens), None) => tokens,
        (None, Some(percent)) => format!("{percent}%"),
        (None, None) => unknown(),
    };
    let mut lines = vec![("Used", used)];
    if usage.context_window > 0 {
        lines.push(("Limit", format!("{} tokens", compact_number(usage.context_window))));
    }
    lines.extend(usage.cost.map(|cost| ("Cost", amount(cost, &usage.currency))));
    lines
}

/// Formats whole cents as integers: float formatting would add many bytes to the page.
fn amount(cost: f64, currency: &str) -> String {
    let cents = (cost * 100.0).round() as u64;
    let dollar = if currency.is_empty() { "$" } else { "" };
    format!("{dollar}{}.{:02} {currency}", cents / 100, cents % 100).trim_end().to_owned()
}

/// Right after a compaction the agent has not counted the tokens yet.
fn unknown() -> String {
    "Unknown until the next reply".to_owned()
}

fn compact_number(number: u64) -> String {
    match number {
        0..=9_999 => number.to_string(),
        _ => format!("{}k", number / 1_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_show_tokens_and_percent() {
        let mut usage =
            ContextUsage { tokens: Some(50_000), context_window: 200_000, ..ContextUsage::default() };
        assert_eq!(percent(&usage), Some(25));
        let lines = |usage: &ContextUsage| -> Vec<String> {
            details(usage).into_iter().map(|(name, value)| format!("{name}: {value}")).collect()
        };
        assert_eq!(lines(&usage), ["Used: 50k tokens (25%)", "Limit: 200k tokens"]);
        usage.cost = Some(0.126);
        assert_eq!(lines(&usage).last().unwrap(), "Cost: $0.13");
        usage.currency = "EUR".to_owned();
        assert_eq!(lines(&usage).last().unwrap(), "Cost: 0.13 EUR");
    }

    #[test]
    fn usage_is_unknown_right_after_a_compaction() {
        let usage = ContextUsage { context_window: 200_000, ..ContextUsage::default() };
        assert_eq!(percent(&usage), None);
        assert_eq!(percent(&ContextUsage::default()), None, "no division by zero");
        assert_eq!(short_usage(&usage), "unknown");
    }

    #[test]
    fn tokens_are_shown_without_a_limit() {
        let usage = ContextUsage { tokens: Some(12_345), ..ContextUsage::default() };
        assert_eq!(short_usage(&usage), "12k");
    }
}
