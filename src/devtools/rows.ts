import { printable } from '../core/text.ts';

/** A row in a timeline. */
export interface Row {
  readonly key: string;
  readonly kind: 'request' | 'event' | 'state' | 'webhook' | 'service';
  /** Time in milliseconds since 1970. */
  readonly at: number;
  /** Title of the row, such as an operation, a URL, an event type or a resource name. */
  readonly title: string;
  /** Result, such as `201` or `UNPAID → PAID`. Empty while in progress. */
  readonly end: string;
  /** Explanation of the result, such as an error code or the time of the next retry. */
  readonly why?: string | undefined;
  /** Duration in milliseconds. */
  readonly took?: number | undefined;
  /** Ids of the resources that the row is about. The row shows the first one. */
  readonly about: readonly string[];
  /** Handle of the account, if known. */
  readonly account?: string | undefined;
  /** Resource type of an event or a state change. */
  readonly subject?: string | undefined;
  /** Request path of a read, used to recognize repeated reads. Absent for all other rows. */
  readonly poll?: string | undefined;
}

/** A row that may stand for several polls, oldest first. */
export interface FoldedRow extends Row {
  readonly rows: readonly Row[];
}

/**
 * Combines repeated reads of one resource with the same result into one row, until something else
 * happens. Reads in progress are combined with the previous ones.
 */
export function foldRows(rows: readonly Row[]): readonly FoldedRow[] {
  const groups: Row[][] = [];
  const open = new Map<string, Row[]>();
  for (const row of rows) {
    const { poll, end, why } = row;
    if (poll === undefined) open.clear();
    const group = open.get(poll ?? '');
    const ended = group?.findLast((one) => one.end);
    const isSame = !end || !ended || (ended.end === end && ended.why === why);
    if (group && isSame) group.push(row);
    else {
      const fresh = [row];
      groups.push(fresh);
      if (poll !== undefined) open.set(poll, fresh);
    }
  }
  return groups.map((group) => {
    const newest = group.findLast(({ end }) => end) ?? group[0]!;
    return { ...newest, key: group[0]!.key, at: group[0]!.at, rows: group };
  });
}

/** Returns whether a row is of the given kind and contains the words, which must be lowercase. */
export function matchesRow(
  { kind, title, end, why = '', about, subject = '' }: Row,
  wanted: string,
  words: string,
): boolean {
  if (wanted && kind !== wanted) return false;
  const text = `${title} ${plainText(title)} ${end} ${why} ${subject} ${about.join(' ')}`;
  return text.toLowerCase().includes(words);
}

type Tone = 'good' | 'wait' | 'bad';

const TONES: Readonly<Record<Tone, RegExp>> = {
  good: /^2\d\d$|\b(PAID|COMPLETED|READY|APPROVED|paid|documented|public)$/,
  wait: /^[34]\d\d$|\b(PENDING|INITIATED|assumed)$/,
  bad: /^5\d\d$|\b(FAILED|REVERSED|REJECTED|INVALID|SUSPENDED|REVOKED|failed|no answer|timeout|lost|not-allowed)$/,
};

/**
 * Classifies a result to choose its color. Returns an empty string if it's neither good nor bad.
 */
export function readTone(end: string): Tone | '' {
  return (Object.keys(TONES) as Tone[]).find((tone) => TONES[tone].test(end)) ?? '';
}

/** Decodes a URL component. Returns malformed input unchanged. */
export function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Decodes a URL for display. */
export function plainText(address: string): string {
  return printable(decodeText(address));
}

/** Shortens all UUIDs in a string. */
export function shortIds(text: string): string {
  return text.replace(/([\da-f]{8})-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi, '$1…');
}

/** Formats the time of day in UTC, with milliseconds by default. */
export function clockText(at: number, digits: 0 | 3 = 3): string {
  return Number.isFinite(at) ? new Date(at).toISOString().slice(11, digits === 3 ? 23 : 19) : '';
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

export function spanText(ms: number): string {
  const [size, unit] = UNITS.find(([least]) => ms >= least) ?? [1, 'ms'];
  const digits = unit === 'ms' || unit === 'min' ? 0 : 1;
  return `${+(ms / size).toFixed(digits)} ${unit}`;
}

/** Joins the non-empty parts with a middle dot. */
export function joinText(...parts: readonly (string | number | false | undefined)[]): string {
  return parts.filter(Boolean).join(' · ');
}
