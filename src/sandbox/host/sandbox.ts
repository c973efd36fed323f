import {
  allowSecretInBrowser,
  type ClientOptions,
  productionRateLimits,
  testRateLimits,
} from '../../core/http/index.ts';
import { countWait, type Clock } from '../../core/time.ts';
import { type Money, money } from '../../money/index.ts';
import type {
  DeliveryFaultRule,
  EventFaultRule,
  FaultRule,
  UnusedFault,
  StateRule,
} from '../faults/rules.ts';
import { fund, type Ledger, getLedger, type Settlement } from '../ledger/ledger.ts';
import { createLoginServer, createOAuth, type SandboxOAuth } from '../oauth/login-server.ts';
import {
  type SandboxAssumption,
  type Assumptions,
  AssumptionSettings,
} from '../provenance/alternatives.ts';
import {
  type BehaviourUse,
  behavioursNow,
  type Provenance,
  ProvenanceRecorder,
} from '../provenance/recorder.ts';
import { type Movable, move } from '../resources/moves.ts';
import { onEvent } from '../resources/events.ts';
import { type LogEntry, SandboxNetwork } from '../service/network.ts';
import { Limiter } from '../service/incoming.ts';
import { Service } from '../service/service.ts';
import type { MovableClock } from '../time/clock.ts';
import { type DeliveryEntry, startDeliveries } from '../webhooks/deliveries.ts';
import type { DeliveryTransport } from '../webhooks/transport.ts';
import { requireValid } from '../world/checked.ts';
import {
  Randomness,
  requireAccount,
  createWorld,
  issueKey,
  revokeKey,
  type World,
} from '../world/world.ts';
import { createInspector, type Inspection } from './inspect.ts';
import { createFaultRules } from './fault-rules.ts';
import { type SandboxClientOptions, type SandboxOptions, chooseWarn } from './options.ts';
import { clientOptionsSchema, moneySchema, moveSchema, readAssumptions } from './option-schemas.ts';
import { createPayer, type Payer } from './payer.ts';

/** Options for a sandbox client. */
export interface SandboxClient extends ClientOptions {
  /** This client's API key. */
  readonly apiKey: string;
  /** Sends requests to this sandbox. Takes the same arguments as the platform's `fetch`. */
  readonly fetch: Sandbox['fetch'];
}

/** A simulated payments service in your process. */
export interface Sandbox {
  /**
   * Sends a request to the simulated service. Accepts any host or just a path. Requests need an API
   * key in their headers.
   *
   * @example
   * const { status } = await sandbox.fetch('/v1/invoices'); // 401
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Options for `createClient`, such as this sandbox's URL, API key, `fetch` and clock. */
  readonly clientOptions: SandboxClient;
  /**
   * Returns options for another client, such as one with fewer scopes, another account or a wrong
   * clock. Creates a new API key.
   *
   * @example
   * const reader = createClient(sandbox.clientOptionsFor({ scopes: ['partner.invoice.read'] }));
   */
  clientOptionsFor(options?: SandboxClientOptions): SandboxClient;
  /**
   * This sandbox's clock. Pass it to other parts of your test that need time, such as a login or a
   * relay.
   */
  readonly clock: Clock;
  /** This sandbox's OAuth login server, for delegated access and tokens that expire. */
  readonly oauth: SandboxOAuth;
  /** An external wallet that pays invoices and receives payments. */
  readonly payer: Payer;
  /**
   * Adds money to an account's balance.
   *
   * @example
   * sandbox.fund('shop', { amount: '100.00', currency: 'USD' });
   */
  fund(handle: string, money: Money): void;
  /**
   * Changes a resource's state as a bank or a network would, for example to approve a bank account,
   * fail a payout or reverse a payment. Posts to the ledger and emits events.
   * @throws RefusedError `NOT_FOUND`, or `UNPROCESSABLE_ENTITY` if the resource can't enter this
   * state
   *
   * @example
   * await sandbox.payer.pay(invoice.invoiceId);
   * sandbox.move('invoice', invoice.invoiceId, 'REVERSED');
   */
  move(subject: Movable, id: string, state: string): void;
  /** The sandbox's ledger, with all postings and balances. */
  readonly ledger: Ledger;
  /**
   * Returns all settlements caused by requests with this string in their body (`description`,
   * `correlationId`, `reference`, …) or as their idempotency key. An order that was paid exactly
   * once has one settlement. A payment between two accounts counts as the payer's settlement.
   *
   * @example
   * console.log(sandbox.settlements('order 17').length); // 0
   */
  settlements(label: string): readonly Settlement[];
  /**
   * Advances time by `duration` milliseconds. Runs each timer at its scheduled time and lets
   * promises settle in between. With `strict`, rejects with the `RefusedError` `SANDBOX_ASSUMPTION`
   * if anything relied on an assumption.
   */
  advance(duration: number): Promise<void>;
  /**
   * Advances time from timer to timer until a promise settles. You need this for promises that
   * don't advance time themselves, such as a promise from RxJS's `firstValueFrom` or one that
   * depends on your own timers on `clock`. Rejects with an `InputError` if there are no timers
   * left, or after `timeout` milliseconds of virtual time, which defaults to one day. With
   * `strict`, rejects like `advance`.
   *
   * @example
   * await sandbox.run(sandbox.clock.wait(5_000));
   */
  run<T>(promise: PromiseLike<T>, options?: { readonly timeout?: number | undefined }): Promise<T>;
  /**
   * Adds a fault rule. With `action`, it affects requests. With `delivery`, it affects webhooks,
   * with `event` the event feed, and with `subject` the decisions of banks and networks. Returns a
   * function that removes the rule.
   * @throws InputError for an invalid rule, with the invalid field and the closest known name
   *
   * @example
   * const endFault = sandbox.fault({
   *   method: 'POST',
   *   path: '/v1/invoices',
   *   nth: 1,
   *   action: 'lost-after',
   * });
   * sandbox.fault({ eventType: 'invoice.updated', delivery: 'duplicated' });
   * sandbox.fault({ event: { late: 60_000 }, probability: 0.01 });
   * sandbox.fault({ subject: 'payout', state: 'FAILED', delay: 5_000 });
   */
  fault(rule: FaultRule | DeliveryFaultRule | EventFaultRule | StateRule): () => void;
  /**
   * Returns the fault rules that never took effect, including removed ones, in the order in which
   * you added them. A test with such a rule hasn't tested its fault. Omits rules that matched but
   * weren't drawn because of their `probability`.
   *
   * @example
   * sandbox.fault({ path: '/v1/balance', action: 'lost-after' }); // it is /v1/balances
   * await sandbox.run(client.balances.list());
   * console.log(sandbox.unusedFaults()); // [{ rule: { path: '/v1/balance', … }, matches: 0 }]
   */
  unusedFaults(): readonly UnusedFault<
    FaultRule | DeliveryFaultRule | EventFaultRule | StateRule
  >[];
  /**
   * Warns about fault rules that never took effect, on the console or through the `warn` option.
   * Call it at the end of a test. A second call does nothing.
   *
   * @example
   * sandbox.close(); // in a test: afterEach(() => sandbox.close())
   */
  close(): void;
  /** Handles of all accounts. The first one is the default account. */
  readonly accounts: readonly string[];
  /**
   * Revokes an API key or an access token immediately. Requests with it fail with `UNAUTHORIZED`.
   * @throws InputError if the key isn't from this sandbox
   *
   * @example
   * sandbox.revoke(sandbox.clientOptions.apiKey);
   */
  revoke(apiKey: string): void;
  /**
   * Returns up to 50 items from each of an account's resource lists. Defaults to the first account.
   * Makes no request, so it doesn't affect rate limits or the log.
   *
   * @example
   * const { invoices, events } = sandbox.inspect('shop');
   */
  inspect(account?: string): Inspection;
  /**
   * All assumptions about the service's undocumented behavior, with their alternatives, their
   * current value, and the number of responses that relied on them.
   *
   * @example
   * for (const { id, value, options } of sandbox.assumptions) console.log(id, value, options);
   */
  readonly assumptions: readonly SandboxAssumption[];
  /**
   * Changes assumptions about the service's behavior. Doesn't affect earlier quotes and postings.
   * @throws InputError for an unknown assumption or value, with the closest known one
   *
   * @example
   * sandbox.assume({ 'payments.fees': 'none' });
   */
  assume(assumptions: Assumptions): void;
  /**
   * Descriptions of the sandbox's behavior, like the exported `behaviours`, with the currently
   * assumed alternatives.
   */
  readonly behaviours: Readonly<Record<Provenance, Readonly<Record<string, string>>>>;
  /** The sandbox's seed. Use it and the requests in `log` to reproduce a run. */
  readonly seed: number | string;
  /**
   * Returns the behaviors that responses have relied on so far, riskiest first. Assumed behaviors
   * come before documented ones, and those that determine amounts come before others. Each has its
   * count, its first use, and a way to verify it.
   *
   * @example
   * for (const { id, count, says } of sandbox
   *   .report()
   *   .filter(({ source }) => source === 'assumed'))
   *   console.log(`${count} × ${id}: ${says}`);
   */
  report(): readonly BehaviourUse[];
  /** All requests so far, oldest first. */
  readonly log: readonly LogEntry[];
  /** All webhook deliveries so far, oldest first. */
  readonly deliveries: readonly DeliveryEntry[];
  /** Number of times that an IP address was blocked because it exceeded a rate limit. */
  readonly blocks: number;
}

const ORIGIN = 'https://sandbox.invalid';
/** Default IP address of clients, which is reserved for documentation (RFC 5737). */
const DEFAULT_ADDRESS = '203.0.113.1';

/** Returns options for a client. Issues a new API key unless you pass one. */
function createClientOptions(
  { world, clock, network, rateLimits }: SandboxParts,
  { scopes, account, address = DEFAULT_ADDRESS, clockSkew = 0, extra }: SandboxClientOptions,
  apiKey?: string,
): SandboxClient {
  const { random } = world;
  const owner = requireAccount(world, account);
  const purpose = `client/${random.next('client')}`;
  return {
    baseUrl: ORIGIN,
    apiKey:
      apiKey ??
      issueKey(
        world,
        owner,
        extra?.scopes ? [...(scopes ?? []), ...extra.scopes] : (scopes ?? owner.scopes),
      ),
    async fetch(input, init) {
      const { origin } = new URL(input instanceof Request ? input.url : input);
      if (origin !== ORIGIN) throw new TypeError('there is no sandbox at this URL');
      return network.send(address, input, init);
    },
    clock: clockSkew === 0 ? clock : { ...clock, now: () => clock.now() + clockSkew },
    random: () => random.fraction(`${purpose}/random`, random.next(`${purpose}/random`)),
    uuid: () => random.uuid(`${purpose}/uuid`, random.next(`${purpose}/uuid`)),
    rateLimits,
    [allowSecretInBrowser]: true,
    dedupeReads: false, // sends the same requests in every runtime
  };
}

/**
 * The default account's balances, so you can pay, exchange or withdraw without funding it first.
 */
const DEFAULT_BALANCES = {
  BTC: '1',
  USD: '10000',
  EUR: '10000',
  USDT: '10000',
  GBP: '10000',
  AUD: '10000',
};
const DAY = 86_400_000;

interface BuiltSandbox {
  readonly sandbox: Sandbox;
  readonly log: LogEntry[];
  knowsKey(text: string): boolean;
}

/** Builds a sandbox. If a server hosts it, its start time identifies this instance. */
export function buildSandbox(
  options: SandboxOptions,
  clock: MovableClock,
  transport: DeliveryTransport,
  isServed: boolean,
): BuiltSandbox {
  const worldId = isServed ? String(clock.now()) : undefined;
  const parts = createParts(options, clock, transport, worldId);
  const { network, world } = parts;
  return {
    sandbox: assemble(parts),
    log: network.log,
    knowsKey: (text) => world.keys.has(text),
  };
}

type SandboxParts = ReturnType<typeof createParts>;

function createParts(
  options: SandboxOptions,
  clock: MovableClock,
  transport: DeliveryTransport,
  worldId: string | undefined,
) {
  const { rateLimits: limits = 'production', seed = 1 } = options;
  const known = { production: productionRateLimits, test: testRateLimits };
  const rateLimits = typeof limits === 'object' ? limits : known[limits];
  const world = createFundedWorld(options, clock);
  const limiter = new Limiter(world, rateLimits);
  const deliveries = startDeliveries(world, transport);
  const service = new Service(world, limiter, {
    filterLimits: { comparisons: 16, requestLineBytes: 8_192, ...options.filterLimits },
    login: createLoginServer(world),
    worldId,
  });
  if (service.lag() > 0) service.keepHistory();
  onEvent(world, () => clock.changed?.());
  const network = new SandboxNetwork(world, clock, service, ORIGIN);
  const rules = createFaultRules(world, service, chooseWarn(options));
  return { world, clock, seed, rateLimits, limiter, service, network, deliveries, rules };
}

function createFundedWorld(options: SandboxOptions, clock: MovableClock): World {
  const { accounts = [{ handle: 'shop', balances: DEFAULT_BALANCES }] } = options;
  const assumptions = new AssumptionSettings(options.assume);
  const world = createWorld({
    clock,
    random: new Randomness(options.seed ?? 1),
    provenance: new ProvenanceRecorder(options.strict ?? false, assumptions),
    signed: options.signed ?? true,
    assumptions,
    quoteLifetimes: options.quoteLifetimes ?? {},
    accounts,
  });
  for (const { handle, balances = {} } of accounts)
    for (const [currency, amount] of Object.entries(balances))
      fund(world, handle, money(amount, currency));
  return world;
}

/**
 * Creates `advance` and `run`. In strict mode, both check the assumptions behind everything that
 * happened in the meantime.
 */
function createTime({ provenance }: World, clock: MovableClock): Pick<Sandbox, 'advance' | 'run'> {
  return {
    async advance(duration) {
      await clock.advance(duration);
      provenance.check();
    },
    async run(promise, { timeout = DAY } = {}) {
      const value = await clock.run(Promise.resolve(promise), timeout);
      provenance.check();
      return value;
    },
  };
}

function assemble(parts: SandboxParts): Sandbox {
  const { world, clock, seed, limiter, service, network, deliveries, rules } = parts;
  const [firstKey] = world.keys.keys();
  const fetch: Sandbox['fetch'] = (input, init) =>
    countWait(clock, network.send(DEFAULT_ADDRESS, input, init), 'sandbox.fetch()');
  return {
    fetch,
    oauth: createOAuth(world, ORIGIN, fetch),
    clientOptions: createClientOptions(parts, {}, firstKey),
    clientOptionsFor: (options = {}) =>
      createClientOptions(parts, requireValid(clientOptionsSchema, options, 'options')),
    clock,
    payer: createPayer(world),
    ledger: getLedger(world),
    settlements: (label) => service.settlements(label),
    fund: (handle, amount) => fund(world, handle, requireValid(moneySchema, amount, 'money')),
    move(subject, id, state) {
      const checked = requireValid(moveSchema, { subject, id, state }, 'move');
      move(world, checked.subject, checked.id, checked.state);
    },
    ...createTime(world, clock),
    ...rules,
    accounts: [...world.accounts.keys()],
    inspect: createInspector(world),
    revoke: (apiKey) => revokeKey(world, apiKey),
    seed,
    get assumptions() {
      return world.assumptions.list(world.provenance.report());
    },
    assume(given) {
      world.assumptions.assume(readAssumptions(given));
      if (service.lag() > 0) service.keepHistory();
    },
    get behaviours() {
      return behavioursNow(world.assumptions);
    },
    report: () => world.provenance.report(),
    log: network.log,
    deliveries,
    get blocks() {
      return limiter.blocks;
    },
  };
}
