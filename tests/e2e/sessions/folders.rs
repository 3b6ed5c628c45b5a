//! The choice of a session's folder.

use pilothouse_test_support::browser::Size;
use pilothouse_test_support::server::{ServerSetup, built_binary};

use crate::fixture::{project, story_with};

#[tokio::test]
async fn a_folder_outside_the_allowed_ones_is_refused_with_what_to_do() {
    let (project, other) = (project(), tempfile::Builder::new().prefix("workshop-").tempdir().unwrap());
    std::fs::create_dir_all(project.path().join("charts/north")).unwrap();
    std::fs::create_dir(other.path().join("tools")).unwrap();
    let setup = ServerSetup::new(&built_binary()).allowed_roots(&[project.path(), other.path()]);
    story_with("outside-folder", Size::Wide, project, setup, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.open_new_session_form().await;
        page.until_form().await;

        // The way up ends here, where the other allowed folder is offered.
        let root = fixture.project.path().canonicalize().unwrap();
        page.until_text_in(".folder-list", "charts").await;
        assert_eq!(page.texts(".crumb").await, [root.to_string_lossy()]);
        assert!(!page.texts(".folder-entry").await.iter().any(|entry| entry.contains("Parent folder")));
        page.click_with_text(".folder-entry", "charts").await;
        page.until_text_in(".folder-list", "north").await;
        page.press("Parent folder").await;
        page.until_text_in(".folder-list", "workshop-").await;

        page.fill("[name=folder]", "/etc").await;
        page.press("Go").await;
        page.until_text_in(".folder-picker .problem", "/etc is outside the allowed folders").await;
        page.until_text_in(".folder-picker .problem", "--allowed-root").await;
        page.click("main form button[type=submit]").await;
        page.until_text_in(".new-session-form > .contents > .problem", "/etc is outside the allowed folders")
            .await;
        page.screenshot("outside-folder").await;
        assert_eq!(page.count("nav [data-session-id]").await, 1, "a session was created");

        page.click_with_text(".folder-entry", "workshop-").await;
        page.until_text_in(".folder-list", "tools").await;
        page.new_session().await;
    })
    .await;
}
