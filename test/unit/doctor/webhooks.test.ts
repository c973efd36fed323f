// Protects: each way in which webhooks do not arrive, or are believed without being checked, has a name of its own.
import { expect } from 'chai';
import type { DoctorReport } from 'paystate/doctor';
import { type Clock, createClient } from 'paystate';
import type { FaultAction, Sandbox } from 'paystate/sandbox';
import { createInbox } from 'paystate/webhooks';
import { memoryInboxStore } from 'paystate/stores';
import { describe, it } from '#test';
import {
  HOOK,
  messageOf,
  openShop,
  problemsOf,
  type Receiver,
  type Shop,
  SECRET,
  unknownOf,
  verifying,
} from './shop.ts';

const MINUTE = 60_000;

const responding =
  (status: number): Receiver =>
  async () =>
    new Response(null, { status });

/** What is found of a receiver, in milliseconds of virtual time. */
const examineReceiver = async (
  receiver: Receiver,
): Promise<{ readonly report: DoctorReport; readonly took: number }> => {
  const { examine, subscribe, sandbox } = openShop({}, {}, receiver);
  await subscribe();
  const start = sandbox.clock.now();
  return { report: await examine(), took: sandbox.clock.now() - start };
};

describe('a doctor of webhooks', () => {
  it('finds nothing wrong with a receiver that verifies, by either secret', async () => {
    const { examine, subscribe } = openShop();
    await subscribe();
    for (const secret of [undefined, SECRET]) {
      const report = await examine({ webhooks: { secret } });
      expect(problemsOf(report)).to.deep.equal([]);
      expect(messageOf(report, 'WEBHOOK_OK')).to.equal(`webhooks go to ${HOOK}`);
    }
  });

  it('sends an event that an inbox keeps for no handler', async () => {
    const handled: string[] = [];
    const shop = openShop({}, {}, (request) => inbox.handle(request));
    const inbox = createInbox({
      client: shop.client,
      secrets: SECRET,
      store: memoryInboxStore(),
      on: { invoicePaid: ({ invoiceId }) => void handled.push(invoiceId) },
    });
    await shop.subscribe();
    const report = await shop.examine({ webhooks: { secret: SECRET } });
    expect(problemsOf(report)).to.deep.equal([]);
    await shop.sandbox.run(inbox.drain());
    expect(handled).to.deep.equal([]);
    expect((await inbox.status()).open).to.equal(0);
  });

  it('names it where there is no subscription, or none that is enabled', async () => {
    const { examine, subscribe } = openShop();
    expect(problemsOf(await examine())).to.deep.equal(['WEBHOOK_NONE']);
    expect(problemsOf(await examine({ webhooks: false }))).to.deep.equal([]);
    await subscribe({ enabled: false });
    expect(problemsOf(await examine())).to.deep.equal(['WEBHOOK_DISABLED']);
  });

  it('asks receivers one after another, so that a runtime with few connections makes none late', async () => {
    let isBusy: Promise<unknown> = Promise.resolve();
    const shop = openShop({}, {}, (request) => {
      const answer = isBusy
        .then(() => shop.sandbox.clock.wait(3_000))
        .then(() => verifying(() => shop.sandbox)(request));
      isBusy = answer;
      return answer;
    });
    for (const at of [1, 2, 3]) await shop.subscribe({ webhookUrl: `${HOOK}/${at}` });
    expect(problemsOf(await shop.examine())).to.deep.equal([]);
  });

  it('names two subscriptions that send the same events to one address', async () => {
    const { examine, subscribe } = openShop();
    await subscribe();
    await subscribe({ webhookUrl: `${HOOK}/other` });
    expect(problemsOf(await examine())).to.deep.equal([]);
    await subscribe();
    const report = await examine();
    expect(problemsOf(report)).to.deep.equal(['WEBHOOK_DOUBLED']);
    expect(messageOf(report, 'WEBHOOK_DOUBLED')).to.include(HOOK);
  });

  it('names a receiver that accepts an unsigned request', async () => {
    const { report } = await examineReceiver(responding(204));
    expect(problemsOf(report)).to.deep.equal(['WEBHOOK_NOT_VERIFIED']);
    expect(messageOf(report, 'WEBHOOK_NOT_VERIFIED')).to.include('status 204');
  });

  it('names a receiver that responds otherwise, fails, or does not respond in five seconds', async () => {
    for (const status of [302, 404, 500]) {
      const { report } = await examineReceiver(responding(status));
      expect(problemsOf(report), String(status)).to.deep.equal(['WEBHOOK_UNREACHABLE']);
    }
    const failing = await examineReceiver(() => Promise.reject(new Error('no connection')));
    expect(problemsOf(failing.report)).to.deep.equal(['WEBHOOK_UNREACHABLE']);
    const silent = await examineReceiver(() => new Promise(() => {}));
    expect(problemsOf(silent.report)).to.deep.equal(['WEBHOOK_UNREACHABLE']);
    expect(messageOf(silent.report, 'WEBHOOK_UNREACHABLE')).to.match(
      /^no response from https:\/\/shop\.example\/hooks; /,
    );
    expect(silent.took).to.be.within(5_000, 6_000);
  });

  it('cancels the body of each response, so that its connection is free again', async () => {
    const cancelled: string[] = [];
    const { examine, subscribe } = openShop({}, {}, async ({ headers }) => {
      const name = headers.has('x-webhook-signature') ? 'signed' : 'unsigned';
      const body = new ReadableStream({ cancel: () => void cancelled.push(name) });
      return new Response(body, { status: name === 'signed' ? 200 : 401 });
    });
    await subscribe();
    expect(problemsOf(await examine({ webhooks: { secret: SECRET } }))).to.deep.equal([]);
    expect(cancelled).to.deep.equal(['unsigned', 'signed']);
  });

  it('leaves no timer behind when a receiver has responded, failed, or taken too long', async () => {
    const failing: Receiver = () => Promise.reject(new Error('no connection'));
    for (const receiver of [responding(401), failing, () => new Promise<Response>(() => {})]) {
      const { examine, subscribe, sandbox } = openShop({}, {}, receiver);
      await subscribe();
      let [begun, ended] = [0, 0];
      const wait: Clock['wait'] = async (ms, signal) => {
        begun++;
        await sandbox.clock.wait(ms, signal);
        ended++;
      };
      const clock = { ...sandbox.clock, wait };
      await examine({}, createClient({ ...sandbox.clientOptions, clock }));
      expect([begun > 0, begun - ended]).to.deep.equal([true, 0]);
    }
  });

  it('aborts a request that a receiver leaves without a response', async () => {
    const { examine, subscribe, sandbox } = openShop();
    await subscribe();
    const { fetch: own } = globalThis;
    const signals: (AbortSignal | null | undefined)[] = [];
    const external: Clock['external'] = (work) => work; // because this request has no end
    const clock = { ...sandbox.clock, external };
    try {
      globalThis.fetch = (_, init) => {
        signals.push(init?.signal);
        return new Promise(() => {});
      };
      const client = createClient({ ...sandbox.clientOptions, clock });
      const report = await examine({ webhooks: { deliver: undefined } }, client);
      expect(problemsOf(report)).to.deep.equal(['WEBHOOK_UNREACHABLE']);
    } finally {
      globalThis.fetch = own;
    }
    expect(signals.map((signal) => signal?.aborted)).to.deep.equal([true]);
  });

  it('asks no receiver where it may not', async () => {
    const asked: string[] = [];
    const { examine, subscribe } = openShop({}, {}, async ({ url }) => {
      asked.push(url);
      return new Response();
    });
    await subscribe();
    const webhooks = { askReceivers: false, secret: SECRET };
    expect(problemsOf(await examine({ webhooks }))).to.deep.equal([]);
    expect(asked).to.deep.equal([]);
  });

  it('names a receiver with another secret, by asking it and by what the service could not deliver', async () => {
    const other: Receiver = (request) =>
      verifying(() => sandbox, 'the-secret-that-the-shop-really-has')(request);
    const shop = openShop({}, {}, other);
    const sandbox: Sandbox = shop.sandbox;
    await shop.subscribe();
    const wrong = await shop.examine({ webhooks: { secret: SECRET } });
    expect(problemsOf(wrong)).to.deep.equal(['WEBHOOK_SECRET_WRONG']);
    expect(messageOf(wrong, 'WEBHOOK_SECRET_WRONG')).to.include('status 401');
    await sandbox.run(shop.client.invoices.create({ amount: { amount: '1.00', currency: 'EUR' } }));
    await sandbox.advance(MINUTE);
    expect(problemsOf(await shop.examine()), 'it may still be delivered').to.deep.equal([]);
    await sandbox.advance(2 * MINUTE);
    const late = await shop.examine();
    expect(problemsOf(late)).to.deep.equal(['WEBHOOK_REFUSED']);
    expect(messageOf(late, 'WEBHOOK_REFUSED')).to.match(/^1 of the latest 1 events were not/);
  });

  it('reads the latest events', async () => {
    const { sandbox, client, examine, subscribe } = openShop({}, {}, responding(401));
    const create = () =>
      sandbox.run(client.invoices.create({ amount: { amount: '1.00', currency: 'EUR' } }));
    for (let made = 0; made < 21; made++) await create(); // events that no subscription expects
    await subscribe();
    await create();
    await create();
    await sandbox.advance(3 * MINUTE);
    expect(messageOf(await examine(), 'WEBHOOK_REFUSED')).to.match(/^2 of the latest 2 events/);
  });

  it('judges the age of events by the time of the service, and sends its own event with it', async () => {
    const sent: string[] = [];
    const shop: Shop = openShop({}, {}, async (request) => {
      sent.push(await shop.sandbox.clock.external(request.text()));
      return new Response(null, { status: 401 });
    });
    await shop.subscribe();
    const draft = { amount: { amount: '1.00', currency: 'EUR' } };
    await shop.sandbox.run(shop.client.invoices.create(draft));
    await shop.sandbox.advance(MINUTE);
    const fast = createClient(shop.sandbox.clientOptionsFor({ clockSkew: 60 * MINUTE }));
    const report = await shop.examine({ webhooks: { secret: SECRET } }, fast);
    expect(problemsOf(report)).to.deep.equal(['CLOCK_WRONG', 'WEBHOOK_SECRET_WRONG']);
    const { created, eventType } = JSON.parse(sent.at(-1)!) as Record<string, string>;
    expect(eventType).to.equal('paystate.doctor');
    expect(Date.parse(created!)).to.be.closeTo(shop.sandbox.clock.now(), 1_000);
  });

  it('names a secret that the service would not take, and shows no secret', async () => {
    const { examine, subscribe, sandbox } = openShop();
    await subscribe({ webhookUrl: `${HOOK}?key=hidden-in-the-query` });
    for (const secret of ['', 'short', `${SECRET}\n`, 'x'.repeat(51)]) {
      const report = await examine({ webhooks: { secret } });
      expect(problemsOf(report)).to.deep.equal(['WEBHOOK_SECRET_INVALID']);
      expect(messageOf(report, 'WEBHOOK_SECRET_INVALID')).to.match(/^the given webhook secret /);
    }
    const secrets = [SECRET, sandbox.clientOptions.apiKey, 'hidden-in-the-query'];
    for (const secret of [SECRET, 'another-secret-of-this-shop'])
      for (const hidden of secrets)
        expect(JSON.stringify(await examine({ webhooks: { secret } }))).not.to.include(hidden);
  });

  it('says what could not be checked, and why', async () => {
    const { examine, subscribe, sandbox } = openShop();
    await subscribe();
    const html = '<!doctype html><title>Sign in</title>';
    const faults: readonly (readonly [string, FaultAction, string, RegExp])[] = [
      [
        'subscriptions',
        { status: 200, html },
        'WEBHOOK_UNKNOWN',
        /subscriptions could not be read/,
      ],
      ['subscriptions', 'lost-before', 'SERVICE_AWAY', /unavailable/],
      ['events', { status: 200, html }, 'WEBHOOK_UNKNOWN', /events could not be read/],
    ];
    for (const [path, action, code, message] of faults) {
      const end = sandbox.fault({ path: `/v1/${path}`, action });
      const report = await examine();
      expect(unknownOf(report)).to.include(code);
      expect(messageOf(report, code)).to.match(message);
      expect(problemsOf(report)).to.deep.equal([]);
      end();
    }
  });
});
