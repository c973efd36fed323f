// Examines the sandbox by the facts of the service's description, and tells the examiner lies, each of which it must notice.
//   npm run prove -- fidelity                      all facts, against a sandbox of this process
//   npm run prove -- fidelity --command            the same against `paystate sandbox` on a port
//   npm run prove -- fidelity --section invoices   sections by name; also --only TEXT, --every N
//   npm run prove -- fidelity lies [invoices]      distorts responses in sections of this name
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import {
  examineSection,
  type FactResult,
  type How,
  sections,
} from '../../../src/cli/examine/examine.ts';
import type { Section } from '../../../src/cli/examine/fact.ts';
import { blankets, lies } from './lies.ts';

const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

async function checkAll(chosen: readonly Section[], how: How): Promise<readonly FactResult[]> {
  const results: FactResult[] = [];
  for (const section of chosen) results.push(...(await examineSection(section, how)));
  return results;
}

const idsOf = (results: readonly FactResult[], verdict: FactResult['verdict']): Set<string> =>
  new Set(results.filter((one) => one.verdict === verdict).map(({ id }) => id));

/** Tells each lie about these sections; resolves to those that no fact notices. */
async function unnoticed(
  chosen: readonly Section[],
  good: ReadonlySet<string>,
  told: typeof lies,
): Promise<readonly string[]> {
  const missed: string[] = [];
  for (const { name, sections: about, ...between } of told) {
    const results = await checkAll(
      chosen.filter((section) => about.includes(section.name)),
      between,
    );
    const count = [...idsOf(results, 'false')].filter((id) => good.has(id)).length;
    console.log(`${count > 0 ? `noticed by ${count}` : 'NOT NOTICED'}: ${name}`);
    if (count === 0) missed.push(name);
  }
  return missed;
}

/** Facts that are true whatever is answered. */
async function vacuous(
  chosen: readonly Section[],
  good: ReadonlySet<string>,
): Promise<readonly string[]> {
  const left = new Set(good);
  for (const between of blankets) {
    const holding = idsOf(await checkAll(chosen, between), 'true');
    for (const id of left) if (!holding.has(id)) left.delete(id);
  }
  return [...left];
}

/** Resolves to true if each lie was noticed and each fact can be false. */
async function tellLies(name: string): Promise<boolean> {
  const chosen = sections.filter((section) => section.name.includes(name));
  const told = lies.filter((lie) => chosen.some((section) => lie.sections.includes(section.name)));
  const good = idsOf(await checkAll(chosen, {}), 'true');
  const missed = await unnoticed(chosen, good, told);
  const empty = await vacuous(chosen, good);
  for (const id of empty) console.log(`true whatever is answered: ${id}`);
  const ok = good.size > 0 && missed.length === 0 && empty.length === 0;
  console.log(
    `${ok ? 'ok' : 'not ok'} lies: ${told.length} lies, ${missed.length} not noticed; ${good.size} facts, ${empty.length} cannot be false`,
  );
  return ok;
}

const given = process.argv.slice(2);
if (given[0] === 'lies') process.exitCode = (await tellLies(given[1] ?? '')) ? 0 : 1;
else {
  const args = [MAIN, 'examine', '--sandbox', ...given];
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
}
