// Protects: a list of payments is read exactly, or not at all: every mistake is named with its place, amounts stay texts.
import { expect } from 'chai';
import { isPaystateError } from 'paystate';
import { parseRows, type PaymentOptions, type PlanRow } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';

const csv = (...lines: readonly string[]): readonly PlanRow[] =>
  parseRows(lines.join('\n'), { format: 'csv' });

/** The mistakes of a list, as `place: advice`. */
const mistakesIn = (text: string, format: 'csv' | 'json' = 'csv'): readonly string[] => {
  try {
    parseRows(text, { format });
  } catch (thrown) {
    if (!isPaystateError(thrown) || thrown.kind !== 'input') throw thrown;
    return Object.entries(thrown.validationErrors!).flatMap(([place, issues]) =>
      issues.map(({ code, message }) => {
        expect(code).to.equal('INVALID_DATA_VALUE');
        return `${place}: ${message}`;
      }),
    );
  }
  return [];
};

const HEADER = 'intent,to,amount,currency';
const ADA = { to: 'ada@wallet.example', amount: { amount: '12.50', currency: 'EUR' } };

describe('a list of payments', () => {
  it('is read from comma-separated values with all that RFC 4180 allows', () => {
    const rows = csv(
      '\uFEFFintent,to,amount,currency,description,maxFee\r',
      '"may, ada",ada@wallet.example,12.50,EUR,"two\r\nlines, ""quoted""",0.50 EUR\r',
      '\r',
      'may-ben,ben@wallet.example,0.10,EUR,,1.5%',
      '',
    );
    expect(rows).to.deep.equal([
      {
        intent: 'may, ada',
        ...ADA,
        description: 'two\r\nlines, "quoted"',
        maxFee: { amount: '0.50', currency: 'EUR' },
      },
      {
        intent: 'may-ben',
        to: 'ben@wallet.example',
        amount: { amount: '0.10', currency: 'EUR' },
        maxFee: { percent: '1.5' },
      },
    ]);
  });

  it('is read from JSON as the options themselves', () => {
    const rows = [{ intent: 'a', ...ADA, maxFee: 'any', beneficiary: { isOwnDestination: true } }];
    expect(parseRows(`\uFEFF${JSON.stringify(rows)}`, { format: 'json' })).to.deep.equal(rows);
  });

  it('has beneficiaries, limits and shares in columns of their own', () => {
    const [row] = csv(
      `${HEADER},maxFee,maxTotal,maxRateSlip,feePolicy,onchainTierId,beneficiary.type,beneficiary.isOwnDestination`,
      'a,ada@wallet.example,1,EUR,any,9.00 EUR,2%,EXCLUSIVE,tier_fast,INDIVIDUAL,false',
    );
    expect(row).to.deep.equal({
      intent: 'a',
      to: ADA.to,
      amount: { amount: '1', currency: 'EUR' },
      maxFee: 'any',
      maxTotal: { amount: '9.00', currency: 'EUR' },
      maxRateSlip: { percent: '2' },
      feePolicy: 'EXCLUSIVE',
      onchainTierId: 'tier_fast',
      beneficiary: { type: 'INDIVIDUAL', isOwnDestination: false },
    });
  });

  it('is refused with the name of its separator where that is no comma', () => {
    for (const [separator, name] of [
      [';', 'semicolons'],
      ['\t', 'tabs'],
      ['|', 'vertical bars'],
    ] as const)
      for (const quote of ['', '"'])
        for (const before of ['', '\uFEFF', '\n\r\n'])
          expect(
            mistakesIn(
              before +
                HEADER.split(',')
                  .map((name) => quote + name + quote)
                  .join(separator),
            ),
          ).to.deep.equal([
            `line 1: has ${name} between its columns: save the file with commas instead`,
          ]);
    expect(
      csv(`${HEADER},description`, 'a,ada@wallet.example,1,EUR,tea; cake|pie'),
    ).to.have.lengthOf(1);
  });

  it('has limits that are read to their end, or refused', () => {
    const limits = ['20 EUR -5', '0.50 EUR extra', '0.50', '20  EUR', 'any ', '0.50\u00a0EUR', '-'];
    for (const column of ['maxFee', 'maxTotal', 'maxRateSlip'])
      for (const limit of limits)
        expect(
          mistakesIn(`${HEADER},${column}\na,ada@wallet.example,1,EUR,${limit}`),
          limit,
        ).to.deep.equal([
          `line 2, column 5 (${column}): must be a limit such as 0.50 EUR or 1.5%, or any`,
        ]);
    for (const tier of ['0.00002 BTC max', '60 min or so', '60', 'fast'])
      expect(
        mistakesIn(`${HEADER},onchainTier\na,ada@wallet.example,1,EUR,${tier}`),
        tier,
      ).to.deep.equal([
        'line 2, column 5 (onchainTier): must be a limit such as 60 min or 0.00002 BTC',
      ]);
    for (const wrong of ['-5 EUR', '1e3 EUR', '5 eur', '1.5%%', 'any %', '1.5% EUR'])
      expect(
        mistakesIn(`${HEADER},maxFee\na,ada@wallet.example,1,EUR,${wrong}`),
        wrong,
      ).to.have.lengthOf(1);
  });

  it('keeps digits that no float has', () => {
    const [row] = csv(HEADER, 'a,ada@wallet.example,90071992547409931.000000000000000001,EUR');
    expect((row as PaymentOptions).amount!.amount).to.equal('90071992547409931.000000000000000001');
    const text =
      '[{ "intent": "a", "to": "ada@wallet.example", "amount": { "amount": 12.5, "currency": "EUR" } }]';
    expect(mistakesIn(text, 'json')).to.deep.equal([
      'row 1 (amount): must be a decimal string like 12.50',
    ]);
  });

  it('names a BOLT11 text by its hash, and asks for a name of everything else', () => {
    const to = createSandbox().payer.createBolt11({ sat: '2100' });
    const [row] = csv('to', to);
    expect(row!.intent).to.match(/^[0-9a-f]{64}$/);
    expect(mistakesIn('to,amount,currency\nada@wallet.example,1,EUR')).to.deep.equal([
      'line 2 (intent): is required unless the destination is a BOLT11 invoice',
    ]);
  });

  it('with two equal rows needs two names', () => {
    const row = 'ada@wallet.example,1,EUR';
    expect(csv(HEADER, `a,${row}`, `b,${row}`)).to.have.length(2);
    expect(mistakesIn(`${HEADER}\na,${row}\nb,${row}\na,${row}`)).to.deep.equal([
      'line 4, column 1 (intent): is the same as in line 2, column 1 (intent); each row needs its own intent',
    ]);
  });

  it('names every mistake with its line and column, and repeats nothing that was given', () => {
    const text = [
      HEADER,
      'a,ada@wallet.example,1e3,EUR',
      '"b\nb",ada@wallet.example,1,eur',
      ' c,nobody,1,EUR',
      'd,ada@wallet.example,1',
      'e,"ada@wallet.example"x,1,EUR',
      'f,a"da@wallet.example,1,EUR',
      'g,,,EUR',
      'h,"ada@wallet.example,1,EUR',
      'i,ada@wallet.example,1,EUR',
    ].join('\n');
    expect(mistakesIn(text).map((mistake) => mistake.replace(/This .*|It .*/, '…'))).to.deep.equal([
      'line 2, column 3 (amount): must be a decimal string like 12.50',
      'line 4, column 4 (currency): must be a code such as USD',
      'line 5, column 1 (intent): must not start or end with spaces',
      'line 5, column 2 (to): cannot be paid. …',
      'line 6: has 3 cells, but the header has 4',
      'line 7, column 2 (to): has text after its closing quotation mark',
      'line 8, column 2 (to): contains a quotation mark: double it, and put quotation marks around the cell',
      'line 9, column 3 (amount): must be a decimal string like 12.50',
      'line 9, column 2 (to): is required, or bankPaymentMethodId',
      'line 10, column 2 (to): has no closing quotation mark',
    ]);
  });

  it('names a mistake in a cell too much, and a name that is too long', () => {
    expect(mistakesIn(`${HEADER}\na,ada@wallet.example,1,EUR,x"y`)[0]).to.match(
      /^line 2 \(cell 5\): contains a quotation mark/,
    );
    const intent = 'a'.repeat(201);
    expect(mistakesIn(`${HEADER}\n${intent},ada@wallet.example,1,EUR`)).to.deep.equal([
      'line 2, column 1 (intent): must have at most 200 characters',
    ]);
    expect(mistakesIn(`${HEADER}\n${intent.slice(1)},ada@wallet.example,1,EUR`)).to.deep.equal([]);
  });

  it('has a header of known columns, each once', () => {
    expect(mistakesIn('')).to.deep.equal(['line 1: must have the header']);
    expect(mistakesIn('intent to\na b')[0]).to.match(
      /^line 1, column 1: is not one of the columns/,
    );
    expect(mistakesIn('to,to\na,b')).to.deep.equal(['line 1, column 2: appears more than once']);
    expect(mistakesIn('__proto__,constructor\na,b')).to.have.length(2);
  });

  it('that is no list of objects is refused', () => {
    expect(mistakesIn('[{', 'json')).to.deep.equal(['text: is not JSON']);
    expect(mistakesIn('{}', 'json')).to.deep.equal(['text: must be a list of rows']);
    expect(
      mistakesIn('[1, {"who": 1, "to": null}]', 'json').map((one) => one.slice(0, 25)),
    ).to.deep.equal([
      'row 1: must be an object',
      'row 2 (who): is not one o',
      'row 2 (to): must be a str',
    ]);
  });
});
