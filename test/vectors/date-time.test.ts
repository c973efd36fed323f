import { describe } from '#test';
import { parseMillis, toSeconds, TICKS_PER_SECOND, parseTicks } from '../../src/core/time.ts';
import { all, vectorsIn } from './vectors.ts';

interface Vectors {
  'date-time': { input: string; valid: boolean; name: string }[];
  date: { input: string; valid: boolean }[];
  rfc3339Section58: { input: string; utc: string | null }[];
  serviceForms: { input: string }[];
}

describe('vectors of date-times', () => {
  const vectors = vectorsIn<Vectors>('date-time/date-time.json');
  if (!vectors) return;

  /** Leap seconds are read by their form alone: whether one took place is not asked. */
  const isLeap = (text: string): boolean => /:60(\.|Z|[+-])/i.test(text);
  const dateTimes = vectors['date-time'];
  all(
    'date-times read',
    dateTimes.filter(({ valid }) => valid),
    ({ input }) => parseTicks(input) !== undefined,
  );
  all(
    'date-times refused',
    dateTimes.filter(({ valid, input }) => !valid && !isLeap(input)),
    ({ input }) => parseTicks(input) === undefined,
  );
  all(
    'days',
    vectors.date,
    ({ input, valid }) => (parseTicks(`${input}T00:00:00Z`) !== undefined) === valid,
  );
  all('instants', vectors.rfc3339Section58, ({ input, utc }) =>
    utc === null ? parseTicks(input) !== undefined : parseMillis(input) === Date.parse(utc),
  );
  all(
    'leap seconds follow the second before',
    vectors.rfc3339Section58.filter(({ utc }) => utc === null),
    ({ input }) =>
      parseTicks(input)! - parseTicks(input.replace(':60', ':59'))! === TICKS_PER_SECOND,
  );
  all('forms of the service, exact to seven digits', vectors.serviceForms, ({ input }) => {
    const ticks = parseTicks(input)!;
    const [, fraction = ''] = /\.(\d+)/.exec(input) ?? [];
    return (
      ticks % TICKS_PER_SECOND === BigInt(fraction.padEnd(7, '0')) &&
      toSeconds(ticks) === Math.floor(Date.parse(input.replace(/\.\d+/, '')) / 1_000)
    );
  });
});
