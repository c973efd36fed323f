// Caches between: a request says that nothing kept may answer it, and an answer that was kept all the same is as old
// as it says.
import { expect } from 'chai';
import { createClient, firstValue, isPaystateError, watchInvoice } from 'paystate';
import { describe, it } from '#test';
import { answering, INVOICE, json, openShop } from './shop.ts';

const ID = INVOICE.invoiceId;

/** A runtime whose `fetch` does not know the member `cache`, as workerd before 2024-11-11. */
const oldRuntime = (isSync: boolean) => {
  const seen: boolean[] = [];
  const fetch = (_url: string, init: RequestInit): Promise<Response> => {
    seen.push('cache' in init);
    if (!('cache' in init)) return Promise.resolve(Response.json(INVOICE));
    const refusal = new Error("The 'cache' field on 'RequestInitializerDict' is not implemented.");
    if (isSync) throw refusal;
    return Promise.reject(refusal);
  };
  return { seen, fetch };
};

describe('caches between', () => {
  it('may answer no request: reads and commands say no-store', async () => {
    const wire = answering(json(INVOICE));
    const { client, run } = openShop({ fetch: wire.fetch });
    await run(client.invoices.get(ID));
    await run(client.invoices.cancel(ID).catch(() => {}));
    expect(wire.sent.map(({ init }) => init.cache)).to.deep.equal(['no-store', 'no-store']);
  });

  for (const isSync of [false, true])
    it(`is said no more where a runtime does not know it (${isSync ? 'thrown' : 'rejected'})`, async () => {
      const { seen, fetch } = oldRuntime(isSync);
      const { client, run } = openShop({ fetch });
      for (let at = 0; at < 3; at++)
        expect((await run(client.invoices.get(ID))).invoiceId).to.equal(ID);
      expect(seen).to.deep.equal([true, false, false, false]);
    });

  it('is not taken for that where a network fails', async () => {
    const seen: unknown[] = [];
    const fetch = (_url: string, init: RequestInit): Promise<Response> => {
      seen.push(init.cache);
      return Promise.reject(new TypeError('net::ERR_CACHE_MISS'));
    };
    const { client, run } = openShop({ fetch, maxAttempts: 1 });
    await run(client.invoices.get(ID).catch(() => {}));
    await run(client.invoices.get(ID).catch(() => {}));
    expect(seen).to.deep.equal(['no-store', 'no-store']);
  });
});

describe("a framework's control flow", () => {
  /** What Next throws from its `fetch`, by its own marks. */
  const signal = (digest: string): Error => Object.assign(new Error('steers'), { digest });

  it('passes unchanged, whatever the call, and nothing is sent again', async () => {
    const thrown = signal('DYNAMIC_SERVER_USAGE');
    let requests = 0;
    const fetch = (): Promise<Response> => {
      requests++;
      return Promise.reject(thrown);
    };
    const { client, run } = openShop({ fetch });
    const calls = [
      () => client.invoices.get(ID),
      () => client.invoices.list().toArray({ limit: 10 }),
      () => client.balances.list(),
      () => client.invoices.create({ amount: { amount: '1.00', currency: 'EUR' } }),
      () => client.invoices.cancel(ID),
    ];
    for (const call of calls)
      expect(await run(call().catch((error: unknown) => error))).to.equal(thrown);
    expect(requests).to.equal(calls.length);
  });

  it('passes from a token source, too', async () => {
    const thrown = signal('NEXT_REDIRECT;replace;/login;307;');
    const { sandbox, run } = openShop();
    const { apiKey: _, ...options } = sandbox.clientOptions;
    const client = createClient({ ...options, token: () => Promise.reject(thrown) });
    expect(await run(client.invoices.get(ID).catch((error: unknown) => error))).to.equal(thrown);
  });

  it('leaves it open whether a command was done', async () => {
    const steered = signal('DYNAMIC_SERVER_USAGE');
    const taken = { code: 'DUPLICATE_INVOICE', message: 'exists', traceId: 't' };
    let requests = 0;
    const fetch = (): Promise<Response> => {
      requests++;
      if (requests === 1) return Promise.reject(steered);
      return Promise.resolve(Response.json({ data: { status: 422, ...taken } }, { status: 422 }));
    };
    const { client, run } = openShop({ fetch });
    const draft = { correlationId: 'order-1', amount: { amount: '1.00', currency: 'EUR' } };
    const create = () => run(client.invoices.create(draft).catch((error: unknown) => error));
    expect(await create()).to.equal(steered);
    const again = await create();
    expect(isPaystateError(again)).to.equal(true);
    expect(requests, 'the second looks for what the first may have made').to.be.above(2);
  });

  it('is no error that a watch shows', async () => {
    const { sandbox } = openShop();
    const { fetch } = sandbox.clientOptions;
    let isSteering = false;
    const client = createClient({
      ...sandbox.clientOptions,
      fetch: (...given) =>
        isSteering ? Promise.reject(signal('HANGING_PROMISE_REJECTION')) : fetch!(...given),
    });
    const invoice = await sandbox.run(
      client.invoices.create({ amount: { amount: '1.00', currency: 'EUR' } }),
    );
    const watch = watchInvoice(client, invoice);
    const stop = watch.subscribe(() => {});
    await sandbox.run(firstValue(watch));
    isSteering = true;
    await sandbox.advance(120_000);
    const { error, freshness } = watch.current();
    expect(freshness).to.equal('stale');
    expect(isPaystateError(error)).to.equal(true);
    stop();
  });
});
