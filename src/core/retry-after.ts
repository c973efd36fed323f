const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const LONG_DAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day';
const CLOCK = '(\\d{2}):(\\d{2}):(\\d{2})';

/** The service's longest block is an hour; more is not believed. */
const LONGEST = 65 * 60_000;

/**
 * Milliseconds to wait by a `Retry-After` header: seconds, or one of the three HTTP dates.
 * `undefined` where the header is absent or says nothing readable.
 */
export function retryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(+text * 1_000, LONGEST);
  const date = httpDate(text, now);
  return date === undefined ? undefined : Math.min(Math.max(0, date - now), LONGEST);
}

/** Milliseconds since 1970 of an HTTP date in any of its three forms; `now` decides the century of the oldest. */
export function httpDate(text: string, now = 0): number | undefined {
  const fixed = new RegExp(`^${DAY}, (\\d{2}) ([A-Z][a-z]{2}) (\\d{4}) ${CLOCK} GMT$`).exec(text);
  if (fixed) return utc(+fixed[3]!, fixed[2]!, fixed[1]!, fixed.slice(4));
  const old = new RegExp(`^${LONG_DAY}, (\\d{2})-([A-Z][a-z]{2})-(\\d{2}) ${CLOCK} GMT$`).exec(text);
  if (old) return utc(nearCentury(+old[3]!, now), old[2]!, old[1]!, old.slice(4));
  const plain = new RegExp(`^${DAY} ([A-Z][a-z]{2}) ([ \\d]\\d) ${CLOCK} (\\d{4})$`).exec(text);
  return plain ? utc(+plain[6]!, plain[1]!, plain[2]!, plain.slice(3)) : undefined;
}

/** Two digits name the year that is at most 50 years ahead. */
function nearCentury(digits: number, now: number): number {
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + digits;
  return year > thisYear + 50 ? year - 100 : year;
}

function utc(year: number, monthName: string, dayText: string, clock: readonly string[]): number | undefined {
  const month = MONTHS.indexOf(monthName) / 3;
  const [hour, minute, second] = clock.map(Number) as [number, number, number];
  const at = new Date(0);
  at.setUTCFullYear(year, month, +dayText);
  const exists = Number.isInteger(month) && month >= 0 && at.getUTCDate() === +dayText;
  if (!exists || hour > 23 || minute > 59 || second > 60) return undefined;
  return at.setUTCHours(hour, minute, second);
}
