import type { RateLimits } from '../../core/http/index.ts';
import type { MovableClock } from '../time/clock.ts';
import type { DeliveryTransport } from '../webhooks/transport.ts';
import { startDeliveries } from '../webhooks/deliveries.ts';
import { createDeliveryFaults, type DeliveryFaults } from '../faults/delivery-faults.ts';
import { createFaults, type Faults, memberOf } from '../faults/request-faults.ts';
import { createLimiter, type Limiter } from '../service/rate-limiter.ts';
import type { Sandbox } from './model.ts';
import type { SandboxOptions } from './options.ts';
import { createNetwork, type SandboxNetwork } from '../service/network.ts';
import {
  filterLimitsOf,
  firstCheckOf,
  rateLimitsOf,
  quoteLifetimesOf,
  retryAfterFormatOf,
} from './options.ts';
import { money } from '../../money/index.ts';
import { fund } from '../ledger/funding.ts';
import { ledgerOf } from '../ledger/ledger.ts';
import { move } from '../resources/moves.ts';
import { addEventFault } from '../faults/event-faults.ts';
import { addStateRule } from '../faults/state-rules.ts';
import { createLoginServer } from '../oauth/login-server.ts';
import { createOAuth } from '../oauth/oauth.ts';
import { createClientOptions, DEFAULT_ADDRESS, ORIGIN } from './client-options.ts';
import { createPayer } from './payer.ts';
import { randomnessOf } from '../world/randomness.ts';
import { createProvenanceRecorder } from '../provenance/recorder.ts';
import { createService, type Service } from '../service/service.ts';
import { createInspector } from './inspect.ts';
import { createWorld, revokeKey, type World } from '../world/world.ts';

/** Balances of the default account, so that a first payment, exchange or payout works at once. */
const DEFAULT_BALANCES = {
  BTC: '1',
  USD: '10000',
  EUR: '10000',
  USDT: '10000',
  GBP: '10000',
  AUD: '10000',
};
const DAY = 86_400_000;

/** A sandbox, and whether a key is one of its own. */
interface BuiltSandbox {
  readonly sandbox: Sandbox;
  knowsKey(text: string): boolean;
}

/**
 * Builds a sandbox on a clock and a transport for webhooks that the caller chooses. One that is
 * served says which of its worlds answers, by when it began.
 */
export function buildSandbox(
  options: SandboxOptions,
  clock: MovableClock,
  transport: DeliveryTransport,
  isServed: boolean,
): BuiltSandbox {
  const rateLimits = rateLimitsOf(options);
  const world = createFundedWorld(options, clock);
  const { random } = world;
  const limiter = createLimiter(clock, rateLimits);
  const faults = createFaults(random);
  const deliveryFaults = createDeliveryFaults(random);
  const deliveries = startDeliveries({ world, transport, faults: deliveryFaults });
  const service = createService(world, limiter, {
    filterLimits: filterLimitsOf(options),
    retryAfterFormat: retryAfterFormatOf(options),
    login: createLoginServer(world),
    worldId: isServed ? String(clock.now()) : undefined,
  });
  const network = createNetwork({ clock, random, service, faults, origin: ORIGIN });
  const fault = createFaultSwitch(world, service, faults, deliveryFaults);
  const seed = options.seed ?? 1;
  const parts = { world, clock, seed, rateLimits, limiter, service, network, deliveries, fault };
  return { sandbox: assemble(parts), knowsKey: (text) => world.keys.has(text) };
}

function createFundedWorld(options: SandboxOptions, clock: MovableClock): World {
  const { accounts = [{ handle: 'shop', balances: DEFAULT_BALANCES }] } = options;
  const world = createWorld({
    clock,
    random: randomnessOf(options.seed ?? 1),
    provenance: createProvenanceRecorder(options.strict ?? false),
    signed: options.signed ?? true,
    quoteLifetimes: quoteLifetimesOf(options),
    firstCheck: firstCheckOf(options),
    updatesOnDirectEnd: options.updatesOnDirectEnd ?? true,
    accounts,
  });
  for (const { handle, balances = {} } of accounts)
    for (const [currency, amount] of Object.entries(balances))
      fund(world, handle, money(amount, currency));
  return world;
}

/** Gives each rule to what applies it. */
function createFaultSwitch(
  world: World,
  service: Service,
  faults: Faults,
  deliveryFaults: DeliveryFaults,
): Sandbox['fault'] {
  return (rule) => {
    if ('subject' in rule) return addStateRule(world, rule);
    if ('event' in rule) return addEventFault(world, rule);
    if ('action' in rule && memberOf(rule.action, 'stale')) service.keepHistory();
    return 'delivery' in rule ? deliveryFaults.add(rule) : faults.add(rule);
  };
}

interface SandboxParts {
  readonly world: World;
  readonly clock: MovableClock;
  readonly seed: number | string;
  readonly rateLimits: RateLimits;
  readonly limiter: Limiter;
  readonly service: Service;
  readonly network: SandboxNetwork;
  readonly deliveries: Sandbox['deliveries'];
  readonly fault: Sandbox['fault'];
}

/** Moves time; in strict mode what happened meanwhile is judged. */
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

function assemble({
  world,
  clock,
  seed,
  rateLimits,
  limiter,
  service,
  network,
  deliveries,
  fault,
}: SandboxParts): Sandbox {
  const [firstKey] = world.keys.keys();
  const clientOptionsFor: Sandbox['clientOptionsFor'] = (options) =>
    createClientOptions(world, clock, network, rateLimits, options);
  const fetch: Sandbox['fetch'] = (input, init) => network.send(DEFAULT_ADDRESS, input, init);
  return {
    fetch,
    oauth: createOAuth(world, ORIGIN, fetch),
    clientOptions: createClientOptions(world, clock, network, rateLimits, {}, firstKey),
    clientOptionsFor,
    clock,
    payer: createPayer(world),
    ledger: ledgerOf(world),
    settlements: (label) => service.settlements(label),
    fund: (handle, amount) => fund(world, handle, amount),
    move: (subject, id, state) => move(world, subject, id, state),
    ...createTime(world, clock),
    fault,
    accounts: [...world.accounts.keys()],
    inspect: createInspector(world),
    revoke: (apiKey) => revokeKey(world, apiKey),
    seed,
    report: () => world.provenance.report(),
    log: network.log,
    deliveries,
    get blocks() {
      return limiter.blocks;
    },
  };
}
