// First reads leave within a second among other watches, and after an outage.
import { expect } from 'chai';
import { invalidate, watchInvoice, watchReceives } from 'paystate';
import { describe, itLong, itWhole } from '#test';
import { openPaged } from './paged.ts';
import { asking, receiveRequests } from './single-reads.ts';
import { openShop, record, refusal, type Shop } from './shop.ts';

const MINUTE = 60_000;

/** Expects a new watch of an invoice to know it within a second. */
async function expectSoon(shop: Shop, change: (id: string) => void = () => {}): Promise<void> {
  const { invoiceId } = await shop.invoice();
  const log = record(watchInvoice(shop.client, invoiceId));
  change(invoiceId);
  await shop.sandbox.advance(1_000);
  expect(log.values.at(-1)?.freshness).to.be.a('string');
  log.stop();
}

describe('a first read', () => {
  for (const feed of [true, false])
    itLong(
      `leaves within a second among 30 single watches, feed: ${feed}, also with events before it`,
      async () => {
        const shop = openShop({}, undefined, { capabilities: { feed } });
        const all = await receiveRequests(shop, 30);
        const logs = all.map((request) => record(watchReceives(shop.client, request)));
        await shop.sandbox.advance(3 * MINUTE);
        for (let n = 0; n < 4; n++) {
          await expectSoon(shop);
          await shop.sandbox.advance(3_700);
          await expectSoon(shop, (id) => {
            shop.sandbox.move('invoice', id, 'PENDING');
            invalidate(shop.client, 'invoice', id);
          });
        }
        for (const log of logs) log.stop();
      },
    );

  itWhole('leaves within a second after 1,000 listed ones', async () => {
    const shop = openPaged();
    const all = await shop.makeAtOnce(1_000);
    await shop.sandbox.advance(11 * MINUTE);
    const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
    await shop.sandbox.advance(MINUTE);
    for (let n = 0; n < 5; n++) {
      await expectSoon(shop);
      await shop.sandbox.advance(7_300);
    }
    for (const log of logs) log.stop();
  });

  // in these worlds a page of the one second in which all were made is the next after the outage
  for (const seed of [1, 23, 24, 32])
    itLong(
      `that waits for a page in an outage leaves after it, with what has changed, ${seed}`,
      async () => {
        let isAway = false;
        const answer = async (_url: string, ask: () => Promise<Response>) =>
          isAway ? refusal(503, 'SERVICE_UNAVAILABLE') : ask();
        const shop = openPaged(answer, {}, { seed }, answer);
        const all = await shop.makeAtOnce(200);
        await shop.sandbox.advance(11 * MINUTE);
        const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
        await asking(shop, 80, 12);
        const [late, left] = await shop.makeAtOnce(2);
        isAway = true;
        const more = [late!, left!].map(({ invoiceId }) =>
          record(watchInvoice(shop.client, invoiceId)),
        );
        shop.sandbox.move('invoice', all[50]!.invoiceId, 'CANCELLED');
        invalidate(shop.client, 'invoice', all[50]!.invoiceId);
        await shop.sandbox.advance(3 * MINUTE);
        more[1]!.stop();
        isAway = false;
        shop.requests.length = shop.pages.length = 0;
        await shop.sandbox.advance(MINUTE);
        expect(more[0]!.values.at(-1)?.value.state).to.equal('UNPAID');
        expect(logs[50]!.values.at(-1)!.value.state).to.equal('CANCELLED');
        const isLeftAsked = shop.pages.some(({ asked }) => asked.has(left!.invoiceId));
        expect(isLeftAsked, 'no page asks for what nobody watches any more').to.equal(false);
        for (const log of [...logs, ...more]) log.stop();
        await shop.sandbox.advance(0);
        expect(shop.timers()).to.equal(0);
      },
    );
});
