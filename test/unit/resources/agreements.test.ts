// Protects: a creation that is answered with what another request made is never taken for this one's; what the service's
// arithmetic changes is.
import { expect } from 'chai';
import { type Client, createClient } from 'paystate';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { type Drift, reportDrift } from 'paystate/schemas';
import { describe, it } from '#test';
import { failureOf } from '../core/shop.ts';
import { methodDraft, PERSON } from '../bank/bank.ts';
import { untilReady } from '../bank/bank-time.ts';

type Json = Record<string, unknown>;
type Change = (json: Json, request: string) => Json | undefined;

/** A client whose successful POST answers are changed on their way. */
const openDesk = (change: Change = () => undefined) => {
  const sandbox = createSandbox({
    signed: false,
    accounts: [{ handle: 'shop', balances: { USD: '900', EUR: '900' } }, { handle: 'ben' }],
  });
  const posts: string[] = [];
  const drifts: Drift[] = [];
  const desk = { sandbox, posts, drifts, run: sandbox.run, change };
  const client = createClient({
    ...sandbox.clientOptions,
    maxAttempts: 1,
    drift: reportDrift((drift) => drifts.push(drift)),
    fetch: async (url, init) => {
      const answer = await sandbox.clientOptions.fetch!(url, init);
      const name = new URL(String(url)).pathname;
      if (init?.method !== 'POST') return answer;
      posts.push(name);
      const text = await answer.text();
      const json = answer.ok ? (JSON.parse(text) as Json) : undefined;
      const other = json && desk.change(json, name);
      return new Response(other ? JSON.stringify(other) : text, answer);
    },
  });
  return Object.assign(desk, { client });
};

const EUR = (amount: string) => ({ amount, currency: 'EUR' });

/** Each creation, with two drafts that must not be taken for each other. */
const CREATIONS: Record<
  string,
  (client: Client, sandbox: Sandbox, methods: readonly string[], n: number) => Promise<unknown>
> = {
  'invoices.create': (client, _, __, n) => client.invoices.create({ amount: EUR(`5.0${n}`) }),
  'invoices.create, one amount': (client, _, __, n) =>
    client.invoices.create({ amount: EUR('5.00'), correlationId: `order-${n}` }),
  'invoices.ensure': (client, _, __, n) =>
    client.invoices.ensure({ amount: EUR('5.00'), correlationId: `order-${n}` }),
  'invoices.createFor': (client, _, __, n) =>
    client.invoices.createFor('ben', { amount: EUR('5.00'), correlationId: `order-${n}` }),
  'receiveRequests.create, amount': (client, _, __, n) =>
    client.receiveRequests.create({ bolt11: { amount: EUR(`5.0${n}`) } }),
  'receiveRequests.create, currency': (client, _, __, n) =>
    client.receiveRequests.create({ onchain: {}, targetCurrency: ['EUR', 'USD'][n]! }),
  'bankPaymentMethods.create': (client, _, __, n) =>
    client.bankPaymentMethods.create(
      methodDraft('SEPA', { accountNumber: `AT00000000000000000${n}` }),
    ),
  'payoutOriginators.create': (client, _, __, n) =>
    client.payoutOriginators.create({ ...PERSON, name: ['Ada', 'Ben'][n]! }),
  'subscriptions.create': (client, _, __, n) =>
    client.subscriptions.create({
      webhookUrl: `https://shop.example/${n}`,
      webhookVersion: 'v1',
      secret: 'a-secret-of-some-length',
      enabled: true,
      eventTypes: ['invoice.updated'],
    }),
  'paymentQuotes.createLnurl': (client, _, __, n) =>
    client.paymentQuotes.createLnurl({
      lnAddressOrUrl: 'ada@wallet.example',
      sourceCurrency: ['EUR', 'USD'][n]!,
      amount: EUR('5.00'),
    }),
  'currencyExchangeQuotes.create': (client, _, __, n) =>
    client.currencyExchangeQuotes.create({
      sell: ['EUR', 'USD'][n]!,
      buy: 'BTC',
      amount: { amount: '5.00', currency: ['EUR', 'USD'][n]! },
    }),
  'currencyExchangeQuotes.create, amount': (client, _, __, n) =>
    client.currencyExchangeQuotes.create({ sell: 'EUR', buy: 'BTC', amount: EUR(`${n + 5}0.00`) }),
  'payouts.create, amount': (client, _, methods, n) =>
    client.payouts.create({ paymentMethodId: methods[0]!, amount: `5.0${n}` }),
  'payouts.create, reference': (client, _, methods, n) =>
    client.payouts.create({ paymentMethodId: methods[0]!, amount: '5.00', reference: `R${n}` }),
  'payouts.create, method': (client, _, methods, n) =>
    client.payouts.create({ paymentMethodId: methods[n]!, amount: '5.00' }),
  'deposits.create, amount': (client, _, methods, n) =>
    client.deposits.create({ paymentMethodId: methods[2]!, amount: `${n + 5}0.00` }),
};

const methodsOf = async ({ client, sandbox, run }: ReturnType<typeof openDesk>) => {
  const drafts = [
    methodDraft('SEPA'),
    methodDraft('SEPA', { accountNumber: 'AT000000000000000009' }),
    methodDraft('ACH'),
  ];
  const ids: string[] = [];
  for (const draft of drafts) ids.push((await run(client.bankPaymentMethods.create(draft))).id);
  await untilReady(sandbox);
  return ids;
};

describe('a creation that is answered with another body', () => {
  for (const [name, create] of Object.entries(CREATIONS))
    it(`${name}: is not taken for this one`, async () => {
      const desk = openDesk();
      const { client, sandbox, run } = desk;
      const methods = /payouts|deposits/.test(name) ? await methodsOf(desk) : [];
      let other: Json | undefined;
      desk.change = (json) => void (other = json);
      await run(create(client, sandbox, methods, 0));
      desk.change = () => other;
      const error = await failureOf(run(create(client, sandbox, methods, 1)));
      expect(error).to.include({ code: 'RESPONSE_MISMATCH', outcome: 'unknown' });
    });
});

const respelled: Change = (json) =>
  JSON.parse(JSON.stringify(json), (key, value: unknown) => {
    if (key === 'id' || key === 'created') return value;
    if (key === 'amount' && value === '5.00') return '5.0';
    return key === 'reference' || key === 'paymentMethodId' ? String(value).toUpperCase() : value;
  }) as Json;

describe('a creation whose answer is spelled in another way', () => {
  it('is taken: amounts count by value, ids without case', async () => {
    const desk = openDesk();
    const [paymentMethodId = ''] = await methodsOf(desk);
    desk.change = respelled;
    const draft = { paymentMethodId, amount: '5.00', reference: 'Rent 5' };
    const { amount, state } = await desk.run(desk.client.payouts.create(draft));
    expect([amount, state]).to.deep.equal([{ amount: '5.0', currency: 'EUR' }, 'NEW']);
    const invoice = await desk.run(desk.client.invoices.create({ amount: EUR('5.00') }));
    expect(invoice.amount.amount).to.equal('5.0');
  });

  it('is taken without the members that may be absent', async () => {
    const desk = openDesk();
    const [paymentMethodId = ''] = await methodsOf(desk);
    desk.change = (json) => ({ ...json, reference: null, correlationId: null });
    const draft = { paymentMethodId, amount: '5.00', reference: 'Rent' };
    expect((await desk.run(desk.client.payouts.create(draft))).state).to.equal('NEW');
    const amount = EUR('5.00');
    const invoice = await desk.run(desk.client.invoices.create({ amount, correlationId: 'one' }));
    expect(invoice.state).to.equal('UNPAID');
  });
});

/** The same money, by an arithmetic that nobody has published. */
const money = (amount: string, currency: string) => ({ amount, currency });
const ARITHMETIC: Record<string, { exchange: Json; deposit: Json; fields: readonly string[] }> = {
  'with the fee inside': {
    exchange: { source: money('98.00', 'USD'), fee: money('2.00', 'USD') },
    deposit: {
      amount: money('490.00', 'USD'),
      fee: money('10.00', 'USD'),
      totalAmount: money('500.00', 'USD'),
    },
    fields: ['source', 'amount'],
  },
  'with the fee outside': {
    exchange: { source: money('102.00', 'USD'), fee: money('2.00', 'USD') },
    deposit: {
      amount: money('510.00', 'USD'),
      fee: money('10.00', 'USD'),
      totalAmount: money('520.00', 'USD'),
    },
    fields: ['source', 'amount'],
  },
  'a cent less': {
    exchange: { source: money('99.99', 'USD'), fee: money('0.00', 'USD') },
    deposit: { amount: money('499.99', 'USD'), fee: money('0.00', 'USD') },
    fields: ['source', 'amount'],
  },
  'beyond any fee': {
    exchange: { source: money('70.00', 'USD'), fee: money('0.00', 'USD') },
    deposit: { amount: money('420.00', 'USD'), fee: money('0.00', 'USD') },
    fields: [],
  },
};

describe('an amount that follows another arithmetic', () => {
  for (const [name, { exchange, deposit, fields }] of Object.entries(ARITHMETIC))
    it(`${name}: what was made under the key of this call is given, and the drift is reported`, async () => {
      const desk = openDesk();
      const methods = await methodsOf(desk);
      const { client, run, drifts, posts } = desk;
      posts.length = 0;
      desk.change = (json, path) => ({ ...json, ...(/deposits/.test(path) ? deposit : exchange) });
      const retrying = client.withOptions({ maxAttempts: 3 });
      const amount = money('100.00', 'USD');
      const quote = await run(
        retrying.currencyExchangeQuotes.create({ sell: 'USD', buy: 'BTC', amount }),
      );
      const made = await run(
        retrying.deposits.create({ paymentMethodId: methods[2]!, amount: '500.00' }),
      );
      const others = drifts.filter(({ kind }) => kind === 'other-amount');
      expect(others.map(({ field }) => field)).to.deep.equal(fields);
      expect(others.map(({ id }) => id)).to.deep.equal(fields.length ? [quote.id, made.id] : []);
      // beyond any fee the same key is asked again, and the service names what it made under it
      expect(posts.length).to.equal(fields.length ? 2 : 4);
      expect(await run(client.deposits.list().toArray({ limit: 9 }))).to.have.length(1);
    });
});
