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
    readonly value: { readonly tries: readonly { readonly sentAt: number }[] };
  };
}

const half = (from: number, to: number): readonly number[] =>
  Array.from({ length: (to - from) / 30 + 1 }, (_, index) => from + 30 * index);

/** By rail: when it is sent again, when it is read or looked for, and how it ends. */
const TIMES: readonly (readonly [TimedRail, readonly number[], readonly number[], string])[] = [
  // its quote ends after 60 s; it is tried on until the service says so
  ['bolt11', [0, 1, 3, 7, 15, 31, 64, 94, 179, 359], [659], 'unknown'],
  ['lnurl', [0, 1, 3, 7, 15, 31, 64, 94, 179, 359], [659], 'unknown'],
  // its quote ends after 30 s; it is read before each try, and from a minute after its end on, by the service's clock
  ['exchange', [0, 1, 3, 7, 15], [1, 3, 7, 15, 89, 99, 109, 119], 'refused'],
  ['payout', [0, 1, 3, 7, 15, 31, ...half(61, 571)], [], 'refused'],
  ['deposit', [0, 1, 3, 7, 15, 31, ...half(61, 571)], [660], 'unknown'],
];

describe('money whose requests never arrive', () => {
  for (const [rail, moves, looks, phase] of TIMES)
    it(`is sent again and looked for at its times: ${rail}`, async () => {
      const desk = openTimed();
      const run = await desk.begin(rail);
      expect((await desk.sandbox.run(run.result)).phase).to.equal(phase);
      expect(desk.moves).to.deep.equal(moves);
      // a payout is read before each try, and three times after its end
      const read = [...moves.slice(1), 660, 670, 680];
      expect(desk.looks).to.deep.equal(rail === 'payout' ? read : looks);
    });

  it('is looked for among all payments from a minute before its first request to minutes after its quote', async () => {
    const desk = openTimed();
    const run = await desk.begin('lnurl');
    await desk.sandbox.run(run.result);
    const [, after = ''] = /created gt ([^ ]+)/.exec(desk.lists[0]!)!;
    const [, before = ''] = /created lt ([^ &]+)/.exec(desk.lists[0]!)!;
    const seconds = [after, before].map((at) => (Date.parse(at) - desk.first()) / 1_000);
    // the service's clock is told in whole seconds, rounded up
    expect(seconds[0]).to.be.within(-61, -59);
    expect(seconds[1]).to.be.within(359, 361);
  });

  itLong(
    'is looked for ten minutes later, an hour after that and then daily, for as long as somebody listens',
    async () => {
      const desk = openTimed();
      const run = await desk.begin('bolt11');
      const stop = run.subscribe(() => {});
      await desk.sandbox.run(run.result);
      await desk.sandbox.advance(2.5 * DAY * 1_000);
      const waits = desk.looks.map((at, index) => at - (desk.looks[index - 1] ?? 0));
      expect(waits).to.deep.equal([659, 600, 3_600, DAY, DAY]);
      expect(desk.moves).to.have.length(10);
      stop();
    },
  );

  it('is not looked for any more where nobody listens', async () => {
    const desk = openTimed();
    const run = await desk.begin('bolt11');
    await desk.sandbox.run(run.result);
    const { length } = desk.looks;
    await desk.sandbox.advance(2 * DAY * 1_000);
    expect(desk.looks).to.have.length(length);
  });

  it('is looked for no longer than the service keeps its events, whoever listens', async () => {
    const { sandbox, client, journal, looks, begin } = openTimed();
    const run = await begin('bolt11');
    await sandbox.run(run.result);
    const [{ key, row }] = (await journal.listOpen('pay/')) as [Open];
    const tries = row.value.tries.map((one) => ({
      ...one,
      sentAt: one.sentAt - 29.5 * DAY * 1_000,
    }));
    await journal.compareAndSet(key, row.version, { ...row.value, tries }, true);
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
    expect((await sandbox.run(open!.result)).phase).to.equal('unknown');
    const [first, ...more] = desk.moves.slice(before);
    expect(more.map((at) => at - first!)).to.deep.equal([2, 6, 14]);
    expect(desk.looks.map((at) => at - first!)).to.deep.equal([14 + 300]);
  });
});

describe('money whose first request is lost', () => {
  it('is not sent again once the service has said that its quote has ended', async () => {
    const ended = async () => makeErrorResponse('PAYMENT_QUOTE_EXPIRED');
    for (const rail of ['bolt11', 'lnurl'] as const) {
      const desk = openTimed((nth, send) => (nth <= 6 ? lose(nth, send) : ended()));
      const run = await desk.begin(rail);
      const { phase } = await desk.sandbox.run(run.result);
      // one text is paid once, so that a second try of it is harmless; an address can be paid twice
      expect(phase).to.equal(rail === 'bolt11' ? 'refused' : 'unknown');
      expect([rail, ...desk.moves]).to.deep.equal([rail, 0, 1, 3, 7, 15, 31, 64]);
      // a payment of its last seconds would be listed ten minutes later
      expect(desk.looks).to.deep.equal([659]);
    }
  });

  it('is sent again under the same quote where the service only asks to come back later', async () => {
    const desk = openTimed((nth, send) =>
      nth === 1 ? Promise.resolve(makeErrorResponse('ACCOUNT_NOT_READY')) : send(),
    );
    const run = await desk.begin('lnurl');
    expect((await desk.sandbox.run(run.result)).phase).to.equal('paid');
    expect([desk.moves, desk.sent('POST', '/lnurl')]).to.deep.equal([[0, 1], 1]);
  });
});

describe('money that is asked for again after a refusal', () => {
  it('is not begun anew before the service says that its quote has ended: another refusal is no word of that', async () => {
    const says = (nth: number) => (nth < 4 ? 'LN_ROUTE_NOT_FOUND' : 'PAYMENT_QUOTE_EXPIRED');
    const desk = openTimed(async (nth) => makeErrorResponse(says(nth)));
    const run = await desk.begin('lnurl');
    expect((await desk.sandbox.run(run.result)).phase).to.equal('refused');
    expect((await desk.sandbox.run(run.retry().result)).phase).to.equal('unknown');
    expect(desk.moves).to.deep.equal([0, 65, 90, 180]);
    expect(desk.sent('POST', '/lnurl')).to.equal(1);
  });
});

describe('a request that another process has under way', () => {
  /** One process has sent, and its answer takes 20 s; a second process comes a second later. */
  const openBoth = async () => {
    const desk: ReturnType<typeof openTimed> = openTimed(async (nth, send) => {
      const answer = await send();
      if (nth === 1) await desk.sandbox.clock.wait(20_000);
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
    const { desk, run, other, requests } = await openBoth();
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

  it('is sent again at once by a restart, which knows that it has died', async () => {
    const { desk, other, requests } = await openBoth();
    await desk.sandbox.run(resume(other, { journal: desk.journal }));
    await desk.sandbox.advance(2_000);
    expect(requests).to.have.length(1);
    expect(paymentsMoved(desk.sandbox)).to.have.length(1);
  });
});
