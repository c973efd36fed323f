import type { Clock } from '../core/clock.ts';
import { badInput } from '../core/errors.ts';
import type { Ticks } from '../core/instant.ts';
import { CURRENCIES } from '../resources/amounts/model.ts';
import type { StoredEvent } from './events.ts';
import { ticksOfMillis, TICKS_PER_MS } from './instants.ts';
import type { StoredInvoice } from './invoices.ts';
import type { StoredQuote } from './quotes.ts';
import { hexOf, type Randomness } from './randomness.ts';

/** An account of the sandbox, as `createSandbox({ accounts })` takes it. */
export interface SandboxAccount {
  /** Its public name; also names it in `connectionFor({ account })`. */
  readonly handle: string;
  /** Currencies it can be paid in; all of the service's. */
  readonly currencies?: readonly string[] | undefined;
  /** What its usual key may do; everything. */
  readonly scopes?: readonly string[] | undefined;
}

/** How long invoice quotes can be paid, in whole seconds. */
export interface QuoteValidity {
  /** Where the invoice is in another currency than BTC: the rate is kept so long. */
  readonly converted: number;
  /** Where there is no rate to keep. */
  readonly plain: number;
}

export interface Account {
  readonly id: string;
  readonly handle: string;
  readonly currencies: readonly string[];
  readonly scopes: readonly string[] | undefined;
  /** Ascending by `created`, as all lists here. */
  readonly invoices: StoredInvoice[];
  readonly correlationIds: Map<string, StoredInvoice>;
  readonly events: StoredEvent[];
  readonly eventsById: Map<string, StoredEvent>;
}

/** A credential: whose it is and what it may do; no scopes named means all. */
export interface Key {
  readonly account: Account;
  readonly scopes: ReadonlySet<string> | undefined;
}

/** Everything that the service in the box knows. */
export interface World {
  readonly clock: Clock;
  readonly random: Randomness;
  readonly signed: boolean;
  readonly quoteValidity: QuoteValidity;
  readonly accounts: Map<string, Account>;
  readonly keys: Map<string, Key>;
  readonly invoices: Map<string, StoredInvoice>;
  readonly quotes: Map<string, StoredQuote>;
  readonly quotesByHash: Map<string, StoredQuote>;
  /** A time of creation with seven digits, never before the last one. */
  stamp(): Ticks;
}

export interface WorldOptions {
  readonly clock: Clock;
  readonly random: Randomness;
  readonly signed: boolean;
  readonly quoteValidity: QuoteValidity;
  readonly accounts: readonly SandboxAccount[];
}

export function createWorld({ accounts, ...options }: WorldOptions): World {
  let last = 0n;
  const world: World = {
    ...options,
    accounts: new Map(),
    keys: new Map(),
    invoices: new Map(),
    quotes: new Map(),
    quotesByHash: new Map(),
    stamp() {
      const start = ticksOfMillis(options.clock.now());
      const drawn = options.random.below(4_000, 'stamp', options.random.next('stamp'));
      const next = last < start ? start + BigInt(drawn) : last + 1n + BigInt(drawn % 40);
      last = next < start + TICKS_PER_MS ? next : last; // a full millisecond makes ties, which the service has too
      return last;
    },
  };
  for (const account of accounts) addAccount(world, account);
  return world;
}

function addAccount(world: World, { handle, currencies = CURRENCIES, scopes }: SandboxAccount): void {
  if (typeof handle !== 'string' || handle === '') throw badInput('accounts', 'each account needs a handle');
  if (world.accounts.has(handle)) throw badInput('accounts', 'two accounts have the same handle');
  const id = world.random.uuid('account', world.accounts.size);
  world.accounts.set(handle, {
    id, handle, currencies, scopes, invoices: [], correlationIds: new Map(), events: [], eventsById: new Map(),
  });
}

/** Makes a new key for an account and returns its text. */
export function issueKey(world: World, account: Account, scopes: readonly string[] | undefined): string {
  const text = hexOf(world.random.bytes('key', world.keys.size)).toUpperCase();
  world.keys.set(text, { account, scopes: scopes && new Set(scopes) });
  return text;
}

/** The account with this handle; the first one when none is named. */
export function accountOf(world: World, handle: string | undefined): Account {
  const [first] = world.accounts.values();
  const account = handle === undefined ? first : world.accounts.get(handle);
  if (!account) throw badInput('account', 'no account of this sandbox has this handle');
  return account;
}
