// Troubles that can happen between a device and the service.
import type { Clock } from 'paystate';
import type { Sandbox } from 'paystate/sandbox';
import type { Chance } from '../chance.ts';
import { broken, silence, type Trouble, type WireRequest } from './network.ts';

const html = (status: number): Response =>
  new Response('<!doctype html><title>Wi-Fi</title><h1>Welcome</h1>', {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
  });

function refusal(
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const body = { traceId: 'trouble', data: { status, code, message: code } };
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** The same response with another body, or other headers. */
async function changed(
  response: Response,
  change: (text: string, headers: Headers) => string,
): Promise<Response> {
  const text = await response.text();
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return new Response(change(text, headers), { status: response.status, headers });
}

type Meant = (request: WireRequest) => boolean;

export const isFeed: Meant = ({ kind }) => kind === 'feed';
export const isList: Meant = ({ kind }) => kind === 'list';
export const isInvoice: Meant = ({ method, path }) =>
  method === 'GET' && path.startsWith('/v1/invoices');

export const unavailable =
  (isMeant: Meant = () => true): Trouble =>
  (request) =>
    isMeant(request) ? refusal(503, 'SERVICE_UNAVAILABLE') : undefined;

/** `isSilent`: requests get no answer at all, instead of an error at once. */
export const gone =
  (isSilent: boolean): Trouble =>
  (_request, _ask, signal) =>
    isSilent ? silence(signal) : Promise.reject(broken());

export const portal = (): Trouble => () => html(200);

/** A block until a time: every answer says how long it still lasts. */
export const blocked =
  (clock: Clock, until: number): Trouble =>
  () => {
    const left = Math.max(1, Math.ceil((until - clock.now()) / 1_000));
    return refusal(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': String(left) });
  };

/** The page of a proxy, once for each kind of request. */
export function proxyPage(status: number): Trouble {
  const shown = new Set<string>();
  return ({ kind }) => {
    if (shown.has(kind)) return undefined;
    shown.add(kind);
    return html(status);
  };
}

/** Says how far behind the replica is that answers a read, milliseconds; `undefined` for the truth. */
export type Lag = (request: WireRequest) => number | undefined;

/** Reads are answered by a replica that is behind. */
export const behind =
  (sandbox: Sandbox, lagOf: Lag): Trouble =>
  (request, ask) => {
    const stale = request.method === 'GET' ? lagOf(request) : undefined;
    if (!stale) return undefined;
    const end = sandbox.fault({ method: 'GET', path: request.path, action: { stale } });
    const answer = ask();
    end();
    return answer;
  };

interface EventItem {
  readonly id: string;
  readonly eventType?: string;
  readonly data?: { readonly entityId?: string };
}

/** The event of a change of this invoice comes as something unreadable, each time. */
export function poisoned(invoiceId: string): Trouble {
  const isPoison = ({ eventType, data }: EventItem): boolean =>
    eventType === 'invoice.updated' && data?.entityId === invoiceId;
  const change = (text: string): string => {
    const page = JSON.parse(text) as { readonly items?: readonly EventItem[] };
    const items = page.items?.map((event) =>
      isPoison(event) ? { id: event.id, eventType: 17, created: null, data: 'x' } : event,
    );
    return JSON.stringify({ ...page, items });
  };
  return (request, ask) =>
    request.kind === 'feed' ? ask().then((response) => changed(response, change)) : undefined;
}

/** Nobody can read the service's time. */
export const undated = (): Trouble => (_request, ask) =>
  ask().then((response) =>
    changed(response, (text, headers) => {
      headers.delete('date');
      return text;
    }),
  );

/** Requests are lost with a probability, before or after they had their effect. */
export const lossy =
  (chance: Chance, probability: number): Trouble =>
  (_request, ask) => {
    if (!chance.hits(probability)) return undefined;
    if (chance.hits(0.5)) return Promise.reject(broken());
    return ask().then(() => Promise.reject(broken()));
  };
