// T15: whatever takes a text takes a long one in a time that grows with its length and no faster.
// Every function of the pure entries is tried, so a new parser is in by itself.
import * as core from 'paystate';
import { parseRows } from 'paystate/flows';
import * as lightning from 'paystate/lightning';
import * as signature from 'paystate/lightning/signature';
import * as money from 'paystate/money';
import * as webhooks from 'paystate/webhooks';
import { part, report } from './report.ts';

const LENGTH = 100_000;
const LIMIT_MS = 50;
/** Greatest factor of the time for a text that is twice as long. */
const RATIO = 2.5;
/** Shorter than this is noise on a busy machine. */
const NOISE_MS = 10;
/** Shorter than this is not measured at all. */
const NOTHING_MS = 1;
const SECRET = 'secret-of-a-test';

/** Makes a text of a length. */
type Shape = (length: number) => string;
const repeat =
  (text: string): Shape =>
  (length) =>
    text.repeat(Math.ceil(length / text.length)).slice(0, length);
const around =
  (first: string, text: string, last = ''): Shape =>
  (length) =>
    first + repeat(text)(length) + last;

const SHAPES: Readonly<Record<string, Shape>> = {
  a: repeat('a'),
  zeros: repeat('0'),
  nines: repeat('9'),
  points: repeat('.'),
  'digits and points': repeat('1.'),
  spaces: repeat(' '),
  'spaces and an end': around(' ', ' ', 'x'),
  'tabs and spaces': repeat('\t '),
  lines: repeat('\r\n'),
  quotes: repeat("'"),
  'open parentheses': repeat('('),
  percents: repeat('%'),
  'percent codes': repeat('%20'),
  slashes: repeat('/'),
  dots: repeat('../'),
  dashes: repeat('-'),
  ampersands: repeat('&a=b'),
  questions: repeat('?'),
  ats: repeat('a@'),
  colons: repeat(':'),
  'a number that goes wrong at its end': around('1', '1', 'x'),
  'a fraction': around('1.', '1'),
  'a fraction that goes wrong': around('1.', '1', '-'),
  minus: around('-', '0'),
  'an amount and a currency': around('', '1', ' EUR'),
  'a BOLT11 text': around('lnbc1', 'q'),
  'a BOLT11 text with a long amount': around('lnbc', '1', 'p1qqqqqqqq'),
  'many separators': repeat('1'),
  'an LNURL': around('lnurl1', 'q'),
  'in capitals': around('LNURL1', 'Q'),
  'an address': around('ada@', 'a.'),
  'a name': around('', 'a', '@wallet.example'),
  'a bitcoin address': around('bc1q', 'q'),
  base58: repeat('1A1z'),
  'a URI': around('bitcoin:', 'a'),
  'a URI with a query': around('bitcoin:bc1qxy?', 'amount=1&'),
  'a lightning URI': around('lightning:', 'lnbc1'),
  'a date': around('2026-03-04T09:15:00.', '1', 'Z'),
  'a date with a long year': around('', '2', '-03-04T09:15:00Z'),
  'a date with a long offset': around('2026-03-04T09:15:00+', '0'),
  hex: repeat('a1'),
  surrogates: repeat('\ud800'),
  'letters with marks': repeat('e\u0301'),
  'an HTTP date': around('Mon, ', '05 Jan 2026 '),
  'a JSON text': around('{"a":', '['),
  'rows of a list': around('intent,to,amount,currency\n', 'a,ada@wallet.example,1.00,EUR\n'),
  'a header of many columns': (length) =>
    Array.from({ length: length / 6 }, (_, at) => String(at))
      .join(',')
      .padEnd(length, ','),
  'a list with an open quote': around('intent,to\n"', 'a"",b\n'),
};

/** Something that is given a text. */
type Take = (text: string) => unknown;

/** The functions of an entry, whatever they take: each is called with one text. */
const takersIn = (room: string, entry: object): readonly (readonly [name: string, take: Take])[] =>
  Object.entries(entry)
    .filter(([, value]) => typeof value === 'function' && !String(value).startsWith('class '))
    .map(([name, value]) => [`${room}.${name}`, (text) => (value as Take)(text)]);

const EUR = (amount: string) => ({ amount, currency: 'EUR' });
const verify = (body: string, signature: string): Promise<unknown> =>
  webhooks.verifyWebhook(
    { body: new TextEncoder().encode(body), headers: { 'x-webhook-signature': signature } },
    SECRET,
  );

/** Everything that takes a text: exported functions, and what no function takes directly. */
const TAKERS: Readonly<Record<string, Take>> = {
  ...Object.fromEntries([
    ...takersIn('core', core),
    ...takersIn('money', money),
    ...takersIn('lightning', lightning),
    ...takersIn('signature', signature),
    ...takersIn('webhooks', webhooks),
  ]),
  'money.two': (text) => money.addMoney(EUR(text), EUR('1')),
  baseUrl: (text) => core.createClient({ baseUrl: text, token: null }),
  'baseUrl, path': (text) =>
    core.createClient({ baseUrl: `https://pay.example/${text}`, token: null }),
  apiKey: (text) => core.createClient({ baseUrl: 'https://pay.example', apiKey: text }),
  'a time in a filter': (text) => core.whereInvoice((f) => f.created.gt(text)),
  'a text in a filter': (text) => core.whereInvoice((f) => f.state.eq(text)),
  'flows.parseRows, csv': (text) => parseRows(text, { format: 'csv' }),
  'flows.parseRows, json': (text) => parseRows(text, { format: 'json' }),
  'a signature': (text) => verify('{}', text),
  'a webhook': (text) => verify(text, 'ab'),
};

/** Calls it; the result does not matter here. */
function quiet(take: Take, text: string): void {
  try {
    const made = take(text);
    if (made instanceof Promise) made.catch(() => {});
  } catch {
    // a refusal is as good as any
  }
}

/** Milliseconds of this process: others take the machine from it, too. */
function timeOf(take: Take, text: string): number {
  const begun = process.cpuUsage();
  quiet(take, text);
  return process.cpuUsage(begun).user / 1_000;
}

const median = (take: Take, text: string): number =>
  [0, 1, 2, 3, 4].map(() => timeOf(take, text)).sort((a, b) => a - b)[2]!;

let slowest = 0;

/** Returns the fault of the times, if there is one. */
function judge(take: Take, short: string, long: string): string | undefined {
  const [one, two] = [median(take, short), median(take, long)];
  slowest = Math.max(slowest, Math.min(one, LIMIT_MS));
  if (one > LIMIT_MS) return `${one.toFixed(1)} ms for ${LENGTH} letters`;
  return two > NOISE_MS && two / Math.max(one, NOISE_MS / RATIO) > RATIO
    ? `${one.toFixed(2)} ms, twice as long ${two.toFixed(2)} ms`
    : undefined;
}

/** A busy machine errs once, a slow parser always. */
function judgeOften(take: Take, short: string, long: string): string | undefined {
  let verdict: string | undefined;
  for (let tries = 0; tries < 5; tries++) {
    verdict = judge(take, short, long);
    if (!verdict) return undefined;
  }
  return verdict;
}

const shapes = Object.entries(SHAPES).filter((_, at) => part === 1 || at % 4 === 0);
const counts = { parsers: Object.keys(TAKERS).length, shapes: shapes.length, texts: 0 };
const failures: string[] = [];
for (const [name, take] of Object.entries(TAKERS))
  for (const [shape, make] of shapes) {
    const [short, long] = [make(LENGTH), make(2 * LENGTH)];
    counts.texts++;
    if (timeOf(take, short) < NOTHING_MS && timeOf(take, long) < NOTHING_MS) continue;
    const verdict = judgeOften(take, short, long);
    if (verdict) failures.push(`${name}, ${shape}: ${verdict}`);
  }
report('T15 parsers', { ...counts, 'ms at most': Math.round(slowest) }, failures);
