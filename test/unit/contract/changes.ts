// Legal changes of an example: what the service may do any day without notice. All of them must be read, nothing may be lost,
// and each news must be told once.
import { expect } from 'chai';
import { type Drift, reportDrift } from 'paystate/schemas';
import { createClient, isPaystateError, request } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { answering, json } from '../core/shop.ts';
import type { Example } from './examples.ts';

/** As it travels. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

type Steps = readonly (string | number)[];

/** Members whose values are open lists of words, by the facts and not by the schemas: a word that nobody listed is found so. */
const WORDS =
  /^(state|currency|sourceCurrency|targetCurrency|transferType|accountType|type|feePolicy|eventType|eventTypes|supportedActions|result|webhookVersion|buy|destinationType)$/;
const AMOUNTS =
  /^(amount|current|pending|reserved|outgoing|available|total|btcAmount|feePercent|feeFixed)$/;
const TIME = /^\d{4}-\d\d-\d\dT/;

/** A place in an example where something may change, and how. */
interface Site {
  /** Its path, such as `items[].state`. */
  readonly field: string;
  /** Changes a copy, and returns what is new about it: the field and its text. */
  change(copy: object, roll: (below: number) => number): string | undefined;
}

const stepsOf = (path: string): Steps =>
  path.split(/(?<!\\)\./).map((name) => name.replaceAll('\\.', '.'));
const holderOf = (root: object, steps: Steps): Record<string, unknown> | undefined =>
  steps
    .slice(0, -1)
    .reduce<unknown>(
      (held, step) => (held as Record<string, unknown> | null | undefined)?.[step],
      root,
    ) as Record<string, unknown> | undefined;
const fieldOf = (steps: Steps): string =>
  steps.reduce<string>(
    (path, step) =>
      typeof step === 'number' ? `${path}[]` : path === '' ? step : `${path}.${step}`,
    '',
  );

/** Sets a member, where an earlier change has not taken its holder away. */
const setting = (
  steps: Steps,
  valueOf: (roll: (below: number) => number) => unknown,
  isNews: boolean,
): Site => ({
  field: fieldOf(steps),
  change(copy, roll) {
    const holder = holderOf(copy, steps);
    const last = steps.at(-1)!;
    if (holder?.[last] === undefined || holder[last] === null) return undefined;
    const value = valueOf(roll);
    holder[last] = value;
    return isNews ? `${fieldOf(steps)} ${value as string}` : undefined;
  },
});

const adding = (steps: Steps): Site => ({
  field: fieldOf([...steps, 'any']),
  change(copy, roll) {
    const holder = holderOf(copy, [...steps, 'any']);
    if (!holder) return undefined;
    const name = `newMember${roll(4)}`;
    holder[name] = [{ deep: roll(9) }, null, 'text', 1.5][roll(4)];
    return `${fieldOf([...steps, name])} ${name}`;
  },
});

const leavingOut = (steps: Steps): Site => ({
  field: fieldOf(steps),
  change(copy, roll) {
    const holder = holderOf(copy, steps);
    const last = steps.at(-1)!;
    if (!holder || !(last in holder)) return undefined;
    if (roll(2) === 0) holder[last] = null;
    else delete holder[last];
    return undefined;
  },
});

/** None to seven digits. */
const fraction = (roll: (below: number) => number): string =>
  '1234567'.slice(0, roll(8)).replace(/^(?=.)/, '.');

/** What else a text may be by the name of its member. */
function texts(steps: Steps, value: string): readonly Site[] {
  const name = String(steps.findLast((step) => typeof step === 'string'));
  if (/[aA]ddress\.state$/.test(fieldOf(steps))) return []; // of a country, not of a life
  if (WORDS.test(name)) return [setting(steps, (roll) => `NEW_WORD_${roll(3)}`, true)];
  if (/(^id|Id)$/.test(name)) return [setting(steps, (roll) => 'x_7'.repeat(1 + roll(13)), false)];
  if (TIME.test(value))
    return [
      setting(
        steps,
        (roll) => `2026-06-07T08:09:10${fraction(roll)}${['Z', '+00:00', '-03:30'][roll(3)]}`,
        false,
      ),
    ];
  if (AMOUNTS.test(name))
    return [setting(steps, (roll) => `${roll(100_000)}${fraction(roll)}`, false)];
  return [];
}

function sitesOf(value: unknown, steps: Steps): readonly Site[] {
  if (typeof value === 'string') return texts(steps, value);
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, at) => sitesOf(item, [...steps, at]));
  return [
    adding(steps),
    ...Object.entries(value).flatMap(([name, member]) => sitesOf(member, [...steps, name])),
  ];
}

/** Small repeatable chance. */
const dice =
  (seed: number) =>
  (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };

/** As it is read: null where something may be absent is absent. */
function withoutNulls(body: object, optional: readonly Steps[]): unknown {
  const copy = plain(body) as object;
  for (const steps of optional) {
    const holder = holderOf(copy, steps);
    if (holder?.[steps.at(-1)!] === null) delete holder[steps.at(-1)!];
  }
  return copy;
}

async function errorOf({ row }: Example, body: object): Promise<unknown> {
  const status = (body as { data: { status: number } }).data.status;
  const client = createClient({
    ...createSandbox({ signed: false }).clientOptions,
    fetch: answering(json(body, status)).fetch,
    maxAttempts: 1,
  });
  const thrown: unknown = await request(client, row.method, row.path).catch(
    (reason: unknown) => reason,
  );
  if (!isPaystateError(thrown)) return thrown;
  const { code, traceId, values } = thrown;
  return plain({
    status: thrown.status,
    code,
    traceId,
    values,
    validationErrors: thrown.validationErrors && Object.keys(thrown.validationErrors),
  });
}

/** What an error says of a refusal, whatever else stands in it. */
function said(body: object): unknown {
  const { traceId, data } = body as {
    traceId?: string | null;
    data: { status: number; code: string; values?: object; validationErrors?: object };
  };
  return plain({
    status: data.status,
    code: data.code,
    traceId: traceId ?? undefined,
    values: data.values,
    validationErrors:
      data.validationErrors &&
      Object.entries(data.validationErrors).flatMap(([field, rules]: [string, unknown]) =>
        Array.isArray(rules) && typeof Object(rules[0]).code === 'string' ? [field] : [],
      ),
  });
}

/** Plays `rounds` changes of an example, one to three at a time; says what was new, or what was not right. */
export async function playChanges(
  example: Example,
  rounds: number,
): Promise<{ readonly news: number; readonly trouble?: string }> {
  const { row, side, sample } = example;
  const optional = example.optional
    .map(stepsOf)
    .map((steps) => steps.map((step) => (/^\d+$/.test(String(step)) ? Number(step) : step)));
  const sites = [
    ...sitesOf(sample, []).filter(
      ({ field }) =>
        !(example.fixed ?? []).includes(field) &&
        // a draft takes new members in `extra` alone
        !(side === 'input' && (field === 'any' || field.endsWith('.any'))),
    ),
    ...optional.map(leavingOut),
  ];
  const roll = dice(rounds);
  const news = new Set<string>();
  const heard: string[] = [];
  const inspect = reportDrift(({ field, kind, text }: Drift) => {
    // amounts are changed by themselves, so they do not add up
    if (kind !== 'broken-sum') heard.push(`${field} ${text}`);
  });
  const shape = side === 'input' ? row.input! : row.output!;
  let body: object = sample;
  try {
    for (let round = 0; round <= rounds; round++) {
      body = plain(sample) as object;
      const changes =
        round === 0 ? [] : Array.from({ length: 1 + roll(3) }, () => sites[roll(sites.length)]!); // first as it is
      const made = changes.map((site) => site.change(body, roll));
      if (side === 'error') {
        expect(await errorOf(example, body)).to.deep.equal(said(body));
        continue;
      }
      for (const text of made) if (text && stillThere(body, text)) news.add(text);
      expect(plain(shape.read(body))).to.deep.equal(plain(withoutNulls(body, optional)));
      if (side === 'output') inspect(row.path, shape.schema!, body);
    }
    if (side === 'output') expect(heard.sort()).to.deep.equal([...news].sort());
  } catch (thrown) {
    return {
      news: heard.length,
      trouble: `${thrown instanceof Error ? thrown.message : 'unknown'} ${JSON.stringify(body)}`,
    };
  }
  return { news: heard.length };
}

/** A later change of the same round may have taken the news away again. */
function stillThere(body: object, news: string): boolean {
  const [field = '', text = ''] = news.split(' ');
  const look = (value: unknown, path: string): boolean => {
    if (typeof value === 'string') return path === field && value === text;
    if (typeof value !== 'object' || value === null) return false;
    if (Array.isArray(value)) return value.some((item) => look(item, `${path}[]`));
    return Object.entries(value).some(([name, member]) => {
      const here = path === '' ? name : `${path}.${name}`;
      return (here === field && name === text) || look(member, here);
    });
  };
  return look(body, '');
}
