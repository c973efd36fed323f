import { decimalText, parseDecimal } from '../../money/decimal.ts';
import type { Money } from '../../money/index.ts';
import { findDigits } from '../../money/money.ts';
import { ServiceRefusal } from '../world/responses.ts';
import { type Account, requireAccount, isId, getStore, type World } from '../world/world.ts';

/** Sub-accounts of an account: available, in transit, or credited but not settled. */
export type SubAccount = 'free' | 'held' | 'unsettled';

/** Ledger accounts outside any customer account. */
export type ExternalAccount = 'ln' | 'chain' | 'bank' | 'fx' | 'fees' | 'rewards';

export type LedgerAccount =
  | ExternalAccount
  | { readonly account: Account; readonly subAccount: SubAccount };

/** Money moving from one ledger account to another, so each currency always sums to zero. */
export interface Transfer {
  readonly from: LedgerAccount;
  readonly to: LedgerAccount;
  readonly money: Money;
  /** Only a reversal may make a balance negative, because the money may already have been spent. */
  readonly mayOwe?: true | undefined;
}

/** One line of the ledger. */
export interface Posting {
  /** Clock time, in milliseconds since 1970. */
  readonly at: number;
  /** The reason, such as `payout INITIATED`. */
  readonly why: string;
  /** Id of its invoice, payment, payout or other resource. */
  readonly entityId: string;
  /** Debited ledger account, such as `shop.free` or `bank`. */
  readonly from: string;
  /** Credited ledger account. */
  readonly to: string;
  /** Decimal string with all digits of its currency. */
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

/** Posts all transfers, or refuses with `BALANCE_TOO_LOW` and posts none. */
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

/**
 * The ledger, with every posting, the balance of each account, and the sum per currency, which is
 * always 0.
 */
export interface Ledger {
  /** Every posting so far, oldest first. */
  readonly postings: readonly Posting[];
  /** Returns decimal strings by ledger account, such as `shop.free` or `bank`, and by currency. */
  balances(): Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Returns the sum over all ledger accounts. */
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
 * Converts to an integer number of smallest units. An amount with finer digits is a bug in the
 * sandbox.
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

/** Returns none for a zero amount. */
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

/** Money that reached its destination. */
export interface Settlement {
  /** Clock time, in milliseconds since 1970. */
  readonly at: number;
  /** The reason, such as `payment COMPLETED`. */
  readonly why: string;
  /** Id of the resource that was settled. */
  readonly entityId: string;
}

const SETTLED = / (PAID|COMPLETED)$/;

/** The strings in commands by the ids they created, to count an intent's settlements. */
export class Labels {
  readonly #postings: readonly Posting[];
  readonly #byId = new Map<string, Set<string>>();

  constructor(postings: readonly Posting[]) {
    this.#postings = postings;
  }

  /** Records a finished command. `words` are the strings in its body, and its key. */
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
