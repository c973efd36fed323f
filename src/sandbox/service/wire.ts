import type { Clock } from '../../core/time.ts';
import type { MovableClock } from '../time/clock.ts';
import { type FaultAction, type InsteadAction, memberOf } from '../faults/request-faults.ts';
import { envelopeOf } from '../world/refusals.ts';
import { jsonResponse, type OutgoingResponse } from '../world/outgoing.ts';

/** A request as read at the moment of its arrival; only a stream has to be waited for. */
export interface ArrivedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: () => string | undefined | Promise<string>;
  readonly signal: AbortSignal | undefined;
}

/** Reads what `fetch` was given; a path alone belongs to `origin`. */
export function readRequest(
  input: string | URL | Request,
  init: RequestInit,
  origin: string,
  clock: Clock,
): ArrivedRequest {
  const body = init.body ?? undefined;
  if (typeof input !== 'object' || !('method' in input)) {
    const { method = 'GET', signal } = init;
    const headers = new Headers(init.headers);
    const read =
      typeof body === 'string' || body === undefined
        ? () => body
        : () => clock.external(new Response(body).text());
    return {
      method: method.toUpperCase(),
      url: new URL(input, origin),
      headers,
      body: read,
      signal: signal ?? undefined,
    };
  }
  const request =
    init.method || body !== undefined || init.headers || init.signal
      ? new Request(input, init)
      : input;
  const read = (): undefined | Promise<string> =>
    request.body === null ? undefined : clock.external(request.text());
  return {
    method: request.method,
    url: new URL(request.url),
    headers: request.headers,
    body: read,
    signal: request.signal,
  };
}

/** What a broken connection looks like to a client: a fault breaks it, and nothing else. */
export class ConnectionLost extends TypeError {
  constructor() {
    super('the connection was lost');
  }
}

export function connectionLost(): TypeError {
  return new ConnectionLost();
}

/** The response of something between client and service, such as a proxy. */
export function standIn({
  status,
  code,
  values,
  html,
  headers = {},
}: InsteadAction): OutgoingResponse {
  if (html !== undefined)
    return {
      status,
      headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
      body: html,
    };
  if (code === undefined) return { status, headers: { ...headers }, body: null };
  const outgoing = jsonResponse(
    status,
    envelopeOf({ code, values, validationErrors: undefined }, 'fault', status),
  );
  return { ...outgoing, headers: { ...outgoing.headers, ...headers } };
}

/** Makes the `Response`; reading its body counts as work that virtual time waits for. */
export function responseOf(
  { status, headers, body }: OutgoingResponse,
  fault: FaultAction | undefined,
  clock: MovableClock,
): Response {
  const content = status === 204 || status === 205 || status === 304 ? null : body || null;
  const stream =
    content === null || fault === undefined ? undefined : damageBody(content, fault, clock);
  const response = new Response(stream ?? content, {
    status,
    headers: fault === 'undecodable' ? { ...headers, 'content-encoding': 'gzip' } : headers,
  });
  return Object.defineProperties(response, readersOf(clock));
}

const READERS = /* @__PURE__ */ new WeakMap<Clock, PropertyDescriptorMap>();

/** Ways to read a body that hold the clock; made once, as they know their response by `this`. */
function readersOf(clock: Clock): PropertyDescriptorMap {
  const known = READERS.get(clock);
  if (known) return known;
  const readers: PropertyDescriptorMap = {};
  for (const name of ['text', 'json', 'arrayBuffer', 'blob', 'bytes'] as const) {
    const usual = (
      Response.prototype as unknown as Record<
        string,
        ((this: Response) => Promise<unknown>) | undefined
      >
    )[name];
    if (usual)
      readers[name] = {
        value(this: Response) {
          return clock.external(usual.call(this));
        },
      };
  }
  READERS.set(clock, readers);
  return readers;
}

/** A body as a fault damages it; absent where the fault does not concern bodies. */
function damageBody(
  content: string,
  fault: FaultAction,
  clock: MovableClock,
): ReadableStream<Uint8Array<ArrayBuffer>> | undefined {
  const bytes = new TextEncoder().encode(content);
  if (fault === 'cut-body')
    return streamOf(breakAfter([bytes.slice(0, bytes.length >> 1)], connectionLost()));
  if (fault === 'undecodable')
    return streamOf(breakAfter([], new TypeError('the body cannot be decoded')));
  const padding = memberOf(fault, 'padding')?.padding;
  if (padding !== undefined) return streamOf(padBody(padding, bytes));
  const drip = memberOf(fault, 'drip')?.drip;
  return !drip ? undefined : streamOf(dripBody(bytes, () => clock.inside(clock.wait(drip))));
}

type Chunks = AsyncGenerator<Uint8Array<ArrayBuffer>>;

async function* breakAfter(chunks: readonly Uint8Array<ArrayBuffer>[], error: Error): Chunks {
  yield* chunks;
  throw error;
}

async function* padBody(padding: number, bytes: Uint8Array<ArrayBuffer>): Chunks {
  const spaces = new Uint8Array(65_536).fill(32);
  for (let left = padding; left > 0; left -= spaces.length) yield spaces.slice(0, left);
  yield bytes;
}

async function* dripBody(bytes: Uint8Array<ArrayBuffer>, pause: () => Promise<void>): Chunks {
  for (let at = 0; at < bytes.length; at++) {
    await pause();
    yield bytes.slice(at, at + 1);
  }
}

function streamOf(chunks: Chunks): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => void chunks.return(undefined),
  });
}

/** The work's result, or the signal's reason as soon as it aborts; the work itself goes on. */
export function unlessAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
