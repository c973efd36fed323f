import { expect } from 'chai';
import { createConnection, createClient } from 'paystate';
import { invoices } from 'paystate/operations';
import { describe, it } from '#test';
import { withInternals } from './internals.ts';
import { answering, DRAFT, failureOf, INVOICE, json, openShop, reasonOf } from './shop.ts';

const sharing = (dedupeReads: boolean | undefined) => {
  const wire = answering(json(INVOICE));
  return { wire, ...openShop({ dedupeReads: dedupeReads, fetch: wire.fetch }) };
};

describe('equal reads', () => {
  it('under way at once make one request', async () => {
    const { client, run, wire } = sharing(true);
    const found = await run(
      Promise.all(Array.from({ length: 50 }, () => client.invoices.get(INVOICE.invoiceId))),
    );
    expect([wire.sent.length, new Set(found).size]).to.deep.equal([1, 1]);
    await run(client.invoices.get(INVOICE.invoiceId));
    expect(wire.sent).to.have.length(2);
  });

  it('are joined in a page only, unless it is said', async () => {
    for (const [dedupeReads, requests] of [
      [true, 1],
      [false, 2],
      [undefined, 'document' in globalThis ? 1 : 2],
    ] as const) {
      const { client, run, wire } = sharing(dedupeReads);
      await run(
        Promise.all([
          client.invoices.get(INVOICE.invoiceId),
          client.invoices.get(INVOICE.invoiceId),
        ]),
      );
      expect(wire.sent, String(dedupeReads)).to.have.length(requests);
    }
  });

  it('one that gives up does not take the others with it', async () => {
    const { client, run, wire } = sharing(true);
    const stop = new AbortController();
    const mine = reasonOf(client.invoices.get(INVOICE.invoiceId, { signal: stop.signal }));
    const other = client.invoices.get(INVOICE.invoiceId);
    stop.abort('mine');
    expect(await run(mine)).to.equal('mine');
    expect((await run(other)).invoiceId).to.equal(INVOICE.invoiceId);
    expect(wire.sent).to.have.length(1);
  });

  it('end when the last one gives up, and begin anew after that', async () => {
    const { sandbox, run } = openShop();
    const client = createClient({ ...sandbox.clientOptions, dedupeReads: true });
    sandbox.fault({ nth: 1, action: { delay: 50_000 } });
    const stops = [new AbortController(), new AbortController()];
    const given = stops.map(({ signal }) =>
      reasonOf(client.invoices.get(INVOICE.invoiceId, { signal })),
    );
    await sandbox.advance(10);
    for (const stop of stops) stop.abort('mine');
    expect(await run(Promise.all(given))).to.deep.equal(['mine', 'mine']);
    expect((await failureOf(run(client.invoices.get(INVOICE.invoiceId)))).code).to.equal(
      'NOT_FOUND',
    );
    expect(sandbox.clock.monotonic()).to.be.below(1_000);
    expect(
      await reasonOf(
        client.invoices.get(INVOICE.invoiceId, { signal: AbortSignal.abort('before') }),
      ),
    ).to.equal('before');
  });

  it('are not equal with other values, other options, another priority or other settings; commands never are', async () => {
    const pairs: readonly ((client: ReturnType<typeof createClient>) => Promise<unknown>)[] = [
      (client) => client.invoices.get(INVOICE.invoiceId.toUpperCase()),
      (client) => client.invoices.get(INVOICE.invoiceId, { callTimeout: 9_000 }),
      (client) => client.invoices.get(INVOICE.invoiceId, { maxAttempts: 1 }),
      (client) => client.invoices.get(INVOICE.invoiceId, { includeTransactions: true }),
      (client) => invoices.get(withInternals(client, { priority: 'normal' }), INVOICE.invoiceId),
      (client) => client.withOptions({ maxAttempts: 2 }).invoices.get(INVOICE.invoiceId),
    ];
    for (const other of pairs) {
      const { client, run, wire } = sharing(true);
      await run(Promise.all([client.invoices.get(INVOICE.invoiceId), other(client)]));
      expect(wire.sent).to.have.length(2);
    }
    const { client, run, wire } = sharing(true);
    await run(
      Promise.all([
        client.invoices.create(DRAFT),
        client.invoices.create(DRAFT),
        client.invoices.quote('x').catch(() => {}),
        client.invoices.quote('x').catch(() => {}),
      ]),
    );
    expect(wire.sent).to.have.length(4);
  });

  it('fail together, each with the error', async () => {
    const { sandbox } = openShop();
    const connection = createConnection({ ...sandbox.clientOptions, dedupeReads: true });
    const errors = await sandbox.run(
      Promise.all([1, 2, 3].map(() => failureOf(invoices.get(connection, 'x')))),
    );
    expect(new Set(errors).size).to.equal(1);
    expect(sandbox.log).to.have.length(1);
    expect((await failureOf(sandbox.run(invoices.get(connection, 'x')))).code).to.equal(
      'NOT_FOUND',
    );
    expect(sandbox.log).to.have.length(2);
  });
});
