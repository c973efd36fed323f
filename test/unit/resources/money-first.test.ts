// What moves money goes before everything else that the client has to ask.
import { expect } from 'chai';
import { createClient, type RequestView } from 'paystate';
import { describe, it } from '#test';
import { failureOf } from '../core/shop.ts';
import { openBank } from '../bank/bank.ts';
import { internalsOf } from '../core/internals.ts';

describe('commands that move money', () => {
  it('leave with the priority that is served first, and reach the service where all other priorities have to wait', async () => {
    const { sandbox, run } = openBank();
    const seen: RequestView[] = [];
    const limits = { ...internalsOf(createClient(sandbox.clientOptions)).settings.rateLimits };
    for (const bucket of ['others', 'execute'] as const)
      limits[bucket] = { limit: 20, window: 3_600_000, block: 3_600_000 };
    const prioritiesOf: Record<string, string[]> = {};
    const calls: Record<string, (client: ReturnType<typeof createClient>) => Promise<unknown>> = {
      payout: (client) => client.payouts.initiate('x'),
      payment: (client) => client.paymentQuotes.execute('x'),
      deposit: (client) => client.deposits.create({ paymentMethodId: 'x', amount: '1.00' }),
      exchange: (client) => client.currencyExchangeQuotes.execute('x'),
    };
    for (const [name, call] of Object.entries(calls)) {
      const client = createClient({
        ...sandbox.clientOptions,
        fetch: (url, init) => sandbox.clientOptions.fetch(url, init), // counts alone
        rateLimits: limits,
        queueTimeout: 60_000,
        onRequest: (view) => void seen.push(view),
      });
      for (let spent = 0; spent < 19; spent++) await failureOf(run(client.invoices.get('x')));
      expect(
        (await failureOf(run(client.payouts.get('x')))).status,
        'others have to wait',
      ).to.equal(undefined);
      seen.length = 0;
      expect((await failureOf(run(call(client)))).status, name).to.be.a('number');
      prioritiesOf[name] = seen.map(({ priority }) => priority);
    }
    expect(prioritiesOf).to.deep.equal({
      payout: ['critical'],
      deposit: ['critical'],
      payment: ['critical'],
      exchange: ['critical'],
    });
  });
});
