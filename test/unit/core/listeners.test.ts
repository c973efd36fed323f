// A signal may live as long as a shop does: whatever listens to it for one call has to let go of it.
import { expect } from 'chai';
import { createClient, eventFeed, watchInvoice } from 'paystate';
import type { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import { DRAFT, failureOf, openShop, rows } from './shop.ts';
import { internalsOf } from './internals.ts';
import { systemClock } from './system-clock.ts';

/** A signal that is never aborted, with a count of who listens to it. */
function longLived(): { readonly signal: AbortSignal; listeners(): number; heard(): number } {
  const { signal } = new AbortController();
  const [now, ever] = [new Set<unknown>(), new Set<unknown>()];
  const { addEventListener, removeEventListener } = AbortSignal.prototype;
  signal.addEventListener = (type: string, listener: never, ...rest: never[]) => {
    now.add(listener);
    ever.add(listener);
    addEventListener.call(signal, type, listener, ...rest);
  };
  signal.removeEventListener = (type: string, listener: never, ...rest: never[]) => {
    now.delete(listener);
    removeEventListener.call(signal, type, listener, ...rest);
  };
  return { signal, listeners: () => now.size, heard: () => ever.size };
}

describe('a signal that outlives its calls', () => {
  it('is let go after attempts and the waits between them', async () => {
    const { sandbox, client, run } = openShop();
    const { invoiceId } = await run(client.invoices.create(DRAFT));
    const life = longLived();
    for (const row of Object.values(rows)) {
      sandbox.fault({ nth: [1, 2], action: 'lost-before' });
      await run(row(client, invoiceId, { signal: life.signal }));
      expect(life.listeners()).to.equal(0);
    }
    sandbox.fault({ action: 'lost-before' });
    for (const row of Object.values(rows))
      await failureOf(run(row(client, invoiceId, { signal: life.signal })));
    expect([life.listeners(), life.heard() > 0]).to.deep.equal([0, true]);
  });

  it('is let go after the wait for a place in the budget', async () => {
    const limits = {
      ...internalsOf(openShop().client).settings.rateLimits,
      others: { limit: 2, window: 60_000, block: 60_000 },
    };
    const { client, run } = openShop({ rateLimits: limits, queueTimeout: 600_000 });
    const life = longLived();
    for (let call = 0; call < 5; call++)
      await failureOf(run(client.invoices.get('x', { signal: life.signal }), { timeout: 600_000 }));
    expect([life.listeners(), life.heard() > 5]).to.deep.equal([0, true]);
  });

  it('is let go after shared reads, whether they were answered or failed', async () => {
    const { sandbox, client, run } = openShop({ dedupeReads: true });
    const { invoiceId } = await run(client.invoices.create(DRAFT));
    const life = longLived();
    const found = [1, 2, 3].map(() => client.invoices.get(invoiceId, { signal: life.signal }));
    expect(life.listeners()).to.be.at.least(3);
    await run(Promise.all(found));
    expect(life.listeners()).to.equal(0);
    sandbox.fault({ action: 'lost-before' });
    await run(
      Promise.all(
        [1, 2, 3].map(() => failureOf(client.invoices.get(invoiceId, { signal: life.signal }))),
      ),
    );
    expect(life.listeners()).to.equal(0);
  });

  it('is let go by a watch that was left or has ended, and by a feed that was left', async () => {
    const { sandbox, client, run } = openShop();
    const life = longLived();
    const { invoiceId } = await run(client.invoices.create(DRAFT));
    const stop = watchInvoice(client, invoiceId, { signal: life.signal }).subscribe({});
    await sandbox.advance(10_000);
    stop();
    await sandbox.advance(1);
    expect(life.listeners(), 'left').to.equal(0);
    watchInvoice(client, invoiceId, { signal: life.signal }).subscribe({});
    await sandbox.payer.pay(invoiceId);
    await sandbox.advance(60_000);
    expect(life.listeners(), 'ended').to.equal(0);
    for await (const { event } of feedOf(sandbox, life.signal)) if (event) break;
    expect([life.listeners(), life.heard() > 2]).to.deep.equal([0, true]);
  });

  it("costs no listener for each beat of a machine's own clock", async () => {
    const life = longLived();
    for (let beat = 0; beat < 20; beat++) await systemClock.wait(0, life.signal);
    expect([life.listeners(), life.heard()]).to.deep.equal([0, 20]);
  });
});

/** The events so far, while time goes on by itself. */
async function* feedOf(
  sandbox: ReturnType<typeof createSandbox>,
  signal: AbortSignal,
): ReturnType<typeof eventFeed> {
  const feed = eventFeed(createClient(sandbox.clientOptions), {
    signal,
    from: '2026-01-05T08:00:00Z',
  });
  for (;;) {
    const { done, value } = await sandbox.run(feed.next(), { timeout: 600_000 });
    if (done) return;
    yield value;
  }
}
