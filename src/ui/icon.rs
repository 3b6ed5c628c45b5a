//! The icons: a few strokes each on a 24-pixel grid, in the colour of the text around them. Always beside a label,
//! so hidden from screen readers.

use leptos::prelude::*;

use super::dynamic::live;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    Alert,
    Archive,
    ArrowDown,
    ArrowUp,
    Check,
    Chevron,
    Close,
    Compact,
    Copy,
    CornerUp,
    Edit,
    File,
    Folder,
    Fork,
    Globe,
    History,
    Image,
    Info,
    Link,
    List,
    Menu,
    More,
    Pause,
    Pin,
    Play,
    Plug,
    Plus,
    Question,
    Retry,
    Search,
    Settings,
    Spinner,
    Stop,
    Terminal,
    Thought,
    Tool,
    Trash,
    Wheel,
}

impl Icon {
    const fn path(self) -> &'static str {
        match self {
            Self::Alert => "M12 4 2.8 19.5h18.4L12 4ZM12 10v4M12 17v.01",
            Self::Archive => "M3 4h18v4H3zM5 8v11a1 1 0 0 0 1 1h12a1 1 0 0 0 1-1V8M10 12h4",
            Self::ArrowDown => "M12 5v14M6 13l6 6 6-6",
            Self::ArrowUp => "M12 19V5M6 11l6-6 6 6",
            Self::Check => "M5 12.5l4.5 4.5L19 7.5",
            Self::Chevron => "M9 6l6 6-6 6",
            Self::Close => "M6 6l12 12M18 6 6 18",
            Self::Compact => "M12 3v6M9 6l3 3 3-3M12 21v-6M9 18l3-3 3 3M4 12h16",
            Self::Copy => "M9 9h11v11H9zM5 15H4V4h11v1",
            Self::CornerUp => "M9 14 4 9l5-5M4 9h11a5 5 0 0 1 5 5v6",
            Self::Edit => "M4 20h4L19 9l-4-4L4 16v4ZM13 7l4 4",
            Self::File => "M7 3h7l5 5v13H7a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2ZM14 3v5h5M9 13h6M9 17h6",
            Self::Folder => "M3 6a1 1 0 0 1 1-1h5l2 3h9a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V6Z",
            Self::Fork => {
                "M6 3v12M18 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM6 21a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM18 9a9 9 0 0 1-9 9"
            }
            Self::Globe => {
                "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18"
            }
            Self::History => "M12 7v5l3 2M3.5 9A9 9 0 1 1 3 12M3 4v5h5",
            Self::Image => "M4 4h16v16H4zM9 11a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM20 15l-4-4L6 20",
            Self::Info => "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM12 11v5M12 8v.01",
            Self::Link => {
                "M10 13a5 5 0 0 0 7.5.5l3-3a5 5 0 0 0-7-7L12 5M14 11a5 5 0 0 0-7.5-.5l-3 3a5 5 0 0 0 7 7L12 19"
            }
            Self::List => "M9 6h11M9 12h11M9 18h11M4 6v.01M4 12v.01M4 18v.01",
            Self::Menu => "M4 7h16M4 12h16M4 17h16",
            Self::More => {
                "M5 11.5a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1ZM12 11.5a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1ZM19 11.5a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1Z"
            }
            Self::Pause => "M9 6v12M15 6v12",
            Self::Pin => "M12 17v5M9 3h6M10 3v7l-3 3.5V16h10v-2.5L14 10V3",
            Self::Play => "M8 5l11 7-11 7V5Z",
            Self::Plug => "M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0V8ZM12 17v4",
            Self::Plus => "M12 5v14M5 12h14",
            Self::Question => {
                "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.6.3-1 .8-1 1.7M12 17v.01"
            }
            Self::Retry => "M20 5v5h-5M19.5 10A8 8 0 1 0 20 14",
            Self::Search => "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM16 16l5 5",
            Self::Settings => "M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4",
            Self::Spinner => "M12 3a9 9 0 1 1-9 9",
            Self::Stop => "M7 7h10v10H7z",
            Self::Terminal => "M5 7l5 5-5 5M12 18h7",
            Self::Thought => "M9 18h6M10 21h4M8.5 15.5A6.5 6.5 0 1 1 15.5 15.5L15 18H9l-.5-2.5Z",
            Self::Tool => {
                "M14.5 6.5a4.5 4.5 0 0 0-6 5.7L3 17.7 6.3 21l5.5-5.5a4.5 4.5 0 0 0 5.7-6L14.7 12.3l-3-3 2.8-2.8Z"
            }
            Self::Trash => "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
            Self::Wheel => {
                "M12 6a6 6 0 1 0 0 12 6 6 0 0 0 0-12ZM12 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4ZM12 2.5V10M12 14v7.5M2.5 12H10M14 12h7.5M5.3 5.3l5.3 5.3M13.4 13.4l5.3 5.3M18.7 5.3l-5.3 5.3M10.6 13.4l-5.3 5.3"
            }
        }
    }
}

/// One icon, 16 pixels unless its surroundings say otherwise.
#[component]
pub fn Glyph(#[prop(into)] icon: Signal<Icon>, #[prop(optional)] class: &'static str) -> impl IntoView {
    view! {
        <svg class=format!("icon {class}") viewBox="0 0 24 24" aria-hidden="true" focusable="false">
            <path d=live(move || icon.get().path())></path>
        </svg>
    }
}
