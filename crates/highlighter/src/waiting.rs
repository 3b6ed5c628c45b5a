//! Groups of lines that get their colours. A conversation may bring any amount of code at once: each frame colours so
//! much, what came last first, since that is where the reader is. A group that has left the page is forgotten.

use std::cell::RefCell;

use pilothouse_highlight::Span;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::Element;

use super::lines;

/// So many parts are coloured in a frame: a few milliseconds.
const PARTS: usize = 400;

struct Waiting {
    groups: Vec<(Element, Vec<Span>)>,
    /// What is left of this frame.
    room: usize,
    /// Whether the next frame is awaited.
    awaits: bool,
}

thread_local! {
    static WAITING: RefCell<Waiting> =
        const { RefCell::new(Waiting { groups: Vec::new(), room: PARTS, awaits: false }) };
}

/// Colours a group, at once if this frame has room for it.
pub fn add(group: Element, spans: Vec<Span>) {
    if spans.is_empty() {
        return;
    }
    let (now, was_awaiting) = WAITING.with_borrow_mut(|waiting| {
        let now = spans.len() <= waiting.room;
        if now {
            waiting.room -= spans.len();
        } else {
            waiting.groups.push((group.clone(), spans.clone()));
        }
        (now, std::mem::replace(&mut waiting.awaits, true))
    });
    if now {
        lines::colour(&group, &spans);
    }
    if !was_awaiting {
        await_frame();
    }
}

/// Takes a group back; tells whether it was waiting.
pub fn forget(group: &Element) -> bool {
    WAITING.with_borrow_mut(|waiting| {
        let before = waiting.groups.len();
        waiting.groups.retain(|(other, _)| !other.is_same_node(Some(group)));
        waiting.groups.len() < before
    })
}

fn next_frame() {
    let mut room = PARTS;
    while room > 0
        && let Some((group, spans)) = WAITING.with_borrow_mut(|waiting| waiting.groups.pop())
    {
        if group.is_connected() {
            room = room.saturating_sub(spans.len());
            lines::colour(&group, &spans);
        }
    }
    let goes_on = WAITING.with_borrow_mut(|waiting| {
        waiting.room = room;
        // The frame behind the last one has all its room again.
        waiting.awaits = room < PARTS;
        waiting.awaits
    });
    if goes_on {
        await_frame();
    }
}

fn await_frame() {
    let next = Closure::once_into_js(next_frame);
    let window = web_sys::window();
    let _ = window.map(|window| window.request_animation_frame(next.unchecked_ref()));
}
