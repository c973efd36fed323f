import { sha256 } from '@noble/hashes/sha2.js';
import { badInput, didYouMean } from '../../core/errors/index.ts';
import type { Clock, Ticks } from '../../core/time.ts';
import { CURRENCIES } from '../../resources/amounts.ts';
import type { AssumptionSettings } from '../provenance/alternatives.ts';
import type { ProvenanceRecorder } from '../provenance/recorder.ts';
import { TICKS_PER_MS, TICKS_PER_US, ticksOfMillis } from '../time/instants.ts';

/**
 * Randomness by path. Draws for one purpose never change those for another. The same seed draws the
 * same in every runtime, because it only uses a hash and no engine arithmetic.
 */
export class Randomness {
  readonly #seed: number | string;
  readonly #counters = new Map<string, number>();

  constructor(seed: number | string) {
    this.#seed = seed;
  }

  /** The bytes only depend on seed, purpose and counter. */
  bytes(purpose: string, counter: number): Uint8Array {
    return sha256(encoder.encode(`${this.#seed}/${purpose}/${counter}`));
  }

  /** Counts from 0. */
  next(purpose: string): number {
    const counter = this.#counters.get(purpose) ?? 0;
    this.#counters.set(purpose, counter + 1);
    return counter;
  }

  uuid(purpose: string, counter: number): string {
    return formatUuid(this.bytes(purpose, counter));
  }

  /** `limit` is at most 2^32. */
  below(limit: number, purpose: string, counter: number): number {
    const drawn = this.bytes(purpose, counter);
    return (((drawn[0]! << 24) | (drawn[1]! << 16) | (drawn[2]! << 8) | drawn[3]!) >>> 0) % limit;
  }

  /** Returns a number from 0 (included) to 1 (excluded), with 32 bits. */
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

/** Ids are case-insensitive. */
export function idFrom(text: string): string {
  return isId(text) ? text.toLowerCase() : text;
}

/** An account for `createSandbox({ accounts })`. */
export interface SandboxAccount {
  /** Its public name. Also used in `clientOptionsFor({ account })`. */
  readonly handle: string;
  /** Currencies it can be paid in. Defaults to all of the service's. */
  readonly currencies?: readonly string[] | undefined;
  /** Scopes of its usual key. Defaults to all. */
  readonly scopes?: readonly string[] | undefined;
  /** Its keys, starting with the usual one for `clientOptions`. Defaults to a random one. */
  readonly apiKeys?: readonly string[] | undefined;
  /**
   * Currency for spending and credits if none is specified. Defaults to the first of `currencies`
   * except bitcoin.
   */
  readonly defaultCurrency?: string | undefined;
  /** Initial balances, as decimal strings by currency. Defaults to none. */
  readonly balances?: Readonly<Record<string, string>> | undefined;
  /** Hides its handle from others. Defaults to false. */
  readonly isPrivate?: boolean | undefined;
  /** Lets others pay it. Defaults to true. */
  readonly canReceive?: boolean | undefined;
  /**
   * Requires its payments to specify the type of their destination (travel rule). Defaults to
   * false.
   */
  readonly travelRule?: boolean | undefined;
  /** Fraction of each payment that it gets back, such as '0.01'. Defaults to none. */
  readonly reward?: string | undefined;
  /** Picture in its profile. */
  readonly avatarUrl?: string | undefined;
  /** Description in its profile. */
  readonly description?: string | undefined;
  /** How long the service refuses it as not ready at first, in milliseconds. Defaults to 0. */
  readonly readyAfter?: number | undefined;
}

/** Lifetimes of quotes, in milliseconds that must be whole seconds. */
export interface QuoteLifetimes {
  /** For an invoice in a currency other than BTC, which keeps its rate for this long. */
  readonly converted: number;
  /** For an invoice without a rate. */
  readonly plain: number;
  /** For payment quotes, until they're executed. */
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
  /** Clock time in milliseconds since 1970. */
  readonly readyAt: number;
}

/** A credential with its account and scopes. Absent scopes mean all. */
export interface Key {
  readonly account: Account;
  readonly scopes: ReadonlySet<string> | undefined;
  /** When it expires, in milliseconds since 1970. If absent, never. */
  readonly until?: number;
  /** It was ended early. */
  readonly isRevoked?: boolean;
}

/** The state of the service. It doesn't know any resource. Each has its own store in `stores`. */
export interface World {
  readonly clock: Clock;
  readonly provenance: ProvenanceRecorder;
  readonly random: Randomness;
  readonly signed: boolean;
  readonly assumptions: AssumptionSettings;
  /** Absent fields follow the assumptions. */
  readonly quoteLifetimes: Partial<QuoteLifetimes>;
  readonly accounts: Map<string, Account>;
  readonly keys: Map<string, Key>;
  readonly stores: Map<string, unknown>;
  /** Returns a creation time with six digits, never before the last one. */
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
      // a full millisecond produces ties, which the service has too
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

/** Returns the key itself, which is the given or a random one. */
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

/** It stays known, so it doesn't count as a real one and the same key isn't given out again. */
export function revokeKey(world: World, text: string): void {
  const key = world.keys.get(text);
  if (!key) throw badInput('apiKey', 'no account in this sandbox has this key');
  world.keys.set(text, { ...key, isRevoked: true });
}

/** Defaults to the first account. */
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

/** Never calls `act` if the delay is infinite. */
export function runLater(world: World, delay: number, act: () => void): void {
  if (delay < Infinity) void world.clock.wait(delay).then(act);
}
