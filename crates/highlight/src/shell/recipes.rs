//! Files with embedded shell commands: makefiles and Dockerfiles.

use super::Shell;
use crate::class::Class;
use crate::cursor::{Cursor, is_blank, is_word};
use crate::marks::Marks;

const INSTRUCTIONS: &str = "FROM RUN CMD LABEL MAINTAINER EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD \
                            STOPSIGNAL HEALTHCHECK SHELL";
const DIRECTIVES: &str =
    "ifeq ifneq ifdef ifndef else endif include -include define endef export unexport override vpath";

#[derive(Clone, Debug)]
pub struct Recipes {
    shell: Shell,
    is_make: bool,
}

impl Recipes {
    pub fn docker() -> Self {
        Self { shell: Shell::default(), is_make: false }
    }

    pub fn make() -> Self {
        Self { shell: Shell::default(), is_make: true }
    }

    pub fn line(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        if self.shell.is_at_rest() {
            if self.is_make {
                self.rule(cursor, marks);
            } else {
                self.instruction(cursor, marks);
            }
        }
        self.shell.line(cursor, marks);
    }

    fn instruction(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        cursor.skip_blanks();
        let start = cursor.at;
        cursor.take_while(|byte| byte.is_ascii_alphabetic());
        let word = cursor.since(start);
        let is_known = INSTRUCTIONS.split_ascii_whitespace().any(|known| known.eq_ignore_ascii_case(word));
        if is_known {
            marks.add(start, cursor.at, Class::Keyword);
        } else {
            cursor.at = start;
        }
        self.shell.expect_command(word.eq_ignore_ascii_case("run"));
    }

    fn rule(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        if cursor.take("\t") {
            cursor.take_while(|byte| matches!(byte, b'@' | b'-' | b'+' | b' ' | b'\t'));
            return;
        }
        let start = cursor.at;
        cursor.take_while(|byte| is_word(byte) || matches!(byte, b'-' | b'.' | b'/' | b'%'));
        let end = cursor.at;
        let word = cursor.since(start);
        if DIRECTIVES.split_ascii_whitespace().any(|known| known == word) {
            marks.add(start, end, Class::Keyword);
        } else if !word.is_empty() {
            cursor.take_while(is_blank);
            let sets = matches!(cursor.peek(), b'=')
                || (matches!(cursor.peek(), b':' | b'?' | b'+' | b'!') && cursor.ahead(1) == b'=');
            if sets {
                marks.add(start, end, Class::Property);
            } else if cursor.rest().contains(':') || cursor.peek() == b':' {
                marks.add(start, end, Class::Function);
            }
        }
        self.shell.expect_command(false);
    }
}
