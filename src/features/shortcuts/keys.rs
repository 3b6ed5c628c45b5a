//! The key bindings, in one table that both handles keys and fills the list of shortcuts. Pure, except for reading
//! keyboard events.

use pilothouse_core::conversation::queue::Lane;

use crate::browser;

/// A pressed key with its modifiers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyPress {
    /// `KeyboardEvent.key`: the character or the name of the key.
    pub name: String,
    /// `KeyboardEvent.code`: the physical key, independent of the layout.
    pub code: String,
    pub shift: bool,
    pub alt: bool,
    /// Control; on a Mac only Command, because Control moves the caret there.
    pub control: bool,
    /// Whether an input method is composing: then the key belongs to it.
    pub composing: bool,
    /// Whether the event repeats because the key is held down.
    pub repeated: bool,
}

impl KeyPress {
    pub fn of(event: &leptos::ev::KeyboardEvent) -> Self {
        Self {
            name: event.key(),
            code: event.code(),
            shift: event.shift_key(),
            alt: event.alt_key(),
            control: if browser::is_mac() { event.meta_key() } else { event.ctrl_key() || event.meta_key() },
            // Safari ends the composition before this event; the key code still reveals it.
            composing: event.is_composing() || event.key_code() == 229,
            repeated: event.repeat(),
        }
    }

    /// The name of an event's key; empty while an input method is composing.
    pub fn name_of(event: &leptos::ev::KeyboardEvent) -> String {
        let key = Self::of(event);
        if key.composing { String::new() } else { key.name }
    }

    /// The letter or digit to compare with a binding's. Alt on a Mac types other characters, and layouts may not be
    /// Latin: then the physical key decides. None for characters that the user may want to type.
    fn character(&self) -> Option<char> {
        let mut characters = self.name.chars();
        let (typed, None) = (characters.next()?, characters.next()) else { return None };
        if typed.is_ascii() { Some(typed.to_ascii_lowercase()) } else { self.latin_character(typed) }
    }

    /// The Latin letter or digit on the key that typed another character.
    fn latin_character(&self, typed: char) -> Option<char> {
        let physical_key = |kind: &str| self.code.strip_prefix(kind).and_then(|key| key.chars().next());
        // With Alt, a Mac types some Greek letters as symbols, so they do not prove a Greek layout.
        let first_non_latin = if self.alt { '\u{400}' } else { '\u{370}' };
        match typed {
            '¥' if self.alt => Some('y'),
            '≈' if self.alt => Some('x'),
            'µ' if self.alt => Some('m'),
            '∑' if self.alt => Some('w'),
            'Å' if self.alt && self.shift => Some('a'),
            _ if self.alt && MAC_DIGITS.contains(typed) => {
                let digit = MAC_DIGITS.chars().zip('1'..).find(|(symbol, _)| *symbol == typed)?.1;
                // Other layouts have some of these symbols on other keys.
                physical_key("Digit").filter(|key| *key == digit)
            }
            _ if typed.is_alphabetic() && typed >= first_non_latin => {
                physical_key("Key").map(|key| key.to_ascii_lowercase())
            }
            _ => None,
        }
    }

    /// Whether the shortcut also types a character that the user may want in a text.
    pub fn types_text(&self) -> bool {
        self.alt && !self.control && !self.name.is_ascii()
    }
}

/// The characters that Alt and the digits from 1 type on a Mac.
const MAC_DIGITS: &str = "¡™£¢∞§¶•ª";

/// The action of a key binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyAction {
    Send(Lane),
    NewLine,
    /// Recalls an earlier prompt into the composer.
    RecallPrompt,
    ShowShortcuts,
    /// Focuses the search over all sessions.
    Search,
    /// Opens the find bar of the conversation.
    Find,
    NewSession,
    PreviousSession,
    NextSession,
    Stop,
    ScrollToEnd,
    FocusComposer,
    Approve,
    Reject,
    TurnOffAutoApprove,
    /// Opens the next session that waits for the user.
    NextWaiting,
    ToggleSidebar,
    /// Picks the option with this number of a question.
    Choose(u32),
}

/// The part of the page in which a binding is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Anywhere,
    /// While no text field has focus.
    NotTyping,
    Composer,
}

/// A key with its modifiers and its action.
#[derive(Clone, Copy, Debug)]
pub struct KeyBinding {
    pub scope: Scope,
    /// The name of the key, or `DIGITS`.
    name: &'static str,
    control: bool,
    alt: bool,
    shift: bool,
    action: KeyAction,
    /// The text in the list of shortcuts.
    pub label: &'static str,
}

/// A binding without modifiers.
const fn plain(scope: Scope, name: &'static str, action: KeyAction, label: &'static str) -> KeyBinding {
    KeyBinding { scope, name, control: false, alt: false, shift: false, action, label }
}

const fn with_control(
    scope: Scope,
    name: &'static str,
    action: KeyAction,
    label: &'static str,
) -> KeyBinding {
    KeyBinding { control: true, ..plain(scope, name, action, label) }
}

const fn with_alt(scope: Scope, name: &'static str, action: KeyAction, label: &'static str) -> KeyBinding {
    KeyBinding { alt: true, ..plain(scope, name, action, label) }
}

/// Stands for any digit from 1.
const DIGITS: &str = "1…9";

/// All bindings of the page, in the order in which they are listed.
pub const BINDINGS: [KeyBinding; 23] = {
    use Scope::{Anywhere, Composer, NotTyping};
    [
        plain(Composer, "Enter", KeyAction::Send(Lane::Steer), "Send, or steer the agent while it works"),
        with_control(Composer, "Enter", KeyAction::Send(Lane::Steer), "Send (also on touch screens)"),
        with_alt(Composer, "Enter", KeyAction::Send(Lane::FollowUp), "Queue a follow-up"),
        KeyBinding { shift: true, ..plain(Composer, "Enter", KeyAction::NewLine, "New line") },
        plain(Composer, "ArrowUp", KeyAction::RecallPrompt, "Previous message (if the field is empty)"),
        with_control(Anywhere, ".", KeyAction::Stop, "Stop the agent"),
        with_alt(Anywhere, "y", KeyAction::Approve, "Approve once"),
        with_alt(Anywhere, "x", KeyAction::Reject, "Reject"),
        with_alt(Anywhere, DIGITS, KeyAction::Choose(0), "Choose an option by number"),
        KeyBinding {
            shift: true,
            ..with_alt(Anywhere, "a", KeyAction::TurnOffAutoApprove, "Turn off auto-approve")
        },
        with_control(Anywhere, "f", KeyAction::Find, "Find in conversation"),
        with_alt(Anywhere, "End", KeyAction::ScrollToEnd, "Jump to latest"),
        with_alt(Anywhere, "m", KeyAction::FocusComposer, "Go to the message field"),
        with_control(Anywhere, "k", KeyAction::Search, "Search sessions"),
        with_alt(Anywhere, "n", KeyAction::NewSession, "New session"),
        with_alt(Anywhere, "ArrowUp", KeyAction::PreviousSession, "Previous session"),
        with_alt(Anywhere, "ArrowDown", KeyAction::NextSession, "Next session"),
        with_alt(Anywhere, "w", KeyAction::NextWaiting, "Next session waiting for you"),
        with_control(Anywhere, "b", KeyAction::ToggleSidebar, "Toggle sidebar"),
        plain(NotTyping, "?", KeyAction::ShowShortcuts, "Show keyboard shortcuts"),
        plain(NotTyping, "/", KeyAction::Search, "Search sessions"),
        plain(NotTyping, "c", KeyAction::FocusComposer, "Go to the message field"),
        plain(NotTyping, "n", KeyAction::NewSession, "New session"),
    ]
};

impl KeyBinding {
    fn matches(&self, key: &KeyPress) -> bool {
        // A character such as ? may need Shift on some layouts.
        let shift_matches = self.shift == key.shift || (self.name.len() == 1 && !self.control && !self.alt);
        let character = key.character();
        let name_matches = match self.name {
            DIGITS => matches!(character, Some('1'..='9')),
            name if name.len() == 1 => character.is_some_and(|character| name.starts_with(character)),
            name => name == key.name,
        };
        name_matches && self.control == key.control && self.alt == key.alt && shift_matches
    }

    /// The labels of the modifiers and the key, as printed on a Mac's or another keyboard.
    pub fn key_labels(&self, mac: bool) -> Vec<String> {
        let name = match self.name {
            "ArrowUp" => "↑".to_owned(),
            "ArrowDown" => "↓".to_owned(),
            name if name.len() == 1 => name.to_ascii_uppercase(),
            name => name.to_owned(),
        };
        let [control, alt] = if mac { ["⌘", "⌥"] } else { ["Ctrl", "Alt"] };
        let modifiers = [(self.control, control), (self.alt, alt), (self.shift, "Shift")];
        let modifiers = modifiers.into_iter().filter(|(held, _)| *held).map(|(_, name)| name.to_owned());
        modifiers.chain([name]).collect()
    }
}

/// The action of a key in the composer. On a touch screen, Enter starts a new line.
pub fn composer_action(key: &KeyPress, touch: bool) -> Option<KeyAction> {
    let plain_enter = key.name == "Enter" && !key.control && !key.alt;
    if key.composing || (touch && plain_enter) {
        return None;
    }
    find_action(key, |scope| scope == Scope::Composer)
}

/// The action of a key anywhere on the page. `typing` is true while a text field has focus.
pub fn page_action(key: &KeyPress, typing: bool) -> Option<KeyAction> {
    if key.composing {
        return None;
    }
    find_action(key, |scope| scope == Scope::Anywhere || (scope == Scope::NotTyping && !typing))
}

fn find_action(key: &KeyPress, is_active: impl Fn(Scope) -> bool) -> Option<KeyAction> {
    let binding = BINDINGS.iter().find(|binding| is_active(binding.scope) && binding.matches(key))?;
    Some(match binding.action {
        KeyAction::Choose(_) => {
            let digit = key.character().and_then(|character| character.to_digit(10));
            KeyAction::Choose(digit.unwrap_or_default())
        }
        action => action,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> KeyPress {
        KeyPress { name: name.into(), ..KeyPress::default() }
    }

    #[test]
    fn enter_sends_and_shift_enter_starts_a_new_line() {
        let enter = || key("Enter");
        assert_eq!(composer_action(&enter(), false), Some(KeyAction::Send(Lane::Steer)));
        assert_eq!(composer_action(&KeyPress { shift: true, ..enter() }, false), Some(KeyAction::NewLine));
        assert_eq!(
            composer_action(&KeyPress { alt: true, ..enter() }, false),
            Some(KeyAction::Send(Lane::FollowUp))
        );
        assert_eq!(composer_action(&key("a"), false), None);
    }

    #[test]
    fn enter_belongs_to_the_input_method_while_it_composes() {
        let composing = KeyPress { composing: true, ..key("Enter") };
        assert_eq!(composer_action(&composing, false), None);
        assert_eq!(composer_action(&KeyPress { control: true, ..composing }, false), None);
    }

    #[test]
    fn on_a_touch_screen_enter_starts_a_new_line() {
        assert_eq!(composer_action(&key("Enter"), true), None);
        assert_eq!(
            composer_action(&KeyPress { control: true, ..key("Enter") }, true),
            Some(KeyAction::Send(Lane::Steer))
        );
    }

    #[test]
    fn plain_characters_are_no_shortcuts_while_typing() {
        let question = KeyPress { shift: true, ..key("?") };
        assert_eq!(page_action(&question, false), Some(KeyAction::ShowShortcuts));
        assert_eq!(page_action(&question, true), None);
        assert_eq!(page_action(&KeyPress { control: true, ..key("F") }, true), Some(KeyAction::Find));
        assert_eq!(
            page_action(&KeyPress { control: true, shift: true, ..key("f") }, true),
            None,
            "the browser's own"
        );
    }

    #[test]
    fn alt_and_a_digit_choose_an_option() {
        let three = KeyPress { alt: true, ..key("3") };
        assert_eq!(page_action(&three, true), Some(KeyAction::Choose(3)));
        assert_eq!(page_action(&key("3"), false), None);
        assert_eq!(page_action(&KeyPress { alt: true, ..key("0") }, true), None);
    }

    #[test]
    fn shortcuts_work_on_other_keyboard_layouts() {
        let typed = |name: &str, code: &str| KeyPress { alt: true, code: code.into(), ..key(name) };
        assert_eq!(
            page_action(&typed("¥", "KeyZ"), true),
            Some(KeyAction::Approve),
            "a Mac, whatever its layout"
        );
        assert_eq!(page_action(&typed("≈", "KeyX"), true), Some(KeyAction::Reject));
        assert_eq!(page_action(&typed("¡", "Digit1"), true), Some(KeyAction::Choose(1)));
        assert_eq!(
            page_action(&typed("н", "KeyY"), true),
            Some(KeyAction::Approve),
            "a layout that is not Latin"
        );
        let find = KeyPress { control: true, code: "KeyF".into(), ..key("а") };
        assert_eq!(page_action(&find, true), Some(KeyAction::Find));
        let text = [
            ("[", "Digit5"),
            ("“", "Digit2"),
            ("¶", "Digit3"),
            ("Ω", "KeyY"),
            ("ń", "KeyN"),
            ("ź", "KeyX"),
            ("Dead", "KeyN"),
            ("f", "KeyY"),
        ];
        for (name, code) in text {
            assert_eq!(page_action(&typed(name, code), true), None, "{name} is text");
        }
        let angstrom = KeyPress { shift: true, ..typed("Å", "KeyA") };
        assert_eq!(page_action(&angstrom, true), Some(KeyAction::TurnOffAutoApprove), "a Mac");
        let bracket = KeyPress { control: true, code: "BracketLeft".into(), ..key("х") };
        assert_eq!(page_action(&bracket, true), None, "not a letter key");
        assert!(typed("≈", "KeyX").types_text() && !typed("x", "KeyX").types_text());
    }

    #[test]
    fn no_key_is_bound_twice_in_one_scope() {
        for (index, one) in BINDINGS.iter().enumerate() {
            let same = |other: &&KeyBinding| {
                (one.name, one.control, one.alt, one.shift, one.scope)
                    == (other.name, other.control, other.alt, other.shift, other.scope)
            };
            assert_eq!(BINDINGS[index + 1..].iter().filter(same).count(), 0, "{one:?}");
        }
        assert_eq!(BINDINGS[3].key_labels(false), ["Shift", "Enter"]);
        assert_eq!(BINDINGS[6].key_labels(true), ["⌥", "Y"]);
    }
}
