// Protects: the lines of an export add up to the balances, whatever happened; what they do not explain is named to the digit;
// and an export that was interrupted goes on to the same bytes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, describe, it } from '#test';
import type { Client } from 'paystate';
import { csvHead, csvLine } from '../../src/cli/export/lines.ts';
import { type AccountLines, readAccount } from '../../src/cli/export/read-account.ts';
import { fileStore } from '../../src/stores/file.ts';
import { memoryStore } from '../../src/stores/index.ts';
import { parseDecimal } from '../../src/money/decimal.ts';
import { isExplained, addUp } from '../../src/cli/commands/export.ts';
import { beginLife, OPENING } from './export-life.ts';

const folder = mkdtempSync(join(tmpdir(), 'paystate-export-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const openings = new Map(
  Object.entries(OPENING).map(([currency, amount]) => [currency, parseDecimal(amount)]),
);
const progress = () => ({ show() {}, end() {} });
const read = (client: Client, keep?: string, signal?: AbortSignal): Promise<AccountLines> =>
  readAccount(client as never, {
    kept: keep === undefined ? memoryStore() : fileStore(keep),
    signal,
    handle: 'shop',
    progress,
  });
const csvOf = ({ lines }: AccountLines): string => [csvHead, ...lines.map(csvLine)].join('\r\n');

const STEPS = Number(process.env['EXPORT_STEPS'] ?? 1_000);

describe('export', () => {
  it(`adds up to the balances after ${STEPS} random operations`, async () => {
    const { sandbox, reader, step } = await beginLife(Number(process.env['EXPORT_SEED'] ?? 7));
    for (let done = 0; done < STEPS; done++) await step();
    const found = await sandbox.run(read(reader));
    const sums = addUp(found.lines, found.balances, openings);
    if (process.env['EXPORT_STEPS']) console.log(found.lines.length, sums);
    expect(new Set(found.lines.map(({ kind }) => kind)).size).to.be.at.least(11);
    expect(sums.filter((one) => !isExplained(one))).to.deep.equal([]);
  });

  it('goes on after it was interrupted, to the same bytes, and reads no payment twice', async () => {
    const { sandbox, client, step } = await beginLife(11);
    for (let done = 0; done < 300; done++) await step();
    await sandbox.advance(3_600_000);
    const whole = csvOf(await sandbox.run(read(client)));
    const keep = join(folder, 'kept.db');
    for (let stop = 1; stop <= 20; stop++) {
      const ending = new AbortController();
      let reads = 0;
      const stopping = {
        ...client,
        payments: { ...client.payments, get: (id: string) => stopAfter(client.payments.get(id)) },
      } as Client;
      const stopAfter = <T>(call: T): T => {
        if (++reads > 2) ending.abort();
        return call;
      };
      await sandbox.run(read(stopping, keep, ending.signal).catch(() => {}));
    }
    const [before] = [sandbox.log.length];
    expect(csvOf(await sandbox.run(read(client, keep)))).to.equal(whole);
    const again = sandbox.log.slice(before).filter(({ path }) => /payments\//.test(path));
    expect(again.length).to.be.below(10);
    expect(await fileStore(keep).listOpen('payment/')).to.have.length.above(10);
  });

  it('names exactly what is missing where an event is, and decides nothing that does not show', async () => {
    const { sandbox, client } = await beginLife(3);
    const { run, payer } = sandbox;
    const lnInvoice = payer.createBolt11({ sat: '5000' });
    const quote = await run(
      client.paymentQuotes.createLightning({ lnInvoice, sourceCurrency: 'BTC' }),
    );
    await run(client.paymentQuotes.execute(quote.paymentQuoteId));
    const deaf = {
      ...client,
      events: { ...client.events, list: () => (async function* () {})() },
    } as unknown as Client;
    const found = await run(read(deaf));
    const [btc] = addUp(found.lines, found.balances, openings).filter((one) => !isExplained(one));
    const reward = quote.reward?.amount ?? '0';
    const spent = Number(quote.totalAmount.amount) - Number(reward);
    expect([btc!.currency, btc!.rest]).to.deep.equal(['BTC', `-${spent.toFixed(8)}`]);

    const tiny = await run(
      client.currencyExchangeQuotes.create({
        sell: 'EUR',
        buy: 'USD',
        amount: { amount: '1.00', currency: 'EUR', feePolicy: 'EXCLUSIVE' },
      }),
    );
    await run(client.currencyExchangeQuotes.execute(tiny.id));
    await sandbox.advance(60_000);
    const { lines, balances } = await run(read(client));
    expect(
      lines.filter(({ effect }) => effect === undefined).map(({ kind, id }) => [kind, id]),
    ).to.deep.equal([['exchange fee', tiny.id]]);
    expect(
      addUp(lines, balances, openings)
        .filter((one) => !isExplained(one))
        .map(({ currency, rest, undecided }) => [currency, rest, undecided]),
    ).to.deep.equal([['EUR', '-0.01', 1]]);
  });

  it('takes 0 for an opening that is not given where another one is, else what fits', () => {
    const balances = [
      { currency: 'EUR', current: '5.00', pending: '0', reserved: '0' },
      { currency: 'USD', current: '7.00', pending: '0', reserved: '0' },
    ] as unknown as Parameters<typeof addUp>[1];
    const rests = (given: typeof openings) =>
      addUp([], balances, given).map(({ opening, rest }) => `${opening} ${rest}`);
    expect(rests(new Map())).to.deep.equal(['5.00 0.00', '7.00 0.00']);
    expect(rests(new Map([['EUR', parseDecimal('5')]]))).to.deep.equal(['5 0.00', '0 7.00']);
  });

  it('keeps texts of others from being formulas, and cells whole', () => {
    const line = { kind: 'invoice', id: 'a', state: 'PAID', currency: 'EUR', amount: '1.00' };
    const cells = (reference: string): string =>
      csvLine({ ...line, effect: parseDecimal('-1.00'), reference, source: 'list' });
    expect(cells('=1+1')).to.equal("invoice,a,PAID,,,EUR,1.00,-1.00,,'=1+1,list");
    for (const sign of [
      '+',
      '-',
      '@',
      '＝',
      '＋',
      '－',
      '＠',
      '﹦',
      '﹢',
      '﹣',
      '﹫',
      '−',
      ' =',
      '  ＝',
    ])
      expect(cells(`${sign}1`)).to.equal(`invoice,a,PAID,,,EUR,1.00,-1.00,,'${sign}1,list`);
    for (const sign of ['\t', '\r', '\n', '\n=', '\u0000=', '\u001b=', '\u202e=', '\ufeff=']) {
      const plain = sign.replace(/[^=]/g, '\uFFFD');
      expect(cells(`${sign}1`)).to.equal(`invoice,a,PAID,,,EUR,1.00,-1.00,,'${plain}1,list`);
    }
    expect(cells('a=1')).to.equal('invoice,a,PAID,,,EUR,1.00,-1.00,,a=1,list');
    expect(cells('a, b')).to.equal('invoice,a,PAID,,,EUR,1.00,-1.00,,"a, b",list');
    expect(cells('a "b"')).to.equal('invoice,a,PAID,,,EUR,1.00,-1.00,,"a ""b""",list');
    expect(cells('a "b", c')).to.equal('invoice,a,PAID,,,EUR,1.00,-1.00,,"a ""b"", c",list');
    for (const act of ['\n', '\r', '\t', '\u001b', '\u009b', '\u202e'])
      expect(cells(`a${act}b`)).to.equal('invoice,a,PAID,,,EUR,1.00,-1.00,,a\uFFFDb,list');
  });
});
