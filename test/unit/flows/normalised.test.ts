// Protects: money moves over a service that masks, cuts, rounds and adds as it does over a plain one: once, and to the same end.
import { expect } from 'chai';
import { type MoneyResult, pay, refund } from 'paystate/flows';
import { describe, it } from '#test';
import { type Desk, openDesk } from './moves-desk.ts';
import { EUR, paymentsMoved } from './pay-lives.ts';

const LIMITS = { sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any' } as const;

const payTo = (desk: Desk, to: string, more: object = {}) =>
  pay(desk.client, { ...LIMITS, to, intent: 'a', journal: desk.journal, ...more }).result;

type Start = (desk: Desk) => Promise<{ readonly result: Promise<MoneyResult> }>;

/** Every way of money. */
const WAYS: Readonly<Record<string, Start>> = {
  'pay, BOLT11': async (desk) => ({
    result: payTo(desk, desk.sandbox.payer.createBolt11({ sat: '21000' })),
  }),
  'pay, LNURL': async (desk) => ({
    result: payTo(desk, 'ada@wallet.example', { amount: EUR('20.00') }),
  }),
  'pay, on-chain': async (desk) => ({
    result: payTo(desk, desk.sandbox.payer.createAddress(), {
      amount: EUR('50.00'),
      onchainTier: { maxDeliveryInMin: 60 },
    }),
  }),
  exchange: async (desk) => desk.exchange(),
  deposit: async (desk) => desk.deposit(await desk.method()),
  payout: async (desk) => desk.payOut(await desk.method(), { reference: 'SALARY 2026-08' }),
  refund: async (desk) => {
    const { client, sandbox, journal } = desk;
    const { invoiceId } = await sandbox.run(client.invoices.create({ amount: EUR('20.00') }));
    await sandbox.run(sandbox.payer.pay(invoiceId));
    const to = 'ada@wallet.example';
    return refund(client, { to, sourceCurrency: 'EUR', maxFee: 'any', invoiceId, journal });
  },
};

/** Amounts with more digits than their currency has, which this service rounds, and how they end. */
const FINE: Readonly<Record<string, readonly [Start, phase: string, moved: number]>> = {
  exchange: [async (desk) => desk.exchange({ amount: EUR('12.345') }), 'completed', 1],
  // their terms name another amount than was asked for
  deposit: [async (desk) => desk.deposit(await desk.method(), { amount: '12.345' }), 'refused', 0],
  payout: [async (desk) => desk.payOut(await desk.method(), { amount: '12.345' }), 'refused', 0],
};

const play = async (start: Start, form: 'as-sent' | 'normalised') => {
  const desk = openDesk({ assume: { 'responses.form': form } });
  const { result } = await start(desk);
  const { phase } = await desk.sandbox.run(result);
  const kinds = ['exchange', 'payout', 'deposit'] as const;
  const moved = kinds.flatMap((kind) => desk.moved(kind)).length;
  const commands = desk.requests.filter(({ method }) => method !== 'GET');
  return {
    phase,
    moved: moved + paymentsMoved(desk.sandbox).length,
    commands: commands.map(({ method, path }) => `${method} ${path}`),
  };
};

describe('money over a service that normalises', () => {
  for (const [name, start] of Object.entries(WAYS))
    it(`ends as over a plain one: ${name}`, async () => {
      const plain = await play(start, 'as-sent');
      expect(plain.phase).to.be.oneOf(['paid', 'completed']);
      expect(plain.moved).to.equal(1);
      expect(await play(start, 'normalised')).to.deep.equal(plain);
    });

  for (const [name, [start, end, times]] of Object.entries(FINE))
    it(`is known where the service rounds it: ${name} of 12.345`, async () => {
      const { phase, moved } = await play(start, 'normalised');
      expect([phase, moved]).to.deep.equal([end, times]);
    });
});
