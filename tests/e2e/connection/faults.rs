//! Servers and agents that die: the page reports it, recovers, and loses nothing.

use pilothouse_test_support::browser::Size;
use pilothouse_test_support::disk_faults::DiskFaults;
use pilothouse_test_support::process::signal;
use pilothouse_test_support::server::{ServerSetup, built_binary};

use crate::fixture::{project, story, story_with};

#[tokio::test]
async fn the_server_is_killed_and_restarted_and_the_page_reconnects() {
    story("server-killed", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.send("/tools").await;
        page.until_state("completed").await;
        let rows = page.rows().await;
        fixture.server.kill();
        page.until_lost().await;
        assert_eq!(page.rows().await, rows, "rows disappeared while the connection was lost");
        page.send("Sent while it was away").await;
        fixture.server.restart();
        page.until_connected().await;
        page.until_end_of("Sent while it was away", 0).await;
        let after = page.rows().await;
        assert_eq!(after[..rows.len()], rows[..], "rows changed after the restart");
        assert_eq!(
            after.iter().filter(|row| row.text == "Sent while it was away").count(),
            1,
            "it was sent more than once"
        );
        assert_eq!(page.rows_after_reload().await, after);
    })
    .await;
}

#[tokio::test]
async fn the_server_is_killed_in_mid_stream_and_no_spinner_remains() {
    story("server-killed-mid-stream", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.send("Hello").await;
        page.until_state("completed").await;
        page.send("/wait-tool never").await;
        page.until_tool("running").await;
        fixture.server.kill_and_restart();
        page.until_connected().await;
        page.until_absent("[data-phase=running], [data-phase=calling]").await;
        page.until_state("paused").await;
        page.until_text("/wait-tool never").await;
    })
    .await;
}

#[tokio::test]
async fn case_72_the_agent_is_killed_and_nothing_spins_on_and_i_can_go_on() {
    story("agent-killed", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.send("/wait-tool never").await;
        page.until_tool("running").await;
        signal(fixture.server.programs()[0], "KILL");
        page.until_state("error").await;
        assert_eq!(page.count("[data-phase=running], [data-phase=calling]").await, 0);
        assert_eq!(page.count(".run-status:is([data-of=creating], [data-of=streaming])").await, 0);
        assert_eq!(page.count("[role=log] [data-kind=error]").await, 1);
        page.run("Are you back?").await;
    })
    .await;
}

#[tokio::test]
async fn i_send_while_offline_and_it_goes_out_once_when_i_am_back() {
    story("offline", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.proxy.address(&fixture.server.link)).await;
        page.send("Hello").await;
        page.until_state("completed").await;
        fixture.proxy.cut();
        page.until_lost().await;
        page.send("From the tunnel").await;
        fixture.proxy.restore();
        page.until_connected().await;
        page.until_text("From the tunnel").await;
        page.until_count("[role=log] [data-kind=assistant]", 2).await;
        page.until_state("completed").await;
        let rows = page.rows().await;
        assert_eq!(rows.iter().filter(|row| row.text == "From the tunnel").count(), 1);
        assert_eq!(page.rows_after_reload().await, rows);
    })
    .await;
}

#[tokio::test]
async fn a_full_disk_is_shown_while_it_lasts_and_my_message_is_not_lost() {
    for (size, name) in [(Size::Wide, "full-disk"), (Size::Phone, "full-disk-phone")] {
        let faults = DiskFaults::new();
        let setup = faults.apply(ServerSetup::new(&built_binary()));
        story_with(name, size, project(), setup, async |fixture| {
            let page = fixture.page();
            page.first_visit(&fixture.server.link).await;
            page.run("Before the disk was full").await;
            faults.fill();
            page.send("Not stored").await;
            page.until_text("Couldn't save: the disk is full").await;
            page.until_text_in(".banner", "the disk is full").await;
            page.until_animations_end().await;
            page.screenshot(name).await;
            assert_eq!(page.draft().await, "Not stored", "the message is not back in the composer");
            faults.repair();
            page.until_absent(".banner").await;
            page.click("form.composer button[type=submit]").await;
            page.until_state("completed").await;
            let rows = page.rows_after_reload().await;
            assert_eq!(rows.iter().filter(|row| row.text == "Not stored").count(), 1, "{rows:?}");
        })
        .await;
    }
}

#[tokio::test]
async fn a_damaged_database_is_explained_until_i_dismiss_it() {
    for (size, name) in [(Size::Wide, "damaged-database"), (Size::Phone, "damaged-database-phone")] {
        story(name, size, async |fixture| {
            let page = fixture.page();
            page.first_visit(&fixture.server.link).await;
            page.run("Before the damage").await;
            fixture.server.kill();
            page.until_lost().await;
            // The end of the database's log, which has the newest changes.
            let log = fixture.server.data.join("store.db-wal");
            let mut bytes = std::fs::read(&log).unwrap();
            *bytes.last_mut().unwrap() ^= 1;
            std::fs::write(&log, bytes).unwrap();
            fixture.server.restart();
            page.until_connected().await;
            page.until_text_in(".banner", "The last changes before the server ended may be missing").await;
            page.until_text_in(".banner", "1 device").await;
            page.until_text_in(".banner", "Conversations have files of their own").await;
            page.until_animations_end().await;
            page.screenshot(name).await;
            let (banner, title) = (page.rect(".banner").await, page.rect(".title-bar").await);
            assert!(banner.bottom <= title.top, "{banner:?} covers the title {title:?}");
            page.reload().await;
            page.until_text_in(".banner", "had a damaged log").await;
            page.click(".banner [aria-label=Dismiss]").await;
            page.until_absent(".banner").await;
            page.reload().await;
            page.until_text("Before the damage").await;
            assert_eq!(page.count(".banner").await, 0);
        })
        .await;
    }
}

#[tokio::test]
async fn a_data_folder_that_vanishes_is_explained_and_nothing_counts_as_sent_until_it_is_back() {
    story("data-folder-gone", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.run("Before it was moved").await;
        let moved = fixture.server.data.with_extension("moved");
        std::fs::rename(&fixture.server.data, &moved).unwrap();
        page.until_text_in(".banner", "was moved or deleted. Move it back").await;
        page.send("Not stored").await;
        page.until_text("Couldn't save: the data folder").await;
        page.until_animations_end().await;
        page.screenshot("data-folder-gone").await;
        assert_eq!(page.draft().await, "Not stored", "the message is not back in the composer");
        std::fs::rename(&moved, &fixture.server.data).unwrap();
        page.until_absent(".banner").await;
        page.click("form.composer button[type=submit]").await;
        page.until_state("completed").await;
        let rows = page.rows_after_reload().await;
        assert_eq!(rows.iter().filter(|row| row.text == "Not stored").count(), 1, "{rows:?}");
    })
    .await;
}
