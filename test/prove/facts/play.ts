// Checks facts in worlds of their own, one section after another, and says of each fact what was
// seen.
import { balances, otherAccounts, parties, profiles } from './accounts.ts';
import { banks, deposits, originators, payouts } from './banks.ts';
import { deliveries, retries } from './deliveries.ts';
import { addresses, deliveredTypes } from './texts.ts';
import { events, subscriptions } from './events.ts';
import {
  type Answer,
  type AskOptions,
  check,
  type Fact,
  NotSo,
  type Refusal,
  type Section,
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
import { eventFilters, invoiceFilters, otherFilters, pages } from './lists.ts';
import { atOnce, rateLimits, readiness, testRateLimits } from './load.ts';
import { moneyAtRisk } from './money.ts';
import { oauth } from './oauth.ts';
import { exchanges, lightningQuotes, lnurl, onchain, payments, rates } from './quotes.ts';
import { filled, withValues } from './shapes.ts';
import { makerOf, requestOf } from './things.ts';
import { authentication, scopes, wire } from './wire.ts';
import { openSandbox, type World } from './worlds.ts';

/** All sections, in the order in which they are checked. */
export const sections: readonly Section[] = [
  wire,
  authentication,
  scopes,
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
  profiles,
  otherAccounts,
  parties,
  atOnce,
  readiness,
  addresses,
  deliveredTypes,
  moneyAtRisk,
  receiveRequests,
  receives,
  pages,
  invoiceFilters,
  eventFilters,
  otherFilters,
  events,
  subscriptions,
  deliveries,
  retries,
  oauth,
  rateLimits,
  testRateLimits,
];

/** A fact that is false, with what was seen. */
export interface FalseFact {
  /** The name of its section and its number there, from 1. */
  readonly name: string;
  readonly expected: string;
  readonly got: string;
}

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

/** Sends `METHOD /path`. */
async function send(
  world: World,
  call: string,
  authorization: string | undefined,
  { body, headers, values = {}, query = '' }: AskOptions,
): Promise<Answer> {
  const [method = '', path = ''] = call.split(' ');
  const type = body === undefined ? undefined : 'application/json';
  const init = {
    method,
    redirect: 'manual' as const,
    headers: defined({ authorization, 'content-type': type, ...headers }),
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  };
  const response = await world.send(filled(path, values) + query, init);
  const text = await response.text();
  const json = parsed(text);
  const error = json?.data as unknown as Refusal | undefined;
  return { status: response.status, headers: response.headers, text, json, error };
}

/** Makes a stage. */
function createStage(world: World): Stage {
  const once = new Map<string, Promise<Thing>>();
  let key: string | undefined;
  const stage: Stage = {
    world,
    keyOf: async (who) => (who ? world.keyOf(who) : (key ??= await world.keyOf())),
    async ask(call, asked = {}) {
      const bearer = asked.as === null ? undefined : `Bearer ${await stage.keyOf(asked.as)}`;
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
    make: <T>(name: string) => makerOf(name)(stage) as Promise<T>,
    thing<T>(name: string, number = 1) {
      const place = `${name} ${number}`;
      const made = once.get(place) ?? makerOf(name)(stage);
      once.set(place, made);
      return made as Promise<T>;
    },
  };
  return stage;
}

async function playFact(fact: Fact, stage: Stage): Promise<Omit<FalseFact, 'name'> | undefined> {
  try {
    await fact(stage);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof NotSo) return { expected: thrown.expected, got: thrown.got };
    const got = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    return { expected: 'to be checked', got };
  }
}

/** Checks the facts of one section one after another, and returns those that are false. */
export async function falseFacts(section: Section): Promise<readonly FalseFact[]> {
  const open = async (): Promise<Stage> => {
    const stage = createStage(openSandbox(section.options));
    for (const name of section.things) await stage.thing(name).catch(() => {}); // facts will say
    return stage;
  };
  const found: FalseFact[] = [];
  const stage = await open();
  for (const [at, fact] of section.facts.entries()) {
    const wrong = await playFact(fact, stage);
    if (wrong) found.push({ name: `${section.name} ${at + 1}`, ...wrong });
    if (section.pause > 0) await stage.world.advance(section.pause);
  }
  return found;
}
