// Random lives of payments, refunds, exchanges, payouts and deposits: processes that die at any step, two at once, a network
// that loses, doubles and delays, people who ask again. Never two movements of money for one intent, never a false result.
//   npm run payments                  5,000 lives
//   npm run payments -- 20000         so many
//   npm run payments -- 1000 42       from this seed on
import { playSeed } from '../test/unit/flows/pay-lives.ts';

const [lives = '5000', first = String(Date.now() % 1_000_000)] = process.argv.slice(2);
const ends = {};
let bad = 0;

for (let seed = Number(first); seed < Number(first) + Number(lives); seed++) {
  const { rail, result, problems } = await playSeed(seed);
  const end = `${rail} ${result?.phase ?? 'no end'}`;
  ends[end] = (ends[end] ?? 0) + 1;
  if (problems.length === 0) continue;
  bad++;
  console.log(`seed ${seed} (${end}): ${problems.join('; ')}`);
}
const list = Object.entries(ends)
  .sort()
  .map(([end, count]) => `${end} ${count}`);
console.log(`lives ${lives} from seed ${first}, wrong ${bad}; ${list.join(', ')}`);
process.exit(bad > 0 ? 1 : 0);
