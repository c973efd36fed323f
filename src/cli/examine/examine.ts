// Checks facts in worlds of their own, one section after another, and says of each fact what was
// seen.
import { balances, limits, otherAccounts, parties, profiles } from './accounts.ts';
import { banks, deposits, originators, payouts } from './banks.ts';
import { deliveries, retries } from './deliveries.ts';
import { addresses, crowdedErrors, deliveredTypes, errors, queries } from './errors.ts';
import { events, subscriptions } from './events.ts';
import {
  type Answer,
  type AskOptions,
  type Between,
  CannotTell,
  check,
  type ExaminedWorld,
  type Fact,
  NotSo,
  type Refusal,
  type Section,
  type Send,
  type Stage,
  type Thing,
} from './fact.ts';
import {
  invoiceQuotes,
  invoices,
  invoicesForOthers,
  receiveRequests,
  receives,
} from './incoming.ts';
import { eventFilters, invoiceFilters, listedStates, otherFilters, pages } from './lists.ts';
import { atOnce, rateLimits, readiness, testRateLimits } from './load.ts';
import { moneyAtRisk } from './money.ts';
import { oauth } from './oauth.ts';
import { exchanges, lightningQuotes, lnurl, onchain, payments, rates } from './quotes.ts';
import { filled, withValues } from './shapes.ts';
import { type Finder, finderOf, makerOf, requestOf } from './things.ts';
import { authentication, openQuestions, scopes, wire } from './wire.ts';
import { openCommand, openSandbox } from './worlds.ts';

/** All sections, in the order in which they are checked. */
export const sections: readonly Section[] = [
  wire,
  authentication,
  scopes,
  errors,
  crowdedErrors,
  invoices,
  invoicesForOthers,
  invoiceQuotes,
  lightningQuotes,
  lnurl,
  onchain,
  payments,
  exchanges,
  rates,
  banks,
  originators,
  payouts,
  deposits,
  balances,
  limits,
  profiles,
  otherAccounts,
  parties,
  atOnce,
  readiness,
  addresses,
  queries,
  deliveredTypes,
  moneyAtRisk,
  receiveRequests,
  receives,
  pages,
  invoiceFilters,
  eventFilters,
  otherFilters,
  listedStates,
  events,
  subscriptions,
  deliveries,
  retries,
  oauth,
  rateLimits,
  testRateLimits,
  openQuestions,
];

/** The result of the check of a fact. */
export type FactResult = Omit<Fact, 'play'> &
  (
    | { readonly verdict: 'true' }
    | { readonly verdict: 'false'; readonly expected: string; readonly got: string }
    | { readonly verdict: 'cannot tell'; readonly question: string }
  );

const parsed = (text: string): Thing => {
  try {
    return JSON.parse(text);
  } catch {
    // A body that is not JSON has no members: a check that reads one throws, and its fact is false.
    return undefined as unknown as Thing;
  }
};

const defined = (headers: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );

/** A stage, and how many requests were sent from it. */
interface CountingStage extends Stage {
  count: number;
}

/** Sends `METHOD /path`. */
async function send(
  world: ExaminedWorld,
  call: string,
  authorization: string | undefined,
  { body, headers, values = {}, query = '', address }: AskOptions,
): Promise<Answer> {
  const [method = '', path = ''] = call.split(' ');
  const type = body === undefined ? undefined : 'application/json';
  const init = {
    method,
    redirect: 'manual' as const,
    headers: defined({ authorization, 'content-type': type, ...headers }),
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  };
  const response = await world.send(filled(path, values) + query, init, address);
  const text = await response.text();
  const json = parsed(text);
  const error = json?.data as unknown as Refusal | undefined;
  return { status: response.status, headers: response.headers, text, json, error };
}

/** Makes a stage; `finderFor` says how things come to be. */
function createStage(
  world: ExaminedWorld,
  finderFor: (name: string) => Finder = makerOf,
): CountingStage {
  const once = new Map<string, Promise<Thing>>();
  let key: string | undefined;
  const stage: CountingStage = {
    world,
    count: 0,
    keyOf: async (who) => (who ? world.keyOf(who) : (key ??= await world.keyOf())),
    async ask(call, asked = {}) {
      stage.count++;
      const { as } = asked;
      const bearer = as === null ? undefined : `Bearer ${await stage.keyOf(as)}`;
      return send(world, call, bearer, asked);
    },
    async request(name, { set = {}, ...more } = {}) {
      const { call, body, values, headers } = requestOf(name);
      const draft = body && (await body(stage));
      return stage.ask(call, {
        body: draft && withValues(draft, set),
        values: values && (await values(stage)),
        ...more,
        headers: { ...(headers && headers()), ...more.headers },
      });
    },
    async json(name, more) {
      const { status, json, text } = await stage.request(name, more);
      check(status < 300, `${requestOf(name).call} to succeed`, `${status} ${text}`);
      return json;
    },
    async get<T>(path: string, more?: AskOptions) {
      const { status, json, text } = await stage.ask(`GET ${path}`, more);
      check(status === 200, `200 for GET ${path}`, `${status} ${text}`);
      return json as T;
    },
    make: <T>(name: string) => finderFor(name)(stage, 1) as Promise<T>,
    thing<T>(name: string, number = 1) {
      const place = `${name} ${number}`;
      const made = once.get(place) ?? finderFor(name)(stage, number);
      once.set(place, made);
      return made as Promise<T>;
    },
  };
  return stage;
}

async function resultOf({ play, ...fact }: Fact, stage: Stage): Promise<FactResult> {
  try {
    await play(stage);
    return { ...fact, verdict: 'true' };
  } catch (thrown) {
    if (thrown instanceof CannotTell)
      return { ...fact, verdict: 'cannot tell', question: thrown.message };
    if (thrown instanceof NotSo)
      return { ...fact, verdict: 'false', expected: thrown.expected, got: thrown.got };
    const got = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    return { ...fact, verdict: 'false', expected: 'to be checked', got };
  }
}

const TEN_MINUTES = 601_000;
/** Requests after which time is moved, so that the limits of the command are never reached. */
const MANY = 150;

async function rest(stage: CountingStage, pause: number): Promise<void> {
  const due = stage.world.kind === 'command' && stage.count > MANY ? TEN_MINUTES : 0;
  if (due > 0) stage.count = 0;
  if (Math.max(due, pause) > 0) await stage.world.advance(Math.max(due, pause));
}

/** The way in which facts are checked: in process or over the command, and what is put between. */
export interface How extends Between {
  readonly isCommand?: boolean;
}

/** Checks the facts of one section one after another. */
export async function examineSection(
  { facts, ...section }: Section,
  { isCommand = false, ...between }: How = {},
): Promise<readonly FactResult[]> {
  const open = async (): Promise<CountingStage> => {
    const world = isCommand
      ? await openCommand(section.args, between)
      : await openSandbox(section.options, between);
    const stage = createStage(world);
    for (const name of section.things) await stage.thing(name).catch(() => {}); // facts will say
    return stage;
  };
  const results: FactResult[] = [];
  let stage: CountingStage | undefined;
  for (const fact of facts) {
    if (section.alone) await stage?.world.close();
    if (!stage || section.alone) stage = await open();
    results.push(await resultOf(fact, stage));
    await rest(stage, section.pause);
  }
  await stage?.world.close();
  return results;
}

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
  /** The most requests that may be sent. */
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

/**
 * Checks the facts that reads alone can show, of a service that must not be changed: few requests,
 * one at a time, each once. Values are masked.
 */
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
