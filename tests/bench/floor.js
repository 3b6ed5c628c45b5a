// The floor: shows the same frames of the same server with the least work. No Markdown, only the last rows, one update
// per animation frame, and a block per line, so that the browser lays out only the last line of a growing text. It has
// the same attributes for tests as the page, so that both are measured in the same way.

const BUILT = 60;

const sessions = new Map();
let shown;
let planned = false;
let requests = 0;

const main = document.querySelector('main');
const log = document.querySelector('[role=log]');
const field = document.querySelector('textarea');
// The fragment of the address: the session to show first, and a pairing code for a browser without access.
const address = new URLSearchParams(location.hash.slice(1));
let socket;

function send(type, fields) {
    requests += 1;
    socket.send(JSON.stringify({ id: `floor-${requests}`, type, ...fields }));
}

function textOf(row) {
    return row.tool_step ? `${row.tool_step.tool_name} ${JSON.stringify(row.tool_step.tool_args)}` : (row.text ?? '');
}

// Appends text to a row: the rest of its last line, then a block per line.
function append(row, text) {
    const [rest, ...lines] = text.split('\n');
    if (!row.line) lines.unshift(rest);
    else if (rest) row.line.append(rest);
    for (const line of lines) {
        row.line = document.createElement('div');
        row.line.append(line);
        row.element.append(row.line);
    }
}

function build(row) {
    row.element = document.createElement('div');
    row.element.dataset.messageId = row.id;
    row.element.dataset.kind = row.kind;
    row.line = undefined;
    append(row, textOf(row));
    log.append(row.element);
    if (log.childElementCount > BUILT) log.firstElementChild.remove();
}

function toEnd() {
    log.scrollTop = log.scrollHeight;
}

function show(id) {
    shown = id;
    const session = sessions.get(id);
    if (!session) return send('open_session', { session_id: id });
    main.dataset.sessionId = id;
    main.dataset.state = session.state;
    log.replaceChildren();
    session.rows.slice(-BUILT).forEach(build);
    toEnd();
}

function add(session, kind, text) {
    const row = { id: `floor-row-${session.rows.length}`, kind, text };
    session.rows.push(row);
    if (session.id === shown) build(row);
    return row;
}

function apply(session, event) {
    if (event.type === 'session_state') {
        session.state = event.state;
        if (session.id === shown) main.dataset.state = event.state;
    } else if (event.type === 'message_end' && event.message.role === 'user') {
        add(session, 'user', event.message.content.map((part) => part.text).join(''));
    } else if (event.type === 'message_start' && event.message.role === 'assistant') {
        session.live = add(session, 'assistant', '');
    } else if (event.type === 'message_update' && event.update.type === 'text_delta') {
        session.live.text += event.update.delta;
        session.added += event.update.delta;
    }
}

// Once per animation frame.
function settle() {
    planned = false;
    for (const session of sessions.values()) {
        session.events.forEach((event) => apply(session, event));
        session.events = [];
        if (session.added && session.id === shown) {
            append(session.live, session.added);
            toEnd();
        }
        session.added = '';
    }
}

function plan() {
    if (!planned) requestAnimationFrame(settle);
    planned = true;
}

const take = {
    welcome(frame) {
        for (const session of frame.sessions) {
            const link = document.createElement('a');
            link.dataset.sessionId = session.id;
            link.textContent = session.title;
            link.onclick = () => show(session.id);
            document.querySelector('nav').append(link);
        }
        document.body.dataset.connection = 'open';
    },
    snapshot(frame) {
        const { session_id: id, state, messages: rows } = frame;
        sessions.set(id, { id, state, rows, events: [], added: '' });
        if (id === shown) requestAnimationFrame(() => show(id));
    },
    event(frame) {
        sessions.get(frame.session_id)?.events.push(frame.event);
        plan();
    },
};

function connect() {
    socket = new WebSocket(`ws://${location.host}/api/socket`, ['pilothouse', `pilothouse.bearer.${localStorage.credential}`]);
    socket.onopen = () => {
        send('hello', { version: 1, sessions: [] });
        if (address.has('session')) show(address.get('session'));
    };
    socket.onmessage = (message) => {
        const frame = JSON.parse(message.data);
        take[frame.type]?.(frame);
    };
}

// Exchanges the pairing code for a credential, as the page does.
async function enter() {
    if (!localStorage.credential) {
        const headers = { 'content-type': 'application/json' };
        const body = JSON.stringify({ code: address.get('pair') });
        const response = await fetch('/api/access', { method: 'POST', headers, body });
        localStorage.credential = (await response.json()).credential;
    }
    connect();
}

field.onkeydown = (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    send('prompt', { session_id: shown, client_id: `floor-${Date.now()}`, message: field.value });
    field.value = '';
};

enter();
