use super::*;

/// The records found, each with its position, and the number of skipped lines. Optionally flushes after each chunk.
fn scan(chunks: &[&[u8]], flush_each: bool) -> (Vec<(u64, String)>, usize) {
    let mut scanner = RecordScanner::default();
    let mut all = Vec::new();
    let mut on_record = |found: &FoundRecord<'_>| {
        all.push((found.offset, String::from_utf8_lossy(found.bytes).into_owned()));
    };
    for chunk in chunks {
        scanner.feed(chunk, &mut on_record);
        if flush_each {
            scanner.flush(&mut on_record);
        }
    }
    scanner.flush(&mut on_record);
    (all, scanner.skipped())
}

fn scan_file(bytes: &[u8]) -> (Vec<String>, usize) {
    let (all, skipped) = scan(&[bytes], false);
    for (offset, record) in &all {
        let start = usize::try_from(*offset).unwrap();
        assert_eq!(bytes[start..start + record.len()], *record.as_bytes(), "position of {record}");
    }
    (all.into_iter().map(|(_, record)| record).collect(), skipped)
}

const ONE: &str = r#"{"type":"message","id":"a"}"#;
const TWO: &str = r#"{"type":"message","id":"b","text":"x"}"#;

#[test]
fn every_complete_record_is_found_whatever_surrounds_it() {
    for (bytes, skipped) in [
        (format!("{ONE}\n{TWO}\n"), 0),
        (format!("{ONE}\r\n\r\n  {TWO}\r\n"), 0),
        (format!("{ONE}\n{TWO}"), 0),
        (format!("\u{feff}{ONE}\n\u{feff}{TWO}"), 0),
        (format!("{ONE}{TWO}\n"), 0),
        (format!("{ONE}\n\0\0{TWO}\n"), 1),
        (format!("{ONE}\njunk\n[1]\nnull\n\"text\"\n{TWO}\n"), 4),
        (format!("{ONE}\n{{\"type\":\"message\",\"id\":\"lost\",\"par{TWO}\n"), 1),
        (format!("{ONE}\nxx{TWO}yy\n"), 2),
        (format!("{ONE}\n{TWO}\n{{\"type\":\"mess"), 1),
    ] {
        assert_eq!(scan_file(bytes.as_bytes()), (vec![ONE.to_owned(), TWO.to_owned()], skipped), "{bytes:?}");
    }
}

#[test]
fn parts_of_an_incomplete_record_are_not_records() {
    let incomplete =
        r#"{"type":"message","id":"a","message":{"content":[{"type":"toolCall","id":"c1"},{"type":"text"}]"#;
    assert_eq!(scan_file(format!("{incomplete}\n{ONE}\n").as_bytes()), (vec![ONE.to_owned()], 1));
    // No prefix of the line counts as a record.
    let line = format!("{incomplete}}}}}\n");
    for cut in 0..line.len() {
        let (first, second) = line.as_bytes().split_at(cut);
        let (all, skipped) = scan(&[first, second], true);
        assert_eq!((all.len(), skipped), (1, 0), "cut at {cut}");
    }
}

#[test]
fn a_name_with_a_lone_surrogate_is_kept() {
    let line = r#"{"type":"session_info","id":"a","name":"half \ud83d"}"#;
    let mut names = Vec::new();
    let mut scanner = RecordScanner::default();
    scanner.feed(format!("{line}\n{line}").as_bytes(), &mut |found| {
        names.push(found.record.name.as_deref().unwrap_or_default().to_owned());
    });
    scanner.flush(&mut |found| names.push(found.record.name.as_deref().unwrap_or_default().to_owned()));
    assert_eq!(names, ["half \u{fffd}", "half \u{fffd}"]);
    assert_eq!(scanner.skipped(), 0);
}

#[test]
fn a_line_over_the_limit_is_skipped_and_not_buffered() {
    let mut scanner = RecordScanner::default();
    let mut count = 0;
    let piece = vec![b'x'; 1024 * 1024];
    for _ in 0..SESSION_LINE_BYTES / piece.len() + 2 {
        scanner.feed(&piece, &mut |_| count += 1);
        assert!(scanner.partial.len() <= SESSION_LINE_BYTES);
    }
    let before = scanner.offset;
    scanner.feed(format!("\n{ONE}\n").as_bytes(), &mut |found| {
        count += 1;
        assert_eq!(found.offset, before + 1);
    });
    assert_eq!((count, scanner.skipped()), (1, 1));
}

mod properties {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    /// Records, damaged records and noise in any order.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let piece = select(vec![
            ONE.as_bytes(),
            TWO.as_bytes(),
            br#"{"id":"c","type":"label","parentId":null}"#,
            br#"{"type":"message","id":"d","message":{"role":"user","content":[{"type":"text","text":"\ud83d"}]}}"#,
            br#"{"type":"mess"#,
            b"\n",
            b"\n",
            b"\r\n",
            b"\0",
            b"junk",
            b"\xff",
            "\u{feff}".as_bytes(),
            "\u{2028}".as_bytes(),
            b"{",
            b"}",
            b"\"",
            b" ",
        ]);
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn chunk_borders_do_not_change_the_result(bytes in bytes(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            cuts.push(bytes.len());
            cuts.sort_unstable();
            let mut start = 0;
            let chunks: Vec<&[u8]> = cuts.into_iter().map(|cut| &bytes[std::mem::replace(&mut start, cut)..cut]).collect();
            prop_assert_eq!(scan(&chunks, false), scan(&[&bytes], false));
        }

        #[test]
        fn random_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            scan(&[&bytes], true);
        }
    }
}
