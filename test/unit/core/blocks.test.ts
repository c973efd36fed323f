// A block lasts as long as the longest that was said of it.
import { expect } from 'chai';
import { watchRateLimits } from 'paystate';
import { describe, it } from '#test';
import { type Answer, answering, failureOf, INVOICE, json, openShop, refusal } from './shop.ts';
import { internalsOf } from './internals.ts';

const limited = (seconds: number) =>
  refusal(429, 'RATE_LIMIT_EXCEEDED', {}, { 'retry-after': String(seconds) });

describe('a block', () => {
  it('is not shortened by a later answer that names a shorter one', async () => {
    const wire = answering(limited(600), limited(5), limited(0), json(INVOICE));
    const { sandbox, client, run, now } = openShop({ fetch: wire.fetch, dedupeReads: false });
    const underway = ['a', 'b', 'c'].map((id) =>
      failureOf(client.invoices.get(id, { maxAttempts: 1 })),
    );
    expect((await run(Promise.all(underway))).map(({ status }) => status)).to.deep.equal([
      429, 429, 429,
    ]);
    const budget = watchRateLimits(client);
    budget.subscribe({})();
    expect(budget.current()!.others.blockedUntil! - internalsOf(client).clock.now()).to.be.within(
      595_000,
      600_000,
    );
    await sandbox.advance(1);
    await run(client.invoices.get(INVOICE.invoiceId, { queueTimeout: 3_600_000 }), {
      timeout: 3_600_000,
    });
    expect(now()).to.be.within(600_000, 601_000);
    expect(wire.sent).to.have.length(4);
  });

  it('passes while the machine sleeps, also where its monotonic clock stands still', async () => {
    const wire = answering(limited(3_600), json(INVOICE));
    const { sandbox } = openShop();
    let slept = 0;
    const clock = { ...sandbox.clock, now: () => sandbox.clock.now() + slept };
    const { client, run } = openShop({ fetch: wire.fetch, clock });
    await failureOf(run(client.invoices.get('a', { maxAttempts: 1 })));
    slept = 2 * 3_600_000;
    await client.invoices.get(INVOICE.invoiceId, { queueTimeout: 1 });
    expect(wire.sent).to.have.length(2);
  });

  it('that is over by the wall clock alone lets one read a minute find out, and no command', async () => {
    const wire = answering(limited(3_600), limited(1_800), json(INVOICE), json(INVOICE));
    const { sandbox } = openShop();
    let ahead = 0;
    const clock = { ...sandbox.clock, now: () => sandbox.clock.now() + ahead };
    const { client, run } = openShop({ fetch: wire.fetch, clock, dedupeReads: false });
    const read = (id: string) => client.invoices.get(id, { queueTimeout: 1, maxAttempts: 1 });
    await failureOf(run(read('a')));
    ahead = 2 * 3_600_000;
    expect(await failureOf(run(client.payouts.initiate('p', { queueTimeout: 1 })))).to.include({
      code: 'QUEUE_TIMEOUT',
    });
    const both = await Promise.all([failureOf(read('b')), failureOf(read('c'))]);
    expect(both.map(({ code }) => code)).to.deep.equal(['RATE_LIMIT_EXCEEDED', 'QUEUE_TIMEOUT']);
    expect(wire.sent).to.have.length(2);
    ahead += 3_600_000;
    expect((await failureOf(run(read('d')))).code, 'a minute apart').to.equal('QUEUE_TIMEOUT');
    await sandbox.advance(60_000);
    await read(INVOICE.invoiceId);
    await read(INVOICE.invoiceId);
    expect(wire.sent).to.have.length(4);
  });

  it('goes on where the read that was to find out got no response', async () => {
    const lost: Answer = () => Promise.reject(new TypeError('socket hang up'));
    const wire = answering(limited(3_600), lost, json(INVOICE));
    const { sandbox } = openShop();
    let ahead = 0;
    const clock = { ...sandbox.clock, now: () => sandbox.clock.now() + ahead };
    const { client, run } = openShop({ fetch: wire.fetch, clock, dedupeReads: false });
    const read = (id: string) => client.invoices.get(id, { queueTimeout: 1, maxAttempts: 1 });
    await failureOf(run(read('a')));
    ahead = 2 * 3_600_000;
    expect((await failureOf(run(read('b')))).code).to.equal('UNREACHABLE');
    expect((await failureOf(run(read('c')))).code).to.equal('QUEUE_TIMEOUT');
    expect(wire.sent).to.have.length(2);
  });

  it('is made longer by a later answer that names a longer one', async () => {
    const wire = answering(limited(5), limited(600), json(INVOICE));
    const { client, run, now } = openShop({ fetch: wire.fetch, dedupeReads: false });
    await run(
      Promise.all(['a', 'b'].map((id) => failureOf(client.invoices.get(id, { maxAttempts: 1 })))),
    );
    await run(client.invoices.get(INVOICE.invoiceId, { queueTimeout: 3_600_000 }), {
      timeout: 3_600_000,
    });
    expect(now()).to.be.within(600_000, 601_000);
  });

  it('leaves a tenth of the places at least, however many short ones there were', async () => {
    const answers = Array.from({ length: 12 }, () => limited(1));
    const wire = answering(...answers, ...Array.from({ length: 50 }, () => json(INVOICE)));
    const { sandbox, client, run } = openShop({ fetch: wire.fetch, dedupeReads: false });
    for (let block = 0; block < 12; block++) {
      await failureOf(run(client.invoices.get('a', { maxAttempts: 1 })));
      await sandbox.advance(1_000);
    }
    for (let read = 0; read < 50; read++)
      await run(client.invoices.get(INVOICE.invoiceId, { queueTimeout: 1 }));
    expect(wire.sent).to.have.length(62);
  });

  it('lasts a minute where something before the service says 429 without a time, and no hour', async () => {
    for (const [headers, length] of [
      [{}, 60_000],
      [{ 'retry-after': '40' }, 40_000],
    ] as const) {
      const { sandbox, client, run } = openShop({ dedupeReads: false });
      const action = { status: 429, html: '<h1>Too many requests</h1>', headers };
      sandbox.fault({ nth: 1, action });
      const first = await failureOf(run(client.invoices.get('a', { maxAttempts: 1 })));
      expect([first.code, first.status]).to.deep.equal(['NOT_FROM_SERVICE', 429]);
      expect((await failureOf(run(client.invoices.get('b')))).code).to.equal('NOT_FOUND');
      const [refusedAt, nextAt, ...later] = sandbox.log.map(({ at }) => at);
      expect(nextAt! - refusedAt!).to.be.within(length, length + 1_000);
      expect(later).to.deep.equal([]);
    }
  });
});
