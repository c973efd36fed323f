// Handlers for every resource with states, by the sandbox's own webhooks and the reads that follow them.
import { expect } from 'chai';
import { ensureSubscription, type Payout } from 'paystate';
import type { MemoryTransaction } from 'paystate/stores';
import * as states from 'paystate/endpoints';
import type { StateMachine } from 'paystate/endpoints';
import type { HandledResource, HandlerContext, Handlers, StateHandlers } from 'paystate/webhooks';
import { describe, it } from '#test';
import { methodDraft, PERSON } from '../bank/bank.ts';
import { NEW_SECRET } from './deliveries.ts';
import { HOUR, openDeafShop, openShop, type Options, SECOND, type Shop } from './shop.ts';

const EUR = { amount: '10.00', currency: 'EUR' };

const eventTypes = [
  'payment-method.bank.created',
  'payment-method.bank.updated',
  'payout.created',
  'payout.updated',
  'payout-originator.created',
  'payout-originator.updated',
  'currency-exchange-quote.updated',
  'payment.created',
  'payment.updated',
  'deposit.updated',
  'receive-request.receive-pending',
  'receive-request.receive-completed',
];

/** A shop that is sent every webhook, and what its handlers were called with: `name state key`. */
const openAll = async (
  options: (seen: string[]) => Options,
): Promise<{ shop: Shop; seen: string[] }> => {
  const seen: string[] = [];
  const shop = await openShop(options(seen));
  await shop.run(
    ensureSubscription(shop.client, {
      webhookUrl: 'https://shop.example/hooks/main',
      webhookVersion: 'v1',
      secret: NEW_SECRET,
      enabled: true,
      eventTypes: eventTypes,
    }),
  );
  return { shop, seen };
};

const log =
  (seen: string[], name: string) =>
  ({ state }: { readonly state: string }, { key }: Pick<HandlerContext<unknown>, 'key'>): void =>
    void seen.push(`${name} ${state} ${key}`);

const handlersIn = (seen: string[]): Handlers<MemoryTransaction> => ({
  payoutNew: log(seen, 'payoutNew'),
  payoutInitiated: log(seen, 'payoutInitiated'),
  payoutCompleted: log(seen, 'payoutCompleted'),
  payoutFailed: log(seen, 'payoutFailed'),
  payoutReversed: log(seen, 'payoutReversed'),
  depositPending: log(seen, 'depositPending'),
  depositCompleted: log(seen, 'depositCompleted'),
  depositReversed: log(seen, 'depositReversed'),
  paymentPending: log(seen, 'paymentPending'),
  paymentCompleted: log(seen, 'paymentCompleted'),
  paymentFailed: log(seen, 'paymentFailed'),
  receivePending: log(seen, 'receivePending'),
  receiveCompleted: log(seen, 'receiveCompleted'),
  currencyExchangeQuotePending: log(seen, 'currencyExchangeQuotePending'),
  currencyExchangeQuoteCompleted: log(seen, 'currencyExchangeQuoteCompleted'),
  bankPaymentMethodPending: log(seen, 'bankPaymentMethodPending'),
  bankPaymentMethodReady: log(seen, 'bankPaymentMethodReady'),
  bankPaymentMethodSuspended: log(seen, 'bankPaymentMethodSuspended'),
  payoutOriginatorPendingReview: log(seen, 'payoutOriginatorPendingReview'),
  payoutOriginatorApproved: log(seen, 'payoutOriginatorApproved'),
});

const method = async ({ client, run, sandbox }: Shop, type: 'ACH' | 'SEPA' = 'SEPA') => {
  const { id } = await run(client.bankPaymentMethods.create(methodDraft(type)));
  await sandbox.advance(10 * SECOND);
  return id;
};

/** What happens to one thing of each resource, step by step; resolves to the id in its keys. */
const LIVES: Readonly<
  Record<string, { live(shop: Shop): Promise<string>; readonly states: readonly string[] }>
> = {
  payout: {
    states: ['payoutNew NEW', 'payoutInitiated INITIATED', 'payoutFailed FAILED'],
    async live(shop) {
      const { client, run, sandbox } = shop;
      sandbox.fault({ subject: 'payout', delay: HOUR });
      const draft = { paymentMethodId: await method(shop), amount: '10.00' };
      const { id } = await run(client.payouts.create(draft));
      await sandbox.advance(10 * SECOND);
      await run(client.payouts.initiate(id));
      await sandbox.advance(10 * SECOND);
      sandbox.move('payout', id, 'FAILED');
      return id;
    },
  },
  deposit: {
    states: ['depositCompleted COMPLETED', 'depositReversed REVERSED'], // no event tells of a new one
    async live(shop) {
      const { client, run, sandbox } = shop;
      sandbox.fault({ subject: 'deposit', delay: HOUR });
      const draft = { paymentMethodId: await method(shop, 'ACH'), amount: '10.00' };
      const { id } = await run(client.deposits.create(draft));
      await sandbox.advance(10 * SECOND);
      sandbox.move('deposit', id, 'COMPLETED');
      await sandbox.advance(10 * SECOND);
      sandbox.move('deposit', id, 'REVERSED');
      return id;
    },
  },
  payment: {
    states: ['paymentPending PENDING', 'paymentCompleted COMPLETED'],
    async live({ client, run, sandbox }) {
      sandbox.fault({ subject: 'payment', delay: 30 * SECOND });
      const lnInvoice = sandbox.payer.createBolt11({ sat: '2100' });
      const draft = { lnInvoice, sourceCurrency: 'EUR' };
      const { paymentQuoteId } = await run(client.paymentQuotes.createLightning(draft));
      const { paymentId } = await run(client.paymentQuotes.execute(paymentQuoteId));
      await sandbox.advance(30 * SECOND);
      return paymentId;
    },
  },
  receive: {
    states: ['receivePending PENDING', 'receiveCompleted COMPLETED'],
    async live({ client, run, sandbox }) {
      const { receiveRequestId, onchain } = await run(
        client.receiveRequests.create({ onchain: {} }),
      );
      await run(sandbox.payer.pay(onchain!.address, { amount: '0.001', pendingFor: 10 * SECOND }));
      const [receive] = await run(
        client.receiveRequests.listReceives(receiveRequestId).toArray({ limit: 1 }),
      );
      return `${receiveRequestId}/${receive!.receiveId}`;
    },
  },
  currencyExchangeQuote: {
    states: ['currencyExchangeQuotePending PENDING', 'currencyExchangeQuoteCompleted COMPLETED'],
    async live({ client, run, sandbox }) {
      sandbox.fault({ subject: 'currencyExchangeQuote', delay: 10 * SECOND });
      const draft = { sell: 'EUR', buy: 'BTC', amount: EUR };
      const { id } = await run(client.currencyExchangeQuotes.create(draft));
      await run(client.currencyExchangeQuotes.execute(id));
      return id;
    },
  },
  bankPaymentMethod: {
    states: [
      'bankPaymentMethodPending PENDING',
      'bankPaymentMethodReady READY',
      'bankPaymentMethodSuspended SUSPENDED',
    ],
    async live(shop) {
      shop.sandbox.fault({ subject: 'bankPaymentMethod', delay: 5 * SECOND });
      const id = await method(shop);
      shop.sandbox.move('bankPaymentMethod', id, 'SUSPENDED');
      await shop.sandbox.advance(10 * SECOND);
      shop.sandbox.move('bankPaymentMethod', id, 'READY'); // comes back: no second run of its handler
      return id;
    },
  },
  payoutOriginator: {
    states: ['payoutOriginatorPendingReview PENDING_REVIEW', 'payoutOriginatorApproved APPROVED'],
    async live({ client, run, sandbox }) {
      sandbox.fault({ subject: 'payoutOriginator', delay: 5 * SECOND });
      return (await run(client.payoutOriginators.create(PERSON))).id;
    },
  },
};

/** Every handler for a state: one too many here, or one too few, is an error of types. */
const ALL: Readonly<Record<keyof StateHandlers<unknown>, true>> = {
  invoiceUnpaid: true,
  invoicePending: true,
  invoiceCancelled: true,
  invoicePaid: true,
  invoiceReversed: true,
  paymentPending: true,
  paymentCompleted: true,
  paymentFailed: true,
  payoutNew: true,
  payoutInitiated: true,
  payoutCompleted: true,
  payoutFailed: true,
  payoutReversed: true,
  depositNew: true,
  depositPending: true,
  depositCompleted: true,
  depositFailed: true,
  depositReversed: true,
  receivePending: true,
  receiveCompleted: true,
  currencyExchangeQuoteNew: true,
  currencyExchangeQuotePending: true,
  currencyExchangeQuoteCompleted: true,
  currencyExchangeQuoteFailed: true,
  bankPaymentMethodPending: true,
  bankPaymentMethodReady: true,
  bankPaymentMethodSuspended: true,
  bankPaymentMethodInvalid: true,
  bankPaymentMethodInactive: true,
  payoutOriginatorPendingReview: true,
  payoutOriginatorApproved: true,
  payoutOriginatorRejected: true,
  payoutOriginatorInactive: true,
};

const MACHINES: Readonly<Record<HandledResource, StateMachine<string>>> = {
  invoice: states.invoiceStates,
  payment: states.paymentStates,
  payout: states.payoutStates,
  deposit: states.depositStates,
  receive: states.receiveStates,
  currencyExchangeQuote: states.currencyExchangeQuoteStates,
  bankPaymentMethod: states.bankPaymentMethodStates,
  payoutOriginator: states.payoutOriginatorStates,
};

const nameOf = (resource: string, state: string): string =>
  resource +
  state.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase());

describe('inbox: resources', () => {
  it('have a handler for every state that is known, with the value of their own type, and no other', () => {
    const known = Object.entries(MACHINES).flatMap(([resource, { transitions }]) =>
      Object.keys(transitions).map((state) => nameOf(resource, state)),
    );
    expect(known.sort()).to.deep.equal(Object.keys(ALL).sort());
    const on: Handlers<MemoryTransaction> = {
      paymentCompleted: ({ paymentId, state }) => [paymentId, state],
      receiveCompleted: ({ receiveRequestId, receiveId }) => [receiveRequestId, receiveId],
      // @ts-expect-error: a payout has no such member
      payoutFailed: ({ invoiceId }) => invoiceId,
      // @ts-expect-error: nor is there such a state
      invoicePayed: () => {},
    };
    expect(on).to.be.an('object');
  });

  for (const [name, { live, states }] of Object.entries(LIVES))
    it(`runs the handlers of a ${name} once for each of its states, with what was read`, async () => {
      const { shop, seen } = await openAll((runs) => ({ on: handlersIn(runs) }));
      const id = await live(shop);
      await shop.sandbox.advance(30 * SECOND);
      await shop.live(HOUR);
      const own = seen.filter((run) => run.includes(`${name}:${id}:`));
      expect(own).to.deep.equal(
        states.map((state) => `${state} ${name}:${id}:${state.split(' ')[1]}`),
      );
      expect(shop.problems).to.deep.equal([]);
      expect((await shop.inbox.status()).open).to.equal(0);
    });

  it('are found by the feed too, where no webhook came', async () => {
    const seen: string[] = [];
    const shop = await openDeafShop({ on: handlersIn(seen) });
    await shop.run(shop.inbox.reconcile());
    const id = await LIVES['payout']!.live(shop);
    await shop.sandbox.advance(30 * SECOND);
    await shop.run(shop.inbox.reconcile());
    await shop.live(HOUR);
    expect(seen.filter((run) => run.startsWith('payoutFailed'))).to.deep.equal([
      `payoutFailed FAILED payout:${id}:FAILED`,
    ]);
  });

  it('of one kind alone are read where only they have handlers', async () => {
    const { shop, seen } = await openAll((runs) => ({
      on: { paymentCompleted: log(runs, 'paymentCompleted') },
    }));
    const before = shop.sandbox.log.length;
    await LIVES['payout']!.live(shop);
    await LIVES['payment']!.live(shop);
    await shop.sandbox.advance(30 * SECOND);
    await shop.live(HOUR);
    const reads = shop.sandbox.log
      .slice(before)
      .filter(({ method, path }) => method === 'GET' && /^\/v1\/(payouts|payments)\//.test(path));
    expect(new Set(reads.map(({ path }) => path.split('/')[2]))).to.deep.equal(
      new Set(['payments']),
    );
    expect(seen).to.have.length(1);
  });

  it('in a state that this version does not know go to what is there for the rest, at once', async () => {
    const seen: unknown[] = [];
    const { shop } = await openAll(() => ({
      on: { payoutFailed: (payout: Payout) => void seen.push(payout.state) },
      read: {
        payout: async (id) => ({ ...(await shop.client.payouts.get(id)), state: 'ON_HOLD' }),
      },
      otherwise: (about) =>
        void ('state' in about && about.resource === 'payout' && seen.push(about.state)),
    }));
    await LIVES['payout']!.live(shop);
    await shop.sandbox.advance(SECOND);
    expect(seen).to.deep.equal(['ON_HOLD']);
  });

  it('that an event of a receive request does not name are read by none', async () => {
    const seen: string[] = [];
    const shop = await openDeafShop({
      on: {
        ...handlersIn(seen),
        event: {
          'receive-request.receive-completed': ({ data }, { key, value }) =>
            void seen.push(`event ${data.entityId} ${key} ${value === undefined}`),
        },
      },
    });
    const before = shop.sandbox.log.length;
    await shop.deliver('receive-request.receive-completed', 'r-1');
    await shop.live(HOUR);
    expect(seen).to.deep.equal(['event r-1 event:event-1 true']);
    expect(shop.sandbox.log.length).to.equal(before);
  });
});
