// Protects: those who share an intent, a journal or a name do each other no harm.
import { expect } from 'chai';
import { createClient, isPaystateError } from 'paystate';
import {
  createGuards,
  exchange,
  pay,
  type PaymentOptions,
  type PayResult,
  plan,
  resume,
} from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { describe, it, itLong } from '#test';
import { EUR, paymentsMoved } from './pay-lives.ts';

const LIMITS = { sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any' } as const;

const openDesk = () => {
  const sandbox = createSandbox({ signed: false });
  const client = createClient(sandbox.clientOptions);
  const journal = memoryStore();
  const start = (options: Partial<PaymentOptions> = {}) =>
    pay(client, { ...ADA, intent: 'a', ...LIMITS, journal, ...options });
  return { sandbox, client, journal, start };
};

const ADA = { to: 'ada@wallet.example', amount: EUR('5.00') };
const guardOf = (result: PayResult) => (result.phase === 'refused' ? result.guard : result.phase);

describe('a payment that two callers have asked for', () => {
  it('goes on for the one where the signal of the other aborts, and ends where both have', async () => {
    for (const isExecuted of [false, true]) {
      const { sandbox, start } = openDesk();
      sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay: 60_000 });
      const aborts = [new AbortController(), new AbortController()];
      const [kept, ...signalled] = [undefined, ...aborts.map(({ signal }) => signal)].map(
        (signal) => start({ signal }),
      );
      if (isExecuted) await sandbox.advance(5_000);
      for (const abort of aborts) abort.abort();
      for (const run of [kept, ...signalled])
        expect((await sandbox.run(run!.result)).phase).to.equal('paid');
      const other = openDesk();
      const both = [new AbortController(), new AbortController()];
      const runs = both.map(({ signal }) => other.start({ signal }));
      for (const abort of both) abort.abort();
      expect((await other.sandbox.run(runs[0]!.result)).phase).to.equal('stopped');
      expect(paymentsMoved(other.sandbox)).to.deep.equal([]);
    }
  });

  for (const isExecuted of [false, true])
    it(`goes on for resume() where the signal of a later caller aborts${isExecuted ? ', also once it is executed' : ''}`, async () => {
      const { sandbox, journal, start } = openDesk();
      sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay: 60_000 });
      const first = start();
      await sandbox.advance(5);
      first.detach();
      const next = createClient(sandbox.clientOptions);
      const [resumed] = await resume(next, { journal });
      if (isExecuted) await sandbox.advance(60_000);
      const abort = new AbortController();
      const { signal } = abort;
      const joined = pay(next, { ...ADA, intent: 'a', ...LIMITS, journal, signal });
      abort.abort();
      for (const run of [resumed!, joined])
        expect((await sandbox.run(run.result)).phase).to.equal('paid');
      expect(paymentsMoved(sandbox)).to.have.length(1);
    });
});

describe('what was given to a call', () => {
  it('may be changed afterwards: what was meant is what is moved', async () => {
    const { sandbox, client, journal } = openDesk();
    const [amount, minReceived] = [{ ...EUR('5.00') }, { amount: '1.00', currency: 'USD' }];
    const trade = { intent: 'a', sell: 'EUR', buy: 'USD', amount, minReceived, journal };
    const run = exchange(client, trade);
    const row = { ...ADA, intent: 'b', amount: { ...EUR('5.00') } };
    const planning = plan(client, [row], { journal, sourceCurrency: 'EUR', maxFee: 'any' });
    for (const money of [amount, minReceived, row.amount]) money.amount = '900.00';
    const result = await sandbox.run(run.result);
    if (result.phase !== 'completed') throw new Error(result.phase);
    expect(result.movement.source.amount).to.match(/^5\.0/);
    const { rows } = await sandbox.run(planning);
    expect(rows[0]!.options.amount).to.deep.equal(EUR('5.00'));
  });
});

describe('a listener', () => {
  it('that throws keeps nobody from hearing and stops no payment; one may begin another round', async () => {
    const { sandbox, start } = openDesk();
    const path = '/v1/payment-quotes/{paymentQuoteId}/execute';
    const action = { status: 422, code: 'BALANCE_TOO_LOW' };
    sandbox.fault({ method: 'PATCH', path, nth: 1, action });
    const run = start();
    const heard: string[] = [];
    const rounds: Promise<PayResult>[] = [];
    run.subscribe(({ phase }) => {
      heard.push(phase);
      if (phase === 'refused') rounds.push(run.retry().result);
    });
    expect((await sandbox.run(run.result)).phase).to.equal('refused');
    expect(heard).to.deep.equal(['new', 'executing', 'refused']);
    expect((await sandbox.run(rounds[0]!)).phase).to.equal('paid');
  });
});

describe('what a person says of a payment that is unknown', () => {
  it('is taken only with an id that the service has, of a payment of that amount', async () => {
    const { sandbox, client, journal, start } = openDesk();
    const dear = start({ intent: 'dear', amount: EUR('7.00'), journal: memoryStore() });
    const other = await sandbox.run(dear.result);
    if (other.phase !== 'paid') throw new Error(other.phase);
    const path = '/v1/payment-quotes/{paymentQuoteId}/execute';
    sandbox.fault({ method: 'PATCH', path, action: 'lost-before' });
    const forbidden = { status: 403, code: 'FORBIDDEN' };
    sandbox.fault({ method: 'GET', path: '/v1/events', action: forbidden });
    const run = start();
    expect((await sandbox.run(run.result)).phase).to.equal('unknown');
    const resolve = run.resolve as (...given: readonly unknown[]) => Promise<void>;
    const wrong: readonly (readonly unknown[])[] = [
      ['maybe'],
      [],
      ['paid'],
      ['paid', ''],
      ['paid', 7],
      ['paid', {}],
      ['paid', 'no-such-payment'],
      ['paid', other.payment.paymentId],
    ];
    for (const given of wrong) {
      const thrown = await sandbox.run(
        Promise.resolve()
          .then(() => resolve(...given))
          .catch((reason: unknown) => reason),
      );
      expect(isPaystateError(thrown), JSON.stringify(given)).to.equal(true);
    }
    const again = await sandbox.run(resume(client, { journal }));
    expect((await sandbox.run(again[0]!.result)).phase).to.equal('unknown');
    await sandbox.run(run.resolve('not-paid'));
    const [ended, ...open] = await sandbox.run(resume(client, { journal }));
    expect((await sandbox.run(ended!.result)).phase).to.equal('refused');
    expect(open.length).to.equal(0);
  });
});

describe('a clock that is set back', () => {
  for (const [name, delay] of [
    ['while a payment is in doubt', 0],
    ['while it is on its way', 7_200_000],
  ] as const)
    itLong(`does not hold up what is due: ${name}`, async () => {
      const sandbox = createSandbox({ signed: false });
      sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay });
      const path = '/v1/payment-quotes/{paymentQuoteId}/execute';
      if (delay === 0) sandbox.fault({ method: 'PATCH', path, nth: [1, 2], action: 'lost-after' });
      let back = 0;
      const clock = { ...sandbox.clock, now: () => sandbox.clock.now() - back };
      const client = createClient({ ...sandbox.clientOptions, clock });
      const options = { ...ADA, intent: 'a', sourceCurrency: 'EUR', maxFee: 'any' } as const;
      const run = pay(client, { ...options, journal: memoryStore() });
      await sandbox.advance(500);
      expect(run.current().phase).to.equal(delay === 0 ? 'unconfirmed' : 'pending');
      back = 24 * 3_600_000;
      expect((await sandbox.run(run.result)).phase).to.equal('paid');
      expect(sandbox.clock.monotonic()).to.be.below(delay + 1_200_000);
    });
});

describe('an intent', () => {
  it('may have any name, also one that every object has', async () => {
    for (const intent of ['__proto__', 'constructor', 'hasOwnProperty', '..', 'a/b', '\u0000']) {
      const { sandbox, journal, start } = openDesk();
      await createGuards({ journal, maxPerDay: EUR('8.00') });
      expect(guardOf(await sandbox.run(start({ intent }).result))).to.equal('paid');
      const more = start({ intent: `${intent} 2` });
      expect(guardOf(await sandbox.run(more.result))).to.equal('per-day');
    }
  });
});

describe('a journal', () => {
  it('with a row that this version cannot read moves nothing for it, and goes on with the others', async () => {
    const spare = openDesk();
    spare.start({ journal: spare.journal });
    await spare.sandbox.advance(5);
    const right = (await spare.journal.get('pay/a'))!.value as object;
    const { facts, ...older } = right as { readonly facts: readonly object[] };
    const rows: readonly unknown[] = [
      { ...older, format: 1, phase: 'HELD', round: 1, tries: [], past: [] },
      { ...right, format: 3 },
      { ...right, order: { rail: 'card' } },
      { ...right, order: undefined },
      { ...right, limits: null },
      { ...right, facts: {} },
      { ...right, facts: [...facts, null] },
      { ...right, facts: facts.map((fact) => ({ ...fact, at: undefined })) },
      { ...right, facts: facts.map((fact) => ({ ...fact, is: undefined })) },
      older,
      {},
      [],
      null,
      'text',
    ];
    for (const row of rows) {
      const { sandbox, client, journal, start } = openDesk();
      sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay: 60_000 });
      await journal.compareAndSet('pay/a', 0, row, true);
      const other = start({ intent: 'b' });
      await sandbox.advance(5);
      other.detach();
      const shown = JSON.stringify(row);
      const result = await sandbox.run(start().result);
      if (result.phase !== 'unknown') throw new Error(`${shown}: ${result.phase}`);
      expect(result.error.message, shown).to.include('another version');
      const runs = await sandbox.run(resume(client, { journal }));
      const ends = await sandbox.run(Promise.all(runs.map((run) => run.result)));
      expect(runs.map(({ intent }) => intent)).to.deep.equal(['a', 'b']);
      expect(
        ends.map(({ phase }) => phase),
        shown,
      ).to.deep.equal(['unknown', 'paid']);
      expect(paymentsMoved(sandbox)).to.have.length(1);
      expect((await journal.get('pay/a'))!.value).to.deep.equal(row);
    }
  });
});
