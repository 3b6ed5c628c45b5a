//! Text with everything visible that a reader could miss: control, bidirectional and zero-width characters.
