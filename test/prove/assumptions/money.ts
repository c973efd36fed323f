// Plays the adversary over a service that does one thing otherwise: whoever pays must still pay once and be told what is so.
import { isWrong } from '../adversary/judge.ts';
import { ORDERS, playIntents } from '../adversary/world.ts';
import { WAYS } from '../adversary/ways.ts';
import { type Alternative, assumptionsOf } from './alternatives.ts';

/** The adversary's verdict on the intents over one alternative. */
export interface MoneyRow {
  readonly intents: number;
  /** Intents whose money has moved, as they were told. */
  readonly done: number;
  readonly unknown: number;
  /** Arguments of `npm run prove -- adversary ways --replay …`, of those that went wrong. */
  readonly wrong: readonly string[];
}

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
const UNMET: readonly (readonly [id: RegExp, why: string])[] = [
  [/^limits\./, 'it plays without rate limits'],
  [/^events\.(?!lag)|^deliveries\.|events$/, 'none of its ways hears of events'],
  [/^receives\.|^receive-requests\./, 'none of its ways receives by a request'],
  [/^banks\.|^originators\.|^routes\./, 'none of its ways removes, has an originator or errs'],
  [/^filters\./, 'none of its ways compares texts'],
];

/** Alternatives under which money may go wrong, each with the reason why no client can prevent it. */
export const LEANING: Readonly<Record<string, string>> = {
  'events.lag=10-min':
    'lists show a movement within five minutes; where they do not, a search misses it, and the next quote may pay it again',
  'keys.kept=ignored':
    'keys that the service ignores make a deposit again with each request; payments notice it, and are refused',
  'payments.used=again':
    'a failed payment is reported at once, and until its quote ends a copy of the request that the network made may execute the quote again',
};

/** The names of the ways that meet the alternative. */
export function waysFor({ id }: Alternative): readonly string[] {
  if (UNMET.some(([ids]) => ids.test(id))) return [];
  const [, met = /./] = MET.find(([ids]) => ids.test(id)) ?? [];
  return Object.keys(WAYS).filter((way) => met.test(way));
}

/** Plays an alternative by all ways that meet it; the order of checks changes from world to world. */
export async function playMoney(
  alternative: Alternative,
  intents: number,
  seed: string,
): Promise<MoneyRow> {
  const assume = assumptionsOf([alternative]);
  const row = { intents: 0, done: 0, unknown: 0 };
  const wrong: string[] = [];
  for (const way of waysFor(alternative))
    for await (const judged of playIntents({ way, orders: ORDERS, seed, intents, assume })) {
      const { intent, said, verdicts } = judged;
      row.intents++;
      if (said === 'done' || said === 'unknown') row[said]++;
      const texts = verdicts.map(({ text }) => text).join('; ');
      if (isWrong(judged)) wrong.push(`${intent.name}/${intent.n}: ${texts}`);
    }
  return { ...row, wrong };
}
