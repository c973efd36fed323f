import { expect } from 'chai';
import { describe, it } from '#test';
import {
  type Answer,
  answering,
  DRAFT,
  failureOf,
  INVOICE,
  json,
  openShop,
  refusal,
  rows,
  repeats,
} from './shop.ts';

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** What a read, and what a creation, makes of an answer. */
const heard = async (answer: Answer, options: object = {}) => {
  const wire = answering(answer);
  const { client, run } = openShop({ fetch: wire.fetch, ...options });
  const read = await failureOf(run(client.invoices.get(INVOICE.invoiceId)));
  const asked = wire.sent.length;
  const write = await failureOf(run(client.invoices.create(DRAFT)));
  return { read, write, asked, wire };
};

const facts = ({
  kind,
  code,
  status,
  outcome,
}: Awaited<ReturnType<typeof failureOf>>): unknown[] => [kind, code, status, outcome];

describe('answers that are none', () => {
  it('redirects are never followed', async () => {
    for (const status of [300, 301, 302, 303, 307, 308, 304]) {
      const { read, write, asked, wire } = await heard(
        () => new Response(null, { status, headers: { location: 'https://evil.example/' } }),
      );
      expect(facts(read)).to.deep.equal(['unreachable', 'REDIRECT', status, 'not-done']);
      expect(facts(write)).to.deep.equal(['unreachable', 'REDIRECT', status, 'unknown']);
      expect([asked, read.next, wire.sent.length]).to.deep.equal([1, 'stop', 2]);
      expect(JSON.stringify([read, read.message])).not.to.contain('evil');
    }
  });

  it('status 0 is a redirect that the browser hides', async () => {
    const { read, write } = await heard(() => Response.error());
    expect([facts(read), facts(write)]).to.deep.equal([
      ['unreachable', 'REDIRECT', 0, 'not-done'],
      ['unreachable', 'REDIRECT', 0, 'unknown'],
    ]);
  });

  it('a body over the cap is not read on, whatever its headers say', async () => {
    let pulled = 0;
    let cancelled = false;
    const endless = (): Response =>
      new Response(
        new ReadableStream<Uint8Array>({
          pull(controller) {
            pulled++;
            controller.enqueue(new Uint8Array(1_000));
          },
          cancel() {
            cancelled = true;
          },
        }),
        { headers: { 'content-length': '10' } },
      );
    const { read, write, asked } = await heard(endless, { maxResponseBytes: 50_000 });
    expect([facts(read), facts(write)]).to.deep.equal([
      ['unreachable', 'RESPONSE_TOO_LARGE', 200, 'not-done'],
      ['unreachable', 'RESPONSE_TOO_LARGE', 200, 'unknown'],
    ]);
    expect([asked, cancelled]).to.deep.equal([1, true]);
    expect(pulled).to.be.below(120);
    const { client, run } = openShop({
      fetch: answering(json(INVOICE)).fetch,
      maxResponseBytes: JSON.stringify(INVOICE).length,
    });
    expect((await run(client.invoices.get(INVOICE.invoiceId))).state).to.equal('UNPAID');
  });

  it('empty and other successes without JSON leave a creation in doubt', async () => {
    for (const answer of [
      () => new Response(null, { status: 204 }),
      () => new Response(null, { status: 202 }),
      () => new Response('', { status: 201 }),
      () => new Response(' '),
      () =>
        new Response('<!doctype html><h1>Log in</h1>', {
          headers: { 'content-type': 'text/html' },
        }),
      () => new Response('{"invoiceId": "7'),
      () => new Response('NaN'),
      () => new Response(new Uint8Array([0xff, 0xfe, 0x00])),
      () => new Response('{"a":1}{"b":2}'),
    ]) {
      const { read, write, asked } = await heard(answer);
      const { status } = answer();
      expect([facts(read), facts(write)]).to.deep.equal([
        ['response', 'RESPONSE_NOT_JSON', status, 'not-done'],
        ['response', 'RESPONSE_NOT_JSON', status, 'unknown'],
      ]);
      expect([asked, read.next, write.correlationId !== undefined]).to.deep.equal([
        3,
        'retry',
        true,
      ]);
      expect(JSON.stringify([read, read.message])).not.to.contain('Log in');
    }
  });

  it('JSON of another shape is not asked for again by a read', async () => {
    const { read, write, asked } = await heard(json({ hello: 'world' }));
    expect([facts(read), facts(write)]).to.deep.equal([
      ['response', 'RESPONSE_INVALID', 200, 'not-done'],
      ['response', 'RESPONSE_INVALID', 200, 'unknown'],
    ]);
    expect([asked, read.next]).to.deep.equal([1, 'stop']);
  });

  it('a body that breaks off keeps its status', async () => {
    const broken = (status: number) => () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            controller.enqueue(bytes('{"invoiceId":'));
            controller.error(new TypeError('reset'));
          },
        }),
        { status },
      );
    for (const status of [200, 404, 500]) {
      const { read, write } = await heard(broken(status));
      expect([facts(read), facts(write)]).to.deep.equal([
        ['unreachable', 'UNREACHABLE', status, 'not-done'],
        ['unreachable', 'UNREACHABLE', status, 'unknown'],
      ]);
    }
  });

  it('envelopes that are none are not answers of the service', async () => {
    for (const body of [
      'null',
      '7',
      '"text"',
      '[]',
      '{}',
      '{"data":null}',
      '{"data":"NOT_FOUND"}',
      '{"data":{"code":404}}',
      '{"data":{"code":null}}',
      '{"code":"NOT_FOUND"}',
      '<h1>',
      '',
    ])
      for (const status of [400, 404, 422]) {
        const { read, write } = await heard(() => new Response(body, { status }));
        expect([facts(read), facts(write)], body).to.deep.equal([
          ['unreachable', 'NOT_FROM_SERVICE', status, 'not-done'],
          ['unreachable', 'NOT_FROM_SERVICE', status, 'unknown'],
        ]);
      }
  });

  it('members of an envelope that have other types are left out', async () => {
    const { read } = await heard(
      json(
        {
          traceId: 7,
          data: { code: 'NOT_FOUND', status: '404', values: 'x', validationErrors: [7] },
        },
        404,
      ),
    );
    expect(facts(read)).to.deep.equal(['refused', 'NOT_FOUND', 404, 'not-done']);
    expect([read.traceId, read.values]).to.deep.equal([undefined, undefined]);
  });

  it("the service's own text for developers is not shown", async () => {
    const { read } = await heard(refusal(422, 'BALANCE_TOO_LOW', { debug: { full: 'stack' } }));
    expect(read.message + JSON.stringify(read))
      .not.to.contain('for developers')
      .and.not.contain('stack');
  });

  it('deep and wide JSON neither hangs nor breaks', async () => {
    for (const body of [
      `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
      `{"a":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`,
      '['.repeat(100_000),
    ]) {
      const { read } = await heard(() => new Response(body));
      expect(read.kind).to.equal('response');
    }
    const deep = `{"deep":${'['.repeat(5_000)}${']'.repeat(5_000)},${JSON.stringify(INVOICE).slice(1)}`;
    const { client, run } = openShop({ fetch: answering(() => new Response(deep)).fetch });
    expect((await run(client.invoices.get(INVOICE.invoiceId))).state).to.equal('UNPAID');
  });

  it('a byte order mark and split characters are read through', async () => {
    const text = bytes(`\ufeff${JSON.stringify({ ...INVOICE, description: 'Größe 🎟️' })}`);
    const single = () =>
      new Response(
        new ReadableStream({
          start(controller) {
            for (const byte of text) controller.enqueue(new Uint8Array([byte]));
            controller.close();
          },
        }),
      );
    const { client, run } = openShop({ fetch: answering(single).fetch });
    expect((await run(client.invoices.get(INVOICE.invoiceId))).description).to.equal('Größe 🎟️');
  });

  it('whatever fetch throws is typed, and nothing of it is kept but the cause', async () => {
    for (const thrown of [
      new TypeError('S3CRET'),
      new DOMException('S3CRET', 'AbortError'),
      'S3CRET',
      undefined,
      null,
      { retryable: true },
    ]) {
      const { read, write } = await heard(() => {
        throw thrown;
      });
      expect([facts(read), facts(write)]).to.deep.equal([
        ['unreachable', 'UNREACHABLE', undefined, 'not-done'],
        ['unreachable', 'UNREACHABLE', undefined, 'unknown'],
      ]);
      expect(JSON.stringify(read) + read.message + read.stack).not.to.contain('S3CRET');
      expect(Object.keys(read)).not.to.include('cause');
    }
    const { client, run } = openShop({ fetch: (() => Promise.resolve('no response')) as never });
    for (const repeat of repeats)
      expect((await failureOf(run(rows[repeat](client, 'x')))).kind).to.equal('unreachable');
  });

  it("fetch is called with no other object as its own, as the browsers' wants it", async () => {
    const fetch = async function (this: unknown): Promise<Response> {
      if (this !== undefined && this !== globalThis) throw new TypeError('Illegal invocation');
      return new Response(JSON.stringify(INVOICE));
    };
    const { client, run } = openShop({ fetch });
    expect((await run(client.invoices.get(INVOICE.invoiceId))).state).to.equal('UNPAID');
  });
});
