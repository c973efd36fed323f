// Prints what was found, by section and in total.
import { known } from './known.mjs';

const VERDICTS = ['true', 'false', 'cannot tell'];

const countsOf = (results) =>
  Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, results.filter((one) => one.verdict === verdict).length]),
  );

/** What a fact is called in the list of those that are known to be false. */
export const nameOf = ({ section, says }) => `${section}: ${says}`;

/** Whether nothing is false but what is known to be. */
export function report(results) {
  const bySection = Map.groupBy(results, ({ section }) => section);
  console.table(Object.fromEntries([...bySection].map(([name, found]) => [name, countsOf(found)])));
  for (const { section, of, says, verdict, question } of results)
    if (verdict === 'cannot tell')
      console.log(`cannot tell: ${section} (${of}): ${says}\n  ${question}`);
  for (const { section, of, says, verdict, expected, got } of results)
    if (verdict === 'false')
      console.log(`false: ${section} (${of}): ${says}\n  expected ${expected}\n  got ${got}`);
  for (const fact of results)
    if (fact.verdict === 'true' && known.has(nameOf(fact)))
      console.log(`true now, though known to be false: ${nameOf(fact)}`);
  const { true: good, false: bad, 'cannot tell': open } = countsOf(results);
  const isNew = (fact) => fact.verdict === 'false' && !known.has(nameOf(fact));
  const ok = !results.some(isNew);
  console.log(
    `${ok ? 'ok' : 'not ok'} fidelity: ${results.length} facts, ${good} true, ${bad} false (${results.filter(isNew).length} of them not known), ${open} cannot tell`,
  );
  return ok;
}
