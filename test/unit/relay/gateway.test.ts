import { expect } from 'chai';
import { isPaystateError } from 'paystate';
import type { ObjectStub } from 'paystate/relay';
import { makeDelivery, makeEvent, type MadeDeliveryFault } from 'paystate/testing';
import { type InboxProblem, verifyWebhook } from 'paystate/webhooks';
import { describe, it } from '#test';
import { asRead } from '../core/shop.ts';
import { NEW_SECRET, OLD_SECRET } from '../webhooks/deliveries.ts';
import { AWKWARD, fromPage, openRelay, ORIGIN, outcome, read, request } from './shop.ts';
import { allEndpoints } from '../contract/endpoint-tables.ts';

const ids = (path: string, invoiceId: string) =>
  path.replace('{invoiceId}', invoiceId).replace(/\{\w+\}/g, 'some-id');

describe('the gateway of the relay', () => {
  it('lets two rows through and no other', async () => {
    const shop = openRelay();
    const { invoiceId } = await shop.invoice();
    const token = await shop.relay.createToken(invoiceId);
    expect(allEndpoints.length).to.be.greaterThan(5);
    const open: string[] = [];
    for (const { method, path } of allEndpoints) {
      const answer = await outcome(
        shop.relay.handle(fromPage(token, method, `/pay${ids(path, invoiceId)}`)),
      );
      if (answer === '200') open.push(`${method} ${path}`);
      else expect(answer, `${method} ${path}`).to.equal('403 FORBIDDEN');
    }
    expect(open).to.have.members([
      'GET /v1/invoices/{invoiceId}',
      'POST /v1/invoices/{invoiceId}/quote',
    ]);
  });

  it('shows of an invoice and of a quote what is listed, and asks for nothing else', async () => {
    const shop = openRelay();
    const { invoiceId, amount, state, created, description } = asRead(await shop.invoice());
    const token = await shop.relay.createToken(invoiceId);
    const path = `/pay/v1/invoices/${invoiceId}`;
    const shown = await read(shop.relay.handle(fromPage(token, 'GET', path)));
    expect(shown.body).to.deep.equal({
      invoiceId,
      amount,
      state,
      created,
      description,
      issuerId: '',
      receiverId: '',
    });
    const { body: quote } = await read(shop.relay.handle(fromPage(token, 'POST', `${path}/quote`)));
    expect(Object.keys(quote)).to.have.members([
      'quoteId',
      'description',
      'lnInvoice',
      'expiration',
      'expirationInSec',
      'targetAmount',
      'sourceAmount',
      'conversionRate',
    ]);
    expect(shop.asked).to.deep.equal([
      { object: 'account', call: 'read', body: { invoiceId } },
      { object: 'account', call: 'quote', body: { invoiceId } },
    ]);
  });

  it('hides what the service adds, however deep', async () => {
    const shop = openRelay();
    const { invoiceId, ...rest } = await shop.invoice();
    shop.answer = () =>
      Response.json({
        ...rest,
        invoiceId,
        payerIban: 'secret',
        amount: { ...rest.amount, cost: 'secret' },
        transactions: [
          {
            transactionId: 'secret',
            state: 'COMPLETED',
            payer: 'secret',
            amountReceived: { ...rest.amount, from: 'secret' },
          },
        ],
      });
    const answer = await read(
      shop.relay.handle(
        fromPage(await shop.relay.createToken(invoiceId), 'GET', `/pay/v1/invoices/${invoiceId}`),
      ),
    );
    expect(JSON.stringify(answer.body)).not.to.include('secret');
    expect(answer.body.transactions).to.deep.equal([
      { transactionId: '', state: 'COMPLETED', amountReceived: rest.amount },
    ]);
  });

  it('says of an order that was not confirmed whether it can be there, and what to do', async () => {
    const shop = openRelay();
    const own = { orderId: 'order-7', orderSecret: 'a-secret-of-this-order-long-enough' };
    const draft = { amount: { amount: '1.00', currency: 'EUR' }, description: 'tea' };
    const factsOf = async () => {
      const thrown: unknown = await shop.relay.createOrder(draft, own).catch((error) => error);
      if (!isPaystateError(thrown)) throw thrown;
      const { kind, code, outcome, next, correlationId, message } = thrown;
      expect(message).to.match(/orderId/);
      expect(message).not.to.include(own.orderSecret);
      return { kind, code, outcome, next, correlationId };
    };
    shop.answer = () =>
      Response.json({ status: 409, code: 'PROCESSING_CONFLICT' }, { status: 409 });
    expect(await factsOf()).to.deep.equal({
      kind: 'input',
      code: 'PROCESSING_CONFLICT',
      outcome: 'not-done',
      next: 'fix-input',
      correlationId: undefined,
    });
    const unknown = {
      ...{ kind: 'unreachable', outcome: 'unknown', next: 'retry' },
      correlationId: 'order-7',
    };
    shop.answer = () => {
      throw new Error('the object is gone');
    };
    expect(await factsOf()).to.deep.equal({ ...unknown, code: 'SERVICE_UNAVAILABLE' });
    shop.answer = () =>
      Response.json({ status: 500, code: 'INTERNAL_SERVER_ERROR' }, { status: 500 });
    expect(await factsOf()).to.deep.equal({ ...unknown, code: 'INTERNAL_SERVER_ERROR' });
  });

  it('reads no body on that is longer than any of a page', async () => {
    const shop = openRelay();
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += 1_024;
        if (sent > 1_000_000) controller.close();
        else controller.enqueue(new Uint8Array(1_024).fill(32));
      },
    });
    const headers = { origin: ORIGIN, authorization: 'Bearer secret' };
    const text = () => new Response(body).text();
    const long = Object.assign(request('POST', '/pay/token', headers), { body, text });
    expect(await outcome(shop.relay.handle(long))).to.equal('401 UNAUTHORIZED');
    expect(sent).to.be.below(10_000);
  });

  it('serves pages of the shop only', async () => {
    const shop = openRelay();
    const { invoiceId } = await shop.invoice();
    const authorization = `Bearer ${await shop.relay.createToken(invoiceId)}`;
    const path = `/pay/v1/invoices/${invoiceId}`;
    const ask = (method: string, where: string, headers: Record<string, string>) =>
      outcome(shop.relay.handle(request(method, where, { authorization, ...headers })));
    expect(await ask('GET', path, { origin: ORIGIN })).to.equal('200');
    expect(await ask('GET', path, { 'sec-fetch-site': 'same-origin' })).to.equal('200');
    const foreign: [string, string, Record<string, string>][] = [
      ['GET', path, {}],
      ['GET', path, { 'sec-fetch-site': 'same-site' }],
      ['GET', path, { origin: 'https://evil.example' }],
      ['GET', path, { origin: `${ORIGIN}.evil.example` }],
      ['GET', path, { origin: 'null', 'sec-fetch-site': 'same-origin' }],
      ['POST', `${path}/quote`, { 'sec-fetch-site': 'same-origin' }],
      ['POST', `${path}/quote`, { origin: 'https://evil.example' }],
      ['OPTIONS', path, { origin: 'https://evil.example' }],
      [
        'GET',
        '/pay/live',
        {
          upgrade: 'websocket',
          'sec-fetch-site': 'same-origin',
          'sec-websocket-protocol': 'paystate.v1, x',
        },
      ],
      [
        'GET',
        '/pay/live',
        {
          upgrade: 'websocket',
          origin: 'https://evil.example',
          'sec-websocket-protocol': 'paystate.v1, x',
        },
      ],
    ];
    for (const [method, where, headers] of foreign)
      expect(await ask(method, where, headers), `${method} ${JSON.stringify(headers)}`).to.equal(
        '403 FORBIDDEN',
      );
  });

  it('lets pages of another origin read the answer, when to come back, and the time', async () => {
    const shop = openRelay();
    const { invoiceId } = await shop.invoice();
    const token = await shop.relay.createToken(invoiceId);
    const path = `/pay/v1/invoices/${invoiceId}`;
    const asked = await read(shop.relay.handle(request('OPTIONS', path, { origin: ORIGIN })));
    expect([asked.status, asked.headers.get('access-control-allow-headers')]).to.deep.equal([
      204,
      'authorization, content-type',
    ]);
    shop.answer = () =>
      Response.json({ status: 429, code: 'RATE_LIMIT_EXCEEDED', wait: 7_001 }, { status: 429 });
    const { status, headers, body } = await read(shop.relay.handle(fromPage(token, 'GET', path)));
    expect([status, body.data.code, headers.get('retry-after')]).to.deep.equal([
      429,
      'RATE_LIMIT_EXCEEDED',
      '8',
    ]);
    expect(headers.get('access-control-allow-origin')).to.equal(ORIGIN);
    expect(headers.get('access-control-expose-headers')).to.equal('retry-after, date');
    expect(headers.get('vary')).to.equal('Origin');
    expect(Date.parse(headers.get('date')!)).to.equal(
      Math.floor(shop.sandbox.clock.now() / 1_000) * 1_000,
    );
  });

  it("tells pages of their own trouble, and of the shop's only that it is not now", async () => {
    const shop = openRelay();
    const { invoiceId } = await shop.invoice();
    const token = await shop.relay.createToken(invoiceId);
    const heard = async (status: number, code: string) => {
      shop.answer = () => Response.json({ status, code }, { status });
      return outcome(
        shop.relay.handle(fromPage(token, 'POST', `/pay/v1/invoices/${invoiceId}/quote`)),
      );
    };
    expect(await heard(422, 'INVALID_STATE_FOR_INVOICE_PAID')).to.equal(
      '422 INVALID_STATE_FOR_INVOICE_PAID',
    );
    expect(await heard(404, 'NOT_FOUND')).to.equal('404 NOT_FOUND');
    for (const [status, code] of [
      [401, 'UNAUTHORIZED'],
      [403, 'FORBIDDEN'],
      [500, 'INTERNAL_SERVER_ERROR'],
      [400, 'INVALID_DATA'],
    ] as const)
      expect(await heard(status, code)).to.equal('503 SERVICE_UNAVAILABLE');
    shop.answer = () => {
      throw new Error('overloaded, with a secret in its words');
    };
    expect(
      await outcome(shop.relay.handle(fromPage(token, 'GET', `/pay/v1/invoices/${invoiceId}`))),
    ).to.equal('503 SERVICE_UNAVAILABLE');
  });

  it('asks nobody about an id that is none, however it is written', async () => {
    const shop = openRelay();
    const { invoiceId } = await shop.invoice();
    const token = await shop.relay.createToken(invoiceId);
    for (const id of AWKWARD)
      for (const [method, end] of [
        ['GET', ''],
        ['POST', '/quote'],
      ] as const) {
        const answer = await outcome(
          shop.relay.handle(fromPage(token, method, `/pay/v1/invoices/${id}${end}`)),
        );
        expect(answer, `${method} ${JSON.stringify(id)}`).to.equal('403 FORBIDDEN');
      }
    expect(shop.asked).to.deep.equal([]);
  });

  it('opens a socket to the room that the token names', async () => {
    const shop = openRelay();
    const { invoiceId } = await shop.invoice();
    const token = await shop.relay.createToken(invoiceId);
    const open = (protocols: string, upgrade = 'websocket') =>
      outcome(
        shop.relay.handle(
          request('GET', '/pay/live', {
            origin: ORIGIN,
            upgrade,
            'sec-websocket-protocol': protocols,
          }),
        ),
      );
    expect(await open(`paystate.v1, ${token}`)).to.equal('200');
    expect(shop.asked.map(({ object, call, body }) => [object, call, body.sub])).to.deep.equal([
      [`main/${invoiceId}`, 'live', invoiceId],
    ]);
    expect(await open('paystate.v1')).to.equal('401 UNAUTHORIZED');
    expect(await open(`paystate.v1, ${token}x`)).to.equal('401 UNAUTHORIZED');
    expect(await open(`paystate.v2, ${token}`)).to.equal('400 INVALID_DATA');
    expect(await open(`paystate.v1, ${token}`, 'h2c')).to.equal('400 INVALID_DATA');
    expect(shop.asked).to.have.length(1);
  });

  it('refuses options that cannot be right', () => {
    const { relayWith } = openRelay();
    expect(() => relayWith({ tokenSecret: 'short' })).to.throw(/tokenSecret/);
    expect(() => relayWith({ tokenSecret: [] })).to.throw(/tokenSecret/);
    expect(() => relayWith({ origin: 'https://shop.example/' })).to.throw(/origin/);
    expect(() => relayWith({ origin: '*' })).to.throw(/origin/);
  });
});

describe('deliveries of webhooks at a relay that knows their secrets', () => {
  const MONTH = 31 * 86_400_000;
  const secrets = [NEW_SECRET, OLD_SECRET];

  /** Status of a delivery, and the bodies that the account object was given. */
  async function deliver(
    secret: string,
    fault?: MadeDeliveryFault,
    age = 0,
  ): Promise<{ status: number; bodies: string[]; made: string }> {
    const shop = openRelay();
    const bodies: string[] = [];
    const keep = async (request: Request) => {
      expect((await verifyWebhook(request.clone(), secrets)).id).to.equal('one');
      bodies.push(await request.text());
      return new Response(null, { status: 200 });
    };
    const account: ObjectStub = {
      fetch: (input, init) => shop.sandbox.clock.external(keep(new Request(input, init))),
    };
    const created = new Date(shop.sandbox.clock.now() - age).toISOString();
    const delivery = await makeDelivery(makeEvent({ id: 'one', created }), secret, { fault });
    const made = await delivery.clone().text();
    const relay = shop.relayWith({ account, secrets });
    const { status } = await shop.sandbox.run(relay.handleWebhook(delivery));
    return { status, bodies, made };
  }

  it('reach the account object with the bytes that were signed, by the new secret or the old one', async () => {
    for (const secret of secrets) {
      const { status, bodies, made } = await deliver(secret);
      expect([status, bodies]).to.deep.equal([200, [made]]);
    }
  });

  it('are told of once where something has read them before, and reach no object', async () => {
    for (const known of [secrets, undefined]) {
      const shop = openRelay();
      const told: string[] = [];
      const account: ObjectStub = { fetch: () => expect.fail('nothing is passed on') };
      const onProblem = (problem: InboxProblem): void =>
        void told.push(`${problem.kind} ${Object(problem).error.code}`);
      const relay = shop.relayWith({ account, secrets: known, onProblem });
      for (let turn = 0; turn < 2; turn += 1) {
        const delivery = await makeDelivery(makeEvent(), NEW_SECRET);
        await delivery.text();
        const { status } = await shop.sandbox.run(relay.handleWebhook(delivery));
        expect(status).to.equal(500);
      }
      expect(told).to.deep.equal(['setup-failed BODY_ALREADY_READ']);
    }
  });

  const refused: Readonly<
    Record<string, readonly [number, MadeDeliveryFault | undefined, number]>
  > = {
    'without a signature': [401, 'no-signature', 0],
    'with one that is no signature': [401, 'malformed-signature', 0],
    'of another secret': [401, 'other-secret', 0],
    'of another body': [401, 'changed-body', 0],
    'of an event older than a month': [400, undefined, MONTH],
  };
  for (const [title, [status, fault, age]] of Object.entries(refused))
    it(`wake no object: ${title}`, async () => {
      const { bodies, ...end } = await deliver(NEW_SECRET, fault, age);
      expect([end.status, bodies]).to.deep.equal([status, []]);
    });

  it('are refused before anything else where the secret cannot be right', () => {
    expect(() => openRelay().relayWith({ secrets: 'short' }))
      .to.throw()
      .with.property('code', 'SECRET_INVALID');
  });
});
