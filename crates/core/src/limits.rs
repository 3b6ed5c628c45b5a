//! The limits on sizes, counts and times, grouped by area. Every queue and buffer has one.

// Protocol between page and server

/// The version of the protocol. The server asks a page with another version to reload.
pub const PROTOCOL_VERSION: u32 = 1;

/// The largest frame that the server accepts from a client. A prompt with all its images must fit.
pub const CLIENT_FRAME_BYTES: usize = 32 * 1024 * 1024;

/// The part of a frame that is for everything but images, such as the text of a prompt.
pub const CLIENT_FRAME_TEXT_BYTES: usize = 2 * 1024 * 1024;

/// The largest frame that the server reads in order to explain that it is too large.
pub const READ_FRAME_BYTES: usize = 2 * CLIENT_FRAME_BYTES;

/// The longest client id.
pub const CLIENT_ID_BYTES: usize = 64;

/// The commands of one client queued for the hub.
pub const CLIENT_COMMANDS: usize = 256;

/// The frames and bytes queued for one client. A client that reads more slowly is disconnected and reconnects.
pub const CLIENT_QUEUE_FRAMES: usize = 4_096;
pub const CLIENT_QUEUE_BYTES: usize = 4 * 1024 * 1024;

/// The events that a session keeps for reconnecting clients. A client that missed more gets a snapshot.
pub const EVENT_BUFFER_EVENTS: usize = 2_048;
pub const EVENT_BUFFER_BYTES: usize = 4 * 1024 * 1024;

/// The seconds between two pings, and the silence after which a peer counts as disconnected.
pub const PING_SECONDS: u64 = 15;
pub const PEER_SILENCE_SECONDS: u64 = 40;

/// The bytes of an unknown event that are sent to clients. Of a larger event only the size is sent.
pub const RAW_EVENT_BYTES: usize = 16 * 1024;

// Conversation

/// The rows in a snapshot and in a page of older rows.
pub const PAGE_ROWS: usize = 100;

/// The number of finished tool calls that the reducer remembers, so that repeated events find them.
pub const RECENT_CALLS: usize = 64;

/// The number of unfinished tool calls that the reducer remembers. Beyond that it closes the oldest.
pub const OPEN_CALLS: usize = 4_096;

/// The number of rows with a client's id that the reducer remembers, so that a repeated event adds no second row.
pub const RECENT_NAMED_ROWS: usize = 32;

/// The output of a running shell command that its row keeps.
pub const BASH_OUTPUT_BYTES: usize = 256 * 1024;

/// The longest text of a row: an answer, a prompt, an output. The row says how much of a longer one is not shown.
pub const ROW_TEXT_BYTES: usize = 1024 * 1024;

/// The size of the arguments of a tool call, and of the details of its result. Longer texts in them are cut.
pub const ROW_VALUE_BYTES: usize = 2 * 1024 * 1024;

/// The blank space at the beginning of a text block that is kept.
pub const LEADING_BLANK_BYTES: usize = 1024;

/// The number of parts of one message, and their size together. The rest is not shown.
pub const MESSAGE_PARTS: usize = 1_024;
pub const MESSAGE_BYTES: usize = 4 * 1024 * 1024;

/// The number of images in one row, and of files that a tool call names.
pub const ROW_IMAGES: usize = 100;
pub const CALL_LOCATIONS: usize = 100;

/// The longest id that an agent or a client chooses, such as that of a tool call. A longer one is shortened, or refused if
/// it has to be repeated exactly.
pub const ID_BYTES: usize = 1024;

/// The longest name, such as that of a model, a mode or a command, and the longest line of text about something.
pub const NAME_BYTES: usize = 256;
pub const LINE_BYTES: usize = 4 * 1024;

/// The longest text of a notice, an error or a login.
pub const NOTICE_BYTES: usize = 16 * 1024;

/// The number of models, commands, modes, options, or choices of an option that an agent may offer.
pub const OFFERED_ITEMS: usize = 1_000;

/// The sessions in one page of an agent's list.
pub const LISTED_SESSIONS: usize = 1_000;

/// The steps of a plan.
pub const PLAN_STEPS: usize = 500;

// Prompts and scheduled messages

/// The longest prompt, in bytes of UTF-8.
pub const PROMPT_BYTES: usize = 1024 * 1024;

/// The number of images in one prompt, and the bytes of each.
pub const PROMPT_IMAGES: usize = 8;
pub const IMAGE_BYTES: usize = 5 * 1024 * 1024;

/// The longest side of an image, in pixels. The page scales larger images down, since models do not use more.
pub const IMAGE_SIDE: u32 = 2_000;

/// The largest image file that the page reads in order to scale it down.
pub const IMAGE_FILE_BYTES: usize = 64 * 1024 * 1024;

/// The pixels of an image that the page decodes in order to scale it down: four bytes of memory each. The largest cameras
/// of phones have 200 million.
pub const IMAGE_FILE_PIXELS: u64 = 220_000_000;

/// The pixels of an image that the server accepts from a page or an agent.
pub const IMAGE_PIXELS: u64 = 40_000_000;

/// The bytes at the beginning of an image in which its size must be found.
pub const IMAGE_HEADER_BYTES: usize = 1024 * 1024;

/// The longest draft that the server stores for the user's other devices.
pub const DRAFT_BYTES: usize = 256 * 1024;

/// The number of messages scheduled for one session.
pub const SCHEDULED_MESSAGES: usize = 64;

/// The client ids that a session remembers, so that it recognises a resent prompt.
pub const REMEMBERED_CLIENT_IDS: usize = 256;

/// The results of "Restore to editor" that a session remembers, so that a client can repeat a request whose
/// response was lost.
pub const REMEMBERED_RESTORES: usize = 16;

// Page

/// The responses that a page remembers, so that it recognises a second one to the same request.
pub const REMEMBERED_RESPONSES: usize = 64;

/// The frames after which a hidden tab processes its inbox at once, because its timers are slow.
pub const HIDDEN_TAB_FRAMES: usize = 256;

/// The sessions whose rows a page keeps in memory, so that switching back is instant.
pub const CACHED_SESSIONS: usize = 8;

/// The notices shown at once. A new one removes the oldest.
pub const VISIBLE_NOTICES: usize = 4;

/// The number of status lines, and of widgets, that extensions may show, and the lines of each.
pub const EXTENSION_KEYS: usize = 32;
pub const EXTENSION_LINES: usize = 100;

// Agent processes

/// The longest line accepted from an agent. A longer one is dropped, and the user gets a notice.
pub const AGENT_LINE_BYTES: usize = 32 * 1024 * 1024;

/// The commands queued for an agent that does not read them.
pub const AGENT_COMMAND_QUEUE: usize = 1_024;

/// The chunks of an agent's output queued for its session.
pub const AGENT_OUTPUT_QUEUE: usize = 64;

/// The lines of an agent's stderr kept to explain its exit, and the length of each.
pub const STDERR_LINES: usize = 40;
pub const STDERR_LINE_BYTES: usize = 2_000;

/// The minutes after which the process of an idle agent is stopped, unless the configuration sets another value.
pub const AGENT_IDLE_MINUTES: f64 = 10.0;

/// The seconds that a short-lived agent process may take, for example for a fork.
pub const PROBE_SECONDS: u64 = 30;

/// The seconds that a first prompt waits for the agent's version.
pub const VERSION_PROBE_SECONDS: u64 = 20;

/// The seconds that an agent has to follow a stop. Then its process is ended.
pub const STOP_SECONDS: u64 = 2;

/// The milliseconds for each step of ending a process: closing its input, then TERM, then KILL.
pub const STOP_STEP_MILLISECONDS: u64 = 1_500;

/// The seconds that starting an empty sandbox may take, which shows whether the system allows it.
pub const SANDBOX_CHECK_SECONDS: u64 = 10;

/// The bytes of a shell command's output that an agent gets with the next prompt, if the server ran the command.
pub const SHELL_CONTEXT_BYTES: usize = 32 * 1024;

/// The seconds that an agent with the Agent Client Protocol has to end a turn that was cancelled. With TERM and KILL
/// everything has ended after six seconds.
pub const ACP_STOP_SECONDS: u64 = 4;

/// The number of questions and approvals of one session that may be open at the same time.
pub const OPEN_ASKS: usize = 64;

/// The size of one question or approval, and of all that are open in one session. A larger approval is shown in part, and
/// can only be rejected; one that does not fit beside the others is declined.
pub const ASK_BYTES: usize = 1024 * 1024;
pub const ASK_LIST_BYTES: usize = 2 * 1024 * 1024;

/// The limits for displaying a question that is too large: its longest text, and the number of its answers or fields.
pub const ASK_CUT_BYTES: usize = 64 * 1024;
pub const ASK_CUT_ANSWERS: usize = 50;

/// The bytes of the text of one approval in the audit log. Its hash covers all of it.
pub const AUDIT_TEXT_BYTES: usize = 64 * 1024;

/// The newest entries of the audit log that the settings show, and the bytes of the log that are read for them.
pub const AUDIT_SHOWN_ENTRIES: usize = 100;
pub const AUDIT_READ_BYTES: u64 = 1024 * 1024;

/// The number of sub-agents of one session whose output is shown.
pub const SUBAGENTS: usize = 256;

/// The length of an agent's name, which is also the name of a folder.
pub const AGENT_NAME_BYTES: usize = 60;

/// The sessions at agents whose folders are remembered from their lists.
pub const LISTED_AGENT_SESSIONS: usize = 10_000;

/// The seconds that an agent may be silent while it starts and opens a session.
pub const AGENT_START_SECONDS: u64 = 60;

/// The seconds that an agent may take to start and to open a session, however much it writes meanwhile.
pub const AGENT_LOAD_SECONDS: u64 = 15 * 60;

/// The number of HTTP connections. Sockets of pages are not counted.
pub const CONNECTIONS: usize = 256;

/// The seconds that a connection may take to send the head of a request, from its beginning or the last response.
pub const REQUEST_HEAD_SECONDS: u64 = 30;

/// The output of a program that is asked for its version. The rest is dropped.
pub const PROBE_OUTPUT_BYTES: u64 = 64 * 1024;

/// The number of agents that are discovered at the same time.
pub const DISCOVERED_AT_ONCE: usize = 2;

/// The seconds for processing an agent's remaining output before its exit is reported.
pub const LAST_OUTPUT_SECONDS: u64 = 30;

/// The seconds that the server waits for its agents on shutdown. Then it kills them.
pub const SHUTDOWN_SECONDS: u64 = 20;

// Sessions

/// The commands queued for one session.
pub const SESSION_COMMAND_QUEUE: usize = 256;

/// The days after which a session that was created but never used is removed.
pub const UNUSED_SESSION_DAYS: u64 = 7;

/// The seconds after which the task of a session without clients and without a run ends.
pub const SESSION_TASK_IDLE_SECONDS: u64 = 60;

/// The images of one session that the server keeps in memory, and those whose position in the session file it
/// knows.
pub const SESSION_IMAGES: usize = 256;
pub const SESSION_FILE_IMAGES: usize = 16_384;

/// The longest title that a user can set.
pub const TITLE_BYTES: usize = 1_000;

/// The milliseconds between two writes of the message that is being streamed. If the server is killed, the last
/// write remains.
pub const IN_FLIGHT_MILLISECONDS: u64 = 250;

/// The sessions whose streamed message is queued for writing, and the bytes of one. A larger message is stored
/// only up to this size.
pub const IN_FLIGHT_SESSIONS: usize = 1_024;
pub const IN_FLIGHT_BYTES: usize = 4 * 1024 * 1024;

/// The rows stored for one session that the agent's own file does not contain. A new one removes the oldest.
pub const SESSION_EXTRAS: usize = 1_000;

// Other programs that write the same session file

/// The times of its own messages that a session remembers, to distinguish them from those of another program.
pub const REMEMBERED_MESSAGE_TIMES: usize = 16_384;

/// The seconds after which a message in the file that our own process has not reported counts as another
/// program's.
pub const UNREPORTED_MESSAGE_SECONDS: u64 = 10;

/// The seconds after the last line of another program during which it counts as active.
pub const EXTERNAL_WRITER_SECONDS: u64 = 60;

/// The same within an unfinished run, since a tool may take a long time.
pub const EXTERNAL_WRITER_RUN_SECONDS: u64 = 600;

/// The seconds between two searches for programs that have a session open, while the session is shown.
pub const PROGRAM_SCAN_SECONDS: u64 = 5;

/// The processes that a search for such programs looks at, the bytes of one's arguments and environment that it reads, and
/// the child processes of one program.
pub const SCANNED_PROCESSES: usize = 32_768;
pub const PROCESS_BYTES: u64 = 256 * 1024;
pub const PROCESS_CHILDREN: usize = 32;

/// The sessions whose takeover is remembered after their task has ended, and the programs of one.
pub const REMEMBERED_TAKEOVERS: usize = 256;
pub const TAKEN_OVER_PROGRAMS: usize = 16;

// Session files and history

/// The longest line accepted from a session file. A longer one is skipped and counted. A prompt with all its
/// images fits.
pub const SESSION_LINE_BYTES: usize = 64 * 1024 * 1024;

/// The places in a damaged line at which a record is searched for.
pub const SALVAGE_ATTEMPTS: usize = 16;

/// The bytes of a session file read at once.
pub const FILE_CHUNK_BYTES: usize = 256 * 1024;

/// The rows of a stored conversation kept in memory. Older rows are folded again from the nearest checkpoint; the
/// second number is the distance between checkpoints.
pub const TAIL_ROWS: usize = 6 * PAGE_ROWS;
pub const CHECKPOINT_ROWS: usize = 250;

/// The places of a conversation at which other branches are listed, and the branches at one place. The rest is counted.
pub const BRANCH_POINTS: usize = 32;
pub const BRANCHES_AT_POINT: usize = 8;

/// The largest entry that is read for the preview of a branch, and the longest id that becomes part of an address.
pub const BRANCH_ENTRY_BYTES: usize = 1024 * 1024;
pub const BRANCH_ID_BYTES: usize = 128;

/// The newest sessions that are read before a client opens them, the size from which a file is worth it, and the
/// total size.
pub const READ_AHEAD_SESSIONS: usize = 24;
pub const READ_AHEAD_MIN_BYTES: u64 = 512 * 1_024;
pub const READ_AHEAD_TOTAL_BYTES: u64 = 128 * 1_024 * 1_024;

/// The milliseconds for which changes of session files are collected before they are processed, and the seconds
/// between two checks of files that cannot be watched.
pub const FILE_DEBOUNCE_MILLISECONDS: u64 = 100;
pub const FILE_POLL_SECONDS: u64 = 5;

/// The queued changes of session files. If there are more, all files are checked.
pub const FILE_EVENT_QUEUE: usize = 1_024;

// Search

/// The longest query, in bytes.
pub const QUERY_BYTES: usize = 1_000;

/// The number of results, how many of them may be titles if there are other results, and how many may be from one
/// session.
pub const SEARCH_HITS: usize = 60;
pub const SEARCH_TITLE_HITS: usize = 20;
pub const SEARCH_HITS_PER_SESSION: usize = 3;

/// The limits after which a search stops: verified matches, candidates from the index, candidates from one
/// session, and bytes of text.
pub const SEARCH_MATCHES: usize = 1_000;
pub const SEARCH_CANDIDATES: usize = 20_000;
pub const SEARCH_CANDIDATES_PER_SESSION: usize = 100;
pub const SEARCH_CANDIDATE_BYTES: usize = 32 * 1024 * 1024;

/// The trigrams looked up in the index for one search.
pub const SEARCH_TRIGRAMS: usize = 48;

/// The characters of a snippet.
pub const SNIPPET_CHARACTERS: usize = 160;

/// The bytes of one entry that are indexed.
pub const SEARCHABLE_BYTES: usize = 64 * 1024;

// Files and folders of a project

/// The number of paths that a file search returns, and the number it looks at.
pub const FOUND_FILES: usize = 50;
pub const SCANNED_FILES: usize = 100_000;

/// The entries of one folder shown in the folder picker.
pub const DIRECTORY_ENTRIES: usize = 1_000;

/// The longest path that a client may send.
pub const PATH_BYTES: usize = 4_096;

/// The allowed folders that a refusal names.
pub const NAMED_ROOTS: usize = 5;

// Descriptions and tool views

/// The characters of a session's title, and of the line that describes a tool call.
pub const TITLE_CHARACTERS: usize = 120;
pub const DESCRIPTION_CHARACTERS: usize = 200;

/// The lines of a tool's search results that are grouped by file. Longer results are shown unchanged.
pub const SHOWN_MATCH_LINES: usize = 400;

// Diffs

/// The unchanged lines around a change.
pub const DIFF_CONTEXT_LINES: usize = 3;

/// The lines of both sides together, without common beginning and end, up to which they are compared. A larger
/// change is shown as one replacement.
pub const DIFF_COMPARED_LINES: usize = 20_000;

/// The number of differences after which a search for the shortest path stops. Bounds the time of a comparison.
pub const DIFF_COST: usize = 256;

/// The lines by which a change may be moved to where it reads best.
pub const DIFF_SLIDE_LINES: usize = 64;

/// The lines and bytes shown for the changes of one tool call. The rest is counted.
pub const DIFF_SHOWN_LINES: usize = 2_000;
pub const DIFF_SHOWN_BYTES: usize = 512 * 1024;

/// Limits for marking words in changed lines: the longest line, the pairs of lines compared in one change, and the
/// percentage of common text that two lines need.
pub const DIFF_MARKED_LINE_BYTES: usize = 1_000;
pub const DIFF_MARKED_PAIRS: usize = 1_024;
pub const DIFF_COMMON_PERCENT: usize = 40;

// Markdown

/// The maximum nesting of blocks, and of inline spans within a block. Deeper content is moved into the deepest
/// level.
pub const MARKDOWN_DEPTH: usize = 32;

/// The bytes of an unfinished bracket or tag that are held back. A longer one is shown as text.
pub const MARKDOWN_HELD_BYTES: usize = 200;

// Database

/// The writes queued for the database, and the number of them that share one commit.
pub const STORE_QUEUE_JOBS: usize = 8_192;
pub const STORE_BATCH_JOBS: usize = 512;

/// How often reading a table of a damaged database continues behind a damaged place.
pub const SALVAGE_RESTARTS: usize = 1_000;

/// The hours for which a pairing link is valid, unless it is used before.
pub const PAIRING_HOURS: u64 = 24;

/// The number of pairing links that are valid at the same time. A new one replaces the oldest.
pub const PAIRING_CODES: usize = 32;

/// The number of devices that have access.
pub const DEVICES: usize = 256;

/// The longest name of a device, in characters.
pub const DEVICE_NAME_CHARS: usize = 60;

/// The days after which a device that was not used loses its access, unless configured otherwise.
pub const DEVICE_DAYS: f64 = 90.0;

/// The number of wrong credentials within a minute, from one address and from all, after which more are refused.
pub const WRONG_CREDENTIALS: usize = 10;
