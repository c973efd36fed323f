import { sha256 } from '@noble/hashes/sha2.js';
import { badInput, didYouMean } from '../../core/errors/index.ts';
import type { Clock, Ticks } from '../../core/time.ts';
import { CURRENCIES } from '../../resources/amounts.ts';
import type { AssumptionSettings } from '../provenance/alternatives.ts';
import type { ProvenanceRecorder } from '../provenance/recorder.ts';
import { TICKS_PER_MS, TICKS_PER_US, ticksOfMillis } from '../time/instants.ts';

/**
 * Generates random values from a seed, separately for each purpose, so one purpose never affects
 * another. It only uses a hash, so every runtime gets the same values.
 */
export class Randomness {
  readonly #seed: number | string;
  readonly #counters = new Map<string, number>();

  constructor(seed: number | string) {
    this.#seed = seed;
  }

  /** Returns 32 bytes that depend only on the seed, the purpose and the counter. */
  bytes(purpose: string, counter: number): Uint8Array {
    return sha256(encoder.encode(`${this.#seed}/${purpose}/${counter}`));
  }

  /** Returns the next counter for a purpose, starting at 0. */
  next(purpose: string): number {
    const counter = this.#counters.get(purpose) ?? 0;
    this.#counters.set(purpose, counter + 1);
    return counter;
  }

  uuid(purpose: string, counter: number): string {
    return formatUuid(this.bytes(purpose, counter));
  }

  /** Returns a whole number from 0 up to, but excluding, `limit`. `limit` is at most 2^32. */
  below(limit: number, purpose: string, counter: number): number {
    const drawn = this.bytes(purpose, counter);
    return (((drawn[0]! << 24) | (drawn[1]! << 16) | (drawn[2]! << 8) | drawn[3]!) >>> 0) % limit;
  }

  /** Returns a number from 0 up to, but excluding, 1, with 32 random bits. */
  fraction(purpose: string, counter: number): number {
    return this.below(0x1_0000_0000, purpose, counter) / 0x1_0000_0000;
  }
}

const encoder = /* @__PURE__ */ new TextEncoder();

function formatUuid(bytes: Uint8Array): string {
  const hex = toHex(bytes.subarray(0, 16));
  const variant = '89ab'[bytes[8]! & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

const DIGITS = '0123456789abcdef';

export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += DIGITS.charAt(byte >> 4) + DIGITS.charAt(byte & 15);
  return text;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

export function isId(text: string): boolean {
  return UUID.test(text);
}

/**
 * Converts an id to lowercase, because ids are case-insensitive. Returns other strings unchanged.
 */
export function idFrom(text: string): string {
  return isId(text) ? text.toLowerCase() : text;
}

/** An account for `createSandbox({ accounts })`. */
export interface SandboxAccount {
  /**
   * The account's handle, which is its public name. You also pass it to `clientOptionsFor({ account
   * })`.
   */
  readonly handle: string;
  /** Currencies that the account supports. Defaults to all currencies that the service supports. */
  readonly currencies?: readonly string[] | undefined;
  /** Scopes of the account's API keys. Defaults to all scopes. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * The account's API keys. `clientOptions` uses the first key of the first account. Defaults to
   * one random key.
   */
  readonly apiKeys?: readonly string[] | undefined;
  /**
   * Currency for payments and credits that don't specify one. Defaults to the first of `currencies`
   * that isn't bitcoin.
   */
  readonly defaultCurrency?: string | undefined;
  /** Initial balances as decimal strings, by currency. Defaults to none. */
  readonly balances?: Readonly<Record<string, string>> | undefined;
  /** Whether the account is hidden from other accounts. Defaults to false. */
  readonly isPrivate?: boolean | undefined;
  /** Whether the account can receive payments. Defaults to true. */
  readonly canReceive?: boolean | undefined;
  /**
   * Whether the account's payments must include their destination type (travel rule). Defaults to
   * false.
   */
  readonly travelRule?: boolean | undefined;
  /**
   * Fraction of each payment that the account gets back as a reward, such as '0.01'. Defaults to no
   * reward.
   */
  readonly reward?: string | undefined;
  /** URL of the account's profile picture. */
  readonly avatarUrl?: string | undefined;
  /** The account's profile description. */
  readonly description?: string | undefined;
  /**
   * Time in milliseconds during which the new account's requests fail with `ACCOUNT_NOT_READY`.
   * Defaults to 0.
   */
  readonly readyAfter?: number | undefined;
}

/** Quote lifetimes in milliseconds. They must be multiples of 1,000. */
export interface QuoteLifetimes {
  /**
   * Lifetime of a quote for an invoice in a currency other than BTC, which locks the exchange rate.
   */
  readonly converted: number;
  /** Lifetime of a quote for an invoice in BTC. */
  readonly plain: number;
  /** Time during which a payment quote can be executed. */
  readonly payment: number;
}

export interface Account {
  readonly id: string;
  readonly handle: string;
  readonly currencies: readonly string[];
  readonly defaultCurrency: string;
  readonly scopes: readonly string[] | undefined;
  readonly isPrivate: boolean;
  readonly canReceive: boolean;
  readonly travelRule: boolean;
  readonly reward: string | undefined;
  readonly avatarUrl: string | undefined;
  readonly description: string | undefined;
  /** Time when the account is ready, in milliseconds since 1970. */
  readonly readyAt: number;
}

/**
 * An API key or access token, with its account and scopes. If `scopes` is absent, it has all
 * scopes.
 */
export interface Key {
  readonly account: Account;
  readonly scopes: ReadonlySet<string> | undefined;
  /** Time when the credential expires, in milliseconds since 1970. If absent, it never expires. */
  readonly until?: number;
  /** Whether the credential was revoked. */
  readonly isRevoked?: boolean;
}

/** The simulated service's state. Each resource type keeps its data in its own `stores` entry. */
export interface World {
  readonly clock: Clock;
  readonly provenance: ProvenanceRecorder;
  readonly random: Randomness;
  readonly signed: boolean;
  readonly assumptions: AssumptionSettings;
  /** Configured quote lifetimes. The assumptions determine any that are absent. */
  readonly quoteLifetimes: Partial<QuoteLifetimes>;
  readonly accounts: Map<string, Account>;
  readonly keys: Map<string, Key>;
  readonly stores: Map<string, unknown>;
  /**
   * Returns a creation time with six fraction digits. It's never before one that was returned
   * earlier.
   */
  stamp(): Ticks;
}

interface WorldOptions extends Omit<World, 'accounts' | 'keys' | 'stores' | 'stamp'> {
  readonly accounts: readonly SandboxAccount[];
}

export function createWorld({ accounts, ...options }: WorldOptions): World {
  let last = 0n;
  const world: World = {
    ...options,
    accounts: new Map(),
    keys: new Map(),
    stores: new Map(),
    stamp() {
      const start = ticksOfMillis(options.clock.now());
      const drawn = options.random.below(400, 'stamp', options.random.next('stamp'));
      const steps = BigInt(last < start ? drawn : 1 + (drawn % 3));
      const next = (last < start ? start : last) + steps * TICKS_PER_US;
      // if a millisecond is full, creation times repeat, as they do in the real service
      last = next < start + TICKS_PER_MS ? next : last;
      return last;
    },
  };
  for (const account of accounts) addAccount(world, account);
  return world;
}

const TWICE = 'account handles and keys must be unique';

function addAccount(world: World, given: SandboxAccount): void {
  const {
    handle,
    currencies = CURRENCIES,
    scopes,
    defaultCurrency = currencies.find((currency) => currency !== 'BTC') ?? 'BTC',
    isPrivate = false,
    canReceive = true,
    travelRule = false,
  } = given;
  const { apiKeys = [], avatarUrl, description, readyAfter = 0, reward } = given;
  checkAccount(world, { ...given, currencies, defaultCurrency });
  const id = world.random.uuid('account', world.accounts.size);
  world.accounts.set(handle, {
    id,
    handle,
    currencies,
    defaultCurrency,
    scopes,
    isPrivate,
    canReceive,
    travelRule,
    reward,
    avatarUrl,
    description,
    readyAt: world.clock.now() + readyAfter,
  });
  for (const key of apiKeys.length > 0 ? apiKeys : [undefined])
    issueKey(world, world.accounts.get(handle)!, scopes, key);
}

function checkAccount(
  world: World,
  { handle, reward, defaultCurrency, balances = {}, currencies = [] }: SandboxAccount,
): void {
  if (world.accounts.has(handle)) throw badInput('accounts', TWICE);
  if (reward !== undefined && !/^0\.\d{1,6}$/.test(reward))
    throw badInput('accounts', 'reward must be a fraction such as 0.01');
  for (const currency of [defaultCurrency!, ...Object.keys(balances)])
    if (!currencies.includes(currency))
      throw badInput('accounts', `${handle} has no account in ${currency}`);
}

export function getStore<T>(world: World, name: string, make: () => T): T {
  if (!world.stores.has(name)) world.stores.set(name, make());
  return world.stores.get(name) as T;
}

/** Adds an API key to an account and returns it. Generates a random key unless you pass one. */
export function issueKey(
  world: World,
  account: Account,
  scopes: readonly string[] | undefined,
  text: string = toHex(world.random.bytes('key', world.keys.size)).toUpperCase(),
): string {
  if (world.keys.has(text)) throw badInput('accounts', TWICE);
  world.keys.set(text, { account, scopes: scopes && new Set(scopes) });
  return text;
}

/**
 * Revokes an API key. The sandbox remembers it, so it isn't mistaken for a real key or issued
 * again.
 */
export function revokeKey(world: World, text: string): void {
  const key = world.keys.get(text);
  if (!key) throw badInput('apiKey', 'no account in this sandbox has this key');
  world.keys.set(text, { ...key, isRevoked: true });
}

/** Returns the account with this handle, or the first account if there's no handle. */
export function requireAccount(world: World, handle: string | undefined): Account {
  const [first] = world.accounts.values();
  const account = handle === undefined ? first : world.accounts.get(handle);
  if (!account)
    throw badInput(
      'account',
      `no account in this sandbox has this handle${didYouMean(handle!, world.accounts.keys())}`,
    );
  return account;
}

/** Calls `act` after a delay in milliseconds. If the delay is infinite, never calls it. */
export function runLater(world: World, delay: number, act: () => void): void {
  if (delay < Infinity) void world.clock.wait(delay).then(act);
}
