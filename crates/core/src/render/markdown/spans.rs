//! Builds the inline content of a block: text, emphasis, links and images.

use std::ops::Range;

use pulldown_cmark::{CowStr, Event, LinkType, Tag, TagEnd};

use super::references::References;
use super::{Inline, bare_link, link};
use crate::limits::MARKDOWN_DEPTH;

enum SpanKind {
    Strong,
    Emphasis,
    Strikethrough,
    Link { href: Option<String>, title: String },
}

struct OpenImage {
    source: Option<String>,
    title: String,
    alt: String,
    /// The number of open spans inside the image. Only their text is used.
    open: usize,
}

pub struct SpanBuilder<'a> {
    references: &'a References,
    /// The end of a text that still grows. See [`parse`](super::parse::parse).
    live: Option<usize>,
    content: Vec<Inline>,
    open: Vec<(SpanKind, Vec<Inline>)>,
    /// The number of open spans beyond the maximum depth.
    too_deep: usize,
    image: Option<OpenImage>,
    /// The current run of text, which the parser delivers in several events.
    text: String,
    text_end: usize,
}

impl<'a> SpanBuilder<'a> {
    pub fn new(references: &'a References, live: Option<usize>) -> Self {
        Self {
            references,
            live,
            content: Vec::new(),
            open: Vec::new(),
            too_deep: 0,
            image: None,
            text: String::new(),
            text_end: 0,
        }
    }

    /// Adds the content of an event.
    pub fn push_event(&mut self, event: Event<'_>, range: &Range<usize>) {
        if let Some(image) = &mut self.image {
            match event {
                Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                    image.alt.push_str(&text);
                }
                Event::SoftBreak | Event::HardBreak => image.alt.push(' '),
                _ => {}
            }
            return;
        }
        match event {
            Event::Text(text) => {
                self.text.push_str(&text);
                self.text_end = range.end;
            }
            Event::Code(code) => self.push(Inline::Code(code.to_string())),
            Event::InlineHtml(html) | Event::Html(html) if is_break(&html) => self.push(Inline::HardBreak),
            Event::InlineHtml(html) | Event::Html(html) => self.push_raw(&html),
            Event::SoftBreak => self.push(Inline::SoftBreak),
            Event::HardBreak => self.push(Inline::HardBreak),
            _ => {}
        }
    }

    /// Adds text without looking for addresses in it.
    pub fn push_raw(&mut self, text: &str) {
        self.flush();
        append_text(self.current(), text);
    }

    pub fn open(&mut self, tag: Tag<'_>) {
        if let Some(image) = &mut self.image {
            image.open += 1;
            return;
        }
        self.flush();
        let kind = match tag {
            Tag::Strong => SpanKind::Strong,
            Tag::Strikethrough => SpanKind::Strikethrough,
            Tag::Link { link_type, dest_url, title, id } => {
                let (destination, title) = self.resolved(link_type, dest_url, title, &id);
                SpanKind::Link { href: link::followable(&destination), title }
            }
            Tag::Image { link_type, dest_url, title, id } => {
                let (destination, title) = self.resolved(link_type, dest_url, title, &id);
                let source = link::loadable(&destination);
                self.image = Some(OpenImage { source, title, alt: String::new(), open: 0 });
                return;
            }
            _ => SpanKind::Emphasis,
        };
        if self.open.len() >= MARKDOWN_DEPTH {
            self.too_deep += 1;
        } else {
            self.open.push((kind, Vec::new()));
        }
    }

    pub fn close(&mut self, tag: TagEnd) {
        match &mut self.image {
            Some(image) if image.open > 0 => image.open -= 1,
            Some(_) if tag == TagEnd::Image => {
                if let Some(OpenImage { source, title, alt, .. }) = self.image.take() {
                    self.push(Inline::Image { source, alt, title });
                }
            }
            _ => {
                self.flush();
                if self.too_deep > 0 {
                    self.too_deep -= 1;
                } else {
                    self.close_last();
                }
            }
        }
    }

    /// Ends the block and returns its content.
    pub fn finish(&mut self) -> Vec<Inline> {
        self.flush();
        while !self.open.is_empty() {
            self.close_last();
        }
        self.too_deep = 0;
        std::mem::take(&mut self.content)
    }

    fn close_last(&mut self) {
        if let Some((kind, content)) = self.open.pop() {
            let span = match kind {
                SpanKind::Strong => Inline::Strong(content),
                SpanKind::Emphasis => Inline::Emphasis(content),
                SpanKind::Strikethrough => Inline::Strikethrough(content),
                SpanKind::Link { href, title } => Inline::Link { href, title, content },
            };
            self.current().push(span);
        }
    }

    fn push(&mut self, inline: Inline) {
        self.flush();
        self.current().push(inline);
    }

    fn current(&mut self) -> &mut Vec<Inline> {
        match self.open.last_mut() {
            Some((_, content)) => content,
            None => &mut self.content,
        }
    }

    /// The destination and the title of a link. A definition before this text takes precedence over one in it.
    fn resolved(
        &self,
        link_type: LinkType,
        destination: CowStr<'_>,
        title: CowStr<'_>,
        label: &str,
    ) -> (String, String) {
        let by_label = matches!(link_type, LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut);
        match self.references.get(label).filter(|_| by_label) {
            Some(known) => (known.destination.clone(), known.title.clone()),
            None if link_type == LinkType::Email => {
                ("mailto:".to_owned() + &destination, title.into_string())
            }
            None => (destination.into_string(), title.into_string()),
        }
    }

    /// Adds the current run of text and turns bare addresses in it into links.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        if text.is_empty() {
            return;
        }
        let growing = self.live == Some(self.text_end);
        let inside_link = self.open.iter().any(|(kind, _)| matches!(kind, SpanKind::Link { .. }));
        let mut shown = 0;
        while let Some(address) = bare_link::find(&text, shown).filter(|_| !inside_link) {
            append_text(self.current(), text.get(shown..address.start).unwrap_or_default());
            let written = text.get(address.clone()).unwrap_or_default();
            // While the text grows, trailing punctuation may still become part of the address.
            let ended = text
                .get(address.end..)
                .is_some_and(|rest| rest.contains(|next: char| next.is_whitespace() || next == '<'));
            let href = if growing && !ended { None } else { link::followable(written) };
            let content = vec![Inline::Text(written.to_owned())];
            self.current().push(Inline::Link { href, title: String::new(), content });
            shown = address.end;
        }
        append_text(self.current(), text.get(shown..).unwrap_or_default());
    }
}

fn append_text(content: &mut Vec<Inline>, text: &str) {
    match content.last_mut() {
        _ if text.is_empty() => {}
        Some(Inline::Text(before)) => before.push_str(text),
        _ => content.push(Inline::Text(text.to_owned())),
    }
}

fn is_break(html: &str) -> bool {
    ["<br>", "<br/>", "<br />"].iter().any(|tag| html.eq_ignore_ascii_case(tag))
}
