import { decimalText, parseDecimal } from '../../money/decimal.ts';
import type { Money } from '../../money/index.ts';
import { findDigits } from '../../money/money.ts';
import { ServiceRefusal } from '../world/responses.ts';
import { type Account, requireAccount, isId, getStore, type World } from '../world/world.ts';

/**
 * Part of an account's balance. `free` is available, `held` is reserved for payments in transit,
 * and `unsettled` is credited but not settled yet.
 */
export type SubAccount = 'free' | 'held' | 'unsettled';

/**
 * Ledger accounts that don't belong to a customer, such as the Lightning network or the service's
 * fees.
 */
export type ExternalAccount = 'ln' | 'chain' | 'bank' | 'fx' | 'fees' | 'rewards';

export type LedgerAccount =
  | ExternalAccount
  | { readonly account: Account; readonly subAccount: SubAccount };

/**
 * Moves money from one ledger account to another. The sum of all balances in a currency stays zero.
 */
export interface Transfer {
  readonly from: LedgerAccount;
  readonly to: LedgerAccount;
  readonly money: Money;
  /**
   * Whether the balance may become negative. Only reversals do this, because the money may already
   * have been spent.
   */
  readonly mayOwe?: true | undefined;
}

/** One posting in the ledger, which moves money from one ledger account to another. */
export interface Posting {
  /** Time on the sandbox's clock, in milliseconds since 1970. */
  readonly at: number;
  /** Reason for the posting, such as `payout INITIATED`. */
  readonly why: string;
  /** Id of the invoice, payment, payout or other resource that caused the posting. */
  readonly entityId: string;
  /** Ledger account that was debited, such as `shop.free` or `bank`. */
  readonly from: string;
  /** Ledger account that was credited. */
  readonly to: string;
  /** Amount as a decimal string, with all of its currency's decimal places. */
  readonly amount: string;
  /** Currency of the amount, such as `EUR`. */
  readonly currency: string;
}

interface Book {
  readonly units: Map<string, bigint>;
  readonly postings: Posting[];
}

function getBook(world: World): Book {
  return getStore(world, 'ledger', () => ({ units: new Map(), postings: [] }));
}

export function listSubAccounts(account: Account): Readonly<Record<SubAccount, LedgerAccount>> {
  return {
    free: { account, subAccount: 'free' },
    held: { account, subAccount: 'held' },
    unsettled: { account, subAccount: 'unsettled' },
  };
}

/**
 * Posts all transfers atomically. If a balance is too low, posts nothing and throws
 * `BALANCE_TOO_LOW`.
 */
export function post(
  world: World,
  why: string,
  entityId: string,
  transfers: readonly Transfer[],
): void {
  const { units, postings } = getBook(world);
  const after = new Map<string, bigint>();
  const at = (key: string): bigint => after.get(key) ?? units.get(key) ?? 0n;
  for (const { from, to, money, mayOwe } of transfers) {
    const moved = toUnits(money);
    const source = makeKey(from, money.currency);
    after.set(source, at(source) - moved);
    if (typeof from !== 'string' && !mayOwe && at(source) < 0n)
      throw new ServiceRefusal('BALANCE_TOO_LOW');
    const target = makeKey(to, money.currency);
    after.set(target, at(target) + moved);
  }
  for (const [key, held] of after) units.set(key, held);
  const now = world.clock.now();
  for (const { from, to, money } of transfers)
    postings.push({
      at: now,
      why,
      entityId,
      from: nameAccount(from),
      to: nameAccount(to),
      amount: formatUnits(toUnits(money), money.currency),
      currency: money.currency,
    });
}

export function reverseTransfers(transfers: readonly Transfer[]): readonly Transfer[] {
  return [...transfers]
    .reverse()
    .map(({ from, to, money }) => ({ from: to, to: from, money, mayOwe: true }));
}

export function sumIn(world: World, accounts: readonly LedgerAccount[], currency: string): string {
  const { units } = getBook(world);
  return formatUnits(
    accounts.reduce((sum, account) => sum + (units.get(makeKey(account, currency)) ?? 0n), 0n),
    currency,
  );
}

export function requireFree(world: World, account: Account, money: Money): void {
  const held =
    getBook(world).units.get(makeKey(listSubAccounts(account).free, money.currency)) ?? 0n;
  if (held < toUnits(money)) throw new ServiceRefusal('BALANCE_TOO_LOW');
}

/** The sandbox's ledger, with all postings and balances. The total in each currency is always 0. */
export interface Ledger {
  /** All postings so far, oldest first. */
  readonly postings: readonly Posting[];
  /**
   * Returns the balance of each ledger account by currency, as decimal strings. Ledger accounts
   * have names such as `shop.free` or `bank`.
   */
  balances(): Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Returns the sum of all ledger accounts in one currency, which is always 0. */
  total(currency: string): string;
}

export function getLedger(world: World): Ledger {
  const { units, postings } = getBook(world);
  return {
    postings,
    balances() {
      const shown = new Map<string, [string, string][]>();
      for (const [key, held] of units) {
        const [name = '', currency = ''] = key.split(' ');
        shown.set(name, [...(shown.get(name) ?? []), [currency, formatUnits(held, currency)]]);
      }
      return Object.fromEntries(
        Array.from(shown, ([name, texts]) => [name, Object.fromEntries(texts)]),
      );
    },
    total(currency) {
      const all = [...units].filter(([key]) => key.endsWith(` ${currency}`));
      return formatUnits(
        all.reduce((sum, [, held]) => sum + held, 0n),
        currency,
      );
    },
  };
}

function makeKey(account: LedgerAccount, currency: string): string {
  return `${nameAccount(account)} ${currency}`;
}

function nameAccount(account: LedgerAccount): string {
  return typeof account === 'string' ? account : `${account.account.handle}.${account.subAccount}`;
}

/**
 * Converts an amount to a whole number of the currency's smallest units. Throws if the amount is
 * more precise, which is a bug in the sandbox.
 */
function toUnits({ amount, currency }: Money): bigint {
  const { digits, scale } = parseDecimal(amount);
  const own = findDigits(currency) ?? 2;
  if (scale <= own) return digits * 10n ** BigInt(own - scale);
  const cut = 10n ** BigInt(scale - own);
  if (digits % cut !== 0n)
    throw new Error(`an amount in ${currency} has more decimal places than the currency allows`);
  return digits / cut;
}

function formatUnits(held: bigint, currency: string): string {
  const text = decimalText({ digits: held < 0n ? -held : held, scale: findDigits(currency) ?? 2 });
  return held < 0n ? `-${text}` : text;
}

/** Returns one transfer, or none if the amount is zero. */
export function listTransfers(
  from: LedgerAccount,
  to: LedgerAccount,
  money: Money | undefined,
  mayOwe?: true,
): readonly Transfer[] {
  return money && /[1-9]/.test(money.amount) ? [{ from, to, money, mayOwe }] : [];
}

export function fund(world: World, handle: string, given: Money): void {
  const account = requireAccount(world, handle);
  post(world, 'fund', account.id, [
    { from: 'bank', to: listSubAccounts(account).free, money: given },
  ]);
}

/** A payment or transfer that reached its destination. */
export interface Settlement {
  /** Time on the sandbox's clock, in milliseconds since 1970. */
  readonly at: number;
  /** Reason for the settlement, such as `payment COMPLETED`. */
  readonly why: string;
  /** Id of the resource that was settled. */
  readonly entityId: string;
}

const SETTLED = / (PAID|COMPLETED)$/;

/**
 * Maps resource ids to the strings in the requests that created them, to find the settlements of an
 * order.
 */
export class Labels {
  readonly #postings: readonly Posting[];
  readonly #byId = new Map<string, Set<string>>();

  constructor(postings: readonly Posting[]) {
    this.#postings = postings;
  }

  /** Records a finished request. `words` are the strings in its body and its idempotency key. */
  note(words: readonly unknown[], where: object, answer: unknown): void {
    const heirs = Object.values(where).flatMap((id) => [...(this.#byId.get(id as string) ?? [])]);
    const texts = words.filter((word): word is string => typeof word === 'string');
    const labels = [...texts, ...heirs];
    if (labels.length === 0) return;
    for (const id of Object.values(answer ?? {})) {
      if (typeof id !== 'string' || !isId(id) || labels.includes(id)) continue;
      const known = this.#byId.get(id) ?? new Set();
      this.#byId.set(id, known);
      for (const label of labels) known.add(label);
    }
  }

  settlements(label: string): readonly Settlement[] {
    const found = new Map<string, Settlement>();
    for (const { at, why, entityId } of this.#postings)
      if (SETTLED.test(why) && this.#byId.get(entityId)?.has(label))
        found.set(`${why} ${entityId} ${at}`, { at, why, entityId });
    return [...found.values()];
  }
}
