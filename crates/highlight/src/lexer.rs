//! Selects the lexer of a language. A lexer reads one line at a time and stores the constructs that are open at its end.

use crate::code::Code;
use crate::cursor::Cursor;
use crate::data::{Diff, Settings, Yaml};
use crate::language::Language;
use crate::marks::Marks;
use crate::markup::{Markdown, Markup, Style};
use crate::shell::{Console, Recipes, Shell};
use crate::tables;

#[derive(Clone, Debug)]
pub enum Lexer {
    Code(Code),
    Console(Console),
    Diff,
    Markdown(Markdown),
    Markup(Markup),
    Recipes(Recipes),
    Settings(Settings),
    Shell(Shell),
    Style(Style),
    Yaml(Yaml),
}

impl Lexer {
    pub fn new(language: Language) -> Self {
        match language {
            Language::Bash => Self::Shell(Shell::default()),
            Language::Console => Self::Console(Console::default()),
            Language::Css => Self::Style(Style::default()),
            Language::Diff => Self::Diff,
            Language::Docker => Self::Recipes(Recipes::docker()),
            Language::Html => Self::Markup(Markup::default()),
            Language::Ini => Self::Settings(Settings::new(&tables::INI)),
            Language::Make => Self::Recipes(Recipes::make()),
            Language::Markdown => Self::Markdown(Markdown::default()),
            Language::Toml => Self::Settings(Settings::new(&tables::TOML)),
            Language::Yaml => Self::Yaml(Yaml::default()),
            _ => Self::Code(Code::new(tables::of(language))),
        }
    }

    /// Reads the next line, without its line break.
    pub fn line(&mut self, line: &str, marks: &mut Marks) {
        let cursor = &mut Cursor::new(line);
        match self {
            Self::Code(lexer) => lexer.line(cursor, marks),
            Self::Console(lexer) => lexer.line(cursor, marks),
            Self::Diff => Diff::line(line, marks),
            Self::Markdown(lexer) => lexer.line(line, marks),
            Self::Markup(lexer) => lexer.line(cursor, marks),
            Self::Recipes(lexer) => lexer.line(cursor, marks),
            Self::Settings(lexer) => lexer.line(cursor, marks),
            Self::Shell(lexer) => lexer.line(cursor, marks),
            Self::Style(lexer) => lexer.line(cursor, marks),
            Self::Yaml(lexer) => lexer.line(cursor, marks),
        }
    }
}
