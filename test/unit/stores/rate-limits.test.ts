// What several clients count together: never more than the limit, whoever asks, and a block is known to all.
import { expect } from 'chai';
import {
  type Client,
  type ClientOptions,
  createClient,
  type RateLimitState,
  testRateLimits,
  watchRateLimits,
  type WaitView,
} from 'paystate';
import { createSandbox, type SandboxOptions } from 'paystate/sandbox';
import {
  durableObjectRateLimitStore,
  memoryRateLimitStore,
  type RateLimitCounter,
  RateLimitObject,
  rateLimitStoreOf,
  type SqlDriver,
  sqlRateLimitStore,
  type SqlRow,
  type SqlStatement,
} from 'paystate/stores';
import { describe, it, itLong } from '#test';
import { DRAFT, failureOf } from '../core/shop.ts';

const MINUTE = 60_000;
const SECOND = 1_000;
const limitsOf = (limit: number) => ({
  ...testRateLimits,
  others: { limit, window: 10 * MINUTE, block: 60 * MINUTE },
});

const openShops = (options: Partial<ClientOptions> = {}, world: SandboxOptions = {}) => {
  const sandbox = createSandbox({ signed: false, ...world });
  const rateLimitStore = memoryRateLimitStore(sandbox.clock);
  const { fetch } = sandbox.clientOptions;
  // one `fetch` for each, as each process has: without the store they are counted apart
  const another = (more: Partial<ClientOptions> = {}): Client =>
    createClient({
      ...sandbox.clientOptions,
      fetch: (url, init) => fetch!(url, init),
      rateLimitStore,
      ...options,
      ...more,
    });
  return { sandbox, another, run: sandbox.run, rateLimitStore };
};

const FULL: RateLimitCounter = {
  take: () => ({ delay: 1e9, blockedFor: 0 }),
  block: () => {},
  read: () => ({ delay: 1e9, blockedFor: 0, used: 0, part: 1 }),
};

describe('a store of rate limits', () => {
  itLong(
    'counts for a client of each request: 400 creations at once all succeed, without a 429',
    async () => {
      const { sandbox, another, run } = openShops();
      await run(Promise.all(Array.from({ length: 400 }, () => another().invoices.create(DRAFT))), {
        timeout: 10 * MINUTE,
      });
      expect([sandbox.log.length, sandbox.blocks]).to.deep.equal([400, 0]);
      const times = sandbox.log.map(({ at }) => at);
      for (const at of times)
        expect(times.filter((other) => other >= at && other < at + MINUTE).length).to.be.at.most(
          250,
        );
    },
  );

  itLong('is what keeps them from a 429: without it processes are blocked', async () => {
    const { sandbox, another, run } = openShops({ rateLimitStore: undefined });
    const made = Array.from({ length: 400 }, () =>
      another()
        .invoices.create(DRAFT, { maxAttempts: 1 })
        .catch(() => {}),
    );
    await run(Promise.all(made));
    expect(sandbox.blocks).to.equal(1);
  });

  itLong('leaves each priority its part, over all clients', async () => {
    const { another, run } = openShops({ rateLimits: limitsOf(100), queueTimeout: SECOND });
    let reads = 0;
    while ((await failureOf(run(another().invoices.get('x')))).code === 'NOT_FOUND') reads++;
    let payments = 0;
    while ((await failureOf(run(another().payouts.initiate('x')))).code === 'NOT_FOUND') payments++;
    expect([reads, payments]).to.deep.equal([95, 5]);
  });

  it('tells all of a block that one was told of', async () => {
    const { sandbox, another, run } = openShops({ queueTimeout: SECOND });
    sandbox.fault({
      method: 'GET',
      nth: 1,
      action: { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers: { 'retry-after': '600' } },
    });
    const { retryAt } = await failureOf(run(another().invoices.get('x')));
    const other = another();
    const error = await failureOf(run(other.invoices.get('x')));
    expect(error).to.include({ code: 'QUEUE_TIMEOUT', kind: 'limited', retryAt });
    expect(sandbox.log).to.have.length(1);
    let state: RateLimitState | undefined;
    watchRateLimits(other).subscribe((now) => void (state = now))();
    const stop = watchRateLimits(another()).subscribe((now) => void (state = now));
    await sandbox.advance(SECOND);
    expect(state!.others).to.include({ used: 1, limit: 500, blockedUntil: retryAt });
    stop();
  });

  itLong(
    'that fails, is silent or says nothing sensible stops no call, and is reported once',
    async () => {
      const silent = () => new Promise<never>(() => {});
      const failing: Readonly<Record<string, RateLimitCounter['take']>> = {
        throws: () => {
          throw new Error('no');
        },
        rejects: () => Promise.reject(new Error('no')),
        silent,
        absent: (() => undefined) as never,
        nonsense: () => ({ delay: Number.NaN, blockedFor: 0 }),
        negative: () => ({ delay: -1, blockedFor: 0 }),
      };
      for (const [name, take] of Object.entries(failing)) {
        const views: WaitView[] = [];
        const { sandbox, another, run } = openShops({
          rateLimits: limitsOf(20),
          queueTimeout: SECOND * 3,
          rateLimitStore: rateLimitStoreOf({ ...FULL, take, block: silent }),
          onWait: (view) => void views.push(view),
        });
        const client = another();
        for (let call = 0; call < 19; call++)
          expect((await failureOf(run(client.invoices.get('x')))).code, name).to.equal('NOT_FOUND');
        expect((await failureOf(run(client.invoices.get('x')))).code, name).to.equal(
          'QUEUE_TIMEOUT',
        );
        expect(views.map(({ cause, delay }) => [cause, delay])).to.deep.equal([['store', 0]]);
        expect(sandbox.clock.monotonic(), name).to.be.at.most(30 * SECOND);
      }
    },
  );

  it('that is silent keeps what moves money waiting for five seconds only', async () => {
    const { sandbox, another, run } = openShops({
      rateLimitStore: rateLimitStoreOf({ ...FULL, take: () => new Promise<never>(() => {}) }),
    });
    expect((await failureOf(run(another().payouts.initiate('x')))).code).to.equal('NOT_FOUND');
    expect(sandbox.clock.monotonic()).to.equal(5 * SECOND);
  });

  it('is asked again ten seconds after it failed', async () => {
    let isAway = true;
    const { sandbox, another, run } = openShops({
      queueTimeout: SECOND,
      rateLimitStore: rateLimitStoreOf({
        ...FULL,
        take: (...given) => {
          if (isAway) throw new Error('away');
          return FULL.take(...given);
        },
      }),
    });
    const client = another();
    expect((await failureOf(run(client.invoices.get('x')))).code).to.equal('NOT_FOUND');
    isAway = false;
    expect((await failureOf(run(client.invoices.get('x')))).code).to.equal('NOT_FOUND');
    await sandbox.advance(10 * SECOND);
    expect((await failureOf(run(client.invoices.get('x')))).code).to.equal('QUEUE_TIMEOUT');
  });

  it('is not asked for what its caller has given up', async () => {
    const stop = new AbortController();
    const { sandbox, another, run } = openShops({
      rateLimitStore: rateLimitStoreOf({
        ...FULL,
        take: () => {
          stop.abort('enough');
          return { delay: 0, blockedFor: 0 };
        },
      }),
    });
    const ended = another()
      .invoices.create(DRAFT, { signal: stop.signal })
      .catch((why: unknown) => why);
    expect(await run(ended)).to.equal('enough');
    expect(sandbox.log).to.have.length(0);
  });

  it('is not taken for away because a caller gave up', async () => {
    const stop = new AbortController();
    let asked = 0;
    const { sandbox, another, run } = openShops({
      rateLimitStore: rateLimitStoreOf({
        ...FULL,
        take: () => {
          asked += 1;
          return asked === 1 ? new Promise<never>(() => {}) : { delay: 0, blockedFor: 0 };
        },
      }),
    });
    const client = another();
    const ended = client.invoices.get('x', { signal: stop.signal }).catch(() => {});
    await sandbox.advance(SECOND);
    stop.abort();
    await run(ended);
    expect((await failureOf(run(client.invoices.get('y')))).code).to.equal('NOT_FOUND');
    expect(asked).to.equal(2);
  });

  it('that is silent does not hold a caller who gives up', async () => {
    const stop = new AbortController();
    const { sandbox, another, run } = openShops({
      rateLimitStore: rateLimitStoreOf({ ...FULL, take: () => new Promise<never>(() => {}) }),
    });
    const ended = another()
      .invoices.create(DRAFT, { signal: stop.signal })
      .catch((why: unknown) => why);
    await sandbox.advance(SECOND);
    stop.abort('enough');
    expect(await run(ended)).to.equal('enough');
    expect([sandbox.clock.monotonic(), sandbox.log.length]).to.deep.equal([SECOND, 0]);
  });

  it('leaves no timer behind: neither when it has answered, nor when its caller gave up', async () => {
    const stop = new AbortController();
    let isSilent = false;
    const take = () => (isSilent ? new Promise<never>(() => {}) : { delay: 0, blockedFor: 0 });
    const { sandbox, another, run } = openShops({
      rateLimitStore: rateLimitStoreOf({ ...FULL, take }),
    });
    const { clock } = sandbox;
    let waits = 0;
    const wait = async (ms: number, signal?: AbortSignal): Promise<void> => {
      waits += 1;
      await clock.wait(ms, signal);
      waits -= 1;
    };
    const client = another({ clock: { ...clock, wait } as typeof clock });
    expect((await failureOf(run(client.invoices.get('x')))).code).to.equal('NOT_FOUND');
    expect(waits).to.equal(0);
    isSilent = true;
    const ended = client.invoices.get('x', { signal: stop.signal }).catch(() => {});
    await sandbox.advance(SECOND);
    expect(waits).to.be.above(0);
    stop.abort();
    await run(ended);
    expect(waits).to.equal(0);
  });

  it('is told nothing but the name of a bucket, numbers and times', async () => {
    const told: unknown[] = [];
    const { sandbox, another, run } = openShops({
      rateLimitStore: rateLimitStoreOf({
        take: (...given) => {
          told.push(given);
          return { delay: 0, blockedFor: 0 };
        },
        block: (...given) => void told.push(given),
        read: FULL.read,
      }),
    });
    const headers = { 'retry-after': '600' };
    sandbox.fault({ nth: 1, action: { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers } });
    await failureOf(run(another().payouts.initiate('x')));
    expect(told).to.deep.equal([
      ['others', { places: 1_000, window: 630_000 }],
      ['others', 600_000],
    ]);
  });
});

/** As much of a database as the store uses: a row for each bucket, replaced by its version. */
const fakeDriver = () => {
  const rows = new Map<string, { readonly log: string; readonly version: number }>();
  const run = ({ sql, values }: SqlStatement): SqlRow[] => {
    if (sql.startsWith('INSERT')) {
      const [bucket, log] = values as [string, string];
      if (rows.has(bucket)) return [];
      rows.set(bucket, { log, version: 1 });
      return [{ version: 1 }];
    }
    if (sql.startsWith('UPDATE')) {
      const [log, bucket, version] = values as [string, string, number];
      if (rows.get(bucket)?.version !== version) return [];
      rows.set(bucket, { log, version: version + 1 });
      return [{ version: version + 1 }];
    }
    return sql.startsWith('SELECT (') ? [rows.get(values[0] as string) ?? {}] : [];
  };
  const batch = async (statements: readonly SqlStatement[]) => statements.map(run);
  /** The same as the storage of a Durable Object. */
  const storage = {
    sql: {
      exec: (sql: string, ...values: never[]) => ({ toArray: () => run({ sql, values }) }),
    },
    transactionSync: <T>(work: () => T): T => work(),
  };
  const driver = { dialect: 'sqlite', durable: true, batch } satisfies SqlDriver;
  return { rows, driver, storage };
};

describe('a store in a database', () => {
  const open = (options: Partial<ClientOptions> = {}) => {
    const shop = openShops({ queueTimeout: SECOND, ...options });
    const { driver, rows } = fakeDriver();
    let ahead = 0;
    const { clock } = shop.sandbox;
    const now = () => clock.now() + ahead;
    const another = () =>
      shop.another({
        rateLimitStore: sqlRateLimitStore(driver, { clock: { ...clock, now } as typeof clock }),
      });
    return { ...shop, rows, another, setClock: (by: number) => void (ahead = by) };
  };
  const block = (seconds: number) => ({
    method: 'GET',
    nth: 1,
    action: {
      status: 429,
      code: 'RATE_LIMIT_EXCEEDED',
      headers: { 'retry-after': String(seconds) },
    },
  });

  it('knows what was sent and what is blocked for whoever opens it again', async () => {
    const { sandbox, another, run } = open({ rateLimits: limitsOf(3) });
    await failureOf(run(another().invoices.get('x')));
    await failureOf(run(another().invoices.get('x')));
    expect((await failureOf(run(another().invoices.get('x')))).code).to.equal('QUEUE_TIMEOUT');
    await sandbox.advance(11 * MINUTE);
    sandbox.fault(block(3_600));
    const first = await failureOf(run(another().invoices.get('x')));
    await sandbox.advance(59 * MINUTE);
    const { code, retryAt } = await failureOf(run(another().invoices.get('x')));
    expect([code, retryAt]).to.deep.equal(['QUEUE_TIMEOUT', first.retryAt]);
    await sandbox.advance(MINUTE);
    expect((await failureOf(run(another().invoices.get('x')))).code).to.equal('NOT_FOUND');
  });

  it('blocks nobody for longer than the service does after its clock was set back', async () => {
    const { sandbox, another, run, setClock } = open();
    sandbox.fault(block(3_600));
    await failureOf(run(another().invoices.get('x')));
    setClock(-24 * 60 * MINUTE);
    const { retryAt } = await failureOf(run(another().invoices.get('x')));
    expect(retryAt! - sandbox.clock.now()).to.be.within(60 * MINUTE, 65 * MINUTE);
  });

  it('gives no place when the clock of an open process jumps ahead', async () => {
    const { sandbox, another, run, setClock } = open({ rateLimits: limitsOf(1) });
    const client = another();
    await failureOf(run(client.invoices.get('x')));
    setClock(11 * MINUTE);
    expect((await failureOf(run(client.invoices.get('x')))).code).to.equal('QUEUE_TIMEOUT');
    await sandbox.advance(11 * MINUTE);
    expect((await failureOf(run(client.invoices.get('x')))).code).to.equal('NOT_FOUND');
  });

  it('counts what lies in the future after its clock was set back', async () => {
    const { sandbox, another, run, setClock } = open({ rateLimits: limitsOf(1) });
    await failureOf(run(another().invoices.get('x')));
    setClock(-24 * 60 * MINUTE);
    const { retryAt } = await failureOf(run(another().invoices.get('x')));
    expect(retryAt! - sandbox.clock.now()).to.equal(10.5 * MINUTE);
  });

  it('forgets what counts no more', async () => {
    const { sandbox, another, run, rows } = open();
    await failureOf(run(another().invoices.get('x')));
    await sandbox.advance(60 * MINUTE);
    await failureOf(run(another().invoices.get('x')));
    expect(JSON.parse(rows.get('others')!.log).sent).to.have.length(1);
  });

  it('loses no place where several processes take one at the same moment', async () => {
    const { another, run, rows, sandbox } = open({ rateLimits: limitsOf(20) });
    const others = Array.from({ length: 10 }, another);
    await Promise.all(others.map((one) => failureOf(run(one.invoices.get('x')))));
    expect(JSON.parse(rows.get('others')!.log).sent).to.have.length(10);
    expect(sandbox.log).to.have.length(10);
  });
});

describe('an object that counts', () => {
  const open = () => {
    const { rows, storage } = fakeDriver();
    const object = new RateLimitObject({ storage } as never);
    const asked: { readonly url: string; readonly method: string }[] = [];
    const stub = {
      isAway: false,
      /** Waits for what takes the platform's time; a sandbox's clock stands still meanwhile. */
      external: <T>(work: Promise<T>): Promise<T> => work,
      async fetch(url: string | Request, init?: RequestInit): Promise<Response> {
        const request = new Request(url, init);
        asked.push({ url: request.url, method: request.method });
        if (stub.isAway) return new Response(null, { status: 500 });
        const text = stub.external(object.fetch(request).then((response) => response.text()));
        return { ok: true, json: async () => JSON.parse(await text) as unknown } as Response;
      },
    };
    const post = async (body: string) => {
      const response = await object.fetch(
        new Request('https://object/rate-limits', { method: 'POST', body }),
      );
      return response.status === 200 ? ((await response.json()) as object) : response.status;
    };
    const ask = (...given: readonly unknown[]) => post(JSON.stringify(given));
    return { rows, object, stub, asked, post, ask };
  };

  it('gives all clients of a Worker the places of one limit', async () => {
    const { stub, asked, rows } = open();
    const views: WaitView[] = [];
    const { another, run, sandbox } = openShops({
      rateLimits: limitsOf(3),
      queueTimeout: SECOND,
      rateLimitStore: durableObjectRateLimitStore(stub),
      onWait: (view) => void views.push(view),
    });
    stub.external = (work) => sandbox.clock.external(work);
    const codes: unknown[] = [];
    for (let n = 0; n < 4; n += 1)
      codes.push((await failureOf(run(another().invoices.get('x')))).code);
    expect(codes).to.deep.equal(['NOT_FOUND', 'NOT_FOUND', 'QUEUE_TIMEOUT', 'QUEUE_TIMEOUT']);
    expect(asked[0]).to.deep.equal({ url: 'https://object/rate-limits', method: 'POST' });
    expect(JSON.parse(rows.get('others')!.log).sent).to.have.length(2);
    expect(views.filter(({ cause }) => cause === 'store')).to.deep.equal([]);
  });

  it('stops no client while it is away', async () => {
    const { stub } = open();
    const views: WaitView[] = [];
    const { another, run } = openShops({
      rateLimitStore: durableObjectRateLimitStore(stub),
      onWait: (view) => void views.push(view),
    });
    stub.isAway = true;
    expect((await failureOf(run(another().invoices.get('x')))).code).to.equal('NOT_FOUND');
    expect(views.map(({ cause }) => cause)).to.deep.equal(['store']);
  });

  it('says how much is used, how long a block lasts, and when there is a place', async () => {
    const { ask } = open();
    const places = { places: 1, window: MINUTE };
    expect(await ask('read', 'b', places)).to.include({
      delay: 0,
      blockedFor: 0,
      used: 0,
      part: 1,
    });
    expect(await ask('take', 'b', places)).to.deep.equal({ delay: 0, blockedFor: 0 });
    const second = (await ask('take', 'b', places)) as { delay: number };
    expect(second.delay).to.be.within(MINUTE - SECOND, MINUTE);
    expect(await ask('read', 'b', places)).to.include({ used: 1 });
    expect(await ask('take', 'c', places)).to.include({ delay: 0 });
    expect(await ask('block', 'c', 5 * MINUTE)).to.deep.equal({});
    const blocked = (await ask('take', 'c', places)) as { delay: number; blockedFor: number };
    for (const ms of [blocked.delay, blocked.blockedFor])
      expect(ms).to.be.within(5 * MINUTE - SECOND, 5 * MINUTE);
  });

  it('refuses what no store asks, and writes nothing', async () => {
    const { ask, post, rows } = open();
    const places = { places: 1, window: MINUTE };
    for (const body of ['', '{', '[]', '{}', 'null', '7', '"take"'])
      expect(await post(body), body).to.equal(400);
    for (const given of [
      ['take', 'b'],
      ['take', 'b', null],
      ['take', 'b', { places: 1 }],
      ['take', 'b', { window: 1 }],
      ['take', 'b', { places: -1, window: MINUTE }],
      ['take', 'b', { places: 1, window: -1 }],
      ['take', 'b', { places: '1', window: MINUTE }],
      ['take', 7, places],
      ['take', 'b'.repeat(201), places],
      ['read', 'b', {}],
      ['read', 7, places],
      ['block', 'b', -1],
      ['block', 'b', '5'],
      ['block', 'b', places],
      ['block', 7, 5],
      ['other', 'b', places],
      ['other', 'b', 5],
    ])
      expect(await ask(...given), JSON.stringify(given)).to.equal(400);
    expect(rows.size).to.equal(0);
    expect(await ask('take', 'b'.repeat(200), places)).to.include({ delay: 0 });
    expect(await ask('take', 'z', { places: 0, window: 0 })).to.be.an('object');
  });
});
