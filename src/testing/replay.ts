import { checkOptions, type Expected } from '../core/errors/index.ts';
import { seededRandom, systemRandom, systemUuid } from '../core/platform.ts';
import { type Clock, systemClock, within } from '../core/time.ts';
import { signWebhook } from '../webhooks/verify.ts';
import { deliveryRequest } from './deliveries.ts';
import { readSent } from './exchanges.ts';
import { checkRecording } from './parse-recording.ts';
import type { RecordedFetch } from './recorder.ts';
import type {
  RecordedClockReading,
  RecordedDelivery,
  RecordedExchange,
  RecordedFailure,
  RecordedResponse,
  Recording,
} from './recording.ts';
import { CUT } from './secrets.ts';

/** Options for replaying a recording. */
export interface ReplayOptions {
  /**
   * Clock for the recorded response delays. With `replay`, responses take no time by default. With
   * `createReplay`, it defaults to the system clock.
   */
  readonly clock?: Clock | undefined;
}

const REPLAY_OPTIONS: Expected<ReplayOptions> = { clock: 'object' };

/**
 * Returns a `fetch` that replays a recording's requests. Each request gets the response or failure
 * of the matching recorded request, in recorded order. Requests match if they have the same method,
 * path, query and body. New correlation ids are mapped to the recorded ones. A request that wasn't
 * recorded or was already replayed fails with an error that explains why.
 * @param recording a recording from `createRecorder` or `parseRecording`
 * @param options clock for the recorded delays
 * @throws InputError if this isn't a recording, or if it has another format version
 *
 * @example
 * const recorder = createRecorder({ fetch: options.fetch });
 * const again = createClient({ ...options, fetch: replay(await recorder.recording()) });
 */
export function replay(recording: Recording, options: ReplayOptions = {}): RecordedFetch {
  checkRecording(recording);
  checkOptions(options, REPLAY_OPTIONS);
  const { clock } = options;
  const left = [...recording.exchanges];
  const turns = clock && new Turns(recording.exchanges, clock);
  /** Recorded correlation ids, keyed by the client's new ones. */
  const names = new Map<string, string>();

  return async (input, init) => {
    const signal = init?.signal ?? (input as Partial<Request>).signal ?? undefined;
    signal?.throwIfAborted();
    const sent = await readSent(input, init);
    const path = rename(sent.path, names);
    const body = sent.body && rename(sent.body, names);
    const exchange = take(left, names, { method: sent.method, path, body });
    if (!exchange)
      throw new TypeError(
        `replay: the recording has no more responses for ${sent.method} ${sent.path}`,
      );
    const { response, failure } = exchange;
    if (response?.end !== 'unfinished') await turns?.awaitTurn(exchange, signal);
    signal?.throwIfAborted();
    if (failure) throw Object.assign(new TypeError(failure.message), { name: failure.name });
    if (!response) return untilAborted(signal);
    if (response.end === 'cut')
      throw new TypeError(`replay: the recorded body of ${sent.method} ${sent.path} is incomplete`);
    return makeResponse(response, new Map([...names].map(([now, then]) => [then, now])));
  };
}

/**
 * Delivers responses at their recorded times. Keeps the order of responses within a millisecond,
 * because the order of calls determines their random numbers.
 */
class Turns {
  readonly #clock: Clock;
  /** Finished exchanges in the order in which they ended. */
  readonly #left: RecordedExchange[];
  readonly #waiting: Set<() => void> = new Set();
  #last: Promise<void> = Promise.resolve();

  constructor(exchanges: readonly RecordedExchange[], clock: Clock) {
    this.#clock = clock;
    this.#left = exchanges
      .filter((one) => outcome(one) && one.response?.end !== 'unfinished')
      .sort((one, other) => outcome(one)!.order - outcome(other)!.order);
  }

  async awaitTurn(exchange: RecordedExchange, signal: AbortSignal | undefined): Promise<void> {
    const delay = outcome(exchange)?.delay;
    if (delay === undefined) return;
    if (delay > 0) await this.#clock.wait(delay, signal);
    // earlier responses may never be requested, if the program has changed
    if (this.#left[0] !== exchange) await this.#untilFirst(exchange);
    const last = this.#last;
    this.#last = last.then(() => this.#clock.external(systemClock.wait(0)));
    await last;
    this.#left.splice(this.#left.indexOf(exchange), 1);
    for (const tell of this.#waiting) tell();
  }

  /** Waits until all earlier responses are delivered, but no longer than a millisecond. */
  #untilFirst(exchange: RecordedExchange): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.#waiting.delete(check);
        stop();
        resolve();
      };
      const check = (): void => {
        if (this.#left[0] === exchange) end();
      };
      const stop = this.#clock.after(1, end);
      this.#waiting.add(check);
    });
  }
}

function outcome(exchange: RecordedExchange): RecordedResponse | RecordedFailure | undefined {
  return exchange.response ?? exchange.failure;
}

/** A replay of a recording, with options for its client and a way to deliver its webhooks. */
export interface Replay {
  /**
   * Options to pass to `createClient`. They replace the service's responses, the time, delays and
   * ids.
   */
  readonly clientOptions: {
    readonly fetch: RecordedFetch;
    readonly clock: Clock;
    readonly random: () => number;
    readonly uuid: () => string;
  };
  /**
   * Delivers the recorded webhooks at their recorded times, signed with a test secret. If the
   * recorded handler rejected a webhook with 401, the webhook has an invalid signature.
   * @returns the status of the handler's response to each webhook
   * @throws WebhookError `SECRET_INVALID`
   */
  deliver(
    handler: (request: Request) => Promise<Response>,
    secret: string,
  ): Promise<readonly number[]>;
}

/**
 * Replays a whole recording on a clock. A program that behaves like the recorded one gets the same
 * responses at the same times, the same random numbers and ids, and the same wall-clock times. Its
 * watches therefore emit the same values. The recorded program must have created its client with
 * `recorder.clientOptions`. If entries were dropped, the start of the recording is missing.
 * @param recording a recording from `createRecorder` or `parseRecording`
 * @param options clock for the replay, such as a sandbox's clock. Defaults to the system clock
 * @throws InputError if this isn't a recording, or if it has another format version
 *
 * @example
 * const recorder = createRecorder(sandbox.clientOptions);
 * const { clock } = sandbox;
 * const { clientOptions } = createReplay(await recorder.recording(), { clock });
 * const client = createClient({ ...sandbox.clientOptions, ...clientOptions });
 */
export function createReplay(recording: Recording, options: ReplayOptions = {}): Replay {
  checkRecording(recording);
  checkOptions(options, REPLAY_OPTIONS);
  const { clock: given = systemClock } = options;
  const { seed, deliveries } = recording;
  const ids = [...recording.ids];
  const begunAt = given.monotonic();
  const elapsed = (): number => given.monotonic() - begunAt;
  const clock: Clock = { ...given, now: () => wallAt(recording.clock, elapsed()) };
  return {
    clientOptions: {
      fetch: replay(recording, { clock }),
      clock,
      random: seed === undefined ? systemRandom : seededRandom(seed),
      uuid: () => ids.shift() ?? systemUuid(),
    },
    deliver: async (handler, secret) => {
      const sorted = deliveries.toSorted(byTimeAndResponse);
      const signed = Promise.all(sorted.map((one) => sign(one, secret)));
      const requests = await clock.external(signed);
      const begun = new Map<RecordedDelivery, Promise<number>>();
      for (const [place, one] of sorted.entries()) {
        const last = sorted[place - 1];
        const before = last?.at === one.at ? begun.get(last) : undefined;
        const deliverOne = async (): Promise<number> => {
          await clock.wait(Math.max(0, one.at - elapsed()));
          if (before) await handledNow(before, clock);
          const response = handler(requests[place]!);
          await handledNow(response, clock);
          return (await response).status;
        };
        begun.set(one, deliverOne());
      }
      return Promise.all(deliveries.map((one) => begun.get(one)!));
    },
  };
}

/**
 * Sorts webhooks by time, and webhooks with the same time by the order of the handler's responses.
 * Signatures are checked in parallel, so whichever check finishes first decides which webhook is
 * processed first.
 */
function byTimeAndResponse(one: RecordedDelivery, other: RecordedDelivery): number {
  return one.at - other.at || (one.order ?? Infinity) - (other.order ?? Infinity) || 0;
}

/**
 * Real time in milliseconds after which a handler that hasn't responded is assumed to be waiting
 * for the clock.
 */
const LONGEST_HANDLER_MS = 200;

/**
 * Stops the clock until a handler has finished or is waiting for the clock itself. The handler's
 * other work, such as reading a body, then takes no virtual time.
 */
export async function handledNow(work: Promise<unknown>, clock: Clock): Promise<void> {
  await clock.external(within(systemClock, LONGEST_HANDLER_MS, work).catch(() => {}));
}

function wallAt(readings: readonly RecordedClockReading[], at: number): number {
  const { now, at: readAt } = readings.findLast((one) => one.at <= at) ?? readings[0]!;
  return now + at - readAt;
}

/** Wrong secret of valid length, for webhooks that the recorded handler rejected. */
const WRONG_SECRET = 'a webhook secret that nothing accepts';

async function sign(
  { body, isSigned, status }: RecordedDelivery,
  secret: string,
): Promise<Request> {
  if (!isSigned) return deliveryRequest(body, undefined);
  return deliveryRequest(body, await signWebhook(body, status === 401 ? WRONG_SECRET : secret));
}

type Asked = Pick<RecordedExchange, 'method' | 'path' | 'body'>;

const NAME = /("correlationId":")([^"\\]+)"/;

/**
 * Removes and returns the first identical exchange, or else the first one that only differs in its
 * correlation id.
 */
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
  const now = nameIn(body);
  const then = nameIn(left[named]!.body);
  if (now !== undefined && then !== undefined) names.set(now, then);
  return left.splice(named, 1)[0];
}

function withoutName(body: string | undefined): string | undefined {
  return body?.replace(NAME, '$1"');
}

function nameIn(body: string | undefined): string | undefined {
  return NAME.exec(body ?? '')?.[2];
}

function rename(text: string, names: ReadonlyMap<string, string>): string {
  let renamed = text;
  for (const [from, to] of names) renamed = renamed.replaceAll(from, to);
  return renamed;
}

function untilAborted(signal: AbortSignal | undefined): Promise<Response> {
  return new Promise((_resolve, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function makeResponse(
  { status, headers, body, end }: RecordedResponse,
  names: ReadonlyMap<string, string>,
): Response {
  const text = rename(withoutProof(body), names);
  const isBare = text === '' || /^(1..|204|205|304)$/.test(`${status}`);
  const content = end === 'whole' ? (isBare ? null : text) : brokenBody(text, end === 'broken');
  if (status >= 200) return new Response(content, { status, headers });
  return Object.defineProperty(new Response(content, { headers }), 'status', { value: status });
}

function brokenBody(text: string, isBroken: boolean): ReadableStream<Uint8Array> {
  const parts = text === '' ? [] : [new TextEncoder().encode(text)];
  return new ReadableStream({
    pull(controller) {
      const part = parts.shift();
      if (part) controller.enqueue(part);
      else if (isBroken) controller.error(new TypeError('the connection broke off'));
      else return new Promise(() => {});
    },
  });
}

/**
 * Removes preimages that were cut from the recording, because the placeholder isn't a valid proof
 * of payment.
 */
function withoutProof(body: string): string {
  if (!body.includes(`"preImage":"${CUT}"`)) return body;
  return JSON.stringify(
    JSON.parse(body, (name, value: unknown) =>
      name === 'preImage' && value === CUT ? undefined : value,
    ),
  );
}
