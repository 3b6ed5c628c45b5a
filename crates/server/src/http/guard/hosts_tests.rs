use super::*;
use axum::http::HeaderValue;

fn hosts(listen: &str, configured: &[&str]) -> AllowedHosts {
    let configured = configured.iter().map(|host| parse(host).unwrap()).collect();
    AllowedHosts::new(listen.parse().unwrap(), "http", configured)
}

fn parse(configured: &str) -> Result<AllowedHost> {
    AllowedHost::parse(configured, None)
}

fn allows(hosts: &AllowedHosts, values: &[&str]) -> bool {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(HOST, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    hosts.find(&headers, None).is_some()
}

#[test]
fn loopback_accepts_its_own_names() {
    let hosts = hosts("127.0.0.1:4780", &[]);
    for good in ["127.0.0.1:4780", "localhost:4780", "LOCALHOST:4780", "[::1]:4780"] {
        assert!(allows(&hosts, &[good]), "{good}");
    }
}

#[test]
fn forged_hosts_are_refused() {
    let hosts = hosts("127.0.0.1:4780", &[]);
    let forged = [
        "",
        " ",
        "evil.example",
        "evil.example:4780",
        "127.0.0.1",
        "localhost",
        "127.0.0.1:",
        "127.0.0.1:80",
        "127.0.0.1:4781",
        "127.0.0.1:04780x",
        "127.0.0.1.evil:4780",
        "127.0.0.1.:4780",
        "localhost.:4780",
        "localhost.evil:4780",
        "evil.localhost:4780",
        "user@127.0.0.1:4780",
        "127.0.0.1:4780@evil",
        "127.0.0.1:4780:4780",
        "0x7f000001:4780",
        "2130706433:4780",
        "0177.0.0.1:4780",
        "127.1:4780",
        "127.0.1:4780",
        "127.000.000.001:4780",
        "0.0.0.0:4780",
        "127.0.0.2:4780",
        "[::ffff:127.0.0.1]:4780",
        "[::]:4780",
        "::1:4780",
        "[::1]",
        "[0:0:0:0:0:0:0:1]:4780",
        "[::1%25lo]:4780",
        "[::1].evil:4780",
        "http://127.0.0.1:4780",
        "127.0.0.1:4780/",
        "127.0.0.1:4780#",
        "127.0.0.1:4780?",
        "127.0.0.1 :4780",
        "127.0.0.1,evil:4780",
        "127.0.0.1:4780, evil",
        "１２７.0.0.1:4780",
        "loca\u{2060}lhost:4780",
        "*:4780",
        "127.0.0.1:65536",
        "127.0.0.1:-1",
        "127.0.0.1:+4780",
    ];
    for host in forged {
        assert!(!allows(&hosts, &[host]), "{host}");
    }
    assert!(!allows(&hosts, &[]), "missing");
    assert!(!allows(&hosts, &["127.0.0.1:4780", "127.0.0.1:4780"]), "repeated");
    assert!(!allows(&hosts, &["127.0.0.1:4780", "evil"]), "repeated with another");
}

#[test]
fn a_target_that_names_another_host_is_refused() {
    let hosts = hosts("127.0.0.1:4780", &[]);
    let mut headers = HeaderMap::new();
    headers.append(HOST, HeaderValue::from_static("127.0.0.1:4780"));
    assert!(hosts.find(&headers, Some(&"127.0.0.1:4780".parse().unwrap())).is_some());
    assert!(hosts.find(&headers, Some(&"evil.example:4780".parse().unwrap())).is_none());
}

#[test]
fn numeric_addresses_are_accepted_when_listening_on_all() {
    let hosts = hosts("0.0.0.0:4780", &["box.lan:4780", "https://pilot.example"]);
    for good in ["192.168.1.5:4780", "[fd00::1]:4780", "box.lan:4780", "pilot.example", "127.0.0.1:4780"] {
        assert!(allows(&hosts, &[good]), "{good}");
    }
    for bad in
        ["evil.example:4780", "192.168.1.5:80", "[::ffff:192.168.1.5]:4780", "0xc0a80105:4780", "box.lan"]
    {
        assert!(!allows(&hosts, &[bad]), "{bad}");
    }
}

#[test]
fn an_allowed_host_knows_the_origin_of_its_page() {
    assert_eq!(parse("https://pilot.example").unwrap().origin(), "https://pilot.example");
    assert_eq!(parse("box:8080").unwrap().origin(), "http://box:8080");
    assert!(parse("ftp://box").is_err());
    for bad in [
        "",
        "a b",
        "*",
        "*.example.org",
        "https://*",
        "pilot.example/path",
        "https://pilot.example/pilot/",
        "a,b",
        "a..b",
        "user@box",
        "https://",
        "box:99999",
        "[::1",
        "[box]",
        "https://pilot.example?x",
        "//box",
    ] {
        assert!(parse(bad).is_err(), "{bad}");
    }
    for (good, name) in
        [("https://pilot.example/", "pilot.example"), ("[::1]:80", "[::1]"), ("my_box", "my_box")]
    {
        assert_eq!(parse(good).unwrap().name, name);
    }
}

#[test]
fn a_server_with_a_certificate_is_reached_with_https_only() {
    let listen = "0.0.0.0:4780".parse().unwrap();
    let configured = ["box.lan", "box.lan:99", "https://proxy.example"];
    let configured = configured.map(|host| AllowedHost::parse(host, Some(4780)).unwrap()).to_vec();
    let origins: Vec<String> = configured.iter().map(AllowedHost::origin).collect();
    assert_eq!(origins, ["https://box.lan:4780", "https://box.lan:99", "https://proxy.example"]);
    let hosts = AllowedHosts::new(listen, "https", configured);
    for host in ["127.0.0.1:4780", "192.168.1.5:4780", "box.lan:4780"] {
        let headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static(host))]);
        assert_eq!(hosts.find(&headers, None).unwrap().origin(), format!("https://{host}"));
    }
}

#[test]
fn only_names_that_always_mean_this_machine_are_loopback() {
    for name in ["localhost", "127.0.0.1", "127.8.9.1", "[::1]"] {
        assert!(is_loopback_name(name), "{name}");
    }
    for name in ["box", "192.168.1.5", "localhost.example", "0.0.0.0", "[fd00::1]", ""] {
        assert!(!is_loopback_name(name), "{name}");
    }
}
