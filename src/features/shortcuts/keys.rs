//! The keys, in one table: it binds them, and the list of shortcuts is made from it. Pure, but for what the browser says
//! of a key.

use pilothouse_core::conversation::queue::Lane;

use crate::browser;

/// A key as the browser reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Key {
    pub name: String,
    /// Which key it is on the board, whatever the layout says.
    pub code: String,
    pub shift: bool,
    pub alt: bool,
    /// Control; on a Mac Command, since Control moves in texts there.
    pub control: bool,
    /// An input method is composing: the key belongs to it.
    pub composing: bool,
    /// It is held down.
    pub repeated: bool,
}

impl Key {
    pub fn of(event: &leptos::ev::KeyboardEvent) -> Self {
        Self {
            name: event.key(),
            code: event.code(),
            shift: event.shift_key(),
            alt: event.alt_key(),
            control: if browser::is_mac() { event.meta_key() } else { event.ctrl_key() || event.meta_key() },
            // Safari ends the composition before this event; the key code still tells.
            composing: event.is_composing() || event.key_code() == 229,
            repeated: event.repeat(),
        }
    }

    /// What a key of a field is called; nothing while an input method is composing.
    pub fn name_of(event: &leptos::ev::KeyboardEvent) -> String {
        let key = Self::of(event);
        if key.composing { String::new() } else { key.name }
    }

    /// The letter or digit that is meant. With Alt a Mac types other signs; where letters are not Latin, the place of
    /// the key tells. What else somebody may want to write is left alone.
    fn sign(&self) -> Option<char> {
        let mut letters = self.name.chars();
        let (letter, None) = (letters.next()?, letters.next()) else { return None };
        if letter.is_ascii() { Some(letter.to_ascii_lowercase()) } else { self.foreign_sign(letter) }
    }

    fn foreign_sign(&self, letter: char) -> Option<char> {
        let place = |kind: &str| self.code.strip_prefix(kind).and_then(|place| place.chars().next());
        // Greek letters are among what a Mac types with Alt.
        let others = if self.alt { '\u{400}' } else { '\u{370}' };
        match letter {
            '¥' if self.alt => Some('y'),
            '≈' if self.alt => Some('x'),
            'µ' if self.alt => Some('m'),
            '∑' if self.alt => Some('w'),
            _ if self.alt && MAC_DIGITS.contains(letter) => {
                let number = MAC_DIGITS.chars().zip('1'..).find(|(sign, _)| *sign == letter)?.1;
                // Other boards have some of them elsewhere.
                place("Digit").filter(|place| *place == number)
            }
            _ if letter.is_alphabetic() && letter >= others => {
                place("Key").map(|place| place.to_ascii_lowercase())
            }
            _ => None,
        }
    }

    /// It types something, too: who is writing may want that.
    pub fn types(&self) -> bool {
        self.alt && !self.control && !self.name.is_ascii()
    }
}

/// What a Mac types with Alt and the digits from 1 on.
const MAC_DIGITS: &str = "¡™£¢∞§¶•ª";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Send(Lane),
    Break,
    Recall,
    Help,
    Search,
    Find,
    New,
    Previous,
    Next,
    Stop,
    Latest,
    Write,
    Approve,
    Reject,
    /// To the next session that waits on the person.
    Waiting,
    Sidebar,
    /// The choice with this number, of a question.
    Choose(u32),
}

/// Where a key means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Anywhere,
    /// Where nothing is being written.
    Outside,
    Composer,
}

#[derive(Clone, Copy, Debug)]
pub struct Binding {
    pub scope: Scope,
    name: &'static str,
    control: bool,
    alt: bool,
    shift: bool,
    pub act: Act,
    pub words: &'static str,
}

const fn plain(scope: Scope, name: &'static str, act: Act, words: &'static str) -> Binding {
    Binding { scope, name, control: false, alt: false, shift: false, act, words }
}

const fn with_control(scope: Scope, name: &'static str, act: Act, words: &'static str) -> Binding {
    Binding { control: true, ..plain(scope, name, act, words) }
}

const fn with_alt(scope: Scope, name: &'static str, act: Act, words: &'static str) -> Binding {
    Binding { alt: true, ..plain(scope, name, act, words) }
}

/// Any of the digits from 1 on.
const DIGITS: &str = "1…9";

pub const TABLE: [Binding; 22] = {
    use Scope::{Anywhere, Composer, Outside};
    [
        plain(Composer, "Enter", Act::Send(Lane::Steer), "Send; while the agent works, steer it"),
        with_control(Composer, "Enter", Act::Send(Lane::Steer), "Send, also on a touch screen"),
        with_alt(Composer, "Enter", Act::Send(Lane::FollowUp), "Send when the run is over"),
        Binding { shift: true, ..plain(Composer, "Enter", Act::Break, "New line") },
        plain(Composer, "ArrowUp", Act::Recall, "What was sent before, in an empty field"),
        with_control(Anywhere, ".", Act::Stop, "Stop the agent"),
        with_alt(Anywhere, "y", Act::Approve, "Approve what the agent asks for, this once"),
        with_alt(Anywhere, "x", Act::Reject, "Reject what the agent asks for"),
        with_alt(Anywhere, DIGITS, Act::Choose(0), "Choose what the agent offers, by its number"),
        with_control(Anywhere, "f", Act::Find, "Find in the conversation"),
        with_alt(Anywhere, "End", Act::Latest, "Go to the end of the conversation"),
        with_alt(Anywhere, "m", Act::Write, "Write a message"),
        with_control(Anywhere, "k", Act::Search, "Search all sessions"),
        with_alt(Anywhere, "n", Act::New, "New session"),
        with_alt(Anywhere, "ArrowUp", Act::Previous, "The session above"),
        with_alt(Anywhere, "ArrowDown", Act::Next, "The session below"),
        with_alt(Anywhere, "w", Act::Waiting, "The next session that waits on me"),
        with_control(Anywhere, "b", Act::Sidebar, "Show or hide the sidebar"),
        plain(Outside, "?", Act::Help, "Show this list"),
        plain(Outside, "/", Act::Search, "Search all sessions"),
        plain(Outside, "c", Act::Write, "Write a message"),
        plain(Outside, "n", Act::New, "New session"),
    ]
};

impl Binding {
    fn fits(&self, key: &Key) -> bool {
        // A sign such as ? may need Shift to be typed.
        let shifted = self.shift == key.shift || (self.name.len() == 1 && !self.control && !self.alt);
        let sign = key.sign();
        let named = match self.name {
            DIGITS => matches!(sign, Some('1'..='9')),
            name if name.len() == 1 => sign.is_some_and(|sign| name.starts_with(sign)),
            name => name == key.name,
        };
        named && self.control == key.control && self.alt == key.alt && shifted
    }

    /// As it is shown, by the names that a Mac or another board has for them.
    pub fn keys(&self, mac: bool) -> Vec<String> {
        let name = match self.name {
            "ArrowUp" => "↑".to_owned(),
            "ArrowDown" => "↓".to_owned(),
            name if name.len() == 1 => name.to_ascii_uppercase(),
            name => name.to_owned(),
        };
        let [control, alt] = if mac { ["⌘", "⌥"] } else { ["Ctrl", "Alt"] };
        let held = [(self.control, control), (self.alt, alt), (self.shift, "Shift")];
        let held = held.into_iter().filter(|(held, _)| *held).map(|(_, name)| name.to_owned());
        held.chain([name]).collect()
    }
}

/// What a key means in the composer. On a touch screen Enter breaks the line.
pub fn in_composer(key: &Key, touch: bool) -> Option<Act> {
    let plain_enter = key.name == "Enter" && !key.control && !key.alt;
    if key.composing || (touch && plain_enter) {
        return None;
    }
    found(key, |scope| scope == Scope::Composer)
}

/// What a key means on the page as a whole. `writing` while the keyboard is in a field.
pub fn on_page(key: &Key, writing: bool) -> Option<Act> {
    if key.composing {
        return None;
    }
    found(key, |scope| scope == Scope::Anywhere || (scope == Scope::Outside && !writing))
}

fn found(key: &Key, counts: impl Fn(Scope) -> bool) -> Option<Act> {
    let binding = TABLE.iter().find(|binding| counts(binding.scope) && binding.fits(key))?;
    Some(match binding.act {
        Act::Choose(_) => Act::Choose(key.sign().and_then(|sign| sign.to_digit(10)).unwrap_or_default()),
        act => act,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        Key { name: name.into(), ..Key::default() }
    }

    #[test]
    fn enter_sends_and_shift_enter_breaks() {
        let enter = || key("Enter");
        assert_eq!(in_composer(&enter(), false), Some(Act::Send(Lane::Steer)));
        assert_eq!(in_composer(&Key { shift: true, ..enter() }, false), Some(Act::Break));
        assert_eq!(in_composer(&Key { alt: true, ..enter() }, false), Some(Act::Send(Lane::FollowUp)));
        assert_eq!(in_composer(&key("a"), false), None);
    }

    #[test]
    fn enter_belongs_to_the_input_method_while_it_composes() {
        let composing = Key { composing: true, ..key("Enter") };
        assert_eq!(in_composer(&composing, false), None);
        assert_eq!(in_composer(&Key { control: true, ..composing }, false), None);
    }

    #[test]
    fn on_a_touch_screen_enter_breaks() {
        assert_eq!(in_composer(&key("Enter"), true), None);
        assert_eq!(in_composer(&Key { control: true, ..key("Enter") }, true), Some(Act::Send(Lane::Steer)));
    }

    #[test]
    fn signs_mean_nothing_while_something_is_written() {
        let question = Key { shift: true, ..key("?") };
        assert_eq!(on_page(&question, false), Some(Act::Help));
        assert_eq!(on_page(&question, true), None);
        assert_eq!(on_page(&Key { control: true, ..key("F") }, true), Some(Act::Find));
        assert_eq!(on_page(&Key { control: true, shift: true, ..key("f") }, true), None, "the browser's own");
    }

    #[test]
    fn a_digit_is_the_number_of_a_choice() {
        let three = Key { alt: true, ..key("3") };
        assert_eq!(on_page(&three, true), Some(Act::Choose(3)));
        assert_eq!(on_page(&key("3"), false), None);
        assert_eq!(on_page(&Key { alt: true, ..key("0") }, true), None);
    }

    #[test]
    fn what_another_board_types_is_the_key_that_is_meant() {
        let typed = |name: &str, code: &str| Key { alt: true, code: code.into(), ..key(name) };
        assert_eq!(on_page(&typed("¥", "KeyZ"), true), Some(Act::Approve), "a Mac, whatever its layout");
        assert_eq!(on_page(&typed("≈", "KeyX"), true), Some(Act::Reject));
        assert_eq!(on_page(&typed("¡", "Digit1"), true), Some(Act::Choose(1)));
        assert_eq!(on_page(&typed("н", "KeyY"), true), Some(Act::Approve), "letters that are not Latin");
        let find = Key { control: true, code: "KeyF".into(), ..key("а") };
        assert_eq!(on_page(&find, true), Some(Act::Find));
        let written = [
            ("[", "Digit5"),
            ("“", "Digit2"),
            ("¶", "Digit3"),
            ("Ω", "KeyY"),
            ("ń", "KeyN"),
            ("ź", "KeyX"),
            ("Dead", "KeyN"),
            ("f", "KeyY"),
        ];
        for (name, code) in written {
            assert_eq!(on_page(&typed(name, code), true), None, "{name} is written");
        }
        let beside = Key { control: true, code: "BracketLeft".into(), ..key("х") };
        assert_eq!(on_page(&beside, true), None, "not the place of a letter");
        assert!(typed("≈", "KeyX").types() && !typed("x", "KeyX").types());
    }

    #[test]
    fn no_key_means_two_things_in_one_place() {
        for (index, one) in TABLE.iter().enumerate() {
            let same = |other: &&Binding| {
                (one.name, one.control, one.alt, one.shift, one.scope)
                    == (other.name, other.control, other.alt, other.shift, other.scope)
            };
            assert_eq!(TABLE[index + 1..].iter().filter(same).count(), 0, "{one:?}");
        }
        assert_eq!(TABLE[3].keys(false), ["Shift", "Enter"]);
        assert_eq!(TABLE[6].keys(true), ["⌥", "Y"]);
    }
}
