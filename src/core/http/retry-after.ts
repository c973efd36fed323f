/** The service's longest block is an hour; more is not believed. */
const LONGEST = 65 * 60_000;

/**
 * Milliseconds since 1970 of an HTTP date in any of its three forms (RFC 9110 5.6.7); `undefined`
 * where the text is none.
 */
export function httpDate(text: string): number | undefined {
  const form =
    /^(?=Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:[A-Z][a-z]+, (\d\d)[ -]([A-Z][a-z]{2})[ -](\d\d|\d{4}) ([\d:]{8}) GMT|[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) ([\d:]{8}) (\d{4}))$/;
  const parts = form.exec(text);
  if (!parts) return undefined;
  const [, day = parts[6], month = parts[5], year = parts[8]!, time = parts[7]] = parts;
  // platforms disagree about two digits
  const century = year.length === 4 ? '' : year < '70' ? '20' : '19';
  const at = Date.parse(`${day!.trim()} ${month} ${century}${year} ${time} GMT`);
  return Number.isNaN(at) ? undefined : at;
}

/**
 * The service's time by its `Date` header (RFC 9110 6.6.1); the client's where that is hidden, as
 * from pages of another origin.
 */
export function serviceTime(headers: Headers, now: number): number {
  return httpDate(headers.get('date') ?? '') ?? now;
}

/**
 * Milliseconds to wait by a `Retry-After` header (RFC 9110 10.2.3): seconds, or an HTTP date.
 * `undefined` where the header is absent or says nothing readable.
 */
export function retryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? '';
  const wait = /^\d+$/.test(text) ? +text * 1_000 : (httpDate(text) ?? NaN) - now;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(0, wait), LONGEST);
}
