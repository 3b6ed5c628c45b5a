//! Terminal sessions: commands after a prompt, and their output.

use super::Shell;
use crate::class::Class;
use crate::cursor::Cursor;
use crate::marks::Marks;

#[derive(Clone, Debug, Default)]
pub struct Console {
    shell: Shell,
}

impl Console {
    pub fn line(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        if self.shell.is_at_rest() {
            let Some(length) = prompt(cursor.rest()) else {
                if cursor.peek() == b'#' {
                    marks.add(cursor.at, cursor.end(), Class::Comment);
                }
                return;
            };
            marks.add(cursor.at, cursor.at + length, Class::Meta);
            cursor.at += length;
            cursor.skip_blanks();
        }
        self.shell.line(cursor, marks);
    }
}

/// The length of a prompt, such as `$` or `user@host:~/folder$`, before a blank.
fn prompt(line: &str) -> Option<usize> {
    let end = line.find(' ')?;
    let word = line.get(..end)?;
    let is_plain = matches!(word, "$" | "%" | ">" | "❯" | "➜" | "PS>" | "C:\\>");
    let names_host = word.contains('@') && word.ends_with(['$', '%', '#']);
    (is_plain || names_host).then_some(end)
}
