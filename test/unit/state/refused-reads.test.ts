// A refused read ends a watch only after it was asked again, and is not asked for ever where that cannot help.
import { expect } from 'chai';
import { describe, it } from '#test';
import { watchBankPaymentMethod, watchInvoice } from 'paystate';
import { methodDraft } from '../bank/bank.ts';
import { openShop, refusal } from './shop.ts';

const MINUTE = 60_000;
const FOREVER = undefined;
const unreadable = () => new Response('{"invoiceId":7}');

type Row = readonly [
  name: string,
  answer: () => Response,
  wasRead: boolean,
  age: number,
  reads: number,
  endsAfter: number | undefined,
];

const refused = (status: number, code: string) => () => refusal(status, code);
const FORBIDDEN = refused(403, 'FORBIDDEN');
const MISSING = refused(404, 'NOT_FOUND');
const UNAUTHORIZED = refused(401, 'UNAUTHORIZED');
const CONFLICT = refused(409, 'CONFLICT');

/** By what is answered: reads until the end, and the time of the first refusal to the end; or reads of five minutes. */
const ROWS: readonly Row[] = [
  ['a 403 to the first read', FORBIDDEN, false, 0, 2, 1_500],
  ['a 403 later', FORBIDDEN, true, 0, 5, 10 * MINUTE],
  [
    'a 401 to the first read of a credential that has worked',
    UNAUTHORIZED,
    false,
    0,
    6,
    10 * MINUTE,
  ],
  ['a 401 later', UNAUTHORIZED, true, 0, 6, 10 * MINUTE],
  ['a 404 of one that may be new', MISSING, false, 0, 5, 33_000],
  ['a 404 of one that is two minutes old', MISSING, false, 2 * MINUTE, 5, 41_000],
  ['a 404 of an older one', MISSING, false, 3 * MINUTE, 2, 1_500],
  ['a 404 later', MISSING, true, 0, 13, FOREVER],
  ['what cannot be read, first', unreadable, false, 0, 8, 129_000],
  ['what cannot be read, later', unreadable, true, 0, 8, 128_000],
  ['any other refusal, first', CONFLICT, false, 0, 13, FOREVER],
  ['any other refusal, later', CONFLICT, true, 0, 13, FOREVER],
];

describe('a watch whose reads are refused', () => {
  for (const [name, answer, wasRead, age, reads, endsAfter] of ROWS)
    it(`${name}: ${endsAfter ? `ends after ${reads} reads and ${endsAfter / 1_000} s` : 'goes on'}`, async () => {
      let isBad = !wasRead;
      const { sandbox, client, requests, invoice } = openShop({}, async (url, ask) =>
        isBad && /invoices\/[^/]+$/.test(url) ? answer() : ask(),
      );
      const one = await invoice();
      await sandbox.advance(age);
      let endedAt: number | undefined;
      const { now } = sandbox.clock;
      const stop = watchInvoice(client, one).subscribe({ error: () => void (endedAt = now()) });
      if (wasRead) await sandbox.advance(1_000);
      isBad = true;
      requests.length = 0;
      await sandbox.advance(endsAfter === 10 * MINUTE ? 11 * MINUTE : 5 * MINUTE);
      expect(requests).to.have.length(reads);
      const took = endedAt && endedAt - requests[0]!.sentAt;
      if (endsAfter) expect(took).to.be.within(endsAfter - 10, endsAfter + 10);
      else expect(took).to.equal(undefined);
      stop();
    });

  it('ends half a minute after a method that was read has been deleted, and not for one copy without it', async () => {
    let isGone = false;
    const { sandbox, client } = openShop({}, async (url, ask) =>
      isGone && /bank\/[^/]+$/.test(url) ? MISSING() : ask(),
    );
    const method = await sandbox.run(client.bankPaymentMethods.create(methodDraft('SEPA')));
    let end: { code?: string } | undefined;
    watchBankPaymentMethod(client, method).subscribe({
      error: (error) => void (end = error as {}),
    });
    await sandbox.advance(MINUTE);
    isGone = true;
    await sandbox.advance(10_000);
    isGone = false;
    await sandbox.advance(MINUTE);
    expect(end).to.equal(undefined);
    isGone = true;
    await sandbox.advance(25_000);
    expect(end).to.equal(undefined);
    await sandbox.advance(45_000);
    expect(end?.code).to.equal('NOT_FOUND');
  });
});
