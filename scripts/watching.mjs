// Prints what watching costs and how soon it sees a payment, over 70 minutes of virtual time with the rate limits on,
// while one in a hundred is paid.
//   npm run watching               1 to 10,000 invoices
//   npm run watching test          the same with the limits of the test environment
//   npm run watching full          by ids, beside other events, with short pages and whole seconds, of other kinds too
//   npm run watching full foreign  only the rows whose name has this word
//   npm run watching -- full --write  keeps the figures for the chapter's tables
// Beside what was sent stands what the formulas say of the plan in force, and how much more it was.
import { playCosts } from './watched/costs.mjs';
import { keepFigures } from './watched/figures.mjs';

const given = process.argv.slice(2).filter((word) => word !== '--write');
const isKept = process.argv.includes('--write');
const rateLimits = given.includes('test') ? 'test' : 'production';
const plain = [1, 10, 200, 1_000, 10_000].map((count) => ({ name: 'invoices', count, rateLimits }));

const each = (counts, name, more) => counts.map((count) => ({ name, count, ...more }));
const full = [
  ...each([1, 10, 200, 1_000, 10_000], 'invoices by id', { isById: true }),
  ...[0.1, 1, 5].flatMap((foreign) => [
    ...each([200, 1_000], `${foreign} foreign events a second`, { foreign }),
    ...each([1_000], `${foreign} foreign, whole seconds printed`, { foreign, digits: 0 }),
  ]),
  ...each([200, 1_000, 10_000], 'lists of 15', { width: 15 }),
  ...each([200, 1_000, 10_000], 'no feed', { hasFeed: false }),
  ...each([1_000], 'no feed, by id', { hasFeed: false, isById: true }),
  ...each([1_000], 'no feed, test preset', { hasFeed: false, rateLimits: 'test' }),
  ...[1, 10, 60].flatMap((between) =>
    each([1_000], `no feed, ${between} of others between them paid a minute`, {
      hasFeed: false,
      between,
    }),
  ),
  ...each([50, 1_000], 'invoices, payouts and receive requests', { kind: 'mixed' }),
  ...each([50], 'the same, no feed', { kind: 'mixed', hasFeed: false }),
  ...each([50, 500], 'receive requests', { kind: 'receiveRequest' }),
  ...each([50, 300], 'payouts', { kind: 'payout' }),
  ...each([1, 10, 200, 1_000], 'invoices, test preset', { rateLimits: 'test' }),
];

const [, word = ''] = given;
const cells = given[0] === 'full' ? full.filter(({ name }) => name.includes(word)) : plain;
const rows = [];
for (const cell of cells) {
  const row = await playCosts(cell);
  rows.push(row);
  if (isKept) keepFigures('costs', { [row.watched]: row });
}
console.table(rows);
const blocks = rows.reduce((sum, row) => sum + row.blocks, 0);
const missed = rows.reduce((sum, row) => sum + row.missed, 0);
console.log(
  `${blocks + missed > 0 ? 'watching' : 'ok watching'}: ${blocks} blocks, ${missed} missed`,
);
// One poll of each: that many requests a minute, and blocked after that many minutes of 1,000 requests in ten.
for (const count of [1, 10, 200])
  console.log(
    `beside it, ${count} polled one by one: ${[1, 3, 5]
      .map((period) => `each ${period} s ${Math.round((count * 60) / period)} a minute`)
      .join(', ')}`,
  );
process.exitCode = blocks + missed > 0 ? 1 : 0;
