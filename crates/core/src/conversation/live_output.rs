//! The output of a command while it runs. Of a very long output the end is kept.

use crate::limits::BASH_OUTPUT_BYTES;

/// Appends to the output of a running command, and counts the bytes that are left out at its beginning.
pub fn append(output: &mut String, left_out: &mut u64, delta: &str) {
    output.push_str(delta);
    if output.len() > BASH_OUTPUT_BYTES {
        // Half of it, so that the rest is moved rarely.
        let cut = output.ceil_char_boundary(output.len() - BASH_OUTPUT_BYTES / 2);
        output.drain(..cut);
        *left_out = left_out.saturating_add(u64::try_from(cut).unwrap_or(u64::MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_long_output_is_kept() {
        let (mut output, mut left_out, mut all) = (String::new(), 0, 0);
        for number in 0..100_000 {
            let line = format!("ü{number}\n");
            all += line.len();
            append(&mut output, &mut left_out, &line);
            assert!(output.len() <= BASH_OUTPUT_BYTES);
        }
        assert_eq!(usize::try_from(left_out).unwrap() + output.len(), all);
        assert!(output.ends_with("ü99999\n") && output.len() > BASH_OUTPUT_BYTES / 2 - 20);
    }
}
