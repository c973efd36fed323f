// What goes out and what comes back is what it would be with the platform's fetch alone: the library between adds,
// repeats, reads and tells nothing.
import { expect } from 'chai';
import { createConnection, request } from 'paystate';
import { describe, it } from '#test';
import {
  type Answer,
  answering,
  DRAFT,
  failureOf,
  INVOICE,
  json,
  openShop,
  reasonOf,
  refusal,
  repeats,
  rows,
} from './shop.ts';
import { internalsOf } from './internals.ts';

const CANARY = 'C4n4ry.key_0123456789';
const KEY = '7d5b1c6e-0a2f-4d8b-9c31-e4f6a7b8c9d0';

/** A body that breaks off while it is read. */
const breaking =
  (why: unknown): Answer =>
  () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          controller.enqueue(new TextEncoder().encode('{'));
          controller.error(why);
        },
      }),
      { headers: { 'content-type': 'application/json' } },
    );

describe('the transport', () => {
  it('gives fetch what fetch knows and nothing else, headers as plain members', async () => {
    const wire = answering(json(INVOICE));
    const { client, run } = openShop({ fetch: wire.fetch, baseUrl: 'https://pay.example' });
    for (const repeat of repeats) await run(rows[repeat](client, 'x').catch(() => {}));
    for (const { init } of wire.sent) {
      expect(Object.keys(init)).to.include.members(['method', 'headers', 'signal', 'redirect']);
      expect(
        Object.keys(init).filter(
          (name) => !['method', 'headers', 'signal', 'redirect', 'body', 'cache'].includes(name),
        ),
      ).to.deep.equal([]);
      expect(init.cache).to.equal('no-store');
      expect((init.headers as Record<string, string>)['accept']).to.equal('application/json');
      expect(init.signal).to.be.an.instanceOf(AbortSignal);
    }
    const created = wire.sent.find(({ init }) => init.body)!;
    expect(JSON.parse(created.init.body as string)).to.deep.include(DRAFT);
    expect(wire.sent.filter(({ init }) => 'body' in init)).to.have.length(1);
  });

  it('reads a text that arrives byte by byte, in the middle of its letters', async () => {
    const description = 'Thé à 3 € 🍵';
    const bytes = new TextEncoder().encode(JSON.stringify({ ...INVOICE, description }));
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at++) controller.enqueue(bytes.slice(at, at + 1));
        controller.close();
      },
    });
    const wire = answering(() => new Response(pieces));
    const { client, run } = openShop({ fetch: wire.fetch });
    const invoice = await run(client.invoices.get(INVOICE.invoiceId));
    expect(invoice.description).to.equal(description);
  });

  it('sends each header once, as it stands', async () => {
    const wire = answering(json({}));
    const { sandbox } = openShop();
    const connection = createConnection({
      ...sandbox.clientOptions,
      apiKey: undefined,
      token: 'TOKEN',
      fetch: wire.fetch,
    });
    await sandbox.run(
      request(connection, 'POST', '/v1/things', { body: { a: '1' }, idempotencyKey: KEY }),
    );
    await sandbox.run(request(connection, 'DELETE', '/v1/things').catch(() => {}));
    expect(wire.sent.map(({ init }) => init.headers)).to.deep.equal([
      {
        accept: 'application/json',
        authorization: 'Bearer TOKEN',
        'content-type': 'application/json',
        'idempotency-key': KEY,
      },
      { accept: 'application/json', authorization: 'Bearer TOKEN' },
    ]);
    expect(wire.sent[0]!.init.body).to.equal('{"a":"1"}');
  });

  it('repeats nothing by itself, whatever comes', async () => {
    const answers: readonly Answer[] = [
      ...[408, 409, 425, 429, 500, 502, 503, 504].map((status) =>
        refusal(status, 'INTERNAL_SERVER_ERROR'),
      ),
      () => Promise.reject(new TypeError('reset')),
      () => new Response('<p>', { status: 503 }),
      breaking(new TypeError('reset')),
    ];
    for (const answer of answers)
      for (const repeat of repeats) {
        const wire = answering(answer);
        const { client, run } = openShop({ fetch: wire.fetch, maxAttempts: 1 });
        await failureOf(run(rows[repeat](client, 'x')));
        expect(wire.sent).to.have.length(1);
      }
  });

  it('leaves the body to be read, also where its type would make a library read it', async () => {
    for (const type of ['application/json', 'text/html', 'text/event-stream', 'image/png', '']) {
      let isRead = false;
      const { sandbox } = openShop();
      const body = new ReadableStream<Uint8Array>(
        { pull: (controller) => void ((isRead = true), controller.close()) },
        { highWaterMark: 0 },
      );
      const connection = createConnection({
        ...sandbox.clientOptions,
        fetch: async () => new Response(body, { status: 500, headers: { 'content-type': type } }),
      });
      const response = await (await internalsOf(connection).authorize(false)).send({
        url: 'https://pay.example/v1/x',
        method: 'GET',
        signal: new AbortController().signal,
      });
      expect([response.status, response.bodyUsed, isRead], type).to.deep.equal([500, false, false]);
    }
  });

  it('throws what fetch threw, and no error of a library that holds the request', async () => {
    const { sandbox } = openShop();
    for (const thrown of [
      new TypeError(CANARY),
      'TIMEOUT',
      undefined,
      Object.assign(new Error('x'), { cause: CANARY }),
    ]) {
      const connection = createConnection({
        ...sandbox.clientOptions,
        fetch: () => Promise.reject(thrown),
      });
      expect(
        await reasonOf(
          (await internalsOf(connection).authorize(false)).send({
            url: 'https://pay.example/v1/x',
            method: 'GET',
            signal: new AbortController().signal,
          }),
        ),
      ).to.equal(thrown);
    }
  });

  it('shows of such an error neither name, cause nor key to whoever calls', async () => {
    const echo = (init: RequestInit): string =>
      String(new Headers(init.headers).get('authorization'));
    const failing: readonly Answer[] = [
      (init) => Promise.reject(new TypeError(echo(init))),
      (init) => {
        throw new Error(echo(init));
      },
      (init) => breaking(new Error(echo(init)))(init),
    ];
    for (const answer of failing)
      for (const repeat of repeats) {
        const { client, run } = openShop({
          apiKey: undefined,
          token: CANARY,
          fetch: answering(answer).fetch,
        });
        const error = await failureOf(run(rows[repeat](client, 'x')));
        const text = `${error.name} ${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
        expect(text)
          .not.to.match(/FetchError|<no response>|Bearer/)
          .and.not.contain(CANARY);
      }
  });

  it("asks for the platform's fetch at each call", async () => {
    const { sandbox } = openShop();
    const { fetch: own } = globalThis;
    const connection = createConnection({ ...sandbox.clientOptions, fetch: undefined });
    const seen: string[] = [];
    const signal = new AbortController().signal;
    try {
      for (const name of ['first', 'second']) {
        globalThis.fetch = async function (this: unknown) {
          seen.push(`${name} ${this === globalThis}`);
          return new Response('{}');
        };
        await (await internalsOf(connection).authorize(false)).send({
          url: 'https://pay.example/v1/x',
          method: 'GET',
          signal,
        });
      }
    } finally {
      globalThis.fetch = own;
    }
    expect(seen).to.deep.equal(['first true', 'second true']);
  });
});
