//! Starts the highlighter.

fn main() {
    pilothouse_highlighter::start();
}
