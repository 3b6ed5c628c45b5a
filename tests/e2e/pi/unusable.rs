//! A pi that cannot work: the page says what to do about it.

use serde_json::json;

use pilothouse_test_support::browser::Page;

use super::stage::{Generation, Pi, story_prepared};

async fn until_told(page: &Page, words: &str) {
    let script = "const card = [...document.querySelectorAll('.choice-card')]\
                    .find((card) => card.querySelector('input').value === 'pi');\
                  return card?.querySelector('input').disabled &&\
                    card.querySelector('.choice-problem')?.textContent.includes(arguments[0])";
    page.until_script(words, script, vec![json!(words)]).await;
}

#[tokio::test]
async fn pi_has_no_model_and_i_am_told_how_to_give_it_one() {
    let prepare = |pi: &Pi| pi.write("agent/models.json", "{\"providers\": {}}");
    story_prepared(Generation::Current, "no-model", prepare, async |_stage, _pi, page| {
        until_told(page, "pi has no model to work with").await;
        until_told(page, "/login").await;
        let other = "return document.querySelector('main input[type=radio]:checked')?.value === 'demo'";
        page.until("another agent offered", other).await;
        page.screenshot("pi-no-model").await;
        page.new_session().await;
        page.run("Hello").await;
    })
    .await;
}

#[tokio::test]
async fn pi_found_too_old_a_node_and_i_am_told_which_it_needs() {
    let prepare = |pi: &Pi| {
        let text = "#!/bin/sh\ncat >&2 <<'END'\nfile:///pi/dist/cli.js:12\nimport { enableCompileCache } from \
                    'node:module';\n         ^^^^^^^^^^^^^^^^^^\nSyntaxError: The requested module 'node:module' does not \
                    provide an export named 'enableCompileCache'\n    at ModuleJob._instantiate \
                    (node:internal/modules/esm/module_job:182:21)\n\nNode.js v20.20.2\nEND\nexit 1\n";
        std::fs::write(pi.program(), text).unwrap();
    };
    story_prepared(Generation::Current, "old-node", prepare, async |_stage, _pi, page| {
        until_told(page, "needs Node.js 22.19 or newer, and found 20.20").await;
        until_told(page, "Install a newer Node.js").await;
    })
    .await;
}
