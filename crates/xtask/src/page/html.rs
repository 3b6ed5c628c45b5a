//! The page's HTML, in which files stand by names that are made of their contents, and renewed when a file changes.

use anyhow::{Context, Result, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha384};

/// A file of the page.
pub(super) struct File {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

impl File {
    /// A file that is named by its contents, with sixteen digits: such a file may be kept forever.
    pub(super) fn new(stem: &str, ending: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        let digits: String =
            Sha384::digest(&bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Self { name: format!("{stem}-{digits}.{ending}"), bytes }
    }

    pub(super) fn integrity(&self) -> String {
        format!("sha384-{}", STANDARD.encode(Sha384::digest(&self.bytes)))
    }
}

pub(super) struct Html(pub(super) String);

impl Html {
    /// Puts one file in the place of another.
    pub(super) fn replace(&mut self, old: &File, new: &File) -> Result<()> {
        ensure!(self.0.contains(&old.name), "trunk writes other pages now: {} is not mentioned", old.name);
        self.0 = self.0.replace(&old.name, &new.name);
        Ok(())
    }

    /// The names of the style sheets, in their order.
    pub(super) fn style_sheets(&self) -> Vec<String> {
        let sheets = self.0.split(SHEET).skip(1);
        sheets.filter_map(|rest| rest.split_once('"')).map(|(name, _)| name.to_owned()).collect()
    }

    /// Takes the link to a style sheet out.
    pub(super) fn remove_style_sheet(&mut self, name: &str) -> Result<()> {
        let start = self.0.find(&format!("{SHEET}{name}\"")).context("a style sheet is not mentioned")?;
        let length = self.0[start..].find('>').context("the link to a style sheet does not end")?;
        self.0.replace_range(start..=start + length, "");
        Ok(())
    }
}

const SHEET: &str = "<link rel=\"stylesheet\" href=\"/";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_is_named_by_its_contents_and_takes_the_place_of_the_old_one() {
        let (old, new) = (File::new("page", "js", "old"), File::new("page", "js", "new"));
        let mut html = Html(format!("<script src=\"/{}\">", old.name));
        html.replace(&old, &new).unwrap();
        assert_eq!(html.0, format!("<script src=\"/{}\">", new.name));
        assert_ne!(old.name, new.name);
        assert!(html.replace(&old, &new).is_err());
    }

    #[test]
    fn knows_its_style_sheets() {
        let mut html = Html("<link rel=\"stylesheet\" href=\"/a.css\" integrity=\"x\"/> <link rel=\"stylesheet\" href=\"/b.css\"/>".into());
        assert_eq!(html.style_sheets(), ["a.css", "b.css"]);
        html.remove_style_sheet("b.css").unwrap();
        assert_eq!(html.0, "<link rel=\"stylesheet\" href=\"/a.css\" integrity=\"x\"/> ");
    }
}
