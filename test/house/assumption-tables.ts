// The figures of `npm run prove -- assumptions`: tests and money over a service that does what the sandbox assumes in other ways.
import { alternatives } from '../prove/assumptions/alternatives.ts';
import { keptFigures } from '../prove/assumptions/figures.ts';
import { LEANING, UNMET, waysFor } from '../prove/assumptions/money.ts';
import { code, table } from './markdown.ts';

/** The portable suite under groups of alternatives. */
export function assumedSuiteTable(): string {
  const rows = Object.values(keptFigures().suite).map(({ names, passed, failed }) => [
    names.map(code).join(', '),
    `${passed}`,
    `${failed}`,
  ]);
  return table(['together', 'tests passed', 'failed'], rows);
}

/** The adversary over each alternative that it can meet. */
export function assumedMoneyTable(): string {
  const { money } = keptFigures();
  const met = alternatives.filter((one) => waysFor(one).length > 0);
  const rows = met.flatMap(({ name }) => {
    const row = money[name];
    if (!row) return [];
    const counts = [row.doubled, row.falselyDone, row.falselyNotDone, row.overRefunded, row.stuck];
    const share = ((row.unknown / row.intents) * 100).toFixed(1);
    return [[code(name), `${row.intents}`, `${row.done}`, ...counts.map(String), `${share} %`]];
  });
  const titles = ['alternative', 'intents', 'done', 'doubled', 'falsely done', 'falsely not done'];
  return table([...titles, 'over-refunded', 'stuck without a reason', 'unknown'], rows);
}

/** The alternatives under which no client can keep every payment right. */
export function leaningList(): string {
  return Object.entries(LEANING)
    .map(([name, why]) => `- ${code(name)}: ${why}`)
    .join('\n');
}

/** Lists the alternatives that the adversary cannot meet. */
export function unmetList(): string {
  return UNMET.map(([ids, why]) => {
    const names = alternatives.filter(({ id }) => ids.test(id)).map(({ name }) => code(name));
    return `- ${names.join(', ')}: ${why}`;
  }).join('\n');
}
