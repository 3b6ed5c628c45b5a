// Runs before the page's own scripts and records what no text may ever cause: a call of `pwned`, a dialog, a violation
// of the content policy, an element or attribute that the page does not use, a link to another site.
(() => {
    const seen = (window.seen = []);
    const note = (what, detail) => seen.length < 100 && seen.push(`${what}: ${String(detail).slice(0, 300)}`);

    const call = (name) => () => note(name, new Error().stack);
    for (const name of ['pwned', 'alert', 'confirm', 'prompt', 'print']) {
        Object.defineProperty(window, name, { value: call(name) });
    }
    document.addEventListener('securitypolicyviolation', (event) =>
        note('policy', `${event.effectiveDirective} ${event.blockedURI}`),
    );
    window.addEventListener('error', (event) => {
        if (!String(event.message).includes('ResizeObserver loop')) note('error', event.message ?? event.type);
    });
    window.addEventListener('unhandledrejection', (event) => note('rejection', event.reason));
    performance.setResourceTimingBufferSize(20000);

    const set = (words) => new Set(words.split(' '));
    const inRows = set(
        'a article blockquote br button code del div em h2 h3 h4 h5 h6 hr img li mark ol p path pre section span strong ' +
            'svg table tbody td th thead tr ul',
    );
    const elsewhere = set(
        'bdi body circle dd details dialog dl dt fieldset form h1 header input kbd label legend main nav noscript option q ' +
            'select summary textarea',
    );
    const loading = set(
        'action archive background code data formaction manifest ping poster srcdoc srcset xlink:href',
    );
    const picture = /^data:image\/(png|jpeg|gif|webp);base64,/;

    const leadsAway = (link, inRow) => {
        const url = new URL(link.href, location.href);
        if (!inRow && url.origin === location.origin) return false;
        const apart = ['noopener', 'noreferrer'].every((word) => link.rel.split(' ').includes(word));
        return !['http:', 'https:', 'mailto:'].includes(url.protocol) || !apart || link.target !== '_blank';
    };
    const ownPicture = (source) => {
        const url = new URL(source, location.href);
        return picture.test(source) || (url.origin === location.origin && url.pathname.includes('/api/'));
    };

    const look = (element) => {
        const inRow = element.closest('[data-message-id]') !== null;
        const name = element.localName;
        if (!inRows.has(name) && (inRow || !elsewhere.has(name))) note('element', element.outerHTML);
        for (const attribute of element.attributes) {
            const { name: key, value } = attribute;
            const bad =
                key.startsWith('on') ||
                loading.has(key) ||
                (key === 'style' && (inRow || /url|image-set|expression|import/i.test(value))) ||
                (key === 'href' && (name !== 'a' || leadsAway(element, inRow))) ||
                (key === 'src' && (name !== 'img' || !ownPicture(value)));
            if (bad) note('attribute', `${key}=${value} of ${element.outerHTML}`);
        }
    };
    window.lookAround = () => document.querySelectorAll('body, body *').forEach(look);

    new MutationObserver((changes) => {
        for (const { target, addedNodes, type } of changes) {
            if (!document.body?.contains(target)) continue;
            if (type === 'attributes') look(target);
            for (const node of addedNodes) {
                if (node.nodeType !== Node.ELEMENT_NODE) continue;
                look(node);
                node.querySelectorAll('*').forEach(look);
            }
        }
    }).observe(document, { childList: true, subtree: true, attributes: true });
})();
