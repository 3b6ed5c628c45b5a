// Records the commands that the page sends over its socket; repeats, drops or loses frames on demand.
(() => {
    const wire = window.wire = { sent: [], repeat: null, drop: 0, lose: null };
    window.WebSocket = class extends WebSocket {
        constructor(address, protocols) {
            super(address, protocols);
            this.addEventListener('message', (event) => {
                const frame = JSON.parse(event.data);
                if (!event.isTrusted) return;
                if (frame.type === 'response' && frame.command === wire.repeat) {
                    wire.repeat = null;
                    for (const _ of [1, 2]) this.dispatchEvent(new MessageEvent('message', { data: event.data }));
                }
                if (frame.type === 'response' && frame.command === wire.lose) {
                    wire.lose = null;
                    event.stopImmediatePropagation();
                    this.close();
                }
                if (frame.type === 'event' && wire.drop > 0) {
                    wire.drop -= 1;
                    event.stopImmediatePropagation();
                }
            });
        }
        send(text) {
            wire.sent.push(JSON.parse(text).type);
            super.send(text);
        }
    };
})();
