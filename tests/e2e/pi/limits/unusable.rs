//! A pi that cannot start: the page says what to do.

use pilothouse_test_support::browser::Page;

use crate::pi::fixture::{Generation, Pi, story_prepared};

/// Waits until pi cannot be chosen, for a reason with these words.
async fn until_problem(page: &Page, words: &str) {
    page.until_text_in(".choice-card:has(input[value=pi]:disabled) .choice-problem", words).await;
}

#[tokio::test]
async fn without_a_model_the_page_says_how_to_give_pi_one() {
    let prepare = |pi: &Pi| pi.write("agent/models.json", "{\"providers\": {}}");
    story_prepared(Generation::Current, "no-model", prepare, async |_stage, _pi, page| {
        until_problem(page, "pi has no model").await;
        until_problem(page, "/login").await;
        page.until_present("main input[value=demo]:checked").await;
        page.screenshot("pi-no-model").await;
        page.new_session().await;
        page.run("Hello").await;
    })
    .await;
}

#[tokio::test]
async fn with_an_old_node_the_page_says_which_version_pi_needs() {
    let prepare = |pi: &Pi| {
        let text = "#!/bin/sh\ncat >&2 <<'END'\nfile:///pi/dist/cli.js:12\nimport { enableCompileCache } from \
                    'node:module';\n         ^^^^^^^^^^^^^^^^^^\nSyntaxError: The requested module 'node:module' does not \
                    provide an export named 'enableCompileCache'\n    at ModuleJob._instantiate \
                    (node:internal/modules/esm/module_job:182:21)\n\nNode.js v20.20.2\nEND\nexit 1\n";
        std::fs::write(pi.program(), text).unwrap();
    };
    story_prepared(Generation::Current, "old-node", prepare, async |_stage, _pi, page| {
        until_problem(page, "needs Node.js 22.19 or newer, but found 20.20").await;
        until_problem(page, "Install a newer Node.js").await;
    })
    .await;
}
