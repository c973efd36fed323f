import { expect } from 'chai';
import { createClient, InputError, WebhookError } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { type Drift, rejectDrift, reportDrift } from 'paystate/schemas';
import { type InboxStore, memoryInboxStore, type MemoryTransaction } from 'paystate/stores';
import { signWebhook } from 'paystate/testing';
import { createInbox, type Inbox, type InboxProblem } from 'paystate/webhooks';
import { describe, it, itLong } from '#test';
import { changed } from './shop.ts';
import { BODY, EVENT, NEW_SECRET, OLD_SECRET, requestOf, signedRequest } from './deliveries.ts';

const ALLOWED = [200, 400, 401, 405, 413, 415, 500, 503];

const open = (
  change: (
    store: InboxStore<MemoryTransaction>,
  ) => Partial<InboxStore<MemoryTransaction>> = () => ({}),
  secrets: string | readonly string[] = NEW_SECRET,
) => {
  const sandbox = createSandbox({ signed: false });
  const memory = memoryInboxStore();
  let added = 0;
  const store = changed(memory, {
    async add(arrivals, cursor) {
      added += arrivals.length;
      return memory.add(arrivals, cursor);
    },
    ...change(memory),
  });
  const problems: InboxProblem[] = [];
  const inbox: Inbox = createInbox({
    client: createClient(sandbox.clientOptions),
    secrets,
    store,
    on: { invoicePaid: () => {} },
    onProblem: (problem) => problems.push(problem),
  });
  const status = async (request: Request): Promise<number> =>
    (await sandbox.run(inbox.handle(request))).status;
  return { sandbox, inbox, memory, status, problems, added: () => added };
};

describe('inbox: answers', () => {
  it('200 for what is kept, also when it was kept before', async () => {
    const { status, memory, added } = open();
    for (let count = 0; count < 3; count++)
      expect(await status(await signedRequest(BODY, NEW_SECRET))).to.equal(200);
    expect([(await memory.counts()).open, added()]).to.deep.equal([1, 3]);
  });

  it('200 for what is new to this version, which the check for drift is told of once', async () => {
    const found: Drift[] = [];
    const body = JSON.stringify({ ...EVENT, eventType: 'invoice.renamed', colour: 'red' });
    for (const drift of [reportDrift((one) => void found.push(one)), rejectDrift]) {
      const sandbox = createSandbox({ signed: false });
      const client = createClient({ ...sandbox.clientOptions, drift });
      const store = memoryInboxStore();
      const inbox = createInbox({ client, secrets: NEW_SECRET, store, on: {} });
      const responses = [
        await signedRequest(body, OLD_SECRET),
        await signedRequest(body, NEW_SECRET),
        await signedRequest(body, NEW_SECRET),
      ].map((request) => inbox.handle(request));
      const statuses = await sandbox.run(Promise.all(responses));
      expect(statuses.map(({ status }) => status)).to.deep.equal([401, 200, 200]);
    }
    expect(found.map(({ path, field, kind, text }) => [path, field, kind, text])).to.deep.equal([
      ['webhook', 'eventType', 'unknown-value', 'invoice.renamed'],
      ['webhook', 'colour', 'unknown-field', 'colour'],
    ]);
  });

  it('one status for each thing that is wrong, and nothing is kept', async () => {
    const { status, added } = open();
    const right = await signWebhook(BODY, NEW_SECRET);
    const read = await signedRequest(BODY, NEW_SECRET);
    await read.text();
    const packed = await signedRequest(BODY, NEW_SECRET);
    packed.headers.set('content-encoding', 'gzip');
    const cases: readonly (readonly [number, Request])[] = [
      [405, requestOf('', undefined, 'GET')],
      [405, requestOf(BODY, right, 'PUT')],
      [405, requestOf(BODY, right, 'DELETE')],
      [401, requestOf(BODY, undefined)],
      [401, requestOf(BODY, 'no hex')],
      [401, requestOf(BODY, '0'.repeat(64))],
      [401, requestOf(`${BODY} `, right)],
      [413, await signedRequest(' '.repeat(65_537), NEW_SECRET)],
      [413, requestOf(' '.repeat(65_537), undefined)],
      [415, packed],
      [400, await signedRequest('{', NEW_SECRET)],
      [400, await signedRequest('[]', NEW_SECRET)],
      [400, await signedRequest('', NEW_SECRET)],
      [500, read],
      [500, undefined as unknown as Request],
    ];
    for (const [expected, request] of cases) expect(await status(request)).to.equal(expected);
    expect(added()).to.equal(0);
  });

  it('500 for what no sender can cause, which onProblem is told of once, with its cause', async () => {
    const { status, problems, added } = open();
    const right = await signWebhook(BODY, NEW_SECRET);
    const declared = (request: Request): Request =>
      Object.defineProperty(request, 'headers', {
        value: new Map([
          ['x-webhook-signature', right],
          ['content-length', `${BODY.length}`],
        ]),
      });
    const taken = async (take: (request: Request) => unknown): Promise<Request> => {
      const request = requestOf(BODY, right);
      await take(request);
      return request;
    };
    const wrong: Readonly<Record<string, () => Promise<unknown>>> = {
      'was already read': () => taken((request) => request.text()),
      'fewer bytes than its content-length': async () => declared(requestOf('', undefined)),
      nodeHandler: async () => ({ method: 'POST', headers: { 'x-webhook-signature': right } }),
    };
    for (const [said, make] of Object.entries(wrong)) {
      const before = problems.length;
      for (let turn = 0; turn < 3; turn += 1)
        expect(await status((await make()) as Request), said).to.equal(500);
      const [problem, ...more] = problems.slice(before);
      expect([problem?.kind, more.length]).to.deep.equal(['setup-failed', 0]);
      expect(String(Object(problem).error), said).to.contain(said);
    }
    const known = problems.length;
    for (const signature of [undefined, '0'.repeat(64)])
      expect(await status(requestOf(BODY, signature))).to.equal(401);
    expect([problems.length, added()]).to.deep.equal([known, 0]);
  });

  it('405 says what is allowed; no answer has a body', async () => {
    const { sandbox, inbox } = open();
    const refused = await sandbox.run(inbox.handle(requestOf('', undefined, 'GET')));
    const taken = await sandbox.run(inbox.handle(await signedRequest(BODY, NEW_SECRET)));
    expect([refused.headers.get('allow'), refused.body, taken.body]).to.deep.equal([
      'POST',
      null,
      null,
    ]);
  });

  it('503 when it could not be kept, and when that takes too long', async () => {
    const full = open(() => ({
      add: async () => {
        throw new Error('disk full');
      },
    }));
    expect(await full.status(await signedRequest(BODY, NEW_SECRET))).to.equal(503);
    const stuck = open(() => ({ add: () => new Promise(() => {}) }));
    expect(await stuck.status(await signedRequest(BODY, NEW_SECRET))).to.equal(503);
    expect(stuck.sandbox.clock.monotonic()).to.be.within(1_000, 4_900);
  });

  it('503 when an id that came with another entity could not be kept', async () => {
    const other = JSON.stringify({ ...EVENT, data: { entityId: 'another' } });
    const half = open((memory) => ({
      add: async (arrivals) => {
        if (arrivals.some(({ subject, body }) => subject === 'invoice:another' && body === ''))
          throw new Error('disk full');
        return memory.add(arrivals);
      },
    }));
    expect(await half.status(await signedRequest(BODY, NEW_SECRET))).to.equal(200);
    expect(await half.status(await signedRequest(other, NEW_SECRET))).to.equal(503);
    const whole = open();
    for (const body of [BODY, other])
      expect(await whole.status(await signedRequest(body, NEW_SECRET))).to.equal(200);
    expect(
      (await whole.memory.lease(Infinity, 1, 9)).map(({ subject }) => subject),
    ).to.have.members([`invoice:${EVENT.data.entityId}`, 'invoice:another']);
  });

  it('400 for an id that no event has, and nothing is kept', async () => {
    const { status, added } = open();
    const statusFor = async (id: unknown) =>
      status(await signedRequest(JSON.stringify({ ...EVENT, id }), NEW_SECRET));
    for (const id of [
      '',
      'x'.repeat(201),
      'a\nb',
      'a\u0000b',
      '\u001b',
      'a\u007f',
      'a\u0085',
      '\ud800',
      7,
      null,
      undefined,
      {},
      ['a'],
    ])
      expect(await statusFor(id), JSON.stringify(id)).to.equal(400);
    expect(added()).to.equal(0);
    for (const id of ['x'.repeat(200), 'evt_1', 'é ü'])
      expect(await statusFor(id), id).to.equal(200);
    expect(added()).to.equal(3);
  });

  it('200 for an event of something whose id is no text that databases keep: it names nothing', async () => {
    for (const entityId of ['a\u0000b', '\ud800', 'a\nb']) {
      const { status, memory } = open();
      const body = JSON.stringify({ ...EVENT, data: { ...EVENT.data, entityId } });
      expect(await status(await signedRequest(body, NEW_SECRET))).to.equal(200);
      const subjects = (await memory.lease(Infinity, 1, 9)).map(({ subject }) => subject);
      expect(subjects).to.deep.equal([`event:${EVENT.id}`]);
    }
  });

  it('W10: 401 for what another account signed', async () => {
    const { status, added } = open();
    expect([
      await status(await signedRequest(BODY, 'the secret of another account')),
      added(),
    ]).to.deep.equal([401, 0]);
  });

  it('W11: 200 for the old secret as long as it is given', async () => {
    expect(
      await open(undefined, [NEW_SECRET, OLD_SECRET]).status(await signedRequest(BODY, OLD_SECRET)),
    ).to.equal(200);
    expect(await open().status(await signedRequest(BODY, OLD_SECRET))).to.equal(401);
  });

  it('come before anything is asked of the service, however slow that is', async () => {
    const { sandbox, inbox } = open();
    sandbox.fault({ method: 'GET', action: { delay: 60_000 } });
    const work: Promise<unknown>[] = [];
    const response = await inbox.handle(await signedRequest(BODY, NEW_SECRET), {
      waitUntil: (later) => work.push(later),
    });
    expect([
      response.status,
      sandbox.log.length,
      work.length,
      sandbox.clock.monotonic(),
    ]).to.deep.equal([200, 0, 1, 0]);
    await sandbox.advance(1_000);
    expect(sandbox.log).to.have.length(1);
    await sandbox.run(Promise.all(work));
  });

  itLong(
    'are no others than those allowed, for a thousand requests made up by chance',
    async () => {
      const { sandbox, status, added } = open();
      let seed = 7;
      const below = (limit: number): number => {
        seed ^= seed << 13;
        seed ^= seed >>> 17;
        seed ^= seed << 5;
        return (seed >>> 0) % limit;
      };
      const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
      const right = await signWebhook(BODY, NEW_SECRET);
      const noise = (): string =>
        String.fromCharCode(...Array.from({ length: below(200) }, () => below(55_000)));
      const bodies = [
        () => BODY,
        noise,
        () => BODY.slice(0, below(BODY.length)),
        () => '['.repeat(below(30_000)),
        () => JSON.stringify({ ...EVENT, id: below(9) }),
        () => 'null',
        () => `\ufeff${BODY}`,
      ];
      const signatures = [
        () => right,
        () => undefined,
        () => '0'.repeat(below(130)),
        () => right.slice(below(64)),
        () => `${right},${right}`,
        () => `sha256=${right}`,
      ];
      const seen = new Set<number>();
      let genuine = 0;
      for (let count = 0; count < 1_000; count++) {
        const isSigned = below(4) === 0;
        const body = pick(bodies)();
        const signature = isSigned
          ? await signWebhook(body, pick([NEW_SECRET, OLD_SECRET]))
          : pick(signatures)();
        const request = requestOf(
          body,
          signature,
          pick(['POST', 'POST', 'POST', 'PUT', 'GET', 'OPTIONS', 'HEAD', 'PATCH']),
        );
        if (below(20) === 0) request.headers.set('content-encoding', 'br');
        const before = added();
        const answer = await status(request);
        seen.add(answer);
        const fits =
          signature !== undefined &&
          signature.toUpperCase() === (await signWebhook(body, NEW_SECRET));
        if (added() > before) genuine++;
        expect(added() > before && !fits, `kept without a signature: ${body}`).to.equal(false);
      }
      expect([...seen].filter((answer) => !ALLOWED.includes(answer))).to.deep.equal([]);
      expect([...seen].sort()).to.deep.equal([200, 400, 401, 405, 415]);
      expect(genuine).to.be.above(15);
      expect(sandbox.log.every(({ method }) => method === 'GET')).to.equal(true);
    },
  );

  it('are never given by a receiver whose options cannot be right, or whose handler has no name that is one', () => {
    const client = createClient(createSandbox().clientOptions);
    const right = { client, secrets: NEW_SECRET, store: memoryInboxStore(), on: {} };
    const wrong: Readonly<Record<string, readonly unknown[]>> = {
      client: [undefined, {}],
      store: [undefined, {}],
      on: [undefined, null, 'invoicePaid'],
      'on.invoicePayed': [() => {}],
      'on.invoicePaid': ['ship', {}],
      'on.event.invoice.updated': [7],
      otherwise: [7],
      onProblem: ['console'],
      'read.invoice': [7],
      signatureHeader: [7, '', 'two words', 'a:b'],
      maxBodyBytes: [0, -1, '1', NaN],
      drainTimeout: [-1, '0', NaN],
      leaseDuration: [0, NaN, Infinity],
    };
    for (const [path, values] of Object.entries(wrong))
      for (const value of values) {
        const [name, ...rest] = path.split('.');
        const member =
          rest.length === 0
            ? value
            : rest[0] === 'event'
              ? { event: { [rest.slice(1).join('.')]: value } }
              : { [rest[0]!]: value };
        const make = () => createInbox({ ...right, [name!]: member } as never);
        expect(make, `${path} ${String(value)}`).to.throw(InputError, `${path}: `);
      }
    expect(() => createInbox(undefined as never)).to.throw(InputError);
    expect(() => createInbox(right)).not.to.throw();
  });

  it('are never given by a receiver with a secret that cannot be right', () => {
    for (const secrets of ['', 'short', [], [NEW_SECRET, ' spaces at the ends ']])
      expect(() => open(undefined, secrets)).to.throw(WebhookError);
    expect(() =>
      createInbox({
        client: createClient(createSandbox().clientOptions),
        secrets: NEW_SECRET,
        store: undefined as never,
        on: {},
      }),
    ).to.throw('store');
  });
});
