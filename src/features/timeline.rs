//! The conversation: rows, questions, and how the run stands. Follows its end only while the reader is there; else the
//! row the reader looks at stays where it is.

mod anchor;
mod chunk;
mod empty;
mod follow;
mod run_status;
pub mod seek;
mod size;
mod window;

use std::cell::Cell;
use std::rc::Rc;

use leptos::html;
use leptos::prelude::*;
use pilothouse_core::protocol::SessionMetaStoreFields;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use self::anchor::{Anchor, find_row, show_at};
use self::empty::EmptyConversation;
use self::follow::{Follow, Measure};
use self::run_status::RunStatus;
use self::seek::seek_on_demand;
use self::size::watch_size;
use self::window::Window;
use super::asks::AskCard;
use super::rows::click;
use crate::actions::use_actions;
use crate::dom::keyed_list::keep;
use crate::dom::visibility::{Visibility, after_frames};
use crate::store::client::Reading;
use crate::store::server::Session;
use crate::widgets::icon::{Glyph, Icon};

/// Older rows are fetched when the reader is this near to the first of those held, in heights of the view.
const NEAR_FIRST: i32 = 2;

#[component]
pub fn Timeline(session: Session) -> impl IntoView {
    let actions = use_actions();
    let scroller = NodeRef::<html::Div>::new();
    let content = NodeRef::<html::Div>::new();
    let session_id = StoredValue::new(session.id());
    let reading = session_id.with_value(|id| actions.client.reading_positions.reading(id));
    let near = Visibility::new(scroller, reading == Reading::Following);
    provide_context(near);
    let window = Window::new(session, near);
    let follow = RwSignal::new(Follow::default());
    let following = Memo::new(move |_| follow.get().is_following());
    // How many rows there were when the reader left the end.
    let seen = RwSignal::new(0usize);
    let total = move || session.earlier.get() + session.rows.with(Vec::len);
    let unseen = move || total().saturating_sub(seen.get());
    let anchor = StoredValue::new_local(None::<Anchor>);

    let to_end = move || {
        if let Some(scroller) = scroller.get_untracked() {
            scroller.set_scroll_top(scroller.scroll_height());
            follow.update_untracked(|follow| follow.stands(Measure::of(&scroller)));
        }
    };
    // Whether the reader is still to be brought back to where they were.
    let returning = StoredValue::new(reading != Reading::Following);
    let jump = move || {
        returning.set_value(false);
        anchor.set_value(None);
        follow.update(|follow| follow.set(true));
        to_end();
    };
    let leave_end = move || {
        follow.update(|follow| follow.set(false));
        seen.set(untrack(total));
    };
    let stay = move || {
        returning.set_value(false);
        leave_end();
    };
    let fetching = RwSignal::new(false);
    let show_earlier = move || {
        if !fetching.get_untracked() && session.earlier.get_untracked() > 0 {
            fetching.set(true);
            actions.show_earlier(session, move || _ = fetching.try_set(false));
        }
    };
    // Something was built, and the frame that shows it is still to come. What cannot be told from the reader's going is
    // heeded after it.
    let unsettled = Rc::new(Cell::new(0usize));
    let unheeded = Rc::new(Cell::new(false));
    let (building, noted) = (unsettled.clone(), unheeded.clone());
    let scrolled: Rc<dyn Fn()> = Rc::new(move || {
        let Some(scroller) = scroller.try_get_untracked().flatten() else { return };
        // What is built lower than guessed moves the view up, and nobody went anywhere: it is made up for in this frame.
        let follows = follow.get_untracked();
        if building.get() > 0 && follows.is_following() && !follows.is_left(Measure::of(&scroller)) {
            return noted.set(true);
        }
        // What was built above a moment ago is made up for before the next row is held on to.
        keep_in_place(&scroller, anchor, follow);
        let measure = Measure::of(&scroller);
        // Where the end has come nearer, nobody has gone anywhere.
        if !follow.get_untracked().is_at(measure) && measure.to_end() > 2 {
            returning.set_value(false);
        }
        let was_following = follow.get_untracked().is_following();
        follow.update(|follow| follow.scrolled(measure));
        let is_following = follow.get_untracked().is_following();
        if was_following && !is_following {
            seen.set(untrack(total));
        }
        let at = if is_following { None } else { Anchor::of_view(&scroller) };
        let reading = at.as_ref().map_or(Reading::Following, |at| at.reading(&scroller));
        anchor.set_value(at);
        if !returning.get_value() {
            session_id.with_value(|id| actions.client.reading_positions.set_reading(id, reading));
        }
        if !is_following && measure.top < NEAR_FIRST * measure.viewport {
            show_earlier();
        }
    });
    let on_scroll = scrolled.clone();
    // Who has just left the end is where they are before anything is built above them, and who is there stays.
    near.before_change(move || {
        let scroller = scroller.try_get_untracked().flatten();
        if scroller.is_some_and(|scroller| follow.get_untracked().is_left(Measure::of(&scroller))) {
            scrolled();
        }
        unsettled.set(unsettled.get() + 1);
        let (unsettled, unheeded, scrolled) = (unsettled.clone(), unheeded.clone(), scrolled.clone());
        let settle = move || {
            unsettled.set(unsettled.get() - 1);
            if unsettled.get() == 0 && unheeded.take() {
                scrolled();
            }
        };
        // By the frame after the next one all that was built has been laid out and made up for.
        after_frames(2, Box::new(settle));
    });
    // Runs after layout and before paint, whenever the content or the view of it changes its size.
    let on_resize = move || {
        let Some(scroller) = scroller.get_untracked() else { return };
        if follow.get_untracked().is_following() {
            to_end();
            return window.fill(&scroller);
        }
        if !keep_in_place(&scroller, anchor, follow) {
            anchor.set_value(Anchor::of_view(&scroller));
        }
    };
    if let Reading::At { row, .. } = &reading
        && let Some(position) = session.position_of(row)
    {
        window.want(position);
    }
    let come_back = move |row: &str, block: Option<usize>, offset: f64| {
        let Some(scroller) = scroller.try_get_untracked().flatten() else { return false };
        let Some(row) = find_row(&scroller, row) else { return false };
        near.reveal(&row);
        show_at(&scroller, &row, block, offset);
        let measure = Measure::of(&scroller);
        follow.update_untracked(|follow| follow.stands(measure));
        // There may be less below it than there was; pictures come later.
        let pictured = matches!(scroller.query_selector(".row-images"), Ok(Some(_)));
        if measure.to_end() <= 2 && !pictured {
            follow.update(|follow| follow.set(true));
        } else {
            anchor.set_value(Anchor::of_view(&scroller));
        }
        true
    };
    let bring_back = move |reading: Reading| {
        let Reading::At { row, position, block, offset } = reading else { return };
        let is_wanted = move || returning.try_get_value() == Some(true);
        if !is_wanted() {
            return;
        }
        leave_end();
        if come_back(&row, block, offset) {
            return returning.set_value(false);
        }
        // The page does not hold it: it is fetched, and stands there with the next frame. Meanwhile the end is shown,
        // and who goes somewhere else is left there.
        follow.update(|follow| follow.set(true));
        to_end();
        let Some(position) = position else { return };
        // What cannot be fetched now may be the next time.
        let there = move |position: Option<usize>| {
            let Some(position) = position.filter(|_| is_wanted()) else { return };
            window.want(position);
            request_animation_frame(move || {
                // Whoever started the server again may have given it another name.
                let named = || session.row_id_at(position).unwrap_or_default();
                if is_wanted() {
                    stay();
                    let _ = come_back(&row, block, offset) || come_back(&named(), block, offset);
                }
            });
        };
        actions.fetch_until(session, position, Box::new(there));
    };
    if reading != Reading::Following {
        stay_where_i_act(returning);
    }
    let bring_back = (reading != Reading::Following).then(|| {
        let bring_back: Box<dyn FnOnce()> = Box::new(move || bring_back(reading));
        bring_back
    });
    watch_size(scroller, content, on_resize, move || {
        if let Some(bring_back) = bring_back {
            bring_back();
        }
    });
    on_cleanup(move || actions.note_place(session));
    Effect::new(move |before: Option<()>| {
        actions.client.jump_to_end.track();
        if before.is_some() {
            jump();
        }
    });
    // What was looked at before is not what stays in its place now.
    let hold = move |row| {
        if let Some(scroller) = scroller.get_untracked() {
            anchor.set_value(Some(Anchor::of(row, &scroller)));
            follow.update_untracked(|follow| follow.stands(Measure::of(&scroller)));
        }
    };
    seek_on_demand(session, window, scroller, stay, hold);
    // Wherever the selection begins.
    let copied = window_event_listener(leptos::ev::copy, move |_| near.reveal_selected());
    on_cleanup(move || copied.remove());
    let act = move |event| click::on_click(actions, session, &event);
    let owner = Owner::current().unwrap_or_default();
    let chunks = move |place: Element, (): ()| {
        let build = move |number: &usize| chunk::build(actions, session, window, *number);
        owner.with(|| keep(place, move || window.chunks(), build));
    };
    view! {
        <div class="timeline-place">
            <div class="timeline" node_ref=scroller on:scroll=move |_| on_scroll() on:click=act role="log" aria-label="Conversation" aria-live="off" tabindex="0">
                <div class="timeline-content" node_ref=content>
                    <Show when=move || { session.earlier.get() > 0 }>
                        <div class="earlier">
                            <button type="button" class="button quiet" disabled=fetching on:click=move |_| show_earlier()>
                                <Glyph icon=Icon::History />
                                {move || if fetching.get() { "Fetching…".to_owned() } else { format!("Show earlier messages ({})", session.earlier.get()) }}
                            </button>
                        </div>
                    </Show>
                    <Show when=move || { total() == 0 }>
                        <EmptyConversation session />
                    </Show>
                    // An element that is nothing but this would be taken for one that never changes.
                    <div use:chunks=()></div>
                    <For each=move || session.meta.asks().get() key=|ask| ask.id.clone() children=move |ask| view! { <AskCard session_id=session.id() ask /> }.into_any() />
                    <RunStatus session />
                </div>
            </div>
            <Show when=move || !following.get()>
                <button type="button" class="button jump" on:click=move |_| jump()>
                    <Glyph icon=Icon::ArrowDown />
                    {move || match (session.meta.asks().with(Vec::is_empty), unseen()) {
                        (false, _) => "Waits for your answer".to_owned(),
                        (true, 0) => "Jump to latest".to_owned(),
                        (true, count) => format!("Jump to latest ({count})"),
                    }}
                </button>
            </Show>
        </div>
    }
}

type HeldAnchor = StoredValue<Option<Anchor>, LocalStorage>;

/// Puts the row that is looked at back where it was, if something above has moved it. False if there is none.
fn keep_in_place(scroller: &HtmlElement, anchor: HeldAnchor, follow: RwSignal<Follow>) -> bool {
    let moved = anchor.with_value(|anchor| anchor.as_ref().and_then(|anchor| anchor.moved(scroller)));
    if let Some(moved) = moved.filter(|moved| *moved != 0) {
        let before = scroller.scroll_top();
        scroller.set_scroll_top(before + moved);
        // This was not the reader's scrolling.
        follow.update_untracked(|follow| follow.shifted(scroller.scroll_top() - before));
        anchor.update_value(|anchor| *anchor = anchor.take().map(|anchor| anchor.again(scroller)));
    }
    moved.is_some()
}

/// Who does something in the session has come to stay.
fn stay_where_i_act(returning: StoredValue<bool>) {
    let act = move |event: web_sys::Event| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if target.is_some_and(|target| matches!(target.closest("main"), Ok(Some(_)))) {
            returning.set_value(false);
        }
    };
    for event in ["pointerdown", "input"] {
        let acted = window_event_listener_untyped(event, act);
        on_cleanup(move || acted.remove());
    }
}
