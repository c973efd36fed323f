import { expect } from 'chai';
import { createClient } from 'paystate';
import { currencyExchangeQuoteStates } from 'paystate/endpoints';
import { describe, it } from '#test';
import { failureOf } from '../core/shop.ts';
import { EVEN, openBank } from './bank.ts';

const dollars = (amount: string, feePolicy?: string) => ({
  sell: 'USD',
  buy: 'BTC',
  amount: { amount, currency: 'USD', feePolicy },
});
const bitcoin = (amount: string, feePolicy?: string) => ({
  sell: 'USD',
  buy: 'BTC',
  amount: { amount, currency: 'BTC', feePolicy },
});
const KEY = '0d5a7a0e-9b3c-4f6d-8e21-5c4b3a291807';

describe('currency exchange quotes', () => {
  it('rank and settle as they should', () => {
    expect(
      ['NEW', 'PENDING', 'COMPLETED', 'FAILED', 'LATER'].map((state) => [
        currencyExchangeQuoteStates.rank(state),
        currencyExchangeQuoteStates.isSettled(state),
      ]),
    ).to.deep.equal([
      [0, false],
      [1, false],
      [2, true],
      [2, true],
      [undefined, false],
    ]);
  });

  it('sell what is asked: the fee is inside or on top, the books stay even', async () => {
    const { client, run, sandbox, pots, sums, events } = openBank();
    for (const [policy, left] of [
      ['INCLUSIVE', '9900.00'],
      ['EXCLUSIVE', '9799.50'],
      [undefined, '9699.00'],
    ] as const) {
      const quote = await run(client.currencyExchangeQuotes.create(dollars('100', policy)));
      expect(quote).to.deep.include({
        state: 'NEW',
        source: { amount: '100.00', currency: 'USD' },
        fee: { amount: '0.50', currency: 'USD' },
      });
      expect(Date.parse(quote.validUntil) - Date.parse(quote.created)).to.equal(30_000);
      expect(await run(client.currencyExchangeQuotes.execute(quote.id))).to.equal(undefined);
      expect(await run(client.currencyExchangeQuotes.get(quote.id))).to.include({
        state: 'PENDING',
      });
      const before = pots('BTC')[0]!;
      await sandbox.advance(1_000);
      const done = await run(client.currencyExchangeQuotes.get(quote.id));
      expect(done.state).to.equal('COMPLETED');
      expect(done.completed).to.match(/^2026-01-05T09:00/);
      expect([pots('USD')[0], pots('USD')[1]]).to.deep.equal([left, '0.00']);
      expect(Number.parseFloat(pots('BTC')[0]!)).to.be.closeTo(
        Number.parseFloat(before) + Number.parseFloat(done.target.amount),
        1e-8,
      );
      expect(sums()).to.deep.equal(EVEN);
      expect(await events(quote.id)).to.deep.equal([
        'currency-exchange-quote.updated',
        'currency-exchange-quote.updated',
      ]);
    }
  });

  it('buy what is asked, to the last digit', async () => {
    const { client, run, sandbox, pots, sums } = openBank();
    const onTop = await run(client.currencyExchangeQuotes.create(bitcoin('0.001', 'EXCLUSIVE')));
    const inside = await run(client.currencyExchangeQuotes.create(bitcoin('0.001', 'INCLUSIVE')));
    for (const { target, conversionRate } of [onTop, inside]) {
      expect(target).to.deep.equal({ amount: '0.00100000', currency: 'BTC' });
      expect(conversionRate).to.include({ sourceCurrency: 'USD', targetCurrency: 'BTC' });
    }
    expect(Number(inside.source.amount)).to.be.greaterThan(Number(onTop.source.amount));
    await run(client.currencyExchangeQuotes.execute(inside.id));
    await sandbox.advance(1_000);
    expect([pots('BTC')[0], pots('USD')[1]]).to.deep.equal(['1.00100000', '0.00']);
    expect(sums()).to.deep.equal(EVEN);
  });

  it('give everything back when they fail', async () => {
    const { client, run, sandbox, pots, sums, events } = openBank();
    sandbox.fault({ subject: 'currencyExchangeQuote', state: 'FAILED', delay: 3_000 });
    const { id } = await run(client.currencyExchangeQuotes.create(dollars('100')));
    await run(client.currencyExchangeQuotes.execute(id));
    expect(pots('USD').slice(0, 2)).to.deep.equal(['9899.50', '100.50']);
    await sandbox.advance(3_000);
    expect((await run(client.currencyExchangeQuotes.get(id))).state).to.equal('FAILED');
    expect(pots('USD').slice(0, 2)).to.deep.equal(['10000.00', '0.00']);
    expect([sums(), await events(id)]).to.deep.equal([
      EVEN,
      ['currency-exchange-quote.updated', 'currency-exchange-quote.updated'],
    ]);
  });

  it('are executed once, and before their end', async () => {
    const { client, run, sandbox } = openBank();
    const { id } = await run(client.currencyExchangeQuotes.create(dollars('10')));
    await run(client.currencyExchangeQuotes.execute(id));
    const again = await failureOf(run(client.currencyExchangeQuotes.execute(id)));
    expect([again.code, again.status, again.outcome]).to.deep.equal([
      'CURRENCY_EXCHANGE_QUOTE_PROCESSED',
      422,
      'unknown',
    ]);
    const late = await run(client.currencyExchangeQuotes.create(dollars('10')));
    await sandbox.advance(30_001);
    const over = await failureOf(run(client.currencyExchangeQuotes.execute(late.id)));
    expect([over.code, over.next]).to.deep.equal(['CURRENCY_EXCHANGE_QUOTE_EXPIRED', 'new-quote']);
    expect((await run(client.currencyExchangeQuotes.get(late.id))).state).to.equal('NEW');
    expect((await failureOf(run(client.currencyExchangeQuotes.execute(id)))).code).to.equal(
      'CURRENCY_EXCHANGE_QUOTE_PROCESSED',
    );
  });

  it('hear by a switch first that they are expired', async () => {
    const { client, run, sandbox } = openBank({ assume: { 'payments.checks': 'expired' } });
    const { id } = await run(client.currencyExchangeQuotes.create(dollars('10')));
    await run(client.currencyExchangeQuotes.execute(id));
    await sandbox.advance(30_001);
    expect((await failureOf(run(client.currencyExchangeQuotes.execute(id)))).code).to.equal(
      'CURRENCY_EXCHANGE_QUOTE_EXPIRED',
    );
  });

  it('are refused for what cannot be exchanged', async () => {
    const { client, run, sandbox } = openBank({
      accounts: [{ handle: 'shop', currencies: ['USD', 'BTC'], balances: { USD: '50.00' } }],
    });
    const amount = { amount: '10.00', currency: 'USD' };
    for (const [draft, code, values] of [
      [{ sell: 'USD', buy: 'USD', amount }, 'CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED', undefined],
      [{ sell: 'USD', buy: 'CHF', amount }, 'CURRENCY_UNSUPPORTED', { requestedCurrency: 'CHF' }],
      [{ sell: 'USD', buy: 'EUR', amount }, 'USER_CURRENCY_UNAVAILABLE', { currency: 'EUR' }],
      [dollars('0'), 'INVALID_AMOUNT', undefined],
      [dollars('0.05'), 'CURRENCY_EXCHANGE_AMOUNT_TOO_LOW', undefined],
      [dollars('2000000'), 'AMOUNT_TOO_HIGH', { limit: { amount: '1000000.00', currency: 'USD' } }],
      [dollars('49.90'), 'BALANCE_TOO_LOW', undefined],
      [dollars('0.001'), 'INVALID_DATA', undefined],
    ] as const) {
      const error = await failureOf(run(client.currencyExchangeQuotes.create(draft)));
      expect([error.code, error.values, error.outcome]).to.deep.equal([code, values, 'not-done']);
      expect(error.idempotencyKey).to.match(/^[0-9a-f-]{36}$/);
    }
    const two = await Promise.all(
      [1, 2].map(() => run(client.currencyExchangeQuotes.create(dollars('40.00')))),
    );
    await run(client.currencyExchangeQuotes.execute(two[0]!.id));
    expect((await failureOf(run(client.currencyExchangeQuotes.execute(two[1]!.id)))).code).to.equal(
      'BALANCE_TOO_LOW',
    );
    expect((await run(client.currencyExchangeQuotes.get(two[1]!.id))).state).to.equal('NEW');
    const sent = sandbox.log.length;
    const early = await failureOf(
      run(
        client.currencyExchangeQuotes.create({
          sell: 'USD',
          buy: 'BTC',
          amount: { amount: '1', currency: 'EUR' },
        }),
      ),
    );
    expect([early.kind, Object.keys(early.validationErrors!), sandbox.log.length]).to.deep.equal([
      'input',
      ['amount.currency'],
      sent,
    ]);
  });

  it('are refused where there is no rate', async () => {
    const { client, run, sandbox } = openBank();
    const endFault = sandbox.fault({ subject: 'rates', state: 'UNAVAILABLE' });
    expect(
      (await failureOf(run(client.currencyExchangeQuotes.create(dollars('10'))))).code,
    ).to.equal('EXCHANGE_RATE_NOT_AVAILABLE');
    endFault();
    expect((await run(client.currencyExchangeQuotes.create(dollars('10')))).state).to.equal('NEW');
  });

  it("are nobody else's", async () => {
    const { client, run, sandbox } = openBank({
      accounts: [{ handle: 'shop', balances: { USD: '50.00' } }, { handle: 'other' }],
    });
    const { id } = await run(client.currencyExchangeQuotes.create(dollars('10')));
    const other = createClient(sandbox.clientOptionsFor({ account: 'other' }));
    for (const call of [
      () => other.currencyExchangeQuotes.get(id),
      () => other.currencyExchangeQuotes.execute(id),
    ]) {
      const error = await failureOf(run<unknown>(call()));
      expect(error.code).to.equal('NOT_FOUND');
    }
    const poor = createClient(
      sandbox.clientOptionsFor({ scopes: ['partner.currency-exchange-quote.read'] }),
    );
    const error = await failureOf(run(poor.currencyExchangeQuotes.execute(id)));
    expect([error.code, error.neededScope]).to.deep.equal([
      'FORBIDDEN',
      'partner.currency-exchange-quote.execute',
    ]);
  });
});

describe('a lost answer', () => {
  const CREATE = { method: 'POST', path: '/v1/currency-exchange-quotes' } as const;

  it('of a quote: the one that was made is read and returned', async () => {
    const { client, run, sandbox } = openBank();
    sandbox.fault({ ...CREATE, nth: 1, action: 'lost-after' });
    const quote = await run(client.currencyExchangeQuotes.create(dollars('100')));
    expect(quote).to.deep.include({ state: 'NEW', source: { amount: '100.00', currency: 'USD' } });
    expect(sandbox.log.map(({ method }) => method)).to.deep.equal(['POST', 'POST', 'GET']);
    const { attempts } = await run(
      client.currencyExchangeQuotes.create(dollars('1')).withResponse(),
    );
    expect(attempts).to.equal(1);
  });

  it('of a quote under a key that stood for another: refused, with both names', async () => {
    const { client, run, sandbox } = openBank();
    const first = await run(
      client.currencyExchangeQuotes.create(dollars('100'), { idempotencyKey: KEY }),
    );
    const reader = createClient(sandbox.clientOptions); // remembers no key
    sandbox.fault({ ...CREATE, nth: 1, action: 'lost-before' });
    const error = await failureOf(
      run(reader.currencyExchangeQuotes.create(dollars('200'), { idempotencyKey: KEY })),
    );
    expect([
      error.kind,
      error.code,
      error.outcome,
      error.idempotencyKey,
      error.values,
    ]).to.deep.equal([
      'refused',
      'DUPLICATE_CURRENCY_EXCHANGE_QUOTE',
      'unknown',
      KEY,
      { currencyExchangeQuoteId: first.id },
    ]);
  });

  it('of a quote under a key that stood for another pair: refused', async () => {
    const { client, run, sandbox } = openBank();
    const { target } = await run(
      client.currencyExchangeQuotes.create(dollars('100'), { idempotencyKey: KEY }),
    );
    for (const draft of [
      { sell: 'EUR', buy: 'BTC', amount: target },
      { sell: 'USD', buy: 'EUR', amount: { amount: '100', currency: 'USD' } },
    ]) {
      const endFault = sandbox.fault({ ...CREATE, nth: 1, action: 'lost-before' });
      const error = await failureOf(
        run(
          createClient(sandbox.clientOptions).currencyExchangeQuotes.create(draft, {
            idempotencyKey: KEY,
          }),
        ),
      );
      expect([error.kind, error.code]).to.deep.equal([
        'refused',
        'DUPLICATE_CURRENCY_EXCHANGE_QUOTE',
      ]);
      endFault();
    }
  });

  it('of a quote that then cannot be read: it exists, and that is said', async () => {
    const { client, run, sandbox } = openBank();
    sandbox.fault({ ...CREATE, nth: 1, action: 'lost-after' });
    sandbox.fault({
      method: 'GET',
      path: '/v1/currency-exchange-quotes/{id}',
      action: { status: 403, code: 'FORBIDDEN' },
    });
    const error = await failureOf(
      run(client.currencyExchangeQuotes.create(dollars('100'), { idempotencyKey: KEY })),
    );
    expect([
      error.code,
      error.outcome,
      error.next,
      error.idempotencyKey,
      error.neededScope,
    ]).to.deep.equal([
      'EXISTS_UNREAD',
      'unknown',
      'read-first',
      KEY,
      'partner.currency-exchange-quote.read',
    ]);
    expect(error.values).to.have.keys('currencyExchangeQuoteId');
  });

  it('a duplicate on the first try is an error', async () => {
    const { client, run } = openBank();
    const { id } = await run(
      client.currencyExchangeQuotes.create(dollars('100'), { idempotencyKey: KEY }),
    );
    const error = await failureOf(
      run(client.currencyExchangeQuotes.create(dollars('100'), { idempotencyKey: KEY })),
    );
    expect([error.code, error.values, error.attempts]).to.deep.equal([
      'DUPLICATE_CURRENCY_EXCHANGE_QUOTE',
      { currencyExchangeQuoteId: id },
      1,
    ]);
  });

  it('of execute: asked again, executed once', async () => {
    const { client, run, sandbox, pots } = openBank();
    const { id } = await run(client.currencyExchangeQuotes.create(dollars('100')));
    sandbox.fault({ method: 'PATCH', nth: 1, action: 'lost-after' });
    await run(client.currencyExchangeQuotes.execute(id));
    await sandbox.advance(2_000);
    expect([
      (await run(client.currencyExchangeQuotes.get(id))).state,
      pots('USD')[0],
    ]).to.deep.equal(['COMPLETED', '9899.50']);
  });

  it('of execute, again and again: unknown, read first', async () => {
    const { client, run, sandbox } = openBank();
    const { id } = await run(client.currencyExchangeQuotes.create(dollars('100')));
    sandbox.fault({ method: 'PATCH', action: 'lost-after' });
    const error = await failureOf(run(client.currencyExchangeQuotes.execute(id)));
    expect([error.kind, error.outcome, error.next]).to.deep.equal([
      'unreachable',
      'unknown',
      'read-first',
    ]);
  });

  it('of execute, then the end of the quote: still unknown, never "not done"', async () => {
    const { client, run, sandbox } = openBank({ assume: { 'payments.checks': 'expired' } });
    const { id } = await run(client.currencyExchangeQuotes.create(dollars('100')));
    await sandbox.advance(29_990);
    sandbox.fault({ method: 'PATCH', nth: 1, action: { delay: 5_000, processed: true } });
    sandbox.fault({ method: 'PATCH', nth: 1, action: 'lost-after' });
    const error = await failureOf(
      run(client.currencyExchangeQuotes.execute(id, { attemptTimeout: 2_000 })),
    );
    expect([error.code, error.outcome, error.next]).to.deep.equal([
      'CURRENCY_EXCHANGE_QUOTE_EXPIRED',
      'unknown',
      'read-first',
    ]);
    expect((await run(client.currencyExchangeQuotes.get(id))).state).not.to.equal('NEW');
  });
});
