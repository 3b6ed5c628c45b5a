//! Saving reading positions and drafts before the session or the page is left.

use super::Actions;
use crate::store::client::ReadingPosition;
use crate::store::server::Session;

impl Actions {
    /// Adds the row's index in the conversation to the reading position: when the user returns, the row may
    /// no longer be loaded.
    pub fn update_reading_position(&self, session: Session) {
        let (id, positions) = (session.key(), self.client.reading_positions);
        if let ReadingPosition::At { row, block, offset, .. } = positions.reading(&id)
            && let position @ Some(_) = session.position_of(&row)
        {
            positions.set_reading(&id, ReadingPosition::At { row, position, block, offset });
        }
    }

    /// Saves the reading positions and drafts, because the browser may discard the page at any time.
    pub fn save_before_unload(&self) {
        if let Some(session) = self.current_session() {
            self.update_reading_position(session);
        }
        self.client.reading_positions.save();
        self.client.drafts.save();
    }
}
