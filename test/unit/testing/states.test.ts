// Node only: test tools compute the same in every engine.
// Protects: a value in a state has the members that the service gives it there: each one is held against the sandbox's.
import { expect } from 'chai';
import type { Client } from 'paystate';
import {
  bankPaymentMethodStates,
  currencyExchangeQuoteStates,
  depositStates,
  invoiceStates,
  paymentStates,
  payoutOriginatorStates,
  payoutStates,
} from 'paystate/endpoints';
import type { Sandbox } from 'paystate/sandbox';
import * as kit from 'paystate/testing';
import { describe, it, itLong } from '#test';
import { type Bank, methodDraft, openBank, PERSON } from '../bank/bank.ts';

/** Paths of all members, arrays by their first item. */
const membersOf = (value: unknown): readonly string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, one]) =>
        one === undefined || one === null || (Array.isArray(value) && name !== '0')
          ? []
          : [name, ...membersOf(one).map((inner) => `${name}.${inner}`)],
      );

interface Life {
  readonly states: { readonly transitions: Readonly<Record<string, readonly string[]>> };
  /** Creates one in the sandbox; its id. */
  create(bank: Bank): Promise<string>;
  readonly subject: Parameters<Sandbox['move']>[0];
  /** Moves it there; as the outside world would, where it is absent. */
  reach?(bank: Bank, id: string, way: readonly string[]): Promise<void>;
  read(client: Client, id: string): Promise<object>;
  make(state: string): object;
  /** Where the service may differ from the sandbox, by state: what only the sandbox has. */
  readonly more?: Readonly<Record<string, readonly string[]>>;
}

const EUROS = { amount: '5.00', currency: 'EUR' };

const lives: Readonly<Record<string, Life>> = {
  makeInvoice: {
    states: invoiceStates,
    subject: 'invoice',
    create: async ({ client, run }) =>
      (await run(client.invoices.create({ amount: EUROS, description: 'Tea' }))).invoiceId,
    read: (client, id) => client.invoices.get(id, { includeTransactions: true }),
    async reach({ sandbox }, id, way) {
      for (const next of way)
        if (next === 'PENDING') void sandbox.payer.pay(id, { pendingFor: 60_000 });
        else if (next === 'PAID') await sandbox.advance(60_000);
        else sandbox.move('invoice', id, next);
    },
    make: (state) => kit.makeInvoice({ state }),
    more: { UNPAID: ['transactions'], CANCELLED: ['transactions'] }, // none, as in their first response
  },
  makePayment: {
    states: paymentStates,
    subject: 'payment',
    async create({ client, run, sandbox }) {
      sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay: 86_400_000 });
      const lnInvoice = sandbox.payer.createBolt11({ sat: '700' });
      const draft = { lnInvoice, sourceCurrency: 'EUR' };
      const { paymentQuoteId } = await run(client.paymentQuotes.createLightning(draft));
      return (await run(client.paymentQuotes.execute(paymentQuoteId))).paymentId;
    },
    read: (client, id) => client.payments.get(id),
    make: (state) => kit.makePayment({ state }),
    more: { FAILED: ['completed', 'delivered'] }, // of a failure it is not published
  },
  makePayout: {
    states: payoutStates,
    subject: 'payout',
    async create({ client, run, method }) {
      const { id: paymentMethodId } = await method();
      const draft = { paymentMethodId, amount: '25.00', reference: 'PO-1' };
      return (await run(client.payouts.create(draft))).id;
    },
    read: (client, id) => client.payouts.get(id),
    make: (state) => kit.makePayout({ state }),
  },
  makeDeposit: {
    states: depositStates,
    subject: 'deposit',
    async create({ client, run, method }) {
      const { id: paymentMethodId } = await method();
      return (await run(client.deposits.create({ paymentMethodId, amount: '50.00' }))).id;
    },
    read: (client, id) => client.deposits.get(id),
    make: (state) => kit.makeDeposit({ state }),
  },
  makeCurrencyExchangeQuote: {
    states: currencyExchangeQuoteStates,
    subject: 'currencyExchangeQuote',
    async create({ client, run }) {
      const draft = { sell: 'BTC', buy: 'EUR', amount: { amount: '0.001', currency: 'BTC' } };
      return (await run(client.currencyExchangeQuotes.create(draft))).id;
    },
    read: (client, id) => client.currencyExchangeQuotes.get(id),
    make: (state) => kit.makeCurrencyExchangeQuote({ state }),
  },
  makeBankPaymentMethod: {
    states: bankPaymentMethodStates,
    subject: 'bankPaymentMethod',
    create: async ({ client, run }) =>
      (
        await run(
          client.bankPaymentMethods.create(methodDraft('SEPA', { beneficiaries: [PERSON] })),
        )
      ).id,
    read: (client, id) => client.bankPaymentMethods.get(id),
    make: (state) => kit.makeBankPaymentMethod({ state }),
  },
  makePayoutOriginator: {
    states: payoutOriginatorStates,
    subject: 'payoutOriginator',
    create: async ({ client, run }) => (await run(client.payoutOriginators.create(PERSON))).id,
    read: (client, id) => client.payoutOriginators.get(id),
    make: (state) => kit.makePayoutOriginator({ state }),
  },
};

/** The moves from the first state to each of the others, the shortest. */
function waysOf({ transitions }: Life['states']): ReadonlyMap<string, readonly string[]> {
  const ways = new Map<string, readonly string[]>([[Object.keys(transitions)[0]!, []]]);
  for (const [state, way] of ways)
    for (const next of transitions[state] ?? [])
      if (!ways.has(next)) ways.set(next, [...way, next]);
  return ways;
}

describe('a value in a state', () => {
  for (const [name, { states, read, make, more = {}, ...life }] of Object.entries(lives))
    itLong(`made by ${name} has the members that the sandbox gives it there`, async () => {
      const ways = waysOf(states);
      expect([...ways.keys()]).to.have.members(Object.keys(states.transitions));
      for (const [state, way] of ways) {
        const bank = openBank();
        const id = await life.create(bank);
        if (life.reach) await life.reach(bank, id, way);
        else for (const next of way) bank.sandbox.move(life.subject, id, next);
        const found = membersOf(await bank.run(read(bank.client, id)));
        const expected = found.filter((member) => !(more[state] ?? []).includes(member));
        expect(membersOf(make(state)), `${name} ${state}`).to.have.members(expected);
      }
    });
});

describe('a value of a kind', () => {
  const opened = () => openBank({ accounts: [{ handle: 'shop', defaultCurrency: 'EUR' }] });

  it('made by makeBankPaymentMethod is one that its bank takes, by every way of transfer', async () => {
    for (const transferType of ['ACH', 'US_DOMESTIC_WIRE', 'SEPA', 'FPS', 'BSB'] as const) {
      const { client, run } = openBank();
      const made = kit.makeBankPaymentMethod({ transferType });
      const { accountNumber, routingNumber, accountType, beneficiaries } = made;
      const draft = { transferType, accountNumber, routingNumber, accountType, beneficiaries };
      const read = await run(client.bankPaymentMethods.create(draft));
      expect({ ...read, id: made.id, created: made.created }).to.deep.equal({
        ...made,
        ...(made.referenceCode !== undefined && { referenceCode: read.referenceCode }),
      });
    }
  });

  it('made by makeReceive has the members that the sandbox gives it, by every way and state', async () => {
    for (const [way, members] of Object.entries({
      bolt11: { type: 'LIGHTNING' },
      onchain: { type: 'ONCHAIN', state: 'COMPLETED' },
      seen: { state: 'PENDING' },
    })) {
      const { client, run, sandbox } = opened();
      const amount = { amount: '5.00', currency: 'EUR' };
      const draft = way === 'bolt11' ? { bolt11: { amount, description: 'Tea' } } : { onchain: {} };
      const request = await run(client.receiveRequests.create(draft));
      const target = request.bolt11?.invoice ?? request.onchain!.address;
      const paid = sandbox.payer.pay(target, request.bolt11 ? {} : { amount: '0.001' });
      if (way !== 'seen') await run(paid);
      const list = client.receiveRequests.listReceives(request.receiveRequestId);
      const [read] = await run(list.toArray({ limit: 1 }));
      expect(membersOf(kit.makeReceive(members)), way).to.have.members(membersOf(read));
    }
  });

  it('made by makeReceiveRequest, a quote, a profile or a balance has those of the sandbox', async () => {
    const { client, run, sandbox } = opened();
    const amount = { amount: '5.00', currency: 'EUR' };
    const draft = { bolt11: { amount, description: 'Tea' }, onchain: { amount } };
    const { invoiceId } = await run(client.invoices.create({ amount, description: 'Tea' }));
    sandbox.fund('shop', { amount: '100.00', currency: 'EUR' });
    const lnInvoice = sandbox.payer.createBolt11({ sat: '700' });
    const pairs: readonly (readonly [object, object])[] = [
      [kit.makeReceiveRequest(), await run(client.receiveRequests.create(draft))],
      [kit.makeInvoiceQuote(), await run(client.invoices.quote(invoiceId))],
      [
        kit.makePaymentQuote(),
        await run(client.paymentQuotes.createLightning({ lnInvoice, sourceCurrency: 'EUR' })),
      ],
      [kit.makeAccountProfile(), await run(client.accounts.getProfileByHandle('shop'))],
      [kit.makeBalance(), (await run(client.balances.list()))[0]!],
      [kit.makeRate(), (await run(client.rates.list()))[0]!],
      [kit.makeEvent(), (await run(client.events.list().toArray({ limit: 1 })))[0]!],
    ];
    for (const [made, read] of pairs)
      expect(membersOf(made)).to.include.members(
        membersOf(read).filter((member) => member !== 'data.changes'),
      );
  });
});
