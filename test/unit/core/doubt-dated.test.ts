// Doubt about a write lasts until somebody reads: it is as old as the first try that may have had its effect.
import { expect } from 'chai';
import { describe, it } from '#test';
import { DRAFT, openShop, reasonOf, rows } from './shop.ts';

const MINE = new Error('the user went away');
const MINUTE = 60_000;

describe('doubt about a write', () => {
  it('is dated from the first try that may have had its effect, however long the later ones were put off', async () => {
    const { sandbox, client, run } = openShop();
    sandbox.fault({ method: 'POST', nth: 1, action: 'lost-after' });
    sandbox.fault({
      method: 'POST',
      nth: 2,
      action: { status: 503, code: 'MAINTENANCE_MODE', headers: { 'retry-after': '600' } },
    });
    sandbox.fault({ method: 'POST', nth: 3, action: 'lost-before' });
    const draft = { ...DRAFT, correlationId: 'order-1' };
    const invoice = await run(
      client.invoices.create(draft, { maxAttempts: 9, callTimeout: 30 * MINUTE }),
      { timeout: 60 * MINUTE },
    );
    expect(sandbox.clock.monotonic()).to.be.above(10 * MINUTE);
    expect(Date.parse(invoice.created) - sandbox.clock.now()).to.be.below(-10 * MINUTE);
    expect(await run(client.invoices.list().count())).to.equal(1);
  });

  it('is said when the caller gives up while a later try waits for its credential', async () => {
    for (const repeat of ['client-id', 'same-request'] as const) {
      let [tokens, isStuck] = [0, false];
      const { sandbox, client, run } = openShop({
        apiKey: undefined,
        random: () => 0,
        token: () =>
          isStuck && ++tokens > 1 ? new Promise(() => {}) : sandbox.clientOptions.apiKey!,
      });
      const { invoiceId } = await run(client.invoices.create(DRAFT));
      isStuck = true;
      const sent = sandbox.log.length;
      sandbox.fault({ action: 'lost-after' });
      const stop = new AbortController();
      void sandbox.clock.wait(1_000).then(() => stop.abort(MINE));
      const reason = await reasonOf(run(rows[repeat](client, invoiceId, { signal: stop.signal })));
      expect([sandbox.log.length - sent, tokens], repeat).to.deep.equal([1, 2]);
      expect(reason, repeat).to.include({ kind: 'unreachable', outcome: 'unknown' });
    }
  });

  it('is none when the caller gives up while the first try waits for its credential', async () => {
    for (const repeat of ['safe', 'client-id', 'same-request'] as const) {
      const { sandbox, client, run } = openShop({
        apiKey: undefined,
        token: () => new Promise(() => {}),
      });
      const stop = new AbortController();
      void sandbox.clock.wait(1_000).then(() => stop.abort(MINE));
      const reason = await reasonOf(run(rows[repeat](client, 'x', { signal: stop.signal })));
      expect(
        reason === MINE || (reason as { outcome: string }).outcome === 'not-done',
        repeat,
      ).to.equal(true);
    }
  });

  it('is none, and nothing is sent, when the caller gives up as the first try is about to leave', async () => {
    for (const repeat of ['safe', 'client-id', 'same-request'] as const) {
      const stop = new AbortController();
      const { sandbox, client, run } = openShop({ onRequest: () => stop.abort(MINE) });
      const reason = await reasonOf(run(rows[repeat](client, 'x', { signal: stop.signal })));
      expect(
        reason === MINE || (reason as { outcome: string }).outcome === 'not-done',
        repeat,
      ).to.equal(true);
      expect(sandbox.log, repeat).to.have.length(0);
    }
  });
});
