//! The output of a command while it runs. Of a very long output the end is kept.

use crate::limits::BASH_OUTPUT_BYTES;

/// Appends to the output of a running command. The command's end carries the complete output.
pub fn append(output: &mut String, delta: &str) {
    output.push_str(delta);
    if output.len() > BASH_OUTPUT_BYTES {
        // Half of it, so that the rest is moved rarely.
        let cut = output.ceil_char_boundary(output.len() - BASH_OUTPUT_BYTES / 2);
        output.drain(..cut);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_long_output_is_kept() {
        let mut output = String::new();
        for number in 0..100_000 {
            append(&mut output, &format!("ü{number}\n"));
            assert!(output.len() <= BASH_OUTPUT_BYTES);
        }
        assert!(output.ends_with("ü99999\n") && output.len() > BASH_OUTPUT_BYTES / 2 - 20);
    }
}
