// Protects: the rows of a timeline: polls are folded, results have the weight of their class, and texts are people's.
import { expect } from 'chai';
import {
  clockText,
  foldRows,
  matchesRow,
  plainText,
  readTone,
  type Row,
  shortIds,
  spanText,
} from '../../../src/devtools/rows.ts';
import { describe, it } from '#test';

const ID = '8f2a1c3e-0000-4000-8000-000000000001';

/** Rows of a story: `A200` is a read of A, `!` something that happened, `A` a read in progress. */
const rowsOf = (story: string): readonly Row[] =>
  story.split(' ').map((text, at): Row => {
    const row = { key: `${text}${at}`, at, title: text, about: [] };
    if (text === '!') return { ...row, kind: 'event', end: '' };
    const [, poll = '', end = '', why] = /^([A-Z])(\d*)(?::(.*))?$/.exec(text)!;
    return { ...row, kind: 'request', poll, end, why };
  });

const folded = (story: string): string =>
  foldRows(rowsOf(story))
    .map(({ title, rows }) => (rows.length > 1 ? `${title}×${rows.length}` : title))
    .join(' ');

describe('the rows of a timeline', () => {
  it('fold polls of one subject with one result until something happens', () => {
    expect(folded('A200 A200 A200')).to.equal('A200×3');
    expect(folded('A200 B200 A200 B200')).to.equal('A200×2 B200×2');
    expect(folded('A200 ! A200')).to.equal('A200 ! A200');
    expect(folded('A200 B200 ! B200 A200')).to.equal('A200 B200 ! B200 A200');
    expect(folded('A200 A503 A503 A200')).to.equal('A200 A503×2 A200');
    expect(folded('A503:one A503:other')).to.equal('A503:one A503:other');
    expect(folded('! !')).to.equal('! !');
  });

  it('count a read in progress to those before it', () => {
    expect(folded('A200 A')).to.equal('A200×2');
    expect(folded('A A200')).to.equal('A200×2');
    expect(folded('A A')).to.equal('A×2');
    expect(folded('A200 ! A')).to.equal('A200 ! A');
    expect(folded('A200 A A503')).to.equal('A200×2 A503');
  });

  it('keep the key and time of the first, and the rest of the newest', () => {
    const [row] = foldRows([
      { ...rowsOf('A200')[0]!, took: 1 },
      { ...rowsOf('A200')[0]!, key: 'newer', at: 7, took: 9 },
    ]);
    expect(row).to.include({ key: 'A2000', at: 0, took: 9 });
    expect(row!.rows.map(({ key }) => key)).to.deep.equal(['A2000', 'newer']);
  });

  it('are found by kind and by any of their words, decoded too', () => {
    const row: Row = {
      ...rowsOf('A200')[0]!,
      title: "GET /v1/invoices?$filter=state%20eq%20'PAID'",
      about: [ID],
      subject: 'invoice',
      why: 'FORBIDDEN',
    };
    for (const words of ["eq 'paid'", '%20eq', ID, 'forbidden', '200', 'invoice', ''])
      expect(matchesRow(row, '', words), words).to.equal(true);
    expect(matchesRow(row, 'request', '')).to.equal(true);
    expect([matchesRow(row, 'event', ''), matchesRow(row, '', 'none')]).to.deep.equal([
      false,
      false,
    ]);
  });

  it('weigh results by their class', () => {
    const tones: Readonly<Record<string, readonly string[]>> = {
      good: ['200', '201', 'UNPAID → PAID', 'COMPLETED', 'paid'],
      wait: ['302', '404', '429', 'UNPAID → PENDING'],
      bad: ['500', '503', 'no answer', 'lost', 'timeout', 'PENDING → FAILED', 'REVERSED'],
      '': ['', 'UNPAID', 'new', '2000'],
    };
    for (const [tone, ends] of Object.entries(tones))
      for (const end of ends) expect(readTone(end), end).to.equal(tone);
  });

  it('are in the words of people, and never act', () => {
    expect(plainText('/v1/invoices?$filter=state%20eq%20%27PAID%27')).to.equal(
      "/v1/invoices?$filter=state eq 'PAID'",
    );
    expect(plainText('/50%')).to.equal('/50%');
    expect(plainText('/a%E2%80%AEb%0Ac')).to.equal('/a\uFFFDb\uFFFDc');
    expect(shortIds(`GET /v1/invoices/${ID}/quote`)).to.equal('GET /v1/invoices/8f2a1c3e…/quote');
    expect([shortIds(ID), shortIds('short')]).to.deep.equal(['8f2a1c3e…', 'short']);
    expect([clockText(61_005), clockText(61_005, 0), clockText(NaN)]).to.deep.equal([
      ...['00:01:01.005', '00:01:01', ''],
    ]);
    const spans = [0, 999, 9_940, 60_000, 5_400_000, 129_600_000].map(spanText);
    expect(spans).to.deep.equal(['0 ms', '999 ms', '9.9 s', '1 min', '1.5 h', '1.5 d']);
  });
});
