// Node only: the sandbox computes the same in every engine.
import { expect } from 'chai';
import { createSandbox } from 'paystate/sandbox';
import { testRateLimits } from 'paystate';
import { describe, it, itLong } from '#test';
import { type Ask, asker, euros, newInvoice } from './ask.ts';

const MINUTE = 60_000;

/** Statuses of `count` equal requests, as `200×3 429×1`. */
const many = async (count: number, ask: () => ReturnType<Ask>): Promise<string> => {
  const tally = new Map<number, number>();
  for (let index = 0; index < count; index++) {
    const { status } = await ask();
    tally.set(status, (tally.get(status) ?? 0) + 1);
  }
  return Array.from(tally, ([status, times]) => `${status}×${times}`).join(' ');
};

describe('sandbox: limits', () => {
  itLong('block a group for its time when it goes over the published number', async () => {
    const sandbox = createSandbox({ signed: false });
    const ask = asker(sandbox);
    const create = (): ReturnType<Ask> => ask('POST', '/v1/invoices', euros('1'));
    expect(await many(252, create)).to.equal('201×250 429×2');
    const id = (await ask('GET', '/v1/invoices?$top=1')).word('items.0.invoiceId');
    expect(await many(251, () => ask('POST', `/v1/invoices/${id}/quote`))).to.equal(
      '201×250 429×1',
    );
    expect(await many(1_000, () => ask('GET', `/v1/invoices/${id}`))).to.equal('200×999 429×1');
    expect((await ask('GET', '/v1/events')).status).to.equal(429);
    expect(sandbox.blocks).to.equal(3);
  });

  it('say when the block ends, which nothing prolongs', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    const create = (): ReturnType<Ask> => ask('POST', '/v1/invoices', euros('1'));
    await many(250, create);
    await sandbox.advance(10_500);
    const first = await create();
    expect([first.status, first.at('data.code'), first.headers.get('retry-after')]).to.deep.equal([
      429,
      'RATE_LIMIT_EXCEEDED',
      '60',
    ]);
    await sandbox.advance(10_001);
    expect((await create()).headers.get('retry-after')).to.equal('50');
    await sandbox.advance(49_998);
    expect((await create()).headers.get('retry-after')).to.equal('1');
    await sandbox.advance(1);
    expect((await create()).status).to.equal(201);
    expect(sandbox.blocks).to.equal(1);
  });

  it('say so with a date, where that is wanted', async () => {
    const sandbox = createSandbox({ rateLimits: 'test', assume: { 'limits.unit': 'date' } });
    const ask = asker(sandbox);
    await many(350, () => ask('GET', '/v1/invoices'));
    await sandbox.advance(1);
    expect((await ask('GET', '/v1/invoices')).headers.get('retry-after')).to.equal(
      'Mon, 05 Jan 2026 10:00:01 GMT',
    );
    await sandbox.advance(60 * MINUTE - 1);
    const last = await ask('GET', '/v1/invoices');
    expect([last.status, last.headers.get('date'), last.headers.get('retry-after')]).to.deep.equal([
      429,
      'Mon, 05 Jan 2026 10:00:00 GMT',
      'Mon, 05 Jan 2026 10:00:01 GMT',
    ]);
    await sandbox.advance(1);
    expect((await ask('GET', '/v1/invoices')).status).to.equal(200);
    expect(() => createSandbox({ assume: { 'limits.unit': 'soon' as never } })).to.throw(
      'limits.unit',
    );
  });

  it('count in a window that slides', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    const create = (): ReturnType<Ask> => ask('POST', '/v1/invoices', euros('1'));
    expect(await many(125, create)).to.equal('201×125');
    await sandbox.advance(MINUTE / 2);
    expect(await many(125, create)).to.equal('201×125');
    await sandbox.advance(MINUTE / 2);
    expect(await many(125, create)).to.equal('201×125');
    expect(await many(1, create)).to.equal('429×1');
  });

  it('block reads for an hour', async () => {
    const sandbox = createSandbox({ rateLimits: 'test' });
    const ask = asker(sandbox);
    expect(await many(351, () => ask('GET', '/v1/invoices'))).to.equal('200×350 429×1');
    await sandbox.advance(60 * MINUTE - 1);
    expect((await ask('GET', '/v1/invoices')).headers.get('retry-after')).to.equal('1');
    await sandbox.advance(1);
    expect((await ask('GET', '/v1/invoices')).status).to.equal(200);
    expect(sandbox.clientOptions.rateLimits).to.equal(testRateLimits);
  });

  it('go by address, not by key, and count what is refused', async () => {
    const sandbox = createSandbox({ rateLimits: 'test' });
    const [one, two] = [asker(sandbox), asker(sandbox, sandbox.clientOptionsFor())];
    const away = asker(sandbox, sandbox.clientOptionsFor({ address: '198.51.100.7' }));
    expect(await many(100, () => one('GET', '/v1/nothing'))).to.equal('404×100');
    expect(await many(250, () => two('GET', '/v1/invoices?$top=0'))).to.equal('400×250');
    expect((await two('GET', '/v1/invoices')).status).to.equal(429);
    expect((await sandbox.fetch('/v1/invoices')).status).to.equal(429);
    expect((await away('GET', '/v1/invoices')).status).to.equal(200);
  });

  it("do not touch other groups, and can be one's own", async () => {
    const limits = { ...testRateLimits, invoices: { limit: 2, window: 100, block: 5_000 } };
    const sandbox = createSandbox({ rateLimits: limits });
    const ask = asker(sandbox);
    const id = await newInvoice(ask);
    expect(await many(3, () => ask('POST', '/v1/invoices', euros('1')))).to.equal('201×1 429×2');
    expect((await ask('POST', `/v1/invoices/${id}/quote`)).status).to.equal(201);
    expect(sandbox.clientOptions.rateLimits).to.equal(limits);
    expect(
      sandbox.log.filter(({ status }) => status === 429).map(({ bucket }) => bucket),
    ).to.deep.equal(['invoices', 'invoices']);
  });

  it('hold payments while 100 are pending, and let the next one through when one ends', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    sandbox.fault({ subject: 'payment', delay: Infinity });
    const pay = async (): ReturnType<Ask> => {
      const lnInvoice = sandbox.payer.createBolt11({ sat: '1' });
      const draft = { lnInvoice, sourceCurrency: 'EUR' };
      const quote = await ask('POST', '/v1/payment-quotes/lightning', draft);
      return ask('PATCH', `/v1/payment-quotes/${quote.word('paymentQuoteId')}/execute`);
    };
    const first = await pay();
    const second = await pay();
    expect([first.at('state'), await many(99, pay)]).to.deep.equal(['PENDING', '202×98 422×1']);
    sandbox.move('payment', first.word('paymentId'), 'COMPLETED');
    expect(await many(2, pay), 'one has been completed').to.equal('202×1 422×1');
    sandbox.move('payment', second.word('paymentId'), 'FAILED');
    expect(await many(1, pay), 'one has failed').to.equal('202×1');
    expect((await pay()).at('data.code')).to.equal('TOO_MANY_TRANSACTIONS');
  });
});
