// This reads a service that must not be changed: few requests, one at a time, each once. Values are
// masked.
import { createStage, type FactResult, resultOf } from './examine.ts';
import { type Fact, CannotTell, type Section, type Send, type ExaminedWorld } from './fact.ts';

import { finderOf } from './things.ts';

/** The reasons to send no more requests before all facts are checked. */
export type Stop = 'limited' | 'unreachable' | 'refused' | 'enough' | 'interrupted';

/** Says why no more requests are sent. */
export const WHY_STOPPED: Readonly<Record<Stop, string>> = {
  limited: 'the service answered 429, and no request was sent after it',
  unreachable: 'the service could not be reached',
  refused: 'the service refused the key',
  enough: 'as many requests were sent as may be',
  interrupted: 'the command was ended',
};

interface ReadingTask {
  /** Sends to the service; lets nothing through but reads. */
  readonly send: Send;
  readonly apiKey: string;
  /** At most so many requests. */
  readonly most: number;
  /** Milliseconds from a response to the next request. */
  readonly pause: number;
  readonly signal: AbortSignal;
}

export interface ReadingReport {
  readonly results: readonly FactResult[];
  readonly requests: number;
  readonly stop: Stop | undefined;
}

/** Checks the facts that reads alone can show. */
export async function examineByReading(
  sections: readonly Section[],
  task: ReadingTask,
): Promise<ReadingReport> {
  const reader = new Reader(task);
  const results: FactResult[] = [];
  for (const fact of sections.flatMap(({ facts }) => facts))
    results.push(maskResult(await readFact(fact, reader), task.apiKey));
  return { results, requests: reader.requests, stop: reader.stop };
}

async function readFact({ play, ...fact }: Fact, reader: Reader): Promise<FactResult> {
  if (!fact.isReading)
    return { ...fact, verdict: 'cannot tell', question: 'reads alone do not show it' };
  const read = async (): Promise<FactResult> =>
    reader.stop
      ? { ...fact, verdict: 'cannot tell', question: WHY_STOPPED[reader.stop] }
      : resultOf({ play, ...fact }, createStage(reader.open(), finderOf));
  const result = await read();
  if (result.verdict !== 'false') return result;
  reader.forget(); // an account changes while it is read: only what is false twice is false
  return read();
}

/** A response that was read. */
interface Kept {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends requests one after another, and knows what was answered. */
class Reader {
  /** Requests so far. */
  requests = 0;
  /** Set when no request may be sent any more. */
  stop: Stop | undefined;
  readonly #task: ReadingTask;
  readonly #known = new Map<string, Promise<Kept>>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(task: ReadingTask) {
    this.#task = task;
  }

  /** The service as a world. */
  open(): ExaminedWorld {
    return worldOf((path, init) => this.#read(path, init), this.#task.apiKey);
  }

  /** Everything is read again. */
  forget(): void {
    this.#known.clear();
  }

  async #read(path: string, init: RequestInit): Promise<Response> {
    if (init.method !== 'GET') throw new CannotTell(`it sends ${init.method}`);
    const { status, headers, text } = await this.#readOnce(path, init);
    const bearer = new Headers(init.headers).get('authorization');
    const isKnown = bearer === `Bearer ${this.#task.apiKey}`;
    if (isKnown && status === 401) throw this.#end('refused');
    if (isKnown && status === 403) throw new CannotTell('the key may not read it');
    if (status >= 500) throw new CannotTell(`the service answered ${status}`);
    return new Response(status === 204 || status === 304 ? null : text, { status, headers });
  }

  /** One request at a time; the same one is sent once. */
  #readOnce(path: string, init: RequestInit): Promise<Kept> {
    const name = JSON.stringify([path, init.headers]);
    const known = this.#known.get(name);
    if (known) return known;
    const answer = this.#turn.then(() => this.#send(path, init));
    this.#turn = answer.catch(() => {});
    this.#known.set(name, answer);
    return answer;
  }

  async #send(path: string, init: RequestInit): Promise<Kept> {
    const { send, most, pause, signal } = this.#task;
    if (signal.aborted) throw this.#end('interrupted');
    if (this.stop) throw this.#end(this.stop);
    if (this.requests >= most) throw this.#end('enough');
    if (this.requests++ > 0) await wait(pause);
    try {
      const response = await send(path, { ...init, signal });
      if (response.status === 429) throw this.#end('limited');
      return { status: response.status, headers: response.headers, text: await response.text() };
    } catch (thrown) {
      if (thrown instanceof CannotTell) throw thrown;
      throw this.#end(signal.aborted ? 'interrupted' : 'unreachable');
    }
  }

  #end(why: Stop): CannotTell {
    this.stop ??= why;
    return new CannotTell(WHY_STOPPED[this.stop]);
  }
}

const wait = (duration: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, duration));

/** A service that is only read is a world without payers, banks and time. */
function worldOf(send: Send, apiKey: string): ExaminedWorld {
  const closed = async (): Promise<never> => {
    throw new CannotTell('it needs what only the world outside of the service does');
  };
  return {
    kind: 'reading',
    send,
    async keyOf(who) {
      if (who) throw new CannotTell('it needs the key of another account, or with other scopes');
      return apiKey;
    },
    now: async () => Date.now(),
    advance: closed,
    pay: closed,
    startPay: closed,
    bolt11: closed,
    address: closed,
    move: closed,
    fund: closed,
    fault: closed,
    revoke: closed,
    receiver: closed,
    login: closed,
    close: async () => {},
  };
}

/** States, codes and currencies are shown; of all other texts their form. */
const WORD = /^[A-Z][A-Z_]*$/;

const maskText = (text: string): string =>
  WORD.test(text)
    ? text
    : text
        .replaceAll(/\p{Lu}/gu, 'X')
        .replaceAll(/\p{L}/gu, (one) => (one === 'X' ? one : 'x'))
        .replaceAll(/\d/g, '0');

/** Texts in JSON that are no names of members, also in JSON that was cut. */
const maskJson = (json: string): string =>
  json.replaceAll(/"((?:[^"\\]|\\.)*)("|…|$)(\s*:)?/g, (whole, text: string, end: string, name) =>
    name ? whole : `"${maskText(text)}${end}`,
  );

const SEEN = /^(\d{3} )?(.*)$/s;

/** Masks a value that was seen, or a status and a body. */
function maskSeen(seen: string): string {
  const [, status = '', body = ''] = SEEN.exec(seen) ?? [];
  if (/^[[{"]/.test(body)) return status + maskJson(body);
  return /^(nothing|none|null|true|false|-?\d+(\.\d+)?)?$/.test(body)
    ? seen
    : status + maskText(body);
}

const UUID = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/gi;

/** Masks values of another response; the examiner's own sentences stay. */
function maskExpected(expected: string): string {
  if (/^[[{"]/.test(expected)) return maskJson(expected);
  return / /.test(expected) ? expected.replaceAll(UUID, maskText) : maskSeen(expected);
}

function maskResult(result: FactResult, apiKey: string): FactResult {
  const hide = (text: string): string => text.replaceAll(apiKey, '[key]');
  if (result.verdict !== 'false') return result;
  const { expected, got } = result;
  return { ...result, expected: maskExpected(hide(expected)), got: maskSeen(hide(got)) };
}
