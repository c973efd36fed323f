// Lists are what can wait: they leave places for whoever pays or watches.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { describe, it } from '#test';
import { openBank } from '../bank/bank.ts';

describe('every list', () => {
  it('is read in the lane that is served last', async () => {
    const { sandbox, run } = openBank();
    const lanes: string[] = [];
    const client = createClient({ ...sandbox.connection, onRequest: ({ path, lane }) => void lanes.push(`${path} ${lane}`) });
    const lists = [client.invoices, client.events, client.payouts, client.deposits, client.bankPaymentMethods, client.payoutOriginators, client.receiveRequests];
    for (const { list } of lists) await run((list as () => { toArray(options: { limit: number }): Promise<unknown[]> })().toArray({ limit: 1 }));
    expect(lanes).to.have.length(lists.length);
    expect(lanes.filter((one) => !one.endsWith(' lists'))).to.deep.equal([]);
  });
});
