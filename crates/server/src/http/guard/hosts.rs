//! The host names this server answers to, compared by parsed value. A page of another name that points at this
//! machine (DNS rebinding) is not among them.

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
    /// Listening on every address: any of them may be named, as a number.
    any_address: bool,
    port: u16,
}

impl AllowedHost {
    /// The Origin of a page that was loaded from here.
    pub fn origin(&self) -> String {
        match self.port {
            Some(port) => format!("{}://{}:{port}", self.scheme, self.name),
            None => format!("{}://{}", self.scheme, self.name),
        }
    }

    /// `host`, `host:port` or `https://host`, as configured for a reverse proxy.
    fn parse(configured: &str) -> Result<Self> {
        let (scheme, rest) = match configured.split_once("://") {
            Some(("https", rest)) => ("https", rest),
            Some(("http", rest)) => ("http", rest),
            Some((other, _)) => {
                bail!("'{configured}': an allowed host has the scheme http or https, not {other}")
            }
            None => ("http", configured),
        };
        match parse_host(rest.trim_end_matches('/').as_bytes()) {
            Some((name, port)) => Ok(Self { scheme, name, port }),
            None => bail!("'{configured}' is no host: write name, name:port or https://name"),
        }
    }
}

impl AllowedHosts {
    pub fn new(listen: SocketAddr, configured: &[String]) -> Result<Self> {
        let port = listen.port();
        let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
        if !listen.ip().is_unspecified() {
            names.push(in_url(listen.ip()));
        }
        names.dedup();
        let own = names.into_iter().map(|name| AllowedHost { scheme: "http", name, port: Some(port) });
        let mut hosts: Vec<AllowedHost> = own.collect();
        if port == 80 {
            let without_port: Vec<_> =
                hosts.iter().map(|host| AllowedHost { port: None, ..host.clone() }).collect();
            hosts.extend(without_port);
        }
        for host in configured {
            hosts.push(AllowedHost::parse(host)?);
        }
        Ok(Self { hosts, any_address: listen.ip().is_unspecified(), port })
    }

    /// The allowed host a request names; it must name exactly one, and the same in its target if that has one.
    pub fn find(&self, headers: &HeaderMap, target: Option<&Authority>) -> Option<AllowedHost> {
        let mut values = headers.get_all(HOST).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return None };
        if target.is_some_and(|target| target.as_str().as_bytes() != value.as_bytes()) {
            return None;
        }
        let (name, port) = parse_host(value.as_bytes())?;
        let known = self.hosts.iter().find(|host| host.name == name && host.port == port).cloned();
        known.or_else(|| self.address(name, port))
    }

    fn address(&self, name: String, port: Option<u16>) -> Option<AllowedHost> {
        let numeric = name.parse::<Ipv4Addr>().is_ok()
            || name
                .trim_matches(['[', ']'])
                .parse::<Ipv6Addr>()
                .is_ok_and(|address| address.to_ipv4_mapped().is_none());
        let fits = self.any_address && numeric && port == Some(self.port);
        fits.then_some(AllowedHost { scheme: "http", name, port })
    }
}

/// The name and port of a Host header, or None if it is anything but a plain host.
fn parse_host(value: &[u8]) -> Option<(String, Option<u16>)> {
    let authority = Authority::try_from(value).ok()?;
    if authority.as_str().contains('@') {
        return None;
    }
    let name = authority.host().to_ascii_lowercase();
    let port = authority.port_u16();
    // What was parsed must be all there is: no second name behind a bracket, no zeros, no colon without a port.
    let whole = port.map_or_else(|| name.clone(), |port| format!("{name}:{port}"));
    (!name.is_empty() && whole == authority.as_str().to_ascii_lowercase()).then_some((name, port))
}

fn in_url(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

#[cfg(test)]
#[path = "hosts_tests.rs"]
mod tests;
