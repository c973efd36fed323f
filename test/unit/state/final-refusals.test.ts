// Protects: by the table of errors, a refusal that cannot heal ends a watch, and everything else is waited out.
import { expect } from 'chai';
import { watchBalances, watchInvoice, watchInvoices } from 'paystate';
import { serviceCodes } from 'paystate/endpoints';
import { describe, it, itLong } from '#test';
import { openShop, record, recordAll, refusal } from './shop.ts';

const MINUTE = 60_000;

/** The service says that it will be done, is under way, or that something else decides. */
const WAITED_OUT = [
  'PROCESSING_CONFLICT',
  'PROCESSING_PAYMENT',
  'PAYMENT_PROCESSED',
  'LN_INVOICE_PROCESSED',
  'CURRENCY_EXCHANGE_QUOTE_PROCESSED',
  'PAYOUT_ALREADY_INITIATED',
  'DUPLICATE_INVOICE',
  'DUPLICATE_DEPOSIT',
  'DUPLICATE_CURRENCY_EXCHANGE_QUOTE',
  'INVALID_STATE_FOR_INVOICE_CANCELLED',
  'ACCOUNT_NOT_READY',
  'RATE_LIMIT_EXCEEDED',
  'TOO_MANY_ATTEMPTS',
  'INTERNAL_SERVER_ERROR',
  'BAD_GATEWAY',
  'MAINTENANCE_MODE',
  'SERVICE_UNAVAILABLE',
  'LN_UNAVAILABLE',
  'GATEWAY_TIMEOUT',
];

/** What is no refusal of the service, by its code. */
const OTHERS: Readonly<Record<string, () => Response>> = {
  NOT_FROM_SERVICE: () => new Response('<h1>blocked</h1>', { status: 403 }),
  REDIRECT: () => new Response(null, { status: 302, headers: { location: '/login' } }),
  RESPONSE_NOT_JSON: () => new Response('<h1>log in</h1>'),
  UNREACHABLE: () => {
    throw new TypeError('the cable is out');
  },
};

/** A watch of an invoice whose reads are answered like this after `readFor` milliseconds. */
async function watchedWith(answer: () => Response, readFor = 0) {
  let isBad = readFor === 0;
  const shop = openShop({}, async (url, ask) =>
    isBad && /invoices\/[^/?]+$/.test(url) ? answer() : ask(),
  );
  const { invoiceId } = await shop.invoice();
  await shop.sandbox.advance(5 * MINUTE); // no copy of the data is behind it any more
  const log = recordAll(watchInvoice(shop.client, invoiceId));
  await shop.sandbox.advance(readFor);
  isBad = true;
  return { ...shop, log };
}

const codeOf = (ended: unknown): unknown =>
  (ended as { readonly error?: { readonly code?: string } } | undefined)?.error?.code;

describe('the first read of a watch is answered with', () => {
  for (const [code, status] of Object.entries(serviceCodes)) {
    const isWaitedOut = WAITED_OUT.includes(code);
    it(`${status} ${code}: ${isWaitedOut ? 'it is waited out' : 'the watch ends'}`, async () => {
      const { sandbox, log } = await watchedWith(() => refusal(status, code));
      await sandbox.advance(code === 'UNAUTHORIZED' ? 11 * MINUTE : MINUTE);
      expect(codeOf(log.ended)).to.equal(isWaitedOut ? undefined : code);
      expect(log.values.at(-1)).to.nested.include({
        freshness: isWaitedOut ? log.values.at(-1)!.freshness : 'failed',
        'error.code': code,
      });
      log.stop();
    });
  }

  it('a code of tomorrow: its status decides', async () => {
    for (const [status, ends] of [
      [400, true],
      [409, false],
      [410, true],
      [422, true],
      [425, false],
      [503, false],
    ] as const) {
      const { sandbox, log } = await watchedWith(() => refusal(status, 'OF_TOMORROW'));
      await sandbox.advance(MINUTE);
      expect(log.ended !== undefined, `${status}`).to.equal(ends);
      log.stop();
    }
  });

  for (const [code, answer] of Object.entries(OTHERS))
    it(`${code}: it is waited out`, async () => {
      const { sandbox, log } = await watchedWith(answer);
      await sandbox.advance(30 * MINUTE);
      expect(log.ended).to.equal(undefined);
      expect(log.values.at(-1)).to.have.nested.property('error.code', code);
      log.stop();
    });
});

describe('a refusal that cannot heal', () => {
  it('ends a watch that had a value after ten minutes, and not when it passes before', async () => {
    for (const [status, code] of [
      [400, 'INVALID_DATA'],
      [422, 'UNPROCESSABLE_ENTITY'],
    ] as const) {
      let isOver = false;
      const { sandbox, client, log } = await watchedWith(() => refusal(status, code), 5_000);
      await sandbox.advance(9 * MINUTE);
      expect([log.ended, log.values.at(-1)!.freshness]).to.deep.equal([undefined, 'stale']);
      await sandbox.advance(2 * MINUTE);
      expect(codeOf(log.ended)).to.equal(code);

      const shop = openShop({}, async (url, ask) =>
        !isOver && /v1\/balances$/.test(url) ? refusal(status, code) : ask(),
      );
      isOver = true;
      const balances = record(watchBalances(shop.client));
      await shop.sandbox.advance(5_000);
      isOver = false;
      await shop.sandbox.advance(8 * MINUTE);
      isOver = true;
      await shop.sandbox.advance(2 * MINUTE);
      expect([balances.ended, balances.values.at(-1)!.freshness]).to.deep.equal([
        undefined,
        'live',
      ]);
      balances.stop();
      void client;
    }
  });

  it('of a list ends the watch of that list', async () => {
    const { client, sandbox } = openShop({}, async (url, ask) =>
      /v1\/invoices\?/.test(url) ? refusal(400, 'INVALID_DATA_QUERY') : ask(),
    );
    const log = recordAll(watchInvoices(client));
    await sandbox.advance(MINUTE);
    expect(codeOf(log.ended)).to.equal('INVALID_DATA_QUERY');
  });

  itLong('of a list that reads many ends none of them: each is read alone', async () => {
    for (const [status, code] of [
      [400, 'INVALID_DATA'],
      [404, 'NOT_FOUND'],
      [422, 'UNPROCESSABLE_ENTITY'],
    ] as const) {
      const { client, sandbox, invoice } = openShop({}, async (url, ask) =>
        /v1\/invoices\?/.test(url) ? refusal(status, code) : ask(),
      );
      const made = [];
      for (let one = 0; one < 12; one++) made.push(await invoice());
      await sandbox.advance(5 * MINUTE);
      const logs = made.map(({ invoiceId }) => record(watchInvoice(client, invoiceId)));
      await sandbox.advance(15 * MINUTE);
      for (const { ended, values } of logs)
        expect([ended, values.at(-1)?.freshness], code).to.deep.equal([undefined, 'live']);
      for (const { stop } of logs) stop();
    }
  });
});
