import { expect } from 'chai';
import {
  type Connection,
  createClient,
  forecastBlock,
  InputError,
  productionRateLimits,
  type RateLimitState,
  testRateLimits,
  watchRateLimits,
} from 'paystate';
import { invoices } from 'paystate/operations';
import { describe, it, itLong } from '#test';
import { DRAFT, failureOf, openShop } from './shop.ts';
import { internalsOf, withInternals } from './internals.ts';

const MINUTE = 60_000;
const limitsOf = (limit: number) => ({
  ...testRateLimits,
  others: { limit, window: 10 * MINUTE, block: 60 * MINUTE },
});
const HUGE = { ...productionRateLimits, others: { ...productionRateLimits.others, limit: 1e6 } };

const readTimes = async (connection: Connection, times: number): Promise<void> => {
  for (let time = 0; time < times; time++) await failureOf(invoices.get(connection, 'x'));
};

describe('the budget, watched', () => {
  it('says what is used, and when there is a place again', async () => {
    const { sandbox, client, run } = openShop({ rateLimits: limitsOf(10) });
    const seen: RateLimitState[] = [];
    const stop = watchRateLimits(client).subscribe((state) => void seen.push(state));
    expect(seen[0]!.others).to.deep.equal({
      used: 0,
      limit: 10,
      blockedUntil: undefined,
      nextAt: undefined,
    });
    await run(readTimes(client, 9));
    await run(client.invoices.create(DRAFT));
    const start = sandbox.clock.now();
    await sandbox.advance(200);
    expect(seen.at(-1)!.others).to.deep.equal({
      used: 9,
      limit: 10,
      blockedUntil: undefined,
      nextAt: start + 10.5 * MINUTE,
    });
    expect(seen.at(-1)!.invoices.used).to.equal(1);
    expect(seen.length, 'bursts are told together').to.be.below(4);
    await sandbox.advance(11 * MINUTE);
    expect(seen.at(-1)!.others).to.include({ used: 0, nextAt: undefined });
    stop();
    await sandbox.advance(1);
    expect(
      (
        internalsOf(client).state.get('core.rate-limiter') as {
          together: { listeners: Set<unknown> };
        }
      ).together.listeners.size,
    ).to.equal(0);
    const { length } = seen;
    await run(readTimes(client, 1));
    await sandbox.advance(MINUTE);
    expect(seen).to.have.length(length);
  });

  it('says until when it is blocked, and that half the share is left after', async () => {
    const { sandbox, client, run } = openShop({ rateLimits: limitsOf(100) });
    sandbox.fault({ nth: 1, action: { status: 429, code: 'RATE_LIMIT_EXCEEDED' } });
    const watch = watchRateLimits(client);
    const stop = watch.subscribe(() => {});
    await run(readTimes(client, 1));
    await sandbox.advance(1_000);
    expect(watch.current()!.others).to.include({
      limit: 50,
      blockedUntil: sandbox.clock.now() - 1_000 + 60 * MINUTE,
    });
    await sandbox.advance(60 * MINUTE);
    expect(watch.current()!.others).to.include({ limit: 50, blockedUntil: undefined });
    stop();
  });
});

describe('after a block', () => {
  it('half the share is left, and a tenth of the whole comes back each quiet ten minutes', async () => {
    const { sandbox, client, run } = openShop({
      rateLimits: limitsOf(100),
      callTimeout: 1_000,
      queueTimeout: 1_000,
    });
    const endFault = sandbox.fault({
      action: { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers: { 'retry-after': '60' } },
    });
    await Promise.all([1, 2, 3].map(() => failureOf(run(client.invoices.get('x'))))); // one block, though three hear of it
    endFault();
    const places: number[] = [];
    for (let quiet = 0; quiet < 8; quiet++) {
      await sandbox.advance(quiet === 0 ? MINUTE + 1_000 : 10 * MINUTE);
      places.push(
        await new Promise<number>(
          (resolve) =>
            void watchRateLimits(client).subscribe(({ others }) => resolve(others.limit)),
        ),
      );
    }
    expect(places).to.deep.equal([50, 60, 70, 80, 90, 100, 100, 100]);
  });

  it('a second one halves what is left', async () => {
    const { sandbox, client, run } = openShop({
      rateLimits: limitsOf(100),
      callTimeout: 1_000,
      queueTimeout: 1_000,
    });
    sandbox.fault({
      nth: [1, 2],
      action: { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers: { 'retry-after': '60' } },
    });
    await failureOf(run(client.invoices.get('x')));
    await sandbox.advance(61_000);
    await failureOf(run(client.invoices.get('x')));
    await sandbox.advance(61_000);
    const { others: now } = watchRateLimits(client).current();
    const { others } = await new Promise<RateLimitState>(
      (resolve) => void watchRateLimits(client).subscribe(resolve),
    );
    expect([now.limit, others.limit]).to.deep.equal([25, 25]);
    let count = 0;
    for (; (await failureOf(run(client.invoices.get('x')))).code !== 'QUEUE_TIMEOUT'; ) count++;
    expect(count).to.equal(23 - 2); // 25 less the checkout's reserve, less the two that were refused
  });
});

describe('the forecast', () => {
  itLong('is off by a tenth at most, at any rate and after any beginning', async () => {
    for (const [before, spread, perMinute] of [
      [0, 0, 300],
      [0, 0, 101],
      [300, 0, 120],
      [700, 4 * MINUTE, 60],
      [900, 9 * MINUTE, 110],
      [500, 8 * MINUTE, 500],
    ] as const) {
      const { sandbox } = openShop();
      const careless = createClient({ ...sandbox.clientOptions, rateLimits: HUGE });
      const { clock } = sandbox;
      const run = (work: () => Promise<void>): Promise<void> =>
        sandbox.run(work(), { timeout: 60 * MINUTE });
      await run(async () => {
        for (let time = 0; time < before; time++) {
          await failureOf(careless.invoices.get('x'));
          await clock.wait(spread / before);
        }
      });
      const forecast = forecastBlock(
        withInternals(careless, {
          settings: { ...internalsOf(careless).settings, rateLimits: productionRateLimits },
        }),
        { perMinute },
      );
      expect(forecast, `${before} ${perMinute}`).to.be.a('number');
      const start = clock.now();
      await run(async () => {
        while (sandbox.blocks === 0) {
          await failureOf(careless.invoices.get('x', { maxAttempts: 1 }));
          await clock.wait(MINUTE / perMinute);
        }
      });
      const real = sandbox.clock.now() - start;
      expect(
        Math.abs(forecast! - start - real) / real,
        `${before} in ${spread}, then ${perMinute}: ${forecast! - start} and ${real}`,
      ).to.be.at.most(0.1);
    }
  });

  itLong('is never where the rate can go on for ever', async () => {
    const { client, run } = openShop();
    await run(readTimes(client, 50));
    for (const perMinute of [0, 1, 60, 94])
      expect(forecastBlock(client, { perMinute }), String(perMinute)).to.equal(undefined);
    const { sandbox: other } = openShop();
    const careless = createClient({ ...other.clientOptions, rateLimits: HUGE });
    await other.run(
      (async () => {
        for (let time = 0; time < 1_500; time++) {
          await failureOf(careless.invoices.get('x'));
          await other.clock.wait(MINUTE / 95);
        }
      })(),
      { timeout: 60 * MINUTE },
    );
    expect(other.blocks).to.equal(0);
  });

  it('takes the last minute where no rate is given, and says now while it is blocked', async () => {
    const { sandbox, client, run } = openShop();
    expect(forecastBlock(client)).to.equal(undefined);
    await run(readTimes(client, 200));
    expect(forecastBlock(client)! - sandbox.clock.now()).to.be.within(3.9 * MINUTE, 4.1 * MINUTE);
    expect(forecastBlock(client, { bucket: 'execute' })).to.equal(undefined);
    for (const perMinute of [-1, Number.NaN])
      expect(() => forecastBlock(client, { perMinute })).to.throw(InputError);
    sandbox.fault({ nth: 1, action: { status: 429, code: 'RATE_LIMIT_EXCEEDED' } });
    await run(readTimes(client, 1));
    expect(forecastBlock(client)).to.equal(sandbox.clock.now());
  });

  it('names the limits of production for kinds of requests that were not given', async () => {
    const { others } = limitsOf(10);
    const { client } = openShop({ rateLimits: { others } });
    const budget = watchRateLimits(client);
    budget.subscribe({})();
    const { invoices, others: own } = budget.current()!;
    expect([invoices.limit, own.limit]).to.deep.equal([productionRateLimits.invoices.limit, 10]);
  });
});
