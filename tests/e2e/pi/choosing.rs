//! Models, thinking levels and commands of pi's own.

use serde_json::Value;

use super::reply::says;
use super::stage::{Generation, story, story_prepared};

#[tokio::test]
async fn i_choose_another_model_and_it_is_the_one_that_answers() {
    story("model", async |stage, pi, page| {
        pi.model.will([says("I am large."), says("I am small.")]);
        page.run("Who are you?").await;
        page.press("Model").await;
        let pick = "const other = [...document.querySelectorAll('#models [role=option]')]\
                      .find((option) => option.textContent.includes('Example Small')); other?.click(); return !!other";
        page.until("the other model", pick).await;
        let shown = "return document.querySelector('.title-model')?.textContent === 'Example Small'";
        page.until("its name", shown).await;
        page.run("And now?").await;
        let models: Vec<Value> = pi.model.requests().iter().map(|request| request["model"].clone()).collect();
        assert_eq!(models, ["example-large", "example-small"]);
        pi.same_after_reload_and_restart(stage).await;
        // Its full name is known to pi alone, which does not run yet.
        let known = "return document.querySelector('.title-model')?.textContent === 'example-small'";
        page.until("which model it is", known).await;
        pi.model.will([says("Still small.")]);
        page.run("And after that?").await;
        page.until("its name again", shown).await;
        assert_eq!(pi.model.requests()[2]["model"], "example-small");
    })
    .await;
}

#[tokio::test]
async fn i_choose_how_hard_it_thinks_and_the_model_is_told() {
    story("level", async |stage, pi, page| {
        pi.model.will([says("Thought over."), says("Thought through.")]);
        page.run("Think").await;
        let choose = "const select = document.querySelector('select[title^=Thinking]');\
                      if (![...(select?.options ?? [])].some((option) => option.value === 'high')) return false;\
                      select.value = 'high'; select.dispatchEvent(new Event('change', { bubbles: true })); return true";
        page.until("the levels", choose).await;
        page.until("the level", "return document.querySelector('select[title^=Thinking]')?.value === 'high'").await;
        page.run("Think harder").await;
        let efforts: Vec<Value> =
            pi.model.requests().iter().map(|request| request["reasoning_effort"].clone()).collect();
        assert_eq!(efforts, ["medium", "high"]);
        pi.same_after_reload_and_restart(stage).await;
        page.until(
            "the level again",
            "const shown = document.querySelector('[title^=Thinking]'); return (shown?.value ?? shown?.textContent) === 'high'",
        )
        .await;
    })
    .await;
}

#[tokio::test]
async fn a_slash_shows_the_commands_templates_and_skills_that_pi_has() {
    let prepare = |pi: &super::stage::Pi| {
        pi.write(
            "agent/prompts/tide.md",
            "---\ndescription: Asks for the tide\n---\nWhen is high water at $1?\n",
        );
        pi.write(
            "agent/skills/knots/SKILL.md",
            "---\nname: knots\ndescription: How to tie knots.\n---\nStart with the bowline.\n",
        );
    };
    story_prepared(Generation::Current, "slash", prepare, async |stage, pi, page| {
        page.new_session_of("pi").await;
        page.write("/").await;
        let all = "const names = [...document.querySelectorAll('#commands .choice-option-name')]\
                     .map((name) => name.textContent);\
                   return ['/tide', '/skill:knots', '/decorate'].every((name) => names.includes(name))";
        page.until("all of them", all).await;
        let notes = page
            .script(
                "return [...document.querySelectorAll('#commands [role=option]')].map((option) => option.textContent).join('|')",
                vec![],
            )
            .await;
        for words in ["Asks for the tide", "template", "How to tie knots.", "skill", "extension"] {
            assert!(notes.as_str().unwrap().contains(words), "{words} is not in {notes}");
        }
        page.write("tid").await;
        page.write(thirtyfour::Key::Enter + "").await;
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
        pi.same_after_reload_and_restart(stage).await;
    })
    .await;
}
