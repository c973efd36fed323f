// A call waits for its place in the rate limit, and says so; where it has none in time, nothing was sent.
import { expect } from 'chai';
import { eventFeed, RateLimitError, testRateLimits, type WaitView } from 'paystate';
import { describe, it } from '#test';
import { answering, DRAFT, failureOf, INVOICE, json, openShop, refusal } from './shop.ts';

const MINUTE = 60_000;
const limitsOf = (limit: number) => ({
  ...testRateLimits,
  others: { limit, window: 10 * MINUTE, block: 60 * MINUTE },
});

describe('a place in the rate limit', () => {
  it('is waited for: 400 creations in a loop all succeed', async () => {
    const { sandbox, client, run, now } = openShop();
    await run(
      (async () => {
        for (let time = 0; time < 400; time++) await client.invoices.create(DRAFT);
      })(),
      { timeout: 10 * MINUTE },
    );
    expect([sandbox.log.length, sandbox.blocks]).to.deep.equal([400, 0]);
    expect(now()).to.be.within(MINUTE, 2 * MINUTE);
  });

  it('is waited for as long as queueTimeout, of the client or of the call', async () => {
    const { client, run, now } = openShop({ rateLimits: limitsOf(1), queueTimeout: 11 * MINUTE });
    await failureOf(run(client.invoices.get('x')));
    const short = await failureOf(run(client.invoices.get('x', { queueTimeout: 10 * MINUTE })));
    expect([short.code, now()]).to.deep.equal(['QUEUE_TIMEOUT', 0]);
    const long = await failureOf(run(client.invoices.get('x'), { timeout: 20 * MINUTE }));
    expect([long.code, now()]).to.deep.equal(['NOT_FOUND', 10.5 * MINUTE]);
  });

  it('is waited for a window and a half where nothing else is said, and an hour is too long', async () => {
    const wire = answering(
      refusal(429, 'RATE_LIMIT_EXCEEDED', {}, { 'retry-after': '900' }),
      refusal(429, 'RATE_LIMIT_EXCEEDED', {}, { 'retry-after': '901' }),
      json(INVOICE),
    );
    const { sandbox, client, run } = openShop({ fetch: wire.fetch });
    for (const codes of [['RATE_LIMIT_EXCEEDED'], ['RATE_LIMIT_EXCEEDED', 'QUEUE_TIMEOUT']])
      for (const code of codes)
        expect(
          (await failureOf(run(client.invoices.get('x'), { timeout: 20 * MINUTE }))).code,
        ).to.equal(code);
    expect(wire.sent).to.have.length(2);
    await sandbox.advance(901_000);
    expect((await run(client.invoices.get(INVOICE.invoiceId))).state).to.equal('UNPAID');
  });

  it('costs none of the time that a call has for its attempts', async () => {
    const wire = answering(json(INVOICE), () => new Promise<never>(() => {}));
    const { client, run, now } = openShop({
      fetch: wire.fetch,
      rateLimits: limitsOf(1),
      callTimeout: 5_000,
    });
    await run(client.invoices.get(INVOICE.invoiceId));
    const error = await failureOf(
      run(client.invoices.get(INVOICE.invoiceId), { timeout: 20 * MINUTE }),
    );
    expect([error.code, now()]).to.deep.equal(['TIMEOUT', 10.5 * MINUTE + 5_000]);
  });

  it('is waited for in the time of the call where an attempt was sent before', async () => {
    const wire = answering(refusal(503, 'SERVICE_UNAVAILABLE', {}, { 'retry-after': '1' }));
    const { client, run, now } = openShop({
      fetch: wire.fetch,
      rateLimits: { ...testRateLimits, invoices: { limit: 1, window: 50_000, block: MINUTE } },
      callTimeout: 30_000,
    });
    const error = await failureOf(run(client.invoices.create(DRAFT)));
    expect([error.code, error.outcome, error.attempts, now()]).to.deep.equal([
      'QUEUE_TIMEOUT',
      'unknown',
      1,
      1_000,
    ]);
  });

  it('that is waited for is told to the observer: how long, and why', async () => {
    const views: WaitView[] = [];
    const { sandbox, client, run } = openShop({
      rateLimits: { ...limitsOf(1), 'invoice-quotes': testRateLimits.invoices },
      onWait: (view) => void views.push(view),
    });
    await failureOf(run(client.invoices.get('x')));
    expect(views).to.deep.equal([]);
    const startedAt = sandbox.clock.now();
    await failureOf(run(client.invoices.get('x', { reason: 'a look' }), { timeout: 20 * MINUTE }));
    expect(views).to.deep.equal([
      {
        operation: 'invoices.get',
        method: 'GET',
        path: '/v1/invoices/{invoiceId}',
        attempt: 1,
        priority: 'high',
        reason: 'a look',
        sentAt: startedAt,
        bucket: 'others',
        cause: 'limit',
        delay: 10.5 * MINUTE,
      },
    ]);
    expect(Object.isFrozen(views[0])).to.equal(true);
    sandbox.fault({
      method: 'POST',
      nth: 1,
      action: { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers: { 'retry-after': '70' } },
    });
    await failureOf(run(client.invoices.create(DRAFT)));
    await run(client.invoices.create(DRAFT), { timeout: 20 * MINUTE });
    expect(views.slice(1).map(({ cause, delay, bucket }) => [cause, delay, bucket])).to.deep.equal([
      ['block', 70_000, 'invoices'],
    ]);
  });

  it('is no place for what its caller has given up', async () => {
    const { sandbox, client, run } = openShop({ rateLimits: limitsOf(1) });
    await failureOf(run(client.invoices.get('x')));
    const over = new AbortController();
    const waiting = client.invoices.get('x', { signal: over.signal }).catch((why: unknown) => why);
    await sandbox.advance(MINUTE);
    over.abort('enough');
    expect(await run(waiting)).to.equal('enough');
    await sandbox.advance(10 * MINUTE);
    expect(sandbox.log).to.have.length(1);
  });

  it('is not waited for longer than a deposit may use its key', async () => {
    const { client, run, now } = openShop({
      rateLimits: limitsOf(1),
      queueTimeout: 60 * MINUTE,
    });
    await failureOf(run(client.invoices.get('x')));
    const draft = { paymentMethodId: crypto.randomUUID(), amount: '10.00' };
    const error = await failureOf(run(client.deposits.create(draft)));
    expect([error.code, error.outcome, error.next, now()]).to.deep.equal([
      'QUEUE_TIMEOUT',
      'not-done',
      'wait',
      0,
    ]);
  });
});

describe('an error of the rate limit', () => {
  it('has a kind of its own, for a place that did not come and for what the service refuses', async () => {
    for (const code of ['RATE_LIMIT_EXCEEDED', 'TOO_MANY_ATTEMPTS']) {
      const wire = answering(refusal(429, code, {}, { 'retry-after': '70' }));
      const { sandbox, client, run } = openShop({ fetch: wire.fetch, queueTimeout: 1 });
      for (const expected of [code, 'QUEUE_TIMEOUT']) {
        const error = await failureOf(run(client.invoices.create(DRAFT)));
        expect(error).to.be.instanceOf(RateLimitError);
        expect(error).to.include({
          name: 'RateLimitError',
          kind: 'limited',
          code: expected,
          outcome: 'not-done',
          next: 'wait',
          retryAt: sandbox.clock.now() + 70_000,
        });
      }
      expect(wire.sent).to.have.length(1);
    }
  });

  it('leaves doubt as it is', async () => {
    const wire = answering(
      () => Promise.reject(new Error('broken off')),
      refusal(429, 'RATE_LIMIT_EXCEEDED', {}, { 'retry-after': '70' }),
    );
    const { client, run } = openShop({ fetch: wire.fetch, queueTimeout: 1 });
    const given = { ...DRAFT, correlationId: 'order-1' };
    for (const code of ['RATE_LIMIT_EXCEEDED', 'QUEUE_TIMEOUT']) {
      const error = await failureOf(run(client.invoices.create(given)));
      expect(error).to.include({ kind: 'limited', code, outcome: 'unknown', next: 'retry' });
    }
    expect(wire.sent).to.have.length(2);
  });

  it('does not end a feed of events', async () => {
    const { sandbox, client, run } = openShop();
    sandbox.fault({
      method: 'GET',
      nth: 1,
      action: { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers: { 'retry-after': '90' } },
    });
    const feed = eventFeed(client)[Symbol.asyncIterator]();
    const first = feed.next();
    await sandbox.advance(2 * MINUTE);
    await run(client.invoices.create(DRAFT));
    const { value } = await run(first);
    expect(value?.event?.eventType).to.equal('invoice.created');
    await feed.return?.();
  });

  it('is no word of the service where something before it says 429', async () => {
    const wire = answering(json({ error: 'slow down' }, 429));
    const { client, run } = openShop({ fetch: wire.fetch });
    expect(await failureOf(run(client.invoices.create(DRAFT, { maxAttempts: 1 })))).to.include({
      kind: 'unreachable',
      code: 'NOT_FROM_SERVICE',
      outcome: 'unknown',
    });
  });
});
