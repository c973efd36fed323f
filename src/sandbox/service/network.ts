import type { Bucket } from '../../core/http/index.ts';
import type { Clock } from '../../core/time.ts';
import { drawFault, type FaultAction, type InsteadAction, readMember } from '../faults/rules.ts';
import { applyRewrite } from '../faults/rewrite.ts';
import type { BehaviourId } from '../provenance/recorder.ts';
import type { ReadOptions } from '../query/lists.ts';
import type { MovableClock } from '../time/clock.ts';
import { ticksOfMillis } from '../time/instants.ts';
import type { World } from '../world/world.ts';
import { makeEnvelope, jsonResponse, type OutgoingResponse } from '../world/responses.ts';
import type { RouteMatch } from './incoming.ts';
import type { Service } from './service.ts';

/** A request in the sandbox's log. */
export interface LogEntry {
  /** Request number, counting from 1. */
  readonly call: number;
  /** Time when the request arrived, in milliseconds since 1970 on the sandbox's clock. */
  readonly at: number;
  /** HTTP method in upper case, such as `POST`. */
  readonly method: string;
  /** Request path, without the query string. */
  readonly path: string;
  /** Query string including the question mark. Empty if there is none. */
  readonly query: string;
  /** Source IP address. Rate limits apply per IP address. */
  readonly address: string;
  /** Rate-limit bucket that the request counts toward. */
  readonly bucket: Bucket;
  /** Fault that was applied to the request. */
  readonly fault?: FaultAction;
  /**
   * Ids of the behaviors that the response relies on, riskiest first. Absent if the service didn't
   * respond.
   */
  readonly behaviours?: readonly BehaviourId[];
  /** Response status. Absent while the request is in progress or if there was no response. */
  readonly status?: number;
  /** Internal sandbox error, if the sandbox responded with 500. Please report it. */
  readonly failure?: string;
}

type WritableLogEntry = LogEntry & {
  status?: number;
  behaviours?: readonly BehaviourId[];
  failure?: string;
};

/**
 * Simulates the network between clients and the service. Keeps requests in order of arrival,
 * applies faults and writes the log.
 */
export class SandboxNetwork {
  readonly log: LogEntry[] = [];
  readonly #world: World;
  readonly #clock: MovableClock;
  readonly #service: Service;
  /** Base URL for requests that only have a path. */
  readonly #origin: string;
  #lastBody: Promise<unknown> = Promise.resolve();

  constructor(world: World, clock: MovableClock, service: Service, origin: string) {
    this.#world = world;
    this.#clock = clock;
    this.#service = service;
    this.#origin = origin;
  }

  async send(
    address: string,
    input: string | URL | Request,
    init: RequestInit = {},
  ): Promise<Response> {
    const clock = this.#clock;
    const service = this.#service;
    const arrived = readRequest(input, init, this.#origin, clock);
    const { method, url, signal, headers } = arrived;
    signal?.throwIfAborted();
    const destination = service.find(method, url.pathname);
    const fault = drawFault(this.#world, method, url.pathname, () => service.accountOf(headers));
    const entry: WritableLogEntry = {
      call: this.log.length + 1,
      at: clock.now(),
      method,
      path: url.pathname,
      query: url.search,
      address,
      bucket: destination.bucket,
      ...(fault !== undefined && { fault }),
    };
    this.log.push(entry);
    if (method !== 'GET') clock.changed?.();
    return unlessAborted(signal, this.#deliver(arrived, destination, entry));
  }

  async #deliver(
    arrived: ArrivedRequest,
    destination: RouteMatch,
    entry: WritableLogEntry,
  ): Promise<Response> {
    const clock = this.#clock;
    const { fault, address } = entry;
    const late = readMember(fault, 'delay');
    // read bodies one after another, so requests are handled in order of arrival
    const read = this.#lastBody.then(arrived.body);
    this.#lastBody = read.catch(() => {});
    const body = await read;
    if (fault === 'lost-before') throw new ConnectionLost();
    if (late?.delay && !late.processed) await clock.wait(late.delay);
    const readOptions = this.#readOptionsFor(fault);
    const served = serveOrReplace(fault, () =>
      this.#service.serve({ ...arrived, body, address, readOptions }, destination),
    );
    if (served.behaviours) entry.behaviours = served.behaviours;
    if (served.failure !== undefined) entry.failure = reportFailure(entry, served.failure);
    const rewriting = readMember(fault, 'rewrite');
    const outgoing = rewriting
      ? applyRewrite(served, rewriting.rewrite, {
          row: destination.route?.row,
          random: this.#world.random,
        })
      : served;
    if (late?.delay && late.processed) await clock.wait(late.delay);
    if (fault === 'lost-after') throw new ConnectionLost();
    entry.status = outgoing.status;
    return makeResponse(outgoing, fault, clock);
  }

  #readOptionsFor(fault: FaultAction | undefined): ReadOptions | undefined {
    const { clock, random } = this.#world;
    const stale = readMember(fault, 'stale')?.stale ?? this.#service.lag();
    const asOf = clock.now() - stale;
    if (stale > 0) return { before: ticksOfMillis(asOf), asOf };
    return fault === 'unstable-ties'
      ? { rotateTiesBy: random.below(65_536, 'turn', random.next('turn')) }
      : undefined;
  }
}

function reportFailure({ method, path }: LogEntry, failure: unknown): string {
  console.error(`paystate: the sandbox failed at ${method} ${path}:`, failure);
  return String(failure);
}

function serveOrReplace(
  fault: FaultAction | undefined,
  serve: () => OutgoingResponse,
): OutgoingResponse {
  const instead = readMember(fault, 'status');
  if (instead ? instead.processed : fault === 'duplicated-last') serve();
  if (instead) return standIn(instead);
  const outgoing = serve();
  if (fault === 'duplicated') serve();
  return outgoing;
}

/** A request that has arrived. Its body may still be streaming. */
interface ArrivedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: () => string | undefined | Promise<string>;
  readonly signal: AbortSignal | undefined;
}

/** Reads the arguments of `fetch`. Resolves a path against `origin`. */
function readRequest(
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

/** Error that a client gets when a fault breaks the connection. */
export class ConnectionLost extends TypeError {
  constructor() {
    super('the connection was lost');
  }
}

/** Returns the response that a fault rule specifies instead of the service's own. */
function standIn({
  status,
  code: known,
  values,
  debug,
  html,
  headers = {},
  extra,
}: InsteadAction): OutgoingResponse {
  if (html !== undefined)
    return {
      status,
      headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
      body: html,
    };
  const { code = known, ...added } = extra ?? {};
  if (code === undefined) return { status, headers: { ...headers }, body: null };
  const outgoing = jsonResponse(
    status,
    makeEnvelope({ code, values, added, debug }, 'fault', status),
  );
  return { ...outgoing, headers: { ...outgoing.headers, ...headers } };
}

/** Creates the `Response`. Virtual time stands still while a client reads its body. */
function makeResponse(
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
  return Object.defineProperties(response, makeReaders(clock));
}

const READERS = /* @__PURE__ */ new WeakMap<Clock, PropertyDescriptorMap>();

/**
 * Returns methods such as `json` that stop virtual time while they read a body. Cached per clock.
 */
function makeReaders(clock: Clock): PropertyDescriptorMap {
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

/** Returns the damaged body as a stream, or `undefined` if the fault doesn't affect bodies. */
function damageBody(
  content: string,
  fault: FaultAction,
  clock: MovableClock,
): ReadableStream<Uint8Array<ArrayBuffer>> | undefined {
  const bytes = new TextEncoder().encode(content);
  if (fault === 'cut-body')
    return makeStream(breakAfter([bytes.slice(0, bytes.length >> 1)], new ConnectionLost()));
  if (fault === 'undecodable')
    return makeStream(breakAfter([], new TypeError('the body cannot be decoded')));
  const padding = readMember(fault, 'padding')?.padding;
  if (padding !== undefined) return makeStream(padBody(padding, bytes));
  const drip = readMember(fault, 'drip')?.drip;
  return !drip ? undefined : makeStream(dripBody(bytes, () => clock.inside(clock.wait(drip))));
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

function makeStream(chunks: Chunks): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => void chunks.return(undefined),
  });
}

/** Rejects with the signal's reason as soon as it aborts. Doesn't stop the work itself. */
function unlessAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
