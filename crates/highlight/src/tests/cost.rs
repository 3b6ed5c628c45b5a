//! Counts what a lexer looks at: a clock would say something else on every machine.

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

/// What a lexer may look at for each byte: a handful of marks that could begin here, each a few letters long.
const PER_BYTE: usize = 60;

/// Lines that make a lexer look far ahead if it is careless.
const HOSTILE: [&str; 16] =
    ["/[", "<a ", "${`", "\"${", "<<A ", "r#", "R\"x", "[=", "$a", "/*", "`", "**[", "a: ", "{", "#[", "'"];

#[test]
fn no_text_costs_more_than_in_proportion_to_its_length() {
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
fn what_is_added_costs_no_more_than_itself_and_its_line() {
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
fn a_line_without_end_costs_no_more_the_longer_it_gets() {
    for language in Language::ALL {
        let mut highlighter = Highlighter::new(*language);
        highlighter.push(&"word ".repeat(100_000));
        let steps = steps_of(|| drop(highlighter.push("word ")));
        assert!(steps < PER_BYTE * 5_000, "{language:?}: {steps}");
    }
}
