// Doubt outlives the call: what may have been done is never called not done, whoever asks, until it is known.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { describe, it } from '#test';
import { methodDraft, openBank } from '../bank/bank.ts';
import { openTwo } from '../payments/two.ts';
import { answering, DRAFT, failureOf, INVOICE, json, openShop, refusal } from './shop.ts';

const KEY = '7d5b1c6e-0a2f-4d8b-9c31-e4f6a7b8c9d0';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const quoteOf = async (two: ReturnType<typeof openTwo>): Promise<string> =>
  (
    await two.run(
      two.client.paymentQuotes.createLightning({
        lnInvoice: two.sandbox.payer.createBolt11({ sat: '500' }),
      }),
    )
  ).paymentQuoteId;

describe('doubt about an executed quote', () => {
  it('is remembered by later calls, whatever the service says of the quote then', async () => {
    for (const code of [
      'PAYMENT_QUOTE_EXPIRED',
      'INVALID_STATE_FOR_INVOICE_PAID',
      'BALANCE_TOO_LOW',
      'NOT_FOUND',
      'FORBIDDEN',
      'ACCOUNT_NOT_READY',
    ]) {
      const two = openTwo();
      const { client, run, sandbox } = two;
      const quoteId = await quoteOf(two);
      sandbox.fault({ method: 'PATCH', nth: 1, action: 'lost-after' });
      expect((await failureOf(run(client.paymentQuotes.execute(quoteId)))).outcome).to.equal(
        'unknown',
      );
      sandbox.fault({ method: 'PATCH', nth: 1, action: { status: 422, code } });
      await sandbox.advance(61_000);
      const later = await failureOf(
        run(client.withOptions({ maxAttempts: 1 }).paymentQuotes.execute(quoteId.toUpperCase())),
      );
      expect([later.code, later.outcome, later.next]).to.deep.equal([
        code,
        'unknown',
        'read-first',
      ]);
    }
  });

  it('is not there after a clean refusal, and concerns that quote only', async () => {
    const two = openTwo();
    const { client, run, sandbox } = two;
    const [lost, other] = [await quoteOf(two), await quoteOf(two)];
    sandbox.fault({ method: 'PATCH', nth: 1, action: 'lost-after' });
    await failureOf(run(client.paymentQuotes.execute(lost)));
    sandbox.fault({
      method: 'PATCH',
      nth: [1, 2],
      action: { status: 422, code: 'BALANCE_TOO_LOW' },
    });
    for (let time = 0; time < 2; time++)
      expect(await failureOf(run(client.paymentQuotes.execute(other)))).to.include({
        code: 'BALANCE_TOO_LOW',
        outcome: 'not-done',
      });
    expect((await run(client.paymentQuotes.execute(other))).state).to.equal('COMPLETED');
  });

  it('is there while another try is under way, and after one has succeeded', async () => {
    const two = openTwo();
    const { client, run, sandbox } = two;
    const quoteId = await quoteOf(two);
    sandbox.fault({ method: 'PATCH', nth: 1, action: { delay: 5_000 } });
    sandbox.fault({
      method: 'PATCH',
      nth: [2, 3],
      action: { status: 422, code: 'PAYMENT_QUOTE_EXPIRED' },
    });
    const first = client.paymentQuotes.execute(quoteId);
    const beside = await failureOf(run(client.paymentQuotes.execute(quoteId)));
    expect([beside.code, beside.outcome]).to.deep.equal(['PAYMENT_QUOTE_EXPIRED', 'unknown']);
    expect((await run(first)).state).to.equal('COMPLETED');
    expect((await failureOf(run(client.paymentQuotes.execute(quoteId)))).outcome).to.equal(
      'unknown',
    );
  });

  it('is shared by the children of a client, and by no other client', async () => {
    const two = openTwo();
    const { client, run, sandbox } = two;
    const quoteId = await quoteOf(two);
    sandbox.fault({ method: 'PATCH', nth: 1, action: 'lost-before' });
    await failureOf(run(client.withOptions({ maxAttempts: 1 }).paymentQuotes.execute(quoteId)));
    sandbox.fault({ method: 'PATCH', action: { status: 422, code: 'BALANCE_TOO_LOW' } });
    expect((await failureOf(run(client.paymentQuotes.execute(quoteId)))).outcome).to.equal(
      'unknown',
    );
    expect(
      (
        await failureOf(
          run(
            createClient(sandbox.clientOptionsFor({ account: 'payer' })).paymentQuotes.execute(
              quoteId,
            ),
          ),
        )
      ).outcome,
    ).to.equal('not-done');
  });

  it('is what the service says when it is there or under way, with an id or without', async () => {
    for (const [status, code] of [
      [422, 'PROCESSING_PAYMENT'],
      [422, 'PAYMENT_PROCESSED'],
      [422, 'LN_INVOICE_PROCESSED'],
      [409, 'PROCESSING_CONFLICT'],
    ] as const) {
      const { client, run } = openShop({ fetch: answering(refusal(status, code)).fetch });
      const error = await failureOf(run(client.paymentQuotes.execute('x')));
      expect([error.code, error.outcome, error.next]).to.deep.equal([
        code,
        'unknown',
        'read-first',
      ]);
    }
  });

  it('stays when a place in the request limit is missing', async () => {
    const limits = { limit: 1, window: MINUTE, block: MINUTE };
    const { sandbox } = openTwo();
    const client = createClient({
      ...sandbox.clientOptions,
      rateLimits: { ...sandbox.clientOptions.rateLimits!, execute: limits },
      queueTimeout: 1_000,
    });
    sandbox.fault({ method: 'PATCH', nth: 1, action: 'lost-before' });
    await failureOf(sandbox.run(client.paymentQuotes.execute('x')));
    expect(await failureOf(sandbox.run(client.paymentQuotes.execute('x')))).to.include({
      code: 'QUEUE_TIMEOUT',
      outcome: 'unknown',
      next: 'read-first',
    });
  });
});

describe('a key or a name that the call made itself', () => {
  it('can only be its own: a copy that the network made is found and returned', async () => {
    const { sandbox, client, run, method } = openBank();
    const { id: paymentMethodId } = await method('SEPA');
    sandbox.fault({ method: 'POST', action: 'duplicated-last' });
    const deposit = await run(client.deposits.create({ paymentMethodId, amount: '30' }));
    expect(
      (await run(client.deposits.list().toArray({ limit: 3 }))).map(({ id }) => id),
    ).to.deep.equal([deposit.id]);
    const quote = await run(
      client.currencyExchangeQuotes.create({
        sell: 'USD',
        buy: 'BTC',
        amount: { amount: '10.00', currency: 'USD' },
      }),
    );
    expect(quote.state).to.equal('NEW');
    const invoice = await run(client.invoices.create(DRAFT));
    expect(
      (await run(client.invoices.list().toArray({ limit: 3 }))).map(({ invoiceId }) => invoiceId),
    ).to.deep.equal([invoice.invoiceId]);
  });

  it("of the caller may be anybody's: a copy is unknown, with what to look for", async () => {
    const { sandbox, client, run, method } = openBank();
    const { id: paymentMethodId } = await method('SEPA');
    sandbox.fault({ method: 'POST', action: 'duplicated-last' });
    const deposit = await failureOf(
      run(
        client.deposits.create(
          { paymentMethodId, amount: '30' },
          { idempotencyKey: KEY, firstSentAt: sandbox.clock.now() },
        ),
      ),
    );
    expect([deposit.code, deposit.outcome, deposit.next]).to.deep.equal([
      'DUPLICATE_DEPOSIT',
      'unknown',
      'read-first',
    ]);
    expect(
      await run(client.deposits.get(String(deposit.values!['depositId']))),
    ).to.have.nested.property('amount.amount', '30.00');
    const invoice = await failureOf(
      run(client.invoices.create({ ...DRAFT, correlationId: 'order-1' })),
    );
    expect([invoice.code, invoice.outcome, invoice.next]).to.deep.equal([
      'DUPLICATE_INVOICE',
      'unknown',
      'read-first',
    ]);
  });

  it('is asked for by its error, and then found by whoever asks again', async () => {
    const { sandbox, client, run } = openShop();
    const endFault = sandbox.fault({ method: 'POST', action: 'lost-after' });
    const { correlationId } = await failureOf(run(client.invoices.create(DRAFT)));
    endFault();
    const found = await run(client.invoices.create({ ...DRAFT, correlationId }));
    expect([found.correlationId, await run(client.invoices.list().count())]).to.deep.equal([
      correlationId,
      1,
    ]);
  });
});

describe('the key of a deposit', () => {
  const lost = async () => {
    const bank = openBank();
    const { id: paymentMethodId } = await bank.run(
      bank.client.bankPaymentMethods.create(methodDraft('SEPA')),
    );
    await bank.sandbox.advance(5_000);
    const draft = { paymentMethodId, amount: '50.00' };
    const firstSentAt = bank.sandbox.clock.now();
    bank.sandbox.fault({ method: 'POST', path: '/v1/deposits', nth: 1, action: 'lost-after' });
    await failureOf(
      bank.run(
        bank.client.deposits.create(draft, { idempotencyKey: KEY, firstSentAt, maxAttempts: 1 }),
      ),
    );
    return { ...bank, draft, firstSentAt };
  };

  it('of another process is sent only with the time of its first sending, and only within ten minutes of that', async () => {
    const { sandbox, run, draft, firstSentAt } = await lost();
    const sent = () =>
      sandbox.log.filter(({ method, path }) => method === 'POST' && path === '/v1/deposits').length;
    for (const given of [undefined, NaN]) {
      const restarted = createClient(sandbox.clientOptions);
      expect(
        (
          await failureOf(
            run(restarted.deposits.create(draft, { idempotencyKey: KEY, firstSentAt: given })),
          )
        ).kind,
      ).to.equal('input');
    }
    const silent = await failureOf(
      run(createClient(sandbox.clientOptions).deposits.create(draft, { idempotencyKey: KEY })),
    );
    expect(silent).to.include({
      code: 'IDEMPOTENCY_KEY_EXPIRED',
      outcome: 'unknown',
      next: 'read-first',
      maybeCreated: true,
    });
    expect(sent()).to.equal(1);
    await sandbox.advance(MINUTE);
    const soon = await failureOf(
      run(
        createClient(sandbox.clientOptions).deposits.create(draft, {
          idempotencyKey: KEY,
          firstSentAt,
        }),
      ),
    );
    expect([soon.code, soon.outcome, sent()]).to.deep.equal(['DUPLICATE_DEPOSIT', 'unknown', 2]);
    await sandbox.advance(DAY);
    const late = await failureOf(
      run(
        createClient(sandbox.clientOptions).deposits.create(draft, {
          idempotencyKey: KEY,
          firstSentAt,
        }),
      ),
    );
    expect([late.code, late.outcome, sent()]).to.deep.equal([
      'IDEMPOTENCY_KEY_EXPIRED',
      'unknown',
      2,
    ]);
  });

  it('is not trusted longer because a clock stood still', async () => {
    const { sandbox, run, draft } = openBankAsleep(await lost());
    expect(await failureOf(run(draft()))).to.include({
      code: 'IDEMPOTENCY_KEY_EXPIRED',
      outcome: 'unknown',
    });
    expect(
      sandbox.log.filter(({ method, path }) => method === 'POST' && path === '/v1/deposits'),
    ).to.have.length(2);
  });

  /** A client whose monotonic clock stands still while a day goes by. */
  const openBankAsleep = ({
    sandbox,
    run,
    draft,
    firstSentAt,
  }: Awaited<ReturnType<typeof lost>>) => {
    const asleep = createClient({
      ...sandbox.clientOptions,
      clock: { ...sandbox.clock, monotonic: () => 1_000 },
    });
    const ask = (attempts: number) =>
      asleep.deposits.create(draft, { idempotencyKey: KEY, firstSentAt, maxAttempts: attempts });
    return {
      sandbox,
      run,
      draft: async () => {
        sandbox.fault({ method: 'POST', path: '/v1/deposits', nth: 1, action: 'lost-before' });
        await failureOf(ask(1));
        await sandbox.advance(DAY);
        return ask(1);
      },
    };
  };

  it('that had another body is not to be replaced while that may have been done', async () => {
    const { client, run, draft } = await lost();
    const other = await failureOf(
      run(client.deposits.create({ ...draft, amount: '51.00' }, { idempotencyKey: KEY })),
    );
    expect([other.kind, other.outcome, other.next]).to.deep.equal([
      'input',
      'unknown',
      'read-first',
    ]);
  });
});

describe('a success', () => {
  const portals: Readonly<Record<string, () => Response>> = {
    'a page': () => new Response('<html>Welcome to our hotel</html>', { status: 200 }),
    'a part': () => new Response('', { status: 206 }),
    'nothing with 200': () => new Response('', { status: 200 }),
    'an error in JSON': () => new Response('{"error":"nope"}', { status: 200 }),
  };

  for (const [name, portal] of Object.entries(portals))
    it(`without a body is not ${name}: that is doubt`, async () => {
      const { sandbox } = openBank();
      const client = createClient({ ...sandbox.clientOptions, fetch: async () => portal() });
      for (const work of [
        () => client.currencyExchangeQuotes.execute('x'),
        () => client.bankPaymentMethods.remove('x'),
        () => client.payoutOriginators.remove('x'),
        () => client.subscriptions.remove('x'),
      ]) {
        const error = await failureOf(sandbox.run(work()));
        expect([error.kind, error.outcome]).to.deep.equal(['response', 'unknown']);
      }
    });

  it("that was a portal's is asked for again, and what was done is done once", async () => {
    const { sandbox, client, run } = openBank();
    const { id } = await run(
      client.currencyExchangeQuotes.create({
        sell: 'USD',
        buy: 'BTC',
        amount: { amount: '10.00', currency: 'USD' },
      }),
    );
    const through = sandbox.clientOptions.fetch!;
    let turn = 0;
    const caught = createClient({
      ...sandbox.clientOptions,
      fetch: async (url, init) => (++turn === 1 ? portals['a page']!() : through(url, init)),
    });
    const { attempts } = await run(caught.currencyExchangeQuotes.execute(id).withResponse());
    expect([attempts, (await run(client.currencyExchangeQuotes.get(id))).state]).to.deep.equal([
      2,
      'PENDING',
    ]);
  });

  it('about another resource is none', async () => {
    const wire = answering(json({ ...INVOICE, state: 'PAID' }));
    const { client, run } = openShop({ fetch: wire.fetch });
    const other = INVOICE.invoiceId.replace('0', '1');
    for (const work of [() => client.invoices.get(other), () => client.invoices.cancel(other)])
      expect(await failureOf(run(work()))).to.include({
        code: 'RESPONSE_MISMATCH',
        outcome: 'unknown',
      });
    expect((await run(client.invoices.get(INVOICE.invoiceId.toUpperCase()))).state).to.equal(
      'PAID',
    );
    const echoed = answering(json({ ...INVOICE, correlationId: 'order-2' }, 201));
    const creator = openShop({ fetch: echoed.fetch });
    expect(
      await failureOf(
        creator.run(creator.client.invoices.create({ ...DRAFT, correlationId: 'order-1' })),
      ),
    ).to.include({ code: 'RESPONSE_MISMATCH', outcome: 'unknown', correlationId: 'order-1' });
  });

  it('about another creation is none, as far as its amount tells', async () => {
    const USD = (amount: string) => ({ amount, currency: 'USD' });
    const DEPOSIT = {
      id: 'd-1',
      state: 'NEW',
      amount: USD('31.00'),
      fee: USD('0.10'),
      totalAmount: USD('31.10'),
    };
    const { client, run } = openShop({ fetch: answering(json(DEPOSIT, 201)).fetch });
    const error = await failureOf(
      run(client.deposits.create({ paymentMethodId: 'm', amount: '30.00' }, { maxAttempts: 1 })),
    );
    expect(error).to.include({ code: 'RESPONSE_MISMATCH', outcome: 'unknown' });
    expect((await run(client.deposits.create({ paymentMethodId: 'm', amount: '31' }))).id).to.equal(
      'd-1',
    );
    const dear = openShop({
      fetch: answering(json({ ...INVOICE, amount: { ...DRAFT.amount, amount: '12.51' } }, 201))
        .fetch,
    });
    expect(
      await failureOf(dear.run(dear.client.invoices.create(DRAFT, { maxAttempts: 1 }))),
    ).to.include({ code: 'RESPONSE_MISMATCH', outcome: 'unknown' });
  });

  it('of execute is an id, and all the rest may come later', async () => {
    const { client, run } = openShop({ fetch: answering(json({ paymentId: 'p-1' })).fetch });
    expect(await run(client.paymentQuotes.execute('x'))).to.include({
      paymentId: 'p-1',
      state: 'PENDING',
    });
  });

  it('that cannot be read leaves the ids that can be', async () => {
    const { client, run } = openShop({
      fetch: answering(json({ paymentId: 'p-1', state: 7, id: 'x y', note: 'n', amountId: 9 }))
        .fetch,
    });
    const error = await failureOf(run(client.paymentQuotes.execute('x')));
    expect([error.code, error.outcome, error.values]).to.deep.equal([
      'RESPONSE_INVALID',
      'unknown',
      { paymentId: 'p-1' },
    ]);
  });
});

describe('what was read after "it is done already"', () => {
  it('is believed only where it shows it: a replica that lags or a read that fails leaves it unknown', async () => {
    const PAYOUT = {
      id: 'x',
      state: 'NEW',
      created: '2026-03-04T09:15:27Z',
      paymentMethodId: 'm',
      amount: DRAFT.amount,
    };
    for (const [code, work, stale, moved] of [
      ['PAYOUT_ALREADY_INITIATED', 'payout', PAYOUT, { ...PAYOUT, state: 'INITIATED' }],
      [
        'INVALID_STATE_FOR_INVOICE_CANCELLED',
        'invoice',
        INVOICE,
        { ...INVOICE, state: 'CANCELLED' },
      ],
    ] as const)
      for (const found of [stale, moved]) {
        const { client, run } = openShop({
          fetch: answering(() => Promise.reject(new Error('lost')), refusal(422, code), json(found))
            .fetch,
        });
        const broken = openShop({
          fetch: answering(
            () => Promise.reject(new Error('lost')),
            refusal(422, code),
            refusal(404, 'NOT_FOUND'),
          ).fetch,
        });
        const unread =
          work === 'payout'
            ? broken.client.payouts.initiate('x')
            : broken.client.invoices.cancel(INVOICE.invoiceId);
        expect(await failureOf(broken.run<unknown>(unread))).to.include({
          code: 'EXISTS_UNREAD',
          outcome: 'unknown',
          next: 'read-first',
        });
        const call =
          work === 'payout'
            ? client.payouts.initiate('x')
            : client.invoices.cancel(INVOICE.invoiceId);
        if (found === moved)
          expect((await run<{ readonly state: string }>(call)).state).to.equal(moved.state);
        else
          expect(await failureOf(run<unknown>(call))).to.include({
            code: 'EXISTS_UNREAD',
            outcome: 'unknown',
            next: 'read-first',
          });
      }
  });
});

describe('a server that repeats what it was sent', () => {
  const TOKEN = 'A-very/secret+token.1234567890';

  for (const [name, echo] of Object.entries<(text: string) => string>({
    plain: (text) => text,
    escaped: (text) => text.replaceAll('/', '\\/'),
    'in unicode': (text) => text.replaceAll('A', '\\u0041'),
  }))
    it(`brings no secret into an error: ${name}`, async () => {
      const envelope = (code: string) =>
        `{"traceId":"${echo(TOKEN)}","data":{"code":"${code}","values":{"got":"Bearer ${echo(TOKEN)}","deep":{"${echo(TOKEN)}":["${echo(TOKEN)}"]},"hook":"hook-secret-0123"},"validationErrors":{"${echo(TOKEN)}":[{"code":"INVALID_DATA","message":"${echo(TOKEN)}"}]}}}`;
      for (const code of ['INVALID_DATA', echo(TOKEN)]) {
        const { sandbox } = openShop();
        const client = createClient({
          ...sandbox.clientOptions,
          apiKey: TOKEN,
          fetch: async () => new Response(envelope(code), { status: 400 }),
        });
        const hook = {
          webhookUrl: 'https://shop.example/hook',
          webhookVersion: 'v1',
          secret: 'hook-secret-0123',
          enabled: true,
          eventTypes: ['invoice.updated'],
        } as const;
        const error = await failureOf(sandbox.run(client.subscriptions.create(hook)));
        const shown = `${error.message} ${error.stack} ${JSON.stringify(error)} ${JSON.stringify(Object.entries(error))}`;
        for (const secret of [TOKEN, 'hook-secret-0123']) expect(shown).not.to.contain(secret);
      }
    });

  it('cannot fill an error with more than can be read', async () => {
    const long = 'x'.repeat(1_000_000);
    const ids = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`other${at}Id`, 'o']));
    const body = {
      traceId: long,
      data: {
        code: 'PAYMENT_PROCESSED',
        values: { paymentId: 'p-1', ...ids, oneMoreId: 'o', long },
        validationErrors: { [long]: [] },
      },
    };
    const { client, run } = openShop({ fetch: answering(json(body, 422)).fetch });
    const error = await failureOf(run(client.paymentQuotes.execute('x')));
    expect(error.values).to.deep.equal({ paymentId: 'p-1', ...ids });
    expect(JSON.stringify(Object.entries(error)).length + error.message.length).to.be.below(2_000);
  });
});
