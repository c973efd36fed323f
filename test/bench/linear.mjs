// Time of each exported parser over 10^5 characters, and over twice as many: a figure for the record, not a test,
// for a busy machine proves nothing. Aims: below 50 ms each, and below 2.5 times as long for twice the text.
import * as lightning from 'paystate/lightning';
import * as signature from 'paystate/lightning/signature';
import * as money from 'paystate/money';

const SIZE = 100_000;
const seeds = [
  '1',
  'a',
  ' ',
  '0.',
  '=&',
  'lnbc1',
  'lnurl1q',
  'bitcoin:?a=',
  'a@',
  '%',
  'q1',
  '["text/plain",',
];
const parsers = {
  money: (text) => money.money(text, 'USD'),
  'money (currency)': (text) => money.money('1', text),
  parseMoney: (text) => money.parseMoney({ amount: text, currency: text }),
  fromSat: money.fromSat,
  fromMsat: money.fromMsat,
  ...Object.fromEntries(
    [...Object.entries(lightning), ...Object.entries(signature)].filter(
      ([name, value]) =>
        typeof value === 'function' &&
        !/^(bitcoinUri|encode|is|lnurlCallback|fallbackAddress|readPayRequest)/.test(name),
    ),
  ),
};
const texts = (size) =>
  seeds.flatMap((seed) => [
    seed.repeat(size / seed.length),
    `lnbc1${seed.repeat(size / seed.length)}`,
    `bitcoin:${seed.repeat(size / seed.length)}`,
  ]);

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

function timeOf(parse, text) {
  return median(
    Array.from({ length: 5 }, () => {
      const start = performance.now();
      try {
        const answer = parse(text);
        if (answer instanceof Promise) answer.catch(() => {});
      } catch (error) {
        if (error.kind !== 'input') throw error;
      }
      return performance.now() - start;
    }),
  );
}

const total = (all) => all.reduce((sum, time) => sum + time, 0);

/** Beyond their limit parsers refuse by length alone; so also right below it, where they do all their work. */
const BELOW_LIMIT = {
  decodeBolt11: [8_000, (size) => `lnbc1${'q'.repeat(size - 5)}`],
  decodeLnurl: [4_000, (size) => `lnurl1${'q'.repeat(size - 6)}`],
  decodeAddress: [90, (size) => '1'.repeat(size)],
  parseBitcoinUri: [16_000, (size) => `bitcoin:1?label=${'%41'.repeat((size - 20) / 3)}`],
  parseDestination: [16_000, (size) => `${'abc '.repeat(size / 4 - 1)}@`],
};
const readMetadata = (text) =>
  lightning.readPayRequest({
    tag: 'payRequest',
    callback: 'https://a.example/',
    minSendable: 1,
    maxSendable: 2,
    metadata: text,
  });

for (const [name, parse] of Object.entries(parsers)) {
  for (const text of texts(SIZE)) timeOf(parse, text);
  const once = texts(SIZE).map((text) => timeOf(parse, text));
  const twice = texts(2 * SIZE).map((text) => timeOf(parse, text));
  const worst = Math.max(...once);
  console.log(
    `${name.padEnd(24)} worst ${worst.toFixed(3)} ms · 2n/n ${(total(twice) / total(once)).toFixed(2)}`,
  );
}
for (const [name, [limit, textOf]] of [
  ...Object.entries(BELOW_LIMIT),
  ['readPayRequest', [200_000, (size) => JSON.stringify([['text/plain', 'x'.repeat(size - 30)]])]],
]) {
  const parse =
    name === 'readPayRequest'
      ? readMetadata
      : Object.entries(lightning).find(([known]) => known === name)[1];
  const runs = (size) => Array.from({ length: 40 }, () => timeOf(parse, textOf(size)));
  runs(limit);
  const [half, whole] = [median(runs(limit / 2)), median(runs(limit))];
  console.log(
    `${name.padEnd(24)} at its limit of ${limit}: ${whole.toFixed(3)} ms · 2n/n ${(whole / half).toFixed(2)}`,
  );
}
