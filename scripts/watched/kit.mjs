// These troubles of `network.mjs` can happen between a device and the service.
import { broken, silence } from './network.mjs';

const html = (status) =>
  new Response('<!doctype html><title>Wi-Fi</title><h1>Welcome</h1>', {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
  });

const refusal = (status, code, headers = {}) =>
  new Response(JSON.stringify({ traceId: 'trouble', data: { status, code, message: code } }), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });

const changed = async (answer, change) => {
  const text = await answer.text();
  const headers = new Headers(answer.headers);
  headers.delete('content-length');
  return new Response(change(text, headers), { status: answer.status, headers });
};

const anything = () => true;
export const isFeed = ({ kind }) => kind === 'feed';
export const isList = ({ kind }) => kind === 'list';
export const isInvoice = ({ method, path }) => method === 'GET' && path.startsWith('/v1/invoices');

export const unavailable =
  (isMeant = anything) =>
  (request) =>
    isMeant(request) ? refusal(503, 'SERVICE_UNAVAILABLE') : undefined;

/** `isSilent`: requests get no answer at all, instead of an error at once. */
export const gone = (isSilent) => (_request, _ask, signal) =>
  isSilent ? silence(signal) : Promise.reject(broken());

export const portal = () => () => html(200);

/** A block until a time: every answer says how long it still lasts. */
export const blocked = (clock, until) => () =>
  refusal(429, 'RATE_LIMIT_EXCEEDED', {
    'retry-after': String(Math.max(1, Math.ceil((until - clock.now()) / 1_000))),
  });

/** The page of a proxy, once for each kind of request. */
export const proxyPage = (status = 403) => {
  const shown = new Set();
  return ({ kind }) => {
    if (shown.has(kind)) return undefined;
    shown.add(kind);
    return html(status);
  };
};

/** Reads are answered by a replica so far behind; `choose` says for each request how far, or undefined. */
export const behind = (sandbox, choose) => (request, ask) => {
  const stale = request.method === 'GET' && choose(request);
  if (!stale) return undefined;
  const end = sandbox.fault({ method: 'GET', path: request.path, action: { stale } });
  const answer = ask();
  end();
  return answer;
};

/** The event of a change of this invoice comes as something unreadable, each time. */
export const poisoned = (invoiceId) => (request, ask) => {
  if (request.kind !== 'feed') return undefined;
  return ask().then((answer) =>
    changed(answer, (text) => {
      const page = JSON.parse(text);
      const isPoison = ({ eventType, data }) =>
        eventType === 'invoice.updated' && data?.entityId === invoiceId;
      page.items = page.items?.map((event) =>
        isPoison(event) ? { id: event.id, eventType: 17, created: null, data: 'x' } : event,
      );
      return JSON.stringify(page);
    }),
  );
};

/** Nobody can read the service's time. */
export const undated = () => (_request, ask) =>
  ask().then((answer) =>
    changed(answer, (text, headers) => {
      headers.delete('date');
      return text;
    }),
  );

/** Requests are lost with a probability, before or after they had their effect. */
export const lossy = (chance, probability) => (_request, ask) => {
  if (!chance.hits(probability)) return undefined;
  if (chance.hits(0.5)) return Promise.reject(broken());
  return ask().then(() => Promise.reject(broken()));
};
