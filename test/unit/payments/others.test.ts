import { expect } from 'chai';
import { decodeAddress, encodeLnurl } from 'paystate/lightning';
import { describe, it } from '#test';
import { failureOf } from '../core/shop.ts';
import { openTwo, sums } from './two.ts';

const USD = (amount: string) => ({ amount, currency: 'USD' });
const MINUTE = 60_000;

describe('payments to a Lightning address', () => {
  it('ask what it takes, by name and by LNURL', async () => {
    const { client, run } = openTwo();
    const ada = await run(client.paymentQuotes.getLnurl('ada@wallet.example'));
    expect(ada).to.deep.include({
      minSendable: 1_000,
      maxSendable: 500_000_000,
      commentAllowed: 120,
      tag: 'payRequest',
      metadata: '[["text/plain","Pay Ada"]]',
    });
    expect(
      await run(
        client.paymentQuotes.getLnurl(encodeLnurl('https://wallet.example/.well-known/lnurlp/ada')),
      ),
    ).to.deep.equal(ada);
    expect(
      (await run(client.paymentQuotes.getLnurl('ben@wallet.example'))).commentAllowed,
    ).to.equal(undefined);
    expect((await run(client.paymentQuotes.getLnurl('shop@sandbox.invalid'))).metadata).to.contain(
      'Pay shop',
    );
    for (const nowhere of ['eve@wallet.example', 'shop@other.example', 'no address', 'payer'])
      expect((await failureOf(run(client.paymentQuotes.getLnurl(nowhere)))).code).to.equal(
        'NOT_FOUND',
      );
  });

  it('go out, with a comment as long as it takes', async () => {
    const { sandbox, client, run } = openTwo();
    const quote = await run(
      client.paymentQuotes.createLnurl({
        lnAddressOrUrl: 'ada@wallet.example',
        sourceCurrency: 'BTC',
        amount: USD('5.00'),
        description: 'thank you',
      }),
    );
    expect(quote.description).to.equal('thank you');
    expect((await run(client.paymentQuotes.execute(quote.paymentQuoteId))).state).to.equal(
      'COMPLETED',
    );
    expect(sums(sandbox)).to.deep.equal([]);
    const refused = async (lnAddressOrUrl: string, amount: string, description?: string) =>
      failureOf(
        run(
          client.paymentQuotes.createLnurl({
            lnAddressOrUrl,
            sourceCurrency: 'USD',
            amount: { amount, currency: 'BTC' },
            description,
          }),
        ),
      );
    expect(
      (await refused('ben@wallet.example', '0.0001', 'hi')).validationErrors!['description']![0]!
        .code,
    ).to.equal('INVALID_DATA_VALUE');
    expect(
      (await refused('ada@wallet.example', '0.0001', 'x'.repeat(121))).validationErrors![
        'description'
      ]![0]!.values,
    ).to.deep.equal({ field: 'description', maxLength: 120 });
    expect(await refused('ben@wallet.example', '0.00000999'))
      .to.include({ code: 'AMOUNT_TOO_LOW' })
      .and.have.nested.property('values.limit.amount', '0.00001000');
    expect(await refused('ben@wallet.example', '0.00100001')).to.include({
      code: 'AMOUNT_TOO_HIGH',
    });
    expect(await refused('lost@wallet.example', '0.0001')).to.include({
      code: 'LN_ROUTE_NOT_FOUND',
    });
    expect(await refused('payer@sandbox.invalid', '0.0001')).to.include({
      code: 'SELF_PAYMENT_NOT_ALLOWED',
    });
  });

  it('of another account are an invoice there', async () => {
    const { sandbox, client, shop, run, events, postings } = openTwo();
    const quote = await run(
      client.paymentQuotes.createLnurl({
        lnAddressOrUrl: 'shop@sandbox.invalid',
        sourceCurrency: 'USD',
        amount: USD('5.00'),
        description: 'thanks',
      }),
    );
    expect([quote.amount, quote.totalFee, quote.conversionRate]).to.deep.equal([
      USD('5.00'),
      USD('0.00'),
      undefined,
    ]);
    const payment = await run(client.paymentQuotes.execute(quote.paymentQuoteId));
    expect(payment.lightning!.preImage).to.match(/^[\da-f]{64}$/);
    const [invoice] = await run(shop.invoices.list().toArray({ limit: 2 }));
    expect(invoice).to.deep.include({ state: 'PAID', amount: USD('5.00'), description: 'thanks' });
    expect(await events(shop)).to.deep.equal([
      'invoice.created',
      'invoice.updated',
      'invoice.updated',
    ]);
    expect(postings()).to.deep.equal([
      'payment PENDING: payer.free > payer.held 5.00 USD',
      'payment COMPLETED: payer.held > shop.free 5.00 USD',
    ]);
    expect(sums(sandbox)).to.deep.equal([]);
  });

  it('of a private account, or one that takes nothing, go nowhere', async () => {
    const { client, run } = openTwo({
      accounts: [
        { handle: 'payer' },
        { handle: 'hidden', isPrivate: true },
        { handle: 'closed', canReceive: false },
      ],
    });
    expect(
      (await failureOf(run(client.paymentQuotes.getLnurl('hidden@sandbox.invalid')))).code,
    ).to.equal('NOT_FOUND');
    const draft = {
      lnAddressOrUrl: 'closed@sandbox.invalid',
      sourceCurrency: 'USD',
      amount: USD('5.00'),
    };
    expect((await failureOf(run(client.paymentQuotes.createLnurl(draft)))).code).to.equal(
      'INVALID_RECIPIENT',
    );
  });
});

describe('payments on the chain', () => {
  it('take a tier, go out PENDING and are COMPLETED when it says', async () => {
    const { sandbox, client, run, postings } = openTwo();
    const btcAddress = sandbox.payer.createAddress();
    expect(decodeAddress(btcAddress)).to.include({ type: 'p2wpkh' });
    const tiers = await run(client.paymentQuotes.listTiers({ btcAddress, amount: USD('200.00') }));
    expect(
      tiers.map(({ id, estimatedDeliveryDurationInMin: minutes }) => [id, minutes]),
    ).to.deep.equal([
      ['tier_fast', 10],
      ['tier_normal', 60],
      ['tier_slow', 1_440],
    ]);
    expect(tiers[1]).to.deep.include({
      estimatedFee: { amount: '0.00001128', currency: 'BTC' },
      minimumAmount: { amount: '0.00005000', currency: 'BTC' },
    });
    const quote = await run(
      client.paymentQuotes.createOnchain({
        btcAddress,
        sourceCurrency: 'USD',
        amount: USD('200.00'),
        onchainTierId: 'tier_normal',
        description: 'Supplier 12',
      }),
    );
    expect(quote)
      .to.include({ description: 'Supplier 12', estimatedDeliveryDurationInMin: 60 })
      .and.not.have.property('lightningNetworkFee');
    const { value, status } = await run(
      client.paymentQuotes.execute(quote.paymentQuoteId).withResponse(),
    );
    expect([status, value.state]).to.deep.equal([202, 'PENDING']);
    expect(value.onchain!.txnId).to.match(/^[\da-f]{64}$/);
    await sandbox.advance(60 * MINUTE - 1);
    expect((await run(client.payments.get(value.paymentId))).state).to.equal('PENDING');
    await sandbox.advance(1);
    expect(await run(client.payments.get(value.paymentId)))
      .to.include({ state: 'COMPLETED' })
      .and.not.have.property('lightning');
    expect(postings().at(-1)).to.match(/^payment COMPLETED: fx > chain 0\.00\d{6} BTC$/);
    expect(sums(sandbox)).to.deep.equal([]);
  });

  it('are refused for a wrong address, tier or amount', async () => {
    const { sandbox, client, run } = openTwo();
    const draft = {
      btcAddress: sandbox.payer.createAddress(),
      sourceCurrency: 'BTC',
      amount: { amount: '0.001', currency: 'BTC' },
      onchainTierId: 'tier_fast',
    };
    const refused = async (change: object) =>
      failureOf(run(client.paymentQuotes.createOnchain({ ...draft, ...change })));
    for (const btcAddress of [
      'tea',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      `${draft.btcAddress}q`,
    ])
      expect((await refused({ btcAddress })).code).to.equal('INVALID_BITCOIN_ADDRESS');
    expect(
      (
        await failureOf(
          run(client.paymentQuotes.listTiers({ btcAddress: 'tea', amount: draft.amount })),
        )
      ).code,
    ).to.equal('INVALID_BITCOIN_ADDRESS');
    expect((await refused({ onchainTierId: 'constructor' })).validationErrors).to.have.property(
      'onchainTierId',
    );
    expect(
      (await refused({ amount: { amount: '0.00000545', currency: 'BTC' } })).values,
    ).to.deep.equal({ limit: { amount: '0.00000546', currency: 'BTC' } });
    expect(
      (
        await refused({
          amount: { amount: '0.00009999', currency: 'BTC' },
          onchainTierId: 'tier_slow',
        })
      ).values,
    ).to.deep.equal({ limit: { amount: '0.00010000', currency: 'BTC' } });
    expect(await run(client.paymentQuotes.createOnchain(draft))).to.have.property('paymentQuoteId');
  });
});

describe('payments to another account', () => {
  for (const [source, currency, moved] of [
    ['EUR', 'EUR', ['payer.held > shop.free 2.00 EUR']],
    ['USD', 'EUR', ['payer.held > fx $ USD', 'fx > shop.free 2.00 EUR']],
    ['BTC', 'EUR', ['payer.held > fx $ BTC', 'fx > shop.free 2.00 EUR']],
    ['BTC', 'BTC', ['payer.held > shop.free 0.00002000 BTC']],
    ['USD', 'BTC', ['payer.held > fx $ USD', 'fx > shop.free 0.00002000 BTC']],
  ] as const)
    it(`in ${source} for an invoice in ${currency} move both sides in one step, and a reversal moves them back`, async () => {
      const { sandbox, client, shop, run, events, postings, held } = openTwo();
      const before = held('payer.free', source);
      const { invoiceId } = await run(
        shop.invoices.create({
          amount: { amount: currency === 'BTC' ? '0.00002' : '2.00', currency },
        }),
      );
      const { lnInvoice } = await run(shop.invoices.quote(invoiceId));
      const { paymentQuoteId, totalAmount, totalFee } = await run(
        client.paymentQuotes.createLightning({ lnInvoice, sourceCurrency: source }),
      );
      expect(totalFee!.amount).to.match(/^[0.]+$/);
      expect((await run(client.paymentQuotes.execute(paymentQuoteId))).state).to.equal('COMPLETED');
      expect(postings().slice(1)).to.deep.equal(
        moved.map((line) => `payment COMPLETED: ${line.replace('$', totalAmount.amount)}`),
      );
      const invoice = await run(shop.invoices.get(invoiceId, { includeTransactions: true }));
      expect([invoice.state, invoice.transactions![0]!.state]).to.deep.equal(['PAID', 'COMPLETED']);
      expect(await events(shop)).to.deep.equal([
        'invoice.created',
        'invoice.updated',
        'invoice.updated',
      ]);
      expect(await events()).to.deep.equal(['payment.created', 'payment.updated']);
      expect(
        (await failureOf(run(client.paymentQuotes.createLightning({ lnInvoice })))).code,
      ).to.equal('LN_INVOICE_PROCESSED');
      await sandbox.payer.reverse(invoiceId);
      expect(held('payer.free', source)).to.equal(before);
      expect(sums(sandbox)).to.deep.equal([]);
    });

  it('that take their time keep the invoice PENDING, and UNPAID when they fail', async () => {
    const { sandbox, client, shop, run, postings } = openTwo();
    sandbox.fault({ subject: 'payment', state: 'FAILED', delay: 2_000 });
    const { invoiceId } = await run(
      shop.invoices.create({ amount: { amount: '2.00', currency: 'EUR' } }),
    );
    const { lnInvoice } = await run(shop.invoices.quote(invoiceId));
    const { paymentQuoteId } = await run(
      client.paymentQuotes.createLightning({ lnInvoice, sourceCurrency: 'EUR' }),
    );
    await run(client.paymentQuotes.execute(paymentQuoteId));
    expect((await run(shop.invoices.get(invoiceId))).state).to.equal('PENDING');
    await sandbox.advance(2_000);
    expect((await run(shop.invoices.get(invoiceId))).state).to.equal('UNPAID');
    expect(postings().at(-1)).to.equal('payment FAILED: payer.held > payer.free 2.00 EUR');
  });

  it('for its requests are a P2P receive, over Lightning and by address', async () => {
    const { sandbox, client, shop, run, events, held } = openTwo();
    const request = await run(
      shop.receiveRequests.create({
        bolt11: { amount: { amount: '3.00', currency: 'USD' }, description: 'choir' },
        onchain: {},
        targetCurrency: 'USD',
      }),
    );
    const quote = await run(
      client.paymentQuotes.createLightning({
        lnInvoice: request.bolt11!.invoice,
        sourceCurrency: 'USD',
      }),
    );
    expect([quote.totalAmount, quote.description]).to.deep.equal([USD('3.00'), 'choir']);
    await run(client.paymentQuotes.execute(quote.paymentQuoteId));
    const other = await run(
      client.paymentQuotes.createOnchain({
        btcAddress: request.onchain!.address,
        sourceCurrency: 'EUR',
        amount: { amount: '10.00', currency: 'EUR' },
        onchainTierId: 'tier_fast',
      }),
    );
    const { value, status } = await run(
      client.paymentQuotes.execute(other.paymentQuoteId).withResponse(),
    );
    expect([status, value.state, value.onchain]).to.deep.equal([200, 'COMPLETED', undefined]);
    const receives = await run(
      shop.receiveRequests.listReceives(request.receiveRequestId).toArray({ limit: 9 }),
    );
    expect(receives.map(({ type, state }) => [type, state])).to.deep.equal([
      ['P2P', 'COMPLETED'],
      ['P2P', 'COMPLETED'],
    ]);
    expect(
      receives.every(
        ({ lightning, onchain, p2p }) =>
          !lightning && !onchain && p2p!.payerAccountId !== undefined,
      ),
    ).to.equal(true);
    expect(receives.map(({ amountReceived }) => amountReceived.currency).sort()).to.deep.equal([
      'EUR',
      'USD',
    ]);
    expect(await events(shop)).to.deep.equal([
      'receive-request.receive-completed',
      'receive-request.receive-completed',
    ]);
    expect(held('shop.free', 'USD')).to.match(/^101\d\.\d\d$/);
    expect(
      (
        await failureOf(
          run(client.paymentQuotes.createLightning({ lnInvoice: request.bolt11!.invoice })),
        )
      ).code,
    ).to.equal('LN_INVOICE_PROCESSED');
    expect(sums(sandbox)).to.deep.equal([]);
  });
});
