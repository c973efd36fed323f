// A shop that receives the sandbox's own webhooks: its inbox, what its handlers did, and how its process ends.
import { type Client, createClient, ensureSubscription, type Invoice } from 'paystate';
import { createSandbox, type Sandbox, type SandboxOptions } from 'paystate/sandbox';
import {
  type InboxStore,
  type MemoryInboxStore,
  memoryInboxStore,
  type MemoryTransaction,
} from 'paystate/stores';
import {
  createInbox,
  type HandlerContext,
  type Handlers,
  type Inbox,
  type InboxOptions,
  type InboxProblem,
} from 'paystate/webhooks';
import { NEW_SECRET, signedRequest } from './deliveries.ts';

export const DRAFT = { amount: { amount: '12.50', currency: 'EUR' } };
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export type Options = Partial<InboxOptions<MemoryTransaction>>;

export interface Shop {
  readonly sandbox: Sandbox;
  readonly client: Client;
  readonly store: MemoryInboxStore;
  readonly inbox: Inbox;
  readonly run: Sandbox['run'];
  /** `name state key attempt` of every handler run, with `#1`, `#2` … for invoices. */
  readonly effects: readonly string[];
  readonly problems: readonly InboxProblem[];
  /** Statuses that the service was answered. */
  readonly answers: readonly number[];
  /** Requests for single invoices so far. */
  reads(): number;
  create(): Promise<string>;
  pay(id: string): Promise<void>;
  /** Goes on for a while with an alarm that drains in time. */
  live(duration: number): Promise<void>;
  /** Another process on the same store. */
  restart(options?: Options): void;
  /** What a handler in `on` does to be in the log. */
  log(
    name: string,
  ): (value: object | undefined, context: Pick<HandlerContext<unknown>, 'key' | 'attempt'>) => void;
  /** Delivers an event that the service did not send; resolves to the status. */
  deliver(eventType: string, entityId: string, more?: object): Promise<number>;
}

/** The same store with some of its methods replaced. */
export const changed = (
  store: InboxStore<MemoryTransaction>,
  change: Partial<InboxStore<MemoryTransaction>>,
): InboxStore<MemoryTransaction> => ({
  durable: store.durable,
  add: (...given) => store.add(...given),
  cursor: () => store.cursor(),
  lease: (...given) => store.lease(...given),
  commit: (...given) => store.commit(...given),
  deadLetter: (...given) => store.deadLetter(...given),
  deadLetters: () => store.deadLetters(),
  requeue: (...given) => store.requeue(...given),
  counts: () => store.counts(),
  forget: (...given) => store.forget(...given),
  ...change,
});

export const stateHandlers = (shop: Pick<Shop, 'log'>): Handlers<MemoryTransaction> => ({
  invoicePaid: shop.log('paid'),
  invoiceCancelled: shop.log('cancelled'),
  invoiceReversed: shop.log('reversed'),
});

export const openShop = async (
  options: Options | ((shop: Shop) => Options) = {},
  world: SandboxOptions = {},
): Promise<Shop> => {
  const [effects, problems, answers, ids]: [string[], InboxProblem[], number[], string[]] = [
    [],
    [],
    [],
    [],
  ];
  let inbox: Inbox;
  let events = 0;
  const sandbox = createSandbox({
    signed: false,
    async deliver(request) {
      const response = await inbox.handle(request);
      answers.push(response.status);
      return response;
    },
    ...world,
  });
  const client = createClient(sandbox.clientOptions);
  const store = memoryInboxStore();
  const shop: Shop = {
    sandbox,
    client,
    store,
    answers,
    effects,
    problems,
    get inbox() {
      return inbox;
    },
    run: sandbox.run,
    reads: () =>
      sandbox.log.filter(({ method, path }) => method === 'GET' && /^\/v1\/invoices\/./.test(path))
        .length,
    async create() {
      const { invoiceId } = await sandbox.run(client.invoices.create(DRAFT));
      ids.push(invoiceId);
      return invoiceId;
    },
    pay: async (id) => void (await sandbox.payer.pay(id)),
    async live(duration) {
      for (const end = sandbox.clock.now() + duration; sandbox.clock.now() < end; ) {
        const due = await sandbox.run(inbox.drain());
        await sandbox.advance(
          Math.min(Math.max((due ?? end) - sandbox.clock.now(), 1), end - sandbox.clock.now()),
        );
      }
      await sandbox.run(inbox.drain());
    },
    restart(more = {}) {
      const given = typeof options === 'function' ? options(shop) : options;
      inbox = createInbox<MemoryTransaction>({
        client,
        secrets: NEW_SECRET,
        store,
        on: stateHandlers(shop),
        onProblem: (problem) => problems.push(problem),
        ...given,
        ...more,
      });
    },
    log:
      (name) =>
      (given, { key, attempt }) => {
        const value = given as Partial<Invoice> | undefined;
        const number = ids.findIndex((id) => key.includes(id) || value?.invoiceId === id) + 1;
        effects.push(
          `${name} #${number} ${value?.state ?? '-'} ${key.split(':').at(-1)!.length > 20 ? 'event' : key.split(':').at(-1)} ${attempt}`,
        );
      },
    async deliver(eventType, entityId, more = {}) {
      const event = {
        id: `event-${++events}`,
        eventType,
        webhookVersion: 'v1',
        data: { entityId },
        created: new Date(sandbox.clock.now()).toISOString(),
        ...more,
      };
      return (
        await sandbox.run(inbox.handle(await signedRequest(JSON.stringify(event), NEW_SECRET)))
      ).status;
    },
  };
  shop.restart();
  await sandbox.run(
    ensureSubscription(client, {
      webhookUrl: 'https://shop.example/hooks/main',
      webhookVersion: 'v1',
      secret: NEW_SECRET,
      enabled: true,
      eventTypes: ['invoice.created', 'invoice.updated'],
    }),
  );
  return shop;
};

/** A shop whose webhooks never come. */
export const openDeafShop = async (
  options: Options | ((shop: Shop) => Options) = {},
  world: SandboxOptions = {},
): Promise<Shop> => {
  const shop = await openShop(options, world);
  shop.sandbox.fault({ delivery: 'lost-before' });
  return shop;
};
