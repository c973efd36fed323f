// Protects: the report of a plan says of each row and each sum where the money is; a plan is applied by one run; mistakes of a plan
// are named by their row.
import { expect } from 'chai';
import { isPaystateError } from 'paystate';
import { applyPlan, type Plan, plan, type PlanRow } from 'paystate/flows';
import { describe, it } from '#test';
import { openDesk, unreachable } from './moves-desk.ts';
import { EUR, paymentsMoved } from './pay-lives.ts';

const COMMON = { sourceCurrency: 'EUR', maxFee: 'any' } as const;
const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    intent: `row-${index + 1}`,
    to: 'ada@wallet.example',
    amount: EUR(`${index + 1}.00`),
  }));
const cents = (amount: string) => Math.round(Number(amount) * 100);

describe('the report of a plan', () => {
  it('has each row and each amount in the part where its money is', async () => {
    const executed: string[] = [];
    const quoted = new Map<string, string>();
    const desk: ReturnType<typeof openDesk> = openDesk({}, async (url, method, send) => {
      if (method === 'POST' && url.endsWith('/lnurl')) {
        const answer = await send();
        if (!answer.ok) return answer;
        const { paymentQuoteId, amount } = (await desk.sandbox.clock.external(
          answer.clone().json(),
        )) as {
          readonly paymentQuoteId: string;
          readonly amount: { readonly amount: string };
        };
        quoted.set(paymentQuoteId, amount.amount);
        return answer;
      }
      if (!url.endsWith('/execute')) return send();
      const amount = quoted.get(url.split('/').at(-2)!)!;
      executed.push(amount);
      if (amount === '2.00') return send().then(unreachable);
      if (amount !== '3.00') return send();
      return new Response(JSON.stringify({ data: { status: 422, code: 'LN_ROUTE_NOT_FOUND' } }), {
        status: 422,
      });
    });
    const { sandbox, client, journal } = desk;
    const made = await sandbox.run(plan(client, rowsOf(3), { ...COMMON, journal }));
    const steps: number[] = [];
    const run = applyPlan(client, made, { journal });
    run.subscribe(({ done }) => void steps.push(done));
    const report = await sandbox.run(run.result);
    const [one, two, three] = report.rows;
    expect([one!.phase, two!.phase, three!.phase]).to.deep.equal(['paid', 'unknown', 'refused']);
    const planned = made.rows.map(({ terms }) => terms!.total);
    expect(report.rows.map((row) => row.planned)).to.deep.equal(planned);
    expect(one!.total).to.deep.equal(planned[0]);
    expect(one!.fee).to.deep.equal(made.rows[0]!.terms!.fee);
    expect(one!.paymentId).to.be.a('string');
    expect([two!.error?.outcome, three!.error?.outcome]).to.deep.equal(['unknown', 'not-done']);
    expect(three!.paymentId).to.equal(undefined);
    const [sum, ...others] = report.sums;
    expect(others).to.deep.equal([]);
    expect([sum!.paid, sum!.unknown, sum!.notPaid]).to.deep.equal(planned);
    expect(cents(sum!.planned.amount)).to.equal(
      planned.reduce((all, { amount }) => all + cents(amount), 0),
    );
    expect(sum!.fees).to.deep.equal(one!.fee);
    expect([report.isComplete, cents(sum!.underWay.amount)]).to.deep.equal([false, 0]);
    expect(steps).to.deep.equal([0, 1, 2, 3]);
    // the second names the payment again, and the last one, after its end, shows how the service checks
    expect(executed.filter((amount) => amount === '1.00')).to.have.length(3);
    expect(paymentsMoved(sandbox)).to.have.length(2);
  });

  it('has what is on its way apart, until it has arrived', async () => {
    const { sandbox, client, journal } = openDesk();
    const end = sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay: 3_600_000 });
    const made = await sandbox.run(plan(client, rowsOf(2), { ...COMMON, journal }));
    const run = applyPlan(client, made, { journal });
    await sandbox.advance(60_000);
    end();
    run.detach();
    const report = await sandbox.run(run.result);
    expect(report.rows.map(({ phase }) => phase)).to.deep.equal(['pending', 'pending']);
    expect([report.sums[0]!.underWay, report.isComplete]).to.deep.equal([made.totals[0], false]);
    const later = await sandbox.run(applyPlan(client, made, { journal }).result);
    expect(later.sums[0]!.paid).to.deep.equal(made.totals[0]);
    expect(later.isComplete).to.equal(true);
  });
});

describe('a plan', () => {
  it('that is applied twice at once has one run', async () => {
    const { sandbox, client, journal } = openDesk();
    const made = await sandbox.run(plan(client, rowsOf(2), { ...COMMON, journal }));
    let reads = 0;
    const counted: typeof journal = {
      ...journal,
      listOpen: (prefix) => (reads++, journal.listOpen(prefix)),
    };
    const runs = [1, 2].map(() => applyPlan(client, made, { journal: counted }));
    const reports = await sandbox.run(Promise.all(runs.map(({ result }) => result)));
    expect(reports[0]).to.equal(reports[1]);
    expect(reads).to.equal(1);
  });

  it('names what it was not given, and rows that have one name', async () => {
    const { sandbox, client, journal } = openDesk();
    const planned = (rows: unknown, options: object = {}): Promise<Plan> =>
      sandbox.run(plan(client, rows as PlanRow[], { ...COMMON, journal, ...options }));
    for (const rows of [[], undefined, {}, 'rows', 7])
      expect(
        await planned(rows).catch((thrown) => isPaystateError(thrown) && thrown.message),
        String(rows),
      ).to.match(/^rows: /);
    for (const maxTotalSlip of ['any', '1%', { percent: 'x' }])
      expect(
        await planned(rowsOf(1), { maxTotalSlip }).catch(
          (thrown) => isPaystateError(thrown) && thrown.message,
        ),
      ).to.match(/^maxTotalSlip/);
    const [one, two] = rowsOf(2);
    const { problems } = await planned([one, two, { ...two!, intent: 'row-1' }, two]);
    expect(problems.map(({ row, intent, text }) => [row, intent, text])).to.deep.equal([
      [3, 'row-1', 'repeats the intent of row 1; each payment needs its own intent'],
      [4, 'row-2', 'repeats the intent of row 2; each payment needs its own intent'],
    ]);
    const to = sandbox.payer.createBolt11({ sat: '2100' });
    const texts = await planned([{ to }, { to }], { maxTotal: 'any' });
    expect(texts.problems.map(({ row }) => row)).to.deep.equal([2]);
    expect(texts.problems[0]!.intent).to.match(/^[0-9a-f]{64}$/);
  });

  it('allows each row the planned total and its slip, or less where the caller says so', async () => {
    const { sandbox, client, journal } = openDesk();
    const [one] = rowsOf(1);
    const mostOf = async (options: object) => {
      const made = await sandbox.run(plan(client, [one!], { ...COMMON, journal, ...options }));
      const { options: planned, terms } = made.rows[0]!;
      const { maxTotal } = planned as { readonly maxTotal: { readonly amount: string } };
      return Number(maxTotal.amount) / Number(terms!.total.amount);
    };
    expect(await mostOf({})).to.be.closeTo(1.01, 1e-9);
    expect(await mostOf({ maxTotalSlip: { percent: '5' } })).to.be.closeTo(1.05, 1e-9);
    expect(await mostOf({ maxTotal: EUR('99.00') })).to.be.closeTo(1.01, 1e-9);
    const capped = { maxTotalSlip: { percent: '50' }, maxTotal: EUR('1.40') };
    const made = await sandbox.run(plan(client, [one!], { ...COMMON, journal, ...capped }));
    const { maxTotal } = made.rows[0]!.options as { readonly maxTotal: object };
    expect(maxTotal).to.deep.equal(EUR('1.40'));
  });
});
