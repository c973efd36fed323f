// Plays the adversary over a service that does one thing otherwise: whoever pays must still pay once and be told what is so.
import { AT_ONCE, ORDERS, playWorld } from '../adversary/world.ts';
import { WAYS } from '../adversary/ways.ts';
import { type Alternative, alternativesNamed, assumptionsOf } from './alternatives.ts';

/** The adversary's verdict on the intents over one alternative. */
export interface MoneyRow {
  readonly name: string;
  readonly intents: number;
  /** Intents whose money has moved, as they were told. */
  readonly done: number;
  readonly doubled: number;
  readonly falselyDone: number;
  readonly falselyNotDone: number;
  readonly overRefunded: number;
  readonly astray: number;
  readonly stuck: number;
  readonly untyped: number;
  readonly unknown: number;
  /** Arguments of `npm run prove -- adversary ways --replay …`, of a few that went wrong. */
  readonly wrong: readonly string[];
}

/** By the verdicts of `test/prove/adversary/judge.ts`. */
const COLUMNS = {
  doubled: 'doubled',
  falseDone: 'falselyDone',
  falseNo: 'falselyNotDone',
  overRefunded: 'overRefunded',
  astray: 'astray',
  stuck: 'stuck',
  stray: 'untyped',
} as const;
const isWrong = (kind: string): kind is keyof typeof COLUMNS => Object.hasOwn(COLUMNS, kind);

/** The ways that meet an assumption, by the beginning of its id; any other meets all of them. */
const MET: readonly (readonly [id: RegExp, ways: RegExp])[] = [
  [/^exchanges\./, /exchange/],
  [/^payouts\./, /payout/],
  [/^deposits\./, /deposit/],
  [/^bank-methods\./, /payout|deposit/],
  [/^(payment-quotes|payments|onchain)\./, /lightning|lnurl|onchain|refund/],
  [/^(invoices|invoice-quotes)\./, /create|ensure|refund/],
  [/^rates\./, /lightning|lnurl|onchain|refund|exchange/],
];

/** Assumptions that the adversary cannot meet, and why. */
export const UNMET: readonly (readonly [id: RegExp, why: string])[] = [
  [/^limits\./, 'it plays without rate limits'],
  [/^events\.|^deliveries\.|events$/, 'none of its ways hears of events'],
  [/^receives\.|^receive-requests\./, 'none of its ways receives by a request'],
  [/^banks\.|^originators\.|^routes\./, 'none of its ways removes, has an originator or errs'],
  [/^filters\./, 'none of its ways compares texts'],
];

/** Alternatives under which money may go wrong, each with the reason why no client can prevent it. */
export const LEANING: Readonly<Record<string, string>> = {
  'payments.used=again':
    'a failed payment is reported at once, and until its quote ends a copy of the request that the network made may execute the quote again',
};

/** The names of the ways that meet the alternative. */
export function waysFor({ id }: Alternative): readonly string[] {
  if (UNMET.some(([ids]) => ids.test(id))) return [];
  const [, met = /./] = MET.find(([ids]) => ids.test(id)) ?? [];
  return Object.keys(WAYS).filter((way) => met.test(way));
}

/** A job for the adversary. */
export interface MoneyJob {
  /** Name of the alternative. */
  readonly name: string;
  /** Intents of each way. */
  readonly intents: number;
  readonly seed: string;
}

const MOST_SHOWN = 3;

/** Plays an alternative by all ways that meet it; the order of checks changes from world to world. */
export async function playMoney({ name, intents, seed }: MoneyJob): Promise<MoneyRow> {
  const [alternative] = alternativesNamed([name]);
  const assume = assumptionsOf([alternative!]);
  const row = { ...NOTHING };
  const wrong: string[] = [];
  for (const way of waysFor(alternative!))
    for (let played = 0, number = 0; played < intents; number++) {
      const count = Math.min(AT_ONCE, intents - played);
      const place = { way, order: ORDERS[number % ORDERS.length]!, seed: `${seed}.${number}` };
      const world = await playWorld({ ...place, count, assume });
      for (const [n, { said, verdicts }] of world.entries()) {
        row.intents++;
        if (said === 'done') row.done++;
        if (said === 'unknown') row.unknown++;
        const kinds = new Set(verdicts.map(({ kind }) => kind).filter(isWrong));
        for (const kind of kinds) row[COLUMNS[kind]]++;
        if (kinds.size > 0 && wrong.length < MOST_SHOWN)
          wrong.push(
            `${place.seed}/${way}/${place.order}/${n}: ${verdicts.map(({ text }) => text).join('; ')}`,
          );
      }
      played += count;
    }
  return { name, ...row, wrong };
}

const NOTHING = {
  intents: 0,
  done: 0,
  doubled: 0,
  falselyDone: 0,
  falselyNotDone: 0,
  overRefunded: 0,
  astray: 0,
  stuck: 0,
  untyped: 0,
  unknown: 0,
};

/** Counts the intents of a row that went wrong, by all columns that must be 0. */
export const wrongIn = (row: MoneyRow): number =>
  Object.values(COLUMNS).reduce((sum, column) => sum + row[column], 0);
