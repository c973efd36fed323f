import { expect } from 'chai';
import type { RequestView, ResponseView, RetryView } from 'paystate';
import { describe, it } from '#test';
import { withReports } from '../state/reports.ts';
import { answering, DRAFT, failureOf, INVOICE, json, openShop, refusal } from './shop.ts';

const START = 1_767_603_600_000;
const DATE = 'Mon, 05 Jan 2026 09:00:40 GMT';

describe('send: waiting as told', () => {
  it('honours Retry-After in full, as seconds or as a date', async () => {
    for (const value of ['40', DATE, 'Monday, 05-Jan-26 09:00:40 GMT', 'Mon Jan  5 09:00:40 2026'])
      for (const action of [
        { status: 429, code: 'RATE_LIMIT_EXCEEDED' },
        { status: 503, code: 'MAINTENANCE_MODE' },
        { status: 503 },
        { status: 429 },
      ]) {
        const { sandbox, client, run } = openShop();
        sandbox.fault({ nth: 1, action: { ...action, headers: { 'retry-after': value } } });
        expect((await failureOf(run(client.invoices.get(INVOICE.invoiceId)))).code).to.equal(
          'NOT_FOUND',
        );
        expect(
          sandbox.log.map(({ at }) => at - START),
          value,
        ).to.deep.equal([0, 40_000]);
      }
  });

  it('takes a date of two digits for one of this century or of the last, as the year says', async () => {
    const { sandbox, client, run } = openShop();
    const headers = { 'retry-after': 'Sunday, 06-Nov-94 08:49:37 GMT' };
    sandbox.fault({ nth: 1, action: { status: 503, code: 'MAINTENANCE_MODE', headers } });
    await failureOf(run(client.invoices.get(INVOICE.invoiceId)));
    expect(sandbox.log.map(({ at }) => at - START)).to.deep.equal([0, 0]); // long ago, not in 2094
  });

  it('reads a date by the clock of the service', async () => {
    for (const clockSkew of [-3_600_000, 3_600_000]) {
      const { sandbox } = openShop();
      const { client, run } = openShop({ ...sandbox.clientOptionsFor({ clockSkew }) });
      sandbox.fault({
        nth: 1,
        action: {
          status: 429,
          code: 'RATE_LIMIT_EXCEEDED',
          headers: { 'retry-after': DATE, date: 'Mon, 05 Jan 2026 09:00:00 GMT' },
        },
      });
      expect((await failureOf(sandbox.run(client.invoices.get(INVOICE.invoiceId)))).code).to.equal(
        'NOT_FOUND',
      );
      expect(sandbox.log.map(({ at }) => at - START)).to.deep.equal([0, 40_000]);
      void run;
    }
  });

  it('fails now and says when, if that is after the deadline', async () => {
    for (const action of [
      { status: 429, code: 'RATE_LIMIT_EXCEEDED' },
      { status: 503, code: 'SERVICE_UNAVAILABLE' },
      { status: 503 },
      { status: 429 },
    ]) {
      const { sandbox, client, run, now } = openShop();
      sandbox.fault({ action: { ...action, headers: { 'retry-after': '3600' } } });
      const error = await failureOf(run(client.invoices.get(INVOICE.invoiceId)));
      expect([error.status, error.retryAt, error.attempts, now()]).to.deep.equal([
        action.status,
        START + 3_600_000,
        1,
        0,
      ]);
    }
  });

  it('takes the block of the rate table where a 429 does not say how long', async () => {
    const { sandbox, client, run, now } = openShop();
    sandbox.fault({ action: { status: 429, code: 'RATE_LIMIT_EXCEEDED' } });
    const error = await failureOf(run(client.invoices.get(INVOICE.invoiceId)));
    expect([error.code, error.retryAt, error.attempts, now()]).to.deep.equal([
      'RATE_LIMIT_EXCEEDED',
      START + 3_600_000,
      1,
      0,
    ]);
  });

  it('believes at most 65 minutes, and nothing unreadable', async () => {
    for (const [value, wait] of [
      ['99999999999999999999', 3_900_000],
      ['Tue, 01 Jan 2199 00:00:00 GMT', 3_900_000],
      ['-5', undefined],
      ['soon', undefined],
      ['1e3', undefined],
      ['', undefined],
    ] as const) {
      const { sandbox, client, run } = openShop();
      sandbox.fault({
        action: { status: 503, code: 'MAINTENANCE_MODE', headers: { 'retry-after': value } },
      });
      const error = await failureOf(run(client.invoices.get(INVOICE.invoiceId)));
      expect([value, error.retryAt]).to.deep.equal([value, wait && START + wait]);
      expect(error.attempts).to.equal(wait === undefined ? 3 : 1);
    }
  });
});

describe('send: waiting as drawn', () => {
  it('draws the whole range below a bound that doubles up to 20 s', async () => {
    for (const [drawn, bounds] of [
      [0, [0, 0, 0]],
      [0.5, [250, 500, 1_000]],
      [1, [500, 1_000, 2_000]],
    ] as const) {
      const waits: number[] = [];
      const { client, run, sandbox } = openShop({
        random: () => drawn,
        maxAttempts: 12,
        callTimeout: 600_000,
        onRetry: ({ delay: wait }) => waits.push(wait),
      });
      sandbox.fault({ action: 'lost-before' });
      await failureOf(run(client.invoices.get(INVOICE.invoiceId)));
      expect(waits.slice(0, 3)).to.deep.equal(bounds);
      expect(Math.max(...waits)).to.equal(20_000 * drawn);
      expect(sandbox.log).to.have.length(12);
    }
  });

  it('spreads callers that failed together', async () => {
    const waits = new Set<number>();
    const { client, run, sandbox } = openShop({ onRetry: ({ delay: wait }) => waits.add(wait) });
    sandbox.fault({ nth: [1, 2, 3, 4, 5, 6, 7, 8], action: 'lost-before' });
    await run(
      Promise.allSettled(Array.from({ length: 8 }, () => client.invoices.get(INVOICE.invoiceId))),
    );
    expect(waits.size).to.equal(8);
  });
});

describe('observers', () => {
  const watched = () => {
    const seen: [string, RequestView][] = [];
    const note =
      (name: string) =>
      (view: RequestView): void => {
        seen.push([name, view]);
      };
    return {
      seen,
      onRequest: note('request'),
      onResponse: note('response'),
      onRetry: note('retry'),
    };
  };

  it('see each step in order, with no id, body or credential', async () => {
    const { seen, ...observers } = watched();
    const { sandbox, client, run } = openShop(observers);
    sandbox.fault({ nth: 1, action: { status: 500, code: 'INTERNAL_SERVER_ERROR' } });
    await failureOf(run(client.invoices.get('my-own-id', { reason: 'to look' })));
    expect(seen.map(([name, { attempt }]) => `${name} ${attempt}`)).to.deep.equal([
      'request 1',
      'response 1',
      'retry 1',
      'request 2',
      'response 2',
    ]);
    const [first, answer, retry, , last] = seen.map(([, view]) => view) as [
      RequestView,
      ResponseView,
      RetryView,
      RequestView,
      ResponseView,
    ];
    expect(first).to.deep.equal({
      operation: 'invoices.get',
      method: 'GET',
      path: '/v1/invoices/{invoiceId}',
      attempt: 1,
      priority: 'high',
      reason: 'to look',
      sentAt: START,
    });
    expect([answer.status, answer.code, answer.duration, last.status, last.code]).to.deep.equal([
      500,
      'INTERNAL_SERVER_ERROR',
      0,
      404,
      'NOT_FOUND',
    ]);
    expect(retry.delay).to.be.within(0, 500);
    expect(JSON.stringify(seen))
      .not.to.contain('my-own-id')
      .and.not.contain(sandbox.clientOptions.apiKey);
    expect(seen.every(([, view]) => Object.isFrozen(view))).to.equal(true);
  });

  it('may throw: that is reported and changes nothing', () =>
    withReports(async (reports) => {
      const fail = (): never => {
        throw new Error('in the observer');
      };
      const { sandbox, client, run } = openShop({
        onRequest: fail,
        onResponse: fail,
        onRetry: fail,
      });
      sandbox.fault({ nth: 1, action: 'lost-after' });
      expect((await run(client.invoices.create(DRAFT))).state).to.equal('UNPAID');
      expect(reports.map((error) => (error as Error).message)).to.deep.equal(
        Array(7).fill('in the observer'),
      );
    }));

  it('tell the priority', async () => {
    const { seen, ...observers } = watched();
    const { client, run } = openShop(observers);
    await run(client.invoices.list().count());
    expect(seen[0]![1].priority).to.equal('low');
  });
});

describe('withResponse', () => {
  it('tells status, headers and attempts beside the value', async () => {
    const wire = answering(
      refusal(500, 'INTERNAL_SERVER_ERROR'),
      json(INVOICE, 200, { 'x-more': 'yes' }),
    );
    const { client, run } = openShop({ fetch: wire.fetch, apiKey: undefined, token: 'T' });
    const { value, status, headers, attempts } = await run(
      client.invoices.get(INVOICE.invoiceId).withResponse(),
    );
    expect([value.invoiceId, status, headers.get('x-more'), attempts]).to.deep.equal([
      INVOICE.invoiceId,
      200,
      'yes',
      2,
    ]);
  });

  it('fails with the same error, once', async () => {
    const { client, run } = openShop();
    const call = client.invoices.get(INVOICE.invoiceId);
    const [one, two] = await Promise.all([
      failureOf(run(call.withResponse())),
      failureOf(run(call)),
    ]);
    expect(one).to.equal(two);
    expect((await failureOf(run(client.invoices.get('y').withResponse()))).code).to.equal(
      'NOT_FOUND',
    );
  });
});
