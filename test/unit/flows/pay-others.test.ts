// Protects: what another process has begun meanwhile. Nobody ends an intent, or begins anew, while a request of somebody else
// may still move the money, and late answers are counted for what they are about.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { type MoneyResult, type MoneyStep, pay, resume, type Run } from 'paystate/flows';
import type { Store } from 'paystate/stores';
import { makeErrorResponse } from 'paystate/testing';
import { describe, it } from '#test';
import { openDesk } from './moves-desk.ts';
import { EUR, paymentsMoved } from './pay-lives.ts';
import { lose, openTimed } from './timed-desk.ts';

const answered = (code: Parameters<typeof makeErrorResponse>[0]) =>
  Promise.resolve(makeErrorResponse(code));

/** What these tests read of a row of the journal. */
interface Row {
  readonly facts: readonly Fact[];
}

interface Fact {
  readonly is: string;
  readonly by: string;
  readonly i: number;
  readonly at: number;
  readonly round: number;
  readonly n?: number;
  readonly send?: number;
  readonly how?: string;
}

const sendsIn = ({ facts }: Row) => facts.filter(({ is }) => is === 'sent');
/** A request of the other process has no answer yet. */
const isOpen = (row: Row) =>
  sendsIn(row).some(
    ({ by, send }) =>
      by === 'another' && !row.facts.some((one) => one.is === 'answered' && one.send === send),
  );

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

const isLast = (is: string) => (row: Row) => row.facts.at(-1)?.is === is;

/** When another process may be a moment earlier. */
const MOMENTS: Readonly<Record<string, Moment>> = {
  'the service has no trace of a text': {
    answer: (nth, send) => (nth < 7 ? lose(nth, send) : answered('PAYMENT_QUOTE_EXPIRED')),
    begin: text,
    isNext: isLast('closed'),
    phase: 'refused',
  },
  'a search has found nothing': {
    answer: lose,
    begin: address,
    isNext: isLast('closed'),
    phase: 'refused',
  },
  'it is refused': {
    answer: first('LN_ROUTE_NOT_FOUND'),
    begin: address,
    isNext: isLast('over'),
    phase: 'paid',
  },
  'three reads have shown an exchange that was not executed': {
    answer: lose,
    begin: (desk, journal) => desk.exchange({ journal }),
    isNext: isLast('closed'),
    phase: 'refused',
  },
  'the same quote is due again': {
    answer: (nth, send) => (nth === 1 ? lose(nth, send) : send()),
    begin: address,
    isNext: (row) => sendsIn(row).length === 2,
    phase: 'paid',
  },
  'another quote is due, since the first has ended unused': {
    answer: first('PAYMENT_QUOTE_EXPIRED'),
    begin: address,
    isNext: (row) => isLast('asked')(row) && row.facts.at(-1)!.n === 2,
    phase: 'paid',
  },
  'another round was asked for': {
    answer: first('LN_ROUTE_NOT_FOUND'),
    begin: text,
    isNext: (row) => row.facts.some(({ is }) => is === 'again'),
    isRetried: true,
    phase: 'paid',
  },
};

/** A journal in which another process takes the turn and sends just before the first such write. */
function overtaken({ journal, sandbox }: Timed, isNext: Moment['isNext']) {
  /** What was added beside an open request of the other process. */
  const beside: string[] = [];
  let isDone = false;
  const takeTurn = async (key: string) => {
    isDone = true;
    const { version, value } = (await journal.get(key))!;
    const row = value as Row;
    const isEnded = row.facts.at(-1)?.is === 'over';
    const round = Math.max(...row.facts.map((one) => one.round)) + (isEnded ? 1 : 0);
    const common = { by: 'another', at: sandbox.clock.now(), round };
    const limits = { maxFee: 'any', maxRateSlip: 'any' };
    const done = [
      ...(isEnded ? [{ is: 'again', limits }] : []),
      { is: 'taken' },
      { is: 'sent', n: 1, send: sendsIn(row).length + 1 },
    ].map((one, i) => ({ ...one, i, ...common }));
    await journal.compareAndSet(key, version, { ...row, facts: [...row.facts, ...done] }, true);
  };
  const store: Store = {
    ...journal,
    async compareAndSet(key, version, value, open) {
      const isRow = key === 'pay/a' && version > 0;
      if (isRow && !isDone && isNext(value as Row)) await takeTurn(key);
      const before = isRow ? ((await journal.get(key))?.value as Row) : undefined;
      const isWritten = await journal.compareAndSet(key, version, value, open);
      if (isWritten && before && isOpen(before))
        beside.push(...(value as Row).facts.slice(before.facts.length).map(({ is }) => is));
      return isWritten;
    },
  };
  return { store, beside, isDone: () => isDone };
}

describe('an intent is not ended, begun anew or sent again beside a request of another process', () => {
  for (const [name, { answer, begin, isNext, isRetried, phase }] of Object.entries(MOMENTS))
    it(`that came a moment earlier: ${name}`, async () => {
      const desk = openTimed(answer);
      const { store, beside, isDone } = overtaken(desk, isNext);
      let run = begin(desk, store);
      if (isRetried) {
        await desk.sandbox.run(run.result);
        run = run.retry();
      }
      const { phase: end } = await desk.sandbox.run(run.result);
      expect([isDone(), end]).to.deep.equal([true, phase]);
      // it follows, takes the turn of the silent process, and counts its request as lost
      expect(beside).to.deep.equal(['taken', 'answered']);
      const moved = phase === 'paid' ? 1 : 0;
      expect(paymentsMoved(desk.sandbox)).to.have.length(moved);
      expect(desk.moved('exchange')).to.deep.equal([]);
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
    // what was counted as lost is refused by its answer, its quote once more after its end, and no
    // other one is begun
    const { facts } = (await journal.get('pay/a'))!.value as Row;
    const answers = facts.filter(({ is }) => is === 'answered').map(({ send, how }) => [send, how]);
    expect(answers).to.deep.equal([
      [1, 'none'],
      [2, 'no'],
      [1, 'no'],
      [3, 'no'],
    ]);
    expect(desk.sent('POST', '/lnurl')).to.equal(2);
    expect(paymentsMoved(sandbox)).to.deep.equal([]);
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
