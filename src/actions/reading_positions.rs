//! Where the reader is, written down before the page or the session goes.

use super::Actions;
use crate::store::client::ReadingPosition as Reading;
use crate::store::server::Session;

impl Actions {
    /// Notes where in the conversation a reader is: the page may let go of the row before the reader comes back to it.
    pub fn note_place(&self, session: Session) {
        let (id, places) = (session.id(), self.client.reading_positions);
        if let Reading::At { row, block, offset, .. } = places.reading(&id)
            && let position @ Some(_) = session.position_of(&row)
        {
            places.set_reading(&id, Reading::At { row, position, block, offset });
        }
    }

    /// Keeps what is typed and where one is for the page after this one.
    pub fn keep_all(&self) {
        if let Some(session) = self.current() {
            self.note_place(session);
        }
        self.client.reading_positions.save();
        self.client.drafts.save();
    }
}
