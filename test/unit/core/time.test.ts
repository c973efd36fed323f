import { expect } from 'chai';
import { type Clock, createClient } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import {
  answering,
  DRAFT,
  failureOf,
  INVOICE,
  json,
  openShop,
  reasonOf,
  repeats,
  rows,
} from './shop.ts';
import { internalsOf } from './internals.ts';

const MINE = new Error('the user went away');

/** A client whose answers come by hand; reading a body takes virtual time here. */
const slowly = (fetch: ReturnType<typeof answering>['fetch'], options: object = {}) => {
  const { clock, run } = createSandbox();
  const client = createClient({
    baseUrl: 'https://pay.example',
    token: 'T',
    fetch,
    clock: { ...clock, external: (work) => work },
    random: () => 0.5,
    ...options,
  });
  return { clock, run, client };
};

describe('send: limits of time', () => {
  it('an attempt ends at its limit, the call after its attempts', async () => {
    for (const repeat of repeats) {
      const { sandbox, client, run, now } = openShop();
      const { invoiceId } = await run(client.invoices.create(DRAFT));
      sandbox.fault({ action: { delay: 20_000 } });
      const error = await failureOf(run(rows[repeat](client, invoiceId)));
      const known = repeat === 'safe' || repeat === 'pure';
      expect([error.kind, error.code, error.outcome, error.attempts]).to.deep.equal([
        'unreachable',
        'TIMEOUT',
        known ? 'not-done' : 'unknown',
        3,
      ]);
      expect(now()).to.be.within(30_000, 31_600);
    }
  });

  it('takes limits of a single call, and ends on the millisecond', async () => {
    for (const [options, end] of [
      [{ maxAttempts: 1, attemptTimeout: 700 }, 700],
      [{ callTimeout: 400 }, 400],
      [{ maxAttempts: 2, callTimeout: 10_100 }, 10_100],
    ] as const) {
      const { sandbox, client, run, now } = openShop();
      sandbox.fault({ action: { delay: 90_000 } });
      expect((await failureOf(run(client.invoices.get(INVOICE.invoiceId, options)))).code).to.equal(
        'TIMEOUT',
      );
      expect(now()).to.be.within(end - 250, end);
    }
  });

  it('ends although fetch neither answers nor listens', async () => {
    const { client, run, clock } = slowly(() => new Promise(() => {}));
    const error = await failureOf(run(client.invoices.create(DRAFT, { maxAttempts: 1 })));
    expect([error.code, error.outcome, error.status, clock.monotonic()]).to.deep.equal([
      'TIMEOUT',
      'unknown',
      undefined,
      10_000,
    ]);
  });

  it('counts the reading of a body that never ends, and keeps its status', async () => {
    const held: { clock?: Clock } = {};
    const drip = answering(
      () =>
        new Response(
          new ReadableStream<Uint8Array>({
            async pull(controller) {
              await held.clock!.wait(1_000);
              controller.enqueue(new TextEncoder().encode(' '));
            },
          }),
        ),
    );
    const slow = slowly(drip.fetch);
    held.clock = slow.clock;
    const error = await failureOf(
      slow.run(
        slow.client.invoices.get(INVOICE.invoiceId, { maxAttempts: 1, attemptTimeout: 3_500 }),
      ),
    );
    expect([error.code, error.status, slow.clock.monotonic()]).to.deep.equal([
      'TIMEOUT',
      200,
      3_500,
    ]);
    expect(drip.sent[0]!.init.signal!.aborted).to.equal(true);
  });

  it('never begins an attempt after the deadline', async () => {
    const { sandbox, client, run, now } = openShop();
    sandbox.fault({ action: { status: 503, code: 'MAINTENANCE_MODE' } });
    await failureOf(
      run(client.invoices.get(INVOICE.invoiceId, { maxAttempts: 1_000, callTimeout: 30_000 })),
    );
    expect(now()).to.be.at.most(30_000);
    expect(sandbox.log.at(-1)!.at - sandbox.log[0]!.at).to.be.below(30_000);
    expect(sandbox.log.length).to.be.above(4);
  });

  it('looks up the original within the same deadline', async () => {
    const { sandbox, client, run, now } = openShop();
    sandbox.fault({ method: 'POST', nth: 1, action: 'lost-after' });
    sandbox.fault({ method: 'GET', action: { delay: 300_000 } });
    const error = await failureOf(
      run(
        client.invoices.create(
          { ...DRAFT, correlationId: 'a' },
          { callTimeout: 15_000, attemptTimeout: 20_000 },
        ),
      ),
    );
    expect([error.code, error.outcome, error.correlationId]).to.deep.equal([
      'EXISTS_UNREAD',
      'unknown',
      'a',
    ]);
    expect(now()).to.be.at.most(15_100);
  });

  it('leaves no timer behind', async () => {
    const { sandbox, client, run, now } = openShop();
    const { invoiceId } = await run(client.invoices.create(DRAFT));
    await run(client.invoices.get(invoiceId, { signal: new AbortController().signal }));
    sandbox.fault({ action: 'lost-before' });
    await failureOf(run(client.invoices.get(invoiceId)));
    const before = now();
    const left = await failureOf(run(new Promise(() => {})));
    expect(left.message).to.contain('no timer of the sandbox is running');
    expect(now()).to.equal(before);
  });
});

describe('send: the caller gives up', () => {
  it('before anything is sent: own reason, nothing leaves', async () => {
    for (const repeat of repeats) {
      const { sandbox, client, run } = openShop();
      expect(
        await reasonOf(run(rows[repeat](client, 'x', { signal: AbortSignal.abort(MINE) }))),
      ).to.equal(MINE);
      expect(sandbox.log).to.have.length(0);
    }
  });

  it('while the answer is under way: own reason for what has no effect, else ABORTED and unknown', async () => {
    for (const repeat of repeats)
      for (const attempts of [1, 3]) {
        const { sandbox, client, run } = openShop();
        const { invoiceId } = await run(client.invoices.create(DRAFT));
        sandbox.fault({ action: { delay: 5_000, processed: true } });
        const stop = new AbortController();
        void sandbox.clock.wait(1_000).then(() => stop.abort(MINE));
        const reason = await reasonOf(
          run(rows[repeat](client, invoiceId, { signal: stop.signal, maxAttempts: attempts })),
        );
        if (repeat === 'safe' || repeat === 'pure') expect(reason).to.equal(MINE);
        else
          expect(reason).to.include({
            kind: 'unreachable',
            code: 'ABORTED',
            outcome: 'unknown',
            attempts: 1,
          });
        expect(sandbox.clock.monotonic()).to.equal(1_000);
      }
  });

  it('between two attempts: own reason unless a write may have left', async () => {
    for (const repeat of repeats)
      for (const [action, mayHaveLeft] of [
        ['lost-before', true],
        [{ status: 409, code: 'PROCESSING_CONFLICT' }, true],
        [{ status: 425, code: 'ACCOUNT_NOT_READY' }, false],
      ] as const) {
        const { sandbox, client, run } = openShop({ random: () => 0.9 });
        const { invoiceId } = await run(client.invoices.create(DRAFT));
        sandbox.fault({ action });
        const stop = new AbortController();
        void sandbox.clock.wait(50).then(() => stop.abort(MINE));
        const reason = await reasonOf(
          run(rows[repeat](client, invoiceId, { signal: stop.signal })),
        );
        if (mayHaveLeft && (repeat === 'client-id' || repeat === 'same-request'))
          expect(reason).to.include({ code: 'ABORTED', outcome: 'unknown', attempts: 1 });
        else expect(reason).to.equal(MINE);
        expect(sandbox.clock.monotonic()).to.equal(50);
      }
  });

  it('while the original is looked up: unknown, with the correlationId', async () => {
    const { sandbox, client, run } = openShop();
    sandbox.fault({ method: 'POST', nth: 1, action: 'lost-after' });
    sandbox.fault({ method: 'GET', action: { delay: 5_000 } });
    const stop = new AbortController();
    void sandbox.clock.wait(3_000).then(() => stop.abort(MINE));
    const error = await failureOf(
      run(client.invoices.create({ ...DRAFT, correlationId: 'order-9' }, { signal: stop.signal })),
    );
    expect([error.code, error.outcome, error.correlationId]).to.deep.equal([
      'EXISTS_UNREAD',
      'unknown',
      'order-9',
    ]);
  });

  it('while waiting for a place in the budget: own reason', async () => {
    const limits = {
      ...internalsOf(openShop().client).settings.rateLimits,
      others: { limit: 2, window: 60_000, block: 60_000 },
    };
    const { sandbox, client, run } = openShop({ rateLimits: limits, queueTimeout: 600_000 });
    await failureOf(run(client.invoices.get(INVOICE.invoiceId)));
    const stop = new AbortController();
    void sandbox.clock.wait(1_000).then(() => stop.abort(MINE));
    expect(
      await reasonOf(run(client.invoices.get(INVOICE.invoiceId, { signal: stop.signal }))),
    ).to.equal(MINE);
    expect(sandbox.log).to.have.length(1);
  });

  it('after the answer: nothing happens', async () => {
    const stop = new AbortController();
    const { client, run } = openShop({ fetch: answering(json(INVOICE)).fetch });
    const invoice = await run(client.invoices.get(INVOICE.invoiceId, { signal: stop.signal }));
    stop.abort(MINE);
    expect(invoice.state).to.equal('UNPAID');
  });
});
