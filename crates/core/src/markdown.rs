//! Markdown that arrives in pieces: finished blocks once, and one live tail.
