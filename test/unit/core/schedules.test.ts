// The schedules of loss that ask something of a verb; those of invoices alone are with the invoices.
import { expect } from 'chai';
import { createClient, ensureSubscription, InputError, request } from 'paystate';
import { describe, it, itLong } from '#test';
import { methodDraft, openBank } from '../bank/bank.ts';
import { openTwo } from '../payments/two.ts';
import { DRAFT, failureOf, openShop } from './shop.ts';
import { internalsOf } from './internals.ts';
import { systemClock } from './system-clock.ts';

const KEY = '7d5b1c6e-0a2f-4d8b-9c31-e4f6a7b8c9d0';
const MINUTE = 60_000;
const EXCHANGE = { sell: 'USD', buy: 'BTC', amount: { amount: '100.00', currency: 'USD' } };
const SUBSCRIPTION = {
  webhookUrl: 'https://shop.example/hook',
  webhookVersion: 'v1',
  secret: '0123456789abcdef',
  enabled: true,
  eventTypes: ['invoice.updated'],
} as const;

describe('exchange quotes', () => {
  it('C7: a key that is sent again after a reload says whose it was, and its state is read before anything else', async () => {
    const { sandbox, client, run } = openBank();
    const quote = await run(
      client.currencyExchangeQuotes.create(EXCHANGE, { idempotencyKey: KEY }),
    );
    await run(client.currencyExchangeQuotes.execute(quote.id));
    await sandbox.advance(2_000);
    const reloaded = createClient(sandbox.clientOptions);
    const error = await failureOf(
      run(reloaded.currencyExchangeQuotes.create(EXCHANGE, { idempotencyKey: KEY })),
    );
    expect(error).to.include({
      kind: 'refused',
      code: 'DUPLICATE_CURRENCY_EXCHANGE_QUOTE',
      outcome: 'unknown',
      next: 'read-first',
    });
    expect(error.values).to.include({ currencyExchangeQuoteId: quote.id });
    expect((await run(reloaded.currencyExchangeQuotes.get(quote.id))).state).to.equal('COMPLETED');
  });

  it('C7: after a lost answer the original comes back with the state that it has, if it is the same', async () => {
    const { sandbox, client, run } = openBank();
    sandbox.fault({ method: 'POST', nth: 1, action: 'lost-after' });
    const found = await run(client.currencyExchangeQuotes.create(EXCHANGE).withResponse());
    expect([found.value.state, found.value.source.amount, found.attempts]).to.deep.equal([
      'NEW',
      '100.00',
      2,
    ]);
    expect(sandbox.log.map(({ method }) => method)).to.deep.equal(['POST', 'POST', 'GET']);
  });
});

describe('deposits', () => {
  it('C8: a key is sent again within ten minutes of its first sending, by one call', async () => {
    const { sandbox, client, run, method } = openBank();
    const { id: paymentMethodId } = await method('ACH');
    const begun = sandbox.clock.now();
    const before = sandbox.log.length;
    sandbox.fault({ method: 'POST', action: 'lost-after' });
    const error = await failureOf(
      run(
        client.deposits.create(
          { paymentMethodId, amount: '50.00' },
          { callTimeout: 24 * 60 * MINUTE, maxAttempts: 80 },
        ),
        { timeout: 24 * 60 * MINUTE },
      ),
    );
    expect(error).to.include({ outcome: 'unknown' });
    const times = sandbox.log
      .slice(before)
      .filter(({ method: verb }) => verb === 'POST')
      .map(({ at }) => at - begun);
    expect(times.length).to.be.above(20);
    expect(Math.max(...times)).to.be.within(8 * MINUTE, 10 * MINUTE);
    expect(await run(client.deposits.list().count())).to.equal(1);
  });

  it('C8: and by later calls, which find what the lost one made; after that it is unknown, and only to be looked for', async () => {
    const { sandbox, client, run, method } = openBank();
    const { id: paymentMethodId } = await method('ACH');
    const draft = { paymentMethodId, amount: '50.00' };
    const endFault = sandbox.fault({ method: 'POST', action: 'lost-after' });
    await failureOf(
      run(
        client.deposits.create(draft, {
          idempotencyKey: KEY,
          firstSentAt: sandbox.clock.now(),
          maxAttempts: 1,
        }),
      ),
    );
    endFault();
    await sandbox.advance(9 * MINUTE);
    const [made] = await run(client.deposits.list().toArray({ limit: 2 }));
    expect(await run(client.deposits.create(draft, { idempotencyKey: KEY }))).to.deep.equal(
      await run(client.deposits.get(made!.id)),
    );
    await sandbox.advance(MINUTE);
    const sent = sandbox.log.length;
    const error = await failureOf(run(client.deposits.create(draft, { idempotencyKey: KEY })));
    expect(error).to.include({
      kind: 'input',
      code: 'IDEMPOTENCY_KEY_EXPIRED',
      outcome: 'unknown',
      next: 'read-first',
      maybeCreated: true,
    });
    expect(sandbox.log).to.have.length(sent);
    expect(await run(client.deposits.list().count())).to.equal(1);
  });
});

describe('payouts', () => {
  it('C9, C10: a lost creation is never repeated and says that something may be there; a second one moves no money', async () => {
    const { sandbox, client, run, method, pots } = openBank();
    const { id: paymentMethodId } = await method();
    const draft = { paymentMethodId, amount: '250.00', reference: 'SALARY' };
    const endFault = sandbox.fault({ method: 'POST', action: 'lost-after' });
    const before = pots('EUR');
    const posts = () =>
      sandbox.log.filter(({ method: verb, path }) => verb === 'POST' && path === '/v1/payouts')
        .length;
    for (const times of [1, 2]) {
      const error = await failureOf(run(client.payouts.create(draft)));
      expect(error).to.include({
        outcome: 'unknown',
        next: 'read-first',
        maybeCreated: true,
        attempts: 1,
      });
      expect(posts()).to.equal(times);
    }
    endFault();
    const [one, other] = await run(client.payouts.list().toArray({ limit: 9 }));
    expect([one!.state, other!.state, one!.id === other!.id]).to.deep.equal(['NEW', 'NEW', false]);
    expect(pots('EUR')).to.deep.equal(before);
    await run(client.payouts.initiate(one!.id));
    await sandbox.advance(24 * 60 * MINUTE);
    expect((await run(client.payouts.get(other!.id))).state).to.equal('NEW');
  });
});

describe('what nobody can see when its answer is lost', () => {
  it('C11: is asked for again: quotes of invoices, tiers, fees', async () => {
    const { sandbox, client, run, method } = openBank();
    const { id: paymentMethodId } = await method('ACH');
    const { invoiceId } = await run(client.invoices.create(DRAFT));
    const calls: readonly (() => Promise<unknown>)[] = [
      () => client.invoices.quote(invoiceId),
      () =>
        client.paymentQuotes.listTiers({
          btcAddress: sandbox.payer.createAddress(),
          amount: { amount: '200.00', currency: 'USD' },
        }),
      () => client.deposits.estimateFee({ paymentMethodId, amount: '500.00' }),
    ];
    for (const call of calls) {
      const before = sandbox.log.length;
      const endFault = sandbox.fault({ method: 'POST', nth: [1, 2], action: 'lost-after' });
      expect(await run(call())).not.to.equal(undefined);
      endFault();
      expect(sandbox.log.length - before).to.equal(3);
    }
  });
});

describe('subscriptions', () => {
  it('C12: are looked for before they are made, also after a lost answer: one at every start', async () => {
    const { sandbox, client, run } = openShop();
    sandbox.fault({ method: 'POST', nth: 1, action: 'lost-after' });
    for (const existed of [false, true, true])
      expect(
        (
          await run(
            ensureSubscription(client, {
              ...SUBSCRIPTION,
              eventTypes: [...SUBSCRIPTION.eventTypes],
            }),
          )
        ).existed,
      ).to.equal(existed);
    expect(await run(client.subscriptions.list())).to.have.length(1);
  });
});

describe('payment quotes', () => {
  it('C13: a duplicate names a quote whose terms nobody knows; one key for a request, another for the next', async () => {
    const { sandbox, client, run } = openTwo();
    const lnInvoice = sandbox.payer.createBolt11({ sat: '2100' });
    const ask = () => client.paymentQuotes.createLightning({ lnInvoice, sourceCurrency: 'USD' });
    sandbox.fault({ method: 'POST', nth: 1, action: 'lost-after' });
    const error = await failureOf(run(ask()));
    expect(error).to.include({
      kind: 'refused',
      code: 'DUPLICATE_PAYMENT_QUOTE',
      next: 'new-quote',
      attempts: 2,
    });
    expect(error.values).to.include({ terms: 'unknown' });
    expect(error.values!['paymentQuoteId']).to.be.a('string');
    const next = await run(ask());
    expect(next.paymentQuoteId).not.to.equal(error.values!['paymentQuoteId']);
  });
});

describe("an answer that is not the service's", () => {
  it('C14: leaves doubt about every command, whatever its status', async () => {
    for (const status of [400, 401, 403, 404, 408, 413, 422, 502]) {
      const { sandbox, client, run } = openBank();
      sandbox.fault({ action: { status, html: '<h1>blocked</h1>' } });
      const calls: readonly (() => Promise<unknown>)[] = [
        () => client.payouts.create({ paymentMethodId: 'x', amount: '1.00' }),
        () => client.payouts.initiate('x'),
        () => client.deposits.create({ paymentMethodId: 'x', amount: '1.00' }),
        () => client.paymentQuotes.execute('x'),
        () => client.currencyExchangeQuotes.create(EXCHANGE),
        () => client.bankPaymentMethods.create(methodDraft('ACH')),
        () => client.bankPaymentMethods.remove('x'),
      ];
      for (const call of calls) {
        const error = await failureOf(run(call()));
        expect(
          [error.code, error.status, error.outcome, error.kind],
          `${status} ${call}`,
        ).to.deep.equal(['NOT_FROM_SERVICE', status, 'unknown', 'unreachable']);
        if (![408, 502].includes(status)) expect(error.next, `${call}`).to.equal('read-first');
      }
    }
  });
});

describe('a key', () => {
  it('C15: belongs to one body: another one under it is refused before anything is sent', async () => {
    const { sandbox, client, run } = openBank();
    const short = await failureOf(
      run(
        client.currencyExchangeQuotes.create(
          { ...EXCHANGE, amount: { amount: '0.01', currency: 'USD' } },
          { idempotencyKey: KEY },
        ),
      ),
    );
    expect(short.kind).to.equal('refused');
    const sent = sandbox.log.length;
    const corrected = await failureOf(
      run(client.currencyExchangeQuotes.create(EXCHANGE, { idempotencyKey: KEY })),
    );
    expect(corrected).to.be.an.instanceOf(InputError);
    expect(Object.keys(corrected.validationErrors!)).to.deep.equal(['idempotencyKey']);
    expect(JSON.stringify(corrected) + corrected.message).not.to.contain(KEY);
    for (const other of [client.withOptions({ maxAttempts: 1 }), client])
      expect(
        (
          await failureOf(
            run(
              request(other, 'POST', '/v1/currency-exchange-quotes', {
                body: EXCHANGE,
                idempotencyKey: KEY,
              }),
            ),
          )
        ).kind,
      ).to.equal('input');
    expect(sandbox.log).to.have.length(sent);
    const other = KEY.replace('7', '8');
    const made = await run(
      client.currencyExchangeQuotes.create(EXCHANGE, { idempotencyKey: other }),
    );
    expect(
      (
        await failureOf(
          run(client.currencyExchangeQuotes.create(EXCHANGE, { idempotencyKey: other })),
        )
      ).values,
    ).to.include({ currencyExchangeQuoteId: made.id });
  });

  itLong('C15: is remembered by numbers alone, and the oldest are forgotten', async () => {
    const { sandbox } = openBank();
    const limits = {
      ...sandbox.clientOptions.rateLimits!,
      others: { limit: 1e9, window: 1, block: 1 },
    };
    const client = createClient({
      ...sandbox.clientOptions,
      rateLimits: limits,
      clock: systemClock,
      fetch: async () => new Response(null, { status: 204 }),
    });
    const keyOf = (at: number) => `${String(at).padStart(8, '0')}-0000-4000-8000-000000000000`;
    const send = (at: number) =>
      request(client, 'POST', '/v1/x', { body: { secret: 'PRIVATE' }, idempotencyKey: keyOf(at) });
    for (let at = 0; at < 10_500; at += 500)
      await Promise.all(Array.from({ length: 500 }, (_, more) => send(at + more)));
    const sent = internalsOf(client).state.get('core.sent') as Map<string, Map<string, unknown>>;
    const kept = sent.get('x')!;
    expect(kept.size).to.equal(10_000);
    expect(JSON.stringify([...kept])).not.to.contain('PRIVATE');
    await sandbox.run(
      request(client, 'POST', '/v1/x', { body: { other: 1 }, idempotencyKey: keyOf(3) }),
    );
    expect(
      (
        await failureOf(
          sandbox.run(
            request(client, 'POST', '/v1/x', { body: { other: 1 }, idempotencyKey: keyOf(10_400) }),
          ),
        )
      ).kind,
    ).to.equal('input');
  });
});
