// Protects: a list of payments is planned without moving money, and applied so that each row is paid at most once.
import { expect } from 'chai';
import { createClient, type ClientOptions, isPaystateError, type RateLimits } from 'paystate';
import {
  applyPlan,
  formatReport,
  pay,
  type Plan,
  plan,
  type PlanOptions,
  type PlanReport,
  type PlanRow,
} from 'paystate/flows';
import { addMoney, subtractMoney } from 'paystate/money';
import { toObservable } from 'paystate/rx';
import { createSandbox, type Sandbox, type SandboxOptions } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { describe, it, itLong } from '#test';
import { EUR, paymentsMoved, startProcess } from './pay-lives.ts';

const EXECUTE = { method: 'PATCH', path: '/v1/payment-quotes/{paymentQuoteId}/execute' };
const BUCKETS = ['invoices', 'invoice-quotes', 'rates', 'payment-quotes', 'execute', 'others'];
const COMMON = { sourceCurrency: 'EUR', maxFee: 'any' } as const;

type Row = Extract<PlanRow, { readonly to: string }>;

/** Rows of 1.00, 2.00 … EUR. */
const rowsOf = (count: number): readonly Row[] =>
  Array.from({ length: count }, (_, index) => ({
    intent: `row-${index + 1}`,
    to: 'ada@wallet.example',
    amount: EUR(`${index + 1}.00`),
  }));

const openOffice = (world: SandboxOptions = {}, changes: Partial<ClientOptions> = {}) => {
  const sandbox = createSandbox({ signed: false, ...world });
  const client = createClient({ ...sandbox.clientOptions, ...changes });
  const journal = memoryStore();
  const options: PlanOptions = { journal, ...COMMON };
  return {
    sandbox,
    client,
    journal,
    plan: (rows: readonly PlanRow[], more: Partial<PlanOptions> = {}) =>
      sandbox.run(plan(client, rows, { ...options, ...more })),
    apply: (made: Plan) => sandbox.run(applyPlan(client, made, { journal }).result),
  };
};

const sent = ({ log }: Sandbox, part: string) =>
  log.filter(({ method, path }) => `${method} ${path}`.includes(part)).length;

const inputErrorOf = (call: () => unknown): string => {
  try {
    call();
  } catch (thrown) {
    if (isPaystateError(thrown) && thrown.kind === 'input') return thrown.message;
    throw thrown;
  }
  return 'nothing was thrown';
};

const phasesOf = ({ rows }: PlanReport) => rows.map(({ phase }) => phase);

describe('a plan', () => {
  it('says what its rows take and leave, and moves nothing', async () => {
    const { sandbox, client, ...office } = openOffice();
    const before = (await sandbox.run(client.balances.list())).find(
      ({ currency }) => currency === 'EUR',
    )!;
    const made = await office.plan(rowsOf(3));
    const [total] = made.totals;
    const [fee] = made.fees;
    expect(made.problems).to.deep.equal([]);
    expect(made.rows.map(({ intent }) => intent)).to.deep.equal(['row-1', 'row-2', 'row-3']);
    expect(total).to.deep.equal(addMoney(EUR('6.00'), fee!));
    const available = EUR(before.available!);
    expect(made.balances).to.deep.equal([
      { currency: 'EUR', available, after: subtractMoney(available, total!) },
    ]);
    expect(made.hash).to.match(/^[0-9a-f]{64}$/);
    expect(paymentsMoved(sandbox)).to.deep.equal([]);
    expect(sent(sandbox, '/execute')).to.equal(0);
  });

  it('names a row of another network, and one whose intent stands for another order', async () => {
    const { sandbox, ...office } = openOffice({}, { network: 'mainnet' });
    const [row] = rowsOf(1);
    const to = sandbox.payer.createBolt11({ sat: '2100' }); // of the test network
    const far = await office.plan([{ ...row!, to, amount: undefined, maxTotal: 'any' }]);
    expect(far.problems.map(({ guard }) => guard)).to.deep.equal(['network']);
    expect(sent(sandbox, '/payment-quotes')).to.equal(0);
    const near = openOffice();
    await near.apply(await near.plan([row!]));
    const other = await near.plan([{ ...row!, amount: EUR('7.00') }]);
    expect(other.problems.map(({ row: at, code }) => [at, code])).to.deep.equal([
      [1, 'INPUT_INVALID'],
    ]);
  });

  it('names each row that cannot be paid, and asks for nothing while one cannot be read', async () => {
    const { sandbox, ...office } = openOffice();
    const [one, two] = rowsOf(2);
    const wrong = [one!, { ...two!, amount: undefined }, { ...two!, intent: 'row-1' }];
    const { problems } = await office.plan(wrong);
    expect(problems.map(({ row, code }) => [row, code])).to.deep.equal([
      [2, 'INPUT_INVALID'],
      [3, 'INPUT_INVALID'],
    ]);
    expect(sandbox.log).to.have.length(0);
    const dear = await office.plan(rowsOf(2), { maxFee: EUR('0.00') });
    expect(dear.problems.map(({ row, guard }) => [row, guard])).to.deep.equal([
      [1, 'fee'],
      [2, 'fee'],
    ]);
  });

  itLong(
    'reads once a minute what an address takes, however many rows are paid to it',
    async () => {
      const { sandbox, ...office } = openOffice();
      const rows = rowsOf(200).map((row) => ({ ...row, amount: EUR('1.00') }));
      const made = await office.plan(rows);
      const report = await office.apply(made);
      expect(new Set(phasesOf(report))).to.deep.equal(new Set(['paid']));
      const minutes = Math.ceil(sandbox.clock.monotonic() / 60_000);
      expect(minutes).to.be.below(5); // 400 quotes: 80 a minute would take five
      expect(sent(sandbox, 'GET /v1/payment-quotes/lightning/lnurl')).to.be.at.most(minutes);
      // before its first quote, and before those of a later minute
      const [first] = sandbox.log.filter(({ path }) => path.includes('lnurl'));
      expect(first!.method).to.equal('GET');
    },
  );

  it('names a balance that is not enough', async () => {
    const office = openOffice({ accounts: [{ handle: 'shop', balances: { EUR: '5.00' } }] });
    const { problems, balances } = await office.plan(rowsOf(3));
    expect(problems.map(({ code }) => code)).to.deep.equal(['BALANCE_TOO_LOW']);
    expect(balances![0]).to.not.have.property('after');
  });

  it('does not call a balance too low that could not be read', async () => {
    const world = createSandbox({ signed: false });
    const { fetch } = world.clientOptions;
    const spoil = async (...given: Parameters<NonNullable<typeof fetch>>) => {
      const answer = await fetch!(...given);
      if (!String(given[0]).endsWith('/v1/balances')) return answer;
      const balances = (await answer.json()) as readonly object[];
      return Response.json(balances.map((one) => ({ ...one, current: 5 })));
    };
    const client = createClient({ ...world.clientOptions, fetch: spoil });
    const options: PlanOptions = { journal: memoryStore(), ...COMMON };
    const { problems, balances } = await world.run(plan(client, rowsOf(1), options));
    expect([problems, balances]).to.deep.equal([[], [{ currency: 'EUR' }]]);
  });

  it('is not applied with problems, nor if it was changed after it was made', async () => {
    const { client, journal, sandbox, ...office } = openOffice();
    const made = await office.plan(rowsOf(2));
    const [first, ...others] = made.rows;
    const dearer = { ...first!, options: { ...first!.options, amount: EUR('100.00') } };
    const edits: readonly object[] = [
      { ...made, rows: [dearer, ...others] },
      { ...made, rows: others },
      { ...made, rows: [...made.rows].reverse() },
      { ...made, problems: [{ code: 'X', text: 'x' }] },
      { ...made, hash: made.hash.replace(/^./, (one) => (one === '0' ? '1' : '0')) },
      {},
    ];
    for (const edited of edits)
      expect(inputErrorOf(() => applyPlan(client, edited as Plan, { journal }))).to.match(
        /^plan: the plan was changed/,
      );
    const short = await office.plan(rowsOf(1), { maxTotal: EUR('0.50') });
    expect(inputErrorOf(() => applyPlan(client, short, { journal }))).to.match(
      /^plan: has 1 problems, such as row 1: /,
    );
    expect(sent(sandbox, '/execute')).to.equal(0);
  });
});

describe('a plan that is applied', () => {
  it('pays each row once, shows how far it is, and reports what it took', async () => {
    const { sandbox, client, journal, ...office } = openOffice();
    const made = await office.plan(rowsOf(12));
    const run = applyPlan(client, JSON.parse(JSON.stringify(made)) as Plan, { journal });
    const steps: string[] = [];
    const observed: number[] = [];
    run.subscribe(({ done, total, row }) => void steps.push(`${done}/${total} ${row?.phase}`));
    toObservable(run).subscribe(({ done }) => void observed.push(done));
    const iterated = (async () => {
      let last = 0;
      for await (const { done } of run) last = done;
      return last;
    })();
    const report = await sandbox.run(run.result);
    expect(steps[0]).to.equal('0/12 undefined');
    expect(steps.slice(1)).to.deep.equal(made.rows.map((_, index) => `${index + 1}/12 paid`));
    expect(observed).to.deep.equal([0, ...made.rows.map((_, index) => index + 1)]);
    expect(await iterated).to.equal(12);
    expect(report.isComplete).to.equal(true);
    expect(report.sums).to.deep.equal([
      {
        currency: 'EUR',
        planned: made.totals[0],
        paid: made.totals[0],
        fees: made.fees[0],
        underWay: { amount: '0', currency: 'EUR' },
        unknown: { amount: '0', currency: 'EUR' },
        notPaid: { amount: '0', currency: 'EUR' },
      },
    ]);
    expect(paymentsMoved(sandbox)).to.have.length(12);
    expect(formatReport(report)).to.match(/^plan [0-9a-f]{12}: 12 of 12 rows paid\nEUR: planned /);
  });

  itLong('never touches a rate limit of the service, also where its process dies', async () => {
    const twenty = { limit: 20, window: 60_000, block: 60_000 };
    const rateLimits = Object.fromEntries(BUCKETS.map((bucket) => [bucket, twenty])) as RateLimits;
    const { sandbox, journal, ...office } = openOffice({ rateLimits });
    const made = await office.plan(rowsOf(30));
    for (const step of [150, 200]) {
      const process = startProcess(sandbox, journal, { step, isAfter: true });
      void applyPlan(process.client, made, { journal: process.journal });
      while (!process.isDead()) await sandbox.advance(1_000);
    }
    const { isComplete } = await office.apply(made);
    expect([isComplete, paymentsMoved(sandbox).length]).to.deep.equal([true, 30]);
    expect(sandbox.log.filter(({ status }) => status === 429)).to.deep.equal([]);
  });

  it('a second time sends nothing, in the same process and after a restart', async () => {
    const { sandbox, journal, ...office } = openOffice();
    const made = await office.plan(rowsOf(3));
    const first = await office.apply(made);
    const before = sandbox.log.length;
    const other = createClient(sandbox.clientOptions);
    for (const report of [
      await office.apply(made),
      await sandbox.run(applyPlan(other, made, { journal }).result),
    ])
      expect(report).to.deep.equal(first);
    expect(sandbox.log).to.have.length(before);
    const again = await office.plan(rowsOf(3));
    expect(again.rows.map(({ phase }) => phase)).to.deep.equal(['paid', 'paid', 'paid']);
    expect([again.totals, again.fees]).to.deep.equal([[], []]);
  });

  it('by two processes at once pays each row once', async () => {
    const { sandbox, journal, ...office } = openOffice();
    const made = await office.plan(rowsOf(6));
    const clients = [1, 2].map(() => createClient(sandbox.clientOptions));
    const reports = await sandbox.run(
      Promise.all(clients.map((client) => applyPlan(client, made, { journal }).result)),
    );
    for (const report of reports)
      expect(new Set(phasesOf(report))).to.deep.equal(new Set(['paid']));
    expect(paymentsMoved(sandbox)).to.have.length(6);
  });

  itLong('is stopped between rows, and goes on later', async () => {
    const { sandbox, client, journal, ...office } = openOffice();
    const made = await office.plan(rowsOf(20));
    const run = applyPlan(client, made, { journal });
    let stopped: Promise<boolean> | undefined;
    run.subscribe(({ done }) => void (done === 3 && (stopped ??= run.stop())));
    const report = await sandbox.run(run.result);
    const phases = phasesOf(report);
    // what was executed and is not named twice yet is on its way
    const begun = phases.filter((phase) => phase !== 'not-begun').length;
    expect(phases.filter((phase) => phase === 'paid').length).to.be.within(3, begun);
    expect(begun).to.be.below(13);
    for (const phase of phases.slice(0, begun)) expect(phase).to.be.oneOf(['paid', 'pending']);
    expect(new Set(phases.slice(begun))).to.deep.equal(new Set(['not-begun']));
    expect([await stopped, report.isComplete]).to.deep.equal([false, false]);
    expect(paymentsMoved(sandbox)).to.have.length(begun);
    expect((await office.apply(made)).isComplete).to.equal(true);
    expect(paymentsMoved(sandbox)).to.have.length(20);
  });

  itLong('refuses before any execute where the rate has moved beyond the plan', async () => {
    const { sandbox, client, ...office } = openOffice();
    const price = async () => {
      const rates = await sandbox.run(client.rates.list());
      return Number(
        rates.find((one) => `${one.sourceCurrency}${one.targetCurrency}` === 'BTCEUR')!.amount,
      );
    };
    const inBitcoin = rowsOf(2).map((row) => ({
      ...row,
      amount: { amount: '0.00021', currency: 'BTC' },
    }));
    const [one, two] = inBitcoin;
    const made = await office.plan([one!]);
    await sandbox.advance(10_000);
    expect(phasesOf(await office.apply(made))).to.deep.equal(['paid']);
    const executed = sent(sandbox, '/execute');
    expect([executed, paymentsMoved(sandbox).length]).to.deep.equal([2, 1]);
    const early = await office.plan([two!]);
    const before = await price();
    while ((await price()) < before * 1.02) await sandbox.advance(600_000);
    const report = await office.apply(early);
    expect(report.rows.map(({ phase, guard }) => [phase, guard])).to.deep.equal([
      ['refused', 'total'],
    ]);
    expect([sent(sandbox, '/execute'), paymentsMoved(sandbox).length]).to.deep.equal([executed, 1]);
  });

  it('begins refused rows again by retry() alone', async () => {
    const { sandbox, client, journal, ...office } = openOffice();
    const made = await office.plan(rowsOf(2));
    const end = sandbox.fault({ subject: 'payment', state: 'LN_ROUTE_NOT_FOUND', delay: 0 });
    const refused = await office.apply(made);
    end();
    expect(phasesOf(refused)).to.deep.equal(['refused', 'refused']);
    expect(refused.sums[0]!.notPaid).to.deep.equal(made.totals[0]);
    expect(formatReport(refused)).to.include('\n  row-2: refused; planned ');
    expect(phasesOf(await office.apply(made))).to.deep.equal(['refused', 'refused']);
    const run = applyPlan(client, made, { journal });
    await sandbox.run(run.result);
    expect(phasesOf(await sandbox.run(run.retry().result))).to.deep.equal(['paid', 'paid']);
    expect(paymentsMoved(sandbox)).to.have.length(2);
  });

  itLong(
    'waits out a service that is away, and begins nothing after its credential is refused',
    async () => {
      const { sandbox, ...office } = openOffice();
      const made = await office.plan(rowsOf(10));
      const away = { from: sandbox.clock.now(), to: sandbox.clock.now() + 240_000 };
      sandbox.fault({ ...away, action: { status: 503, code: 'SERVICE_UNAVAILABLE' } });
      expect((await office.apply(made)).isComplete).to.equal(true);
      expect(paymentsMoved(sandbox)).to.have.length(10);

      const closed = openOffice();
      const other = await closed.plan(rowsOf(20));
      closed.sandbox.fault({ action: { status: 401, code: 'UNAUTHORIZED' } });
      const report = await closed.apply(other);
      expect(report.error?.kind).to.equal('authentication');
      expect(phasesOf(report).slice(8)).to.deep.equal(Array(12).fill('not-begun'));
    },
  );

  itLong('tells what may have been paid from what was not', async () => {
    const { sandbox, client, journal, ...office } = openOffice();
    const made = await office.plan(rowsOf(2));
    sandbox.fault({ ...EXECUTE, action: 'lost-before' });
    sandbox.fault({ path: '/v1/events', action: { status: 403, code: 'FORBIDDEN' } });
    const report = await office.apply(made);
    expect(phasesOf(report)).to.deep.equal(['unknown', 'unknown']);
    expect(report.isComplete).to.equal(false);
    expect(report.sums[0]!.unknown).to.deep.equal(made.totals[0]);
    const run = applyPlan(client, made, { journal });
    expect(await run.resolve('not-paid').then(String, String)).to.match(/^InputError: intent/);
    await sandbox.run(run.result);
  });

  itLong('dies with its process at any step, and pays each row once in the end', async () => {
    const rows = rowsOf(3);
    const { sandbox: first, ...office } = openOffice();
    const whole = startProcess(first, office.journal, undefined);
    const planned = await first.run(
      plan(whole.client, rows, { journal: whole.journal, ...COMMON }),
    );
    await first.run(applyPlan(whole.client, planned, { journal: whole.journal }).result);
    for (let step = 1; step <= whole.steps(); step += 5) {
      const { sandbox, journal, ...other } = openOffice();
      const made = await other.plan(rows);
      const process = startProcess(sandbox, journal, { step, isAfter: step % 2 === 0 });
      void applyPlan(process.client, made, { journal: process.journal });
      await sandbox.advance(5_000);
      const report = await other.apply(made);
      expect(phasesOf(report), `step ${step}`).to.deep.equal(['paid', 'paid', 'paid']);
      expect(paymentsMoved(sandbox)).to.have.length(3);
    }
  });

  it('joins what was begun under the same intents, and refuses what is another payment', async () => {
    const { sandbox, client, journal, ...office } = openOffice();
    const made = await office.plan(rowsOf(2));
    const [one, two] = rowsOf(2);
    const dear = { ...one!, ...COMMON, amount: EUR('9.00'), journal };
    await sandbox.run(pay(client, dear).result);
    const report = await office.apply(made);
    expect(phasesOf(report)).to.deep.equal(['refused', 'paid']);
    expect(paymentsMoved(sandbox)).to.have.length(2);
    const { problems } = await office.plan([one!, two!]);
    expect(problems.map(({ row, text }) => [row, text])).to.deep.equal([
      [1, 'the intent belongs to another payment in this journal'],
    ]);
  });

  it('prints names from files without their control characters', () => {
    const rows = [{ intent: '\u001b[2Jmay\n\u202eada', phase: 'not-begun' as const }];
    const text = formatReport({ hash: 'abc', rows, sums: [], isComplete: false });
    expect(text).to.equal(
      'plan abc: 0 of 1 rows paid, 1 not-begun\n  \uFFFD[2Jmay\uFFFD\uFFFDada: not-begun',
    );
  });
});
