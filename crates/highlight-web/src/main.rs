//! The entry point of the module.

fn main() {
    pilothouse_highlight_web::start();
}
