//! Allowed and refused destinations.

use super::{followable, loadable};

#[test]
fn only_http_https_and_mailto_are_allowed_for_links() {
    let followed = [
        ("http://example.com", "http://example.com"),
        ("https://example.com/a?b=c#d", "https://example.com/a?b=c#d"),
        ("HTTPS://EXAMPLE.com", "HTTPS://EXAMPLE.com"),
        ("hTTp://x", "hTTp://x"),
        ("mailto:a@b.c", "mailto:a@b.c"),
        ("MailTo:a@b.c?subject=x", "MailTo:a@b.c?subject=x"),
        ("  https://example.com  ", "https://example.com"),
        ("\u{1}https://example.com\u{1f}", "https://example.com"),
        ("ht\ntps://exam\tple.com", "https://example.com"),
        ("https://例え.jp/パス", "https://例え.jp/パス"),
        ("https://user@host:8080/", "https://user@host:8080/"),
        ("https://[::1]/", "https://[::1]/"),
        ("https://example.com/javascript:alert(1)", "https://example.com/javascript:alert(1)"),
    ];
    for (destination, read) in followed {
        assert_eq!(followable(destination).as_deref(), Some(read), "{destination:?}");
    }
    let refused = [
        "",
        " ",
        "\t",
        "#",
        "#part",
        "?q",
        "/",
        "/etc/passwd",
        "./a",
        "../a",
        "a",
        "a/b.html",
        "file.md:3",
        "//host",
        "//host/path",
        "\\\\host",
        "/\\host",
        "http:",
        "http:/",
        "http://",
        "http:///",
        "http:///etc",
        "https:host",
        "https:\\\\host",
        "http://\\host",
        "http://?a",
        "http://#a",
        "mailto:",
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "\u{0}javascript:alert(1)",
        "java\tscript:alert(1)",
        "java\nscript:alert(1)",
        "java\r\nscript:x",
        "javascript\u{0}:x",
        "\u{a0}javascript:x",
        "\u{2028}https://x",
        "javascript://https://x",
        "javascript&colon;x",
        "javascript%3Ax",
        "data:text/html,<script>",
        "DATA:image/png;base64,AA",
        "vbscript:x",
        "file:///etc/passwd",
        "ftp://x",
        "blob:https://x",
        "about:blank",
        "ws://x",
        "chrome://settings",
        "view-source:https://x",
        "tel:1",
        "sms:1",
        "https ://x",
        "https%3A//x",
        "ｈttps://x",
        "https：//x",
        ":https://x",
        "x:https://x",
        "intent://x#Intent;end",
    ];
    for destination in refused {
        assert_eq!(followable(destination), None, "{destination:?}");
    }
}

#[test]
fn only_http_and_https_are_allowed_for_images() {
    assert_eq!(loadable(" https://x/i.png").as_deref(), Some("https://x/i.png"));
    assert_eq!(loadable("http://x/i.png").as_deref(), Some("http://x/i.png"));
    for source in [
        "mailto:a@b.c",
        "data:image/png;base64,AA",
        "i.png",
        "/i.png",
        "//x/i.png",
        "file:///i.png",
        "javascript:x",
    ] {
        assert_eq!(loadable(source), None, "{source:?}");
    }
}
