//! Starts the page.

fn main() {
    pilothouse_page::mount();
}
