// Protects: an end is told until a caller has acknowledged it, whoever dies in between; and a result says whether it is an earlier one.
import { expect } from 'chai';
import { type Client, createClient, isPaystateError } from 'paystate';
import { applyPlan, pay, type PaymentOptions, plan, resume } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { describe, it, itLong } from '#test';
import { EUR, paymentsMoved } from './pay-lives.ts';

const DAY = 86_400_000;
const EXECUTE = { method: 'PATCH', path: '/v1/payment-quotes/{paymentQuoteId}/execute' };
const COMMON = { sourceCurrency: 'EUR', maxFee: 'any' } as const;

const openDesk = () => {
  const sandbox = createSandbox({ signed: false });
  const connect = () => createClient(sandbox.clientOptions);
  const journal = memoryStore();
  const start = (intent: string, more: Partial<PaymentOptions> = {}, by = connect()) => {
    const to = { to: 'ada@wallet.example', amount: EUR('5.00') };
    return pay(by, { ...COMMON, ...to, intent, journal, ...more } as PaymentOptions);
  };
  return {
    sandbox,
    journal,
    connect,
    start,
    /** As the next process finds them. */
    found: (by: Client = connect()) => sandbox.run(resume(by, { journal })),
  };
};

describe('the end of a run', () => {
  it('is told by resume until it is acknowledged: the process may have died before it heard', async () => {
    const { sandbox, start, found } = openDesk();
    const first = await sandbox.run(start('a').result);
    for (let deaths = 0; deaths < 2; deaths++) {
      const [run, ...others] = await found();
      expect(others).to.deep.equal([]);
      const { joined, ...told } = await sandbox.run(run!.result);
      expect([run!.intent, joined, first.joined]).to.deep.equal(['a', true, false]);
      expect({ ...told, joined: false }).to.deep.equal(first);
    }
    const [run] = await found();
    await sandbox.run(run!.result);
    const acks = await sandbox.run(Promise.all([run!.ack(), run!.ack()]));
    expect(acks.filter(Boolean)).to.have.length(1);
    expect(await found()).to.deep.equal([]);
    const next = start('b');
    expect(await next.ack()).to.equal(false); // it has not ended
    await sandbox.run(next.result);
    expect(paymentsMoved(sandbox)).to.have.length(2);
  });

  it('is kept for as long as it is told, and forgotten by the next process after that', async () => {
    const { sandbox, start, found, journal } = openDesk();
    const open = async () => (await journal.listOpen('pay')).map(({ key }) => key);
    await sandbox.run(start('a').result);
    await sandbox.advance(29 * DAY);
    expect((await found()).map(({ intent }) => intent)).to.deep.equal(['a']);
    expect(await open()).to.have.length(1);
    await sandbox.advance(2 * DAY);
    expect(await found()).to.deep.equal([]);
    expect(await open()).to.deep.equal([]);
  });

  it('says a month later that it is an earlier one, and since when', async () => {
    const { sandbox, start } = openDesk();
    const before = sandbox.clock.now();
    const first = await sandbox.run(start('a').result);
    await sandbox.advance(30 * DAY);
    const again = await sandbox.run(start('a').result);
    expect([first.joined, again.joined]).to.deep.equal([false, true]);
    expect(first.startedAt).to.be.within(before, before + 1_000);
    expect(again.startedAt).to.equal(first.startedAt);
    expect(paymentsMoved(sandbox)).to.have.length(1);
  });

  itLong('comes after what is open, and for 30 days', async () => {
    const { sandbox, journal, start, found } = openDesk();
    for (const intent of ['a', 'b']) await sandbox.run(start(intent).result);
    sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay: 20 * DAY });
    const open = start('z');
    await sandbox.advance(5_000);
    open.detach();
    expect((await found()).map(({ intent }) => intent)).to.deep.equal(['z', 'a', 'b']);
    await sandbox.advance(31 * DAY);
    expect((await found()).map(({ intent }) => intent)).to.deep.equal(['z']);
    expect(await journal.listOpen('pay/')).to.have.length(1);
  });

  it('is not acknowledged by word of an earlier one', async () => {
    const { sandbox, start, found } = openDesk();
    const end = sandbox.fault({ ...EXECUTE, action: { status: 422, code: 'BALANCE_TOO_LOW' } });
    const first = start('a');
    expect((await sandbox.run(first.result)).phase).to.equal('refused');
    end();
    const other = start('a');
    await sandbox.run(other.result);
    expect((await sandbox.run(other.retry().result)).phase).to.equal('paid');
    expect(await sandbox.run(first.ack())).to.equal(false);
    const [run] = await found();
    expect((await sandbox.run(run!.result)).phase).to.equal('paid');
  });

  it('that nobody knows stays open, and cannot be acknowledged', async () => {
    const { sandbox, start, found } = openDesk();
    sandbox.fault({ ...EXECUTE, action: 'lost-before' });
    const action = { status: 403, code: 'FORBIDDEN' };
    sandbox.fault({ method: 'GET', path: '/v1/events', action }); // a search proves nothing
    const run = start('a');
    const result = await sandbox.run(run.result);
    expect(result.phase === 'unknown' && result.reason).to.match(/its outcome is unknown/);
    expect(await sandbox.run(run.ack())).to.equal(false);
    expect((await found()).map(({ intent }) => intent)).to.deep.equal(['a']);
  });

  it('of each row is acknowledged by the plan that reports it', async () => {
    const { sandbox, journal, connect, start, found } = openDesk();
    await sandbox.run(start('before').result);
    const client = connect();
    const rows = ['before', 'a', 'b'].map((intent) => {
      return { intent, to: 'ada@wallet.example', amount: EUR('5.00') };
    });
    const made = await sandbox.run(plan(client, rows, { ...COMMON, journal }));
    const report = await sandbox.run(applyPlan(client, made, { journal }).result);
    expect(report.rows.map(({ phase }) => phase)).to.deep.equal(['paid', 'paid', 'paid']);
    expect(await found()).to.deep.equal([]);
    expect((await sandbox.run(start('a').result)).joined).to.equal(true);
  });

  it('takes no statements where the journal cannot run them', async () => {
    const { sandbox, start } = openDesk();
    const run = start('a');
    await sandbox.run(run.result);
    const thrown = await run.ack(() => {}).catch((reason: unknown) => reason);
    expect(isPaystateError(thrown) && thrown.kind).to.equal('input');
    expect(await sandbox.run(run.ack())).to.equal(true);
  });
});
