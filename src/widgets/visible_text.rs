//! Text with invisible characters made visible, so that a command runs exactly as the user saw and approved
//! it.

use leptos::prelude::*;
use pilothouse_core::render::visible_text::{VisiblePiece, visible_pieces};

/// A text whose invisible characters appear as labelled marks.
#[component]
pub fn VisibleText(text: String) -> impl IntoView {
    let pieces = visible_pieces(&text).into_iter().map(|piece| match piece {
        VisiblePiece::Plain(text) => text.into_any(),
        VisiblePiece::Marked(mark) => {
            view! { <span class="hidden-mark" title=mark.name>{mark.shown}</span> }.into_any()
        }
    });
    pieces.collect_view()
}
