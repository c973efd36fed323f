// Attempts after the first are paid from a purse; good times fill it, and never beyond its rim.
import { expect } from 'chai';
import { invoices } from 'paystate/operations';
import { describe, itLong } from '#test';
import { failureOf, INVOICE, json, openShop, refusal } from './shop.ts';
import { internalsOf, withInternals } from './internals.ts';

describe('what good times save for retries', () => {
  itLong(
    'has a bound: after a thousand calls without trouble an outage is answered with a hundred retries, as ever',
    async () => {
      const limits = {
        ...internalsOf(openShop().client).settings.rateLimits,
        others: { limit: 1e9, window: 1, block: 1 },
      };
      let isDown = false;
      const { client, run } = openShop({
        rateLimits: limits,
        maxAttempts: 2,
        callTimeout: 1e12,
        fetch: async (_url, init) =>
          (isDown ? refusal(500, 'INTERNAL_SERVER_ERROR') : json(INVOICE))(init),
      });
      const money = withInternals(client, { priority: 'critical' });
      for (let call = 0; call < 1_000; call++) await run(invoices.get(money, INVOICE.invoiceId));
      isDown = true;
      let retries = 0;
      for (let call = 0; call < 400; call++)
        retries +=
          (await failureOf(run(invoices.get(money, INVOICE.invoiceId), { timeout: 1e10 })))
            .attempts! - 1;
      expect(retries).to.equal(100);
    },
  );
});
