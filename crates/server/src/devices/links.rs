//! The links that pair a device, with their QR codes.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};

use axum::http::Uri;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pilothouse_core::protocol::PairingLink;
use qrcode::render::{svg, unicode};
use qrcode::{EcLevel, QrCode};

use crate::http::guard::hosts::{AllowedHost, is_loopback_name};

/// The pixels of a module of a QR code, at least: the page scales the image.
const MODULE_PIXELS: u32 = 4;

/// The addresses of the server's page, each with a slash at its end.
#[derive(Clone, Debug)]
pub struct Addresses {
    /// The address for a browser on this machine.
    own: String,
    /// The addresses for other devices.
    others: Vec<String>,
}

impl Addresses {
    /// Collects the addresses of a server that listens on `listen`, and is reached under the configured hosts, too.
    pub fn new(listen: SocketAddr, scheme: &str, configured: &[AllowedHost]) -> Self {
        let at = |ip: IpAddr| format!("{scheme}://{}/", SocketAddr::new(ip, listen.port()));
        let address = |host: &AllowedHost| format!("{}/", host.origin());
        let mut others: Vec<String> =
            configured.iter().filter(|host| !is_loopback_name(&host.name)).map(address).collect();
        let ip = listen.ip();
        if ip.is_unspecified() {
            others.extend(network_address().map(at));
        } else if !ip.is_loopback() {
            others.push(at(ip));
        }
        // A certificate is valid for names that were configured, rather than for an address.
        let certified = (scheme == "https").then(|| others.first().cloned()).flatten();
        let own = certified
            .unwrap_or_else(|| at(if ip.is_unspecified() { Ipv4Addr::LOCALHOST.into() } else { ip }));
        Self { own, others }
    }

    /// The address for a browser on this machine.
    pub fn own(&self) -> &str {
        &self.own
    }

    /// The link for a browser on this machine.
    pub fn own_link(&self, code: &str) -> String {
        link(&self.own, code)
    }

    /// The links under which a device may reach the server, the most useful one first. `page` is the address of the
    /// page that asks for them, which may be below a prefix that only the proxy knows.
    pub(super) fn links(&self, page: &str, code: &str) -> Vec<PairingLink> {
        let page = Some(page).filter(|page| page.parse::<Uri>().is_ok_and(|uri| uri.host().is_some()));
        let candidates =
            page.into_iter().chain(self.others.iter().map(String::as_str)).chain([self.own.as_str()]);
        let (local, mut addresses): (Vec<&str>, Vec<&str>) =
            candidates.partition(|address| is_local(address));
        if addresses.is_empty() {
            addresses.extend(local.first());
        }
        let mut links: Vec<PairingLink> = Vec::new();
        for address in addresses {
            let link = link(address, code);
            if links.iter().all(|known| known.link != link) {
                links.push(PairingLink { qr: qr_image(&link), link, local: is_local(address) });
            }
        }
        links
    }
}

/// A browser does not send the fragment of an address to a server.
fn link(address: &str, code: &str) -> String {
    format!("{address}#pair={code}")
}

fn is_local(address: &str) -> bool {
    let uri = address.parse::<Uri>();
    uri.is_ok_and(|uri| uri.host().is_some_and(is_loopback_name))
}

/// The address of this machine in its network. Connecting a UDP socket sends nothing; it selects the address.
fn network_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then_some(address)
}

fn qr_code(link: &str) -> Option<QrCode> {
    QrCode::with_error_correction_level(link, EcLevel::M).ok()
}

/// The QR code of a link as a `data:` URL of an SVG image.
fn qr_image(link: &str) -> String {
    let image = |code: QrCode| {
        code.render::<svg::Color>()
            .min_dimensions(0, 0)
            .module_dimensions(MODULE_PIXELS, MODULE_PIXELS)
            .build()
    };
    let image = qr_code(link).map(image);
    image.map(|image| format!("data:image/svg+xml;base64,{}", STANDARD.encode(image))).unwrap_or_default()
}

/// The QR code of a link for a terminal: two modules in each character, dark on light.
pub(super) fn qr_text(link: &str) -> String {
    let text = |code: QrCode| {
        let mut renderer = code.render::<unicode::Dense1x2>();
        renderer.dark_color(unicode::Dense1x2::Light).light_color(unicode::Dense1x2::Dark).build()
    };
    qr_code(link).map(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(listen: &str, scheme: &str, configured: &[&str]) -> Addresses {
        let configured: Vec<AllowedHost> =
            configured.iter().map(|host| AllowedHost::parse(host, None).unwrap()).collect();
        Addresses::new(listen.parse().unwrap(), scheme, &configured)
    }

    fn links(addresses: &Addresses, page: &str) -> Vec<(String, bool)> {
        addresses.links(page, "c").into_iter().map(|link| (link.link, link.local)).collect()
    }

    #[test]
    fn the_address_of_the_page_that_asks_comes_first_unless_it_is_local() {
        let only_local = addresses("127.0.0.1:4780", "http", &[]);
        assert_eq!(only_local.own_link("c"), "http://127.0.0.1:4780/#pair=c");
        assert_eq!(
            links(&only_local, "http://localhost:4780/"),
            [("http://localhost:4780/#pair=c".to_owned(), true)]
        );
        assert_eq!(links(&only_local, ""), [("http://127.0.0.1:4780/#pair=c".to_owned(), true)]);

        let proxied = addresses("127.0.0.1:4780", "http", &["https://chat.example"]);
        let expected = [("https://chat.example/#pair=c".to_owned(), false)];
        assert_eq!(links(&proxied, "http://127.0.0.1:4780/"), expected);
        assert_eq!(links(&proxied, "https://chat.example/"), expected);
        assert_eq!(links(&proxied, "https://chat.example/pilot/")[0].0, "https://chat.example/pilot/#pair=c");
        assert_eq!(links(&proxied, "not an address"), expected);
    }

    #[test]
    fn with_a_certificate_the_configured_name_is_opened() {
        let certified = addresses("0.0.0.0:4780", "https", &["https://chat.example:4780"]);
        assert_eq!(certified.own_link("c"), "https://chat.example:4780/#pair=c");
        let unnamed = addresses("192.0.2.7:4780", "https", &[]);
        assert_eq!(unnamed.own_link("c"), "https://192.0.2.7:4780/#pair=c");
    }

    #[test]
    fn a_qr_code_is_an_image_for_the_page_and_text_for_the_terminal() {
        assert!(qr_image("http://127.0.0.1:4780/#pair=c").starts_with("data:image/svg+xml;base64,"));
        let text = qr_text("http://127.0.0.1:4780/#pair=c");
        let widths: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
        assert!(widths.len() > 10 && widths.iter().all(|width| *width == widths[0]), "{text}");
    }
}
