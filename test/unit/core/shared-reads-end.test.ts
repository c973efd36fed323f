// A shared read belongs to who waits for it: without anybody it ends on the wire, and nobody comes to it any more.
import { expect } from 'chai';
import { describe, it } from '#test';
import { INVOICE, json, openShop, reasonOf } from './shop.ts';

/** A client with shared reads whose answers never come, until it is said. */
function hanging() {
  const signals: AbortSignal[] = [];
  let isHanging = true;
  const shop = openShop({
    dedupeReads: true,
    fetch: (_url, init) => {
      signals.push(init.signal!);
      return isHanging ? new Promise(() => {}) : Promise.resolve(json(INVOICE)(init) as Response);
    },
  });
  return { ...shop, signals, answer: () => void (isHanging = false) };
}

describe('a shared read', () => {
  it('ends on the wire when the last who wait for it give up, and not before', async () => {
    const { client, sandbox, run, signals } = hanging();
    const stops = [new AbortController(), new AbortController(), new AbortController()];
    const reasons = stops.map(({ signal }) =>
      reasonOf(client.invoices.get(INVOICE.invoiceId, { signal })),
    );
    await sandbox.advance(100);
    for (const stop of stops) {
      expect(signals.map(({ aborted }) => aborted)).to.deep.equal([false]);
      stop.abort('gone');
      await sandbox.advance(1);
    }
    expect(await run(Promise.all(reasons))).to.deep.equal(['gone', 'gone', 'gone']);
    expect(signals.map(({ aborted }) => aborted)).to.deep.equal([true]);
  });

  it("that was given up is nobody's: who asks next has a new one", async () => {
    const { sandbox, client, run, signals, answer } = hanging();
    const stop = new AbortController();
    const given = reasonOf(client.invoices.get(INVOICE.invoiceId, { signal: stop.signal }));
    await sandbox.advance(1);
    answer();
    stop.abort('gone');
    expect(await given).to.equal('gone');
    expect((await run(client.invoices.get(INVOICE.invoiceId))).invoiceId).to.equal(
      INVOICE.invoiceId,
    );
    expect(signals.map(({ aborted }) => aborted)).to.deep.equal([true, false]);
  });
});
