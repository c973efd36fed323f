import { expect } from 'chai';
import { createConnection, createClient, InputError } from 'paystate';
import { invoices } from 'paystate/operations';
import { describe, it } from '#test';
import {
  answering,
  DRAFT,
  failureOf,
  INVOICE,
  json,
  openShop,
  refusal,
  repeats,
  rows,
} from './shop.ts';
import { internalsOf } from './internals.ts';
import { systemClock } from './system-clock.ts';

describe('options of a client', () => {
  it('are checked when it is made', () => {
    for (const [name, values] of Object.entries({
      attemptTimeout: [0, -1, Number.NaN, '5'],
      callTimeout: [0, -1, Number.NaN],
      queueTimeout: [0, -1, Number.NaN, '5'],
      maxAttempts: [0, -2, Number.NaN],
      rateLimitShare: [0, -0.1, 1.1, Number.NaN],
      maxResponseBytes: [0, '1'],
    }))
      for (const value of values)
        expect(
          () => createClient({ baseUrl: 'https://pay.example', token: null, [name]: value }),
          name,
        )
          .to.throw(InputError)
          .with.property('validationErrors')
          .with.property(name);
    createClient({
      baseUrl: 'https://pay.example',
      token: null,
      attemptTimeout: undefined,
      callTimeout: Infinity,
      rateLimitShare: 1,
      maxAttempts: 1,
    });
  });

  it('say which numbers they may be', () => {
    const adviceFor = (name: string, value: number): string => {
      try {
        createClient({ baseUrl: 'https://pay.example', token: null, [name]: value });
        return '';
      } catch (error) {
        return (error as Error).message.replace(/^[^:]*: /, '');
      }
    };
    expect(adviceFor('rateLimitShare', 1.5)).to.equal('must be above 0 and at most 1');
    expect(adviceFor('callTimeout', -1)).to.equal('must be above 0');
    expect(adviceFor('maxAttempts', 2)).to.equal('');
  });

  it('have the defaults that are written down', () => {
    const { settings, capabilities: may } = internalsOf(
      createClient({
        baseUrl: 'https://pay.example',
        token: null,
        capabilities: { feed: false },
      }),
    );
    expect([
      settings.attemptTimeout,
      settings.callTimeout,
      settings.maxAttempts,
      settings.rateLimitShare,
      settings.maxResponseBytes,
    ]).to.deep.equal([10_000, 60_000, 3, 1, 5_000_000]);
    expect(may).to.deep.equal({ list: true, feed: false });
    expect([settings.rateLimits.others.limit, settings.rateLimits.invoices.limit]).to.deep.equal([
      1_000, 250,
    ]);
  });

  it('send nothing and hold no global', async () => {
    const { client } = openShop();
    expect(Object.keys(client.invoices).sort()).to.deep.equal([
      'cancel',
      'create',
      'createFor',
      'ensure',
      'get',
      'list',
      'quote',
      'watch',
    ]);
    expect(Object.keys(client.events).sort()).to.deep.equal(['get', 'list']);
  });

  it('have frozen settings, also derived ones: nothing can be changed under a client', () => {
    const { client } = openShop();
    for (const one of [client, client.withOptions({ maxAttempts: 1 })]) {
      const { settings } = internalsOf(one);
      expect(() => Object.assign(settings, { maxAttempts: 9 })).to.throw(TypeError);
    }
  });

  it('can have operations and resources replaced, as tests do', async () => {
    const { client, run } = openShop();
    const { create } = client.invoices;
    const asked: unknown[] = [];
    client.invoices.create = (draft) => {
      asked.push(draft);
      return create({ ...draft, correlationId: 'replaced' });
    };
    const amount = { amount: '1.00', currency: 'EUR' } as const;
    expect((await run(client.invoices.create({ amount }))).correlationId).to.equal('replaced');
    expect(asked).to.deep.equal([{ amount }]);
    client.invoices.create = create;
    expect((await run(client.invoices.create({ amount }))).correlationId).not.to.equal('replaced');
    const { rates } = client;
    client.rates = { ...rates, list: (options) => rates.list(options) };
    const other = client.withOptions({});
    expect(other.rates.list).not.to.equal(client.rates.list);
  });

  it('withOptions leaves the original as it was, and takes nothing that was not said', async () => {
    const { sandbox, client, run } = openShop();
    const once = client.withOptions({ maxAttempts: 1 });
    expect([
      internalsOf(client).settings.maxAttempts,
      internalsOf(once).settings.maxAttempts,
      internalsOf(once).settings.callTimeout,
    ]).to.deep.equal([3, 1, 60_000]);
    sandbox.fault({ action: 'lost-before' });
    for (const [who, attempts] of [
      [once, 1],
      [once.withOptions({ callTimeout: 1 }), 1],
      [client, 3],
    ] as const)
      expect((await failureOf(run(who.invoices.get('x')))).attempts).to.equal(attempts);
  });

  it('of one call win over those of the client, absent ones do not', async () => {
    const { sandbox, client, run } = openShop({ maxAttempts: 2 });
    sandbox.fault({ action: 'lost-before' });
    for (const [options, attempts] of [
      [{}, 2],
      [{ maxAttempts: 4 }, 4],
      [
        {
          maxAttempts: undefined,
          callTimeout: undefined,
          attemptTimeout: undefined,
          signal: undefined,
          reason: undefined,
        },
        2,
      ],
      [undefined, 2],
    ] as const)
      expect((await failureOf(run(client.invoices.get('x', options)))).attempts).to.equal(attempts);
  });

  it('functions of single resources take any connection', async () => {
    const { sandbox } = openShop();
    const connection = createConnection(sandbox.clientOptions);
    const { invoiceId } = await sandbox.run(invoices.create(connection, DRAFT));
    expect(
      (await sandbox.run(invoices.get(connection, invoiceId, { includeTransactions: true })))
        .transactions,
    ).to.deep.equal([]);
    expect(
      (await sandbox.run(invoices.get(connection, invoiceId, { includeTransactions: false })))
        .transactions,
    ).to.equal(undefined);
    expect(sandbox.log.map(({ query }) => query)).to.deep.equal([
      '',
      '?includeTransactions=true',
      '',
    ]);
  });

  it('bring their own names, chance and time', async () => {
    const wire = answering(json({ ...INVOICE, correlationId: 'made-here' }));
    const { client, run } = openShop({ fetch: wire.fetch, uuid: () => 'made-here' });
    await run(client.invoices.create(DRAFT));
    expect(JSON.parse(wire.sent[0]!.init.body as string)).to.deep.equal({
      ...DRAFT,
      correlationId: 'made-here',
    });
  });

  it("without clock, chance and names the machine's own are used", async () => {
    const wire = answering(
      refusal(503, 'SERVICE_UNAVAILABLE', {}, { 'retry-after': '0' }),
      json(INVOICE),
    );
    const client = createClient({ baseUrl: 'https://pay.example', token: 'T', fetch: wire.fetch });
    const { value, attempts } = await client.invoices.create(DRAFT).withResponse();
    expect([value.state, attempts]).to.deep.equal(['UNPAID', 2]);
    const names = wire.sent.map(
      ({ init }) => (JSON.parse(init.body as string) as { correlationId: string }).correlationId,
    );
    expect(names[0])
      .to.match(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
      .and.equal(names[1]);
  });
});

describe('no failure goes unheard or is heard twice', () => {
  /** Rejections that nobody took; Node, Deno and Bun fail the run by themselves. */
  const unheard = async (work: () => Promise<void>): Promise<number> => {
    const page = globalThis as {
      addEventListener?(name: string, to: () => void): void;
      removeEventListener?(name: string, to: () => void): void;
    };
    let count = 0;
    const note = (): void => void count++;
    page.addEventListener?.('unhandledrejection', note);
    await work();
    for (let turn = 0; turn < 3; turn++) await systemClock.wait(0);
    page.removeEventListener?.('unhandledrejection', note);
    return count;
  };

  it('whatever the network does and however the call is read', async () => {
    const count = await unheard(async () => {
      for (const action of [
        'lost-before',
        'lost-after',
        'cut-body',
        { status: 302 },
        { status: 404, html: '<p>' },
        { status: 422, code: 'BALANCE_TOO_LOW' },
        { delay: 90_000 },
      ] as const)
        for (const repeat of repeats) {
          const { sandbox, client, run } = openShop({ maxAttempts: 2 });
          sandbox.fault({ action });
          await failureOf(run(rows[repeat](client, 'x')));
          await failureOf(run(client.invoices.get('x').withResponse()));
          const stop = new AbortController();
          const left = rows[repeat](client, 'x', { signal: stop.signal });
          stop.abort();
          await run(left).catch(() => {});
        }
    });
    expect(count).to.equal(0);
  });

  it('when the answer comes after the end', async () => {
    const count = await unheard(async () => {
      const { sandbox, client, run } = openShop({ maxAttempts: 1 });
      sandbox.fault({ action: { delay: 60_000, processed: true } });
      await failureOf(run(client.invoices.create(DRAFT)));
      await sandbox.advance(120_000);
    });
    expect(count).to.equal(0);
  });
});
