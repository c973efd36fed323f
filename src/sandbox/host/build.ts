import { allowKeyInPage, type ConnectionOptions, type RateLimits } from '../../core/http/index.ts';
import type { MovableClock } from '../time/clock.ts';
import type { DeliveryTransport } from '../webhooks/transport.ts';
import { startDeliveries } from '../webhooks/deliveries.ts';
import { createDeliveryFaults } from '../faults/delivery-faults.ts';
import { createFaults, memberOf } from '../faults/request-faults.ts';
import { createLimiter, type Limiter } from '../service/rate-limiter.ts';
import type { Sandbox, SandboxClientOptions, SandboxOptions } from './model.ts';
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
import { createPayer } from './payer.ts';
import { type Randomness, randomnessOf } from '../world/randomness.ts';
import { createProvenanceRecorder, recordUse } from '../provenance/recorder.ts';
import { createService, type Service } from '../service/service.ts';
import { createInspector } from './inspect.ts';
import { accountOf, createWorld, issueKey, type World } from '../world/world.ts';

const ORIGIN = 'https://sandbox.invalid';
/** So that a first payment, exchange or payout works at once. */
const BEGINNING = {
  BTC: '1.00000000',
  USD: '10000.00',
  EUR: '10000.00',
  USDT: '10000.000000',
  GBP: '10000.00',
  AUD: '10000.00',
};
const DAY = 24 * 60 * 60_000;
/** An address kept for examples. */
const USUAL_ADDRESS = '203.0.113.1';

/** A sandbox, and whether a key is one of its own. */
export interface Built {
  readonly sandbox: Sandbox;
  knowsKey(text: string): boolean;
}

/** Makes a sandbox on a clock of the caller's, with webhooks carried by the caller's courier. */
export function buildSandbox(
  options: SandboxOptions,
  clock: MovableClock,
  courier: DeliveryTransport,
): Built {
  const random = randomnessOf(options.seed ?? 1);
  const limits = rateLimitsOf(options);
  const accounts = options.accounts ?? [{ handle: 'shop', balances: BEGINNING }];
  const world = createWorld({
    clock,
    random,
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
  const limiter = createLimiter(clock, limits);
  const faults = createFaults(random);
  const deliveryFaults = createDeliveryFaults(random);
  const deliveries = startDeliveries({ world, transport: courier, faults: deliveryFaults });
  const service = createService(world, limiter, {
    filterLimits: filterLimitsOf(options),
    retryAfterFormat: retryAfterFormatOf(options),
    login: createLoginServer(world),
  });
  const network = createNetwork({ clock, random, service, faults, origin: ORIGIN });
  const fault: Sandbox['fault'] = (rule) => {
    recordUse(world, 'faults');
    if ('subject' in rule) return addStateRule(world, rule);
    if ('event' in rule) return addEventFault(world, rule);
    if ('action' in rule && memberOf(rule.action, 'stale')) service.remember();
    return 'delivery' in rule ? deliveryFaults.add(rule) : faults.add(rule);
  };
  return {
    sandbox: assemble({
      world,
      clock,
      random,
      seed: options.seed ?? 1,
      limits,
      limiter,
      service,
      network,
      deliveries,
      fault,
    }),
    knowsKey: (text) => world.keys.has(text),
  };
}

interface Parts {
  readonly world: World;
  readonly clock: MovableClock;
  readonly random: Randomness;
  readonly seed: number | string;
  readonly limits: RateLimits;
  readonly limiter: Limiter;
  readonly service: Service;
  readonly network: SandboxNetwork;
  readonly deliveries: Sandbox['deliveries'];
  readonly fault: Sandbox['fault'];
}

function assemble({
  world,
  clock,
  random,
  seed,
  limits,
  limiter,
  service,
  network,
  deliveries,
  fault,
}: Parts): Sandbox {
  const connectionFor = ({
    scopes,
    account,
    address = USUAL_ADDRESS,
    clockSkew = 0,
  }: SandboxClientOptions = {}): ConnectionOptions => {
    const owner = accountOf(world, account);
    const drawn = `client/${random.next('client')}`;
    return {
      baseUrl: ORIGIN,
      apiKey: issueKey(world, owner, scopes ?? owner.scopes),
      async fetch(input, init) {
        if (!input.startsWith(`${ORIGIN}/`))
          throw new TypeError('this sandbox is not reached under that address');
        return network.send(address, input, init);
      },
      clock: clockSkew === 0 ? clock : { ...clock, now: () => clock.now() + clockSkew },
      random: () => random.fraction(`${drawn}/random`, random.next(`${drawn}/random`)),
      uuid: () => random.uuid(`${drawn}/uuid`, random.next(`${drawn}/uuid`)),
      rateLimits: limits,
      [allowKeyInPage]: true,
      shareReads: false, // the same requests in every runtime
    };
  };
  const fetch: Sandbox['fetch'] = (input, init) => network.send(USUAL_ADDRESS, input, init);
  return {
    fetch,
    oauth: createOAuth(world, ORIGIN, fetch),
    clientOptions: connectionFor(),
    clientOptionsFor: connectionFor,
    clock,
    payer: createPayer(world),
    ledger: ledgerOf(world),
    settlements: (label) => service.settlements(label),
    fund: (handle, given) => fund(world, handle, given),
    move: (noun, id, state) => move(world, noun, id, state),
    advance: (duration) => clock.advance(duration),
    run: (promise, { timeout = DAY } = {}) => clock.run(Promise.resolve(promise), timeout),
    fault,
    accounts: [...world.accounts.keys()],
    inspect: createInspector(world),
    seed,
    report: () => world.provenance.report(),
    log: network.log,
    deliveries,
    get blocks() {
      return limiter.blocks;
    },
  };
}
