// A duplicate is the caller's own only if it says what the caller asked for, compared on the side that the caller named.
import { expect } from 'chai';
import { describe, it } from '#test';
import { failureOf } from '../core/shop.ts';
import { openBank } from '../bank/bank.ts';
import { internalsOf } from '../core/internals.ts';

const KEY = '3c1f2a90-77aa-4d0f-8a3e-9f5b2c7d1e60';
const exchange = (amount: string, currency: string) => ({
  sell: 'USD',
  buy: 'BTC',
  amount: { amount, currency },
});

describe('the original of an exchange quote', () => {
  it('is compared by what is sold where that was asked, and by what is bought where that was', async () => {
    for (const draft of [
      exchange('100.00', 'USD'),
      exchange('0.00100000', 'BTC'),
      exchange('0.001', 'BTC'),
    ]) {
      const { sandbox, client, run } = openBank();
      sandbox.fault({ method: 'POST', nth: 1, action: 'lost-after' });
      const quote = await run(client.currencyExchangeQuotes.create(draft));
      const side = draft.amount.currency === 'USD' ? quote.source : quote.target;
      expect([Number(side.amount), side.currency, quote.state]).to.deep.equal([
        Number(draft.amount.amount),
        draft.amount.currency,
        'NEW',
      ]);
    }
  });

  it('is not taken for this one where only the other side fits', async () => {
    for (const [first, second] of [
      [exchange('100.00', 'USD'), exchange('100.00', 'BTC')],
      [exchange('0.00100000', 'BTC'), exchange('0.00100000', 'USD')],
    ] as const) {
      const { sandbox, client, run } = openBank();
      await run(client.currencyExchangeQuotes.create(first, { idempotencyKey: KEY }));
      const reloaded = client.withOptions({}); // what the key stood for is known to this process alone
      internalsOf(reloaded).slots.clear();
      sandbox.fault({ method: 'POST', nth: 1, action: 'lost-after' });
      const error = await failureOf(
        run(reloaded.currencyExchangeQuotes.create(second, { idempotencyKey: KEY })),
      );
      expect(error).to.include({
        kind: 'refused',
        code: 'DUPLICATE_CURRENCY_EXCHANGE_QUOTE',
        next: 'read-first',
      });
    }
  });
});
