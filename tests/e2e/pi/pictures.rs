//! Pictures that the model is shown.

use serde_json::json;
use thirtyfour::By;

use super::reply::says;
use super::stage::story;

const SHOWN: &str = "const image = document.querySelector('[role=log] [data-kind=user] img');\
                     return !!image?.complete && image.naturalWidth > 8";

#[tokio::test]
async fn i_pick_a_picture_and_the_model_sees_it_and_so_do_i_ever_after() {
    story("picture", async |stage, pi, page| {
        let picture = stage.project.path().join("lighthouse.png");
        let bytes = include_bytes!("../../../crates/demo-agent/src/scenes/lighthouse.png");
        std::fs::write(&picture, bytes).unwrap();
        let picker = page.driver.find(By::Css("input[name=images]")).await.unwrap();
        picker.send_keys(picture.to_str().unwrap()).await.unwrap();
        page.until("its preview", "return !!document.querySelector('[data-pending-image] img')").await;
        pi.model.will([says("A lighthouse.")]);
        page.run("What is this?").await;
        let asked = &pi.model.requests()[0]["messages"];
        let parts = asked.as_array().unwrap().last().unwrap()["content"].as_array().unwrap().clone();
        let image = parts.iter().find(|part| part["type"] == json!("image_url")).unwrap();
        assert!(image["image_url"]["url"].as_str().unwrap().starts_with("data:image/"), "{image}");
        assert_eq!(pi.model.last_heard(), "What is this?");
        page.until("the picture", SHOWN).await;
        pi.same_after_reload_and_restart(stage).await;
        page.until("the picture from pi's own file", SHOWN).await;
    })
    .await;
}
