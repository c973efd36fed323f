// A service that is only read: few requests, far apart, each of them once; what is printed of it is masked.
import { createStage, type FactResult, resultOf } from './examine.ts';
import { type Fact, Open, type Section, type Send, type World } from './fact.ts';

import { finderOf } from './things.ts';

/** What ended the requests before all facts were checked. */
export type Stop = 'limited' | 'unreachable' | 'refused' | 'enough' | 'interrupted';

const WHY: Readonly<Record<Stop, string>> = {
  limited: 'the service answered 429, and no request was sent after it',
  unreachable: 'the service could not be reached',
  refused: 'the service refused the key',
  enough: 'as many requests were sent as may be',
  interrupted: 'the command was ended',
};

export interface ReadingTask {
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
  const reader = createReader(task);
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
      ? { ...fact, verdict: 'cannot tell', question: WHY[reader.stop] }
      : resultOf({ play, ...fact }, createStage(reader.open(), finderOf));
  const result = await read();
  if (result.verdict !== 'false') return result;
  reader.forget(); // an account changes while it is read: only what is false twice is false
  return read();
}

/** Sends requests one after another and knows what was answered. */
interface Reader {
  readonly requests: number;
  readonly stop: Stop | undefined;
  open(): World;
  /** Everything is read again. */
  forget(): void;
}

interface Kept {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

function createReader({ send, apiKey, most, pause, signal }: ReadingTask): Reader {
  const known = new Map<string, Promise<Kept>>();
  let requests = 0;
  let stop: Stop | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const end = (why: Stop): Open => {
    stop ??= why;
    return new Open(WHY[stop]);
  };
  async function ask(path: string, init: RequestInit): Promise<Kept> {
    if (signal.aborted) throw end('interrupted');
    if (stop) throw new Open(WHY[stop]);
    if (requests >= most) throw end('enough');
    if (requests++ > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    const response = await send(path, { ...init, signal }).catch(() => {
      throw end(signal.aborted ? 'interrupted' : 'unreachable');
    });
    const kept = {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
    };
    if (kept.status === 429) throw end('limited');
    return kept;
  }
  /** One request at a time; the same one is sent once. */
  function askOnce(path: string, init: RequestInit): Promise<Kept> {
    const name = JSON.stringify([path, init.headers]);
    const found = known.get(name);
    if (found) return found;
    const answer = turn.then(() => ask(path, init));
    turn = answer.catch(() => {});
    known.set(name, answer);
    return answer;
  }
  const sendOnce: Send = async (path, init) => {
    if (init.method !== 'GET') throw new Open(`it sends ${init.method}`);
    const { status, headers, text } = await askOnce(path, init);
    const isKnown = new Headers(init.headers).get('authorization') === `Bearer ${apiKey}`;
    if (isKnown && status === 401) throw end('refused');
    if (isKnown && status === 403) throw new Open('the key may not read it');
    if (status >= 500) throw new Open(`the service answered ${status}`);
    return new Response(status === 204 || status === 304 ? null : text, { status, headers });
  };
  return {
    get requests() {
      return requests;
    },
    get stop() {
      return stop;
    },
    open: () => worldOf(sendOnce, apiKey),
    forget: () => known.clear(),
  };
}

/** What is outside of a service that is only read cannot be reached. */
function worldOf(send: Send, apiKey: string): World {
  const closed = async (): Promise<never> => {
    throw new Open('it needs what only the world outside of the service does');
  };
  return {
    kind: 'reading',
    send,
    async keyOf(who) {
      if (who) throw new Open('it needs the key of another account, or with other scopes');
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

/** What was seen: a value, or a status and a body. */
function maskSeen(seen: string): string {
  const [, status = '', body = ''] = SEEN.exec(seen) ?? [];
  if (/^[[{"]/.test(body)) return status + maskJson(body);
  return /^(nothing|none|null|true|false|-?\d+(\.\d+)?)?$/.test(body)
    ? seen
    : status + maskText(body);
}

const UUID = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/gi;

/** What was expected is the examiner's own sentence, or what another response had. */
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
