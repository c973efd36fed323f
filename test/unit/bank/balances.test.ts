import { expect } from 'chai';
import { createClient } from 'paystate';
import { money, subtractMoney } from 'paystate/money';
import { describe, it } from '#test';
import { failureOf } from '../core/shop.ts';
import { openBank } from './bank.ts';

describe('balances', () => {
  it('are one for each currency of the account, as the books have it', async () => {
    const { client, run, sandbox } = openBank({
      accounts: [{ handle: 'shop', currencies: ['EUR', 'BTC', 'USDT'], balances: { EUR: '12.5' } }],
    });
    sandbox.fund('shop', { amount: '0.00000001', currency: 'BTC' });
    const rest = { pending: '0.00', reserved: '0.00', outgoing: '0.00' };
    const balances = await run(client.balances.list());
    expect(balances[0]).to.deep.equal({
      currency: 'EUR',
      current: '12.50',
      available: '12.50',
      total: '12.50',
      ...rest,
    });
    expect(balances.map(({ currency, available }) => [currency, available])).to.deep.equal([
      ['EUR', '12.50'],
      ['BTC', '0.00000001'],
      ['USDT', '0.000000'],
    ]);
  });

  it('need their own scope', async () => {
    const { run, sandbox } = openBank();
    const error = await failureOf(
      run(
        createClient(
          sandbox.clientOptionsFor({ extra: { scopes: ['partner.balance.read'] } }),
        ).balances.list(),
      ),
    );
    expect([error.code, error.neededScope]).to.deep.equal(['FORBIDDEN', 'partner.balances.read']);
  });

  it('go below zero by no payout and no exchange, however little is missing', async () => {
    const { client, run, sandbox, method } = openBank();
    const { id: paymentMethodId } = await method('SEPA');
    const free = () => sandbox.ledger.balances()['shop.free']!['EUR']!;
    const before = free();
    const payOut = async (amount: string) =>
      run(
        client.payouts.initiate((await run(client.payouts.create({ paymentMethodId, amount }))).id),
      );
    const last = await run(
      client.currencyExchangeQuotes.create({
        sell: 'EUR',
        buy: 'USDT',
        amount: { amount: '0.60', currency: 'EUR' },
      }),
    );
    const more = await run(client.payouts.create({ paymentMethodId, amount: '0.60' }));
    await payOut(subtractMoney(money(before, 'EUR'), money('0.50', 'EUR')).amount);
    for (const refused of [
      () => run(client.payouts.initiate(more.id)),
      () => run(client.currencyExchangeQuotes.execute(last.id)),
    ])
      expect((await failureOf(refused())).code).to.equal('BALANCE_TOO_LOW');
    expect(free()).to.match(/^0\.[0-5]\d$/);
  });

  it('follow from the postings alone, which make and lose no money, whatever happens to it', async () => {
    const { client, run, sandbox, method } = openBank();
    const methods = [await method('ACH'), await method('SEPA')];
    for (let round = 0; round < 12; round++) {
      const { id: paymentMethodId } = methods[round % 2]!;
      const policy = round % 3 === 0 ? 'INCLUSIVE' : undefined;
      sandbox.fault({
        subject: (['payout', 'deposit', 'currencyExchangeQuote'] as const)[round % 3]!,
        nth: 1 + round,
        state: 'FAILED',
      });
      const quote = await run(
        client.currencyExchangeQuotes.create({
          sell: 'EUR',
          buy: 'USDT',
          amount: { amount: `${round + 1}.37`, currency: 'EUR', feePolicy: policy },
        }),
      );
      await run(client.currencyExchangeQuotes.execute(quote.id));
      await run(
        client.payouts.initiate(
          (
            await run(
              client.payouts.create({
                paymentMethodId,
                amount: `${round + 20}.11`,
                feePolicy: policy,
              }),
            )
          ).id,
        ),
      );
      if (round < 5)
        await run(
          client.deposits.create({ paymentMethodId, amount: `${round + 3}.99`, feePolicy: policy }),
        );
      await sandbox.advance(round * 700);
    }
    await sandbox.advance(86_400_000);
    const held = new Map<string, bigint>();
    const units = (amount: string) => BigInt(amount.replace('.', ''));
    for (const { from, to, amount, currency } of sandbox.ledger.postings) {
      for (const [place, sign] of [
        [from, -1n],
        [to, 1n],
      ] as const)
        held.set(
          `${place} ${currency}`,
          (held.get(`${place} ${currency}`) ?? 0n) + sign * units(amount),
        );
      expect(
        [...held]
          .filter(([key]) => key.endsWith(` ${currency}`))
          .reduce((sum, [, value]) => sum + value, 0n),
      ).to.equal(0n);
    }
    for (const balance of await run(client.balances.list())) {
      const of = (pot: string) => held.get(`shop.${pot} ${balance.currency}`) ?? 0n;
      const shown = [
        balance.available!,
        balance.reserved,
        balance.pending,
        balance.current,
        balance.total!,
      ].map((text) => units(text));
      expect(shown).to.deep.equal([
        of('free'),
        of('held'),
        of('unsettled'),
        of('free') + of('held') + of('unsettled'),
        of('free') + of('held'),
      ]);
    }
  });
});

describe('rates', () => {
  it('name every currency against every other, in both directions', async () => {
    const { client, run } = openBank();
    const rates = await run(client.rates.list());
    const pairs = rates.map(
      ({ sourceCurrency, targetCurrency }) => `${sourceCurrency}/${targetCurrency}`,
    );
    expect([rates.length, new Set(pairs).size]).to.deep.equal([30, 30]);
    expect(pairs).to.include.members(['BTC/AUD', 'AUD/BTC', 'GBP/USDT']);
    for (const { amount } of rates)
      expect(amount)
        .to.match(/^\d+\.\d+$/)
        .and.not.match(/^0\.0+$/);
    const of = (pair: string) => Number(rates[pairs.indexOf(pair)]!.amount);
    for (const [pair, rounding] of [
      ['BTC/USD', 0.5e-8 * 70_000],
      ['EUR/GBP', 2 * 0.5e-4 * 1.3],
    ] as const)
      expect(of(pair) * of(pair.split('/').reverse().join('/'))).to.be.closeTo(1, rounding);
  });

  it('stand still for ten seconds, and are the same for all who ask', async () => {
    const { client, run, sandbox } = openBank();
    const first = await run(client.rates.list());
    await sandbox.advance(5_000);
    expect(await run(client.rates.list())).to.deep.equal(first);
    await sandbox.advance(60_000);
    expect(await run(client.rates.list())).not.to.deep.equal(first);
    const other = openBank();
    expect(await other.run(other.client.rates.list())).to.deep.equal(first);
  });

  it('have a limit of their own', async () => {
    const { sandbox } = openBank({ rateLimits: 'test' });
    const headers = { authorization: `Bearer ${sandbox.clientOptions.apiKey}` };
    const statusOf = async (path: string) => (await sandbox.fetch(path, { headers })).status;
    for (let count = 0; count < 90; count++)
      expect(await statusOf('/v1/rates/ticker')).to.equal(200);
    expect([await statusOf('/v1/rates/ticker'), await statusOf('/v1/balances')]).to.deep.equal([
      429, 200,
    ]);
  });
});
