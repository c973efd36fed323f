// Protects: what is held of an id says nothing of a resource that was created at another time, as by a sandbox that was started
// again with its seed; times of one creation may be printed with more digits or fewer.
import { expect } from 'chai';
import { type Invoice, invalidate, watchInvoice } from 'paystate';
import { describe, it } from '#test';
import { openShop, record } from './shop.ts';

const SECOND = 1_000;

/** A shop whose invoice is paid and seen so; later its reads are what `change` makes of it. */
const paidThen = async (change: (invoice: Invoice) => Invoice) => {
  let isChanged = false;
  const shop = openShop({}, async (_url, ask) => {
    const answer = await ask();
    if (!isChanged) return answer;
    const body = (await shop.sandbox.clock.external(answer.json())) as Invoice & {
      readonly items?: readonly Invoice[];
    };
    const changed = body.items ? { ...body, items: body.items.map(change) } : change(body);
    return Response.json(changed, { status: answer.status });
  });
  const invoice = await shop.invoice();
  const log = record(watchInvoice(shop.client, invoice, { until: 'never' }));
  await shop.pay(invoice);
  await shop.sandbox.advance(60 * SECOND);
  expect(log.values.at(-1)!.value.state).to.equal('PAID');
  isChanged = true;
  invalidate(shop.client, 'invoice', invoice.invoiceId);
  await shop.sandbox.advance(5 * SECOND);
  log.stop();
  return log.values.at(-1)!;
};

describe('an id of another world', () => {
  it('shows what is read of it at once, whatever was held of the one before', async () => {
    const { value } = await paidThen((invoice) => ({
      ...invoice,
      state: 'UNPAID',
      created: '2026-03-05T08:40:00+00:00',
    }));
    expect(value.state).to.equal('UNPAID');
  });

  it('is not seen in a time of creation that has other digits', async () => {
    const { value } = await paidThen(({ created, ...invoice }) => ({
      ...invoice,
      state: 'UNPAID',
      created: created.replace(/(\.\d+)?\+00:00$/, '.999999Z'),
    }));
    expect(value.state).to.equal('PAID');
  });
});
