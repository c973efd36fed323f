import {
  type Bucket,
  type BucketState,
  type Connection,
  forecastBlock,
  internals,
  type RateLimitState,
} from '../core/http/index.ts';
import { make, mark, say } from '../elements/dom.ts';
import { joinText, spanText } from './rows.ts';

interface Sample extends BucketState {
  readonly at: number;
}

const MOST = 600;

/** Samples of each rate-limit bucket over time. Only stores the newest ones. */
export class RateSamples {
  readonly #samples: Map<Bucket, Sample[]> = new Map();

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

  /** The buckets to show: every bucket in use, plus `others`. */
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
 * Returns the request count at the top of a chart. That's the limit, or less if the counts would
 * otherwise be too small to see.
 */
function chooseTop(samples: readonly Sample[]): number {
  const most = Math.max(...samples.map(({ used }) => used));
  const limit = samples.at(-1)?.limit ?? 1;
  return most * 4 < limit ? Math.min(limit, Math.max(10, most * 2)) : Math.max(limit, most);
}

interface Frame {
  readonly now: number;
  /** Time span that the chart shows before and after the current time, in milliseconds. */
  readonly span: number;
  /** Request count at the top of the chart. */
  readonly top: number;
}

/** Size of a chart in SVG units. The current time is in the middle. */
const CHART = { width: 600, height: 120 } as const;

/**
 * Returns the SVG paths of a chart. `blockedAt` is the time when the limit would be exceeded if
 * requests continue at the rate of the last minute.
 */
function drawLines(
  samples: readonly Sample[],
  { now, span, top }: Frame,
  blockedAt: number | undefined,
): Readonly<Record<'used' | 'forecast' | 'limit', string>> {
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
        : `M${x(now)} ${y(last.used)}L${x(Math.min(until, far))} ` +
          `${y(until > far ? last.used + ((rise - last.used) * span) / (until - now) : rise)}`,
    limit: last.limit > top ? '' : `M0 ${y(last.limit)}H${width}`,
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

const LINES = ['limit', 'now', 'used', 'forecast'] as const;

/** Charts of the rate limits over time, one per bucket in use. */
export class RateCharts {
  readonly root: HTMLElement = make('div', 'charts');
  readonly #client: Connection;
  readonly #samples: RateSamples;
  readonly #charts: Map<Bucket, Chart> = new Map();

  constructor(client: Connection, samples: RateSamples) {
    this.#client = client;
    this.#samples = samples;
  }

  draw(): void {
    for (const bucket of this.#samples.buckets) this.#draw(bucket);
  }

  #draw(bucket: Bucket): void {
    const { clock, settings } = this.#client[internals];
    const samples = this.#samples.of(bucket);
    const last = samples.at(-1)!;
    const chart = this.#charts.get(bucket) ?? this.#open(bucket);
    const now = clock.now();
    const { window } = settings.rateLimits[bucket];
    const blockedAt = forecastBlock(this.#client, { bucket });
    const top = chooseTop(samples);
    const lines = drawLines(samples, { now, span: window, top }, blockedAt);
    const middle = CHART.width / 2;
    for (const name of LINES)
      mark(chart.lines[name], {
        d: name === 'now' ? `M${middle} 0V${CHART.height}` : lines[name],
      });
    const words = joinText(
      `${last.used} of ${last.limit} in ${spanText(window)}`,
      last.blockedUntil !== undefined &&
        `blocked for ${spanText(Math.max(0, last.blockedUntil - now))}`,
      forecastText(blockedAt, now),
    );
    say(chart.words, words);
    say(chart.top, `up to ${top}`);
    say(chart.past, `${spanText(window)} ago`);
    say(chart.future, `in ${spanText(window)}`);
    mark(chart.picture, { 'aria-label': `${bucket}: ${words}` });
  }

  #open(bucket: Bucket): Chart {
    const chart = newChart();
    this.#charts.set(bucket, chart);
    this.root.append(
      make(
        'figure',
        'chart',
        make('figcaption', 'ends', make('span', 'name', bucket), chart.top),
        chart.picture,
        make('p', 'ends', chart.past, make('span', 'facts', 'now'), chart.future),
        chart.words,
      ),
    );
    return chart;
  }
}

function forecastText(blockedAt: number | undefined, now: number): string {
  if (blockedAt === undefined) return 'the service will not block you at this rate';
  return blockedAt <= now
    ? 'blocked now'
    : `without the limiter, you would be blocked in ${spanText(blockedAt - now)}`;
}

/** A chart's elements: the graphic, its description and the axis labels. */
type Chart = ReturnType<typeof newChart>;

function newChart() {
  const facts = (): HTMLElement => make('span', 'facts');
  const newSvg = (name: string): SVGElement =>
    document.createElementNS('http://www.w3.org/2000/svg', name) as SVGElement;
  const picture = mark(newSvg('svg'), {
    part: 'picture',
    role: 'img',
    viewBox: `0 0 ${CHART.width} ${CHART.height}`,
    preserveAspectRatio: 'none',
  });
  const lines = Object.fromEntries(
    LINES.map((name) => [name, mark(newSvg('path'), { part: `line ${name}` })]),
  ) as Record<(typeof LINES)[number], SVGElement>;
  picture.append(...Object.values(lines));
  return {
    picture,
    lines,
    words: make('p', 'facts'),
    top: facts(),
    past: facts(),
    future: facts(),
  };
}
