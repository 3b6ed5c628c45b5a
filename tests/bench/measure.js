// Measures a page from inside, the same way whichever page it is: it knows nothing but the attributes that are promised
// to tests. In place before the page's own scripts.

window.measure = (() => {
    const MOMENT = 100;
    const tasks = [];
    const keys = [];
    const memories = [];
    let pressed = 0;
    let stream = {};

    // When the first piece of an answer arrives is when the page begins to be measured, and not the server.
    window.WebSocket = class extends WebSocket {
        constructor(address) {
            super(address);
            this.addEventListener('message', (event) => {
                if (!stream.arrived && event.data.includes('"text_delta"')) stream.arrived = performance.now();
            });
        }
    };

    for (const name of ['instantiate', 'instantiateStreaming']) {
        const own = WebAssembly[name];
        WebAssembly[name] = async (...given) => {
            const made = await own(...given);
            memories.push((made.instance ?? made).exports.memory);
            return made;
        };
    }

    new PerformanceObserver((list) => tasks.push(...list.getEntries())).observe({ type: 'longtask', buffered: true });

    // Resolves with the time once what stands there now has been painted.
    const painted = () =>
        new Promise((done) => {
            requestAnimationFrame(() => {
                const { port1, port2 } = new MessageChannel();
                port1.onmessage = () => done(performance.now());
                port2.postMessage(null);
            });
        });

    // From the moment the browser got the key to the paint that shows its letter. Only while an answer comes.
    addEventListener('keydown', (event) => (pressed = event.timeStamp), true);
    addEventListener('input', () => {
        const since = pressed;
        if (stream.arrived) painted().then((now) => keys.push(now - since));
    });

    const until = (holds) =>
        new Promise((done) => {
            if (holds()) return done();
            const observer = new MutationObserver(() => {
                if (!holds()) return;
                observer.disconnect();
                done();
            });
            observer.observe(document.body, { subtree: true, childList: true, attributes: true });
        });

    // Whoever goes to another conversation has looked at this one: nothing has changed for a moment.
    const rest = () =>
        new Promise((done) => {
            let timer;
            const observer = new MutationObserver(() => wait());
            const wait = () => {
                clearTimeout(timer);
                timer = setTimeout(() => {
                    observer.disconnect();
                    done();
                }, MOMENT);
            };
            observer.observe(document.body, { subtree: true, childList: true, attributes: true });
            wait();
        });

    const lastAnswer = () => [...document.querySelectorAll('[role=log] [data-kind=assistant]')].at(-1);

    return {
        async show(id) {
            await rest();
            const start = performance.now();
            document.querySelector(`nav [data-session-id="${id}"]`).click();
            await until(() => document.querySelector(`main[data-session-id="${id}"] [role=log] [data-message-id]`));
            return (await painted()) - start;
        },

        // What happens from now on until the run that is about to begin has ended, with these words.
        begin(end) {
            const own = { updates: 0, first: 0, last: 0, done: false };
            stream = own;
            keys.length = 0;
            tasks.length = 0;
            let frame;
            const changes = new MutationObserver(() => {
                // The same for everything that is drawn at once.
                const now = document.timeline.currentTime;
                if (now === frame || !own.arrived) return;
                frame = now;
                own.updates += 1;
                own.last = performance.now();
                own.first ||= own.last;
            });
            const log = document.querySelector('[role=log]');
            changes.observe(log, { subtree: true, childList: true, characterData: true });
            const main = document.querySelector('main');
            const before = lastAnswer();
            // Of a run that begins and ends within a frame no state is ever shown but the last.
            const whole = new MutationObserver(async () => {
                if (main.dataset.state !== 'completed' || lastAnswer() === before) return;
                if (!lastAnswer().textContent.includes(end)) return;
                whole.disconnect();
                const now = await painted();
                changes.disconnect();
                own.took = now - own.arrived;
                own.done = true;
            });
            whole.observe(log, { subtree: true, childList: true, characterData: true });
            whole.observe(main, { attributes: true, attributeFilter: ['data-state'] });
        },

        end() {
            const sorted = keys.toSorted((a, b) => a - b);
            return {
                took: stream.took,
                updates: stream.updates / (Math.max(1, stream.last - stream.first) / 1000),
                key: sorted[Math.floor(sorted.length * 0.95)] ?? 0,
                keys: keys.length,
                task: Math.max(0, ...tasks.map((task) => task.duration)),
                letters: lastAnswer().textContent.length,
            };
        },

        isDone: () => stream.done,

        // Which the browser does not count to the heap of scripts.
        wasmBytes: () => [...new Set(memories)].reduce((sum, memory) => sum + (memory?.buffer.byteLength ?? 0), 0),

        // What was loaded, as it came over the wire; what a page fetches for itself when it stands is not its first load.
        loaded: () =>
            performance
                .getEntriesByType('resource')
                .filter((entry) => /\.(wasm|js|css)$/.test(new URL(entry.name).pathname))
                .map((entry) => ({
                    name: entry.name,
                    bytes: entry.encodedBodySize,
                    later: entry.initiatorType === 'fetch' && entry.name.includes('/later-'),
                })),
    };
})();
