// Protects: an inbox's batches stay below D1's limits of 50 statements and two million bytes a value, however many events
// come at once, and keep their order; a delivery with its handler stays below the 50 statements of an invocation.
// Part of `npm test`.
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { createClient } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { d1Driver, type ReceivedEvent, sqlInboxStore } from 'paystate/stores';
import { createInbox } from 'paystate/webhooks';
import { describe, it } from '#test';

/** A D1 that notes the statements of each batch, and its largest value. */
function openD1() {
  const db = new DatabaseSync(':memory:');
  const batches: number[] = [];
  let largest = 0;
  interface Bound {
    run(): unknown[];
  }
  const driver = d1Driver({
    prepare: (text: string) => ({
      bind: (...values: (string | number | null)[]): Bound => ({
        run() {
          largest = Math.max(largest, ...values.map((value) => String(value).length));
          return db.prepare(text).all(...values);
        },
      }),
    }),
    async batch(bound: Bound[]) {
      batches.push(bound.length);
      db.exec('BEGIN');
      try {
        const found = bound.map((one) => ({ results: one.run() }));
        db.exec('COMMIT');
        return found;
      } catch (thrown) {
        db.exec('ROLLBACK');
        throw thrown;
      }
    },
  } as never);
  return { driver, batches, largestValue: () => largest };
}

const eventOf = (n: number, subject: string, body = `{"n":${n}}`): ReceivedEvent => ({
  ...{ kind: 'event', id: `event-${n}`, subject, body },
  ...{ createdAt: n, receivedAt: n },
});

describe('an inbox in D1', () => {
  it('keeps 400 events, and ends 100 of one subject, by a few statements', async () => {
    const { driver, batches } = openD1();
    const store = sqlInboxStore(driver);
    await store.counts(); // makes the tables
    batches.length = 0;
    const events = Array.from({ length: 400 }, (_, n) => eventOf(n, `invoice:${n % 4}`));
    expect(new Set(await store.add(events, { at: 1 }))).to.deep.equal(new Set(['new']));
    const [lease] = await store.lease(1_000, 60_000, 1);
    const numbers = lease!.events.map(({ receivedAt }) => receivedAt);
    expect(numbers)
      .to.deep.equal(numbers.toSorted((a, b) => a - b))
      .and.have.length(100);
    expect(await store.commit(lease!, { state: {}, done: lease!.events })).to.equal(true);
    expect((await store.counts()).open).to.equal(300);
    expect(batches.every((statements) => statements <= 10)).to.equal(true);
  });

  it('says which of many it knows, and which clash, in any mixture', async () => {
    const store = sqlInboxStore(openD1().driver);
    await store.add([eventOf(1, 'invoice:a'), eventOf(2, 'invoice:a')]);
    const added = await store.add([
      ...[eventOf(3, 'invoice:a'), eventOf(1, 'invoice:a'), eventOf(2, 'invoice:b')],
      ...[eventOf(4, 'invoice:a'), eventOf(3, 'invoice:a'), eventOf(4, 'invoice:b')],
    ]);
    expect(added).to.deep.equal(['new', 'known', 'clash', 'new', 'known', 'clash']);
    const [lease] = await store.lease(1_000, 60_000, 10);
    expect(lease!.events.map(({ id }) => id).join()).to.equal('event-1,event-2,event-3,event-4');
    expect((await store.counts()).nextDue).to.equal(61_000);
  });

  it('keeps large bodies in values that D1 takes', async () => {
    const { driver, batches, largestValue } = openD1();
    const body = JSON.stringify({ text: 'x'.repeat(60_000) });
    const events = Array.from({ length: 100 }, (_, n) => eventOf(n, `invoice:${n}`, body));
    await sqlInboxStore(driver).add(events);
    expect(largestValue()).to.be.within(60_000, 1_900_000);
    expect(Math.max(...batches)).to.be.at.most(50);
  });

  it('needs fewer than 50 statements for a delivery with its handler', async () => {
    const { driver, batches } = openD1();
    const sandbox = createSandbox({ signed: false, deliver: async () => new Response() });
    const client = createClient(sandbox.clientOptions);
    const store = sqlInboxStore(driver);
    await store.counts();
    const shipped: string[] = [];
    const inbox = createInbox({
      ...{ client, store, secrets: 'a secret of ten' },
      on: { invoicePaid: ({ invoiceId }) => void shipped.push(invoiceId) },
    });
    const { invoiceId } = await sandbox.run(
      client.invoices.create({ amount: { amount: '1', currency: 'EUR' } }),
    );
    await sandbox.payer.pay(invoiceId);
    batches.length = 0;
    const now = sandbox.clock.now();
    const data = { id: 'e', eventType: 'invoice.updated', data: { entityId: invoiceId } };
    const body = JSON.stringify({ ...data, webhookVersion: 'v1', created: new Date(now) });
    const event = { ...eventOf(1, `invoice:${invoiceId}`, body), createdAt: now, receivedAt: now };
    await store.add([event]);
    await sandbox.run(inbox.drain());
    expect(shipped).to.deep.equal([invoiceId]);
    expect(batches.reduce((sum, count) => sum + count, 0)).to.be.at.most(25);
  });
});
