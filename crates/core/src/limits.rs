//! Every number that bounds something between page, server and agents, in one place.

/// The version of the protocol between page and server; a page of another version is asked to reload.
pub const PROTOCOL_VERSION: u32 = 1;

/// Rows in a snapshot and in an older page.
pub const PAGE_ROWS: usize = 100;

/// How many of the newest tool calls are remembered once they are over, so that what is told of them again is
/// recognised.
pub const RECENT_CALLS: usize = 64;

/// Tool calls of one run that may be waiting for their end or their result; beyond that the oldest is closed.
pub const OPEN_CALLS: usize = 4_096;

/// How many of the newest rows that a page has named are remembered, so that none gets a twin.
pub const RECENT_NAMED_ROWS: usize = 32;

/// The longest prompt, in bytes of UTF-8.
pub const PROMPT_BYTES: usize = 1024 * 1024;

/// The largest frame the server takes from a page. A prompt with its images has to fit.
pub const CLIENT_FRAME_BYTES: usize = 32 * 1024 * 1024;

/// Images in one prompt, and the bytes of each.
pub const PROMPT_IMAGES: usize = 8;
pub const IMAGE_BYTES: usize = 5 * 1024 * 1024;
/// The longest side of an image that is sent, in pixels: models look at less. The page draws larger ones anew.
pub const IMAGE_SIDE: u32 = 2_000;
/// The largest file that the page reads to make an image of it.
pub const READ_IMAGE_BYTES: usize = 64 * 1024 * 1024;

/// The longest line taken from an agent; what is beyond is dropped, with a visible marker.
pub const AGENT_LINE_BYTES: usize = 32 * 1024 * 1024;

/// Commands waiting for an agent that does not read them.
pub const AGENT_BACKLOG: usize = 1_024;

/// Chunks of an agent's output waiting for its session.
pub const AGENT_OUTPUT_BACKLOG: usize = 64;

/// Lines of an agent's stderr kept for the error that explains its end, and the length of each.
pub const STDERR_LINES: usize = 40;
pub const STDERR_LINE_BYTES: usize = 2_000;

/// Events a session keeps for pages that come back; a page that is further behind gets a snapshot.
pub const REPLAY_EVENTS: usize = 2_048;
pub const REPLAY_BYTES: usize = 4 * 1024 * 1024;

/// Frames waiting for one page; a page that reads slower than that is cut off and comes back by itself.
pub const PAGE_BACKLOG_FRAMES: usize = 4_096;
pub const PAGE_BACKLOG_BYTES: usize = 4 * 1024 * 1024;

/// Commands waiting for one session.
pub const SESSION_BACKLOG: usize = 256;

/// Messages scheduled for one session.
pub const SCHEDULED_MESSAGES: usize = 64;

/// Client ids a session remembers, so that a prompt that is sent again is recognised.
pub const REMEMBERED_CLIENT_IDS: usize = 256;

/// Answers that gave scheduled messages back and are remembered, so that one that got lost can be asked for again.
pub const GIVEN_BACK_ANSWERS: usize = 16;

/// The longest client id.
pub const CLIENT_ID_BYTES: usize = 64;

/// Days after which a session that was made and never used is forgotten.
pub const UNUSED_SESSION_DAYS: u64 = 7;

/// Seconds after which a session's task ends that nobody watches and that runs nothing.
pub const UNUSED_SESSION_SECONDS: u64 = 60;

/// Answers a page remembers, so that a second one to the same request is recognised.
pub const REMEMBERED_ANSWERS: usize = 64;

/// In a hidden tab the timer that empties the inbox is slow: beyond this many frames it is emptied at once.
pub const HIDDEN_BACKLOG: usize = 256;

/// Sessions whose rows a page keeps, so that switching back is instant.
pub const KEPT_SESSIONS: usize = 8;

/// Notices shown at once: of more the oldest go.
pub const KEPT_NOTICES: usize = 4;

/// Output of a user's shell command kept in its row.
pub const BASH_OUTPUT_BYTES: usize = 256 * 1024;

/// Images of one session kept by the server in memory, and those it knows the place of in the session's file.
pub const SESSION_IMAGES: usize = 256;
pub const SESSION_FILE_IMAGES: usize = 16_384;

/// Lines of state, and boxes beside the composer, that extensions may keep.
pub const BESIDE_KEYS: usize = 32;

/// The longest draft kept for the person's other devices.
pub const DRAFT_BYTES: usize = 256 * 1024;

/// The longest title a person gives a session.
pub const GIVEN_TITLE_BYTES: usize = 1_000;

/// Bytes of an event without a name that travel to the pages; a larger one is told by its size.
pub const RAW_EVENT_BYTES: usize = 16 * 1024;

/// What a search is for, in bytes, and what it tells at most.
pub const QUERY_BYTES: usize = 1_000;
pub const SEARCH_HITS: usize = 60;

/// Of these at most so many titles where there is more to tell: what was said needs room, too.
pub const SEARCH_TITLES: usize = 20;

/// Of these at most so many in one session, so that it does not bury the others.
pub const SEARCH_HITS_OF_SESSION: usize = 3;

/// What one search looks at before it is content with what it has: entries that fit, entries the index tells, those of
/// one session, bytes of text.
pub const SEARCH_FITTING: usize = 1_000;
pub const SEARCH_CANDIDATES: usize = 20_000;
pub const SEARCH_CANDIDATES_OF_SESSION: usize = 100;
pub const SEARCH_CANDIDATE_BYTES: usize = 32 * 1024 * 1024;

/// Pieces of words that the index is asked for in one search.
pub const SEARCH_TRIGRAMS: usize = 48;

/// Characters of a snippet.
pub const SNIPPET_CHARACTERS: usize = 160;

/// The longest line taken from a session file; a longer one is passed over and counted. A prompt with all its images
/// fits.
pub const SESSION_LINE_BYTES: usize = 64 * 1024 * 1024;

/// Places looked at for a record in a line of a session file that is none as a whole.
pub const SALVAGE_ATTEMPTS: usize = 16;

/// Bytes of a session file read at once.
pub const FILE_CHUNK_BYTES: usize = 256 * 1024;

/// Rows of a stored conversation that are kept in memory; older ones are folded again from the nearest place of those
/// that are remembered, of which there is one after so many rows.
pub const TAIL_ROWS: usize = 6 * PAGE_ROWS;
pub const CHECKPOINT_ROWS: usize = 250;

/// Conversations that are read before somebody asks for them: of so many of the newest sessions, those whose files are
/// large enough to be waited for, up to so much in all.
pub const READ_AHEAD_SESSIONS: usize = 24;
pub const READ_AHEAD_LEAST_BYTES: u64 = 512 * 1_024;
pub const READ_AHEAD_MOST_BYTES: u64 = 128 * 1_024 * 1_024;

/// Milliseconds in which changes of session files are joined, and seconds between two looks at them where they cannot
/// be watched.
pub const FILE_BURST_MILLISECONDS: u64 = 100;
pub const FILE_LOOK_SECONDS: u64 = 5;

/// Changes of session files that wait to be looked at; of more everything is looked at.
pub const FILE_EVENTS_BACKLOG: usize = 1_024;

/// Bytes of one entry that can be found by a search.
pub const SEARCHED_BYTES: usize = 64 * 1024;

/// Minutes after which the process of an agent that rests is ended, unless the configuration says otherwise.
pub const IDLE_MINUTES: f64 = 10.0;

/// Seconds a short visit to an agent may take, such as for a fork.
pub const PROBE_SECONDS: u64 = 30;

/// Seconds a first prompt waits to know which version its agent is.
pub const VERSION_SECONDS: u64 = 20;

/// Times of messages of our own that a session remembers, so that what another program writes is told from them.
pub const OWN_MESSAGES: usize = 16_384;

/// Paths that a look for files tells, and those it looks at.
pub const FOUND_FILES: usize = 50;
pub const LOOKED_AT_FILES: usize = 100_000;

/// Seconds the server waits for its agents when it ends; what has not ended by then is killed.
pub const SHUTDOWN_SECONDS: u64 = 20;

/// Seconds after which a message in the file that our own process, at work, has not told is not taken for its own.
pub const UNTOLD_SECONDS: u64 = 10;

/// Seconds after the last line another program wrote into a session during which it counts as being at work there.
pub const ELSEWHERE_SECONDS: u64 = 60;

/// The same in the middle of a run: a tool may take its time.
pub const UNFINISHED_ELSEWHERE_SECONDS: u64 = 600;

/// Milliseconds between two notes of what is being said, for the case that the server is killed.
pub const IN_FLIGHT_MILLISECONDS: u64 = 250;

/// Sessions with such a note waiting to be written, and the bytes of one; a larger message is kept as far as it was.
pub const IN_FLIGHT_SESSIONS: usize = 1_024;
pub const IN_FLIGHT_BYTES: usize = 4 * 1024 * 1024;

/// Rows kept for one session that its agent's own file does not know: of more the oldest go.
pub const SESSION_EXTRAS: usize = 1_000;

/// Entries shown of one folder in the folder picker.
pub const DIRECTORY_ENTRIES: usize = 1_000;

/// Characters of a session's title, and of the line that describes a tool call.
pub const TITLE_CHARACTERS: usize = 120;
pub const DESCRIPTION_CHARACTERS: usize = 200;

/// Lines of a search that are shown by file; a longer list is shown as it was printed.
pub const SHOWN_FOUND_LINES: usize = 400;

/// Seconds between two pings, and the silence after which a peer counts as gone.
pub const PING_SECONDS: u64 = 15;
pub const PEER_SILENCE_SECONDS: u64 = 40;

/// Seconds in which the output an agent left behind is worked off before its end is told.
pub const LAST_OUTPUT_SECONDS: u64 = 30;

/// Seconds an agent has for each step of being stopped: asked politely, then TERM, then KILL.
pub const STOP_STEP_SECONDS: u64 = 2;

/// Unchanged lines around a change of a file.
pub const DIFF_CONTEXT_LINES: usize = 3;

/// Lines compared one by one, of old and new together and without what both begin and end with; a larger change is
/// shown as one replacement.
pub const DIFF_COMPARED_LINES: usize = 20_000;

/// Differences searched for before the best way found so far is taken. Bounds the time of a comparison.
pub const DIFF_COST: usize = 256;

/// Lines a change is moved up and down to find the place where it reads best.
pub const DIFF_SLIDE_LINES: usize = 64;

/// Lines and bytes shown of the changes of one tool call; what is beyond is counted.
pub const DIFF_SHOWN_LINES: usize = 2_000;
pub const DIFF_SHOWN_BYTES: usize = 512 * 1024;

/// Marks inside lines: the longest line, the pairs of lines looked at in one change, and how much of two lines has
/// to be common for marks to help.
pub const DIFF_MARKED_LINE_BYTES: usize = 1_000;
pub const DIFF_MARKED_PAIRS: usize = 1_024;
pub const DIFF_COMMON_PERCENT: usize = 40;

/// How deep Markdown blocks nest, and inline spans within one of them; what is deeper becomes content of the deepest.
pub const MARKDOWN_DEPTH: usize = 32;

/// Bytes of a half-written bracket or tag that the live tail holds back before it shows them as they are.
pub const MARKDOWN_HELD_BYTES: usize = 200;
