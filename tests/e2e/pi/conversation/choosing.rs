//! Models, thinking levels and commands of pi.

use serde_json::Value;

use crate::model::reply::says;
use crate::pi::fixture::{Generation, story, story_prepared};

#[tokio::test]
async fn i_choose_another_model_and_it_answers() {
    story("model", async |fixture, pi, page| {
        pi.model.will([says("I am large."), says("I am small.")]);
        page.run("Who are you?").await;
        page.press("Model").await;
        page.click_with_text("#models [role=option]", "Example Small").await;
        page.until_text_of(".title-model", "Example Small").await;
        page.run("And now?").await;
        let models: Vec<Value> = pi.model.requests().iter().map(|request| request["model"].clone()).collect();
        assert_eq!(models, ["example-large", "example-small"]);
        fixture.same_after_reload_and_restart().await;
        // Only pi knows the full name, and it does not run yet.
        page.until_text_of(".title-model", "example-small").await;
        pi.model.will([says("Still small.")]);
        page.run("And after that?").await;
        page.until_text_of(".title-model", "Example Small").await;
        assert_eq!(pi.model.requests()[2]["model"], "example-small");
    })
    .await;
}

#[tokio::test]
async fn i_choose_a_thinking_level_and_the_model_gets_it() {
    story("level", async |fixture, pi, page| {
        pi.model.will([says("Thought over."), says("Thought through.")]);
        page.run("Think").await;
        let levels = "select[title^=Thinking]";
        page.choose_option(levels, "high").await;
        page.until_value(levels, "high").await;
        page.run("Think harder").await;
        let efforts: Vec<Value> =
            pi.model.requests().iter().map(|request| request["reasoning_effort"].clone()).collect();
        assert_eq!(efforts, ["medium", "high"]);
        fixture.same_after_reload_and_restart().await;
        // Before pi runs again, the level is text.
        page.until_text_in("[title^=Thinking]", "high").await;
    })
    .await;
}

#[tokio::test]
async fn a_slash_lists_the_commands_templates_and_skills_of_pi() {
    let prepare = |pi: &crate::pi::fixture::Pi| {
        pi.write(
            "agent/prompts/tide.md",
            "---\ndescription: Asks for the tide\n---\nWhen is high water at $1?\n",
        );
        pi.write(
            "agent/skills/knots/SKILL.md",
            "---\nname: knots\ndescription: How to tie knots.\n---\nStart with the bowline.\n",
        );
    };
    story_prepared(Generation::Current, "slash", prepare, async |fixture, pi, page| {
        page.new_session_of("pi").await;
        page.write("/").await;
        for name in ["/tide", "/skill:knots", "/decorate"] {
            page.until_text_in("#commands .choice-option-name", name).await;
        }
        let notes = page.texts("#commands [role=option]").await.join("|");
        for words in ["Asks for the tide", "template", "How to tie knots.", "skill", "extension"] {
            assert!(notes.contains(words), "{words} is not in {notes}");
        }
        page.write("tid").await;
        page.write(thirtyfour::prelude::Key::Enter + "").await;
        assert_eq!(page.draft().await, "/tide ");
        pi.model.will([says("At six.")]);
        page.send("Dover").await;
        page.until_text("At six.").await;
        page.until_state("completed").await;
        assert_eq!(pi.model.last_heard().trim(), "When is high water at Dover?");
        pi.model.will([says("The bowline it is.")]);
        page.send("/skill:knots for the bow").await;
        page.until_text("The bowline it is.").await;
        page.until_state("completed").await;
        assert!(pi.model.last_heard().contains("Start with the bowline."), "{}", pi.model.last_heard());
        assert_eq!(pi.model.requests().len(), 2);
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}
