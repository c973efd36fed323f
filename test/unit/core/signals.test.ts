// Node warns of a leak when a signal gets its eleventh listener, and one signal may end many calls.
import { describe, it } from '#test';
import { expect } from 'chai';
import { firstValue, watchInvoice } from 'paystate';
import { DRAFT, INVOICE, json, openShop, reasonOf } from './shop.ts';

/** A signal that counts those who listen to it. */
const countingSignal = () => {
  const controller = new AbortController();
  const { signal } = controller;
  let most = 0;
  const add = signal.addEventListener.bind(signal) as AbortSignal['addEventListener'];
  signal.addEventListener = ((type: 'abort', listener: () => void) => {
    most++;
    add(type, listener);
  }) as typeof signal.addEventListener;
  return { controller, signal, most: () => most };
};

const COUNT = 30;
const times = <T>(make: () => T): T[] => Array.from({ length: COUNT }, make);

describe('one signal for many', () => {
  for (const dedupeReads of [true, false])
    it(`reads has one listener (${dedupeReads ? 'shared' : 'each sent'})`, async () => {
      const { client, run } = openShop({ dedupeReads });
      const { invoiceId } = await run(client.invoices.create(DRAFT));
      const { signal, most } = countingSignal();
      await run(Promise.all(times(() => client.invoices.get(invoiceId, { signal }))));
      expect(most()).to.equal(1);
    });

  it('reads ends all of them, and later ones before they are sent', async () => {
    const { client, run } = openShop({ dedupeReads: false });
    const { invoiceId } = await run(client.invoices.create(DRAFT));
    const controller = new AbortController();
    const { signal } = controller;
    const reasons = times(() => reasonOf(client.invoices.get(invoiceId, { signal })));
    controller.abort('enough');
    expect(new Set(await run(Promise.all(reasons)))).to.deep.equal(new Set(['enough']));
    expect(await reasonOf(client.invoices.get(invoiceId, { signal }))).to.equal('enough');
  });

  it('reads ends those that still run when others have been answered', async () => {
    const { client, sandbox, run } = openShop({
      dedupeReads: false,
      fetch: (url, init) =>
        url.endsWith('slow')
          ? new Promise(() => {})
          : Promise.resolve(json(INVOICE)(init) as Response),
    });
    const controller = new AbortController();
    const { signal } = controller;
    const reasons: unknown[] = [];
    for (const id of ['slow', 'slow'])
      void reasonOf(client.invoices.get(id, { signal })).then((reason) => reasons.push(reason));
    await run(client.invoices.get(INVOICE.invoiceId, { signal }));
    controller.abort('enough');
    await sandbox.advance(1);
    expect(reasons).to.deep.equal(['enough', 'enough']);
  });

  it('watches and waits has one listener; it completes the ones and rejects the others', async () => {
    const { sandbox, client, run } = openShop();
    const invoice = await run(client.invoices.create(DRAFT));
    const { controller, signal, most } = countingSignal();
    let completed = 0;
    const complete = () => void completed++;
    for (const watch of times(() => watchInvoice(client, invoice, { signal })))
      watch.subscribe({ complete });
    const where = ({ state }: { state: string }) => state === 'PAID';
    const waits = times(() =>
      reasonOf(firstValue(watchInvoice(client, invoice), { where, signal })),
    );
    await sandbox.advance(5_000);
    expect(most()).to.equal(1);
    controller.abort('enough');
    expect(new Set(await run(Promise.all(waits)))).to.deep.equal(new Set(['enough']));
    expect(completed).to.equal(COUNT);
  });
});
