//! Counts the bytes that lexers read, instead of measuring time.

use std::cell::Cell;

use crate::{Highlighter, Language};

thread_local! {
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

pub fn step() {
    STEPS.with(|steps| steps.set(steps.get() + 1));
}

fn steps_of(work: impl FnOnce()) -> usize {
    let before = STEPS.with(Cell::get);
    work();
    STEPS.with(Cell::get) - before
}

/// The number of reads that a lexer may need per byte: several tokens may start there, each a few letters long.
const PER_BYTE: usize = 60;

/// Lines that tempt a lexer to look far ahead.
const HOSTILE: [&str; 16] =
    ["/[", "<a ", "${`", "\"${", "<<A ", "r#", "R\"x", "[=", "$a", "/*", "`", "**[", "a: ", "{", "#[", "'"];

#[test]
fn cost_is_proportional_to_the_length() {
    for language in Language::ALL {
        for piece in HOSTILE {
            for ending in ["", "\n"] {
                let text = format!("{piece}{ending}").repeat(1_000);
                let steps = steps_of(|| drop(crate::highlight(*language, &text)));
                assert!(steps < PER_BYTE * text.len(), "{language:?} {piece:?}: {steps} for {}", text.len());
            }
        }
    }
}

#[test]
fn an_addition_costs_no_more_than_itself_and_its_line() {
    let line = "    let value = compute(12, \"text\"); // why\n";
    for language in Language::ALL {
        let mut highlighter = Highlighter::new(*language);
        highlighter.push(&line.repeat(100));
        let early = steps_of(|| drop(highlighter.push(line)));
        highlighter.push(&line.repeat(1_000));
        let late = steps_of(|| drop(highlighter.push(line)));
        assert!(late <= early * 2 && late < PER_BYTE * line.len() * 2, "{language:?}: {early}, then {late}");
    }
}

#[test]
fn the_cost_of_an_endless_line_is_bounded() {
    for language in Language::ALL {
        let mut highlighter = Highlighter::new(*language);
        highlighter.push(&"word ".repeat(100_000));
        let steps = steps_of(|| drop(highlighter.push("word ")));
        assert!(steps < PER_BYTE * 5_000, "{language:?}: {steps}");
    }
}
