// How a hostile command is told how much to do, and how it says what it saw.

/** Part of the full count: `--part 0.1`, as inside `npm test`. */
export const part = Number(process.argv[process.argv.indexOf('--part') + 1] || 1) || 1;

/** One line with counts; failures below it, and as the exit code. */
export const report = (name, counts, failures) => {
  const text = Object.entries(counts)
    .map(([what, count]) => `${count.toLocaleString('en')} ${what}`)
    .join(', ');
  console.log(`${failures.length === 0 ? 'ok' : 'FAIL'} ${name}: ${text}`);
  for (const failure of failures.slice(0, 20)) console.log(`  ${failure}`);
  if (failures.length > 20) console.log(`  and ${failures.length - 20} more`);
  process.exitCode = failures.length === 0 ? 0 : 1;
};
