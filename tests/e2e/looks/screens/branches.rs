//! A session that branched, and the screen of another branch.

use serde_json::json;

use pilothouse_test_support::browser::Size;
use pilothouse_test_support::session_file::{SessionFile, append_aside, append_exchange};

use super::{Screen, plain, tour};
use crate::fixture::Fixture;

async fn tell(fixture: &mut Fixture, screen: &mut Screen) {
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let mut file = SessionFile::numbered(1, "/home/ada/lighthouse");
    file.user("Chart the approach to the harbour");
    file.assistant(text("From the north or from the south?"));
    file.user("From the north, keeping well clear of the reef that the old chart does not show");
    file.assistant(text("The northern approach passes the beacon at two cables."));
    let session = fixture.add_session(file);
    let path = fixture.server.session_file(&session);
    append_aside(&path, &json!("e1"), "From the east");
    append_aside(&path, &json!("e1"), "From the south");
    append_exchange(&path, "Is there a light?", "Yes, on the southern pier.");
    let page = screen.page.clone();
    page.enter(&fixture.server.link).await;
    page.visit(&fixture.session_address(&session)).await;
    page.until_count(".branches .branch-link", 2).await;
    screen.check("70-branches").await;
    append_aside(&path, &json!("e1"), "From the west");
    page.until_present(".notice a").await;
    screen.check("71-branch-left").await;
    page.click_last(".branches .branch-link").await;
    page.until_text("The northern approach").await;
    page.until_present(".branch-bar .button").await;
    screen.check("72-branch").await;
}

#[tokio::test]
async fn branches_wide() {
    tour("branches-wide", Size::Wide, plain(), tell).await;
}

#[tokio::test]
async fn branches_phone() {
    tour("branches-phone", Size::Phone, plain(), tell).await;
}
