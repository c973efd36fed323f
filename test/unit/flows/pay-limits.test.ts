// Protects: limits of a journal hold for every call and process that uses it, exactly, however many pay at once; and waiting for
// one's turn leaves no payment in doubt.
import { expect } from 'chai';
import { createClient, isPaystateError } from 'paystate';
import { createGuards, pay, type PaymentOptions, type PayResult, refund } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore, type Store } from 'paystate/stores';
import { describe, it, itLong } from '#test';
import { openDesk as openMoves } from './moves-desk.ts';
import { EUR, paymentsMoved } from './pay-lives.ts';

const openDesk = () => {
  const sandbox = createSandbox({ signed: false });
  const journal = memoryStore();
  const connect = () => createClient(sandbox.clientOptions);
  const start = (intent: string, more: Partial<PaymentOptions> = {}, by = connect()) =>
    pay(by, { ...ADA, intent, journal, ...more } as PaymentOptions);
  return {
    sandbox,
    journal,
    connect,
    start,
    give: (intent: string, more: Partial<PaymentOptions> = {}) =>
      sandbox.run(start(intent, more).result),
  };
};

const ADA = {
  to: 'ada@wallet.example',
  amount: EUR('5.00'),
  sourceCurrency: 'EUR',
  maxFee: 'any',
} as const;
const guardOf = (result: PayResult) => (result.phase === 'refused' ? result.guard : result.phase);
const spentBy = (results: readonly PayResult[]): number =>
  results.reduce((cents, result) => {
    const total = result.phase === 'paid' ? result.payment.totalAmount.amount : '0';
    return cents + Math.round(Number(total) * 100);
  }, 0);
const countOf = (results: readonly PayResult[]) => {
  const counts = new Map<string, number>();
  for (const result of results) {
    const end = `${guardOf(result)}`;
    counts.set(end, (counts.get(end) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort());
};

describe('a limit of a day', () => {
  itLong(
    'holds exactly for 200 payments at once by four processes, and none of them is in doubt',
    async () => {
      const { sandbox, journal, connect, start } = openDesk();
      const before = await sandbox.run(start('before').result);
      const each = spentBy([before]);
      const room = 37;
      const most = ((room * each + 1) / 100).toFixed(2);
      await createGuards({ journal, maxPerDay: EUR(most) });
      const processes = Array.from({ length: 4 }, connect);
      const runs = Array.from({ length: 200 }, (_, n) => start(`n${n}`, {}, processes[n % 4]));
      const results = await sandbox.run(Promise.all(runs.map(({ result }) => result)));
      expect(countOf(results)).to.deep.equal({ paid: room, 'per-day': 200 - room });
      expect(spentBy(results)).to.equal(room * each);
      expect(paymentsMoved(sandbox)).to.have.length(room + 1);
    },
  );

  it('counts refunds and payments that do not know of it, and begins again the next day', async () => {
    const { sandbox, journal, connect, give } = openDesk();
    const client = connect();
    const { invoiceId } = await sandbox.run(client.invoices.create({ amount: EUR('20.00') }));
    await sandbox.run(sandbox.payer.pay(invoiceId));
    await createGuards({ journal, maxPerDay: EUR('15.00') });
    expect(guardOf(await give('a'))).to.equal('paid');
    const back = {
      to: 'ada@wallet.example',
      sourceCurrency: 'EUR',
      maxFee: 'any',
      journal,
    } as const;
    const giveBack = (intent: string, amount: string) =>
      sandbox.run(refund(client, { ...back, invoiceId, intent, amount: EUR(amount) }).result);
    expect(guardOf(await giveBack('r1', '11.00'))).to.equal('per-day');
    expect(guardOf(await giveBack('r2', '8.00'))).to.equal('paid');
    expect(guardOf(await give('b'))).to.equal('per-day');
    await sandbox.advance(24 * 3_600_000);
    expect(guardOf(await give('c'))).to.equal('paid');
  });

  it('is shared with payouts', async () => {
    const desk = openMoves();
    const { sandbox, journal } = desk;
    const method = await desk.method();
    const start = (intent: string, amount: string) =>
      desk.payOut(method, { intent, amount, reference: undefined });
    const first = await sandbox.run(start('a', '10.00').result);
    if (first.phase !== 'completed') throw new Error(first.phase);
    const { currency } = first.movement.amount;
    await createGuards({ journal, maxPerDay: { amount: '25.00', currency } });
    expect((await sandbox.run(start('b', '15.00').result)).phase).to.equal('completed');
    const held = await sandbox.run(start('c', '15.00').result);
    expect(held.phase === 'refused' && held.guard).to.equal('per-day');
  });

  itLong('sums up what was paid, so that a busy day stays a short row', async () => {
    const { sandbox, journal, start } = openDesk();
    await createGuards({ journal, maxPerDay: EUR('10000.00') });
    const names: string[] = [];
    const seen: Store = { ...journal, get: (key) => (names.push(key), journal.get(key)) };
    const client = createClient(sandbox.clientOptions);
    for (let part = 0; part < 5; part++) {
      const runs = Array.from({ length: 30 }, (_, n) =>
        start(`${part}/${n}`, { journal: seen }, client),
      );
      await sandbox.run(Promise.all(runs.map(({ result }) => result)));
    }
    const day = names.find((name) => name.startsWith('pay-day/'))!;
    const { spent, held } = (await journal.get(day))!.value as { spent: string; held: unknown[] };
    expect(held.length).to.be.below(100);
    expect(Number(spent)).to.be.above(0);
  });
});

describe('limits of a journal', () => {
  it('stay until they are set again: the last call wins, and what it omits stays', async () => {
    const { journal, give } = openDesk();
    await createGuards({ journal, maxPerDay: EUR('15.00'), maxPerRun: EUR('6.00') });
    expect(guardOf(await give('a', { amount: EUR('7.00') }))).to.equal('per-run');
    expect(guardOf(await give('b'))).to.equal('paid');
    expect(await createGuards({ journal, maxPerRun: 'any' })).to.deep.equal({
      maxPerDay: [EUR('15.00')],
      maxPerRun: [],
    });
    expect(guardOf(await give('c', { amount: EUR('7.00') }))).to.equal('paid');
    expect(guardOf(await give('d'))).to.equal('per-day');
    await createGuards({ journal, maxPerDay: 'any' });
    expect(guardOf(await give('e'))).to.equal('paid');
  });

  it('allow their own amount to the cent, and not one cent more', async () => {
    for (const [limits, guard] of [
      [(most: string) => ({ maxPerRun: EUR(most) }), 'per-run'],
      [(most: string) => ({ maxPerDay: EUR(most) }), 'per-day'],
    ] as const) {
      const { journal, give } = openDesk();
      const cents = spentBy([await give('a')]);
      const one = (amount: number): string => (amount / 100).toFixed(2);
      await createGuards({ journal, ...limits(one(cents - 1)) });
      expect(guardOf(await give('b'))).to.equal(guard);
      await createGuards({ journal, ...limits(one(cents)) });
      expect(guardOf(await give('c'))).to.equal('paid');
    }
  });

  it('refuse a currency that they do not name', async () => {
    const { journal, give } = openDesk();
    await createGuards({ journal, maxPerDay: EUR('15.00') });
    expect(guardOf(await give('a', { sourceCurrency: 'USD' }))).to.equal('per-day');
    await createGuards({ journal, maxPerDay: [EUR('15.00'), { amount: '9.00', currency: 'USD' }] });
    expect(guardOf(await give('b', { sourceCurrency: 'USD' }))).to.equal('paid');
  });

  it('that cannot be read refuse: they are not taken for none', async () => {
    const { journal, give } = openDesk();
    await journal.put('pay-limits', { later: true });
    const result = await give('a');
    expect(result.phase === 'refused' && result.error.message).to.match(
      /limits in this journal were saved by another version/,
    );
  });

  it('are checked when they are set', async () => {
    const { journal } = openDesk();
    const wrong: readonly unknown[] = [
      undefined,
      {},
      { journal: {} },
      { journal, maxPerDay: [] },
      { journal, maxPerDay: 5 },
      { journal, maxPerRun: [EUR('1.00'), EUR('2.00')] },
      { journal, maxPerRun: null },
    ];
    for (const options of wrong) {
      const thrown = await createGuards(options as never).catch((reason: unknown) => reason);
      expect(isPaystateError(thrown) && thrown.kind, JSON.stringify(options)).to.equal('input');
    }
  });
});
