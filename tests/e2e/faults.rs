//! Servers and agents that die: the page says so, heals itself, and has lost nothing.

use serde_json::json;

use pilothouse_test_support::browser::Size;
use pilothouse_test_support::disk_faults::DiskFaults;
use pilothouse_test_support::process::{children, signal};
use pilothouse_test_support::server::{ServerSetup, built_binary};

use crate::stage::{project, story, story_with};

#[tokio::test]
async fn the_server_is_killed_and_restarted_and_the_page_comes_back_by_itself() {
    story("server-killed", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.send("/tools").await;
        page.until_state("completed").await;
        let rows = page.rows().await;
        stage.server.kill();
        page.until("the loss", "return document.body.dataset.connection === 'lost'").await;
        assert_eq!(page.rows().await, rows, "what was there stays while the connection is lost");
        page.send("Sent while it was away").await;
        stage.server.restart();
        page.until_connected().await;
        page.until(
            "its answer",
            "const rows = [...document.querySelectorAll('[role=log] [data-message-id]')];\
             const asked = rows.findLastIndex((row) => row.textContent.includes('Sent while it was away'));\
             return asked >= 0 && asked < rows.length - 1",
        )
        .await;
        page.until_state("completed").await;
        let after = page.rows().await;
        assert_eq!(after[..rows.len()], rows[..], "and is still there afterwards");
        assert_eq!(after.iter().filter(|row| row.text == "Sent while it was away").count(), 1, "sent once");
        assert_eq!(page.rows_after_reload().await, after);
    })
    .await;
}

#[tokio::test]
async fn the_server_is_killed_in_mid_stream_and_no_spinner_stays() {
    story("server-killed-mid-stream", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.send("Hello").await;
        page.until_state("completed").await;
        page.send("/wait-tool never").await;
        page.until_tool("running").await;
        stage.server.kill_and_restart();
        page.until_connected().await;
        page.until(
            "no running row",
            "return !document.querySelector('[data-phase=running], [data-phase=calling]')",
        )
        .await;
        page.until_state("paused").await;
        page.until_text("/wait-tool never").await;
    })
    .await;
}

#[tokio::test]
async fn case_72_the_agent_is_killed_and_nothing_spins_on_and_i_can_go_on() {
    story("agent-killed", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.send("/wait-tool never").await;
        page.until_tool("running").await;
        signal(children(stage.server.process_id())[0], "KILL");
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
    story("offline", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.send("Hello").await;
        page.until_state("completed").await;
        let network = |offline: bool| json!({"offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1});
        page.cdp("Network.enable", json!({})).await;
        page.cdp("Network.emulateNetworkConditions", network(true)).await;
        page.until("the loss", "return document.body.dataset.connection === 'lost' || !navigator.onLine").await;
        page.send("From the tunnel").await;
        page.cdp("Network.emulateNetworkConditions", network(false)).await;
        page.until_connected().await;
        page.until_text("From the tunnel").await;
        page.until("its answer", "return document.querySelectorAll('[role=log] [data-kind=assistant]').length === 2").await;
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
        story_with(name, size, project(), setup, async |stage| {
            let page = stage.page();
            page.enter(&stage.server.link).await;
            page.new_session().await;
            page.run("Before the disk was full").await;
            faults.fill();
            page.send("Not stored").await;
            page.until_text("could not be saved: the disk is full").await;
            let banner = "return document.querySelector('.banner')?.textContent ?? ''";
            page.until(
                "the banner",
                "const banner = document.querySelector('.banner');\
                 return banner?.textContent.includes('the disk is full') && getComputedStyle(banner).opacity === '1'",
            )
            .await;
            page.screenshot(name).await;
            let draft =
                page.script("return document.querySelector('textarea[name=prompt]').value", vec![]).await;
            assert_eq!(draft, json!("Not stored"), "the message is back in the composer");
            faults.repair();
            page.until("no banner", "return !document.querySelector('.banner')").await;
            assert_eq!(page.script(banner, vec![]).await, json!(""));
            page.click("form.composer button[type=submit]").await;
            page.until_state("completed").await;
            let rows = page.rows_after_reload().await;
            assert_eq!(rows.iter().filter(|row| row.text == "Not stored").count(), 1, "{rows:?}");
        })
        .await;
    }
}
