import { expect } from 'chai';
import { type Connection, createClient, type Priority, testRateLimits } from 'paystate';
import { invoices } from 'paystate/operations';
import { describe, it, itLong } from '#test';
import { DRAFT, failureOf, openShop } from './shop.ts';
import { withInternals } from './internals.ts';

const MINUTE = 60_000;
const PATIENT = { callTimeout: 24 * 60 * MINUTE, queueTimeout: 24 * 60 * MINUTE };
const withPriority = (client: Connection, priority: Priority): Connection =>
  withInternals(client, { priority });
const limitsOf = (limit: number) => ({
  ...testRateLimits,
  others: { limit, window: 10 * MINUTE, block: 60 * MINUTE },
});

/** Reads until there is no place left; how many there were. */
const drain = async (connection: Connection): Promise<number> => {
  for (let count = 0; ; count++) {
    const error = await failureOf(invoices.get(connection, 'x', { queueTimeout: 1_000 }));
    if (error.code === 'QUEUE_TIMEOUT') return count;
  }
};

describe('the budget', () => {
  for (const priority of ['high', 'normal', 'low'] as const)
    itLong(`never earns a 429 over a long run: ${priority}`, async () => {
      const { sandbox, client, run } = openShop(PATIENT, { rateLimits: 'test' });
      const connection = withPriority(client, priority);
      await run(
        (async () => {
          for (let time = 0; time < 1_000; time++) await failureOf(invoices.get(connection, 'x'));
        })(),
        { timeout: 24 * 60 * MINUTE },
      );
      expect([
        sandbox.log.length,
        sandbox.blocks,
        sandbox.log.some(({ status }) => status === 429),
      ]).to.deep.equal([1_000, 0, false]);
      expect(sandbox.clock.monotonic()).to.be.within(20 * MINUTE, 45 * MINUTE);
    });

  itLong('never earns one when all ask at once, in every group', async () => {
    const { sandbox, client, run } = openShop(PATIENT, { rateLimits: 'test' });
    const { invoiceId } = await run(client.invoices.create(DRAFT));
    const asked = Array.from({ length: 250 }, () => [
      client.invoices.create(DRAFT),
      client.invoices.quote(invoiceId),
      client.invoices.get(invoiceId),
    ]).flat();
    await run(Promise.all(asked));
    expect([sandbox.log.length, sandbox.blocks]).to.deep.equal([751, 0]);
    for (const group of ['invoices', 'invoice-quotes'] as const) {
      const times = sandbox.log.filter((entry) => entry.bucket === group).map(({ at }) => at);
      for (const [index, at] of times.entries())
        expect(
          times.filter((other) => other >= at && other < at + MINUTE).length,
          `${index}`,
        ).to.be.at.most(90);
    }
  });

  it('slides: places come back one by one, as they were taken', async () => {
    const { sandbox, client, run } = openShop({ ...PATIENT, rateLimits: limitsOf(4) });
    const connection = withPriority(client, 'critical');
    await run(
      (async () => {
        for (let time = 0; time < 10; time++) {
          await failureOf(invoices.get(connection, 'x'));
          if (time < 4) await sandbox.clock.wait(MINUTE);
        }
      })(),
    );
    const start = sandbox.log[0]!.at;
    expect(sandbox.log.map(({ at }) => (at - start) / MINUTE)).to.deep.equal([
      0, 1, 2, 3, 10.5, 11.5, 12.5, 13.5, 21, 22,
    ]);
  });

  it('priorities leave a part to those before them', async () => {
    const { client, run } = openShop({ rateLimits: limitsOf(100) });
    const counts: Record<string, number> = {};
    for (const priority of ['low', 'normal', 'high', 'critical'] as const)
      counts[priority] = await run(drain(withPriority(client, priority)));
    expect(counts).to.deep.equal({ low: 80, normal: 10, high: 5, critical: 5 });
  });

  it('keeps to its share, and always has one place', async () => {
    for (const [share, places] of [
      [1, 95],
      [0.5, 47],
      [0.001, 1],
    ] as const) {
      const { client, run } = openShop({ rateLimits: limitsOf(100), rateLimitShare: share });
      expect(await run(drain(client))).to.equal(places);
    }
  });

  it('is one for a client and its children, and one for each group', async () => {
    const { client, run } = openShop({ rateLimits: limitsOf(20) });
    expect(await run(drain(client.withOptions({ maxAttempts: 1 })))).to.equal(19);
    expect(await run(drain(client))).to.equal(0);
    expect((await run(client.invoices.create(DRAFT))).state).to.equal('UNPAID');
  });

  it('a spent one says when: asking then is in time', async () => {
    const { sandbox, client, run } = openShop({ rateLimits: limitsOf(1), queueTimeout: 1_000 });
    await failureOf(run(client.invoices.get('x')));
    const error = await failureOf(run(client.invoices.get('x')));
    expect(error).to.include({
      kind: 'limited',
      code: 'QUEUE_TIMEOUT',
      outcome: 'not-done',
      next: 'wait',
      attempts: 0,
      retryAt: sandbox.clock.now() + 10.5 * MINUTE,
    });
    await sandbox.advance(error.retryAt! - sandbox.clock.now());
    expect((await failureOf(run(client.invoices.get('x')))).code).to.equal('NOT_FOUND');
  });

  it('remembers a 429 that others earned, for the whole group', async () => {
    const { sandbox, client, run, now } = openShop(PATIENT);
    sandbox.fault({
      method: 'GET',
      nth: 1,
      action: { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers: { 'retry-after': '90' } },
    });
    const others = Promise.all(
      Array.from({ length: 5 }, () => failureOf(client.invoices.get('x'))),
    );
    await run(others);
    const late = sandbox.log.slice(5).map(({ at }) => at - sandbox.log[0]!.at);
    expect(late.every((at) => at >= 90_000)).to.equal(true);
    expect(now()).to.be.at.least(90_000);
    expect((await run(client.invoices.create(DRAFT))).state).to.equal('UNPAID');
  });

  it('a child, another priority and a first try do not pass a block either', async () => {
    const { sandbox, client, run } = openShop({ queueTimeout: 5_000 });
    sandbox.fault({
      method: 'GET',
      nth: 1,
      action: { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers: { 'retry-after': '600' } },
    });
    const first = await failureOf(run(client.invoices.get('x')));
    for (const connection of [client, client.withOptions({}), withPriority(client, 'critical')]) {
      const error = await failureOf(run(invoices.get(connection, 'x')));
      expect([error.code, error.retryAt]).to.deep.equal(['QUEUE_TIMEOUT', first.retryAt]);
    }
    expect(sandbox.log).to.have.length(1);
  });

  it('TOO_MANY_ATTEMPTS is a minute, not the hour of a spent limit', async () => {
    const { sandbox, client, run } = openShop();
    sandbox.fault({ method: 'GET', nth: 1, action: { status: 429, code: 'TOO_MANY_ATTEMPTS' } });
    const error = await failureOf(run(client.invoices.get('x')));
    expect(error.retryAt).to.equal(sandbox.clock.now() + MINUTE);
    await sandbox.advance(MINUTE);
    expect((await failureOf(run(client.invoices.get('x')))).code).to.equal('NOT_FOUND');
  });

  it('survives the real block of the service', async () => {
    const { sandbox } = openShop({}, { rateLimits: limitsOf(50) });
    const careless = createClient({ ...sandbox.clientOptions, rateLimits: limitsOf(1_000) });
    await sandbox.run(
      (async () => {
        for (let time = 0; time < 50; time++) await failureOf(careless.invoices.get('x'));
      })(),
    );
    const error = await failureOf(sandbox.run(careless.invoices.get('x')));
    expect([error.code, error.retryAt! - sandbox.clock.now()]).to.deep.equal([
      'RATE_LIMIT_EXCEEDED',
      60 * MINUTE,
    ]);
    await sandbox.advance(60 * MINUTE);
    expect((await failureOf(sandbox.run(careless.invoices.get('x')))).code).to.equal('NOT_FOUND');
    expect(sandbox.blocks).to.equal(1);
  });
});
