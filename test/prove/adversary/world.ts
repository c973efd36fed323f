// One world: twenty people at once, each with one thing to do, over one service and one lying network.
import { type BankPaymentMethodDraft, type Client, createClient } from 'paystate';
import { pay as payOnce } from 'paystate/flows';
import { type Assumptions, createSandbox, type Sandbox } from 'paystate/sandbox';
import { memoryStore, type Store } from 'paystate/stores';
import { type Chance, chanceOf } from '../shared/chance.ts';
import { NO_LIMITS } from '../shared/no-limits.ts';
import type { Intent, Shared } from './intent.ts';
import { judge, type Judged } from './judge.ts';
import { Network } from './network.ts';
import { playProgram } from './program.ts';
import { createShared, User } from './user.ts';
import { type Balances, PER_INVOICE, stateRulesOf, wayOf } from './ways.ts';

/** Orders in which the service may check a quote before it executes it. */
export const ORDERS = ['processed', 'expired', 'balance'] as const;
export type CheckOrder = (typeof ORDERS)[number];
const AT_ONCE = 20;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PLENTY: Balances = { BTC: '50', USD: '900000', EUR: '900000' };
const OTHER_BANK = 'shop, another bank';

const METHODS: Readonly<Record<string, BankPaymentMethodDraft>> = {
  payout: {
    transferType: 'SEPA',
    accountNumber: 'AT000000000000000000',
    routingNumber: 'EXAMATWWXXX',
    beneficiaries: [{ type: 'INDIVIDUAL', name: 'Edith Example' }],
  },
  deposit: {
    transferType: 'ACH',
    accountNumber: '000123456',
    routingNumber: '000000000',
    accountType: 'CHECKING',
    bankName: 'Example Bank',
    beneficiaries: [{ type: 'INDIVIDUAL', name: 'Edith Example' }],
  },
};

/** One and a quarter times the price: a second time is refused for want of money. */
const tightly = (price: Balances): Balances =>
  Object.fromEntries(
    Object.entries(price).map(([currency, amount]) => [
      currency,
      currency === 'BTC'
        ? (Number(amount) * 1.25).toFixed(8)
        : (Number(amount) * 1.25 + 3).toFixed(2),
    ]),
  );

export interface WorldOptions {
  readonly way: string;
  readonly order: CheckOrder;
  readonly seed: string;
  readonly count?: number;
  /** The service's other behaviours, as `createSandbox` takes them. */
  readonly assume?: Assumptions;
  readonly without?: readonly string[];
}

/** The parts that all intents of a world share. */
interface World {
  readonly name: string;
  readonly way: string;
  readonly sandbox: Sandbox;
  readonly network: Network;
  readonly chances: readonly Chance[];
  /** The account of each intent. */
  readonly handles: readonly string[];
  /** Bank methods by account. */
  readonly methods: ReadonlyMap<string, string>;
  /** Invoices that are refunded. */
  readonly invoices: readonly string[];
  readonly stores: ReadonlyMap<string, Store>;
  /** One server process for all who pay from the shop. */
  readonly shared: Shared | undefined;
}

/** Plays one world, and resolves to what is to be said of each intent. */
export async function playWorld(options: WorldOptions): Promise<readonly Judged[]> {
  const world = await openWorld(options);
  const { sandbox, network } = world;
  const intents = world.chances.map((_, n) => intentOf(world, n));
  const begin = sandbox.clock.now();
  const played = intents.map(async (intent) => {
    await sandbox.clock.wait(intent.chance.between(0, 20_000));
    intent.end = await intent.play(new User({ sandbox, network, intent }));
  });
  await sandbox.run(Promise.all(played), { timeout: 30 * DAY_MS });
  await sandbox.advance(DAY_MS); // what is on its way arrives
  return intents.map((intent) => judge({ intent, sandbox, network, begin }));
}

export interface IntentsOptions extends Pick<WorldOptions, 'way' | 'assume' | 'without'> {
  /** The orders of checks, which change from world to world. */
  readonly orders: readonly CheckOrder[];
  readonly seed: string;
  readonly intents: number;
}

/** Plays one world after another, until there were so many intents. */
export async function* playIntents(options: IntentsOptions): AsyncGenerator<Judged> {
  const { orders, seed, intents, ...given } = options;
  for (let number = 0; number * AT_ONCE < intents; number++)
    yield* await playWorld({
      ...given,
      order: orders[number % orders.length]!,
      seed: `${seed}.${number}`,
      count: Math.min(AT_ONCE, intents - number * AT_ONCE),
    });
}

async function openWorld(options: WorldOptions): Promise<World> {
  const { way, order, seed, count = AT_ONCE, assume = {}, without = [] } = options;
  const name = `${seed}/${way}/${order}`;
  const { isFromShop, price } = wayOf(way);
  const chances = Array.from({ length: count }, (_, n) => chanceOf(`${name}/${n}`));
  const tight = chances.map((chance) => chance.hits(0.4) && !isFromShop);
  const handles = tight.map((isTight, n) => (isTight ? `tight-${n}` : 'shop'));
  const accounts = [
    { handle: 'shop', balances: PLENTY },
    ...handles.flatMap((handle, n) =>
      handle === 'shop' ? [] : [{ handle, balances: tightly(price(n)) }],
    ),
  ];
  const isNormalising = way.startsWith('pay ') && chanceOf(`${name}/form`).hits(0.25);
  const form: Assumptions = isNormalising ? { 'responses.form': 'normalised' } : {};
  const sandbox = createSandbox({
    seed: name,
    signed: false,
    rateLimits: NO_LIMITS,
    assume: { 'payments.checks': order, ...form, ...assume },
    accounts,
  });
  const methods = await methodsOf(sandbox, way);
  const invoices = way === 'pay refund' ? await paidInvoices(sandbox, count) : [];
  for (const rule of stateRulesOf(way)) sandbox.fault(rule);
  sandbox.fault({ path: '/none', action: { stale: 1 } })(); // replicas begin to remember
  const network = new Network(sandbox, without);
  const [methodId, otherMethodId] = [methods.get('shop') ?? '', methods.get(OTHER_BANK) ?? ''];
  if (!without.includes('foreign'))
    await playProgram({ sandbox, network, way, count, methodId, otherMethodId });
  const stores = new Map(['shop', ...handles].map((handle) => [handle, memoryStore()]));
  if (way.startsWith('pay ') && chanceOf(`${name}/journal`).hits(0.5))
    await age(sandbox, stores.get('shop')!);
  const isShared = chanceOf(name).hits(0.3);
  const shared = isShared ? createShared(network, sandbox.clientOptions) : undefined;
  return { name, way, sandbox, network, chances, handles, methods, invoices, stores, shared };
}

function intentOf(world: World, n: number): Intent {
  const { name, way, sandbox, invoices } = world;
  const chance = world.chances[n]!;
  const handle = world.handles[n]!;
  const connection = sandbox.clientOptionsFor({ account: handle });
  const methodId = world.methods.get(handle) ?? '';
  const newId = connection.uuid!;
  const play = wayOf(way).user({ sandbox, n, chance, methodId, invoices, newId });
  const shared = handle === 'shop' ? world.shared : undefined;
  const [crashes, outages] = [chance.pick([0, 0, 0.15]), chance.pick([0, 0, 0, 0.15])];
  return {
    n,
    way,
    name,
    chance,
    connection,
    handle,
    store: world.stores.get(handle)!,
    invoice: invoices[Math.floor(n / PER_INVOICE)],
    play,
    calls: [],
    notes: [],
    strays: [],
    requests: 0,
    isCareful: chance.hits(0.5),
    shared,
    crashes: shared ? 0 : crashes,
    outages: shared ? 0 : outages,
  };
}

/** Bank methods by account, made in peace. */
async function methodsOf(sandbox: Sandbox, way: string): Promise<ReadonlyMap<string, string>> {
  const draft = METHODS[way.replace(/^pay /, '')];
  if (!draft) return new Map();
  const make = async (client: Client, made: BankPaymentMethodDraft): Promise<string> =>
    (await client.bankPaymentMethods.create(made)).id;
  const making = sandbox.accounts.map(
    async (account) =>
      [account, await make(createClient(sandbox.clientOptionsFor({ account })), draft)] as const,
  );
  const methods = new Map(await sandbox.run(Promise.all(making)));
  const shop = createClient(sandbox.clientOptions);
  const another = { ...draft, accountNumber: draft.accountNumber.replace(/0$/, '7') };
  const id = await sandbox.run(make(shop, another));
  methods.set(OTHER_BANK, id);
  await sandbox.advance(10_000);
  const isReady = async (): Promise<boolean> =>
    (await shop.bankPaymentMethods.get(id)).state === 'READY';
  for (let hours = 0; hours < 48 && !(await sandbox.run(isReady())); hours++)
    await sandbox.advance(HOUR_MS);
  return methods;
}

/** A journal that was begun more than a day ago: keys of an earlier life need not be feared any more. */
async function age(sandbox: Sandbox, journal: Store): Promise<void> {
  const client = createClient({ ...sandbox.clientOptions, account: 'shop' });
  const first = payOnce(client, {
    to: 'ada@wallet.example',
    amount: { amount: '1.00', currency: 'USD' },
    sourceCurrency: 'USD',
    maxFee: { amount: '0.00', currency: 'USD' },
    maxTotal: 'any',
    intent: 'the first one',
    journal,
  });
  await sandbox.run(first.result);
  await sandbox.advance(DAY_MS + HOUR_MS);
}

/** Invoices of the shop, each paid with twenty. */
async function paidInvoices(sandbox: Sandbox, count: number): Promise<readonly string[]> {
  const shop = createClient(sandbox.clientOptions);
  const ids: string[] = [];
  for (let made = 0; made < count; made += PER_INVOICE) {
    const amount = { amount: '20.00', currency: 'EUR' };
    const { invoiceId } = await sandbox.run(shop.invoices.create({ amount }));
    await sandbox.run(sandbox.payer.pay(invoiceId));
    ids.push(invoiceId);
  }
  return ids;
}
