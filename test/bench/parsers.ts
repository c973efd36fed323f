// Time of each exported parser over 100,000 characters, and over twice as many: nothing that a stranger sends may take
// more than linear time.
import * as lightning from 'paystate/lightning';
import * as signature from 'paystate/lightning/signature';
import * as money from 'paystate/money';
import { median, rounded } from './measure.ts';

const SIZE = 100_000;
const SEEDS = ['1', 'a', ' ', '0.', '=&', 'lnbc1', 'lnurl1q', 'bitcoin:?a=', 'a@', '%', 'q1'];
/** Exports that write, or read something else than a text. */
const NO_PARSER =
  /^(bitcoinUri|encode|is|lnurlCallback|fallbackAddress|readPayRequest|verify|sign)/;

type Parser = (text: string) => unknown;

const exported = Object.entries({ ...lightning, ...signature }).filter(
  ([name, value]) => typeof value === 'function' && !NO_PARSER.test(name),
) as unknown as readonly (readonly [string, Parser])[];

const PARSERS: Readonly<Record<string, Parser>> = {
  money: (text) => money.money(text, 'USD'),
  'money (currency)': (text) => money.money('1', text),
  parseMoney: (text) => money.parseMoney({ amount: text, currency: text }),
  fromSat: (text) => money.fromSat(text),
  fromMsat: (text) => money.fromMsat(text),
  ...Object.fromEntries(exported),
};

const textsOf = (size: number): readonly string[] =>
  SEEDS.flatMap((seed) => {
    const long = seed.repeat(size / seed.length);
    return [long, `lnbc1${long}`, `bitcoin:${long}`];
  });

/** Milliseconds of the wall clock: a parse is too short for the processor's. */
function timeOf(parse: Parser, text: string): number {
  const times = Array.from({ length: 5 }, () => {
    const begun = performance.now();
    try {
      const answer = parse(text);
      if (answer instanceof Promise) answer.catch(() => {});
    } catch (thrown) {
      if ((thrown as { readonly kind?: unknown }).kind !== 'input') throw thrown;
    }
    return performance.now() - begun;
  });
  return median(times);
}

const total = (times: readonly number[]): number => times.reduce((sum, time) => sum + time, 0);

export interface ParserTimes {
  readonly worst: number;
  /** How many times longer twice the text takes. */
  readonly twice: number;
}

export async function measureParsers(): Promise<Readonly<Record<string, ParserTimes>>> {
  const found: Record<string, ParserTimes> = {};
  console.log(
    `parsers over ${SIZE} characters: milliseconds of the worst text, and times for twice`,
  );
  for (const [name, parse] of Object.entries(PARSERS)) {
    const times = (size: number): readonly number[] =>
      textsOf(size).map((text) => timeOf(parse, text));
    times(SIZE);
    const once = times(SIZE);
    const twice = rounded(total(times(2 * SIZE)) / total(once), 2);
    found[name] = { worst: rounded(Math.max(...once), 3), twice };
    console.log(`  ${name.padEnd(24)}${found[name].worst.toFixed(3).padStart(8)}   ${twice} ×`);
  }
  return found;
}
