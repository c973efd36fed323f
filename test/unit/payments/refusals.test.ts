import { expect } from 'chai';
import { createClient, type LightningQuoteDraft } from 'paystate';
import type { Assumptions } from 'paystate/sandbox';
import { describe, it, itLong } from '#test';
import { failureOf } from '../core/shop.ts';
import { openTwo, type Two } from './two.ts';

const KEY = '6f1c1f8e-4b0a-4c55-9a3e-0d1b2c3d4e5f';
const MAINNET =
  'lnbc2500u1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpu9qrsgquk0rl77nj30yxdy8j9vdx85fkpmdla2087ne0xh8nhedh8w27kyke0lp53ut353s06fv3qfegext0eh0ymjpf39tuven09sam30g4vgpfna3rh';

/** The code of a refused quote, with its values. */
const quoting = async (
  { client, run }: Two,
  draft: LightningQuoteDraft,
  options: object = {},
): Promise<readonly [string, unknown?]> => {
  const { code, values } = await failureOf(
    run(client.paymentQuotes.createLightning(draft, options)),
  );
  return values ? [code, values] : [code];
};

const invoiceOf = async ({
  shop,
  run,
}: Two): Promise<{ readonly invoiceId: string; readonly lnInvoice: string }> => {
  const { invoiceId } = await run(
    shop.invoices.create({ amount: { amount: '2.00', currency: 'EUR' } }),
  );
  return { invoiceId, lnInvoice: (await run(shop.invoices.quote(invoiceId))).lnInvoice };
};

describe('a quote for a BOLT11 text is refused', () => {
  it('of another network, or of none', async () => {
    const two = openTwo();
    for (const lnInvoice of [
      MAINNET,
      'lightning:tea',
      'tea',
      two.sandbox.payer.createBolt11({ sat: '1', network: 'regtest' }),
    ])
      expect(await quoting(two, { lnInvoice })).to.deep.equal([
        'INVALID_LN_INVOICE',
        { activeNetwork: 'testnet' },
      ]);
  });

  it('that has ended, that nobody waits for, that no route leads to', async () => {
    const two = openTwo();
    const { payer } = two.sandbox;
    const short = payer.createBolt11({ sat: '1', expirySeconds: 5 });
    await two.sandbox.advance(5_000);
    expect(await quoting(two, { lnInvoice: short })).to.deep.equal([
      'INVALID_STATE_FOR_INVOICE_EXPIRED',
    ]);
    expect(
      await quoting(two, { lnInvoice: payer.createBolt11({ sat: '1', route: 'none' }) }),
    ).to.deep.equal(['LN_ROUTE_NOT_FOUND']);
    expect(
      await quoting(two, {
        lnInvoice: openTwo({ seed: 9 }).sandbox.payer.createBolt11({ sat: '1' }),
      }),
    ).to.deep.equal(['LN_ROUTE_NOT_FOUND']);
  });

  it("that is paid, or one's own", async () => {
    const two = openTwo();
    const { client, shop, run, sandbox } = two;
    const lnInvoice = sandbox.payer.createBolt11({ sat: '1' });
    await run(
      client.paymentQuotes.execute(
        (await run(client.paymentQuotes.createLightning({ lnInvoice }))).paymentQuoteId,
      ),
    );
    expect(await quoting(two, { lnInvoice })).to.deep.equal(['LN_INVOICE_PROCESSED']);
    const sold = await invoiceOf(two);
    expect(
      (await failureOf(run(shop.paymentQuotes.createLightning({ lnInvoice: sold.lnInvoice }))))
        .code,
    ).to.equal('SELF_PAYMENT_NOT_ALLOWED');
    const { bolt11 } = await run(
      shop.receiveRequests.create({ bolt11: { amount: { amount: '1.00', currency: 'EUR' } } }),
    );
    expect(
      (await failureOf(run(shop.paymentQuotes.createLightning({ lnInvoice: bolt11!.invoice }))))
        .code,
    ).to.equal('SELF_PAYMENT_NOT_ALLOWED');
  });

  it('of an invoice that another one pays, that is cancelled, paid by another text, or reversed', async () => {
    const two = openTwo();
    const { shop, run, sandbox } = two;
    const pending = await invoiceOf(two);
    void sandbox.payer.pay(pending.lnInvoice, { pendingFor: 60_000 });
    expect(await quoting(two, { lnInvoice: pending.lnInvoice })).to.deep.equal([
      'PROCESSING_PAYMENT',
    ]);
    const cancelled = await invoiceOf(two);
    await run(shop.invoices.cancel(cancelled.invoiceId));
    expect(await quoting(two, { lnInvoice: cancelled.lnInvoice })).to.deep.equal([
      'INVALID_STATE_FOR_INVOICE_CANCELLED',
    ]);
    const paid = await invoiceOf(two);
    const second = await run(shop.invoices.quote(paid.invoiceId));
    await sandbox.payer.pay(second.lnInvoice);
    expect(await quoting(two, { lnInvoice: paid.lnInvoice })).to.deep.equal([
      'INVALID_STATE_FOR_INVOICE_PAID',
    ]);
    expect(await quoting(two, { lnInvoice: second.lnInvoice })).to.deep.equal([
      'LN_INVOICE_PROCESSED',
    ]);
    await sandbox.payer.reverse(paid.invoiceId);
    expect(await quoting(two, { lnInvoice: paid.lnInvoice })).to.deep.equal([
      'INVALID_STATE_FOR_INVOICE_REVERSED',
    ]);
  });

  it('for what the account has not, cannot, or the service does not do', async () => {
    const two = openTwo({
      accounts: [
        { handle: 'payer', currencies: ['BTC', 'USD'], balances: { USD: '10.00' } },
        { handle: 'shop', canReceive: false },
      ],
    });
    const { payer } = two.sandbox;
    const none = payer.createBolt11();
    const cases: readonly (readonly [Partial<LightningQuoteDraft>, readonly [string, unknown?]])[] =
      [
        [
          { lnInvoice: payer.createBolt11({ sat: '1000000' }), sourceCurrency: 'USD' },
          ['BALANCE_TOO_LOW'],
        ],
        [
          { lnInvoice: payer.createBolt11({ sat: '1' }), sourceCurrency: 'EUR' },
          ['USER_CURRENCY_UNAVAILABLE', { currency: 'EUR' }],
        ],
        [
          { amount: { amount: '1.00', currency: 'EUR' } },
          ['CURRENCY_UNSUPPORTED', { requestedCurrency: 'EUR' }],
        ],
        [{ amount: { amount: '0', currency: 'USD' } }, ['INVALID_AMOUNT']],
        [
          { amount: { amount: '1000000.01', currency: 'USD' } },
          ['AMOUNT_TOO_HIGH', { limit: { amount: '1000000.00', currency: 'USD' } }],
        ],
        [
          { amount: { amount: '0.01', currency: 'USD', feePolicy: 'INCLUSIVE' } },
          ['AMOUNT_TOO_LOW', { limit: { amount: '0.01', currency: 'USD' } }],
        ],
        [{ lnInvoice: (await invoiceOf(two)).lnInvoice }, ['INVALID_RECIPIENT']],
      ];
    for (const [draft, expected] of cases)
      expect(
        await quoting(two, { lnInvoice: none, ...draft }),
        JSON.stringify(draft),
      ).to.deep.equal(expected);
    const { code, validationErrors } = await failureOf(
      two.run(
        two.client.paymentQuotes.createLightning({
          lnInvoice: payer.createBolt11({ sat: '1' }),
          sourceCurrency: 'CHF',
        }),
      ),
    );
    expect([code, validationErrors!['sourceCurrency']![0]!.code]).to.deep.equal([
      'INVALID_DATA',
      'INVALID_DATA_CURRENCY',
    ]);
  });

  it('while the Lightning network is away, as is all else that needs it', async () => {
    const two = openTwo();
    const { client, shop, run, sandbox } = two;
    const { invoiceId } = await run(
      shop.invoices.create({ amount: { amount: '2.00', currency: 'EUR' } }),
    );
    const lnInvoice = sandbox.payer.createBolt11({ sat: '1' });
    const { paymentQuoteId } = await run(client.paymentQuotes.createLightning({ lnInvoice }));
    const endRule = sandbox.fault({ subject: 'lightning', state: 'UNAVAILABLE' });
    const calls: readonly (() => Promise<unknown>)[] = [
      () => run(client.paymentQuotes.createLightning({ lnInvoice }, { maxAttempts: 1 })),
      () =>
        run(
          client.paymentQuotes.createLnurl(
            {
              lnAddressOrUrl: 'ada@wallet.example',
              sourceCurrency: 'USD',
              amount: { amount: '1', currency: 'USD' },
            },
            { maxAttempts: 1 },
          ),
        ),
      () => run(shop.invoices.quote(invoiceId, {}, { maxAttempts: 1 })),
      () => run(shop.receiveRequests.create({ bolt11: {} })),
      () => run(client.paymentQuotes.execute(paymentQuoteId)),
    ];
    for (const call of calls)
      expect(await failureOf(call())).to.include({ code: 'LN_UNAVAILABLE', status: 503 });
    endRule();
    expect((await run(client.paymentQuotes.execute(paymentQuoteId))).state).to.equal('COMPLETED');
  });

  it('where the travel rule wants to know more', async () => {
    const two = openTwo({
      accounts: [{ handle: 'payer', travelRule: true, balances: { USD: '10.00' } }],
    });
    const lnInvoice = two.sandbox.payer.createBolt11({ sat: '1' });
    const { code, validationErrors } = await failureOf(
      two.run(two.client.paymentQuotes.createLightning({ lnInvoice })),
    );
    expect([code, validationErrors!['beneficiary.destinationType']![0]!.code]).to.deep.equal([
      'INVALID_DATA',
      'INVALID_DATA_REQUIRED',
    ]);
    expect(
      await two.run(
        two.client.paymentQuotes.createLightning({
          lnInvoice,
          beneficiary: { destinationType: 'SELF_CUSTODY_WALLET' },
        }),
      ),
    ).to.have.property('paymentQuoteId');
  });

  it('for a key that has a quote: its terms are unknown', async () => {
    const two = openTwo();
    const { client, run, sandbox } = two;
    const lnInvoice = sandbox.payer.createBolt11({ sat: '1' });
    const { paymentQuoteId } = await run(
      client.paymentQuotes.createLightning({ lnInvoice }, { idempotencyKey: KEY }),
    );
    const error = await failureOf(
      run(client.paymentQuotes.createLightning({ lnInvoice }, { idempotencyKey: KEY })),
    );
    expect(error).to.include({
      kind: 'refused',
      code: 'DUPLICATE_PAYMENT_QUOTE',
      outcome: 'unknown',
      next: 'new-quote',
      idempotencyKey: KEY,
      status: 422,
    });
    expect(error.values).to.deep.equal({ paymentQuoteId, terms: 'unknown' });
    const again = createClient(sandbox.clientOptionsFor()); // one client takes a key for one body only
    const other = await failureOf(
      run(
        again.paymentQuotes.createLnurl(
          {
            lnAddressOrUrl: 'ada@wallet.example',
            sourceCurrency: 'USD',
            amount: { amount: '1', currency: 'USD' },
          },
          { idempotencyKey: KEY },
        ),
      ),
    );
    expect(other.code).to.equal('DUPLICATE_PAYMENT_QUOTE');
  });

  it('after a lost answer too: the key is the same, and the quote that exists is not executed', async () => {
    const { client, run, sandbox } = openTwo();
    sandbox.fault({
      method: 'POST',
      path: '/v1/payment-quotes/lightning',
      nth: 1,
      action: 'lost-after',
    });
    const error = await failureOf(
      run(
        client.paymentQuotes.createLightning({
          lnInvoice: sandbox.payer.createBolt11({ sat: '1' }),
        }),
      ),
    );
    expect(error).to.include({
      code: 'DUPLICATE_PAYMENT_QUOTE',
      outcome: 'unknown',
      next: 'new-quote',
      attempts: 2,
    });
    expect(error.values).to.have.property('terms', 'unknown');
    expect(error.idempotencyKey).to.match(/^[\da-f-]{36}$/);
    expect(sandbox.log.map(({ path }) => path)).to.deep.equal([
      '/v1/payment-quotes/lightning',
      '/v1/payment-quotes/lightning',
    ]);
  });
});

describe('executing a quote', () => {
  it('twice says which payment it made', async () => {
    const { client, run, sandbox } = openTwo();
    const { paymentQuoteId } = await run(
      client.paymentQuotes.createLightning({ lnInvoice: sandbox.payer.createBolt11({ sat: '1' }) }),
    );
    const { paymentId } = await run(client.paymentQuotes.execute(paymentQuoteId));
    const { code, values, outcome } = await failureOf(
      run(client.paymentQuotes.execute(paymentQuoteId)),
    );
    expect([code, values, outcome]).to.deep.equal(['PAYMENT_PROCESSED', { paymentId }, 'unknown']);
  });

  it('with a lost answer is not repeated: the outcome is unknown, and the same quote tells', async () => {
    const { client, run, sandbox } = openTwo();
    const { paymentQuoteId } = await run(
      client.paymentQuotes.createLightning({ lnInvoice: sandbox.payer.createBolt11({ sat: '1' }) }),
    );
    sandbox.fault({
      method: 'PATCH',
      path: '/v1/payment-quotes/{id}/execute',
      nth: 1,
      action: 'lost-after',
    });
    const error = await failureOf(run(client.paymentQuotes.execute(paymentQuoteId)));
    expect(error).to.include({
      kind: 'unreachable',
      outcome: 'unknown',
      next: 'read-first',
      attempts: 1,
    });
    const second = await failureOf(run(client.paymentQuotes.execute(paymentQuoteId)));
    expect(second.code).to.equal('PAYMENT_PROCESSED');
    expect((await run(client.payments.get(second.values!['paymentId'] as string))).state).to.equal(
      'COMPLETED',
    );
  });

  it('waits 45 s for an answer', async () => {
    const { client, run, sandbox } = openTwo();
    const { paymentQuoteId } = await run(
      client.paymentQuotes.createLightning({ lnInvoice: sandbox.payer.createBolt11({ sat: '1' }) }),
    );
    const endRule = sandbox.fault({ method: 'PATCH', action: { delay: 46_000, processed: true } });
    const begun = sandbox.clock.now();
    expect(await failureOf(run(client.paymentQuotes.execute(paymentQuoteId)))).to.include({
      code: 'TIMEOUT',
      outcome: 'unknown',
    });
    expect(sandbox.clock.now() - begun).to.equal(45_000);
    endRule();
  });

  for (const [firstCheck, code] of Object.entries({
    processed: 'PAYMENT_PROCESSED',
    expired: 'PAYMENT_QUOTE_EXPIRED',
    balance: 'BALANCE_TOO_LOW',
  }))
    it(`a second time, late and without money, hears first that it is ${firstCheck}`, async () => {
      const { client, run, sandbox } = openTwo({
        assume: { 'payments.checks': firstCheck as Assumptions['payments.checks'] },
        accounts: [{ handle: 'payer', balances: { USD: '1.00' } }],
      });
      const { paymentQuoteId } = await run(
        client.paymentQuotes.createLightning({
          lnInvoice: sandbox.payer.createBolt11(),
          amount: { amount: '1.00', currency: 'USD', feePolicy: 'INCLUSIVE' },
        }),
      );
      await run(client.paymentQuotes.execute(paymentQuoteId));
      await sandbox.advance(61_000);
      expect((await failureOf(run(client.paymentQuotes.execute(paymentQuoteId)))).code).to.equal(
        code,
      );
    });

  it('is refused when it has ended, when the money is gone, when the route is lost, for others, and for an unknown id', async () => {
    const { client, shop, run, sandbox } = openTwo({
      accounts: [{ handle: 'payer', balances: { USD: '10.00' } }, { handle: 'shop' }],
    });
    const quote = async (route: 'good' | 'lost' = 'good', amount = '6.00'): Promise<string> =>
      (
        await run(
          client.paymentQuotes.createLightning({
            lnInvoice: sandbox.payer.createBolt11({ route }),
            amount: { amount, currency: 'USD' },
          }),
        )
      ).paymentQuoteId;
    const code = async (id: string, of = client): Promise<string> =>
      (await failureOf(run(of.paymentQuotes.execute(id)))).code;
    const old = await quote();
    await sandbox.advance(60_000);
    expect(await code(old)).to.equal('PAYMENT_QUOTE_EXPIRED');
    const lost = await quote('lost', '1.00');
    expect(await code(lost)).to.equal('LN_ROUTE_NOT_FOUND');
    const [one, two] = [await quote(), await quote()];
    expect(await code(one, shop)).to.equal('NOT_FOUND');
    await run(client.paymentQuotes.execute(one));
    expect(await code(two)).to.equal('BALANCE_TOO_LOW');
    expect(await code('none')).to.equal('NOT_FOUND');
    const endRule = sandbox.fault({ subject: 'payment', state: 'LN_ROUTE_NOT_FOUND' });
    expect(await code(await quote('good', '1.00'))).to.equal('LN_ROUTE_NOT_FOUND');
    endRule();
    const { paymentId } = await run(client.paymentQuotes.execute(await quote('good', '1.00')));
    expect((await failureOf(run(shop.payments.get(paymentId)))).code).to.equal('NOT_FOUND');
  });

  itLong(
    'is refused when the text was paid or is being paid meanwhile, and when too many are on their way',
    async () => {
      const { client, run, sandbox } = openTwo();
      const lnInvoice = sandbox.payer.createBolt11({ sat: '1' });
      const quotes = [];
      for (let count = 0; count < 3; count++)
        quotes.push(
          (await run(client.paymentQuotes.createLightning({ lnInvoice }))).paymentQuoteId,
        );
      const endRule = sandbox.fault({ subject: 'payment', delay: 3_000 });
      await run(client.paymentQuotes.execute(quotes[0]!));
      expect((await failureOf(run(client.paymentQuotes.execute(quotes[1]!)))).code).to.equal(
        'PROCESSING_PAYMENT',
      );
      await sandbox.advance(3_000);
      expect((await failureOf(run(client.paymentQuotes.execute(quotes[1]!)))).code).to.equal(
        'LN_INVOICE_PROCESSED',
      );
      endRule();
      sandbox.fault({ subject: 'payment', delay: Infinity });
      const next = async (): Promise<unknown> => {
        const { paymentQuoteId } = await run(
          client.paymentQuotes.createLightning({
            lnInvoice: sandbox.payer.createBolt11({ sat: '1' }),
          }),
        );
        return run(client.paymentQuotes.execute(paymentQuoteId));
      };
      for (let count = 0; count < 100; count++) await next();
      expect((await failureOf(next())).code).to.equal('TOO_MANY_TRANSACTIONS');
    },
  );
});
