// Sells in a busy shop behind the relay's real objects: pages show their payments within seconds, in virtual time.
// Figures: from a payment to its page, and what the service is asked; then pages while the service is away for two hours, and
// while it has blocked the relay for one.
//   npm run prove -- sales              60, 120 and 250 paid orders a minute for ten minutes; 1,000 pages while it is away
//   npm run prove -- sales --rate 60 --minutes 1 --strangers 100
//   npm run prove -- sales --away 300   only the pages, so many of them
import { productionRateLimits } from 'paystate';
import { playAway, playSales } from '../long/sales.ts';
import { Checks, numberOf } from './shared/options.ts';

const given = process.argv.slice(2);
const hasRate = given.includes('--rate');
const minutes = numberOf(given, 'minutes', 10);
const strangers = numberOf(given, 'strangers', 1_000);
const pages = numberOf(given, 'away', hasRate ? 0 : 1_000);
const usualRates = hasRate ? [numberOf(given, 'rate', 60)] : [60, 120, 250];
const rates = given.includes('--away') ? [] : usualRates;

/** Bounds of what is promised. */
const SHOWN_WITHIN_MS = 5_000;
const TRUE_WITHIN_MS = 60_000;

const checks = new Checks();
const seconds = (ms: number): string =>
  ms === Infinity ? 'never' : `${(ms / 1_000).toFixed(1)} s`;

async function timed<T>(work: () => Promise<T>): Promise<{ figures: T; took: string }> {
  const begun = performance.now();
  const figures = await work();
  return { figures, took: `${((performance.now() - begun) / 1_000).toFixed(0)} s` };
}

/** Lists the bounds of the service's own limits, whatever the relay does. */
function bounds(): readonly string[] {
  const { invoices, others } = productionRateLimits;
  const window = (1.05 * others.window) / 60_000; // our windows are longer than the service's, for clocks differ
  const opened = Math.floor((invoices.limit * 0.8) / 1.05);
  const lists = (others.limit * 0.95) / 2 / window;
  const half = `${others.limit} reads in ten minutes, half of them for events`;
  return [
    `bound: pages open ${opened} orders a minute (0.8 of ${invoices.limit} creations); others were opened before`,
    `bound: ${half}: ${lists.toFixed(0)} lists a minute, ${Math.floor(lists * 15)} paid orders at the first width of 15`,
  ];
}

async function sell(rate: number): Promise<Readonly<Record<string, unknown>>> {
  const { figures, took } = await timed(() => playSales({ rate, minutes, strangers }));
  const { p50, p99, worst, ...row } = figures;
  const perEvent = row.eventReads / row.events;
  const { paid, shown, shipped, asked, blocks } = figures;
  const isWhole = shown === paid && shipped === paid;
  checks.check(isWhole, `${rate}: of ${paid}, ${shown} shown, ${shipped} told`);
  checks.check(p99 <= SHOWN_WITHIN_MS, `${rate}: 99 % of pages show it after ${seconds(p99)}`);
  checks.check(perEvent <= 1, `${rate}: ${perEvent.toFixed(2)} reads per event`);
  checks.check(asked === 0, `${rate}: pages have asked ${asked} times`);
  checks.check(blocks === 0, `${rate}: blocked ${blocks} times`);
  const times = { p50: seconds(p50), p99: seconds(p99), worst: seconds(worst) };
  return { 'a minute': rate, ...row, 'reads per event': perEvent.toFixed(2), ...times, took };
}

async function beAway(kind: 'outage' | 'block'): Promise<Readonly<Record<string, unknown>>> {
  const { figures, took } = await timed(() => playAway(kind, pages));
  const { liveBefore, falselyLive, liveMeanwhile, recovery, blocks, said } = figures;
  checks.check(liveBefore === pages, `${kind}: ${liveBefore} of ${pages} were live before`);
  checks.check(falselyLive === 0, `${kind}: falsely live ${falselyLive} times`);
  checks.check(liveMeanwhile === 0, `${kind}: live ${liveMeanwhile} times while nobody could know`);
  checks.check(recovery <= TRUE_WITHIN_MS, `${kind}: all true after ${seconds(recovery)}`);
  checks.check(blocks === 0, `${kind}: blocked ${blocks} times more`);
  return { away: kind, ...figures, said: said.join(), recovery: seconds(recovery), took };
}

const sales: Readonly<Record<string, unknown>>[] = [];
for (const rate of rates) sales.push(await sell(rate));
if (sales.length > 0) {
  console.table(sales);
  for (const line of bounds()) console.log(line);
}
if (pages > 0) console.table([await beAway('outage'), await beAway('block')]);
const { problems } = checks;
for (const problem of problems) console.log(problem);
console.log(problems.length === 0 ? 'ok sales' : `sales: ${problems.length} promises not kept`);
process.exitCode = problems.length === 0 ? 0 : 1;
