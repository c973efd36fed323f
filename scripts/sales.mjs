// A busy shop behind the relay's real objects, in virtual time: from a payment to its page, and what the service is asked; then
// pages while the service is away for two hours, and while it has blocked the relay for one.
//   npm run sales                        60, 120 and 250 paid orders a minute for ten minutes; 1,000 pages while it is away
//   npm run sales -- --rate 60 --minutes 1 --strangers 100
//   npm run sales -- --away 300          only the pages, so many of them
import { productionRateLimits } from '../dist/index.js';
import { playAway, playSales } from '../test/long/sales.ts';

const given = process.argv.slice(2);
const option = (name, usual) =>
  Number(given.includes(`--${name}`) ? given[given.indexOf(`--${name}`) + 1] : usual);
const [minutes, strangers, pages] = [
  option('minutes', 10),
  option('strangers', 1_000),
  option('away', given.includes('--rate') ? 0 : 1_000),
];
const rates = given.includes('--away')
  ? []
  : given.includes('--rate')
    ? [option('rate', 60)]
    : [60, 120, 250];

const problems = [];
const check = (isRight, problem) => void (isRight || problems.push(problem));
const seconds = (ms) => (ms === Infinity ? 'never' : `${(ms / 1_000).toFixed(1)} s`);
const timed = async (work) => {
  const begun = performance.now();
  return [await work(), `${((performance.now() - begun) / 1_000).toFixed(0)} s`];
};

/** What the service's own limits allow, whatever the relay does. */
function bounds() {
  const { invoices, others } = productionRateLimits;
  const minutes = (1.05 * others.window) / 60_000; // our windows are longer than the service's, for clocks differ
  const opened = Math.floor((invoices.limit * 0.8) / 1.05);
  const lists = (others.limit * 0.95) / 2 / minutes;
  return [
    `bound: ${opened} orders a minute are opened by pages (0.8 of ${invoices.limit} creations a minute); of a higher rate the orders were opened before`,
    `bound: ${others.limit} reads in ten minutes, half of them for events: ${lists.toFixed(0)} lists a minute, ${Math.floor(lists * 15)} paid orders at the first width of 15`,
  ];
}

const sales = [];
for (const rate of rates) {
  const [figures, took] = await timed(() => playSales({ rate, minutes, strangers }));
  const { p50, p99, worst, ...row } = figures;
  const perEvent = row.eventReads / row.events;
  const times = { p50: seconds(p50), p99: seconds(p99), worst: seconds(worst) };
  sales.push({ 'a minute': rate, ...row, 'reads per event': perEvent.toFixed(2), ...times, took });
  const { paid, shown, shipped, asked, blocks } = figures;
  check(shown === paid && shipped === paid, `${rate}: of ${paid}, ${shown} shown, ${shipped} told`);
  check(p99 <= 5_000, `${rate}: 99 % of pages show it after ${seconds(p99)}`);
  check(perEvent <= 1, `${rate}: ${perEvent.toFixed(2)} reads per event`);
  check(asked === 0, `${rate}: pages have asked ${asked} times`);
  check(blocks === 0, `${rate}: blocked ${blocks} times`);
}
if (sales.length > 0) {
  console.table(sales);
  for (const line of bounds()) console.log(line);
}

const away = [];
for (const kind of pages > 0 ? ['outage', 'block'] : []) {
  const [figures, took] = await timed(() => playAway(kind, pages));
  const { liveBefore, falselyLive, liveMeanwhile, recovery, blocks, said } = figures;
  away.push({ away: kind, ...figures, said: said.join(), recovery: seconds(recovery), took });
  check(liveBefore === pages, `${kind}: ${liveBefore} of ${pages} were live before`);
  check(falselyLive === 0, `${kind}: falsely live ${falselyLive} times`);
  check(liveMeanwhile === 0, `${kind}: live ${liveMeanwhile} times while nobody could know`);
  check(recovery <= 60_000, `${kind}: all true after ${seconds(recovery)}`);
  check(blocks === 0, `${kind}: blocked ${blocks} times more`);
}
if (away.length > 0) console.table(away);
for (const problem of problems) console.log(problem);
console.log(problems.length === 0 ? 'ok sales' : `sales: ${problems.length} promises not kept`);
process.exitCode = problems.length === 0 ? 0 : 1;
