// Node only: the sandbox computes the same in every engine.
import { expect } from 'chai';
import { createSandbox, SandboxObject, type SandboxObjectOptions } from 'paystate/sandbox';
import { describe, it, itLong } from '#test';
import { type RawResponse, readResponse } from './ask.ts';
import { storageOf } from './object-storage.ts';
import { draft, isSigned, type Got } from './receiver.ts';

const CONTROL = { 'x-paystate-control': '1' };

/** One object after the other on the same storage, in a time that the test moves. */
const openBox = (options: SandboxObjectOptions = {}, kept?: readonly string[]) => {
  const outside = createSandbox();
  const state = storageOf(kept);
  const make = (): SandboxObject =>
    new SandboxObject(state, { seed: 'box', clock: outside.clock, ...options });
  let object = make();
  let key = '';
  const send = async (
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<RawResponse> => {
    const answer = await object.fetch(
      new Request(`https://box.example${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
    return readResponse(answer);
  };
  const control = (method: string, path: string, body?: object): Promise<RawResponse> =>
    send(method, `/_sandbox/${path}`, body, CONTROL);
  return {
    outside,
    state,
    send,
    control,
    login: async (headers: Record<string, string>, body: string): Promise<RawResponse> =>
      readResponse(
        await object.fetch(
          new Request('https://box.example/connect/token', { method: 'POST', headers, body }),
        ),
      ),
    evict: () => {
      object = make();
    },
    alarm: () => object.alarm(),
    useKey: async () => {
      key = (await control('POST', 'keys', {})).word('apiKey');
      return key;
    },
    withKey: (text: string) => {
      key = text;
    },
  };
};

type Box = ReturnType<typeof openBox>;

/** Lets outer time pass, with the alarms that were set. */
const pass = async ({ outside, state, alarm }: Box, duration: number): Promise<void> => {
  const end = outside.clock.now() + duration;
  while (state.alarmAt !== null && state.alarmAt <= end) {
    await outside.advance(Math.max(0, state.alarmAt - outside.clock.now()));
    state.alarmAt = null;
    await alarm();
    await outside.advance(0);
  }
  await outside.advance(end - outside.clock.now());
};

const EUROS = { amount: { amount: '12.50', currency: 'EUR' } };

/** Everything that can be asked about a world. */
const seen = async ({ send, control }: Box): Promise<readonly string[]> => {
  const answers = [
    await send('GET', '/v1/invoices'),
    await send('GET', '/v1/events?$top=100'),
    await send('GET', '/v1/subscriptions'),
    await send('POST', '/v1/invoices', EUROS),
    await control('GET', 'log'),
    await control('GET', 'deliveries'),
    await control('GET', 'faults'),
  ];
  return answers.map(({ status, text }) => `${status} ${text}`);
};

const PERSON = {
  type: 'INDIVIDUAL',
  name: 'Ada Example',
  dateOfBirth: '1990-01-02',
  address: {
    country: 'US',
    state: 'NY',
    city: 'New York',
    postCode: '10001',
    line1: '1 Main Street',
  },
};
const BANK = {
  transferType: 'ACH',
  accountNumber: '123456789',
  routingNumber: '021000021',
  accountType: 'CHECKING',
  bankName: 'A Bank',
  beneficiaries: [PERSON],
};
const WHOLE_MINUTE = { duration: 60_000 };

/** One of everything, with something after each step. */
const stories = async ({ send, control }: Box, after: () => void): Promise<void> => {
  let keys = 0;
  const step = async (method: string, path: string, body?: object): Promise<RawResponse> => {
    const response = await (path.startsWith('/v1')
      ? send(method, path, body, {
          'idempotency-key': `00000000-0000-4000-8000-00000000000${++keys % 10}`,
        })
      : control(method, path, body));
    expect(response.status, `${method} ${path} ${response.text}`).to.be.below(300);
    after();
    return response;
  };
  const invoice = await step('POST', '/v1/invoices', EUROS);
  await step('POST', 'pay', { target: invoice.word('invoiceId') });
  const request = await step('POST', '/v1/receive-request', {
    bolt11: { amount: { amount: '5.00', currency: 'USD' } },
    targetCurrency: 'USD',
  });
  await step('POST', 'pay', { target: request.at('bolt11.invoice') });
  const asked = await step('POST', 'bolt11', { sat: '2100' });
  const quote = await step('POST', '/v1/payment-quotes/lightning', {
    lnInvoice: asked.word('lnInvoice'),
    sourceCurrency: 'EUR',
  });
  await step('PATCH', `/v1/payment-quotes/${quote.word('paymentQuoteId')}/execute`);
  const exchange = await step('POST', '/v1/currency-exchange-quotes', {
    sell: 'EUR',
    buy: 'USD',
    amount: { amount: '100.00', currency: 'EUR' },
  });
  await step('PATCH', `/v1/currency-exchange-quotes/${exchange.word('id')}/execute`);
  const paymentMethodId = (await step('POST', '/v1/payment-methods/bank', BANK)).word('id');
  const originatorId = (await step('POST', '/v1/payout-originators', PERSON)).word('id');
  await step('POST', 'advance', WHOLE_MINUTE);
  const payout = await step('POST', '/v1/payouts', {
    paymentMethodId,
    originatorId,
    amount: '50.00',
  });
  await step('PATCH', `/v1/payouts/${payout.word('id')}/initiate`);
  await step('POST', '/v1/deposits', { paymentMethodId, amount: '20.00' });
  await step('POST', 'advance', WHOLE_MINUTE);
  await step('POST', 'move', { subject: 'payout', id: payout.word('id'), state: 'REVERSED' });
  await step('POST', 'faults', { subject: 'payout', state: 'FAILED' });
  const second = await step('POST', '/v1/payouts', {
    paymentMethodId,
    originatorId,
    amount: '30.00',
  });
  await step('PATCH', `/v1/payouts/${second.word('id')}/initiate`);
  await step('POST', 'advance', WHOLE_MINUTE);
};

describe('sandbox: as a Durable Object', () => {
  itLong('is the same after an eviction, to the byte', async () => {
    const box = openBox({ deliver: async () => new Response(null, { status: 500 }) });
    const key = await box.useKey();
    await box.send('POST', '/v1/subscriptions', draft());
    await box.control('POST', 'faults', {
      path: '/v1/invoices',
      method: 'GET',
      probability: 0.5,
      action: { status: 503 },
    });
    for (let round = 0; round < 6; round++) {
      const { word } = await box.send('POST', '/v1/invoices', EUROS);
      const quote = await box.send('POST', `/v1/invoices/${word('invoiceId')}/quote`);
      const paid = box.control('POST', 'pay', {
        target: quote.word('lnInvoice'),
        pendingFor: round === 3 ? 10_000 : 0,
      });
      if (round % 2 && round !== 3) await paid;
      await pass(box, round * 4_000);
    }
    const copy = openBox(
      { deliver: async () => new Response(null, { status: 500 }) },
      box.state.entries,
    );
    copy.withKey(key);
    await copy.outside.advance(box.outside.clock.now() - copy.outside.clock.now());
    const before = await seen(box);
    expect(await seen(copy)).to.deep.equal(before);
    expect(before[1]).to.include('"state"');
  });

  itLong('is the same with every resource, whenever it is evicted', async () => {
    const box = openBox();
    const key = await box.useKey();
    await stories(box, () => {});
    const copy = openBox();
    expect(await copy.useKey()).to.equal(key);
    await stories(copy, copy.evict);
    const seenOf = async ({ control }: Box): Promise<readonly string[]> =>
      Promise.all(
        ['world', 'ledger', 'log', 'deliveries', 'faults'].map(
          async (what) => (await control('GET', what)).text,
        ),
      );
    const before = await seenOf(box);
    expect(await seenOf(copy), 'evicted after each step').to.deep.equal(before);
    box.evict();
    expect(await seenOf(box), 'evicted at the end').to.deep.equal(before);
    for (const state of ['PAID', 'COMPLETED', 'REVERSED', 'READY', 'APPROVED', 'FAILED'])
      expect(before[0]).to.include(`"state":"${state}"`);
    const resources = Object.entries(JSON.parse(before[0]!) as Record<string, unknown[]>).flatMap(
      ([name, items]) => (items.length > 0 ? [name] : []),
    );
    expect(resources).to.include.members([
      'invoices',
      'payments',
      'currency-exchange-quotes',
      'payouts',
      'deposits',
      'receive-requests',
      'payment-methods/bank',
      'payout-originators',
      'events',
    ]);
  });

  it('begins anew when it is told to, and what was under way ends nowhere', async () => {
    let release: (answer: Response) => void = () => {};
    const box = openBox({
      deliver: () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    });
    const key = await box.useKey();
    await box.send('POST', '/v1/subscriptions', draft());
    await box.send('POST', '/v1/invoices', EUROS);
    expect((await box.send('POST', '/_sandbox/erase')).status).to.equal(403);
    expect((await box.control('POST', 'erase')).at('erased')).to.equal(true);
    release(new Response());
    await box.outside.advance(10);
    expect(box.state.entries).to.have.length(1);
    expect((await box.send('GET', '/v1/invoices')).status, 'keys that were made are gone').to.equal(
      401,
    );
    box.withKey(String((await box.control('GET', 'state')).at('apiKey')));
    expect((await box.send('GET', '/v1/invoices')).at('count')).to.equal(0);
    expect(await box.useKey(), 'the same seed').to.equal(key);
    box.evict();
    expect((await box.send('GET', '/v1/subscriptions')).text).to.equal('[]');
  });

  itLong('goes down the ladder by its alarm, with an eviction after each attempt', async () => {
    const got: { at: number; body: string }[] = [];
    const box = openBox({
      deliver: async (request) => {
        got.push({
          at: box.outside.clock.now(),
          body: await box.outside.clock.external(request.text()),
        });
        return new Response(null, { status: 500 });
      },
    });
    await box.useKey();
    await box.send('POST', '/v1/subscriptions', draft());
    await box.send('POST', '/v1/invoices', EUROS);
    await box.outside.advance(0);
    for (let day = 0; day < 10; day++) {
      await pass(box, 12 * 60 * 60_000);
      box.evict();
      await pass(box, 12 * 60 * 60_000);
    }
    expect(got.map(({ at }) => Math.round((at - got[0]!.at) / 1_000))).to.deep.equal([
      0, 3, 12, 39, 120, 363, 1_092, 3_279, 9_840, 29_523, 88_572, 265_719, 797_160,
    ]);
    expect(new Set(got.map(({ body }) => body)).size).to.equal(1);
    expect((await box.send('GET', '/v1/events')).at('items.0.deliverySuccess')).to.equal(false);
  });

  it('moves its time on demand, waits for the webhooks on the way, and keeps it', async () => {
    let count = 0;
    const box = openBox({
      deliver: async () => new Response(null, { status: ++count < 6 ? 500 : 200 }),
    });
    await box.useKey();
    await box.send('POST', '/v1/subscriptions', draft());
    await box.send('POST', '/v1/invoices', EUROS);
    const { at } = await box.control('POST', 'advance', { duration: 86_400_000 });
    expect([at('now'), count]).to.deep.equal([box.outside.clock.now() + 86_400_000, 6]);
    box.evict();
    await box.outside.advance(7_000);
    const { headers } = await box.send('GET', '/v1/invoices');
    expect(headers.get('date')).to.equal(
      new Date(box.outside.clock.now() + 86_400_000).toUTCString(),
    );
    expect((await box.control('POST', 'advance', { duration: -1 })).status).to.equal(400);
    expect((await box.control('POST', 'advance')).status).to.equal(400);
  });

  it('answers a receiver that asks before it answers', async () => {
    const states: unknown[] = [];
    const box = openBox({
      deliver: async (request) => {
        const got: Got = {
          at: 0,
          url: request.url,
          method: request.method,
          headers: request.headers,
          body: await request.text(),
          id: '',
          eventType: '',
        };
        const { data } = JSON.parse(got.body) as { data: { entityId: string } };
        states.push(
          await isSigned(got),
          (await box.send('GET', `/v1/invoices/${data.entityId}`)).at('state'),
        );
        return new Response();
      },
    });
    await box.useKey();
    await box.send('POST', '/v1/subscriptions', draft({ eventTypes: ['invoice.created'] }));
    await box.send('POST', '/v1/invoices', EUROS);
    await box.control('POST', 'advance', { duration: 1 });
    expect(states).to.deep.equal([true, 'UNPAID']);
    expect((await box.control('GET', 'deliveries')).text).to.include('"delivered"');
  });

  it('sends a webhook again whose end it did not live to see', async () => {
    let count = 0;
    const box = openBox({
      deliver: () => (++count === 1 ? new Promise(() => {}) : Promise.resolve(new Response())),
    });
    await box.useKey();
    await box.send('POST', '/v1/subscriptions', draft());
    await box.send('POST', '/v1/invoices', EUROS);
    box.evict();
    await box.send('GET', '/v1/invoices');
    await box.control('POST', 'advance', { duration: 1 });
    expect(count).to.equal(2);
    expect((await box.send('GET', '/v1/events')).at('items.0.deliverySuccess')).to.equal(true);
  });

  it('breaks connections by rule, with the effect kept', async () => {
    const box = openBox();
    await box.useKey();
    await box.control('POST', 'faults', {
      method: 'POST',
      path: '/v1/invoices',
      action: 'lost-after',
    });
    expect(
      await box.send('POST', '/v1/invoices', EUROS).then(
        () => 'answered',
        () => 'broken',
      ),
    ).to.equal('broken');
    box.evict();
    expect((await box.send('GET', '/v1/invoices')).at('count')).to.equal(1);
  });

  it('is controlled with the header and by no page, and keeps nothing of what it refuses', async () => {
    const box = openBox();
    const length = box.state.entries.length;
    const foreign = { ...CONTROL, origin: 'https://shop.example' };
    const isPage = !new Request('https://box.example', { headers: foreign }).headers.has('origin'); // where it cannot be said by hand
    for (const headers of [{}, ...(isPage ? [] : [foreign])])
      expect(
        (await box.send('POST', '/_sandbox/advance', { duration: 1 }, headers)).status,
      ).to.equal(403);
    expect((await box.control('GET', 'state')).status).to.equal(200);
    expect(box.state.entries.slice(1), 'only its beginning').to.deep.equal([]);
    expect(length).to.equal(0);
  });

  it('keeps no key that looks real and is none of its own', async () => {
    const box = openBox();
    const key = await box.useKey();
    const real = '0123456789ABCDEF'.repeat(4);
    box.withKey(real);
    expect((await box.send('GET', '/v1/invoices')).status).to.equal(401);
    expect(box.state.entries.join()).not.to.include(real);
    box.withKey(key);
    expect((await box.send('GET', '/v1/invoices')).status).to.equal(200);
  });

  it('keeps no secret of a login, in a header or in a form', async () => {
    const box = openBox();
    const secret = 'the-secret-of-a-client';
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const basic = btoa(`app:${secret}`);
    const logins: readonly (readonly [Record<string, string>, string])[] = [
      [{ authorization: `Basic ${basic}` }, ''],
      [{ authorization: `basic ${basic}` }, ''],
      [{}, `client_secret=${secret}&client_id=app`],
      [{}, `client_id=app&client_secret=${secret}`],
    ];
    for (const [header, body] of logins)
      expect((await box.login({ ...form, ...header }, body)).at('error')).to.equal(
        'invalid_client',
      );
    expect(box.state.entries.join()).to.include('/connect/token').and.include('client_id=app');
    for (const hidden of [secret, basic]) expect(box.state.entries.join()).not.to.include(hidden);
  });
});
