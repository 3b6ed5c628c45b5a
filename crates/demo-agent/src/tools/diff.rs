//! The two forms of a change that pi's edit tool reports: numbered lines and a unified patch.
//!
//! The demo makes only one change per edit, so trimming the common lines at both ends is enough to find it.

/// The number of unchanged lines shown before and after a change.
const CONTEXT: usize = 4;

pub(crate) struct Change<'a> {
    before: Vec<&'a str>,
    after: Vec<&'a str>,
    /// The number of common lines at the start.
    head: usize,
    /// The number of common lines at the end.
    tail: usize,
}

impl<'a> Change<'a> {
    pub(crate) fn between(before: &'a str, after: &'a str) -> Self {
        let before: Vec<&str> = before.lines().collect();
        let after: Vec<&str> = after.lines().collect();
        let shorter = before.len().min(after.len());
        let head = (0..shorter).take_while(|line| before[*line] == after[*line]).count();
        let tail = (0..shorter - head)
            .take_while(|back| before[before.len() - 1 - back] == after[after.len() - 1 - back])
            .count();
        Self { before, after, head, tail }
    }

    pub(crate) fn first_changed_line(&self) -> usize {
        self.head + 1
    }

    fn removed(&self) -> &[&'a str] {
        &self.before[self.head..self.before.len() - self.tail]
    }

    fn added(&self) -> &[&'a str] {
        &self.after[self.head..self.after.len() - self.tail]
    }

    /// The index of the first shown line, and the unchanged lines before and after the change.
    fn surroundings(&self) -> (usize, &[&'a str], &[&'a str]) {
        let start = self.head.saturating_sub(CONTEXT);
        let end = self.after.len() - self.tail;
        let until = (end + CONTEXT).min(self.after.len());
        (start, &self.after[start..self.head], &self.after[end..until])
    }

    /// The change as numbered lines: ` 1 same`, `-2 old`, `+2 new`.
    pub(crate) fn numbered(&self) -> String {
        let (start, leading, trailing) = self.surroundings();
        let end = self.after.len() - self.tail;
        let width = self.before.len().max(self.after.len()).to_string().len();
        let rows = |sign: char, first: usize, lines: &[&str]| -> Vec<String> {
            let numbered = lines.iter().enumerate();
            numbered.map(|(index, line)| format!("{sign}{:width$} {line}", first + index + 1)).collect()
        };
        [
            rows(' ', start, leading),
            rows('-', self.head, self.removed()),
            rows('+', self.head, self.added()),
            rows(' ', end, trailing),
        ]
        .concat()
        .join("\n")
    }

    /// The change as a unified patch.
    pub(crate) fn unified(&self, name: &str) -> String {
        let (start, leading, trailing) = self.surroundings();
        let around = leading.len() + trailing.len();
        let mut patch = format!(
            "--- {name}\n+++ {name}\n@@ -{},{} +{},{} @@\n",
            start + 1,
            around + self.removed().len(),
            start + 1,
            around + self.added().len()
        );
        let parts = [(' ', leading), ('-', self.removed()), ('+', self.added()), (' ', trailing)];
        for (sign, lines) in parts {
            for line in lines {
                patch.push(sign);
                patch.push_str(line);
                patch.push('\n');
            }
        }
        patch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_match_a_recording_of_pi() {
        let before = "def greet(name):\n    print(\"Hello \" + name)\n\n\ngreet(\"World\")\n";
        let after = "def greet(name):\n    print(f\"Hello, {name}!\")\n\n\ngreet(\"World\")\n";
        let change = Change::between(before, after);
        assert_eq!(
            change.numbered(),
            " 1 def greet(name):\n-2     print(\"Hello \" + name)\n+2     print(f\"Hello, {name}!\")\n 3 \n 4 \n 5 greet(\"World\")"
        );
        assert_eq!(
            change.unified("hello.py"),
            "--- hello.py\n+++ hello.py\n@@ -1,5 +1,5 @@\n def greet(name):\n-    print(\"Hello \" + name)\n+    print(f\"Hello, {name}!\")\n \n \n greet(\"World\")\n"
        );
        assert_eq!(change.first_changed_line(), 2);
    }

    #[test]
    fn lines_are_only_added_or_only_removed() {
        let grown = Change::between("a\nb\n", "a\nnew\nb\n");
        assert_eq!(grown.numbered(), " 1 a\n+2 new\n 3 b");
        let shrunk = Change::between("a\nold\nb\n", "a\nb\n");
        assert_eq!(shrunk.numbered(), " 1 a\n-2 old\n 2 b");
    }
}
