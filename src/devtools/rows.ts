import { printable } from '../core/text.ts';

/** One line of a timeline. */
export interface Row {
  readonly key: string;
  readonly kind: 'request' | 'event' | 'state' | 'webhook' | 'service';
  /** Milliseconds since 1970. */
  readonly at: number;
  /** What happened: an operation or a URL, the type of an event, or the name of a resource. */
  readonly title: string;
  /** Its result, such as `201` or `UNPAID → PAID`. Empty while in progress. */
  readonly end: string;
  /** Why, such as the code of a refusal or the next retry. */
  readonly why?: string | undefined;
  /** Duration in milliseconds. */
  readonly took?: number | undefined;
  /** Ids of its resources. The first is shown. */
  readonly about: readonly string[];
  /** Handle of the account, if it's known. */
  readonly account?: string | undefined;
  /** Resource name of an event or a state. */
  readonly subject?: string | undefined;
  /** What a read repeats. Absent for everything else. */
  readonly poll?: string | undefined;
}

/** A row and the polls it stands for, oldest first. */
export interface FoldedRow extends Row {
  readonly rows: readonly Row[];
}

/**
 * Folds repeated reads of one resource with the same result into the first of them, until something
 * else happens. A read in progress belongs to those before it.
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

/** Checks whether a row is of a kind and has the lower-case words. */
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

/** Classifies a result for its color. Empty if it's neither good nor bad. */
export function readTone(end: string): Tone | '' {
  return (Object.keys(TONES) as Tone[]).find((tone) => TONES[tone].test(end)) ?? '';
}

/** Decodes part of a URL. Leaves malformed ones unchanged. */
export function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Decodes a URL for people. */
export function plainText(address: string): string {
  return printable(decodeText(address));
}

/** Shortens the ids of a text, whose whole is its title. */
export function shortIds(text: string): string {
  return text.replace(/([\da-f]{8})-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi, '$1…');
}

/** Formats the time of day in UTC, with milliseconds in rows. */
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

/** Joins the non-empty parts with points. */
export function joinText(...parts: readonly (string | number | false | undefined)[]): string {
  return parts.filter(Boolean).join(' · ');
}
