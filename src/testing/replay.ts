import { badInput } from '../core/errors/index.ts';
import type { Clock } from '../core/time.ts';
import {
  type RecordedExchange,
  type RecordedFetch,
  type RecordedResponse,
  type Recording,
  readSent,
} from './recorder.ts';

/** How a recording is played. */
export interface ReplayOptions {
  /** Each response takes as long as it took then, by this clock; without it none takes any time. */
  readonly clock?: Clock | undefined;
}

/**
 * Plays a recording: each request gets the response that the same request got, in the order in which
 * they were recorded, and fails as it failed then. Requests are the same where method, path, query and
 * body are; a `correlationId` that a client chose anew stands for the recorded one. What was not
 * recorded, or was played already, fails and says so.
 *
 * @param recording of `createRecorder`, also after a way through JSON
 * @param options the clock
 * @throws InputError where it is no recording
 * @example
 * const recorder = createRecorder({ fetch: options.fetch });
 * const again = createClient({ ...options, fetch: replay(await recorder.recording()) });
 */
export function replay(recording: Recording, { clock }: ReplayOptions = {}): RecordedFetch {
  const { version, exchanges } = (recording ?? {}) as Partial<Recording>;
  if (version !== 1 || !Array.isArray(exchanges))
    throw badInput('recording', 'must be one of createRecorder, in the form of version 1');
  const left = [...(exchanges as readonly RecordedExchange[])];
  /** Names that a client chose now, with the recorded ones that they stand for. */
  const names = new Map<string, string>();

  return async (input, init) => {
    const signal = init?.signal ?? (input as Partial<Request>).signal ?? undefined;
    signal?.throwIfAborted();
    const sent = await readSent(input, init);
    const [path, body] = [sent.path, sent.body].map((text) => rename(text, names));
    const exchange = take(left, names, { ...sent, path: path!, body });
    if (!exchange) throw new TypeError(`replay: nothing is left for ${sent.method} ${sent.path}`);
    const { response, failure } = exchange;
    const delay = (response ?? failure)?.delay ?? 0;
    if (clock && delay > 0) await clock.wait(delay, signal);
    signal?.throwIfAborted();
    if (failure) throw Object.assign(new TypeError(failure.message), { name: failure.name });
    if (!response) return untilAborted(signal);
    if (response.end === 'cut')
      throw new TypeError(`replay: the body of ${sent.method} ${sent.path} was cut`);
    return responseOf(response, new Map([...names].map(([now, then]) => [then, now])));
  };
}

type Asked = Pick<RecordedExchange, 'method' | 'path' | 'body'>;

const NAME = /("correlationId":")([^"\\]+)"/;

/** Takes the first one that is the same, else the first that differs by a new name. */
function take(
  left: RecordedExchange[],
  names: Map<string, string>,
  { method, path, body }: Asked,
): RecordedExchange | undefined {
  const there = (fits: (one: RecordedExchange) => boolean): number =>
    left.findIndex((one) => one.method === method && one.path === path && fits(one));
  const same = there((one) => one.body === body);
  if (same >= 0) return left.splice(same, 1)[0];
  const named = there((one) => body !== undefined && withoutName(one.body) === withoutName(body));
  if (named < 0) return undefined;
  const [now, then] = [nameIn(body), nameIn(left[named]!.body)];
  if (now !== undefined && then !== undefined) names.set(now, then);
  return left.splice(named, 1)[0];
}

function withoutName(body: string | undefined): string | undefined {
  return body?.replace(NAME, '$1"');
}

function nameIn(body: string | undefined): string | undefined {
  return NAME.exec(body ?? '')?.[2];
}

function rename(text: string, names: ReadonlyMap<string, string>): string;
function rename(text: string | undefined, names: ReadonlyMap<string, string>): string | undefined;
function rename(text: string | undefined, names: ReadonlyMap<string, string>): string | undefined {
  let renamed = text;
  for (const [from, to] of names) renamed = renamed?.replaceAll(from, to);
  return renamed;
}

/** A request that got no response until it was aborted. */
function untilAborted(signal: AbortSignal | undefined): Promise<Response> {
  return new Promise((_resolve, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function responseOf(
  { status, headers, body, end }: RecordedResponse,
  names: ReadonlyMap<string, string>,
): Response {
  const text = rename(body, names);
  const isBare = text === '' || /^(1..|204|205|304)$/.test(`${status}`);
  const content = end === 'broken' ? brokenBody(text) : isBare ? null : text;
  if (status >= 200) return new Response(content, { status, headers });
  return Object.defineProperty(new Response(content, { headers }), 'status', { value: status });
}

function brokenBody(text: string): ReadableStream<Uint8Array> {
  const parts = text === '' ? [] : [new TextEncoder().encode(text)];
  return new ReadableStream({
    pull(controller) {
      const part = parts.shift();
      if (part) controller.enqueue(part);
      else controller.error(new TypeError('the connection broke off'));
    },
  });
}
