//! Diffs: the first letters of a line determine its class.

use crate::class::Class;
use crate::marks::Marks;

pub struct Diff;

impl Diff {
    pub fn line(line: &str, marks: &mut Marks) {
        let starts = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
        let class = if starts(&[
            "diff ",
            "index ",
            "+++ ",
            "--- ",
            "*** ",
            "Index: ",
            "new file",
            "deleted file",
            "rename ",
        ]) {
            Class::Heading
        } else if starts(&["@@"]) {
            Class::Meta
        } else if starts(&["+", ">"]) {
            Class::Inserted
        } else if starts(&["-", "<"]) {
            Class::Deleted
        } else if starts(&["\\ "]) {
            Class::Comment
        } else {
            return;
        };
        marks.add(0, line.len(), class);
    }
}
