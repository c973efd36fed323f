// Prints what was found, by section and in total.

const VERDICTS = ['true', 'false', 'cannot tell'];

const countsOf = (results) =>
  Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, results.filter((one) => one.verdict === verdict).length]),
  );

/** Whether nothing is false. */
export function report(results) {
  const bySection = Map.groupBy(results, ({ section }) => section);
  console.table(Object.fromEntries([...bySection].map(([name, found]) => [name, countsOf(found)])));
  for (const { section, of, says, verdict, question } of results)
    if (verdict === 'cannot tell')
      console.log(`cannot tell: ${section} (${of}): ${says}\n  ${question}`);
  for (const { section, of, says, verdict, expected, got } of results)
    if (verdict === 'false')
      console.log(`false: ${section} (${of}): ${says}\n  expected ${expected}\n  got ${got}`);
  const { true: good, false: bad, 'cannot tell': open } = countsOf(results);
  const ok = bad === 0;
  console.log(
    `${ok ? 'ok' : 'not ok'} fidelity: ${results.length} facts, ${good} true, ${bad} false, ${open} cannot tell`,
  );
  return ok;
}
