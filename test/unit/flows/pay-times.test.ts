// Protects: when what may have moved money is asked for again, when it is looked for, and when it is given up. Too early a
// search says no where it was paid; a request too late, or too many, pays twice or blocks the account.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { pay, resume } from 'paystate/flows';
import { makeErrorResponse } from 'paystate/testing';
import { describe, it, itLong } from '#test';
import { paymentsMoved } from './pay-lives.ts';
import { lose, MOVES, openTimed, type TimedRail } from './timed-desk.ts';

const DAY = 86_400;

/** What the journal has of one intent that is not over. */
interface Open {
  readonly key: string;
  readonly row: {
    readonly version: number;
    readonly value: { readonly at: number; readonly facts: readonly { readonly at: number }[] };
  };
}

const half = (from: number, to: number): readonly number[] =>
  Array.from({ length: (to - from) / 30 + 1 }, (_, index) => from + 30 * index);
const after = (from: number, times: readonly number[]): readonly number[] =>
  times.map((at) => from + at);

/** Its quote ends after 60 s; it is sent once more then, and again until the service answers. */
const PAYMENT = [0, 1, 3, 7, 15, 31, 64, 94, 184, 364];
/** Its quote ends after 30 s. */
const EXCHANGE = [0, 1, 3, 7, 15];
/**
 * Lists show everything five minutes after the last request can have acted, and are read three
 * times. Then what the address accepts, or the rates, are read for another quote.
 */
const PAYMENT_LOOKS = [784, 794, 804, 804, 1_588, 1_598, 1_608];
/** It is read before it is sent again, and from a minute after its end on, three times. */
const READS = [1, 3, 7, 15, 31, 94, 124, 154, 184];

/** By rail: when it is sent again, and when it is read or looked for. Nothing is moved in the end. */
const TIMES: readonly (readonly [TimedRail, readonly number[], readonly number[]])[] = [
  ['bolt11', [...PAYMENT, ...after(804, PAYMENT)], PAYMENT_LOOKS],
  ['lnurl', [...PAYMENT, ...after(804, PAYMENT)], PAYMENT_LOOKS],
  [
    'exchange',
    [...EXCHANGE, ...after(184, EXCHANGE), ...after(368, EXCHANGE)],
    [...READS, 184, ...after(184, READS), 368, ...after(368, READS)],
  ],
  // it is read before it is sent again, and three times when no request can act any more
  [
    'payout',
    [0, 1, 3, 7, 15, 31, ...half(61, 571)],
    [1, 3, 7, 15, 31, ...half(61, 601), 691, 721, 751],
  ],
  // the service may have forgotten its key after ten minutes
  ['deposit', [0, 1, 3, 7, 15, 31, ...half(61, 511)], [931, 941, 951]],
];

/** The account cannot be searched, so that what was sent stays unknown. */
const refuseLists = ({ sandbox }: Pick<ReturnType<typeof openTimed>, 'sandbox'>) =>
  sandbox.fault({ path: '/v1/events', action: { status: 403, code: 'FORBIDDEN' } });

describe('money whose requests never arrive', () => {
  for (const [rail, moves, looks] of TIMES)
    it(`is sent again and looked for at its times: ${rail}`, async () => {
      const desk = openTimed();
      const run = await desk.begin(rail);
      const result = await desk.sandbox.run(run.result);
      expect(result.phase === 'refused' && result.error.outcome).to.equal('not-done');
      expect(desk.moves).to.deep.equal(moves);
      expect(desk.looks).to.deep.equal(looks);
    });

  it('is looked for among all payments from a minute before its first request to minutes after the search', async () => {
    const desk = openTimed();
    const run = await desk.begin('lnurl');
    await desk.sandbox.run(run.result);
    const [, after = ''] = /created gt ([^ ]+)/.exec(desk.lists[0]!)!;
    const [, before = ''] = /created lt ([^ &]+)/.exec(desk.lists[0]!)!;
    const seconds = [after, before].map((at) => (Date.parse(at) - desk.first()) / 1_000);
    // the service's clock is told in whole seconds, rounded up
    expect(seconds[0]).to.be.within(-61, -59);
    expect(seconds[1]).to.be.within(784 + 299, 784 + 301);
  });

  itLong(
    'is looked for ten minutes later, an hour after that and then daily, for as long as somebody listens',
    async () => {
      const desk = openTimed();
      refuseLists(desk);
      const run = await desk.begin('bolt11');
      const stop = run.subscribe(() => {});
      expect((await desk.sandbox.run(run.result)).phase).to.equal('unknown');
      await desk.sandbox.advance(2.5 * DAY * 1_000);
      const waits = desk.looks.map((at, index) => at - (desk.looks[index - 1] ?? 0));
      expect(waits).to.deep.equal([784, 600, 3_600, DAY, DAY]);
      expect(desk.moves).to.have.length(10);
      stop();
    },
  );

  it('is not looked for any more where nobody listens', async () => {
    const desk = openTimed();
    refuseLists(desk);
    const run = await desk.begin('bolt11');
    expect((await desk.sandbox.run(run.result)).phase).to.equal('unknown');
    const { length } = desk.looks;
    await desk.sandbox.advance(2 * DAY * 1_000);
    expect(desk.looks).to.have.length(length);
  });

  it('is looked for no longer than the service keeps its events, whoever listens', async () => {
    const desk = openTimed();
    const { sandbox, client, journal, looks, begin } = desk;
    refuseLists(desk);
    const run = await begin('bolt11');
    await sandbox.run(run.result);
    const [{ key, row }] = (await journal.listOpen('pay/')) as [Open];
    const earlier = <T extends { readonly at: number }>(one: T): T => ({
      ...one,
      at: one.at - 29.5 * DAY * 1_000,
    });
    const value = { ...earlier(row.value), facts: row.value.facts.map(earlier) };
    await journal.compareAndSet(key, row.version, value, true);
    const { length } = looks;
    let isOver = false;
    const complete = () => void (isOver = true);
    void resume(client, { journal }).then(([open]) => open!.subscribe({ complete }));
    await sandbox.advance(1.5 * DAY * 1_000);
    const waits = looks.slice(length).map((at) => at - looks[length]!);
    expect([isOver, waits]).to.deep.equal([true, [0, 600, 4_200]]);
  });

  it('by a process that died is looked for minutes after the last request, when events of it are there', async () => {
    const desk = openTimed();
    const { sandbox, client, journal } = desk;
    const run = await desk.begin('lnurl');
    await sandbox.advance(500);
    run.detach();
    await sandbox.advance(DAY * 1_000);
    const before = desk.moves.length;
    const [open] = await sandbox.run(resume(client, { journal }));
    const result = await sandbox.run(open!.result);
    expect(result.phase === 'refused' && result.error.outcome).to.equal('not-done');
    const [first, ...more] = desk.moves.slice(before);
    expect(first! - DAY).to.be.within(9, 11); // its mark has survived a failover by then
    expect(more.slice(0, 3).map((at) => at - first!)).to.deep.equal([20, 110, 290]);
    const searches = [710, 720, 730];
    expect(desk.looks.slice(0, 3).map((at) => at - first!)).to.deep.equal(searches);
    // the time in which no process lived does not count, so another number is tried
    expect(more[3]! - first!).to.equal(730);
    expect(desk.sent('POST', '/lnurl')).to.equal(4);
  });
});

describe('money whose first request is lost', () => {
  it('is not sent again once the service has said that its quote has ended', async () => {
    const ended = async () => makeErrorResponse('PAYMENT_QUOTE_EXPIRED');
    for (const rail of ['bolt11', 'lnurl'] as const) {
      const desk = openTimed((nth, send) => (nth <= 6 ? lose(nth, send) : ended()));
      const run = await desk.begin(rail);
      const { phase } = await desk.sandbox.run(run.result);
      expect(phase).to.equal('refused');
      // a payment of its last seconds is listed by the time at which another quote is executed
      expect([rail, ...desk.moves]).to.deep.equal([rail, 0, 1, 3, 7, 15, 31, 64, 504, 568]);
      expect(desk.looks).to.deep.equal([484, 494, 504, 504, 568]);
    }
  });

  it('is sent again under the same quote where the service only asks to come back later', async () => {
    const desk = openTimed((nth, send) =>
      nth === 1 ? Promise.resolve(makeErrorResponse('ACCOUNT_NOT_READY')) : send(),
    );
    const run = await desk.begin('lnurl');
    expect((await desk.sandbox.run(run.result)).phase).to.equal('paid');
    // its quote is named twice, and so is its payment
    expect([desk.moves, desk.sent('POST', '/lnurl')]).to.deep.equal([[0, 1, 3], 2]);
    expect(paymentsMoved(desk.sandbox)).to.have.length(1);
  });
});

describe('money that is asked for again after a refusal', () => {
  it('is not begun anew before lists show all that its quote can have moved, whatever the service refuses', async () => {
    const says = (nth: number) => (nth < 4 ? 'LN_ROUTE_NOT_FOUND' : 'PAYMENT_QUOTE_EXPIRED');
    const desk = openTimed(async (nth) => makeErrorResponse(says(nth)));
    const run = await desk.begin('lnurl');
    expect((await desk.sandbox.run(run.result)).phase).to.equal('refused');
    // its quote is sent once more after its end, which can begin nothing
    const second = run.retry();
    expect((await desk.sandbox.run(second.result)).phase).to.equal('refused');
    expect([desk.moves, desk.looks, desk.sent('POST', '/lnurl')]).to.deep.equal([[0, 64], [], 2]);
    expect((await desk.sandbox.run(second.retry().result)).phase).to.equal('refused');
    expect(desk.looks).to.deep.equal([484, 494, 504, 504]);
    expect(desk.moves).to.deep.equal([0, 64, 504]);
    expect(desk.sent('POST', '/lnurl')).to.equal(4); // two quotes
  });
});

describe('a request that another process has under way', () => {
  /** One process has sent, and its answer takes a while; a second process comes a second later. */
  const openBoth = async (takes: number) => {
    const desk: ReturnType<typeof openTimed> = openTimed(async (nth, send) => {
      const answer = await send();
      if (nth === 1) await desk.sandbox.clock.wait(takes);
      return answer;
    });
    const run = await desk.begin('lnurl');
    await desk.sandbox.advance(1_000);
    expect(desk.moves).to.have.length(1);
    const requests: string[] = [];
    const base = desk.sandbox.clientOptions;
    const other = createClient({
      ...base,
      fetch(url, init) {
        if (MOVES.test(String(url))) requests.push(String(url));
        return base.fetch(url, init);
      },
    });
    return { desk, run, other, requests };
  };

  it('is waited for, and its journal is looked at every two seconds', async () => {
    const { desk, run, other, requests } = await openBoth(11_000);
    let reads = 0;
    const { journal } = desk;
    const counted: typeof journal = { ...journal, get: (key) => (reads++, journal.get(key)) };
    const joined = pay(other, { ...desk.ada, journal: counted });
    await desk.sandbox.advance(10_000);
    expect(reads).to.be.within(5, 12);
    const results = await desk.sandbox.run(Promise.all([run.result, joined.result]));
    expect(results.map(({ phase }) => phase)).to.deep.equal(['paid', 'paid']);
    expect([requests, paymentsMoved(desk.sandbox).length]).to.deep.equal([[], 1]);
  });

  it('is sent again by a restart, which knows that it has died, once its mark cannot be lost', async () => {
    const { desk, run, other, requests } = await openBoth(20_000);
    const [taken] = await desk.sandbox.run(resume(other, { journal: desk.journal }));
    await desk.sandbox.advance(9_000);
    expect(requests).to.deep.equal([]);
    await desk.sandbox.advance(3_000);
    expect(requests).to.have.length(1);
    expect(paymentsMoved(desk.sandbox)).to.have.length(1);
    const { length } = desk.moves;
    const results = await desk.sandbox.run(Promise.all([run.result, taken!.result]));
    expect(results.map(({ phase }) => phase)).to.deep.equal(['paid', 'paid']);
    expect(desk.moves).to.have.length(length); // the first process begins nothing any more
    expect(paymentsMoved(desk.sandbox)).to.have.length(1);
  });
});
