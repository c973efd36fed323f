// Protects: the tier of an on-chain payment, chosen by its delivery time or by its fee.
import { expect } from 'chai';
import { chooseTier, createClient, type OnchainTier, type RequestView } from 'paystate';
import { parseRows, pay, type PaymentOptions, type PayResult, plan } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { describe, it } from '#test';
import { EUR, paymentsMoved } from './pay-lives.ts';

const BTC = (amount: string) => ({ amount, currency: 'BTC' });

const tier = (id: string, minutes: number, fee: string, least?: string): OnchainTier => ({
  id,
  estimatedDeliveryDurationInMin: minutes,
  estimatedFee: BTC(fee),
  ...(least !== undefined && { minimumAmount: BTC(least) }),
});
const TIERS: readonly OnchainTier[] = [
  tier('fast', 10, '0.00003'),
  tier('normal', 60, '0.00001', '0.0001'),
  tier('also-normal', 50, '0.00001', '0.0001'),
  tier('slow', 1_440, '0.000002', '0.01'),
];
const LIMITS = { sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any' } as const;

describe('a tier', () => {
  it('is the cheapest one that delivers in time, and of equal fees the fastest', () => {
    const within = (maxDeliveryInMin: number, amount: string) =>
      chooseTier(TIERS, BTC(amount), { maxDeliveryInMin })?.id;
    expect(within(10, '1')).to.equal('fast');
    expect(within(60, '1')).to.equal('also-normal');
    expect(within(55, '1')).to.equal('also-normal');
    expect(within(10_000, '1')).to.equal('slow');
    expect(within(9, '1')).to.equal(undefined);
  });

  it('is the fastest one whose fee is low enough, in the currency of the tiers', () => {
    const upTo = (maxFee: { amount: string; currency: string }) =>
      chooseTier(TIERS, BTC('1'), { maxFee })?.id;
    expect(upTo(BTC('0.00003'))).to.equal('fast');
    expect(upTo(BTC('0.000029'))).to.equal('also-normal');
    expect(upTo(BTC('0.000002'))).to.equal('slow');
    expect(upTo(BTC('0.000001'))).to.equal(undefined);
    expect(upTo(EUR('5.00'))).to.equal(undefined);
  });

  it('is none whose minimum is higher than the amount', () => {
    const choice = { maxDeliveryInMin: 10_000 };
    expect(chooseTier(TIERS, BTC('0.0099'), choice)?.id).to.equal('also-normal');
    expect(chooseTier(TIERS, BTC('0.01'), choice)?.id).to.equal('slow');
    expect(chooseTier(TIERS, BTC('0.00009999'), choice)?.id).to.equal('fast');
    // an amount in another currency cannot be compared here: the service refuses what is too low
    expect(chooseTier(TIERS, EUR('0.01'), choice)?.id).to.equal('slow');
  });
});

describe('a payment on the chain', () => {
  const play = async (options: Partial<PaymentOptions>) => {
    const sandbox = createSandbox({ signed: false });
    const requests: RequestView[] = [];
    const drafts: string[] = [];
    const base = sandbox.clientOptions;
    const client = createClient({
      ...base,
      fetch: (url, init) => {
        if (String(url).endsWith('/onchain')) drafts.push(String(init?.body));
        return base.fetch(url, init);
      },
      onRequest: (view) => void requests.push(view),
    });
    const given = {
      to: sandbox.payer.createAddress(),
      intent: 'rent',
      ...LIMITS,
      journal: memoryStore(),
      ...options,
    } as PaymentOptions;
    const result: PayResult = await sandbox.run(pay(client, given).result);
    // each quote is asked for twice, in the same words
    const drafted = [...new Set(drafts)];
    expect(drafts).to.deep.equal(drafted.flatMap((draft) => [draft, draft]));
    const tiers = drafted.map(
      (draft) => (JSON.parse(draft) as { onchainTierId: string }).onchainTierId,
    );
    return { result, tiers, moved: paymentsMoved(sandbox), requests };
  };

  it('is made in the tier that its delivery time or its fee chooses, in any currency', async () => {
    const hour = { onchainTier: { maxDeliveryInMin: 60 } };
    const euros = await play({ amount: EUR('50.00'), ...hour });
    expect([euros.result.phase, euros.tiers]).to.deep.equal(['paid', ['tier_normal']]);
    // 1 EUR is less than the minimum of the other tiers
    const few = await play({ amount: EUR('1.00'), onchainTier: { maxDeliveryInMin: 10_000 } });
    expect([few.result.phase, few.tiers]).to.deep.equal(['paid', ['tier_fast']]);
    const bitcoin = await play({ amount: BTC('0.001'), onchainTier: { maxFee: BTC('0.00002') } });
    expect([bitcoin.result.phase, bitcoin.tiers]).to.deep.equal(['paid', ['tier_normal']]);
  });

  it('is refused where no tier fits, and moves nothing', async () => {
    const { result, tiers, moved } = await play({
      amount: EUR('50.00'),
      onchainTier: { maxDeliveryInMin: 5 },
    });
    expect([result.phase, result.phase === 'refused' && result.guard]).to.deep.equal([
      'refused',
      'tier',
    ]);
    expect([tiers, moved]).to.deep.equal([[], []]);
  });

  it('takes one choice, and not an id as well', async () => {
    const sandbox = createSandbox({ signed: false });
    const client = createClient(sandbox.clientOptions);
    const to = sandbox.payer.createAddress();
    const given = { to, intent: 'rent', ...LIMITS, amount: EUR('5.00'), journal: memoryStore() };
    const begin = (more: object) => () => pay(client, { ...given, ...more });
    const choice = { onchainTier: { maxDeliveryInMin: 60 } };
    expect(begin({})).to.throw(/^onchainTierId: is required/);
    expect(begin({ ...choice, onchainTierId: 'tier_fast' })).to.throw(
      /^onchainTier: must not be combined/,
    );
    const both = { onchainTier: { maxDeliveryInMin: 60, maxFee: BTC('1') } };
    for (const wrong of [{ onchainTier: {} }, both])
      expect(begin(wrong)).to.throw(/^onchainTier: must have either/);
    for (const wrong of ['fast', null])
      expect(begin({ onchainTier: wrong })).to.throw(/^onchainTier: must be an object/);
    for (const minutes of [0, -1, Number.NaN, Infinity])
      expect(begin({ onchainTier: { maxDeliveryInMin: minutes } })).to.throw(/minutes/);
    expect(begin({ onchainTier: { maxFee: EUR('5.00') } })).to.throw(/must be in BTC/);
  });

  it('can be a row of a list', async () => {
    const sandbox = createSandbox({ signed: false });
    const client = createClient(sandbox.clientOptions);
    const to = sandbox.payer.createAddress();
    const text = `intent,to,amount,currency,onchainTier\na,${to},50.00,EUR,60 min\nb,${to},50.00,EUR,0.00003 BTC\n`;
    const rows = parseRows(text, { format: 'csv' });
    expect(rows.map((row) => 'onchainTier' in row && row.onchainTier)).to.deep.equal([
      { maxDeliveryInMin: 60 },
      { maxFee: BTC('0.00003') },
    ]);
    const common = { journal: memoryStore(), sourceCurrency: 'EUR', maxFee: 'any' } as const;
    const made = await sandbox.run(plan(client, rows, common));
    expect(made.problems).to.deep.equal([]);
  });
});
