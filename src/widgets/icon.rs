//! Icons. `style/icons.css` holds their shapes by name and paints them in the current text colour. An icon always
//! accompanies a label, so it is hidden from screen readers.

use leptos::prelude::*;

/// Declares the icons with the names of their shapes.
macro_rules! icons {
    ($($icon:ident $name:literal),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Icon {
            $($icon),*
        }

        impl Icon {
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$icon => $name),*
                }
            }

            #[cfg(test)]
            const ALL: &[Self] = &[$(Self::$icon),*];
        }
    };
}

icons! {
    Alert "alert",
    Archive "archive",
    ArrowDown "arrow-down",
    ArrowUp "arrow-up",
    Check "check",
    Chevron "chevron",
    Close "close",
    Compact "compact",
    Copy "copy",
    CornerUp "corner-up",
    Edit "edit",
    File "file",
    Folder "folder",
    Fork "fork",
    Globe "globe",
    History "history",
    Image "image",
    Info "info",
    Link "link",
    List "list",
    Menu "menu",
    More "more",
    Pause "pause",
    Pin "pin",
    Play "play",
    Plug "plug",
    Plus "plus",
    Question "question",
    Retry "retry",
    Search "search",
    Settings "settings",
    Shield "shield",
    Spinner "spinner",
    Stop "stop",
    Terminal "terminal",
    Thought "thought",
    Tool "tool",
    Trash "trash",
    Wheel "wheel",
}

/// An icon, 16 pixels wide unless a style overrides it.
#[component]
pub fn Glyph(
    icon: Icon,
    /// An additional class.
    #[prop(optional)]
    class: &'static str,
) -> impl IntoView {
    let class = if class.is_empty() { "icon".to_owned() } else { format!("icon {class}") };
    view! { <span class=class data-icon=icon.name() aria-hidden="true"></span> }
}

/// An icon that changes with a signal.
#[component]
pub fn LiveGlyph(#[prop(into)] icon: Signal<Icon>) -> impl IntoView {
    view! { <span class="icon" data-icon=move || icon.get().name() aria-hidden="true"></span> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_icon_has_a_shape() {
        let sheet = include_str!("../../style/icons.css");
        for icon in Icon::ALL {
            assert!(sheet.contains(&format!("[data-icon=\"{}\"]", icon.name())), "{icon:?}");
        }
        let count = Icon::ALL.len();
        assert!(sheet.contains(&format!("--icon-count: {count};")));
        assert!(sheet.contains(&format!("viewBox='0 0 24 {}'", 24 * count)));
        for number in 0..count {
            assert!(sheet.contains(&format!("--icon: {number};")), "no icon has the number {number}");
            assert!(
                sheet.contains(&format!("translate(0,{})", 24 * number)),
                "no shape has the number {number}"
            );
        }
    }
}
