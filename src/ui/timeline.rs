//! The conversation: rows, questions, and how the run stands. Follows its end only while the reader is there.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::ResizeObserver;

use super::ask_card::AskCard;
use super::dynamic::{When, clicked, effect, list, live, memo};
use super::follow::{Follow, Measure};
use super::icon::{Glyph, Icon};
use super::rows::TimelineRow;
use super::run_status::RunStatus;
use super::seek::seek_on_demand;
use crate::actions::use_actions;
use crate::state::client::Reading;
use crate::state::server::Session;

#[component]
pub fn Timeline(session: Session) -> impl IntoView {
    let actions = use_actions();
    let scroller = NodeRef::<html::Div>::new();
    let content = NodeRef::<html::Div>::new();
    let follow = RwSignal::new(Follow::default());
    let following = memo(move || follow.get().is_following());
    // How many rows there were when the reader left the end.
    let seen = RwSignal::new(0usize);
    let total = move || session.earlier.get() + session.rows.with(Vec::len);
    let unseen = move || total().saturating_sub(seen.get());
    let anchor = StoredValue::new_local(None::<(web_sys::Element, f64)>);
    let session_id = StoredValue::new(session.id());

    let to_end = move || {
        if let Some(scroller) = scroller.get_untracked() {
            scroller.set_scroll_top(scroller.scroll_height());
        }
    };
    let jump = move || {
        follow.update(|follow| follow.set(true));
        to_end();
    };
    let on_scroll = move |_| {
        let Some(scroller) = scroller.get_untracked() else { return };
        let measure = Measure {
            top: scroller.scroll_top(),
            content: scroller.scroll_height(),
            viewport: scroller.client_height(),
        };
        let was_following = follow.get_untracked().is_following();
        follow.update(|follow| follow.scrolled(measure));
        let is_following = follow.get_untracked().is_following();
        if was_following && !is_following {
            seen.set(untrack(total));
        }
        let reading = if is_following { Reading::Following } else { Reading::At(measure.top) };
        session_id.with_value(|id| actions.client.set_reading(id, reading));
    };
    // Runs after layout and before paint, whenever the content or the view of it changes its size.
    let on_resize = move || {
        let Some(scroller) = scroller.get_untracked() else { return };
        match anchor.try_update_value(Option::take).flatten() {
            Some((element, top)) if element.is_connected() => {
                let moved = element.get_bounding_client_rect().top() - top;
                scroller.set_scroll_top(scroller.scroll_top() + moved as i32);
            }
            _ if follow.get_untracked().is_following() => to_end(),
            _ => {}
        }
    };
    watch_size(scroller, content, on_resize, move || {
        if let Reading::At(top) = session_id.with_value(|id| actions.client.reading(id)) {
            follow.update(|follow| follow.set(false));
            seen.set(untrack(total));
            if let Some(scroller) = scroller.get_untracked() {
                scroller.set_scroll_top(top);
            }
        }
    });
    Effect::new(move |before: Option<()>| {
        actions.client.jump_to_end.track();
        if before.is_some() {
            jump();
        }
    });

    seek_on_demand(session, scroller, move || {
        follow.update(|follow| follow.set(false));
        seen.set(untrack(total));
    });

    let fetching = RwSignal::new(false);
    let show_earlier = move |_| {
        let first = content
            .get_untracked()
            .and_then(|content| content.query_selector("[data-message-id]").ok().flatten());
        fetching.set(true);
        actions.show_earlier(session, move || {
            // The row that was on top stays where it is; what comes before it comes above.
            anchor.set_value(first.map(|first| {
                let top = first.get_bounding_client_rect().top();
                (first, top)
            }));
            follow.try_update(|follow| follow.set(false));
            fetching.try_set(false);
        });
    };
    view! {
        <div class="timeline-place">
            <div class="timeline" node_ref=scroller on:scroll=on_scroll role="log" aria-label="Conversation" aria-live="off" tabindex="0">
                <div class="timeline-content" node_ref=content>
                    <When when=move || { session.earlier.get() > 0 }>
                        <div class="earlier">
                            <button type="button" class="button quiet" disabled=fetching on:click=clicked(show_earlier)>
                                <Glyph icon=Icon::History />
                                {live(move || if fetching.get() { "Fetching…".to_owned() } else { format!("Show earlier messages ({})", session.earlier.get()) })}
                            </button>
                        </div>
                    </When>
                    <When when=move || { total() == 0 }>
                        <EmptyConversation session />
                    </When>
                    {list(
                        move || session.rows.get(),
                        |row| row.key().to_string(),
                        move |row| view! { <TimelineRow session row /> }.into_any(),
                    )}
                    {list(
                        move || session.asks.get(),
                        |ask| ask.id.clone(),
                        move |ask| view! { <AskCard session_id=session.id() ask /> }.into_any(),
                    )}
                    <RunStatus session />
                </div>
            </div>
            <When when=move || !following.get()>
                <button type="button" class="button jump" on:click=clicked(move |_| jump())>
                    <Glyph icon=Icon::ArrowDown />
                    {live(move || match unseen() {
                        0 => "Jump to latest".to_owned(),
                        count => format!("Jump to latest ({count})"),
                    })}
                </button>
            </When>
        </div>
    }
}

#[component]
fn EmptyConversation(session: Session) -> impl IntoView {
    view! {
        <div class="empty-state">
            <p>
                "Write the first message. " <strong>{live(move || session.agent.get())}</strong> " works in "
                <code>{live(move || session.cwd.get())}</code> "."
            </p>
        </div>
    }
}

/// Watches the size of both elements as long as the component lives.
fn watch_size(
    scroller: NodeRef<html::Div>,
    content: NodeRef<html::Div>,
    on_resize: impl Fn() + 'static,
    on_first: impl FnOnce() + 'static,
) {
    let mut on_first = Some(on_first);
    let callback = Closure::<dyn FnMut()>::new(move || {
        if let Some(on_first) = on_first.take() {
            on_first();
        }
        on_resize();
    });
    let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) else { return };
    let held = StoredValue::new_local(Some((observer, callback)));
    effect(move || {
        if let (Some(scroller), Some(content)) = (scroller.get(), content.get()) {
            held.with_value(|held| {
                if let Some((observer, _)) = held {
                    observer.observe(&scroller);
                    observer.observe(&content);
                }
            });
        }
    });
    on_cleanup(move || {
        if let Some((observer, _closure)) = held.try_update_value(Option::take).flatten() {
            observer.disconnect();
        }
    });
}
