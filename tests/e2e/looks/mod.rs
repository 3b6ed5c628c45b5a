//! The appearance of the page, on wide screens and phones, and its use with a keyboard alone.

mod appearance;
mod keyboard;
mod phone;
mod screens;
