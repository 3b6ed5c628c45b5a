//! The entry point of the page.

fn main() {
    pilothouse_page::mount();
}
