// Checks facts in worlds of their own, one section after another, and says of each fact what was
// seen.
import type { Between } from './fact.ts';
import { balances, limits, otherAccounts, parties, profiles } from './accounts.ts';
import { banks, deposits, originators, payouts } from './banks.ts';
import { deliveries, retries } from './deliveries.ts';
import { addresses, crowdedErrors, deliveredTypes, errors, queries } from './errors.ts';
import { events, subscriptions } from './events.ts';
import {
  type Answer,
  type AskOptions,
  check,
  type Fact,
  NotSo,
  CannotTell,
  type Refusal,
  type Section,
  type Stage,
  type Thing,
  type ExaminedWorld,
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
import { type Finder, makerOf, requestOf } from './things.ts';
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
export function createStage(
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

export async function resultOf({ play, ...fact }: Fact, stage: Stage): Promise<FactResult> {
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
