import { expect } from 'chai';
import { type Connection, createClient, InputError, type Priority } from 'paystate';
import { invoices } from 'paystate/operations';
import { describe, it, itLong } from '#test';
import { answering, DRAFT, failureOf, INVOICE, json, openShop, refusal } from './shop.ts';
import { internalsOf, withInternals } from './internals.ts';

const withPriority = (client: Connection, priority: Priority): Connection =>
  withInternals(client, { priority });
const PATIENT = { callTimeout: 1e12, queueTimeout: 1e12 };

/** Attempts of calls that fail, one after the other, until there is no second attempt left. */
const exhaust = async (connection: Connection): Promise<number> => {
  for (let retries = 0; ; ) {
    const { attempts = 0 } = await failureOf(invoices.get(connection, 'x'));
    if (attempts === 1) return retries;
    retries += attempts - 1;
  }
};

describe('the retry bucket', () => {
  it('lets a hundred attempts more through, then none', async () => {
    const { sandbox, client, run } = openShop({ ...PATIENT, maxAttempts: 2 });
    sandbox.fault({ action: 'lost-before' });
    expect(await run(exhaust(withPriority(client, 'critical')), { timeout: 1e10 })).to.equal(100);
    expect((await failureOf(run(client.invoices.get(INVOICE.invoiceId)))).attempts).to.equal(1);
  });

  it('costs twice as much after a timeout', async () => {
    const { sandbox, client, run } = openShop({ ...PATIENT, maxAttempts: 2 });
    sandbox.fault({ action: { delay: 60_000 } });
    expect(await run(exhaust(withPriority(client, 'critical')), { timeout: 1e10 })).to.equal(50);
  });

  it('leaves money a part that lists and watches cannot spend', async () => {
    const { sandbox, client, run } = openShop({ ...PATIENT, maxAttempts: 2 });
    sandbox.fault({ action: 'lost-before' });
    const counts: number[] = [];
    for (const priority of ['low', 'normal', 'high', 'critical'] as const)
      counts.push(await run(exhaust(withPriority(client, priority)), { timeout: 1e10 }));
    expect(counts).to.deep.equal([80, 10, 5, 5]);
  });

  it('gets one back for each call that needs no second attempt', async () => {
    const good = json(INVOICE);
    let isDown = true;
    const { client, run } = openShop({
      ...PATIENT,
      maxAttempts: 2,
      fetch: async (_url, init) => (isDown ? refusal(500, 'INTERNAL_SERVER_ERROR') : good)(init),
    });
    const money = withPriority(client, 'critical');
    await run(exhaust(money), { timeout: 1e10 });
    isDown = false;
    for (let time = 0; time < 14; time++)
      await run(invoices.get(money, INVOICE.invoiceId), { timeout: 1e10 });
    isDown = true;
    expect(await run(exhaust(money), { timeout: 1e10 })).to.equal(2);
  });

  it('is one for a client and its children, and none for others', async () => {
    const { sandbox, client, run } = openShop({ ...PATIENT, maxAttempts: 2 });
    sandbox.fault({ action: 'lost-before' });
    await run(exhaust(withPriority(client.withOptions({ maxAttempts: 3 }), 'critical')), {
      timeout: 1e10,
    });
    expect((await failureOf(run(client.invoices.get(INVOICE.invoiceId)))).attempts).to.equal(1);
    expect(
      (await failureOf(run(createClient(sandbox.clientOptions).invoices.get(INVOICE.invoiceId))))
        .attempts,
    ).to.equal(3);
  });

  itLong(
    'keeps repeats below 100 + 0.2 × successes in any stretch, when a part of the service is away',
    async () => {
      const answers = answering(refusal(503, 'SERVICE_UNAVAILABLE'));
      let turn = 0;
      const { client, run } = openShop({
        ...PATIENT,
        fetch: async (url, init) =>
          ++turn % 3 === 0 ? json(INVOICE)(init) : answers.fetch(url, init),
      });
      const marks: [number, number][] = [[0, 0]];
      await run(
        (async () => {
          for (let call = 0, retries = 0, successes = 0; call < 600; call++) {
            const { attempts, ok } = await invoices
              .get(withPriority(client, 'critical'), INVOICE.invoiceId)
              .withResponse()
              .then(
                (answer) => ({ attempts: answer.attempts, ok: 1 }),
                (error: { attempts: number }) => ({ attempts: error.attempts, ok: 0 }),
              );
            retries += attempts - 1;
            successes += ok;
            marks.push([retries, successes]);
          }
        })(),
        { timeout: 1e12 },
      );
      for (const [at, [retries, successes]] of marks.entries())
        for (const [before, good] of marks.slice(0, at))
          expect(retries - before).to.be.at.most(100 + 0.2 * (successes - good) + 1e-9);
      expect(marks.at(-1)![0]).to.be.above(100);
    },
  );
});

describe('numbers of a derived client and of one call', () => {
  const WRONG: Readonly<Record<string, readonly unknown[]>> = {
    attemptTimeout: [0, -1, Number.NaN, '5'],
    callTimeout: [0, -1, Number.NaN],
    maxAttempts: [0, -2, Number.NaN, null],
  };

  it('are checked', async () => {
    const { sandbox, client, run } = openShop();
    for (const [name, values] of Object.entries(WRONG))
      for (const value of values.filter((one) => one !== null)) {
        expect(() => client.withOptions({ [name]: value }), `${name} ${value}`)
          .to.throw(InputError)
          .with.property('validationErrors')
          .with.property(name);
        expect(
          (await failureOf(run(client.invoices.get(INVOICE.invoiceId, { [name]: value }))))
            .validationErrors,
        ).to.have.property(name);
        expect(
          (await failureOf(run(client.invoices.create(DRAFT, { [name]: value })))).outcome,
        ).to.equal('not-done');
      }
    expect(sandbox.log).to.have.length(0);
  });

  it('that are absent leave those of the client', () => {
    const { client } = openShop({ maxAttempts: 7 });
    const { settings } = internalsOf(
      client.withOptions({ maxAttempts: undefined as never, callTimeout: 5 }),
    );
    expect([
      settings.maxAttempts,
      settings.callTimeout,
      settings.maxResponseBytes,
      settings.rateLimitShare,
    ]).to.deep.equal([7, 5, 5_000_000, 1]);
  });
});
