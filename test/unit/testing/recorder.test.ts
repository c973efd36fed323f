// Protects: a recording holds what happened and no secret, and played again a client sees the same.
import { expect } from 'chai';
import {
  type Client,
  type ClientOptions,
  createClient,
  InputError,
  isPaystateError,
  watchInvoice,
  watchPayment,
} from 'paystate';
import { createSandbox, type FaultAction, type Sandbox } from 'paystate/sandbox';
import {
  createRecorder,
  createReplay,
  makeDelivery,
  makeEvent,
  makePayment,
  parseRecording,
  type Recording,
  replay,
} from 'paystate/testing';
import { describe, it, itLong } from '#test';
import { answering, DRAFT, failureOf, json, openShop, reasonOf } from '../core/shop.ts';

const AMOUNT = { amount: DRAFT.amount, description: 'Tea' };

/** What came of a call: its value, or what is known of its error. */
const outcomeOf = (work: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(work).catch((thrown: unknown) => {
    if (!isPaystateError(thrown)) return `${thrown}`;
    const { code, status, outcome, attempts, values } = thrown;
    return { code, status, outcome, attempts, values };
  });

/** A file and back. */
const saved = async (recording: Promise<Recording>): Promise<Recording> =>
  JSON.parse(JSON.stringify(await recording)) as Recording;

type Session = (client: Client, run: Sandbox['run']) => Promise<readonly unknown[]>;

const session: Session = async (client, run) => {
  const results: unknown[] = [];
  const ask = async (work: PromiseLike<unknown>): Promise<unknown> => {
    const outcome = await run(outcomeOf(work));
    results.push(outcome);
    return outcome;
  };
  const { invoiceId } = (await ask(client.invoices.create(AMOUNT))) as { invoiceId: string };
  await ask(client.invoices.create({ ...AMOUNT, correlationId: 'order-1' }));
  await ask(client.invoices.create({ ...AMOUNT, correlationId: 'order-1' }));
  await ask(client.invoices.get(invoiceId));
  await ask(client.invoices.get('none'));
  await ask(client.invoices.list().toArray({ limit: 10 }));
  await ask(client.invoices.cancel(invoiceId));
  await ask(client.invoices.get(invoiceId));
  await ask(client.balances.list());
  return results;
};

/** Plays a session on the sandbox, then on its recording; the results of both. */
const twice = async (
  play: Session,
  spoil: (sandbox: Sandbox) => void = () => {},
  options: Partial<ClientOptions> = {},
) => {
  const sandbox = createSandbox({ signed: false });
  spoil(sandbox);
  const { fetch } = sandbox.clientOptions;
  const recorder = createRecorder({ fetch, clock: sandbox.clock });
  const first = createClient({ ...sandbox.clientOptions, fetch: recorder.fetch });
  const played = await play(first, sandbox.run);
  const recording = await sandbox.run(saved(recorder.recording()));
  const other = createSandbox({ signed: false });
  const second = createClient({
    ...other.clientOptions,
    fetch: replay(recording, { clock: other.clock }),
    ...options,
  });
  const again = await play(second, other.run);
  return { sandbox, recording, played, again, sent: other.log.length };
};

describe('a recording', () => {
  it('played again gives the same values and refusals, and asks nobody', async () => {
    const { recording, played, again, sandbox, sent } = await twice(session);
    expect(again).to.deep.equal(played);
    expect(
      recording.exchanges.map(({ method, path }) => `${method} ${path.split('?')[0]}`),
    ).to.deep.equal(sandbox.log.map(({ method, path }) => `${method} ${path}`));
    expect([recording.dropped, sent]).to.deep.equal([0, 0]);
  });

  itLong(
    'played again gives the same failures: lost, cut, late, blocked, of something between',
    async () => {
      const actions: readonly FaultAction[] = [
        'lost-before',
        'lost-after',
        'cut-body',
        'undecodable',
        { status: 500 },
        { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers: { 'retry-after': '2' } },
        { status: 502, html: '<h1>bad gateway</h1>' },
        { delay: 3_000 },
        { delay: 60_000 },
      ];
      for (const action of actions)
        for (const nth of [1, 3]) {
          const { played, again } = await twice(session, (sandbox) =>
            sandbox.fault({ nth, action }),
          );
          expect(again, JSON.stringify([action, nth])).to.deep.equal(played);
        }
    },
  );

  it('fits a client that chooses other names: they stand for the recorded ones', async () => {
    let count = 0;
    const uuid = () => `00000000-0000-4000-8000-${`${++count}`.padStart(12, '0')}`;
    const { played, again } = await twice(session, undefined, { uuid });
    const name = ([first]: readonly unknown[]) =>
      (first as { correlationId: string }).correlationId;
    expect(name(again)).to.equal('00000000-0000-4000-8000-000000000001');
    const renamed = JSON.stringify(again).replaceAll(name(again), name(played));
    expect(JSON.parse(renamed)).to.deep.equal(JSON.parse(JSON.stringify(played)));
  });

  it('gives nothing that was not recorded, and nothing twice', async () => {
    const sandbox = createSandbox({ signed: false });
    const recorder = createRecorder({ fetch: sandbox.fetch, clock: sandbox.clock });
    const options = { ...sandbox.clientOptions, maxAttempts: 1 };
    const recorded = createClient({ ...options, fetch: recorder.fetch });
    await sandbox.run(recorded.invoices.create({ ...AMOUNT, correlationId: 'order-1' }));
    const client = createClient({ ...options, fetch: replay(await recorder.recording()) });
    const dearer = {
      ...AMOUNT,
      amount: { amount: '99.00', currency: 'EUR' },
      correlationId: 'order-1',
    };
    const other = await failureOf(sandbox.run(client.invoices.create(dearer)));
    expect([other.outcome, other.cause?.message]).to.deep.equal([
      'unknown',
      'replay: the recording has no more responses for POST /v1/invoices',
    ]);
    await sandbox.run(client.invoices.create({ ...AMOUNT, correlationId: 'order-1' }));
    const third = createClient({ ...options, fetch: replay(await recorder.recording()) });
    await sandbox.run(third.invoices.create({ ...AMOUNT, correlationId: 'order-1' }));
    const again = third.invoices.create({ ...AMOUNT, correlationId: 'order-1' });
    expect((await failureOf(sandbox.run(again))).code).to.equal('UNREACHABLE');
  });

  it('is refused where it is none', () => {
    for (const odd of [undefined, null, [], 'text', 7])
      expect(() => replay(odd as never)).to.throw(InputError, /^recording: must be made by/);
    for (const version of [1, 3, '2', undefined])
      expect(() => replay({ version, exchanges: [] } as never)).to.throw(
        InputError,
        /^recording\.version: must be 2/,
      );
  });
});

const KEY = 'key-with-"signs"-of-a-shop';
const SECRET = 'the secret of a subscription';

describe('a recorder', () => {
  it('keeps no credential, password, token or secret, whoever repeats them', async () => {
    const secrets = [
      KEY,
      SECRET,
      'client-secret-1',
      'refresh-token-1',
      'access-token-1',
      'the-code-1',
    ];
    const echoed = [KEY, JSON.stringify(KEY), encodeURIComponent(KEY), SECRET].join(' ');
    const { fetch } = answering(
      json({
        said: `${KEY} and ${SECRET}`,
        nested: { secret: SECRET, access_token: 'access-token-1' },
      }),
      () => new Response(`<p>${echoed.replaceAll(SECRET, '')}</p>`, { status: 502 }),
      json({ refresh_token: 'refresh-token-1', id_token: 'id', token_type: 'Bearer' }),
      () => Promise.reject(new TypeError(`no connection for ${KEY}`)),
    );
    const recorder = createRecorder({
      fetch: (input, init) => fetch(`${input as string}`, init ?? {}),
    });
    const url = 'https://payments.example/v1/subscriptions';
    const headers = { authorization: `Bearer ${KEY}`, cookie: KEY };
    await recorder.fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ secret: SECRET }),
    });
    await recorder.fetch(`${url}?token=access-token-1&key=${encodeURIComponent(KEY)}`, { headers });
    const form = new URLSearchParams({
      client_secret: 'client-secret-1',
      code: 'the-code-1',
      refresh_token: 'refresh-token-1',
    });
    const basic = { authorization: `Basic ${btoa(`id:client-secret-1`)}` };
    await recorder.fetch(url, { method: 'POST', headers: basic, body: form });
    await reasonOf(recorder.fetch(new Request(url, { headers })));
    const text = JSON.stringify(await recorder.recording());
    for (const secret of secrets) expect(text, secret).not.to.include(secret);
    expect(text)
      .not.to.include(JSON.stringify(KEY).slice(1, -1))
      .and.not.include(btoa('id:client-secret-1'));
    expect(text).to.include('[secret]').and.include('no connection for');
  });

  it('keeps no beginning of a secret where a body ends in its middle', async () => {
    const { fetch } = answering(
      () => new Response(`${'x'.repeat(50)}${KEY}`),
      () => new Response(`{"more":"${'x'.repeat(30)}","secret":"${SECRET}"}`),
      () => new Response(`${'x'.repeat(54)}${KEY}`),
      () => new Response(`${'x'.repeat(55)}${KEY}`),
    );
    const recorder = createRecorder({
      fetch: (input, init) => fetch(`${input as string}`, init ?? {}),
      maxBodyBytes: 62,
    });
    const headers = { authorization: `Bearer ${KEY}` };
    for (let count = 0; count < 4; count++)
      await (await recorder.fetch('https://payments.example/', { headers })).text();
    const { exchanges } = await recorder.recording();
    expect(exchanges.map(({ response }) => response?.end)).to.deep.equal(Array(4).fill('cut'));
    expect(exchanges[0]!.response!.body).to.equal(`${'x'.repeat(50)}[secret]`);
    // eight characters may be a secret's beginning, seven are in too many words
    expect(exchanges[2]!.response!.body).to.equal(`${'x'.repeat(54)}[secret]`);
    expect(exchanges[3]!.response!.body).to.equal(`${'x'.repeat(55)}${KEY.slice(0, 7)}`);
    expect(JSON.stringify(exchanges)).not.to.include(KEY.slice(0, 9)).and.not.include('the s');
  });

  it('keeps the newest exchanges, within its size, and says how many it dropped', async () => {
    const { fetch } = answering(() => new Response('x'.repeat(1_000)));
    const recorder = createRecorder({
      fetch: (input, init) => fetch(`${input as string}`, init ?? {}),
      maxBytes: 4_000,
    });
    const send = (place: number) => recorder.fetch(`https://payments.example/${place}`);
    for (let place = 0; place < 5; place++) await send(place);
    const { exchanges, dropped } = await recorder.recording();
    expect(exchanges.map(({ path }) => path)).to.deep.equal(['/2', '/3', '/4']);
    expect(dropped).to.equal(2);
    await Promise.all(Array.from({ length: 500 }, (_, place) => send(place)));
    const many = await recorder.recording();
    expect(JSON.stringify(many).length).to.be.below(6_000);
    expect(many.exchanges.length + many.dropped).to.equal(505);
    for (const options of [{ maxBytes: 0 }, { maxBodyBytes: 0.5 }])
      expect(() => createRecorder(options)).to.throw(/must be a whole number above 0/);
  });

  it('changes nothing for the client: the same response object, the same rejection, the same stream', async () => {
    const response = new Response('body', { status: 418 });
    const reason = new TypeError('lost');
    const answers = [async () => response, () => Promise.reject(reason)];
    const recorder = createRecorder({ fetch: () => answers.shift()!() });
    const got = await recorder.fetch('https://payments.example/a');
    expect(got).to.equal(response);
    expect(await got.text()).to.equal('body');
    expect(await reasonOf(recorder.fetch('https://payments.example/b'))).to.equal(reason);
    const request = new Request('https://payments.example/c', { method: 'POST', body: 'sent' });
    answers.push(async () => new Response(await request.text()));
    expect(await (await recorder.fetch(request)).text()).to.equal('sent');
    const { exchanges } = await recorder.recording();
    expect(exchanges.map(({ method, path, body }) => [method, path, body])).to.deep.equal([
      ['GET', '/a', undefined],
      ['GET', '/b', undefined],
      ['POST', '/c', 'sent'],
    ]);
  });
});

const EMPTY: Recording = {
  version: 2,
  ids: [],
  exchanges: [],
  deliveries: [],
  states: [],
  decisions: [],
  clock: [{ at: 0, now: 1 }],
  dropped: 0,
};

describe('a recording from elsewhere', () => {
  const file = (change: object): string => JSON.stringify({ ...EMPTY, ...change });
  const exchange = { method: 'GET', path: '/', sentAt: 1 };
  const response = { status: 200, headers: {}, body: '', end: 'whole', delay: 0, order: 1 };

  it('is read where it is whole, with members that are not known', () => {
    expect(parseRecording(file({}))).to.deep.equal(EMPTY);
    expect(
      parseRecording(file({ note: 'mine', exchanges: [{ ...exchange, response }] })),
    ).to.include({
      note: 'mine',
    });
  });

  it('is refused with the member that is wrong', () => {
    const wrong: readonly (readonly [object, string])[] = [
      [{ version: 3 }, 'recording.version: must be 2'],
      [{ exchanges: undefined }, 'recording.exchanges: must be a list'],
      [{ exchanges: [7] }, 'recording.exchanges[0]: must be an object'],
      [{ exchanges: [exchange, { ...exchange, path: 7 }] }, 'recording.exchanges[1].path: must'],
      [
        { exchanges: [{ ...exchange, response: { ...response, status: 99 } }] },
        'recording.exchanges[0].response.status: must be an HTTP status',
      ],
      [
        { exchanges: [{ ...exchange, response: { ...response, headers: { 'a b': '' } } }] },
        'recording.exchanges[0].response.headers: must be HTTP headers',
      ],
      [
        { exchanges: [{ ...exchange, response: { ...response, end: 'odd' } }] },
        'recording.exchanges[0].response.end: must be whole, broken, cut, unfinished',
      ],
      [{ states: [{ at: 1, watch: 'a', kind: 'odd' }] }, 'recording.states[0].kind: must be'],
      [{ deliveries: [{ at: 1, body: '' }] }, 'recording.deliveries[0].isSigned: must be true'],
      [{ decisions: [{}] }, 'recording.decisions[0].at: must be a number'],
      [{ clock: [] }, 'recording.clock: must not be empty'],
      [{ seed: 'x' }, 'recording.seed: must be a number'],
    ];
    for (const [change, message] of wrong) {
      expect(() => parseRecording(file(change)), message).to.throw(InputError, message);
      expect(() => createReplay(JSON.parse(file(change)) as Recording)).to.throw(InputError);
    }
    for (const text of ['', '{', file({}).slice(0, -9), '['.repeat(200_000)])
      expect(() => parseRecording(text)).to.throw(InputError, /^recording: is damaged/);
  });
});

describe('an attached recorder', () => {
  it('keeps what calls decided, and why', async () => {
    const sandbox = createSandbox({ signed: false });
    const recorder = createRecorder(sandbox.clientOptions);
    const client = createClient({ ...sandbox.clientOptions, ...recorder.clientOptions });
    const end = recorder.attach(client);
    sandbox.fault({ method: 'GET', nth: 1, action: { status: 503, code: 'SERVICE_UNAVAILABLE' } });
    await sandbox.run(client.withOptions({ maxAttempts: 2 }).balances.list());
    sandbox.fault({ method: 'POST', nth: 1, action: 'lost-after' });
    await sandbox.run(client.invoices.create({ ...AMOUNT, correlationId: 'order-1' }));
    await reasonOf(sandbox.run(client.invoices.get('none')));
    const reader = createClient(sandbox.clientOptionsFor({ scopes: ['partner.invoice.read'] }));
    recorder.attach(reader);
    await reasonOf(sandbox.run(reader.balances.list()));
    end();
    await reasonOf(sandbox.run(client.invoices.get('none')));
    const { decisions, exchanges } = await recorder.recording();
    const shown = decisions.map(({ operation, attempt, kind, why, next, neededScope }) =>
      [operation, attempt, kind, why, next, neededScope].filter((part) => part !== undefined),
    );
    expect(shown).to.deep.equal([
      ['balances.list', 1, 'retry', 'SERVICE_UNAVAILABLE'],
      ['invoices.create', 1, 'retry', 'UNREACHABLE'],
      ['invoices.create', 2, 'read-first', 'DUPLICATE_INVOICE'],
      ['invoices.get', 1, 'give-up', 'NOT_FOUND', 'ask-user'],
      ['balances.list', 1, 'give-up', 'FORBIDDEN', 'get-scope', 'partner.balances.read'],
    ]);
    expect(exchanges.filter(({ path }) => path.endsWith('/none'))).to.have.length(1);
  });

  it('keeps what a watch emitted, once for all subscribers, and changes nothing for them', async () => {
    const sandbox = createSandbox({ signed: false });
    const recorder = createRecorder(sandbox.clientOptions);
    const client = createClient(sandbox.clientOptions);
    recorder.attach(client);
    const { invoiceId } = await sandbox.run(client.invoices.create(AMOUNT));
    const watch = recorder.watch(watchInvoice(client, invoiceId), 'order 1');
    const seen: unknown[] = [];
    const stops = [0, 1].map(() => watch.subscribe((snapshot) => void seen.push(snapshot)));
    await sandbox.advance(1_000);
    await sandbox.payer.pay(invoiceId);
    await sandbox.advance(60_000);
    for (const stop of stops) stop();
    const { states } = await recorder.recording();
    expect(states.every((state) => state.watch === 'order 1')).to.equal(true);
    const values = states.filter(({ kind }) => kind === 'next').map(({ value }) => value);
    const distinct = seen.filter((one, at) => seen.indexOf(one) === at);
    expect(values).to.deep.equal(JSON.parse(JSON.stringify(distinct)));
    expect(states.at(-1)).to.include({ kind: 'complete' });
    expect(watch.current().value?.state).to.equal('PAID');
    expect(watch['@@observable']()).to.equal(watch);
    for await (const { value } of watch) expect(value?.state).to.equal('PAID');
  });

  it('keeps deliveries without their signature, and plays them with that of a test', async () => {
    const sandbox = createSandbox();
    const recorder = createRecorder({ clock: sandbox.clock });
    const answers = [200, 401];
    const handle = recorder.handle(async () => new Response(null, { status: answers.shift()! }));
    await sandbox.advance(500);
    for (const fault of [undefined, 'other-secret'] as const)
      await handle(await makeDelivery(makeEvent(), 'a secret of ten', fault && { fault }));
    const recording = parseRecording(JSON.stringify(await recorder.recording()));
    expect(
      recording.deliveries.map(({ at, isSigned, status }) => [at, isSigned, status]),
    ).to.deep.equal([
      [500, true, 200],
      [500, true, 401],
    ]);
    expect(JSON.stringify(recording)).not.to.match(/[0-9A-F]{64}/);
    const secret = 'another secret of the test';
    const { deliver, clientOptions } = createReplay(recording, { clock: sandbox.clock });
    const { verifyWebhook } = await import('paystate/webhooks');
    const receiver = async (request: Request): Promise<Response> => {
      const isRight = await verifyWebhook(request, secret).then(Boolean, () => false);
      return new Response(null, { status: isRight ? 200 : 401 });
    };
    const statuses = sandbox.run(deliver(receiver, secret));
    expect(await statuses).to.deep.equal([200, 401]);
    expect(clientOptions.clock.now() - recording.clock[0]!.now).to.equal(500);
  });

  it('plays deliveries of one millisecond in the order in which the handler responded', async () => {
    const { clock } = createSandbox();
    const recorder = createRecorder({ clock });
    const responded: string[] = [];
    let second: () => void = () => {};
    const isSecondDone = new Promise<void>((resolve) => (second = resolve));
    const handle = recorder.handle(async (request) => {
      const text = await request.text();
      if (text === '"first"') await isSecondDone;
      responded.push(text);
      second();
      return new Response();
    });
    const post = (text: string) => {
      const body = JSON.stringify(text);
      return handle(new Request('https://shop.example/', { method: 'POST', body }));
    };
    await Promise.all([post('first'), post('second')]);
    const recording = await saved(recorder.recording());
    expect(recording.deliveries.map(({ body, order }) => [body, order])).to.deep.equal([
      ['"first"', 2],
      ['"second"', 1],
    ]);
    const sandbox = createSandbox();
    const replayed: string[] = [];
    const statuses = createReplay(recording, { clock: sandbox.clock }).deliver(async (request) => {
      replayed.push(await request.text());
      return new Response();
    }, 'a secret of ten');
    expect(await sandbox.run(statuses)).to.deep.equal([200, 200]);
    expect(replayed).to.deep.equal(responded);
  });

  it('plays a wall clock that was set to another time', async () => {
    const { clock } = createSandbox();
    let skew = 0;
    const recorder = createRecorder({ clock: { ...clock, now: () => clock.now() + skew } });
    const handle = recorder.handle(async () => new Response());
    skew = -3_600_000;
    const deliver = () =>
      handle(new Request('https://shop.example/', { method: 'POST', body: '{}' }));
    for (let delivery = 0; delivery < 3; delivery++) await deliver();
    const recording = await recorder.recording();
    expect(recording.clock, 'one jump').to.have.length(2);
    const played = createReplay(recording, { clock: createSandbox().clock }).clientOptions.clock;
    expect(played.now()).to.equal(clock.now() + skew);
  });

  it('keeps no credential, preimage or secret, also not in what watches emit', async () => {
    const preImage = 'ab'.repeat(32);
    const payment = { ...makePayment(), description: KEY, lightning: { preImage } };
    const { fetch } = answering(json(payment), json({ orderSecret: SECRET, secret: SECRET }));
    const { client, run, sandbox } = openShop({ fetch, apiKey: 'key-of-the-shop-1' });
    const recorder = createRecorder({ clock: sandbox.clock });
    recorder.attach(client);
    await run(client.payments.get(payment.paymentId));
    const stop = recorder.watch(watchPayment(client, payment.paymentId)).subscribe(() => {});
    await sandbox.advance(1_000);
    stop();
    const child = client.withOptions({ maxAttempts: 1 });
    await reasonOf(run(child.subscriptions.create({ ...HOOKS, secret: SECRET })));
    const text = JSON.stringify(await recorder.recording());
    for (const secret of ['key-of-the-shop-1', preImage, SECRET])
      expect(text, secret).not.to.include(secret);
    expect(text).to.include('[secret]');
  });

  it('cuts the credential of an attached client wherever it is said, until it is let go', async () => {
    const apiKey = 'key-of-the-shop-1';
    const { client, run, sandbox } = openShop({ apiKey });
    const recorder = createRecorder({ clock: sandbox.clock });
    const detach = recorder.attach(client);
    await reasonOf(run(client.balances.list()));
    const handle = recorder.handle(async () => new Response(null, { status: 200 }));
    const body = `it said ${apiKey} aloud`;
    const deliver = (): Promise<Response> =>
      handle(new Request('https://shop.example/hooks', { method: 'POST', body }));
    await run(deliver());
    detach();
    await run(deliver());
    const { deliveries } = await recorder.recording();
    expect(deliveries.map((one) => one.body)).to.deep.equal([
      body.replace(apiKey, '[secret]'),
      body,
    ]);
  });

  it('keeps no part of a credential that stands where a body is cut off', async () => {
    const apiKey = 'key-of-the-shop-1';
    const { client, run, sandbox } = openShop({ apiKey });
    const recorder = createRecorder({ clock: sandbox.clock, maxBodyBytes: 12 });
    recorder.attach(client);
    await reasonOf(run(client.balances.list()));
    const handle = recorder.handle(async () => new Response(null, { status: 200 }));
    const body = `it is ${apiKey}`;
    await run(handle(new Request('https://shop.example/hooks', { method: 'POST', body })));
    const { deliveries } = await recorder.recording();
    expect(deliveries.map((one) => one.body)).to.deep.equal(['it is [secre']);
  });

  it('sends by the platform where no fetch is given', async () => {
    const { fetch: own } = globalThis;
    const recorder = createRecorder();
    try {
      globalThis.fetch = async (input, init) => new Response(`${input as string} ${init?.method}`);
      const response = await recorder.fetch('https://shop.example/', { method: 'PUT' });
      expect(await response.text()).to.equal('https://shop.example/ PUT');
    } finally {
      globalThis.fetch = own;
    }
    const [{ method, path, response } = {}] = (await recorder.recording()).exchanges;
    expect([method, path, response?.body]).to.deep.equal(['PUT', '/', 'https://shop.example/ PUT']);
  });

  it('keeps letters whole whose bytes come in two parts, and cuts a body by its bytes', async () => {
    const bytes = new TextEncoder().encode('12 €, 😀');
    const inParts = (): Response =>
      new Response(
        new ReadableStream({
          start(controller) {
            for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
            controller.close();
          },
        }),
      );
    const bodies: unknown[] = [];
    for (const maxBodyBytes of [100, bytes.length, 2]) {
      const recorder = createRecorder({ fetch: async () => inParts(), maxBodyBytes });
      await (await recorder.fetch('https://shop.example/')).text();
      const { response } = (await recorder.recording()).exchanges[0]!;
      bodies.push([response?.body, response?.end]);
    }
    expect(bodies).to.deep.equal([
      ['12 €, 😀', 'whole'],
      ['12 €, 😀', 'whole'],
      ['12', 'cut'],
    ]);
  });

  it('cuts a password of a Basic header, and takes no other scheme for one', async () => {
    const heard: string[] = [];
    for (const scheme of ['Basic', 'basic', 'Basics', 'unBasic']) {
      const recorder = createRecorder({ fetch: async () => new Response('a long password') });
      const authorization = `${scheme} ${btoa('shop:a long password')}`;
      await recorder.fetch('https://shop.example/', { headers: { authorization } });
      heard.push((await recorder.recording()).exchanges[0]!.response!.body);
    }
    const cut = '[secret]';
    expect(heard).to.deep.equal([cut, cut, 'a long password', 'a long password']);
  });

  it('cuts a credential of eight characters, and takes a shorter one for a word', async () => {
    for (const [key, shown] of [
      ['12345678', '[secret]'],
      ['1234567', '1234567'],
    ] as const) {
      const recorder = createRecorder({ fetch: async () => new Response(key) });
      const headers = { authorization: `Bearer ${key}` };
      await recorder.fetch('https://shop.example/', { headers });
      const { exchanges } = await recorder.recording();
      expect(exchanges[0]!.response!.body).to.equal(shown);
    }
  });

  it('leaves less than an entry of the bytes that it may have', async () => {
    const { clock } = openShop().sandbox;
    const id = '€'.repeat(60);
    const entry = new TextEncoder().encode(`"${id}",`).length;
    for (let maxBytes = 10_000; maxBytes < 10_000 + entry; maxBytes += 7) {
      const recorder = createRecorder({ clock, uuid: () => id, maxBytes });
      for (let count = 0; count < 100; count++) recorder.clientOptions.uuid();
      const text = JSON.stringify(await recorder.recording());
      const left = maxBytes - new TextEncoder().encode(text).length;
      expect(left, `${maxBytes}`).to.be.within(0, entry + 20);
    }
  });

  it('is at most as long as it may be, as JSON', async () => {
    const body = JSON.stringify({ items: ['"\\ü€😀'.repeat(200)] });
    const { fetch } = answering(() => new Response(body));
    const { client, run, sandbox } = openShop({ fetch });
    const recorder = createRecorder({ clock: sandbox.clock, maxBytes: 20_000 });
    recorder.attach(client);
    for (let count = 0; count < 30; count++) await reasonOf(run(client.balances.list()));
    const recording = await recorder.recording();
    const bytes = new TextEncoder().encode(JSON.stringify(recording)).length;
    expect(bytes).to.be.within(10_000, 20_000);
    expect(recording.dropped).to.be.above(10);
  });

  it('counts nothing for a response whose request was dropped before it came', async () => {
    let answer: (response: Response) => void = () => {};
    const slow = new Promise<Response>((resolve) => void (answer = resolve));
    const fetch = async (url: unknown): Promise<Response> =>
      `${url}`.endsWith('slow') ? slow : new Response('');
    const recorder = createRecorder({ fetch, maxBytes: 4_000 });
    const waiting = recorder.fetch('https://service.example/slow');
    const fill = async (): Promise<number> => {
      for (let count = 0; count < 40; count++) await recorder.fetch('https://service.example/v1');
      return (await recorder.recording()).exchanges.length;
    };
    const before = await fill();
    answer(new Response('x'.repeat(3_500)));
    await waiting;
    await recorder.recording();
    expect([before > 5, await fill()]).to.deep.equal([true, before]);
  });
});

const HOOKS = {
  webhookUrl: 'https://shop.example/hooks',
  webhookVersion: 'v1',
  enabled: true,
  eventTypes: ['invoice.updated'],
} as const;
