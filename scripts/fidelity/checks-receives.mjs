// Checks of receives and of the filters of their lists.
import { queryOf, valueAt } from './json.mjs';
import { check, same } from './verdict.mjs';

const RECEIVES = '/v1/receive-requests/{receiveRequestId}/receives';

/** A filter with the value of one thing leaves that one of two. */
export const filterOnly =
  (path, name, member, thing = 'lightningReceive') =>
  async (stage) => {
    await stage.make(thing);
    const wanted = await stage.make(thing);
    const query = queryOf({ [name]: valueAt(wanted, member), $top: 100 });
    const { items, count } = await stage.get(path, { values: wanted, query });
    const id = wanted.receiveId ? 'receiveId' : 'receiveRequestId';
    same([[wanted[id]], 1], [items.map((item) => item[id]), count]);
  };

export const paidTwice = () => async (stage) => {
  const { bolt11 } = await stage.make('receiveRequest');
  await stage.world.pay(bolt11.invoice);
  const again = await stage.world.pay(bolt11.invoice).then(
    () => 'paid again',
    ({ code }) => code,
  );
  same('LN_INVOICE_PROCESSED', again);
};

export const receivesTwo = () => async (stage) => {
  const made = await stage.make('openRequest');
  for (const amount of ['0.00100000', '0.00200000'])
    await stage.world.startPay(made.onchain.address, { amount, pendingFor: 1_000 });
  await stage.world.advance(5_000);
  const { items } = await stage.get(RECEIVES, { values: made });
  const amounts = items.map(({ amountReceived }) => amountReceived.amount).sort();
  check(amounts.join() === '0.00100000,0.00200000', 'two receives', items);
};
