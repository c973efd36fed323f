// Protects: the table of a payment's life, cell by cell: what may end it, what may move money, and that the run does next
// what the table says.
import { expect } from 'chai';
import { describe, it } from '#test';
import {
  applyEvent,
  type MoveEvent,
  type MoveEventName,
  transitionOf,
  transitions,
} from '../../src/flows/pay/transitions.ts';
import { newRow, type MovePhase, type MoveRow, type MoveTry } from '../../src/flows/pay/row.ts';
import { nextStep } from '../../src/flows/pay/schedule.ts';

const PHASES: readonly MovePhase[] = [
  'NEW',
  'EXECUTING',
  'UNCONFIRMED',
  'PENDING',
  'PAID',
  'FAILED',
  'REFUSED',
  'UNKNOWN',
  'STOPPED',
];
/** The next action of the run by a line of the table. */
function actionAfter(to: string, writes: readonly string[]): string {
  if (writes.includes('open')) return 'execute';
  const actions: Record<string, string> = { NEW: 'quote', UNCONFIRMED: 'repeat', PENDING: 'read' };
  return actions[to] ?? 'end';
}

const EVENTS = [...new Set(transitions.flatMap(({ on }) => on))];
const EUR = (amount: string) => ({ amount, currency: 'EUR' });
const AT = 1_000_000;
const ENDS_AT = AT + 60_000;

const quote = {
  id: 'q',
  amount: EUR('20.00'),
  totalAmount: EUR('20.03'),
  endsAt: ENDS_AT,
};
const payment = {
  paymentId: 'p',
  state: 'COMPLETED',
  amount: quote.amount,
  totalAmount: quote.totalAmount,
};
const oneTry = (change: Partial<MoveTry> = {}): MoveTry => ({
  n: 1,
  by: 'me',
  sentAt: AT,
  end: 'open',
  ...change,
});

/** Tries as they are in each phase. */
const TRIES: Readonly<Record<MovePhase, readonly MoveTry[]>> = {
  NEW: [],
  STOPPED: [],
  EXECUTING: [oneTry()],
  UNCONFIRMED: [oneTry({ end: 'doubt', endedAt: AT, code: 'TIMEOUT' })],
  UNKNOWN: [oneTry({ end: 'doubt', endedAt: AT, code: 'TIMEOUT' })],
  PENDING: [oneTry({ end: 'accepted', endedAt: AT })],
  PAID: [oneTry({ end: 'accepted', endedAt: AT })],
  FAILED: [oneTry({ end: 'accepted', endedAt: AT })],
  REFUSED: [oneTry({ end: 'refused', endedAt: AT, code: 'BALANCE_TOO_LOW' })],
};

const LNURL = {
  rail: 'lnurl',
  destination: 'ada@wallet.example',
  sourceCurrency: 'EUR',
} as const;

function rowIn(phase: MovePhase, tries: readonly MoveTry[] = TRIES[phase]): MoveRow {
  const row = newRow('one', 'print', LNURL, { maxFee: 'any', maxRateSlip: 'any' }, AT);
  const hasPayment = ['PENDING', 'PAID', 'FAILED'].includes(phase);
  const hasQuote = !['NEW', 'STOPPED'].includes(phase);
  return frozen({
    ...row,
    phase,
    tries,
    sent: tries.length,
    quote: hasQuote ? quote : undefined,
    ...(hasPayment && { movementId: 'p', movement: payment, executed: true, pendingSince: AT }),
    ...(phase === 'REFUSED' && { why: { code: 'BALANCE_TOO_LOW', kind: 'refused', text: 'no' } }),
  });
}

const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null)
    Object.values(Object.freeze(value)).forEach(frozen);
  return value;
};

const eventIn = (is: MoveEventName): MoveEvent => ({
  is: is.replace('-inconclusive', '') as MoveEventName,
  at: AT + 1_000,
  by: 'me',
  n: 1,
  code: 'BALANCE_TOO_LOW',
  why: { code: 'BALANCE_TOO_LOW', kind: 'refused', text: 'no' },
  quote,
  movementId: 'p',
  movement: payment,
  proof: 'none',
  evidence: { searchedAt: AT, candidates: [] },
});

const UNUSED: MoveEvent = {
  ...eventIn('quote-unused'),
  evidence: { searchedAt: AT, candidates: [], isUnused: true },
};

/** The table's line for a cell; `to` of what only settles its own try is `same`. */
const linesOf = (phase: MovePhase, event: MoveEventName) =>
  transitions.filter(({ from, on }) => from.includes(phase) && on.includes(event));

/** Two tries, the first of which may have had its effect. */
const beside = (phase: MovePhase): MoveRow =>
  rowIn(phase, [oneTry({ n: 9, end: 'doubt', endedAt: AT, code: 'TIMEOUT' }), oneTry()]);

const cells = PHASES.flatMap((phase) => EVENTS.map((event) => ({ phase, event })));
const play = (phase: MovePhase, event: MoveEventName): MoveRow =>
  applyEvent(event.endsWith('-inconclusive') ? beside(phase) : rowIn(phase), eventIn(event));

describe('the table of a payment', () => {
  it('has one line for each cell at most', () => {
    for (const { phase, event } of cells) {
      expect(linesOf(phase, event), `${phase} ${event}`).to.have.length.at.most(1);
    }
    const froms = transitions.flatMap(({ from }) => from);
    expect(froms.filter((phase) => !PHASES.includes(phase))).to.deep.equal([]);
  });

  it('is what is applied, in every cell', () => {
    let count = 0;
    for (const { phase, event } of cells) {
      const cell = transitionOf(phase, event);
      const to = !cell || cell.to === 'same' ? phase : cell.to;
      expect(play(phase, event).phase, `${phase} ${event}`).to.equal(to);
      if (cell) count++;
    }
    expect(cells.length).to.be.above(240);
    expect(count).to.be.above(80);
  });

  it('takes a late answer about an earlier quote in only while no other quote can be paid', () => {
    const late = { ...eventIn('completed'), n: 1, movementId: 'late' };
    const second = [oneTry({ n: 2 })];
    const executing = rowIn('EXECUTING', second);
    expect(applyEvent(executing, late)).to.equal(executing);
    const between = frozen({ ...rowIn('NEW'), quote: undefined });
    expect(applyEvent(between, late).movementId).to.equal('late');
  });

  it('never leaves PAID, and leaves UNKNOWN only by word of the service or a person', () => {
    const ways = (phase: MovePhase) =>
      EVENTS.filter((event) => play(phase, event).phase !== phase).map(
        (event) => `${event} ${play(phase, event).phase}`,
      );
    expect(ways('PAID')).to.deep.equal([]);
    expect(ways('UNKNOWN')).to.have.members([
      'completed PAID',
      'accepted PENDING',
      'failed FAILED',
      'processed PENDING',
      'found PENDING',
      'not-executed REFUSED',
      'person-paid PENDING',
      'person-not-paid REFUSED',
    ]);
    expect(ways('PENDING')).to.have.members([
      'read-completed PAID',
      'read-failed FAILED',
      'read-disproved UNKNOWN',
      'read-unmoved UNCONFIRMED',
    ]);
  });

  it('opens a try only where a quote was agreed to, for the same quote again, and never beside an open one', () => {
    for (const { phase, event } of cells) {
      const row = event.endsWith('-inconclusive') ? beside(phase) : rowIn(phase);
      const after = applyEvent(row, eventIn(event));
      const isMore = after.sent > row.sent;
      expect(isMore, `${phase} ${event}`).to.equal(
        (phase === 'NEW' && event === 'agreed') ||
          (['UNCONFIRMED', 'REFUSED'].includes(phase) && event === 'again'),
      );
      if (isMore && phase !== 'NEW') expect(after.quote).to.equal(row.quote);
    }
    const busy = rowIn('UNCONFIRMED', [oneTry({ n: 1, by: 'other' })]);
    expect(applyEvent(busy, eventIn('again'))).to.equal(busy);
    expect(applyEvent(busy, eventIn('no-trace'))).to.equal(busy);
  });

  it('takes a refusal for the end only where every other try was refused', () => {
    const ends = ['open', 'doubt', 'accepted', 'refused'] as const;
    for (const end of ends) {
      const row = rowIn('UNCONFIRMED', [
        oneTry({ n: 9, end, endedAt: AT, code: 'TIMEOUT' }),
        oneTry(),
      ]);
      expect(applyEvent(row, eventIn('refused')).phase, end).to.equal(
        end === 'refused' ? 'REFUSED' : 'UNCONFIRMED',
      );
      const said = { ...rowIn('UNCONFIRMED', [oneTry()]), executed: true };
      expect(applyEvent(said, eventIn('refused')).phase).to.equal('UNCONFIRMED');
    }
  });

  it("closes a quote that can be paid twice by the service's word that it has ended, and by no other", () => {
    const probe = rowIn('EXECUTING', [oneTry({ sentAt: ENDS_AT + 5_000 })]);
    expect(applyEvent(probe, eventIn('refused')).phase).to.equal('UNCONFIRMED');
    const ended = { ...eventIn('refused'), code: 'PAYMENT_QUOTE_EXPIRED' };
    expect(applyEvent(probe, ended).phase).to.equal('REFUSED');
  });

  it('throws away a quote that was checked for another round', () => {
    const row = { ...rowIn('NEW'), round: 2 };
    expect(applyEvent(row, { ...eventIn('agreed'), round: 1 })).to.equal(row);
    expect(applyEvent(row, { ...eventIn('agreed'), round: 2 }).phase).to.equal('EXECUTING');
  });

  it('hears of a payment of an earlier quote only where no other quote is under way, and never of one that failed', () => {
    const failed = {
      ...rowIn('FAILED'),
      tries: [oneTry({ end: 'doubt', endedAt: AT, code: 'TIMEOUT' })],
    };
    const again = applyEvent(failed, eventIn('retry'));
    for (const event of [
      'accepted',
      'completed',
      'failed',
      'processed',
      'refused',
      'lost',
    ] as const)
      expect(applyEvent(again, eventIn(event)), event).to.equal(again);
    expect(applyEvent(again, { ...eventIn('accepted'), movementId: 'other' }).phase).to.equal(
      'PENDING',
    );
    const executing = applyEvent(again, {
      ...eventIn('agreed'),
      quote: { ...quote, id: 'r' },
    });
    expect(executing.tries.map(({ n }) => n)).to.deep.equal([2]);
    for (const event of [
      'accepted',
      'completed',
      'failed',
      'processed',
      'refused',
      'lost',
    ] as const)
      expect(applyEvent(executing, { ...eventIn(event), movementId: 'other' }), event).to.equal(
        executing,
      );
  });

  it('does not unlearn how a try has ended', () => {
    const row = rowIn('UNCONFIRMED', [
      oneTry({ end: 'refused', endedAt: AT, code: 'BALANCE_TOO_LOW' }),
    ]);
    expect(applyEvent(row, eventIn('lost')).tries[0]!.end).to.equal('refused');
  });

  it('is followed by the run: what is due next is what the cell says', () => {
    const due: Readonly<Record<string, readonly string[]>> = {
      quote: ['quote'],
      execute: ['send'],
      repeat: ['again', 'overdue', 'search'],
      read: ['read'],
      end: ['end', 'search'],
    };
    for (const { phase, event } of cells) {
      const cell = transitionOf(phase, event);
      if (!cell || cell.to === 'same') continue;
      const action = actionAfter(cell.to, cell.writes);
      const handed = new Set(action === 'execute' ? [] : [1]);
      const next = nextStep(play(phase, event), {
        by: 'me',
        now: AT + 1_000,
        handed,
      });
      expect(due[action], `${phase} ${event}: ${next.kind}`).to.include(next.kind);
      if (action === 'end') expect(next.kind === 'search').to.equal(cell.to === 'UNKNOWN');
    }
  });
});

describe('the times of a payment', () => {
  const facts = { by: 'me', now: AT, handed: new Set([1]) };
  const doubtful = (count: number, sentAt: number, change: Partial<MoveTry> = {}): MoveRow =>
    rowIn(
      'UNCONFIRMED',
      Array.from({ length: count }, (_, index) =>
        oneTry({ n: index + 1, sentAt, endedAt: sentAt, end: 'doubt', code: 'TIMEOUT', ...change }),
      ),
    );

  it('repeat the same quote after 1, 2, 4 and up to 30 seconds while it lives', () => {
    const waits = [1, 2, 3, 4, 5].map((count) => nextStep(doubtful(count, AT), facts).at - AT);
    expect(waits).to.deep.equal([1_000, 2_000, 4_000, 8_000, 16_000]);
    const row = { ...doubtful(9, AT), quote: { ...quote, endsAt: AT + 600_000 } };
    expect(nextStep(row, facts).at - AT).to.equal(30_000);
  });

  it('probe 5, 30, 120 and 300 seconds after its end, until the service says that it has ended', () => {
    const late = (probes: number) =>
      rowIn('UNCONFIRMED', [
        oneTry({ end: 'doubt', endedAt: AT + 59_500 }),
        ...Array.from({ length: probes }, (_, index) =>
          oneTry({
            n: index + 2,
            sentAt: ENDS_AT,
            endedAt: ENDS_AT,
            end: 'doubt',
            code: 'TIMEOUT',
          }),
        ),
      ]);
    const steps = [0, 1, 2, 3, 4].map((probes) => nextStep(late(probes), facts));
    expect(steps.map((step) => `${step.kind} ${(step.at - ENDS_AT) / 1_000}`)).to.deep.equal([
      'again 5',
      'again 30',
      'again 120',
      'again 300',
      'search 600',
    ]);
    const told = rowIn('UNCONFIRMED', [
      oneTry({ end: 'doubt', endedAt: AT }),
      oneTry({
        n: 2,
        sentAt: ENDS_AT,
        endedAt: ENDS_AT,
        end: 'refused',
        code: 'PAYMENT_QUOTE_EXPIRED',
      }),
    ]);
    expect(nextStep(told, facts)).to.deep.include({ kind: 'search', at: ENDS_AT + 600_000 });
  });

  it('try what can be read until two seconds before its end, and search a minute after that', () => {
    const order = { rail: 'exchange', sell: 'EUR', buy: 'USD', amount: EUR('9') } as const;
    const row = (sentAt: number) => ({ ...doubtful(1, sentAt), order });
    expect(nextStep(row(AT), facts)).to.deep.include({ kind: 'again', at: AT + 1_000 });
    expect(nextStep(row(ENDS_AT - 3_500), facts).kind).to.equal('again');
    const last = nextStep(row(ENDS_AT - 3_000), facts);
    expect(last).to.deep.include({ kind: 'search', at: ENDS_AT + 60_000 });
  });

  it('search for what is unknown once, and while somebody listens again and again for 30 days', () => {
    const row = { ...rowIn('UNKNOWN'), evidence: { searchedAt: AT, candidates: [] } };
    expect(nextStep(row, facts).kind).to.equal('search');
    expect(nextStep(row, { ...facts, searches: 1 }).kind).to.equal('end');
    const waits = [1, 2, 3, 9].map(
      (searches) => nextStep(row, { ...facts, searches, isObserved: true }).at - AT,
    );
    expect(waits).to.deep.equal([600_000, 3_600_000, 86_400_000, 86_400_000]);
    const old = { ...row, evidence: { searchedAt: AT + 30 * 86_400_000, candidates: [] } };
    expect(nextStep(old, { ...facts, searches: 9, isObserved: true }).kind).to.equal('end');
  });

  it('take a try of another run for lost 50 seconds after it was sent, and after a restart at once', () => {
    const row = rowIn('EXECUTING', [oneTry({ by: 'other' })]);
    expect(nextStep(row, facts)).to.deep.include({ kind: 'overdue', at: AT + 50_000 });
    expect(nextStep(row, { ...facts, isRestart: true })).to.deep.include({
      kind: 'overdue',
      at: AT,
    });
  });

  it('read a pending payment often, every ten minutes after an hour, hourly after a day, for ever', () => {
    const HOUR = 3_600_000;
    const wait = (age: number) =>
      nextStep(rowIn('PENDING'), { ...facts, now: AT + age, readAt: AT + age }).at - AT - age;
    expect([0, 20_000, 300_000, HOUR, 24 * HOUR, 900 * HOUR].map(wait)).to.deep.equal([
      1_000,
      20_000,
      60_000,
      600_000,
      HOUR,
      HOUR,
    ]);
  });

  it('hold another round where a late copy could pay, and renew by itself only what ended unused', () => {
    const refused = (code: string, sentAt = AT) =>
      rowIn('REFUSED', [oneTry({ sentAt, endedAt: sentAt, end: 'refused', code })]);
    const retry = { ...facts, isRetrying: true };
    expect(nextStep(refused('BALANCE_TOO_LOW'), facts).kind).to.equal('end');
    expect(nextStep(refused('BALANCE_TOO_LOW'), retry)).to.deep.include({
      kind: 'again',
      at: ENDS_AT + 5_000,
    });
    expect(nextStep(refused('PAYMENT_QUOTE_EXPIRED'), retry).kind).to.equal('retry');
    expect(nextStep(refused('PAYMENT_QUOTE_EXPIRED'), facts).kind).to.equal('renew');
    expect(nextStep(refused('not-sent'), facts)).to.deep.include({ kind: 'renew', at: AT });
    expect(nextStep({ ...refused('not-sent'), renewals: 2 }, facts).kind).to.equal('end');
    expect(nextStep(refused('RATE_LIMIT_EXCEEDED'), facts)).to.deep.include({
      kind: 'again',
      at: AT + 1_000,
    });
    const text = {
      ...refused('BALANCE_TOO_LOW'),
      order: { ...LNURL, rail: 'bolt11' as const },
    };
    expect(nextStep(text, retry)).to.deep.include({ kind: 'retry', at: AT });
    const failed = rowIn('FAILED');
    expect(nextStep(failed, retry)).to.deep.include({ kind: 'read', at: AT });
    const reread = { ...retry, readAt: AT };
    expect(nextStep(failed, reread)).to.deep.include({ kind: 'read', at: AT + 30_000 });
    const confirming = { ...reread, isReread: true };
    expect(nextStep(failed, confirming)).to.deep.include({
      kind: 'search',
      at: ENDS_AT + 30_000,
    });
    const unused = applyEvent(failed, UNUSED);
    expect([unused.phase, nextStep(unused, confirming).kind]).to.deep.equal(['FAILED', 'retry']);
  });

  it('search before another round where the end of a quote does not say whether it was executed', () => {
    const tries = ['BALANCE_TOO_LOW', 'PAYMENT_QUOTE_EXPIRED'].map((code, index) =>
      oneTry({ n: index + 1, end: 'refused', endedAt: AT, code }),
    );
    const row = rowIn('REFUSED', tries);
    const retry = { ...facts, isRetrying: true };
    const search = { kind: 'search', at: ENDS_AT + 300_000 };
    expect(nextStep(row, retry)).to.deep.include(search);
    expect(nextStep(applyEvent(row, UNUSED), retry).kind).to.equal('retry');
    expect(applyEvent(row, eventIn('quote-unclear')).phase).to.equal('UNKNOWN');
    const renewed = applyEvent(applyEvent(row, UNUSED), eventIn('renew'));
    expect([renewed.phase, renewed.evidence]).to.deep.equal(['NEW', undefined]);
    const limited = [{ ...tries[0]!, code: 'RATE_LIMIT_EXCEEDED' }, tries[1]!];
    expect(nextStep(rowIn('REFUSED', limited), facts).kind).to.equal('end');
  });
});
