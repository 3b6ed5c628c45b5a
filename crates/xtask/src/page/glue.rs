//! The script that wasm-bindgen writes around the page's WebAssembly: short names for what is imported, nothing that only
//! people read, and behind it
//! our own part, which loads the second module or keeps count of what ran.

use std::collections::HashMap;

use anyhow::{Result, ensure};

const LATER: &str = include_str!("later.js");
const TRACED: &str = include_str!("traced.js");

/// What our part builds on.
const BUILT_ON: [&str; 3] =
    ["\nfunction __wbg_get_imports() {\n", "\n    wasm = instance.exports;\n", DESTROYED];

/// Who is told that a closure is held by nobody, at any time.
const DESTROYED: &str = "(state => wasm.__wbindgen_destroy_closure(state.a, state.b))";

/// The script of a split page. `renamed` has the old and new names of imported functions.
pub(super) fn split(glue: &str, renamed: &[(String, String)], name: &str, integrity: &str) -> Result<String> {
    let mut script = with_short_names(glue, renamed)?;
    script = script.replace(DESTROYED, "(destroy)");
    script.push_str(&LATER.replace("LATER_NAME", name).replace("LATER_INTEGRITY", integrity));
    smaller(&script)
}

/// A script, or a page, without comments that stand by themselves and without the space before its lines.
pub(super) fn smaller(script: &str) -> Result<String> {
    let mut small = String::with_capacity(script.len());
    let mut in_comment = false;
    for line in script.lines().map(str::trim_start) {
        ensure!(
            line.matches('`').count() % 2 == 0,
            "a text goes over several lines; page/glue.rs must follow"
        );
        in_comment |= line.starts_with("/*");
        let is_comment = in_comment || line.starts_with("//") || is_html_comment(line);
        if !is_comment && !line.is_empty() {
            small.push_str(line);
            small.push('\n');
        }
        let ends = line.ends_with("*/");
        ensure!(
            !in_comment || ends || !line.contains("*/"),
            "something follows a comment; page/glue.rs must follow"
        );
        in_comment &= !ends;
    }
    ensure!(!in_comment, "a comment has no end; page/glue.rs must follow");
    Ok(small)
}

fn is_html_comment(line: &str) -> bool {
    line.starts_with("<!--") && line.trim_end().ends_with("-->")
}

pub(super) fn traced(glue: &str) -> Result<String> {
    check(glue)?;
    Ok(format!("{glue}{TRACED}"))
}

fn check(glue: &str) -> Result<()> {
    for text in BUILT_ON {
        let count = glue.matches(text).count();
        ensure!(
            count == 1,
            "wasm-bindgen writes other scripts now: {count} times {text:?}; page/glue.rs must follow"
        );
    }
    Ok(())
}

fn with_short_names(glue: &str, renamed: &[(String, String)]) -> Result<String> {
    check(glue)?;
    let new_names: HashMap<&str, &str> =
        renamed.iter().map(|(old, new)| (old.as_str(), new.as_str())).collect();
    let mut count = 0;
    let mut script = String::with_capacity(glue.len());
    let mut rest = glue;
    while !rest.is_empty() {
        let end = rest.find(|character| !is_word(character)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        match new_names.get(word) {
            Some(new) => {
                count += 1;
                script.push_str(new);
            }
            None => script.push_str(word),
        }
        let (between, after) = after.split_at(after.find(is_word).unwrap_or(after.len()));
        script.push_str(between);
        rest = after;
    }
    ensure!(
        count == renamed.len(),
        "wasm-bindgen writes other scripts now: {count} names of {} imports; page/glue.rs must follow",
        renamed.len()
    );
    Ok(script)
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLUE: &str = "let wasm;\nfunction __wbg_get_imports() {\n  return { __wbg_now_12: () => 1 };\n}\n\
                        function init() {\n    wasm = instance.exports;\n}\n\
                        new FinalizationRegistry(state => wasm.__wbindgen_destroy_closure(state.a, state.b));\n";

    fn renamed(old: &str) -> [(String, String); 1] {
        [(old.to_owned(), "a".to_owned())]
    }

    #[test]
    fn gives_imports_their_short_names_and_tells_where_the_rest_is() {
        let script = split(GLUE, &renamed("__wbg_now_12"), "later-12.wasm", "sha384-x").unwrap();
        assert!(script.contains("return { a: () => 1 }") && !script.contains("__wbg_now_12"));
        assert!(
            script.contains("new URL('later-12.wasm', import.meta.url)") && script.contains("'sha384-x'")
        );
        assert!(script.contains("new FinalizationRegistry(destroy);"));
    }

    #[test]
    fn leaves_out_what_only_people_read() {
        let script =
            "/** Told\n * here. */\nlet a = '/*';\n\n  // Why\n  let b = a; // so\n/* x */\nlet c;\n";
        assert_eq!(smaller(script).unwrap(), "let a = '/*';\nlet b = a; // so\nlet c;\n");
        assert_eq!(smaller("<head>\n  <!-- Why -->\n  <p>\n").unwrap(), "<head>\n<p>\n");
        for strange in ["let a = `one\n two`;", "/* why */ let a;\nlet b;", "/*\nlet a;"] {
            assert!(smaller(strange).is_err(), "{strange}");
        }
    }

    #[test]
    fn refuses_a_script_that_it_does_not_know() {
        let told = |result: Result<String>| result.unwrap_err().to_string();
        assert!(told(split(GLUE, &renamed("__wbg_now_1"), "", "")).contains("page/glue.rs"));
        assert!(told(traced("let wasm;")).contains("page/glue.rs"));
    }
}
