import { digitsOf } from '../../money/currencies.ts';
import { decimalText, parseDecimal } from '../../money/decimal.ts';
import type { WireMoney } from '../../resources/amounts/model.ts';
import { Refusal } from '../world/refusals.ts';
import { type Account, storeOf, type World } from '../world/world.ts';

/** Where an account's money is: to be spent, on its way out, or credited and not settled yet. */
export type SubAccount = 'free' | 'held' | 'unsettled';

/** Where money is that belongs to no account. */
export type ExternalAccount = 'ln' | 'chain' | 'bank' | 'fx' | 'fees' | 'rewards';

/** A place that money goes from or to. */
export type LedgerAccount =
  | ExternalAccount
  | { readonly account: Account; readonly pot: SubAccount };

/** Money that changes its place: what leaves one arrives in the other, so each currency always sums to zero. */
export interface Transfer {
  readonly from: LedgerAccount;
  readonly to: LedgerAccount;
  readonly money: WireMoney;
  /** A reversal takes back what may be spent already: only it may leave less than nothing. */
  readonly mayOwe?: true | undefined;
}

/** One line of the books. */
export interface Posting {
  /** Clock time, milliseconds since 1970. */
  readonly at: number;
  /** What happened, such as `payout INITIATED`. */
  readonly why: string;
  readonly entityId: string;
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly currency: string;
}

interface Accounts {
  readonly units: Map<string, bigint>;
  readonly postings: Posting[];
}

function accountsOf(world: World): Accounts {
  return storeOf(world, 'ledger', () => ({ units: new Map(), postings: [] }));
}

/** The pots of an account. */
export function subAccountsOf(account: Account): Readonly<Record<SubAccount, LedgerAccount>> {
  return {
    free: { account, pot: 'free' },
    held: { account, pot: 'held' },
    unsettled: { account, pot: 'unsettled' },
  };
}

/** Books all moves or none; `BALANCE_TOO_LOW` where an account has not enough. */
export function post(
  world: World,
  why: string,
  entityId: string,
  moves: readonly Transfer[],
): void {
  const { units, postings } = accountsOf(world);
  const after = new Map<string, bigint>();
  const at = (key: string): bigint => after.get(key) ?? units.get(key) ?? 0n;
  for (const { from, to, money, mayOwe } of moves) {
    const moved = unitsOf(money);
    const source = keyOf(from, money.currency);
    after.set(source, at(source) - moved);
    if (typeof from !== 'string' && !mayOwe && at(source) < 0n)
      throw new Refusal('BALANCE_TOO_LOW');
    const target = keyOf(to, money.currency);
    after.set(target, at(target) + moved);
  }
  for (const [key, held] of after) units.set(key, held);
  const now = world.clock.now();
  for (const { from, to, money } of moves)
    postings.push({
      at: now,
      why,
      entityId,
      from: nameOf(from),
      to: nameOf(to),
      amount: textOf(unitsOf(money), money.currency),
      currency: money.currency,
    });
}

/** The moves that undo others; what was credited may be spent already. */
export function reverseTransfers(moves: readonly Transfer[]): readonly Transfer[] {
  return [...moves]
    .reverse()
    .map(({ from, to, money }) => ({ from: to, to: from, money, mayOwe: true }));
}

/** What is in a place, as a decimal text; below zero with a minus. */
export function balanceIn(world: World, place: LedgerAccount, currency: string): string {
  return textOf(accountsOf(world).units.get(keyOf(place, currency)) ?? 0n, currency);
}

/** What is in several places together. */
export function sumIn(world: World, places: readonly LedgerAccount[], currency: string): string {
  const { units } = accountsOf(world);
  return textOf(
    places.reduce((sum, place) => sum + (units.get(keyOf(place, currency)) ?? 0n), 0n),
    currency,
  );
}

/** Refuses what an account cannot spend now. */
export function requireFree(world: World, account: Account, money: WireMoney): void {
  const held =
    accountsOf(world).units.get(keyOf(subAccountsOf(account).free, money.currency)) ?? 0n;
  if (held < unitsOf(money)) throw new Refusal('BALANCE_TOO_LOW');
}

/** The books as anybody may read them: every posting, what each place holds, and the sum of a currency, which is 0. */
export interface Ledger {
  readonly postings: readonly Posting[];
  /** By place, such as `shop.free` or `bank`, and currency; decimal texts. */
  balances(): Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Over all places. */
  total(currency: string): string;
}

export function ledgerOf(world: World): Ledger {
  const { units, postings } = accountsOf(world);
  return {
    postings,
    balances() {
      const shown: Record<string, Record<string, string>> = {};
      for (const [key, held] of units) {
        const [place = '', currency = ''] = key.split(' ');
        (shown[place] ??= {})[currency] = textOf(held, currency);
      }
      return shown;
    },
    total(currency) {
      const all = [...units].filter(([key]) => key.endsWith(` ${currency}`));
      return textOf(
        all.reduce((sum, [, held]) => sum + held, 0n),
        currency,
      );
    },
  };
}

function keyOf(place: LedgerAccount, currency: string): string {
  return `${nameOf(place)} ${currency}`;
}

function nameOf(place: LedgerAccount): string {
  return typeof place === 'string' ? place : `${place.account.handle}.${place.pot}`;
}

/** Whole smallest units; money with finer digits is a mistake of this sandbox. */
function unitsOf({ amount, currency }: WireMoney): bigint {
  const { digits, scale } = parseDecimal(amount);
  const own = digitsOf(currency) ?? 2;
  if (scale <= own) return digits * 10n ** BigInt(own - scale);
  const cut = 10n ** BigInt(scale - own);
  if (digits % cut !== 0n)
    throw new Error(`${currency} is not booked in parts of its smallest unit`);
  return digits / cut;
}

function textOf(held: bigint, currency: string): string {
  const text = decimalText({ digits: held < 0n ? -held : held, scale: digitsOf(currency) ?? 2 });
  return held < 0n ? `-${text}` : text;
}
