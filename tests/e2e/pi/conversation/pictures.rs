//! Images in prompts to pi.

use serde_json::json;

use crate::model::reply::says;
use crate::pi::fixture::story;

/// The image in the user's message.
const SENT: &str = "[role=log] [data-kind=user] img";

#[tokio::test]
async fn i_pick_an_image_and_the_model_gets_it_and_the_session_keeps_it() {
    story("picture", async |fixture, pi, page| {
        let picture = fixture.project.path().join("lighthouse.png");
        let bytes = include_bytes!("../../../../crates/demo-agent/src/scenes/lighthouse.png");
        std::fs::write(&picture, bytes).unwrap();
        page.type_into("input[name=images]", picture.to_str().unwrap()).await;
        page.until_present("[data-pending-image] img").await;
        pi.model.will([says("A lighthouse.")]);
        page.run("What is this?").await;
        let asked = &pi.model.requests()[0]["messages"];
        let parts = asked.as_array().unwrap().last().unwrap()["content"].as_array().unwrap().clone();
        let image = parts.iter().find(|part| part["type"] == json!("image_url")).unwrap();
        assert!(image["image_url"]["url"].as_str().unwrap().starts_with("data:image/"), "{image}");
        assert_eq!(pi.model.last_heard(), "What is this?");
        page.until_image(SENT, 9).await;
        fixture.same_after_reload_and_restart().await;
        page.until_image(SENT, 9).await;
    })
    .await;
}
