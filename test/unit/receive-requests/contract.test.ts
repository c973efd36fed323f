import { expect } from 'chai';
import { receiveStates } from 'paystate/endpoints';
import { rejectDrift, reportDrift } from 'paystate/schemas';
import { describe, it } from '#test';
import { answering, json, openShop } from '../core/shop.ts';

const REQUEST = {
  receiveRequestId: 'c6a5c4d3-e2f1-4a09-9b87-76543210fedd',
  created: '2026-05-01T12:00:00.250000+00:00',
  targetCurrency: 'USD',
  bolt11: {
    invoice: 'lntb176670n1pexample',
    requestedAmount: { amount: '11.00', currency: 'USD' },
    btcAmount: '0.00017667',
    description: 'Support our band',
    paymentHash: '8f'.repeat(32),
    expires: '2026-05-01T12:10:00+00:00',
  },
  onchain: {
    address: 'tb1qexample',
    addressUri: 'bitcoin:tb1qexample?amount=0.00017667',
    requestedAmount: { amount: '11.00', currency: 'USD' },
    btcAmount: '0.00017667',
  },
};
const RECEIVE = {
  receiveId: '54c1e0a7-5b92-4d63-8f1a-c0d9e8b7a616',
  receiveRequestId: REQUEST.receiveRequestId,
  type: 'LIGHTNING',
  state: 'COMPLETED',
  amountReceived: { amount: '0.00017667', currency: 'BTC' },
  amountCredited: { amount: '11.00', currency: 'USD' },
  conversionRate: { amount: '62000.00', sourceCurrency: 'BTC', targetCurrency: 'USD' },
  created: '2026-05-01T12:03:11.004000+00:00',
  completed: '2026-05-01T12:03:11.950000+00:00',
  lightning: {
    invoice: 'lntb176670n1pexample',
    preimage: '1a'.repeat(32),
    paymentHash: '8f'.repeat(32),
    description: 'Support our band',
  },
};
const ONCHAIN = {
  ...RECEIVE,
  type: 'ONCHAIN',
  lightning: undefined,
  onchain: {
    address: 'tb1qexample',
    transactionId: 'c1'.repeat(32),
    blockHeight: 42,
    numberOfConfirmations: 2,
  },
};
const P2P = { ...RECEIVE, type: 'P2P', lightning: undefined, p2p: { payerAccountId: '7' } };
const page = (...items: object[]) => ({ items, count: items.length, isCountUnknown: false });

const shopOf = (body: unknown, options: object = {}) =>
  openShop({ fetch: answering(json(body)).fetch, maxAttempts: 1, ...options });

describe('answers about receive requests', () => {
  it('pass as they are, without anything unknown', async () => {
    const { client, run } = shopOf(REQUEST, { drift: rejectDrift });
    expect(await run(client.receiveRequests.get(REQUEST.receiveRequestId))).to.deep.equal(REQUEST);
    const items = [RECEIVE, ONCHAIN, P2P].map(
      (item, at) => JSON.parse(JSON.stringify({ ...item, receiveId: `${at}` })) as object,
    );
    const listed = shopOf(page(...items), { drift: rejectDrift });
    expect(
      await listed.run(listed.client.receiveRequests.listAllReceives().toArray({ limit: 9 })),
    ).to.deep.equal(items);
  });

  it('may lack or null what is optional, and bring what is new', async () => {
    for (const name of ['targetCurrency', 'bolt11', 'onchain']) {
      const { client, run } = shopOf({ ...REQUEST, [name]: null });
      expect(await run(client.receiveRequests.get(REQUEST.receiveRequestId))).to.deep.equal({
        ...REQUEST,
        [name]: undefined,
      });
    }
    for (const name of ['amountCredited', 'conversionRate', 'completed', 'lightning']) {
      const { client, run } = shopOf(page({ ...RECEIVE, [name]: null }));
      expect(
        await run(client.receiveRequests.listReceives('x').toArray({ limit: 1 })),
      ).to.deep.equal([{ ...RECEIVE, [name]: undefined }]);
    }
    const told: string[] = [];
    const { client, run } = shopOf(
      page({
        ...RECEIVE,
        type: 'CARD',
        state: 'ODD',
        lightning: { ...RECEIVE.lightning, more: 1 },
      }),
      {
        drift: reportDrift(({ field, text }) => told.push(`${field} ${text}`)),
      },
    );
    const [receive] = await run(client.receiveRequests.listReceives('x').toArray({ limit: 1 }));
    expect(receive).to.include({ type: 'CARD', state: 'ODD' });
    expect(told).to.deep.equal([
      'items[].type CARD',
      'items[].state ODD',
      'items[].lightning.more more',
    ]);
  });

  it('have receives with the life that is written down', () => {
    expect(
      Object.keys(receiveStates.transitions).map((state) => [
        receiveStates.rank(state),
        receiveStates.isSettled(state),
      ]),
    ).to.deep.equal([
      [0, false],
      [1, true],
    ]);
  });
});
