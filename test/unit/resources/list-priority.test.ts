// Lists are what can wait: they leave places for whoever pays or watches.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { describe, it } from '#test';
import { openBank } from '../bank/bank.ts';

describe('every list', () => {
  it('is read with the priority that is served last', async () => {
    const { sandbox, run } = openBank();
    const priorities: string[] = [];
    const client = createClient({
      ...sandbox.clientOptions,
      onRequest: ({ path, priority }) => void priorities.push(`${path} ${priority}`),
    });
    const lists = [
      client.invoices,
      client.events,
      client.payouts,
      client.deposits,
      client.bankPaymentMethods,
      client.payoutOriginators,
      client.receiveRequests,
    ];
    for (const { list } of lists)
      await run(
        (list as () => { toArray(options: { limit: number }): Promise<unknown[]> })().toArray({
          limit: 1,
        }),
      );
    expect(priorities).to.have.length(lists.length);
    expect(priorities.filter((one) => !one.endsWith(' low'))).to.deep.equal([]);
  });
});
