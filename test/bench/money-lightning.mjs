// Speed of money and of reading invoices beside peers, all in one process and in turns, as ratios.
// Run: npm install --prefix test/bench && node test/bench/money-lightning.mjs   (after a build)
import Big from 'big.js';
import bolt11 from 'bolt11';
import Decimal from 'decimal.js-light';
import { decode as lightDecode } from 'light-bolt11-decoder';
import { decodeBolt11 } from 'paystate/lightning';
import { encodeBolt11, encodeUnsignedBolt11, verifyBolt11 } from 'paystate/lightning/signature';
import { addMoney, convertMoney, money } from 'paystate/money';

const ROUNDS = 15;
const key = '11'.repeat(32);
const draft = {
  network: 'mainnet',
  amountMsat: '250000000',
  timestamp: 1_700_000_000,
  description: 'One pot of tea, table 7',
  paymentHash: '22'.repeat(32),
  paymentSecret: '33'.repeat(32),
  expirySeconds: 120,
  minFinalCltvExpiryDelta: 40,
  features: [8, 14, 17],
};
const hop = {
  node: `02${'44'.repeat(32)}`,
  channel: '700000x1234x1',
  feeBaseMsat: '1000',
  feeMillionths: 100,
  cltvExpiryDelta: 40,
};
const short = encodeBolt11(draft, key);
const long = encodeBolt11({ ...draft, routeHints: [[hop], [hop, hop]] }, key);

const pairs = Array.from({ length: 64 }, (_, at) => [
  `${at * 37}.${10 + at}`,
  `${1000 - at}.${99 - at}`,
]);
const ours = pairs.map(([a, b]) => [money(a, 'USD'), money(b, 'USD')]);
const prices = pairs.map(([a]) => `0.0${a.replace('.', '')}`);
const bitcoin = prices.map((price) => money(price, 'BTC'));
const rate = { amount: '65432.1987', sourceCurrency: 'BTC', targetCurrency: 'USD' };
const terms = { asOf: 0, rounding: 'half-even' };
Decimal.config({ precision: 60 });

/** Each does the same work from text to text. */
const contests = {
  'decode an invoice': {
    count: 500,
    ours: () => decodeBolt11(short),
    'light-bolt11-decoder': () => lightDecode(short),
    bolt11: () => bolt11.decode(short),
  },
  'decode, three hops': {
    count: 500,
    ours: () => decodeBolt11(long),
    'light-bolt11-decoder': () => lightDecode(long),
    bolt11: () => bolt11.decode(long),
  },
  // Not the same kind: bolt11 recovers the key in native code where there is a build of it, ours is JavaScript everywhere.
  'decode and verify': {
    count: 12,
    ours: () => verifyBolt11(short),
    bolt11: () => bolt11.decode(short),
  },
  add: {
    count: 300,
    ours: () => ours.map(([a, b]) => addMoney(a, b).amount),
    'big.js': () => pairs.map(([a, b]) => new Big(a).plus(b).toFixed(2)),
    'decimal.js-light': () => pairs.map(([a, b]) => new Decimal(a).plus(b).toFixed(2)),
  },
  'convert by a rate': {
    count: 300,
    ours: () => bitcoin.map((value) => convertMoney(value, rate, terms).value.amount),
    'big.js': () =>
      prices.map((price) => new Big(price).times(rate.amount).toFixed(2, Big.roundHalfEven)),
    'decimal.js-light': () =>
      prices.map((price) =>
        new Decimal(price).times(rate.amount).toFixed(2, Decimal.ROUND_HALF_EVEN),
      ),
  },
};

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

function timeOf(work, count) {
  const start = performance.now();
  for (let turn = 0; turn < count; turn++) work();
  return ((performance.now() - start) / count) * 1000;
}

console.log(
  `encodeUnsignedBolt11 is decodable: ${decodeBolt11(encodeUnsignedBolt11(draft)).amountMsat === draft.amountMsat}`,
);
for (const [name, { count, ...entrants }] of Object.entries(contests)) {
  const results = Object.values(entrants).map((work) => JSON.stringify(work()));
  if (name === 'add' || name.startsWith('convert')) {
    if (new Set(results).size !== 1) throw new Error(`${name}: the entrants do not agree`);
  }
  const times = Object.fromEntries(Object.keys(entrants).map((entrant) => [entrant, []]));
  for (let round = -2; round < ROUNDS; round++) {
    for (const [entrant, work] of Object.entries(entrants)) {
      const time = timeOf(work, count);
      if (round >= 0) times[entrant].push(time);
    }
  }
  const mine = median(times.ours);
  const line = Object.entries(times)
    .map(
      ([entrant, all]) =>
        `${entrant} ${median(all).toFixed(2)} µs` +
        (entrant === 'ours' ? '' : ` (${(median(all) / mine).toFixed(2)} × ours)`),
    )
    .join(' · ');
  console.log(`${name.padEnd(20)} ${line}`);
}
