// Speed of money and of reading invoices beside peers, all in one process and in turns.
import { decodeBolt11 } from 'paystate/lightning';
import { encodeBolt11, verifyBolt11 } from 'paystate/lightning/signature';
import { addMoney, convertMoney, money } from 'paystate/money';
import { inTurns, type Taken, type Work } from './measure.ts';
import { Big, bolt11, Decimal, lightDecode } from './peers/index.ts';

const key = '11'.repeat(32);
const draft = {
  network: 'mainnet' as const,
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

const pairs = Array.from({ length: 64 }, (_, at): readonly [string, string] => [
  `${at * 37}.${10 + at}`,
  `${1000 - at}.${99 - at}`,
]);
const ours = pairs.map(([a, b]) => [money(a, 'USD'), money(b, 'USD')] as const);
const prices = pairs.map(([a]) => `0.0${a.replace('.', '')}`);
const bitcoin = prices.map((price) => money(price, 'BTC'));
const rate = { amount: '65432.1987', sourceCurrency: 'BTC', targetCurrency: 'USD' };
const terms = { asOf: 0, rounding: 'half-even' } as const;
Decimal.config({ precision: 60 });

interface Contest {
  /** Runs in one round. */
  readonly count: number;
  /** The first one is ours. */
  readonly entrants: Readonly<Record<string, Work>>;
}

/** Each does the same work from text to text. */
const contests: Readonly<Record<string, Contest>> = {
  'decode an invoice': {
    count: 500,
    entrants: {
      paystate: () => decodeBolt11(short),
      'light-bolt11-decoder': () => lightDecode(short),
      bolt11: () => bolt11.decode(short),
    },
  },
  'decode, three hops': {
    count: 500,
    entrants: {
      paystate: () => decodeBolt11(long),
      'light-bolt11-decoder': () => lightDecode(long),
      bolt11: () => bolt11.decode(long),
    },
  },
  // Not the same kind: bolt11 recovers the key in native code where there is a build of it, ours is JavaScript everywhere.
  'decode and verify': {
    count: 12,
    entrants: {
      paystate: () => verifyBolt11(short),
      bolt11: () => bolt11.decode(short),
    },
  },
  add: {
    count: 300,
    entrants: {
      paystate: () => ours.map(([a, b]) => addMoney(a, b).amount),
      'big.js': () => pairs.map(([a, b]) => new Big(a).plus(b).toFixed(2)),
      'decimal.js-light': () => pairs.map(([a, b]) => new Decimal(a).plus(b).toFixed(2)),
    },
  },
  'convert by a rate': {
    count: 300,
    entrants: {
      paystate: () => bitcoin.map((value) => convertMoney(value, rate, terms).value.amount),
      'big.js': () =>
        prices.map((price) => new Big(price).times(rate.amount).toFixed(2, Big.roundHalfEven)),
      'decimal.js-light': () =>
        prices.map((price) =>
          new Decimal(price).times(rate.amount).toFixed(2, Decimal.ROUND_HALF_EVEN),
        ),
    },
  },
};

/** Checks that all get the same, and shows what each takes beside ours. */
export async function measureMoney(): Promise<
  Readonly<Record<string, Readonly<Record<string, Taken>>>>
> {
  const found: Record<string, Readonly<Record<string, Taken>>> = {};
  console.log('money and BOLT11; microseconds of processor time, and times ours');
  for (const [name, { count, entrants }] of Object.entries(contests)) {
    const results = Object.values(entrants).map((work) => JSON.stringify(work()));
    if ((name === 'add' || name.startsWith('convert')) && new Set(results).size !== 1)
      throw new Error(`${name}: the entrants do not agree`);
    found[name] = await inTurns(entrants, { rounds: 15, count, warm: 2 });
    const line = Object.entries(found[name]).map(
      ([entrant, [time, ratio]]) => `${entrant} ${time.toFixed(1)} (${ratio.toFixed(2)} ×)`,
    );
    console.log(`  ${name.padEnd(20)} ${line.join(' · ')}`);
  }
  return found;
}
