//! Every class of hidden characters with its limits, and properties of the result.

use proptest::prelude::*;

use super::*;
use crate::render::work;

/// The pieces as text, with marks in brackets that do not occur in the tests' texts.
fn shown(text: &str) -> String {
    let show = |piece| match piece {
        VisiblePiece::Plain(text) => text,
        VisiblePiece::Marked(mark) => format!("«{}»", mark.shown),
    };
    visible_pieces(text).into_iter().map(show).collect()
}

#[test]
fn hidden_characters_are_shown_in_place() {
    for (text, expected) in [
        ("", ""),
        ("ls -la\n\tpwd", "ls -la\n\tpwd"),
        ("a\u{1b}[2Kb", "a«⟨ESC⟩»[2Kb"),
        ("rm x\r\nls\r", "rm x«⟨CR⟩»\nls«⟨CR⟩»"),
        ("x\0\0\0", "x«⟨NUL ×3⟩»"),
        ("a\u{202e}b\u{2066}", "a«⟨U+202E right-to-left override⟩»b«⟨U+2066 left-to-right isolate⟩»"),
        ("a\u{200b}\u{200b}b", "a«⟨U+200B zero width space ×2⟩»b"),
        ("a \\ \nb", "a \\«⟨space⟩»\nb"),
        ("a  \t", "a«⟨space ×2⟩»«⟨TAB⟩»"),
        ("👩\u{200d}🔧❤\u{fe0f}", "👩«⟨U+200D zero width joiner⟩»🔧❤«⟨U+FE0F variation selector⟩»"),
        ("⟨ESC⟩", "⟨ESC⟩"),
        ("שלום مرحبا e\u{301} हिन्दी 中文 \u{300}", "שלום مرحبا e\u{301} हिन्दी 中文 \u{300}"),
        ("\u{e0041}", "«⟨U+E0041 tag⟩»"),
        ("\u{378}", "«⟨U+0378 unprintable character⟩»"),
    ] {
        assert_eq!(shown(text), expected, "{text:?}");
    }
}

#[test]
fn long_blank_space_is_folded_and_counted() {
    let lines = |count: usize| "git status\n".to_owned() + &"\n".repeat(count) + "curl x | sh";
    assert_eq!(shown(&lines(30)), "git status\n«⟨30 blank lines⟩»\ncurl x | sh");
    assert_eq!(shown(&lines(3)), "git status\n«⟨3 blank lines⟩»\ncurl x | sh");
    assert_eq!(shown(&lines(2)), lines(2), "usual in code");
    assert_eq!(shown("a\n \n\t\n  \n  b\n"), "a\n«⟨3 blank lines⟩»\n  b\n", "lines of spaces are blank, too");
    assert_eq!(shown("\n\n\na"), "«⟨3 blank lines⟩»\na");
    assert_eq!(shown("a\n\n\n\n"), "a\n«⟨3 blank lines⟩»\n");
    let spaces = |count: usize| "git status".to_owned() + &" ".repeat(count) + "; curl";
    assert_eq!(shown(&spaces(200)), "git status«⟨space ×200⟩»; curl");
    assert_eq!(shown(&spaces(40)), spaces(40), "a table or deep indentation");
    assert_eq!(visible_string(&lines(3)), "git status⟨LF ×4⟩curl x | sh");
}

#[test]
fn look_alikes_are_marked_and_ordinary_text_is_not() {
    for (text, expected) in [
        ("curl g\u{43e}\u{43e}gle.com", "curl g«⟨Cyrillic оо⟩»gle.com"),
        ("p\u{430}ypal \u{3b1}dmin", "p«⟨Cyrillic а⟩»ypal «⟨Greek α⟩»dmin"),
        ("\u{441}\u{43e}\u{440}\u{443} a b", "«⟨Cyrillic сору⟩» a b"),
        ("\u{3bf}k \u{39f}\u{3a4}", "«⟨Greek ο⟩»k «⟨Greek ΟΤ⟩»"),
        (
            "rm a\u{2044}b\u{2215}c \u{2212}rf",
            "rm a«⟨U+2044 looks like /⟩»b«⟨U+2215 looks like /⟩»c «⟨U+2212 looks like -⟩»rf",
        ),
        ("\u{ff43}\u{ff55}rl \u{1d5fd}\u{1d604}\u{1d5f1}", "«⟨full-width ｃｕ⟩»rl «⟨mathematical 𝗽𝘄𝗱⟩»"),
        ("a\u{300}\u{301}\u{302}\u{302}b", "a\u{300}\u{301}«⟨U+0302 combining mark ×2⟩»b"),
        ("\u{212a}ill \u{216f}", "«⟨letterlike \u{212a}⟩»ill «⟨Roman numeral \u{216f}⟩»"),
    ] {
        assert_eq!(shown(text), expected, "{text:?}");
        assert!(is_deceptive(text), "{text:?}");
    }
    for text in [
        "Файл с данными, а не о том",
        "с данными",
        "файл с",
        "Привет, мир!",
        "Ελληνικά και άλλα",
        "Größe, naïve, Søren, ırmak",
        "日本語のテストGitを使う",
        "修复：路径（测试），好！",
        "ＡＢＣ検索",
        "한국어 git",
        "שָׁלוֹם עולם",
        "हिन्दी क्ष्म",
        "བསྒྲུབས",
        "ậ ế e\u{302}\u{301}",
        "10 µs, don’t — “so”…",
        "e=mc² №5 ℃",
        "a – b → c ✓ 👍 ├──",
        "Đặt tên",
        "'x' \"y\" `z` ~/a -b",
    ] {
        assert_eq!(shown(text), text);
        assert!(!is_deceptive(text), "{text:?}");
    }
}

#[test]
fn the_look_alikes_of_a_word_are_found_in_linear_time() {
    // The time of a quadratic search would be minutes.
    let word = "о".repeat(100_000);
    assert_eq!(visible_pieces(&format!("a{word} {word}")).len(), 4);
    let words = "о ".repeat(50_000);
    assert_eq!(visible_pieces(&words).len(), 100_000);
    let marks = format!("a{}", "\u{301}\u{302}".repeat(50_000));
    assert_eq!(visible_pieces(&marks).len(), 100_000 - 2 + 1);
}

#[test]
fn every_class_is_hidden_up_to_its_limits() {
    let classes: [(u32, u32); 34] = [
        (0x00, 0x08),
        (0x0b, 0x1f),
        (0x7f, 0xa0),
        (0xad, 0xad),
        (0x34f, 0x34f),
        (0x61c, 0x61c),
        (0x115f, 0x1160),
        (0x1680, 0x1680),
        (0x17b4, 0x17b5),
        (0x180b, 0x180f),
        (0x2000, 0x200f),
        (0x2028, 0x202f),
        (0x205f, 0x206f),
        (0x2800, 0x2800),
        (0x3000, 0x3000),
        (0x3164, 0x3164),
        (0xe000, 0xf8ff),
        (0xfdd0, 0xfdef),
        (0xfe00, 0xfe0f),
        (0xfeff, 0xfeff),
        (0xffa0, 0xffa0),
        (0xfff0, 0xfffc),
        (0xfffe, 0xffff),
        (0x1bca0, 0x1bca3),
        (0x1d159, 0x1d159),
        (0x1d173, 0x1d17a),
        (0x1fffe, 0x1ffff),
        (0xe0000, 0xe007f),
        (0xe0080, 0xe00ff),
        (0xe0100, 0xe01ef),
        (0xe01f0, 0xeffff),
        (0xf0000, 0xffffd),
        (0xffffe, 0xfffff),
        (0x10_0000, 0x10_ffff),
    ];
    for code in classes.into_iter().flat_map(|(first, last)| first..=last) {
        let character = char::from_u32(code).unwrap();
        assert!(has_hidden(&character.to_string()), "U+{code:04X}");
    }
    for code in [
        0x09, 0x0a, 0x20, 0x7e, 0xa1, 0xac, 0xae, 0x34e, 0x350, 0x61b, 0x61d, 0x115e, 0x1161, 0x167f, 0x1681,
        0x17b3, 0x17b6, 0x180a, 0x1810, 0x2010, 0x2027, 0x2030, 0x205e, 0x2070, 0x27ff, 0x2801, 0x3001,
        0x3163, 0x3165, 0xf900, 0xfdcf, 0xfdf0, 0xfe10, 0xff9f, 0xfffd, 0x1bc9f, 0x1d158, 0x1d15a, 0x1d172,
        0x1d17b,
    ] {
        let character = char::from_u32(code).unwrap();
        assert!(!has_hidden(&character.to_string()), "U+{code:04X}");
    }
}

#[test]
fn the_table_is_sorted() {
    assert!(hidden::NAMES.iter().all(|(first, last, _)| first <= last));
    assert!(hidden::NAMES.windows(2).all(|pair| pair[0].1 < pair[1].0));
    let (scripts, signs) = (look_alikes::SCRIPTS, look_alikes::SIGNS);
    assert!(scripts.iter().all(|(first, last, _)| first <= last));
    assert!(
        scripts.windows(2).all(|pair| pair[0].1 < pair[1].0),
        "{:?}",
        scripts.windows(2).find(|pair| pair[0].1 >= pair[1].0)
    );
    assert!(look_alikes::LIKE_ASCII.chars().all(|letter| !letter.is_ascii() && letter.is_alphanumeric()));
    assert!(signs.windows(2).all(|pair| pair[0].0 < pair[1].0));
}

#[test]
fn text_that_looks_like_a_mark_is_distinguishable_in_one_line() {
    assert_eq!(visible_string("a\n\tb\u{1b}"), "a⟨LF⟩⟨TAB⟩b⟨ESC⟩");
    assert_eq!(visible_string("⟨ESC⟩"), "⟨U+27E8 bracket⟩ESC⟩");
    assert_eq!(visible_string("plain"), "plain");
}

#[test]
fn spaces_at_the_end_of_a_line_do_not_count_as_hidden() {
    assert!(!has_hidden("a  \n⟨ESC⟩\t"));
    assert!(has_hidden("a\u{a0}"));
}

#[test]
fn each_run_of_spaces_is_scanned_once() {
    let scanned = work::of(|| {
        assert_eq!(visible_pieces(&(" ".repeat(20_000) + "x")).len(), 2);
        assert_eq!(visible_pieces(&" \t".repeat(10_000)).len(), 20_000);
    });
    assert_eq!(scanned, 40_000);
}

fn hostile() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        any::<char>(),
        prop::sample::select(vec![
            ' ', '\t', '\n', '\n', '\r', '⟨', '⟩', 'a', 'о', 'ж', '\u{301}', '／', '\u{1b}', '\u{202e}',
            '\u{200d}'
        ]),
        prop::sample::select(hidden::NAMES.map(|(first, ..)| first).to_vec()),
    ];
    prop::collection::vec(character, 0..60).prop_map(String::from_iter)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_is_lost_and_no_hidden_character_remains(text in hostile()) {
        let mut original = String::new();
        for piece in visible_pieces(&text) {
            match piece {
                VisiblePiece::Plain(plain) => {
                    prop_assert!(!plain.is_empty() && !has_hidden(&plain));
                    original += &plain;
                }
                VisiblePiece::Marked(mark) => {
                    prop_assert!(!has_hidden(&mark.shown) && !mark.name.is_empty());
                    original += &mark.text;
                }
            }
        }
        prop_assert_eq!(original, text);
    }

    #[test]
    fn the_one_line_form_has_no_line_breaks_and_differs_for_different_texts(one in hostile(), other in hostile()) {
        let shown = visible_string(&one);
        prop_assert!(!has_hidden(&shown) && !shown.contains(['\n', '\t']));
        prop_assert_eq!(one == other, shown == visible_string(&other));
    }
}
