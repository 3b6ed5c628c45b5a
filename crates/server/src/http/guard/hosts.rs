//! The host names this server accepts, compared after parsing. Any other name is refused, including one whose owner
//! points it at this machine (DNS rebinding).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use anyhow::{Result, bail};
use axum::http::HeaderMap;
use axum::http::header::HOST;
use axum::http::uri::Authority;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedHost {
    pub scheme: &'static str,
    /// Lower case; IPv6 in brackets.
    pub name: String,
    pub port: Option<u16>,
}

#[derive(Clone, Debug)]
pub struct AllowedHosts {
    hosts: Vec<AllowedHost>,
    /// Those that were configured, for a reverse proxy or a name of this machine.
    configured: Vec<AllowedHost>,
    /// The server listens on every address: any numeric address is accepted.
    any_address: bool,
    /// The scheme of the server itself.
    scheme: &'static str,
    port: u16,
}

impl AllowedHost {
    /// The Origin of a page loaded from this host.
    pub fn origin(&self) -> String {
        match self.port {
            Some(port) => format!("{}://{}:{port}", self.scheme, self.name),
            None => format!("{}://{}", self.scheme, self.name),
        }
    }

    /// Parses `host`, `host:port` or `https://host`, as configured for a reverse proxy. A name without scheme is one of
    /// this server, if it serves HTTPS itself on `https_port`.
    pub fn parse(configured: &str, https_port: Option<u16>) -> Result<Self> {
        let (scheme, rest, default_port) = match configured.split_once("://") {
            Some(("https", rest)) => ("https", rest, None),
            Some(("http", rest)) => ("http", rest, None),
            Some((other, _)) => {
                bail!("'{configured}': the scheme of an allowed host is http or https, not {other}")
            }
            None if https_port.is_some() => ("https", configured, https_port.filter(|port| *port != 443)),
            None => ("http", configured, None),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        match parse_host(rest.as_bytes()).filter(|(name, _)| is_host_name(name)) {
            Some((name, port)) => Ok(Self { scheme, name, port: port.or(default_port) }),
            None => bail!(
                "'{configured}' is not a host: write name, name:port or https://name, without a path and without wildcards"
            ),
        }
    }
}

impl AllowedHosts {
    /// The names of a server that listens on `listen`, with those that were configured.
    pub fn new(listen: SocketAddr, scheme: &'static str, configured: Vec<AllowedHost>) -> Self {
        let port = listen.port();
        let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
        if !listen.ip().is_unspecified() {
            names.push(url_host(listen.ip()));
        }
        names.dedup();
        let own = names.into_iter().map(|name| AllowedHost { scheme, name, port: Some(port) });
        let mut hosts: Vec<AllowedHost> = own.collect();
        if port == default_port(scheme) {
            let without_port: Vec<_> =
                hosts.iter().map(|host| AllowedHost { port: None, ..host.clone() }).collect();
            hosts.extend(without_port);
        }
        hosts.extend(configured.iter().cloned());
        Self { hosts, configured, any_address: listen.ip().is_unspecified(), scheme, port }
    }

    pub fn configured(&self) -> &[AllowedHost] {
        &self.configured
    }

    /// The allowed host that a request names. It must name exactly one, and the same one in its target if that is
    /// absolute.
    pub fn find(&self, headers: &HeaderMap, target: Option<&Authority>) -> Option<AllowedHost> {
        let mut values = headers.get_all(HOST).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return None };
        if target.is_some_and(|target| target.as_str().as_bytes() != value.as_bytes()) {
            return None;
        }
        let (name, port) = parse_host(value.as_bytes())?;
        let known = self.hosts.iter().find(|host| host.name == name && host.port == port).cloned();
        known.or_else(|| self.numeric_address(name, port))
    }

    /// The host for a numeric address, if the server listens on every address.
    fn numeric_address(&self, name: String, port: Option<u16>) -> Option<AllowedHost> {
        let is_numeric = name.parse::<Ipv4Addr>().is_ok()
            || name
                .trim_matches(['[', ']'])
                .parse::<Ipv6Addr>()
                .is_ok_and(|address| address.to_ipv4_mapped().is_none());
        let is_allowed = self.any_address && is_numeric && port == Some(self.port);
        is_allowed.then_some(AllowedHost { scheme: self.scheme, name, port })
    }
}

fn default_port(scheme: &str) -> u16 {
    if scheme == "https" { 443 } else { 80 }
}

/// Whether a host name always means this machine. IPv6 addresses are in brackets.
pub fn is_loopback_name(name: &str) -> bool {
    let address = name.trim_matches(['[', ']']).parse::<IpAddr>();
    name == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Parses a Host header into name and port. Returns `None` if it contains anything else.
fn parse_host(value: &[u8]) -> Option<(String, Option<u16>)> {
    let authority = Authority::try_from(value).ok()?;
    if authority.as_str().contains('@') {
        return None;
    }
    let name = authority.host().to_ascii_lowercase();
    let port = authority.port_u16();
    // The parsed parts must make up the whole value: no name after a bracket, no leading zeros, no colon without port.
    let whole = port.map_or_else(|| name.clone(), |port| format!("{name}:{port}"));
    (!name.is_empty() && whole == authority.as_str().to_ascii_lowercase()).then_some((name, port))
}

/// Whether this is the name of one host: letters, digits, hyphens and dots, or an IPv6 address in brackets.
fn is_host_name(name: &str) -> bool {
    let is_address = |name: &str| name.parse::<Ipv6Addr>().is_ok();
    match name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(address) => is_address(address),
        None => name.split('.').all(|label| {
            !label.is_empty()
                && label.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter))
        }),
    }
}

fn url_host(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

#[cfg(test)]
#[path = "hosts_tests.rs"]
mod tests;
