//! Every line that the connection writes fits the protocol's own types.

use agent_client_protocol_schema::v1::{
    AuthenticateRequest, CancelNotification, CreateElicitationResponse, DeleteSessionRequest,
    InitializeRequest, ListSessionsRequest, LoadSessionRequest, NewSessionRequest, PromptRequest,
    RequestPermissionResponse, ResumeSessionRequest, SetSessionConfigOptionRequest, SetSessionModeRequest,
};
use pilothouse_test_support::recordings::acp::{Played, Player, recordings};
use serde::de::DeserializeOwned;
use serde_json::Value;

fn fits<T: DeserializeOwned>(value: &Value) {
    if let Err(error) = serde_json::from_value::<T>(value.clone()) {
        panic!("{error}: {value}");
    }
}

#[test]
fn every_written_line_fits_the_schema() {
    let mut methods = std::collections::BTreeSet::new();
    for recording in recordings() {
        for played in Player::play(&recording) {
            let Played::Write(line) = played else { continue };
            assert_eq!(line["jsonrpc"], "2.0");
            let params = &line["params"];
            let Some(method) = line["method"].as_str() else {
                let result = &line["result"];
                match (result.get("outcome"), result.get("action")) {
                    (Some(_), _) => fits::<RequestPermissionResponse>(result),
                    (None, Some(_)) => fits::<CreateElicitationResponse>(result),
                    // A method that we do not offer.
                    (None, None) => assert_eq!(line["error"]["code"], -32601, "{line}"),
                }
                continue;
            };
            methods.insert(method.to_owned());
            match method {
                "initialize" => fits::<InitializeRequest>(params),
                "authenticate" => fits::<AuthenticateRequest>(params),
                "session/new" => fits::<NewSessionRequest>(params),
                "session/load" => fits::<LoadSessionRequest>(params),
                "session/resume" => fits::<ResumeSessionRequest>(params),
                "session/prompt" => fits::<PromptRequest>(params),
                "session/cancel" => fits::<CancelNotification>(params),
                "session/list" => fits::<ListSessionsRequest>(params),
                "session/delete" => fits::<DeleteSessionRequest>(params),
                "session/set_mode" => fits::<SetSessionModeRequest>(params),
                "session/set_config_option" => fits::<SetSessionConfigOptionRequest>(params),
                // Extensions, and one that left the schema.
                "_session/steering" | "session/set_model" => {}
                other => panic!("{other} has no type: {line}"),
            }
        }
    }
    assert!(methods.len() >= 11, "{methods:?}");
}
