// Troubles that a client alone cannot see, or does not check yet: shown as it is, without a
// verdict. `npm run prove -- adversary beyond`
import { type ExecutedPayment, hasCode, type Payment, request } from 'paystate';
import { exchanged, KEY, lnurl, USD } from './scenes/common.ts';
import { answered, lostAfter, lostBefore, refused, Stage, twice } from './stage.ts';
import { factsOf } from './users/common.ts';

interface Shown {
  readonly stage: Stage;
  /** The request, or the fact behind it. */
  readonly hint?: string;
}

const SCENES: Readonly<Record<string, () => Promise<Shown>>> = {
  async 'a copy of a refused request arrives later, when there is money'() {
    const stage = new Stage({ balances: { USD: '21.00' } });
    const { paymentQuoteId } = await lnurl(stage);
    const other = await lnurl(stage, '15.00');
    await stage.run(stage.client.paymentQuotes.execute(other.paymentQuoteId)); // not enough is left for the first one
    stage.after('/execute', async (send) => {
      void stage.sandbox.clock.wait(20_000).then(send);
      return send();
    });
    await stage.hear('execute', () => stage.client.paymentQuotes.execute(paymentQuoteId));
    stage.sandbox.fund('shop', USD('100.00'));
    await stage.sandbox.advance(30_000); // the copy is done
    const again = await lnurl(stage); // as `not-done` allows
    await stage.hear('a new quote', () => stage.client.paymentQuotes.execute(again.paymentQuoteId));
    return { stage, hint: 'of three, two were asked for' };
  },
  async 'brought twice, the balance is looked at first, the second answer is heard'() {
    const stage = new Stage({ firstCheck: 'balance', balances: { USD: '21.00' } });
    const { paymentQuoteId } = await lnurl(stage);
    stage.after('/execute', twice);
    await stage.hear('execute', () => stage.client.paymentQuotes.execute(paymentQuoteId));
    return { stage };
  },
  async 'payout: answer lost, then a read that is 20 s behind'() {
    const stage = new Stage();
    const methodId = await stage.methodOf('SEPA');
    const { id } = await stage.run(
      stage.client.payouts.create({ paymentMethodId: methodId, amount: '25.00' }),
    );
    stage.sandbox.fault({ method: 'GET', path: '/v1/payouts/{id}', action: { stale: 20_000 } });
    await stage.sandbox.advance(60_000);
    stage.after('/initiate', lostAfter);
    await stage.hear('initiate', () => stage.client.payouts.initiate(id));
    return { stage, hint: 'initiated, and given as NEW' };
  },
  ...Object.fromEntries(
    [200, 204].map((status) => [
      `exchange: an empty ${status} of a portal`,
      async () => {
        const stage = new Stage();
        const { id } = await stage.run(exchanged(stage, '40.00'));
        stage.after('/execute', answered(undefined, status));
        await stage.hear('execute', () => stage.client.currencyExchangeQuotes.execute(id));
        return { stage };
      },
    ]),
  ),
  async 'execute is answered with the payment of another quote of this client'() {
    const stage = new Stage();
    const [first, second] = [await lnurl(stage, '20.00'), await lnurl(stage, '30.00')];
    const other = await stage.run(stage.client.paymentQuotes.execute(second.paymentQuoteId));
    stage.after('/execute', answered(other));
    await stage.hear(`execute the quote of ${first.totalAmount.amount}`, () =>
      stage.client.paymentQuotes.execute(first.paymentQuoteId),
    );
    return { stage, hint: 'one paymentId for two quotes, and another total' };
  },
  async 'two quotes at once, and both answers are the first one'() {
    const stage = new Stage();
    const one = await lnurl(stage);
    stage.after('POST /v1/payment-quotes', answered(one));
    const { value: two } = await stage.hear('create for somebody else, same amount', () =>
      lnurl(stage, '20.00', 'ben'),
    );
    for (const quote of [one, two ?? one])
      await stage.hear('execute', () => stage.client.paymentQuotes.execute(quote.paymentQuoteId));
    return { stage, hint: 'one id for two keys: two people believe that they have paid' };
  },
  async 'deposit: its creation is answered with another deposit'() {
    const stage = new Stage();
    const paymentMethodId = await stage.methodOf('ACH');
    const other = await stage.run(
      stage.client.deposits.create({ paymentMethodId, amount: '70.00' }),
    );
    stage.after('POST /v1/deposits', answered(other));
    await stage.hear('create 50.00', () =>
      stage.client.deposits.create({ paymentMethodId, amount: '50.00' }),
    );
    return { stage };
  },
  async 'exchange: its creation is answered with another quote'() {
    const stage = new Stage();
    const other = await stage.run(exchanged(stage, '70.00'));
    stage.after('POST /v1/currency', answered(other));
    await stage.hear('create 50.00', () => exchanged(stage, '50.00'));
    return { stage };
  },
  async 'payout: its creation is answered with another payout'() {
    const stage = new Stage();
    const paymentMethodId = await stage.methodOf('SEPA');
    const other = await stage.run(
      stage.client.payouts.create({ paymentMethodId, amount: '70.00', reference: 'OTHER' }),
    );
    stage.after('POST /v1/payouts', answered(other));
    await stage.hear('create 50.00', () =>
      stage.client.payouts.create({ paymentMethodId, amount: '50.00', reference: 'MINE' }),
    );
    return { stage };
  },
  async 'a client for each request, as in a Worker: the answer is lost in one, the end heard in the next'() {
    const stage = new Stage({ firstCheck: 'expired' });
    const { paymentQuoteId } = await lnurl(stage);
    stage.after('/execute', lostAfter);
    await stage.hear('execute', () => stage.newClient().paymentQuotes.execute(paymentQuoteId));
    await stage.sandbox.advance(61_000);
    await stage.hear('execute in another client', () =>
      stage.newClient().paymentQuotes.execute(paymentQuoteId),
    );
    return { stage };
  },
  async 'answer lost; the same id in upper case, at a service that takes both'() {
    const stage = new Stage();
    const { paymentQuoteId } = await lnurl(stage);
    stage.after('/execute', lostAfter, refused(422, 'BALANCE_TOO_LOW'));
    await stage.hear('execute', () => stage.client.paymentQuotes.execute(paymentQuoteId));
    await stage.hear('execute in upper case', () =>
      stage.client.paymentQuotes.execute(paymentQuoteId.toUpperCase()),
    );
    return { stage };
  },
  async 'answer lost; the same by `request`'() {
    const stage = new Stage();
    const { paymentQuoteId } = await lnurl(stage);
    stage.after('/execute', lostAfter, refused(422, 'BALANCE_TOO_LOW'));
    await stage.hear('execute', () => stage.client.paymentQuotes.execute(paymentQuoteId));
    await stage.hear('request', () =>
      request(stage.client, 'PATCH', '/v1/payment-quotes/{id}/execute', {
        params: { id: paymentQuoteId },
      }),
    );
    return { stage };
  },
  async 'reads are shared, as in a page: one that left before `execute` is given to who asks after it'() {
    const stage = new Stage();
    const client = stage.newClient({ dedupeReads: true });
    const { id } = await stage.run(
      client.currencyExchangeQuotes.create({ sell: 'USD', buy: 'EUR', amount: USD('40.00') }),
    );
    stage.after('GET /v1/currency', async (send) => {
      const answer = await send();
      await stage.sandbox.clock.wait(8_000);
      return answer;
    });
    const early = client.currencyExchangeQuotes.get(id);
    await stage.hear('execute', () => client.currencyExchangeQuotes.execute(id));
    await stage.sandbox.advance(5_000);
    const { value } = await stage.hear('find, 5 s after it', () =>
      client.currencyExchangeQuotes.get(id),
    );
    await stage.run(early);
    stage.said.push(
      `it read ${value?.state}; now it is ${(await stage.run(client.currencyExchangeQuotes.get(id))).state}`,
    );
    return { stage };
  },
  async 'a key for an exchange, in doubt; the same key for a quote of a payment'() {
    const stage = new Stage();
    const idempotencyKey = KEY;
    stage.after('POST /v1/currency', lostAfter, lostBefore, lostBefore);
    await stage.hear('exchange', () =>
      stage.client.currencyExchangeQuotes.create(
        { sell: 'USD', buy: 'EUR', amount: USD('40.00') },
        { idempotencyKey },
      ),
    );
    stage.after('POST /v1/payment-quotes', refused(422, 'BALANCE_TOO_LOW'));
    await stage.hear('payment quote', () =>
      stage.client.paymentQuotes.createLnurl(
        { lnAddressOrUrl: 'ada@wallet.example', sourceCurrency: 'USD', amount: USD('20.00') },
        { idempotencyKey },
      ),
    );
    return { stage, hint: 'one key, two resources: the second is not in doubt' };
  },
  async 'the loop of the manual: answer lost, PAYMENT_PROCESSED, and its read fails'() {
    const stage = new Stage();
    const { paymentQuoteId } = await lnurl(stage);
    stage.after('/execute', lostAfter);
    stage.after('GET /v1/payments/', lostBefore, lostBefore, lostBefore);
    const execute = async (quoteId: string): Promise<Payment | ExecutedPayment> => {
      try {
        return await stage.client.paymentQuotes.execute(quoteId);
      } catch (thrown) {
        if (hasCode(thrown, 'PAYMENT_PROCESSED') && thrown.values?.paymentId)
          return stage.client.payments.get(thrown.values.paymentId);
        if (factsOf(thrown).outcome === 'unknown') return execute(quoteId);
        throw thrown;
      }
    };
    await stage.hear('the loop', () => execute(paymentQuoteId));
    return {
      stage,
      hint: 'the outcome is that of the read, and whoever called the loop takes it for that of the payment',
    };
  },
  async 'cancel: answer lost, "is cancelled", and the read fails; then again'() {
    const stage = new Stage();
    const { invoiceId } = await stage.run(stage.client.invoices.create({ amount: USD('5.00') }));
    stage.after('/cancel', lostAfter);
    stage.after('GET /v1/invoices/', lostBefore, lostBefore, lostBefore);
    await stage.hear('cancel', () => stage.client.invoices.cancel(invoiceId));
    stage.after('GET /v1/invoices/', lostBefore, lostBefore, lostBefore);
    await stage.hear('cancel again', () => stage.client.invoices.cancel(invoiceId));
    return { stage, hint: 'it is cancelled' };
  },
  async 'bank method: removed, answer lost; the second try says NOT_FOUND'() {
    const stage = new Stage();
    const id = await stage.methodOf('SEPA');
    stage.after('DELETE', lostAfter);
    await stage.hear('remove', () => stage.client.bankPaymentMethods.remove(id));
    return { stage, hint: 'it is removed' };
  },
  async 'lightning: answer lost, a new quote of the same invoice'() {
    const stage = new Stage();
    const lnInvoice = stage.sandbox.payer.createBolt11({ sat: '5000' });
    const draft = { lnInvoice, sourceCurrency: 'USD' };
    const quotes = [
      await stage.run(stage.client.paymentQuotes.createLightning(draft)),
      await stage.run(stage.client.paymentQuotes.createLightning(draft)),
    ];
    stage.after('/execute', lostAfter);
    for (const { paymentQuoteId } of quotes)
      await stage.hear('execute', () => stage.client.paymentQuotes.execute(paymentQuoteId));
    await stage.hear('a third quote', () => stage.client.paymentQuotes.createLightning(draft));
    return { stage, hint: 'the invoice is paid' };
  },
};

/** Plays all, and prints what was said and how often money moved. */
export async function playBeyond(): Promise<void> {
  for (const [name, play] of Object.entries(SCENES)) {
    const { stage, hint } = await play();
    const moved = `money moved ${stage.moved()} times${hint ? `; ${hint}` : ''}`;
    console.log([`\n  ${name}`, ...stage.said, moved].join('\n      '));
  }
}
