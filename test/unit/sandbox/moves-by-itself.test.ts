// `clock: 'auto'`: virtual time that moves while somebody waits for a promise of the sandbox.
import { expect } from 'chai';
import {
  createClient,
  firstValue,
  InputError,
  type Invoice,
  waitUntilSettled,
  watchInvoice,
} from 'paystate';
import { applyPlan, cancelInvoice, pay, plan } from 'paystate/flows';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { describe, it, itLong } from '#test';
import { failureOf } from '../core/shop.ts';

const DRAFT = { amount: { amount: '5.00', currency: 'EUR' } } as const;
const DAY = 86_400_000;

interface Shop {
  readonly sandbox: Sandbox;
  readonly client: ReturnType<typeof createClient>;
  /** Virtual milliseconds since the beginning. */
  passed(): number;
  invoice(): Promise<Invoice>;
}

function openShop(clock?: 'auto' | 'virtual'): Shop {
  const sandbox = createSandbox({ signed: false, clock });
  const client = createClient(sandbox.clientOptions);
  const start = sandbox.clock.now();
  return {
    sandbox,
    client,
    passed: () => sandbox.clock.now() - start,
    invoice: () => client.invoices.create(DRAFT),
  };
}

/** Real time in which timers of the sandbox could be fired, if anything moved them. */
const realWork = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 30));

describe('time that moves by itself', () => {
  it('moves for a call that waits, and no further', async () => {
    const { sandbox, client, passed } = openShop();
    await client.balances.list();
    expect(passed()).to.equal(0);
    sandbox.fault({ path: '/v1/balances', nth: 1, action: { delay: 2_000 } });
    await client.balances.list();
    expect(passed()).to.equal(2_000);
    await realWork();
    expect(passed()).to.equal(2_000);
  });

  it('moves for attempts of a call, as its retries say', async () => {
    const { sandbox, client, passed } = openShop();
    sandbox.fault({ path: '/v1/balances', nth: 1, action: 'lost-after' });
    await client.balances.list();
    expect(sandbox.log).to.have.length(2);
    expect(passed()).to.be.above(0);
  });

  it('moves for the payer, and for the value that a watch is waited for', async () => {
    const { sandbox, client, passed, invoice } = openShop();
    const made = await invoice();
    await sandbox.payer.pay(made.invoiceId, { pendingFor: 2_000 });
    expect(passed()).to.equal(2_000);
    const other = await invoice();
    void sandbox.payer.pay(other.invoiceId, { pendingFor: 60_000 });
    const where = ({ state }: Invoice) => state === 'PAID';
    const { state } = await firstValue(watchInvoice(client, other), { where });
    expect(state).to.equal('PAID');
    expect(passed()).to.be.within(62_000, 70_000);
  });

  it('moves for the next value of an iteration, and not between two of them', async () => {
    const { sandbox, client, passed, invoice } = openShop();
    const made = await invoice();
    const states: (string | undefined)[] = [];
    for await (const { value, freshness } of watchInvoice(client, made)) {
      if (freshness === 'loading') continue;
      states.push(value?.state);
      if (value?.state === 'PAID') break;
      const before = passed();
      await realWork();
      expect(passed()).to.equal(before);
      if (states.length === 1) await sandbox.payer.pay(made.invoiceId);
    }
    expect(states).to.deep.equal(['UNPAID', 'PAID']);
  });

  it('moves for runs of money, plans and a cancellation', async () => {
    const { sandbox, client } = openShop();
    const journal = memoryStore();
    const common = { journal, sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any' } as const;
    const bolt11 = () => sandbox.payer.createBolt11({ sat: '2100' });
    sandbox.fault({ path: '/v1/payment-quotes/*/execute', nth: 1, action: 'lost-after' });
    const paid = await pay(client, { intent: 'a', to: bolt11(), ...common }).result;
    expect(paid.phase).to.equal('paid');
    const rows = Array.from({ length: 12 }, (_, n) => ({
      intent: `row-${n}`,
      to: bolt11(),
      maxTotal: 'any' as const,
    }));
    const { journal: _, maxTotal: __, ...terms } = common;
    const made = await plan(client, rows, { journal, ...terms });
    const report = await applyPlan(client, made, { journal }).result;
    expect(report.rows.map(({ phase }) => phase)).to.deep.equal(rows.map(() => 'paid'));
    const { invoiceId } = await client.invoices.create(DRAFT);
    void sandbox.payer.pay(invoiceId, { pendingFor: 3_000 });
    expect(await cancelInvoice(client, invoiceId)).to.include({ phase: 'paid' });
  });

  it('stands still for a subscription alone, and while external work of a call is under way', async () => {
    const { sandbox, client, passed, invoice } = openShop();
    const made = await invoice();
    const stop = watchInvoice(client, made).subscribe(() => {});
    await realWork();
    expect(passed()).to.equal(0);
    void sandbox.payer.pay(made.invoiceId, { pendingFor: 1_000 });
    await sandbox.clock.external(realWork());
    expect(passed()).to.equal(0);
    stop();
  });

  it('leaves time to `advance` and goes on after it', async () => {
    const { sandbox, client, passed } = openShop();
    sandbox.fault({ path: '/v1/balances', nth: 1, action: { delay: 5_000 } });
    let isRead = false;
    const read = client.balances.list().then(() => {
      isRead = true;
    });
    await sandbox.advance(1_000);
    expect([passed(), isRead]).to.deep.equal([1_000, false]);
    await sandbox.advance(1_000);
    expect([passed(), isRead]).to.deep.equal([2_000, false]);
    await read;
    expect(passed()).to.equal(5_000);
  });

  it('moves one of two sandboxes only', async () => {
    const [one, other] = [openShop(), openShop()];
    other.sandbox.fault({ path: '/v1/balances', action: { delay: 9_000 } });
    const stop = watchInvoice(one.client, await one.invoice()).subscribe(() => {});
    await other.client.balances.list();
    expect([one.passed(), other.passed()]).to.deep.equal([0, 9_000]);
    stop();
  });

  it('sees the same times in each run, also with watches and real work between', async () => {
    const play = async (pause: () => Promise<void>) => {
      const { sandbox, client, invoice } = openShop();
      const made = [await invoice(), await invoice()];
      const stops = made.map((one) => watchInvoice(client, one).subscribe(() => {}));
      await pause();
      await sandbox.payer.pay(made[0]!.invoiceId, { pendingFor: 7_500 });
      await pause();
      await waitUntilSettled(watchInvoice(client, made[0]!));
      for (const stop of stops) stop();
      return sandbox.log.map(({ at, method, path, query }) => [at, method, path, query]);
    };
    const log = await play(async () => {});
    expect(await play(async () => {})).to.deep.equal(log);
    expect(await play(realWork)).to.deep.equal(log);
  });

  it('gives up where nothing is due for a day, and names what was waited for', async () => {
    const { sandbox, invoice, passed } = openShop();
    const { invoiceId } = await invoice();
    const payment = sandbox.payer.pay(invoiceId, { pendingFor: 2 * DAY });
    const failure = await failureOf(payment.then(() => {}));
    expect(failure).to.be.instanceOf(InputError);
    expect(failure.message).to.include('payer.pay()').and.include('24 hours');
    expect(failure).to.include({ outcome: 'unknown' });
    expect(passed()).to.be.below(DAY);
  });

  itLong('gives up after a day of reads without a change', async () => {
    const { sandbox, passed } = openShop();
    // it reads seldom: a day of reads in quick turn takes seconds
    const client = createClient({ ...sandbox.clientOptions, rateLimitShare: 0.05 });
    const request = await client.receiveRequests.create({ onchain: {} });
    const iterator = (await import('paystate'))
      .watchReceives(client, request)
      [Symbol.asyncIterator]();
    await iterator.next();
    await iterator.next();
    const before = passed();
    const failure = await failureOf(iterator.next());
    expect(failure).to.be.instanceOf(InputError);
    expect(failure.message).to.include('the next value of a watch').and.include('24 hours');
    expect(failure).to.include({ outcome: 'unknown' });
    expect(passed() - before).to.be.within(DAY - 60_000, DAY);
    await client.balances.list();
  });

  it('does not move where the clock is virtual', async () => {
    const { sandbox, client, passed } = openShop('virtual');
    sandbox.fault({ path: '/v1/balances', action: { delay: 500 } });
    const read = client.balances.list();
    await realWork();
    expect(passed()).to.equal(0);
    await sandbox.run(read);
    expect(passed()).to.equal(500);
  });
});
