// Protects: a service that masks, cuts, rounds and adds is understood: one request creates one thing, its id is returned, and
// what differs is drift. Ids, keys and currencies still decide whose answer it is.
import { expect } from 'chai';
import { type Client, createClient } from 'paystate';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { type Drift, reportDrift } from 'paystate/schemas';
import { describe, it } from '#test';
import { altered } from '../state/shop.ts';
import { failureOf } from '../core/shop.ts';
import { ADDRESS, methodDraft, PERSON } from '../bank/bank.ts';
import { untilReady } from '../bank/bank-time.ts';

const EUR = (amount: string) => ({ amount, currency: 'EUR' });
const DESCRIPTION = '  Zwölf Flaschen Wein, rot und weiß  ';

type Change = (json: object) => object;

/** A client of a service that normalises, and whose answers to creations may be changed further. */
const openDesk = (change?: Change) => {
  const sandbox = createSandbox({
    signed: false,
    assume: { 'responses.form': 'normalised' },
    accounts: [{ handle: 'shop', balances: { USD: '900', EUR: '900' } }, { handle: 'ben' }],
  });
  const sent: string[] = [];
  const drifts: Drift[] = [];
  const { fetch } = sandbox.clientOptions;
  const client = createClient({
    ...sandbox.clientOptions,
    drift: reportDrift((drift) => drifts.push(drift)),
    onRequest: ({ method, path }) => sent.push(`${method} ${path}`),
    ...(change && {
      fetch: async (url, init) => {
        const answer = await fetch!(url, init);
        return answer.ok && init?.method === 'POST' ? altered(answer, change) : answer;
      },
    }),
  });
  return { sandbox, client, run: sandbox.run, sent, drifts };
};

type Desk = ReturnType<typeof openDesk>;

const methodIn = async ({ client, sandbox, run }: Desk, type: 'SEPA' | 'ACH' = 'SEPA') => {
  const { id } = await run(client.bankPaymentMethods.create(methodDraft(type)));
  await untilReady(sandbox);
  return id;
};

interface Creation {
  readonly create: (client: Client, sandbox: Sandbox, method: string) => Promise<object>;
  /** What the service wrote in another way. */
  readonly drifts: readonly string[];
}

const QUOTE = { sourceCurrency: 'EUR', amount: EUR('12.345') };

/** Every creation of every resource. */
const CREATIONS: Readonly<Record<string, Creation>> = {
  'invoices.create': {
    create: (client) => client.invoices.create({ amount: EUR('12.345'), description: DESCRIPTION }),
    drifts: ['amount other-amount', 'description other-text'],
  },
  'invoices.ensure': {
    create: async (client) => {
      const draft = { amount: EUR('12.345'), description: DESCRIPTION, correlationId: 'one' };
      return (await client.invoices.ensure(draft)).invoice;
    },
    drifts: ['amount other-amount', 'description other-text'],
  },
  'invoices.createFor': {
    create: (client) => client.invoices.createFor('ben', { amount: EUR('12.345') }),
    drifts: ['amount other-amount'],
  },
  'receiveRequests.create': {
    create: (client) =>
      client.receiveRequests.create({
        bolt11: { amount: EUR('12.345'), description: DESCRIPTION },
        onchain: { amount: EUR('0.999') },
        targetCurrency: 'EUR',
      }),
    drifts: [
      'bolt11.description other-text',
      'bolt11.requestedAmount other-amount',
      'onchain.requestedAmount other-amount',
    ],
  },
  'bankPaymentMethods.create': {
    create: (client) =>
      client.bankPaymentMethods.create(
        methodDraft('SEPA', { beneficiaries: [{ type: 'INDIVIDUAL', name: 'Zoë Müller' }] }),
      ),
    drifts: ['accountNumber other-text'],
  },
  'payoutOriginators.create': {
    create: (client) =>
      client.payoutOriginators.create({ ...PERSON, name: 'Zoë Müller', address: ADDRESS }),
    drifts: ['details.name other-text'],
  },
  'subscriptions.create': {
    create: (client) =>
      client.subscriptions.create({
        webhookUrl: 'https://shop.example/hooks',
        webhookVersion: 'v1',
        secret: 'a-secret-of-some-length',
        enabled: true,
        eventTypes: ['invoice.updated'],
      }),
    drifts: [],
  },
  'paymentQuotes.createLightning': {
    create: (client, sandbox) =>
      client.paymentQuotes.createLightning({
        ...QUOTE,
        lnInvoice: sandbox.payer.createBolt11(),
      }),
    drifts: ['amount other-amount'],
  },
  'paymentQuotes.createLnurl': {
    create: (client) =>
      client.paymentQuotes.createLnurl({ ...QUOTE, lnAddressOrUrl: 'ada@wallet.example' }),
    drifts: ['amount other-amount'],
  },
  'paymentQuotes.createOnchain': {
    create: async (client, sandbox) => {
      const draft = { btcAddress: sandbox.payer.createAddress(), amount: EUR('50.005') };
      const [tier] = await client.paymentQuotes.listTiers(draft);
      return client.paymentQuotes.createOnchain({
        ...draft,
        sourceCurrency: 'EUR',
        onchainTierId: tier!.id,
      });
    },
    drifts: ['amount other-amount'],
  },
  'currencyExchangeQuotes.create': {
    create: (client) =>
      client.currencyExchangeQuotes.create({ sell: 'EUR', buy: 'BTC', amount: EUR('12.345') }),
    drifts: ['source other-amount'],
  },
  'payouts.create': {
    create: (client, _, paymentMethodId) =>
      client.payouts.create({ paymentMethodId, amount: '12.345', reference: 'SALARY 2026-08' }),
    drifts: ['amount other-amount', 'reference other-text'],
  },
  'deposits.create': {
    create: (client, _, paymentMethodId) =>
      client.deposits.create({ paymentMethodId, amount: '12.345' }),
    drifts: ['amount other-amount'],
  },
};

const ID = /^(id|invoiceId|receiveRequestId|paymentQuoteId)$/;

describe('a creation at a service that normalises', () => {
  for (const [name, { create, drifts: wanted }] of Object.entries(CREATIONS))
    it(`${name}: returns the new id after one request, and tells the drift`, async () => {
      const desk = openDesk();
      const { client, sandbox, run, sent, drifts } = desk;
      const type = name === 'payouts.create' ? 'SEPA' : 'ACH';
      const method = /payouts|deposits/.test(name) ? await methodIn(desk, type) : '';
      sent.length = 0;
      drifts.length = 0;
      const made = await run(create(client, sandbox, method));
      expect(Object.entries(made).filter(([key, id]) => ID.test(key) && id)).to.have.length(1);
      expect(sent.filter((one) => !one.endsWith('/tiers'))).to.have.length(1);
      const found = drifts.filter(({ kind }) => kind.startsWith('other-'));
      expect(found.map(({ field, kind }) => `${field} ${kind}`).sort()).to.deep.equal(wanted);
      expect(drifts.some(({ kind }) => kind === 'unknown-field')).to.equal(true);
    });

  it('finds what a lost response has created, by its key or name', async () => {
    for (const name of ['invoices.create', 'invoices.ensure', 'currencyExchangeQuotes.create']) {
      const desk = openDesk();
      desk.sandbox.fault({ method: 'POST', nth: 1, action: 'lost-after' });
      const made = await desk.run(CREATIONS[name]!.create(desk.client, desk.sandbox, ''));
      expect(
        Object.keys(made).some((key) => ID.test(key)),
        name,
      ).to.equal(true);
      expect(
        desk.sent.filter((one) => one.startsWith('POST')),
        name,
      ).to.have.length(2);
    }
  });

  it('ensures the same invoice again, and refuses another amount or currency', async () => {
    const { client, run } = openDesk();
    const draft = { amount: EUR('12.345'), description: DESCRIPTION, correlationId: 'one' };
    const first = await run(client.invoices.ensure(draft));
    const again = await run(client.invoices.ensure(draft));
    expect([again.existed, again.invoice.invoiceId]).to.deep.equal([true, first.invoice.invoiceId]);
    for (const amount of [EUR('12.34'), EUR('12.36'), { amount: '12.35', currency: 'USD' }]) {
      const error = await failureOf(run(client.invoices.ensure({ ...draft, amount })));
      expect(error.code).to.equal('DUPLICATE_INVOICE');
    }
  });

  it('tells no letter of an account number or a name', async () => {
    const desk = openDesk();
    await desk.run(CREATIONS['bankPaymentMethods.create']!.create(desk.client, desk.sandbox, ''));
    const found = desk.drifts.find(({ kind }) => kind === 'other-text');
    expect(found?.text).to.equal('aaaa0000');
  });
});

describe('a command without a promised body', () => {
  for (const verb of ['execute', 'remove'] as const)
    it(`is done once it is answered with one: ${verb}`, async () => {
      const { client, run, sent } = openDesk();
      const draft = { sell: 'EUR', buy: 'BTC', amount: EUR('10.00') } as const;
      const { id } =
        verb === 'execute'
          ? await run(client.currencyExchangeQuotes.create(draft))
          : await run(client.payoutOriginators.create(PERSON));
      sent.length = 0;
      const command =
        verb === 'execute'
          ? client.currencyExchangeQuotes.execute(id)
          : client.payoutOriginators.remove(id);
      expect([await run(command), sent.length]).to.deep.equal([undefined, 1]);
    });

  it('is sent again where the body names something else', async () => {
    const { sandbox, client, run } = openDesk();
    const amount = EUR('10.00');
    const { id } = await run(
      client.currencyExchangeQuotes.create({ sell: 'EUR', buy: 'BTC', amount }),
    );
    const { fetch } = sandbox.clientOptions;
    let isFirst = true;
    const caught = createClient({
      ...sandbox.clientOptions,
      fetch: async (url, init) => {
        if (!isFirst) return fetch!(url, init);
        isFirst = false;
        return Response.json({ id: 'another', state: 'PENDING' }, { status: 202 });
      },
    });
    const { attempts } = await run(caught.currencyExchangeQuotes.execute(id).withResponse());
    expect([attempts, (await run(client.currencyExchangeQuotes.get(id))).state]).to.deep.equal([
      2,
      'PENDING',
    ]);
  });
});

/** How a service may write a reference, and whether it can be the asked one. */
const SPELLINGS: readonly (readonly [asked: string, found: string, isSame: boolean])[] = [
  ['Rent 08/2026', 'Rent 08', true],
  ['Rent 08/2026', 'RENT082026', true],
  ['Miete für März', 'Miete fuer Maerz', true],
  ['Miete für März', 'MIETE FR MRZ', true],
  ['Плата', 'Plata', true],
  ['щит', 'schit', true],
  ['東京 12', 'Tokyo 12', true],
  ['Straße 5', 'Strasse 5', true],
  ['Łódź, Århus', 'Lodz Aarhus', true],
  ['Rent 08/2026', '*****2026', true],
  ['Rent 08/2026', 'XXXX6789', true],
  ['Rent 08/2026', '', true],
  ['Rent 08/2026', 'Rent 09/2026', false],
  ['Rent 08/2026', 'Salary', false],
  ['Rent', 'Rent 08', false],
  ['Miete März', 'Miete Mai ö', false],
  ['Miete März', 'Miete Mai', false],
  ['Плата', 'Правда', false],
  ['2 × Tee', 'something else', false],
  ['Miete für März', 'something else', false],
];

describe('a payout whose reference is answered in another way', () => {
  for (const [reference, found, isSame] of SPELLINGS)
    it(`${reference}, ${found}: ${isSame ? 'is this one' : 'is another one'}`, async () => {
      const desk = openDesk((json) =>
        'accountNumber' in json ? json : { ...json, reference: found },
      );
      const paymentMethodId = await methodIn(desk);
      const draft = { paymentMethodId, amount: '12.50', reference };
      if (isSame) expect((await desk.run(desk.client.payouts.create(draft))).id).to.be.a('string');
      else
        expect(await failureOf(desk.run(desk.client.payouts.create(draft)))).to.include({
          code: 'RESPONSE_MISMATCH',
          outcome: 'unknown',
        });
    });
});

/** How a service may write an amount of money, and whether it can be the asked one. */
const AMOUNTS: readonly (readonly [asked: string, found: string, isSame: boolean])[] = [
  ['12.345', '12.35', true],
  ['12.345', '12.34', true],
  ['12.345', '12.3500', true],
  ['12.5', '12.500', true],
  ['12.345', '12.36', false],
  ['12.35', '12.34', false],
  ['12.35', '12', false],
  ['12.345', '12.346', false],
];

describe('a receive request whose amount is answered in another way', () => {
  for (const [asked, found, isSame] of AMOUNTS)
    it(`${asked}, ${found}: ${isSame ? 'is this one' : 'is another one'}`, async () => {
      const { client, run } = openDesk((json) => {
        const { bolt11 } = json as { readonly bolt11: object };
        return { ...json, bolt11: { ...bolt11, requestedAmount: EUR(found) } };
      });
      const draft = { bolt11: { amount: EUR(asked) } };
      if (isSame) {
        const { bolt11 } = await run(client.receiveRequests.create(draft));
        expect(bolt11?.requestedAmount?.amount).to.equal(found);
      } else
        expect(await failureOf(run(client.receiveRequests.create(draft)))).to.include({
          code: 'RESPONSE_MISMATCH',
          outcome: 'unknown',
        });
    });
});
