import { sha256 } from '@noble/hashes/sha2.js';
import { badInput, didYouMean } from '../../core/errors/index.ts';
import type { Clock, Ticks } from '../../core/time.ts';
import { CURRENCIES } from '../../resources/amounts.ts';
import type { AssumptionSettings } from '../provenance/alternatives.ts';
import type { ProvenanceRecorder } from '../provenance/recorder.ts';
import { TICKS_PER_MS, TICKS_PER_US, ticksOfMillis } from '../time/instants.ts';

/**
 * Randomness by path: what one purpose draws never shifts what another one gets. The same seed
 * draws the same in every runtime: only a hash, no engine arithmetic.
 */
export class Randomness {
  readonly #seed: number | string;
  readonly #counters = new Map<string, number>();

  constructor(seed: number | string) {
    this.#seed = seed;
  }

  /** 32 bytes that depend on seed, purpose and counter only. */
  bytes(purpose: string, counter: number): Uint8Array {
    return sha256(encoder.encode(`${this.#seed}/${purpose}/${counter}`));
  }

  /** The next counter of a purpose, from 0. */
  next(purpose: string): number {
    const counter = this.#counters.get(purpose) ?? 0;
    this.#counters.set(purpose, counter + 1);
    return counter;
  }

  /** A UUID of version 4 form. */
  uuid(purpose: string, counter: number): string {
    return formatUuid(this.bytes(purpose, counter));
  }

  /** A whole number from 0 up to `limit`, at most 2^32. */
  below(limit: number, purpose: string, counter: number): number {
    const drawn = this.bytes(purpose, counter);
    return (((drawn[0]! << 24) | (drawn[1]! << 16) | (drawn[2]! << 8) | drawn[3]!) >>> 0) % limit;
  }

  /** A number from 0 up to 1, with 32 bits. */
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

/** True if a text has the form of the service's ids, in either case. */
export function isId(text: string): boolean {
  return UUID.test(text);
}

/** An id as it is stored: wherever one is given, capital letters mean the same. */
export function idFrom(text: string): string {
  return isId(text) ? text.toLowerCase() : text;
}

/** An account of the sandbox, as `createSandbox({ accounts })` takes it. */
export interface SandboxAccount {
  /** Its public name; also names it in `clientOptionsFor({ account })`. */
  readonly handle: string;
  /** Currencies it can be paid in; all of the service's. */
  readonly currencies?: readonly string[] | undefined;
  /** Scopes of its usual key; all. */
  readonly scopes?: readonly string[] | undefined;
  /** Its keys, the usual one first, which `clientOptions` has; a drawn one. */
  readonly apiKeys?: readonly string[] | undefined;
  /**
   * The currency it spends and is credited in where none is named; the first of `currencies` but
   * bitcoin.
   */
  readonly defaultCurrency?: string | undefined;
  /** Its balances in the beginning, decimal texts by currency; none. */
  readonly balances?: Readonly<Record<string, string>> | undefined;
  /** Its handle leads nowhere for others; false. */
  readonly isPrivate?: boolean | undefined;
  /** Others can pay it; true. */
  readonly canReceive?: boolean | undefined;
  /** Its payments must name the kind of their destination (travel rule); false. */
  readonly travelRule?: boolean | undefined;
  /** Part of each payment that it gets back, such as '0.01'; nothing. */
  readonly reward?: string | undefined;
  /** Shown in its profile. */
  readonly avatarUrl?: string | undefined;
  /** Shown in its profile. */
  readonly description?: string | undefined;
  /** Milliseconds from the beginning in which the service says that it is not ready; 0. */
  readonly readyAfter?: number | undefined;
}

/** Lifetimes of quotes: milliseconds that make whole seconds. */
export interface QuoteLifetimes {
  /** For an invoice in another currency than BTC: the time for which its rate is kept. */
  readonly converted: number;
  /** For an invoice that needs no rate. */
  readonly plain: number;
  /** Time for which quotes of payments can be executed. */
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
  /** Clock time, milliseconds since 1970. */
  readonly readyAt: number;
}

/** A credential: whose it is and what it may do; no scopes named means all. */
export interface Key {
  readonly account: Account;
  readonly scopes: ReadonlySet<string> | undefined;
  /** When it ends, milliseconds since 1970; absent: never. */
  readonly until?: number;
  /** It ended before its time. */
  readonly isRevoked?: boolean;
}

/** The state of the service. It knows no resource: each keeps its own store in `stores`. */
export interface World {
  readonly clock: Clock;
  readonly provenance: ProvenanceRecorder;
  readonly random: Randomness;
  readonly signed: boolean;
  readonly assumptions: AssumptionSettings;
  /** Absent members go by the assumptions. */
  readonly quoteLifetimes: Partial<QuoteLifetimes>;
  readonly accounts: Map<string, Account>;
  readonly keys: Map<string, Key>;
  readonly stores: Map<string, unknown>;
  /** A time of creation with six digits, never before the last one. */
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
      // a full millisecond makes ties, which the service has too
      last = next < start + TICKS_PER_MS ? next : last;
      return last;
    },
  };
  for (const account of accounts) addAccount(world, account);
  return world;
}

const TWICE = 'two accounts have the same handle or key';

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
    throw badInput('accounts', 'a reward is a part such as 0.01');
  for (const currency of [defaultCurrency!, ...Object.keys(balances)])
    if (!currencies.includes(currency))
      throw badInput('accounts', `${handle} has no account in ${currency}`);
}

/** A store by its name, made on first use. */
export function getStore<T>(world: World, name: string, make: () => T): T {
  if (!world.stores.has(name)) world.stores.set(name, make());
  return world.stores.get(name) as T;
}

/** Makes a new key for an account and returns its text: the one that is given, or a drawn one. */
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
 * Ends a key or a token. It stays known, so that it is not taken for one of the real service and
 * its text is not given to another key.
 */
export function revokeKey(world: World, text: string): void {
  const key = world.keys.get(text);
  if (!key) throw badInput('apiKey', 'no account of this sandbox has this key');
  world.keys.set(text, { ...key, isRevoked: true });
}

/** The account with this handle; the first one when none is named. */
export function requireAccount(world: World, handle: string | undefined): Account {
  const [first] = world.accounts.values();
  const account = handle === undefined ? first : world.accounts.get(handle);
  if (!account)
    throw badInput(
      'account',
      `no account of this sandbox has this handle${didYouMean(handle!, world.accounts.keys())}`,
    );
  return account;
}

/** Acts when a time has passed; never, where it is infinite. */
export function runLater(world: World, delay: number, act: () => void): void {
  if (delay < Infinity) void world.clock.wait(delay).then(act);
}
