import type { Bucket, BucketState, RateLimitState } from '../core/http/index.ts';

/** How a bucket stood at a time. */
interface Sample extends BucketState {
  readonly at: number;
}

const MOST = 600;

/** What was counted of each bucket over time, the newest samples only. */
export class RateSamples {
  readonly #samples: Map<Bucket, Sample[]> = new Map();

  /** Notes how all of them stand. */
  add(at: number, state: RateLimitState): void {
    for (const bucket of Object.keys(state) as Bucket[]) {
      const samples = this.#samples.get(bucket) ?? [];
      const [before, last] = samples.slice(-2);
      if (last && before?.used === last.used && last.used === state[bucket].used) samples.pop();
      samples.push({ at, ...state[bucket] });
      if (samples.length > MOST) samples.shift();
      this.#samples.set(bucket, samples);
    }
  }

  /** The buckets that were used; that of all reads in any case. */
  get buckets(): readonly Bucket[] {
    return [...this.#samples]
      .filter(([bucket, samples]) => bucket === 'others' || samples.some(isUsed))
      .map(([bucket]) => bucket);
  }

  of(bucket: Bucket): readonly Sample[] {
    return this.#samples.get(bucket) ?? [];
  }
}

function isUsed({ used, blockedUntil }: Sample): boolean {
  return used > 0 || blockedUntil !== undefined;
}

/**
 * The count at the top of a chart: the limit, or less where all that was counted would lie on the
 * ground.
 */
export function topOf(samples: readonly Sample[]): number {
  const most = Math.max(...samples.map(({ used }) => used));
  const limit = samples.at(-1)?.limit ?? 1;
  return most * 4 < limit ? Math.min(limit, Math.max(10, most * 2)) : Math.max(limit, most);
}

/** Where a chart puts time and counts. */
interface Frame {
  readonly now: number;
  /** Milliseconds that are shown before now, and after it. */
  readonly span: number;
  /** The count at the top. */
  readonly top: number;
}

/** Width and height of a chart, in its own units; now is in the middle of its width. */
export const CHART = { width: 600, height: 120 } as const;

/** Lines of a chart as paths of SVG. */
interface ChartLines {
  /** What was counted. */
  readonly used: string;
  /** How it goes on at the rate of the last minute, until the block or the end of the chart. */
  readonly forecast: string;
  /** The limit. */
  readonly limit: string;
}

/** Draws samples, the limit, and the forecast: `blockedAt` is when the limit would be passed. */
export function linesOf(
  samples: readonly Sample[],
  { now, span, top }: Frame,
  blockedAt: number | undefined,
): ChartLines {
  const { width, height } = CHART;
  const x = (at: number): number => round(((at - now + span) / (2 * span)) * width);
  const y = (count: number): number => round(height - (Math.min(count, top) / top) * height);
  const last = samples.at(-1);
  if (!last) return { used: '', forecast: '', limit: '' };
  const first = samples.findLastIndex(({ at }) => at < now - span);
  const shown = samples.slice(Math.max(0, first));
  const [start] = shown as [Sample];
  const steps = shown.slice(1).map(({ at, used }) => `H${x(at)}V${y(used)}`);
  const until = blockedAt === undefined ? undefined : Math.max(now, blockedAt);
  const far = now + span;
  const rise = until === undefined ? last.used : last.limit;
  return {
    used: `M${Math.max(0, x(start.at))} ${y(start.used)}${steps.join('')}H${x(now)}`,
    forecast:
      until === undefined
        ? ''
        : `M${x(now)} ${y(last.used)}L${x(Math.min(until, far))} ${y(until > far ? last.used + ((rise - last.used) * span) / (until - now) : rise)}`,
    limit: last.limit > top ? '' : `M0 ${y(last.limit)}H${width}`,
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
