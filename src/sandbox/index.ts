import type { Clock } from '../core/clock.ts';
import type { ConnectionOptions } from '../core/connect.ts';
import { allowKeyInPage } from '../core/connect.ts';
import type { Limits } from '../core/connection.ts';
import { productionLimits, testLimits } from '../core/limits.ts';
import { createVirtualClock, type MovableClock } from './clock.ts';
import { createFaults, type FaultRule } from './faults.ts';
import { createLimiter, type Limiter } from './limiter.ts';
import type { FilterLimit } from './lists.ts';
import { createNetwork, type LogEntry, type Network } from './network.ts';
import { createPayer, type Payer } from './payer.ts';
import { type Randomness, randomnessOf } from './randomness.ts';
import { createRealClock } from './real-clock.ts';
import { createService } from './router.ts';
import { accountOf, createWorld, issueKey, type QuoteValidity, type SandboxAccount, type World } from './world.ts';

export type { Source } from './assumptions.ts';
export { behaviours } from './assumptions.ts';
export type { FaultAction, FaultRule } from './faults.ts';
export type { FilterLimit } from './lists.ts';
export type { LogEntry } from './network.ts';
export type { Payer, PayOptions, Receipt } from './payer.ts';
export type { QuoteValidity, SandboxAccount } from './world.ts';

/** What a sandbox is made of; every member has a default. */
export interface SandboxOptions {
  /** The same seed and the same calls give the same bytes in every runtime; 1. */
  readonly seed?: number | string | undefined;
  /** `virtual` (default) stands still until `advance` or `run` move it; `real` goes by itself and can be pushed ahead. */
  readonly clock?: 'virtual' | 'real' | undefined;
  /** Where virtual time begins, milliseconds since 1970; 2026-01-05T09:00:00Z. */
  readonly start?: number | undefined;
  /** Without signatures, quotes cost a tenth and no wallet reads them: for simulation. */
  readonly signed?: boolean | undefined;
  /** The rate table: that of production (default), of the service's test environment, or one's own. */
  readonly limits?: 'production' | 'test' | Limits | undefined;
  /** What one filter may cost; 16 comparisons and 8,192 bytes, each to be changed. */
  readonly filterLimit?: Partial<FilterLimit> | undefined;
  /** Accounts; one with the handle `shop`. */
  readonly accounts?: readonly SandboxAccount[] | undefined;
  /** How long quotes live; 30 s with a rate, 3,600 s without. */
  readonly quoteValidity?: Partial<QuoteValidity> | undefined;
}

/** Whose requests a connection makes, and from where. */
export interface SandboxConnectionOptions {
  /** What the key may do; everything that the account may. */
  readonly scopes?: readonly string[] | undefined;
  /** Handle of the account; the first one. */
  readonly account?: string | undefined;
  /** Where requests come from: limits are counted by it. */
  readonly address?: string | undefined;
  /** Milliseconds that the client's clock is ahead of the service's; its `monotonic` stays right. */
  readonly clockSkew?: number | undefined;
}

/** The payments service in a box. */
export interface Sandbox {
  /**
   * The service itself: takes a request for any host, or a path alone, with a key in its headers.
   *
   * @example
   * const { status } = await sandbox.fetch('/v1/invoices'); // 401
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Options for `createClient`: address, key, fetch, clock, randomness and limits of this sandbox. */
  readonly connection: ConnectionOptions;
  /**
   * Options for another client: other scopes, another account, address or a wrong clock.
   *
   * @example
   * const reader = createClient(sandbox.connectionFor({ scopes: ['partner.invoice.read'] }));
   */
  connectionFor(options?: SandboxConnectionOptions): ConnectionOptions;
  readonly clock: Clock;
  /** Somebody with a wallet. */
  readonly payer: Payer;
  /** Moves time by `duration` ms. What falls due runs at its own time, and promises settle before the next step. */
  advance(duration: number): Promise<void>;
  /**
   * Moves time by itself, timer by timer, until the promise settles. Rejects with an `InputError` when nothing is left
   * to wait for, or after `within` ms of virtual time (a day).
   *
   * @example
   * const invoice = await sandbox.run(client.invoices.create({ amount: { amount: '12.50', currency: 'EUR' } }));
   */
  run<T>(promise: PromiseLike<T>, options?: { readonly within?: number | undefined }): Promise<T>;
  /**
   * Makes requests go wrong until `off()`.
   *
   * @example
   * const fault = sandbox.fault({ method: 'POST', path: '/v1/invoices', nth: 1, action: 'lost-after' });
   */
  fault(rule: FaultRule): { off(): void };
  /** Every request so far, the oldest first. */
  readonly log: readonly LogEntry[];
  /** How often an address was blocked for too many requests. */
  readonly blocks: number;
}

const ORIGIN = 'https://sandbox.invalid';
const START = 1_767_603_600_000; // 2026-01-05T09:00:00Z
const DAY = 24 * 60 * 60_000;
/** An address kept for examples. */
const USUAL_ADDRESS = '203.0.113.1';

/**
 * Makes a payments service that lives in this process: no account, no network, time that can be moved.
 *
 * @example
 * const sandbox = createSandbox({ seed: 7 });
 * const client = createClient(sandbox.connection);
 * const invoice = await sandbox.run(client.invoices.create({ amount: { amount: '12.50', currency: 'EUR' } }));
 * await sandbox.payer.pay(invoice.invoiceId);
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const clock = options.clock === 'real' ? createRealClock() : createVirtualClock(options.start ?? START);
  const random = randomnessOf(options.seed ?? 1);
  const limits = limitsOf(options.limits);
  const world = createWorld({
    clock, random, signed: options.signed ?? true,
    quoteValidity: { converted: 30, plain: 3_600, ...options.quoteValidity },
    accounts: options.accounts ?? [{ handle: 'shop' }],
  });
  const limiter = createLimiter(clock, limits);
  const faults = createFaults(random);
  const service = createService(world, limiter, { comparisons: 16, requestLine: 8_192, ...options.filterLimit });
  const network = createNetwork({ clock, service, faults, origin: ORIGIN });
  return assemble({ world, clock, random, limits, limiter, network, fault: faults.add });
}

interface Parts {
  readonly world: World;
  readonly clock: MovableClock;
  readonly random: Randomness;
  readonly limits: Limits;
  readonly limiter: Limiter;
  readonly network: Network;
  readonly fault: Sandbox['fault'];
}

function assemble({ world, clock, random, limits, limiter, network, fault }: Parts): Sandbox {
  const connectionFor = ({ scopes, account, address = USUAL_ADDRESS, clockSkew = 0 }: SandboxConnectionOptions = {}): ConnectionOptions => {
    const owner = accountOf(world, account);
    const drawn = `client/${random.next('client')}`;
    return {
      baseUrl: ORIGIN,
      apiKey: issueKey(world, owner, scopes ?? owner.scopes),
      async fetch(input, init) {
        if (!input.startsWith(`${ORIGIN}/`)) throw new TypeError('this sandbox is not reached under that address');
        return network.send(address, input, init);
      },
      clock: clockSkew === 0 ? clock : { ...clock, now: () => clock.now() + clockSkew },
      random: () => random.fraction(`${drawn}/random`, random.next(`${drawn}/random`)),
      uuid: () => random.uuid(`${drawn}/uuid`, random.next(`${drawn}/uuid`)),
      limits,
      [allowKeyInPage]: true,
    };
  };
  return {
    fetch: (input, init) => network.send(USUAL_ADDRESS, input, init),
    connection: connectionFor(),
    connectionFor,
    clock,
    payer: createPayer(world),
    advance: (duration) => clock.advance(duration),
    run: (promise, { within = DAY } = {}) => clock.run(Promise.resolve(promise), within),
    fault,
    log: network.log,
    get blocks() {
      return limiter.blocks;
    },
  };
}

function limitsOf(limits: SandboxOptions['limits']): Limits {
  if (typeof limits === 'object') return limits;
  return limits === 'test' ? testLimits : productionLimits;
}
