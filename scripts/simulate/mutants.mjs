// Faults put into the built SDK on purpose. Each is noticed by a life; the seed of that life is written down here.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What is wrong, where, the text and what stands there instead, and a seed that shows it. */
const MUTANTS = [
  {
    name: 'a clean refusal beside a doubtful try ends the intent',
    seed: 44,
    file: 'flows/pay/apply-event.js',
    from: 'const isAlone = !row.executed &&',
    to: 'const isAlone = true ||',
  },
  {
    name: 'a lost response counts as a refusal',
    seed: 44,
    file: 'flows/pay/apply-event.js',
    from: 'lost: "doubt"',
    to: 'lost: "refused"',
  },
  {
    name: 'the try of a dead process counts as a refusal',
    seed: 1709,
    file: 'flows/pay/apply-event.js',
    from: 'overdue: "doubt"',
    to: 'overdue: "refused"',
  },
  {
    name: 'any refusal after the end closes a quote that can be paid twice',
    seed: 199,
    file: 'flows/pay/apply-event.js',
    from: 'return "busy"',
    to: 'return is',
  },
  {
    name: 'an equal amount is proof of a payment',
    seed: 56,
    file: 'flows/pay/search.js',
    from: 'row.executed && !gap.isIncomplete && candidates.length === 1',
    to: 'candidates.length > 0',
  },
  {
    name: 'the journal is written without comparing',
    file: 'flows/pay/journal.js',
    from: 'this.#store.compareAndSet(ROWS + intent, stored.version, next, isOpen)',
    to: 'this.#store.get(ROWS + intent).then(({ version }) => this.#store.compareAndSet(ROWS + intent, version, next, isOpen))',
  },
  {
    name: 'another round does not wait for the end of the old quote',
    file: 'flows/pay/rail-rules.js',
    from: 'lnurl: { hasProbes: true, isHeld: true }',
    to: 'lnurl: { hasProbes: true, isHeld: false }',
  },
  {
    name: 'another round prepares another payout',
    file: 'flows/pay/payout-rail.js',
    from: 'if (!last || last.paymentId !== void 0) return void 0;',
    to: 'return void 0;',
  },
  {
    name: 'another round of a deposit takes a new key',
    file: 'flows/pay/deposit-rail.js',
    from: 'if (isSame) return',
    to: 'if (false) return',
  },
  {
    name: 'money that came back counts as paid',
    file: 'flows/pay/try-outcome.js',
    from: 'FAILED: "read-failed"',
    to: 'FAILED: "read-completed"',
  },
  {
    name: 'what throws in a listener is swallowed',
    file: 'core/watch/isolated.js',
    from: 'reportUncaught(',
    to: 'void (',
  },
  {
    name: 'timers of a run are forgotten: a promise that never settles',
    file: 'flows/pay/pay-run.js',
    from: 'await clock.wait(Math.min(',
    to: 'await new Promise(() => {}); await clock.wait(Math.min(',
  },
];

/** Lives that a search may play. */
const MOST = 3_000;

/** Plays lives with one mutant in a process of its own, from this seed on; says which one has noticed it. */
function catchOne(mutant, seed, most) {
  const script = fileURLToPath(new URL('./mutant.mjs', import.meta.url));
  const { stdout, stderr, status } = spawnSync(process.execPath, [script], {
    encoding: 'utf8',
    env: { ...process.env, MUTANT: JSON.stringify({ ...mutant, seed, most }) },
    timeout: 300_000,
  });
  if (status !== 0) throw new Error(`${mutant.name}: ${stderr}${stdout}`);
  return JSON.parse(stdout.trim().split('\n').at(-1));
}

/** Whether every mutant is noticed; `isSearch`: by any seed, to write it down. */
export async function playMutants(isSearch) {
  let missed = 0;
  for (const mutant of MUTANTS) {
    const { seed = 1 } = mutant;
    const { caught, problem } = catchOne(mutant, seed, isSearch ? MOST : 1);
    if (caught === undefined) missed++;
    const how = caught === undefined ? 'NOT NOTICED' : `seed ${caught}: ${problem}`;
    console.log(`${mutant.name}: ${how}`);
  }
  const count = MUTANTS.length;
  console.log(
    missed === 0
      ? `ok mutants: ${count} of ${count} noticed`
      : `mutants: ${missed} of ${count} not noticed`,
  );
  return missed === 0;
}
