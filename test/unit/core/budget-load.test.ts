import { expect } from 'chai';
import {
  type Client,
  createClient,
  type Invoice,
  productionRateLimits,
  watchInvoice,
} from 'paystate';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { describe, itLong, sized } from '#test';
import { DRAFT } from './shop.ts';

const MINUTE = 60_000;
const DAY = { callTimeout: 24 * 60 * MINUTE, queueTimeout: 24 * 60 * MINUTE };
const ENDLESS = Object.fromEntries(
  Object.entries(productionRateLimits).map(([group, limit]) => [group, { ...limit, limit: 1e9 }]),
) as typeof productionRateLimits;

/** An account with many invoices, made from elsewhere over half an hour. */
const fill = async (sandbox: Sandbox, count: number): Promise<readonly Invoice[]> => {
  const elsewhere = createClient({ ...sandbox.clientOptionsFor({ address: 'elsewhere' }), ...DAY });
  const made: Invoice[] = [];
  while (made.length < count) {
    made.push(
      ...(await sandbox.run(
        Promise.all(
          Array.from({ length: Math.min(200, count - made.length) }, () =>
            elsewhere.invoices.create(DRAFT),
          ),
        ),
      )),
    );
    await sandbox.advance(63_000);
  }
  return made;
};

/** Pays somebody outside and looks at the payment; resolves to the time that it all took. */
const pay = async (sandbox: Sandbox, client: Client): Promise<number> => {
  const lnInvoice = sandbox.payer.createBolt11({ sat: '1000' });
  const begun = sandbox.clock.monotonic();
  const { paymentQuoteId } = await client.paymentQuotes.createLightning({
    lnInvoice,
    sourceCurrency: 'USD',
  });
  const { paymentId } = await client.paymentQuotes.execute(paymentQuoteId);
  expect((await client.payments.get(paymentId)).state).to.equal('COMPLETED');
  return sandbox.clock.monotonic() - begun;
};

/** Watches 200 invoices, exports everything, pays 50 times, all at once and by one client. */
const work = async (sandbox: Sandbox, client: Client, all: readonly Invoice[]) => {
  const watched = all
    .slice(0, 200)
    .map((invoice) => watchInvoice(client, invoice).subscribe({ next() {}, error() {} }));
  const rows: Invoice[] = [];
  const exporting = (async () => {
    for await (const invoice of client.invoices.list({}, DAY)) rows.push(invoice);
  })();
  const waits: number[] = [];
  for (let payment = 0; payment < 50; payment++) {
    await sandbox.advance(9_000);
    waits.push(await sandbox.run(pay(sandbox, client)));
  }
  await sandbox.run(exporting, { timeout: DAY.callTimeout });
  await sandbox.advance(12 * MINUTE);
  for (const stop of watched) stop();
  return { rows, waits };
};

describe('200 watches, an export of 5,000 rows and 50 payments', () => {
  itLong('never meet a 429, and no payment waits a second for the limiter', async () => {
    const sandbox = createSandbox({ signed: false });
    const count = sized(2_000, 5_000);
    const all = await fill(sandbox, count);
    const client = createClient(sandbox.clientOptions);
    const { rows, waits } = await work(sandbox, client, all);
    expect([
      sandbox.blocks,
      sandbox.log.filter(({ status }) => status === 429).length,
    ]).to.deep.equal([0, 0]);
    expect(Math.max(...waits)).to.be.below(1_000);
    expect([rows.length, new Set(rows.map(({ invoiceId }) => invoiceId)).size]).to.deep.equal([
      count,
      count,
    ]);
  });

  itLong('are blocked without it', async () => {
    const sandbox = createSandbox({ signed: false, rateLimits: 'test' });
    const [invoice] = await fill(sandbox, 1);
    const careless = createClient({ ...sandbox.clientOptions, rateLimits: ENDLESS });
    for (let time = 0; time < 400 && sandbox.blocks === 0; time++)
      await sandbox.run(careless.invoices.get(invoice!.invoiceId).catch(() => {}));
    expect(sandbox.blocks).to.equal(1);
  });
});
