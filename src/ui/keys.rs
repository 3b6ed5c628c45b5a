//! What a key means in the composer. Pure.

use pilothouse_core::queue::Lane;

/// A key as the browser reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Key {
    pub name: String,
    pub shift: bool,
    pub alt: bool,
    pub control: bool,
    /// An input method is composing: the key belongs to it.
    pub composing: bool,
}

/// Whether the key sends, and to which lane. On a touch screen Enter breaks the line; Ctrl+Enter sends everywhere.
pub fn sends(key: &Key, touch: bool) -> Option<Lane> {
    if key.name != "Enter" || key.composing || key.shift {
        return None;
    }
    match (key.alt, key.control, touch) {
        (true, _, _) => Some(Lane::FollowUp),
        (false, false, true) => None,
        _ => Some(Lane::Steer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enter() -> Key {
        Key { name: "Enter".into(), ..Key::default() }
    }

    #[test]
    fn enter_sends_and_shift_enter_breaks() {
        assert_eq!(sends(&enter(), false), Some(Lane::Steer));
        assert_eq!(sends(&Key { shift: true, ..enter() }, false), None);
        assert_eq!(sends(&Key { alt: true, ..enter() }, false), Some(Lane::FollowUp));
        assert_eq!(sends(&Key { name: "a".into(), ..Key::default() }, false), None);
    }

    #[test]
    fn enter_belongs_to_the_input_method_while_it_composes() {
        assert_eq!(sends(&Key { composing: true, ..enter() }, false), None);
        assert_eq!(sends(&Key { composing: true, control: true, ..enter() }, false), None);
    }

    #[test]
    fn on_a_touch_screen_enter_breaks() {
        assert_eq!(sends(&enter(), true), None);
        assert_eq!(sends(&Key { control: true, ..enter() }, true), Some(Lane::Steer));
    }
}
