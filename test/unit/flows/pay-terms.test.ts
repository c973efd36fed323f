// Protects: what is agreed to before money moves: rates of bitcoin, fees inside and on top, ends by the service's clock, terms
// whose answers are lost, and whose payment it was where the service names none.
import { expect } from 'chai';
import { createClient, isPaystateError } from 'paystate';
import { pay, type PaymentOptions, refund } from 'paystate/flows';
import { memoryStore } from 'paystate/stores';
import { makeErrorResponse } from 'paystate/testing';
import { describe, it } from '#test';
import { altered } from '../state/shop.ts';
import { openDesk, unreachable, type Wire } from './moves-desk.ts';
import { EUR, paymentsMoved } from './pay-lives.ts';

const BTC = (amount: string) => ({ amount, currency: 'BTC' });
const USD = (amount: string) => ({ amount, currency: 'USD' });
type Quote = Readonly<Record<string, { readonly amount: string; readonly currency: string }>>;

/** Pays 20 EUR to an address, or what is said. */
const openPayer = (wire?: Wire) => {
  const desk = openDesk({}, wire);
  const { sandbox, client, journal } = desk;
  const limits = { sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any' } as const;
  const common = { ...limits, journal, intent: 'a' } as const;
  const start = (options: Partial<PaymentOptions> = {}) =>
    pay(client, { ...common, to: 'ada@wallet.example', amount: EUR('20.00'), ...options });
  const text = () => sandbox.payer.createBolt11({ sat: '21000' });
  const play = async (options: Partial<PaymentOptions> = {}) => {
    const result = await sandbox.run(start(options).result);
    return result.phase === 'refused'
      ? `refused ${result.guard ?? result.error.code}`
      : result.phase;
  };
  return { ...desk, start, play, text };
};

type Payer = ReturnType<typeof openPayer>;

/** Changes quotes; the second answer under a key names the quote, and has no terms. */
const quotes =
  (change: (quote: never) => object): Wire =>
  async (url, method, send) => {
    const answer = await send();
    const isQuote = method === 'POST' && /\/(lnurl|lightning|currency-exchange-quotes)$/.test(url);
    return isQuote && answer.ok ? altered(answer, change) : answer;
  };

describe('the terms of a payment', () => {
  it('in bitcoin for an amount in euro are compared with the ticker to the satoshi', async () => {
    const times = (factor: number) =>
      quotes(({ amount, totalFee, ...quote }: Quote) => {
        const satoshi = Math.round(Number(amount!.amount) * 1e8 * factor);
        const fee = Math.round(Number(totalFee!.amount) * 1e8);
        const btc = (one: number) => BTC((one / 1e8).toFixed(8));
        return {
          ...quote,
          amount: btc(satoshi),
          totalFee: btc(fee),
          totalAmount: btc(satoshi + fee),
        };
      });
    for (const [factor, isFair] of [
      [1, true],
      [1.005, true],
      [1.03, false],
      [0.97, false],
      [2, false],
    ] as const) {
      const desk = openPayer(times(factor));
      desk.sandbox.fund('shop', BTC('1'));
      const end = await desk.play({ sourceCurrency: 'BTC' });
      expect(end === 'refused rate', `${factor}`).to.equal(!isFair);
      expect(desk.sent('PATCH', '/execute') > 0, `${factor}`).to.equal(isFair);
    }
  });

  it('may end no sooner than in five seconds, by a clock that is told in whole seconds or not at all', async () => {
    const untold = async ({ sandbox }: Payer, answer: Response) => {
      const headers = new Headers(answer.headers);
      headers.delete('date');
      const text = await sandbox.clock.external(answer.text());
      return new Response(text, { status: answer.status, headers });
    };
    for (const [left, hasDate, end] of [
      [5_500, true, 'refused quote-end'], // the service may be almost a second ahead of its header
      [6_500, true, 'paid'],
      [14_500, false, 'refused quote-end'],
      [15_500, false, 'paid'],
    ] as const) {
      const desk: Payer = openPayer(async (url, method, send) => {
        const validUntil = new Date(desk.sandbox.clock.now() + left).toISOString();
        const change = quotes((quote: object) => ({ ...quote, validUntil }));
        const answer = await change(url, method, send);
        return hasDate ? answer : untold(desk, answer);
      });
      expect([left, await desk.play()]).to.deep.equal([left, end]);
    }
  });

  it('are asked for three times where answers are lost or cannot be read, and then nothing is done', async () => {
    const bad: readonly (readonly [string, () => Promise<Response>])[] = [
      ['lost', unreachable],
      ['unreadable', async () => new Response('{"data":', { status: 201 })],
    ];
    for (const [what, answer] of bad)
      for (const [losses, end] of [
        [2, 'paid'],
        [9, 'refused'],
      ] as const) {
        let asked = 0;
        const desk = openPayer((url, method, send) =>
          method === 'POST' && url.endsWith('/lnurl') && ++asked <= losses ? answer() : send(),
        );
        expect([what, (await desk.play()).split(' ')[0]]).to.deep.equal([what, end]);
        // a call tries three times by itself where no answer comes that can be read; a quote is named twice
        expect([what, asked]).to.deep.equal([what, end === 'paid' ? losses + 2 : losses]);
        expect(desk.sent('PATCH', '/execute') > 0).to.equal(end === 'paid');
      }
  });

  it('of an address are agreed to without a rate of bitcoin: the service has compared them', async () => {
    const rate = { amount: '1.1', sourceCurrency: 'EUR', targetCurrency: 'USD' };
    for (const conversionRate of [undefined, rate])
      expect(
        await openPayer(quotes((quote: object) => ({ ...quote, conversionRate }))).play(),
      ).to.equal('paid');
  });

  it('are those that plain JavaScript asked for, or an error names the option', () => {
    const { start } = openPayer();
    for (const [field, value] of [
      ['beneficiary', 7],
      ['beneficiary', 'Ada'],
      ['onchainTierId', 7],
      ['description', 7],
      ['feePolicy', 7],
      ['feePolicy', 'INCLUSIVE'],
      ['maxTotal', USD('1.00')],
      ['maxPerDay', EUR('1.00')],
      ['maxRateSlip', EUR('1.00')],
      ['sourceCurrency', ''],
      ['intent', 'x'.repeat(201)],
    ] as const) {
      let thrown: unknown;
      try {
        start({ [field]: value }).detach();
      } catch (reason) {
        thrown = reason;
      }
      const { kind, message } = isPaystateError(thrown) ? thrown : { kind: '', message: '' };
      expect(`${kind} ${message}`, `${field} ${JSON.stringify(value)}`).to.match(
        new RegExp(`^input ${field}`),
      );
    }
  });
});

describe('a text that one intent has not paid', () => {
  it('may be paid by another', async () => {
    const ends = {
      refused: (desk: ReturnType<typeof openPayer>) =>
        desk.sandbox.fault({
          method: 'PATCH',
          nth: 1,
          action: { status: 422, code: 'BALANCE_TOO_LOW' },
        }),
      failed: (desk: ReturnType<typeof openPayer>) =>
        desk.sandbox.fault({ subject: 'payment', state: 'FAILED', delay: 0, nth: 1 }),
      stopped: () => {},
    };
    for (const [phase, prepare] of Object.entries(ends)) {
      const desk = openPayer();
      prepare(desk);
      const [to, more] = [desk.text(), { amount: undefined }];
      const first = desk.start({ to, ...more, intent: 'first' });
      if (phase === 'stopped') void first.stop();
      expect((await desk.sandbox.run(first.result)).phase).to.equal(phase);
      expect([phase, await desk.play({ to, ...more, intent: 'second' })]).to.deep.equal([
        phase,
        'paid',
      ]);
      expect(paymentsMoved(desk.sandbox)).to.have.length(1);
    }
  });
});

describe('the terms of an exchange', () => {
  const fee = EUR('0.50');
  const trade = { maxRateSlip: 'any', amount: { ...EUR('100.00') } } as const;
  const totalOf = async (quote: object, feePolicy: 'INCLUSIVE' | 'EXCLUSIVE') => {
    const desk = openDesk(
      {},
      quotes((one: object) => ({ ...one, ...quote })),
    );
    const run = desk.exchange({ ...trade, amount: { ...trade.amount, feePolicy } });
    let total: unknown;
    run.subscribe((step) => {
      if (step.phase === 'executing') total = step.quote?.totalAmount;
    });
    await desk.sandbox.run(run.result);
    return total;
  };

  it('have the fee on top of what is sold where it is in that currency, and not inside', async () => {
    expect(await totalOf({ fee }, 'EXCLUSIVE')).to.deep.equal(EUR('100.50'));
    expect(await totalOf({ fee }, 'INCLUSIVE')).to.deep.equal(EUR('100.00'));
    expect(await totalOf({ fee: USD('0.50') }, 'EXCLUSIVE')).to.deep.equal(EUR('100.00'));
    expect(await totalOf({ fee: undefined }, 'EXCLUSIVE')).to.deep.equal(EUR('100.00'));
  });

  it('are compared with the ticker unless what has to come of it was said for what is sold', async () => {
    const minReceived = USD('50.00');
    const less = quotes((quote: object) => ({ ...quote, target: USD('90.00') }));
    const sold = openDesk({}, less);
    expect((await sold.sandbox.run(sold.exchange({ minReceived }).result)).phase).to.equal(
      'completed',
    );
    // what is bought is said: what is paid for it is nowhere limited but by the rate
    const dear = quotes((quote: object) => ({ ...quote, source: EUR('300.00') }));
    const bought = openDesk({}, dear);
    const result = await bought.sandbox.run(
      bought.exchange({ minReceived, amount: USD('100.00') }).result,
    );
    expect(result.phase === 'refused' && result.guard).to.equal('rate');
    expect(bought.moved('exchange')).to.deep.equal([]);
  });
});

describe('a payment that the service has executed without naming it', () => {
  /** Its first answer is lost, and later ones say only that it was done. `twin`: somebody pays the same. */
  const playUnnamed = async ({ hasFee = true, hasTwin = false, isText = false } = {}) => {
    let tries = 0;
    const bare = (json: object) => (hasFee ? json : { ...json, totalFee: undefined });
    const desk = openPayer(async (url, _method, send) => {
      if (!url.endsWith('/execute'))
        return /\/(lnurl$|payments\/)/.test(url) ? altered(await send(), bare) : send();
      if (++tries > 1) return makeErrorResponse('PAYMENT_PROCESSED');
      await send();
      return unreachable();
    });
    const { sandbox, start } = desk;
    const run = start(isText ? { to: desk.text(), amount: undefined } : {});
    await sandbox.advance(500);
    if (hasTwin) {
      const own = createClient(sandbox.clientOptions);
      const draft = {
        lnAddressOrUrl: 'ada@wallet.example',
        sourceCurrency: 'EUR',
        amount: EUR('20.00'),
      };
      const { paymentQuoteId } = await sandbox.run(own.paymentQuotes.createLnurl(draft));
      await sandbox.run(own.paymentQuotes.execute(paymentQuoteId));
    }
    return { result: await sandbox.run(run.result), moved: paymentsMoved(sandbox) };
  };

  it('is the one that its preimage proves, whoever pays the like', async () => {
    for (const hasTwin of [true, false]) {
      const { result, moved } = await playUnnamed({ hasTwin, isText: true });
      expect(moved).to.have.length(hasTwin ? 2 : 1);
      expect(result.phase === 'paid' && result.proof).to.equal('ok');
      expect(result.phase === 'paid' && result.payment.paymentId).to.equal(moved[0]);
    }
  });

  it('is unknown where nothing but its terms shows it, and it is named', async () => {
    for (const hasFee of [true, false]) {
      const { result, moved } = await playUnnamed({ hasFee });
      expect(moved).to.have.length(1);
      expect(result.phase === 'unknown' && result.candidates).to.deep.equal(moved);
    }
  });

  it('is unknown where two have its terms, and both are named', async () => {
    const { result, moved } = await playUnnamed({ hasTwin: true });
    expect(moved).to.have.length(2);
    expect(result.phase === 'unknown' && result.candidates).to.have.members(moved);
  });
});

describe('a refund of all that came in', () => {
  it('is of the payments of the invoice, which may be more than it asked for', async () => {
    const amountReceived = EUR('25.00');
    const desk = openDesk({}, async (url, _method, send) => {
      if (!/\/invoices\/[^/]+\?.*includeTransactions=true/.test(url)) return send();
      return altered(await send(), (invoice: { transactions: readonly object[] }) => ({
        ...invoice,
        transactions: invoice.transactions.map((one) => ({ ...one, amountReceived })),
      }));
    });
    const { sandbox, client } = desk;
    const { invoiceId } = await sandbox.run(client.invoices.create({ amount: EUR('20.00') }));
    await sandbox.run(sandbox.payer.pay(invoiceId));
    const to = { to: 'ada@wallet.example', sourceCurrency: 'EUR', maxFee: 'any' } as const;
    const run = refund(client, { ...to, invoiceId, journal: memoryStore() });
    const result = await sandbox.run(run.result);
    expect(result.phase === 'paid' && result.payment.amount).to.deep.equal(amountReceived);
  });
});
