//! Read-only queries about a session: older rows, the rows of search matches and of entries, files of the project.
//! They run on blocking threads, and only the client that asked waits.

use pilothouse_core::UiMessage;
use pilothouse_core::limits::{PAGE_ROWS, QUERY_BYTES};
use pilothouse_core::protocol::{
    CommandError, ErrorCode, FoundFiles, FoundRow, FoundRows, MessagesPage, SessionReply,
};
use pilothouse_core::render::find::Needle;
use tokio::task::spawn_blocking;

use super::parts::file_ownership::SharedHistory;
use super::{SessionOrigin, file_names, recovery};
use crate::allowed_roots::AllowedRoots;
use crate::client::Responder;
use crate::store::Store;

/// Replies with rows that are no longer in memory, read from the session file.
pub(super) fn older_rows(
    responder: Responder,
    history: Option<SharedHistory>,
    (before, limit, total): (usize, usize, usize),
) {
    spawn_blocking(move || {
        let page = history.and_then(|history| history.rows(before, limit));
        responder.respond(match page {
            Some(page) => Ok(SessionReply::Messages(MessagesPage { total, ..page })),
            None => Err(CommandError::new(
                ErrorCode::Gone,
                "The session's file has changed. Reload the page to see it.",
            )),
        });
    });
}

/// Replies with the row that shows an entry of the session file, on whichever branch it is.
pub(super) fn find_row(responder: Responder, origin: SessionOrigin, store: Store, entry: String) {
    tokio::spawn(async move {
        let _ = store.flush().result().await;
        let found = spawn_blocking(move || {
            let history = recovery::read_open_session(&origin, &store)?;
            if let Some(row) = history.row_of_entry(&entry) {
                return Some(FoundRow { row, branch: None });
            }
            let leaf = history.branch_with_entry(&entry)?;
            let row = recovery::read_branch(&origin, &store, &leaf)?.row_of_entry(&entry)?;
            Some(FoundRow { row, branch: Some(leaf) })
        });
        responder.respond(match found.await.ok().flatten() {
            Some(found) => Ok(SessionReply::Row(found)),
            None => Err(CommandError::new(ErrorCode::Gone, "This message is no longer in the conversation.")),
        });
    });
}

/// Replies with files and folders of the project whose paths match the query.
pub(super) fn find_files(responder: Responder, origin: &SessionOrigin, roots: AllowedRoots, query: String) {
    if query.len() > QUERY_BYTES {
        return responder.respond(Err(too_long()));
    }
    let folder = origin.cwd.clone();
    spawn_blocking(move || {
        let found = roots.check_session_folder(&folder).map(|()| {
            let paths = file_names::find(&folder, &query);
            SessionReply::Files(FoundFiles { paths })
        });
        responder.respond(found);
    });
}

/// Replies with the rows that contain the query. `rows` are those in memory, from index `first` on.
pub(super) fn find_rows(
    responder: Responder,
    query: &str,
    (first, rows): (usize, Vec<UiMessage>),
    history: Option<SharedHistory>,
) {
    if query.len() > QUERY_BYTES {
        return responder.respond(Err(too_long()));
    }
    let Some(needle) = Needle::new(query) else {
        return responder.respond(Err(CommandError::invalid("Enter a search term.")));
    };
    spawn_blocking(move || {
        let mut found = Vec::new();
        let mut before = first;
        while let Some(history) = history.as_ref().filter(|_| before > 0) {
            // Page by page, so that the session itself can use the file in between.
            let Some(page) = history.rows(before, PAGE_ROWS) else { break };
            before = page.first;
            let matching = page.messages.iter().enumerate().rev().filter(|(_, row)| needle.is_in(row));
            found.extend(matching.map(|(index, _)| page.first + index));
        }
        found.reverse();
        let matching = rows.iter().enumerate().filter(|(_, row)| needle.is_in(row));
        found.extend(matching.map(|(index, _)| first + index));
        responder.respond(Ok(SessionReply::Rows(FoundRows { rows: found })));
    });
}

fn too_long() -> CommandError {
    CommandError::invalid(format!("The search term is too long. The limit is {QUERY_BYTES} bytes."))
}
