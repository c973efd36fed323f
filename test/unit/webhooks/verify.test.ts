import { expect } from 'chai';
import { ResponseError, isPaystateError, WebhookError } from 'paystate';
import { signWebhook } from 'paystate/testing';
import {
  generateWebhookSecret,
  type RawDelivery,
  secretIndexOf,
  verifyWebhook,
  type WebhookEvent,
} from 'paystate/webhooks';
import { describe, it } from '#test';
import { BODY, deliveryOf, EVENT, NEW_SECRET, OLD_SECRET, signedRequest } from './deliveries.ts';

// Computed with another tool than the one under test.
const SIGNED_ELSEWHERE = '91B0A448A47AFBC398AEEE083BCE8193B47CC0CAE13A453018F54ABB97926CDC';
const EMPTY_SIGNED_ELSEWHERE = 'DA960E0B10EEFA6CB830FD6A3062083019F1EABA1B8807CD49D5E916D4C7A2C7';

const failure = async (work: Promise<unknown>) => {
  const thrown = await work.then(
    () => new Error('it was not rejected'),
    (reason: unknown) => reason,
  );
  if (!isPaystateError(thrown)) throw thrown;
  return thrown;
};

const codeOf = async (work: Promise<unknown>): Promise<string> => (await failure(work)).code;

describe('verifyWebhook', () => {
  it('reads the event of a right signature, in upper and lower case', async () => {
    const signature = await signWebhook(BODY, NEW_SECRET);
    expect(signature).to.match(/^[0-9A-F]{64}$/);
    for (const text of [signature, signature.toLowerCase()])
      expect(await verifyWebhook(deliveryOf(BODY, text), NEW_SECRET)).to.deep.equal(EVENT);
  });

  it('takes a request and raw bytes with any kind of headers', async () => {
    const signature = await signWebhook(BODY, NEW_SECRET);
    const body = new TextEncoder().encode(`..${BODY}`).subarray(2);
    const kinds: (Request | RawDelivery)[] = [
      await signedRequest(BODY, NEW_SECRET),
      { body, headers: new Headers({ 'x-webhook-signature': signature }) },
      { body, headers: { 'x-webhook-signature': signature } },
      { body, headers: { 'X-WEBHOOK-SIGNATURE': [signature], other: undefined } },
    ];
    for (const kind of kinds) expect((await verifyWebhook(kind, NEW_SECRET)).id).to.equal(EVENT.id);
  });

  it('checks the bytes as they came: escapes, key order, number forms and characters beyond ASCII', async () => {
    const bodies = [
      '{ "id" : "e-1",\n "data": {"entityId": "a\\u002fb"}, "eventType":"x.y", "webhookVersion":"v1", "created":"t", "n":1.0 }',
      `${BODY.slice(0, -1)},"note":"żółć 🪙"}`,
    ];
    for (const body of bodies) {
      const request = await signedRequest(body, NEW_SECRET);
      const changed = deliveryOf(
        JSON.stringify(JSON.parse(body)) + ' ',
        request.headers.get('x-webhook-signature')!,
      );
      expect((await verifyWebhook(request, NEW_SECRET)).id).to.be.a('string');
      expect(await codeOf(verifyWebhook(changed, NEW_SECRET))).to.equal('SIGNATURE_MISMATCH');
    }
  });

  it('tries every secret and tells which one it was', async () => {
    for (const [secret, place] of [
      [NEW_SECRET, 0],
      [OLD_SECRET, 1],
    ] as const)
      expect(
        secretIndexOf(
          await verifyWebhook(await signedRequest(BODY, secret), [NEW_SECRET, OLD_SECRET]),
        ),
      ).to.equal(place);
    expect(
      JSON.stringify(await verifyWebhook(await signedRequest(BODY, OLD_SECRET), [OLD_SECRET])),
    ).to.equal(BODY);
  });

  it('W11: knows the old secret as long as it is given', async () => {
    const late = () => signedRequest(BODY, OLD_SECRET);
    expect(await codeOf(verifyWebhook(await late(), NEW_SECRET))).to.equal('SIGNATURE_MISMATCH');
    expect((await verifyWebhook(await late(), [NEW_SECRET, OLD_SECRET])).id).to.equal(EVENT.id);
  });

  it('W10: refuses what another account signed', async () => {
    expect(
      await codeOf(
        verifyWebhook(await signedRequest(BODY, 'the secret of another account'), [
          NEW_SECRET,
          OLD_SECRET,
        ]),
      ),
    ).to.equal('SIGNATURE_MISMATCH');
  });

  it('takes the header by another name', async () => {
    const headers = { 'x-other': await signWebhook(BODY, NEW_SECRET) };
    const delivery = { body: new TextEncoder().encode(BODY), headers };
    expect((await verifyWebhook(delivery, NEW_SECRET, { signatureHeader: 'X-Other' })).id).to.equal(
      EVENT.id,
    );
    expect((await failure(verifyWebhook(delivery, NEW_SECRET))).message).to.contain(
      'X-Webhook-Signature',
    );
  });

  it('says what is wrong, each by its own code', async () => {
    const right = await signWebhook(BODY, NEW_SECRET);
    const flipped = (right[0] === 'A' ? 'B' : 'A') + right.slice(1);
    const cases: Readonly<Record<string, readonly (string | undefined)[]>> = {
      SIGNATURE_MISSING: [undefined, ''],
      SIGNATURE_MALFORMED: [
        'x',
        `sha256=${right}`,
        right.slice(1),
        `${right}0`,
        `${right}00`,
        `${right.slice(0, 62)}zz`,
        `${right}, ${right}`,
      ],
      SIGNATURE_MISMATCH: [
        flipped,
        '0'.repeat(64),
        await signWebhook(`${BODY} `, NEW_SECRET),
        await signWebhook(BODY, OLD_SECRET),
      ],
    };
    for (const [code, signatures] of Object.entries(cases))
      for (const signature of signatures) {
        const error = await failure(verifyWebhook(deliveryOf(BODY, signature), NEW_SECRET));
        expect(error).to.be.instanceOf(WebhookError);
        expect([error.kind, error.code, error.outcome]).to.deep.equal([
          'webhook',
          code,
          'not-done',
        ]);
      }
  });

  it('refuses a body that somebody parsed or read', async () => {
    const headers = { 'x-webhook-signature': await signWebhook(BODY, NEW_SECRET) };
    const parsed: unknown[] = [EVENT, BODY, undefined, null, [1, 2]];
    for (const body of parsed)
      expect(
        await codeOf(verifyWebhook({ body: body as Uint8Array, headers }, NEW_SECRET)),
      ).to.equal('BODY_ALREADY_READ');
    const read = await signedRequest(BODY, NEW_SECRET);
    await read.json();
    expect(await codeOf(verifyWebhook(read, NEW_SECRET))).to.equal('BODY_ALREADY_READ');
    // @ts-expect-error: a parsed body has no bytes any more
    expect(await codeOf(verifyWebhook({ body: EVENT, headers }, NEW_SECRET))).to.equal(
      'BODY_ALREADY_READ',
    );
    // @ts-expect-error: nor has the event itself
    expect(await codeOf(verifyWebhook(EVENT, NEW_SECRET))).to.equal('BODY_ALREADY_READ');
  });

  it('refuses a Request whose body is in other hands, and says how', async () => {
    const hands: Readonly<Record<string, (body: ReadableStream) => unknown>> = {
      locked: (body) => body.tee(),
      'getReader()': (body) => body.getReader(),
      cancelled: (body) => body.cancel(),
    };
    for (const [said, take] of Object.entries(hands)) {
      const request = await signedRequest(BODY, NEW_SECRET);
      if (!request.body) return; // no such body in this engine
      await take(request.body);
      const error = await failure(verifyWebhook(request, NEW_SECRET));
      expect([error.kind, error.code]).to.deep.equal(['webhook', 'BODY_ALREADY_READ']);
      expect(error.message).to.contain(said).and.to.contain('turn off body parsers');
    }
  });

  it('knows by its declared length that a parser has taken bytes of a body', async () => {
    const right = deliveryOf(BODY, await signWebhook(BODY, NEW_SECRET));
    const declared = (body: Uint8Array, headers: object): RawDelivery => ({
      body,
      headers: { ...right.headers, 'Content-Length': `${right.body.length}`, ...headers },
    });
    const short = [new Uint8Array(0), right.body.subarray(0, 20), right.body.subarray(1)];
    for (const body of short)
      for (const headers of [{}, { 'x-webhook-signature': undefined }]) {
        const error = await failure(verifyWebhook(declared(body, headers), NEW_SECRET));
        expect([error.code, error.next]).to.deep.equal(['BODY_ALREADY_READ', 'fix-input']);
      }
    const others = [
      { 'content-length': undefined, 'Content-Length': undefined },
      { 'content-encoding': 'gzip' },
      { 'transfer-encoding': 'chunked' },
      { 'Content-Length': '20' },
      { 'Content-Length': 'long' },
    ];
    for (const headers of others)
      expect(
        await codeOf(verifyWebhook(declared(right.body.subarray(1), headers), NEW_SECRET)),
        JSON.stringify(headers),
      ).to.equal('SIGNATURE_MISMATCH');
    // the platform has unpacked these, and kept the length of the packed ones
    for (const headers of [...others, {}])
      for (const body of [right.body, new Uint8Array(right.body).subarray(0)])
        expect(
          (await verifyWebhook(declared(body, { 'Content-Length': '900', ...headers }), NEW_SECRET))
            .id,
        ).to.equal(EVENT.id);
    const empty = { body: new Uint8Array(0), headers: right.headers };
    expect((await failure(verifyWebhook(empty, NEW_SECRET))).message).to.contain('body parser');
  });

  it('says that a body broke off', async () => {
    const { headers } = await signedRequest(BODY, NEW_SECRET);
    const body = new ReadableStream({ pull: () => Promise.reject(new Error('reset')) });
    const arrayBuffer = async () => new ArrayBuffer(0);
    const broken = { bodyUsed: false, body, headers, arrayBuffer } as unknown as Request;
    const error = await failure(verifyWebhook(broken, NEW_SECRET));
    expect(error.message).to.contain('connection broke');
  });

  it('refuses secrets that cannot be right, and never repeats them', async () => {
    const unfit = [
      '',
      'too short',
      'x'.repeat(51),
      ' leading space',
      'trailing line\n',
      undefined as unknown as string,
    ];
    for (const secret of unfit)
      for (const secrets of [secret, [NEW_SECRET, secret]]) {
        const error = await failure(verifyWebhook(await signedRequest(BODY, NEW_SECRET), secrets));
        expect([error.kind, error.code]).to.deep.equal(['webhook', 'SECRET_INVALID']);
        if (secret)
          expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.to.contain(
            secret.trim(),
          );
      }
    expect(await codeOf(verifyWebhook(await signedRequest(BODY, NEW_SECRET), []))).to.equal(
      'SECRET_INVALID',
    );
    expect(
      (await verifyWebhook(await signedRequest(BODY, '0123456789'), '0123456789')).id,
    ).to.equal(EVENT.id);
  });

  it('reads no more than its limit, whatever the headers say', async () => {
    const long = JSON.stringify({ ...EVENT, note: 'x'.repeat(65_536) });
    const error = await failure(verifyWebhook(await signedRequest(long, NEW_SECRET), NEW_SECRET));
    expect([error.kind, error.code]).to.deep.equal(['response', 'BODY_TOO_LARGE']);
    const delivery = { body: new TextEncoder().encode(long), headers: {} };
    expect(await codeOf(verifyWebhook(delivery, NEW_SECRET))).to.equal('BODY_TOO_LARGE');
    expect(
      (
        await verifyWebhook(await signedRequest(long, NEW_SECRET), NEW_SECRET, {
          maxBodyBytes: 70_000,
        })
      ).id,
    ).to.equal(EVENT.id);
  });

  it('stops reading a body that never ends, and tells its sender', async () => {
    let pulled = 0;
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(8_192));
      },
      cancel: () => void (isCancelled = true),
    });
    const endless = {
      bodyUsed: false,
      body,
      headers: new Headers(),
      arrayBuffer: async () => new ArrayBuffer(0),
    } as unknown as Request;
    expect(await codeOf(verifyWebhook(endless, NEW_SECRET))).to.equal('BODY_TOO_LARGE');
    expect(pulled).to.be.below(14);
    expect(isCancelled).to.equal(true);
  });

  it('does not begin with a body that is declared too long', async () => {
    const refuse = () => {
      throw new Error('read');
    };
    const declared = {
      bodyUsed: false,
      headers: new Headers({ 'content-length': '65537' }),
      get body() {
        return refuse();
      },
      blob: refuse,
      arrayBuffer: refuse,
    } as unknown as Request;
    expect(await codeOf(verifyWebhook(declared, NEW_SECRET))).to.equal('BODY_TOO_LARGE');
  });

  it('brings no long body into memory where requests have no stream, and reads a short one', async () => {
    const blob = (size: number, bytes: () => ArrayBuffer) => ({
      bodyUsed: false,
      headers: new Headers(),
      blob: async () => ({ size, arrayBuffer: async () => bytes() }),
      arrayBuffer: () => {
        throw new Error('read');
      },
    });
    expect(
      await codeOf(
        verifyWebhook(
          blob(65_537, () => {
            throw new Error('read');
          }) as unknown as Request,
          NEW_SECRET,
        ),
      ),
    ).to.equal('BODY_TOO_LARGE');
    const { headers } = await signedRequest(BODY, NEW_SECRET);
    const short = {
      ...blob(BODY.length, () => new TextEncoder().encode(BODY).buffer as ArrayBuffer),
      headers,
    } as unknown as Request;
    expect((await verifyWebhook(short, NEW_SECRET)).id).to.equal(EVENT.id);
  });

  it('lets unknown types, versions and members pass, and forms that it cannot read', async () => {
    const read = async (json: unknown): Promise<WebhookEvent> =>
      verifyWebhook(await signedRequest(JSON.stringify(json), NEW_SECRET), NEW_SECRET);
    const news = {
      ...EVENT,
      eventType: 'vault.opened',
      webhookVersion: 'v9',
      more: { a: [1] },
      data: { entityId: 'v-1', key: 'k' },
    };
    expect(await read(news)).to.deep.equal(news);
    expect(await read({ id: 'e-2', data: 'text', eventType: 7 })).to.deep.equal({
      id: 'e-2',
      eventType: '',
      webhookVersion: '',
      created: '',
      data: { entityId: '' },
    });
    expect(
      (await read({ ...EVENT, data: { entityId: 'i-1', changes: 'state' } })).data,
    ).to.deep.equal({ entityId: 'i-1' });
    expect(
      (await read(JSON.parse('{"id":"e-3","__proto__":{"eventType":"x"}}'))).eventType,
    ).to.equal('');
  });

  it('refuses a signed body that is no event', async () => {
    for (const [body, code] of [
      ['', 'RESPONSE_NOT_JSON'],
      ['{', 'RESPONSE_NOT_JSON'],
      ['null', 'RESPONSE_INVALID'],
      ['[]', 'RESPONSE_INVALID'],
      ['{"id":""}', 'RESPONSE_INVALID'],
      ['{"id":7}', 'RESPONSE_INVALID'],
    ] as const) {
      const error = await failure(verifyWebhook(await signedRequest(body, NEW_SECRET), NEW_SECRET));
      expect(error).to.be.instanceOf(ResponseError);
      expect(error.code).to.equal(code);
    }
  });

  it('makes the only events of its type', async () => {
    const take = (event: WebhookEvent): string => event.id;
    // @ts-expect-error: nobody else can make one
    expect(take({ ...EVENT })).to.equal(EVENT.id);
    expect(take(await verifyWebhook(await signedRequest(BODY, NEW_SECRET), NEW_SECRET))).to.equal(
      EVENT.id,
    );
  });

  it('computes outside virtual time', async () => {
    let open = 0;
    let most = 0;
    const clock = {
      now: () => 0,
      monotonic: () => 0,
      after: () => () => {},
      wait: async () => {},
      async external<T>(work: Promise<T>): Promise<T> {
        most = Math.max(most, ++open);
        return work.finally(() => {
          open--;
        });
      },
    };
    await verifyWebhook(await signedRequest(BODY, NEW_SECRET), NEW_SECRET, { clock });
    expect([open, most]).to.deep.equal([0, 1]);
  });
});

describe('generateWebhookSecret', () => {
  it('has 43 characters that the service takes, never the same twice', async () => {
    const secrets = Array.from({ length: 50 }, generateWebhookSecret);
    for (const secret of secrets) expect(secret).to.match(/^[\w-]{43}$/);
    expect(new Set(secrets).size).to.equal(50);
    expect((await verifyWebhook(await signedRequest(BODY, secrets[0]!), secrets[0]!)).id).to.equal(
      EVENT.id,
    );
  });
});

describe('signWebhook', () => {
  it('signs as any other HMAC-SHA-256 does', async () => {
    expect(await signWebhook('coffee for two', 'a secret of mine')).to.equal(SIGNED_ELSEWHERE);
    expect(
      await signWebhook(new TextEncoder().encode('coffee for two'), 'a secret of mine'),
    ).to.equal(SIGNED_ELSEWHERE);
    expect(await signWebhook('', 'zażółć gęślą')).to.equal(EMPTY_SIGNED_ELSEWHERE);
  });
});
