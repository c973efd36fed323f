// Protects: what came in in another currency, a payer who was faster, a ticker that is
// refused, and plans that are stopped.
import { expect } from 'chai';
import type { Invoice } from 'paystate';
import { applyPlan, cancelInvoice, checkout, parseRows, pay, plan, refund } from 'paystate/flows';
import { describe, it, itLong } from '#test';
import { altered, openShop, record, refusal } from '../state/shop.ts';
import { openDesk } from './moves-desk.ts';
import { EUR, paymentsMoved } from './pay-lives.ts';
import { changed, openSale } from './sale.ts';

const MINUTE = 60_000;
const ADA = { to: 'ada@wallet.example', sourceCurrency: 'EUR', maxFee: 'any' } as const;

describe('what came in in another currency', () => {
  const dollars = { amount: '30.00', currency: 'USD' };
  const withParts = (parts: readonly object[]) => (invoice: Invoice) => ({
    ...invoice,
    transactions: parts.map((amountReceived, index) => ({
      transactionId: `t-${index}`,
      state: 'COMPLETED',
      amountReceived,
      completed: '2026-01-05T09:00:02+00:00',
    })),
  });

  it('is neither too little nor too much to a checkout', async () => {
    const shop = openShop({ signed: true }, changed('invoice', withParts([dollars])));
    const { log } = await openSale(shop);
    await shop.sandbox.advance(2_000);
    expect(log.values.at(-1)!.phase).not.to.equal('partial');
    log.stop();
    const paid = openShop({ signed: true }, async (url, ask) =>
      url.includes('includeTransactions') ? altered(await ask(), withParts([dollars])) : ask(),
    );
    const invoice = await paid.invoice();
    const sale = record(checkout(paid.client, { invoiceId: invoice.invoiceId }));
    await paid.sandbox.advance(1_000);
    await paid.sandbox.payer.pay(invoice.invoiceId);
    await paid.sandbox.advance(5_000);
    expect(sale.values.at(-1)).to.include({ phase: 'paid', over: false });
    sale.stop();
  });

  it('is given back as what the invoice asked for, where that is paid', async () => {
    for (const [parts, isPaid, amount] of [
      [[dollars], true, '20.00'],
      [[EUR('5.00'), dollars], true, '20.00'],
      [[], true, '20.00'],
      [[EUR('5.00'), EUR('6.00')], true, '11.00'],
      [[EUR('5.00'), dollars], false, undefined],
    ] as const) {
      const desk = openDesk({}, async (url, _method, send) =>
        url.includes('includeTransactions') ? altered(await send(), withParts(parts)) : send(),
      );
      const { sandbox, client, journal } = desk;
      const { invoiceId } = await sandbox.run(client.invoices.create({ amount: EUR('20.00') }));
      if (isPaid) await sandbox.run(sandbox.payer.pay(invoiceId));
      const result = await sandbox.run(refund(client, { ...ADA, invoiceId, journal }).result);
      const given = result.phase === 'paid' ? result.payment.amount.amount : undefined;
      expect(given, JSON.stringify(parts)).to.equal(amount);
    }
  });
});

describe('cancelling an invoice', () => {
  it('believes what was paid, unless it was given back since, and a refusal where nothing can be read', async () => {
    for (const [said, shown, phase] of [
      ['PAID', 'UNPAID', 'paid'],
      ['PAID', undefined, 'paid'],
      ['PAID', 'REVERSED', 'paid or unknown'],
      ['CANCELLED', undefined, 'cancelled'],
      ['CANCELLED', 'PAID', 'paid'],
      ['PENDING', 'UNPAID', 'unknown'],
    ] as const) {
      const desk = openDesk({}, async (url, method, send) => {
        if (url.endsWith('/cancel')) return refusal(422, `INVALID_STATE_FOR_INVOICE_${said}`);
        if (method !== 'GET') return send();
        if (!shown) throw new TypeError('lost');
        return altered(await send(), (invoice: object) => ({ ...invoice, state: shown }));
      });
      const { sandbox, client } = desk;
      const { invoiceId } = await sandbox.run(client.invoices.create({ amount: EUR('20.00') }));
      const result = await sandbox.run(cancelInvoice(client, invoiceId));
      if (shown === 'REVERSED') expect(result.invoice?.state).not.to.equal('PAID');
      else expect([said, shown, result.phase]).to.deep.equal([said, shown, phase]);
    }
  });
});

describe('the ticker of a checkout', () => {
  itLong(
    'that is refused is left alone for ten minutes, and one that is away is asked with the next code',
    async () => {
      const asks = async (answer: () => Promise<Response>) => {
        const shop = openShop({ signed: true }, (url, ask) =>
          url.endsWith('/ticker') ? answer() : ask(),
        );
        const { log } = await openSale(shop);
        await shop.sandbox.advance(9 * MINUTE);
        log.stop();
        const of = (end: string) => shop.requests.filter(({ path }) => path.endsWith(end)).length;
        return [of('/ticker'), of('/quote')] as const;
      };
      const [refused, quotes] = await asks(async () => refusal(403, 'FORBIDDEN'));
      expect([refused, quotes > 5]).to.deep.equal([1, true]);
      const [away, codes] = await asks(() => Promise.reject(new TypeError('lost')));
      expect(away).to.equal(codes);
    },
  );
});

describe('an exchange whose end may not be read', () => {
  it('is unknown, and says which scope is missing', async () => {
    const desk = openDesk({}, (url, method, send) =>
      method === 'PATCH' && url.endsWith('/execute')
        ? Promise.reject(new TypeError('lost'))
        : send(),
    );
    const path = '/v1/currency-exchange-quotes/{quoteId}';
    desk.sandbox.fault({ method: 'GET', path, action: { status: 403, code: 'FORBIDDEN' } });
    const result = await desk.sandbox.run(desk.exchange().result);
    if (result.phase !== 'unknown') throw new Error(result.phase);
    expect(result.error.neededScope).to.be.a('string');
  });
});

describe('a plan that is stopped', () => {
  it('at once has paid nothing, says so, and is begun again by another run', async () => {
    const { sandbox, client, journal } = openDesk();
    const rows = [1, 2, 3].map((one) => ({
      ...ADA,
      intent: `row-${one}`,
      amount: EUR(`${one}.00`),
    }));
    const made = await sandbox.run(plan(client, rows, { journal }));
    const run = applyPlan(client, made, { journal });
    expect(run.current()).to.deep.equal({ done: 0, total: 3 });
    const [heard, left]: [number[], number[]] = [[], []];
    run.subscribe(({ done }) => void heard.push(done));
    const leave = run.subscribe(({ done }) => void left.push(done));
    leave();
    expect(await sandbox.run(run.stop())).to.equal(true);
    const { rows: ends, isComplete } = await sandbox.run(run.result);
    expect(new Set(ends.map(({ phase }) => phase))).to.deep.equal(new Set(['not-begun']));
    expect([isComplete, paymentsMoved(sandbox)]).to.deep.equal([false, []]);
    const again = applyPlan(client, made, { journal });
    again.subscribe(({ done }) => void heard.push(done));
    expect((await sandbox.run(again.result)).isComplete).to.equal(true);
    expect([heard, left]).to.deep.equal([[0, 0, 1, 2, 3], [0]]);
    expect(await sandbox.run(again.stop())).to.equal(false);
    expect(paymentsMoved(sandbox)).to.have.length(3);
  });

  it('while its payments are on their way says so at once, and does not wait for them', async () => {
    const { sandbox, client, journal } = openDesk();
    sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay: 60 * MINUTE });
    const rows = [{ ...ADA, intent: 'a', amount: EUR('1.00') }];
    const made = await sandbox.run(plan(client, rows, { journal }));
    const run = applyPlan(client, made, { journal });
    await sandbox.advance(MINUTE);
    const began = sandbox.clock.monotonic();
    expect(await sandbox.run(run.stop())).to.equal(false);
    expect(sandbox.clock.monotonic() - began).to.be.below(1_000);
    expect((await run.result).rows.map(({ phase }) => phase)).to.deep.equal(['pending']);
  });
});

describe('a payment that is on its way', () => {
  it('is shown as it was read last, with the transaction that it has got meanwhile', async () => {
    const desk = openDesk({}, async (url, method, send) =>
      method === 'GET' && url.includes('/v1/payments/')
        ? altered(await send(), (one: object) => ({ ...one, onchain: { txnId: 'f00d' } }))
        : send(),
    );
    const { sandbox, client, journal } = desk;
    sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay: 30 * MINUTE });
    const to = sandbox.payer.createAddress();
    const chain = { to, amount: EUR('50.00'), onchainTierId: 'tier_fast' };
    const run = pay(client, { ...ADA, ...chain, intent: 'a', journal });
    await sandbox.advance(MINUTE);
    const step = run.current();
    expect(step.phase === 'pending' && step.payment?.onchain?.txnId).to.equal('f00d');
    run.detach();
  });

  it('has terms that can be read, or it is not begun', async () => {
    for (const amount of ['twenty', '1e3', '-1.00', '']) {
      const desk = openDesk({}, async (url, method, send) =>
        method === 'POST' && url.endsWith('/lnurl')
          ? altered(await send(), (quote: object) => ({ ...quote, totalFee: EUR(amount) }))
          : send(),
      );
      const { sandbox, client, journal } = desk;
      const began = sandbox.clock.now();
      const order = { ...ADA, amount: EUR('20.00'), intent: 'a', journal };
      const result = await sandbox.run(pay(client, order).result);
      expect([amount, result.phase, paymentsMoved(sandbox)]).to.deep.equal([amount, 'refused', []]);
      // a quote that cannot be read cannot be told from one of a lost journal: it is executed when it
      // has ended, which can begin nothing
      for (const { at } of sandbox.log.filter(({ method }) => method === 'PATCH'))
        expect(at - began, amount).to.be.above(60_000);
    }
  });
});

describe('a payout that another intent has found in the list', () => {
  it('is left to it, and another one is prepared', async () => {
    let isFirst = true;
    const desk: ReturnType<typeof openDesk> = openDesk({}, async (url, method, send) => {
      const answer = await send();
      if (method !== 'POST' || !url.endsWith('/payouts') || !isFirst) return answer;
      isFirst = false;
      // while its answer is on its way, another intent claims what it has prepared
      const { id } = (await desk.sandbox.clock.external(answer.clone().json())) as {
        readonly id: string;
      };
      await desk.journal.compareAndSet(`pay-payout/${id}`, 0, 'other');
      return answer;
    });
    const result = await desk.sandbox.run(desk.payOut(await desk.method()).result);
    expect([result.phase, desk.sent('POST', '/payouts')]).to.deep.equal(['completed', 2]);
    expect(desk.moved('payout')).to.have.length(1);
  });
});

describe('a list of payments', () => {
  it('names members that are none, and how many mistakes there are', () => {
    const said = (text: string, format: 'csv' | 'json' = 'json') => {
      try {
        return `read ${parseRows(text, { format }).length}`;
      } catch (thrown) {
        return (thrown as Error).message;
      }
    };
    const one = { intent: 'a', to: ADA.to, amount: EUR('1.00') };
    expect(said(JSON.stringify([one]))).to.equal('read 1');
    for (const [member, value] of [
      ['feePolicy', 'PARTLY'],
      ['beneficiary', 7],
      ['beneficiary', null],
      ['beneficiary', { who: 'Ada' }],
      ['maxFee', 'much'],
      ['maxTotal', '9.00'],
    ] as const)
      expect(said(JSON.stringify([{ ...one, [member]: value }]))).to.match(
        new RegExp(`^parseRows: row 1 \\(${member}`),
      );
    const wrong = { ...one, feePolicy: 'X' };
    expect(said(JSON.stringify([wrong]))).not.to.match(/more in/);
    const three = [wrong, { ...wrong, intent: 'b' }, { ...wrong, intent: 'c' }];
    expect(said(JSON.stringify(three))).to.match(/\(and 2 more in validationErrors\)$/);
    const csv = 'intent,to,amount,currency,maxFee\na,ada@wallet.example,1.00,EUR,9.00 eur';
    expect(said(csv, 'csv')).to.match(/^parseRows: line 2, column 5 \(maxFee\)/);
    expect(said('x', 'xml' as 'csv')).to.match(/^format: /);
    expect(said(7 as never)).to.match(/^text: /);
  });
});
