// Protects: what another process has begun meanwhile. Nobody ends an intent, or begins anew, while a request of somebody else
// may still move the money, and late answers are counted for what they are about.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { type MoneyResult, type MoneyStep, pay, resume, type Run } from 'paystate/flows';
import type { Store } from 'paystate/stores';
import { makeErrorResponse } from 'paystate/testing';
import { describe, it } from '#test';
import type { Row } from './journal-line.ts';
import { openDesk } from './moves-desk.ts';
import { EUR, paymentsMoved } from './pay-lives.ts';
import { lose, openTimed } from './timed-desk.ts';

const answered = (code: Parameters<typeof makeErrorResponse>[0]) =>
  Promise.resolve(makeErrorResponse(code));
const isOpen = ({ tries }: Row) => tries.some(({ end }) => end === 'open');

type Timed = ReturnType<typeof openTimed>;

interface Moment {
  /** How requests to move money are answered. */
  readonly answer: NonNullable<Parameters<typeof openTimed>[0]>;
  begin(desk: Timed, journal: Store): Run<MoneyStep, MoneyResult>;
  /** The first write that is overtaken. */
  isNext(row: Row): boolean;
  /** Asks for another round after the first end. */
  readonly isRetried?: boolean;
  readonly phase: MoneyResult['phase'];
}

const text = ({ client, sandbox }: Timed, journal: Store) =>
  pay(client, {
    to: sandbox.payer.createBolt11({ sat: '21000' }),
    sourceCurrency: 'EUR',
    maxFee: 'any',
    maxTotal: 'any',
    intent: 'a',
    journal,
  });
const address = ({ client, ada }: Timed, journal: Store) => pay(client, { ...ada, journal });
const first =
  (code: Parameters<typeof makeErrorResponse>[0]): Moment['answer'] =>
  (nth, send) =>
    nth === 1 ? answered(code) : send();

/** When another process may be a moment earlier. */
const MOMENTS: Readonly<Record<string, Moment>> = {
  'the service has no trace of a text': {
    answer: (nth, send) => (nth < 7 ? lose(nth, send) : answered('PAYMENT_QUOTE_EXPIRED')),
    begin: text,
    isNext: ({ phase }) => phase === 'REFUSED',
    phase: 'refused',
  },
  'a search has proved nothing': {
    answer: lose,
    begin: address,
    isNext: ({ phase }) => phase === 'UNKNOWN',
    phase: 'unknown',
  },
  'three reads have shown an exchange that was not executed': {
    answer: lose,
    begin: (desk, journal) => desk.exchange({ journal }),
    isNext: ({ phase }) => phase === 'REFUSED',
    phase: 'refused',
  },
  'the same quote is due again': {
    answer: (nth, send) => (nth === 1 ? lose(nth, send) : send()),
    begin: address,
    isNext: ({ tries }) => tries.length === 2,
    phase: 'paid',
  },
  'another quote is due, since the first has ended unused': {
    answer: first('PAYMENT_QUOTE_EXPIRED'),
    begin: address,
    isNext: ({ phase, past }) => phase === 'NEW' && past.length > 0,
    phase: 'paid',
  },
  'another round was asked for': {
    answer: first('LN_ROUTE_NOT_FOUND'),
    begin: text,
    isNext: ({ round }) => round === 2,
    isRetried: true,
    phase: 'paid',
  },
};

/** A journal in which another process opens a try just before the first such write. */
function overtaken({ journal, sandbox }: Timed, isNext: Moment['isNext']) {
  const written: Row[] = [];
  let isDone = false;
  const openTry = async (key: string) => {
    isDone = true;
    const { version, value } = (await journal.get(key))!;
    const row = value as Row;
    const n = row.sent + 1;
    const tries = [...row.tries, { n, by: 'another', sentAt: sandbox.clock.now(), end: 'open' }];
    const phase = row.phase === 'REFUSED' ? 'EXECUTING' : row.phase;
    await journal.compareAndSet(key, version, { ...row, phase, sent: n, tries }, true);
  };
  const store: Store = {
    ...journal,
    async compareAndSet(key, version, value, open) {
      const isRow = key === 'pay/a' && version > 0;
      if (isRow && !isDone && isNext(value as Row)) await openTry(key);
      const isWritten = await journal.compareAndSet(key, version, value, open);
      if (isRow && isWritten) written.push(value as Row);
      return isWritten;
    },
  };
  return { store, written, isDone: () => isDone };
}

describe('an intent is not ended, begun anew or sent again beside a request of another process', () => {
  for (const [name, { answer, begin, isNext, isRetried, phase }] of Object.entries(MOMENTS))
    it(`that came a moment earlier: ${name}`, async () => {
      const desk = openTimed(answer);
      const { store, written, isDone } = overtaken(desk, isNext);
      let run = begin(desk, store);
      if (isRetried) {
        await desk.sandbox.run(run.result);
        run = run.retry();
      }
      const { phase: end } = await desk.sandbox.run(run.result);
      expect([isDone(), end]).to.deep.equal([true, phase]);
      for (const row of written) {
        const open = row.tries.filter((one) => one.end === 'open');
        expect(open.length, row.phase).to.be.at.most(1);
        if (isOpen(row))
          expect(['EXECUTING', 'UNCONFIRMED', 'PENDING', 'PAID']).to.include(row.phase);
      }
      expect(paymentsMoved(desk.sandbox).length).to.be.at.most(1);
    });
});

describe('an answer that comes late', () => {
  it('that refuses ends an intent of which another process has counted it as lost', async () => {
    let nth = 0;
    const desk: ReturnType<typeof openDesk> = openDesk({}, async (url, _method, send) => {
      if (!url.endsWith('/execute')) return send();
      if (++nth === 1) await desk.sandbox.clock.wait(20_000);
      return makeErrorResponse('LN_ROUTE_NOT_FOUND');
    });
    const { sandbox, client, journal } = desk;
    const options = { to: 'ada@wallet.example', amount: EUR('20.00'), intent: 'a', journal };
    const run = pay(client, { ...options, sourceCurrency: 'EUR', maxFee: 'any' });
    await sandbox.advance(500);
    const others = createClient({ ...sandbox.clientOptions, fetch: desk.fetch });
    const [open] = await sandbox.run(resume(others, { journal }));
    const results = await sandbox.run(Promise.all([run.result, open!.result]));
    expect(results.map(({ phase }) => phase)).to.deep.equal(['refused', 'refused']);
    const { tries } = (await journal.get('pay/a'))!.value as Row;
    expect(new Set(tries.map(({ end }) => end))).to.deep.equal(new Set(['refused']));
  });

  for (const [name, answerOf] of Object.entries({
    'a refusal': () => makeErrorResponse('LN_ROUTE_NOT_FOUND'),
    'a loss': () => makeErrorResponse('SERVICE_UNAVAILABLE'),
    'the payment that has failed': (kept: Response) => kept,
  }))
    it(`about an earlier quote says nothing of the one that is under way: ${name}`, async () => {
      let nth = 0;
      const desk: ReturnType<typeof openDesk> = openDesk({}, async (url, _method, send) => {
        if (!url.endsWith('/execute')) return send();
        const at = ++nth;
        const answer = await send();
        if (at === 1) await desk.sandbox.clock.wait(20_000);
        if (at === 3) await desk.sandbox.clock.wait(30_000);
        return at === 1 ? answerOf(answer) : answer;
      });
      const { sandbox, client, journal } = desk;
      sandbox.fault({ subject: 'payment', state: 'FAILED', delay: 2_000, nth: 1 });
      const to = sandbox.payer.createBolt11({ sat: '21000' });
      const limits = { sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any' } as const;
      pay(client, { to, ...limits, intent: 'a', journal });
      await sandbox.advance(500);
      const others = createClient({ ...sandbox.clientOptions });
      const [open] = await sandbox.run(resume(others, { journal }));
      expect((await sandbox.run(open!.result)).phase).to.equal('failed');
      const phases: string[] = [];
      const round = open!.retry();
      round.subscribe(({ phase }) => void phases.push(phase));
      expect((await sandbox.run(round.result)).phase).to.equal('paid');
      expect(phases).to.deep.equal(['new', 'executing', 'paid']);
    });
});
