import {
  type Connection,
  forecastBlock,
  internals,
  type RateLimitState,
} from '../core/http/index.ts';
import { make, mark, say } from '../elements/dom.ts';
import { joinText, spanText } from './format.ts';
import { CHART, linesOf, type RateSamples, topOf } from './rate-samples.ts';

type Bucket = keyof RateLimitState;

const LINES = ['limit', 'now', 'used', 'forecast'] as const;

/** The rate limits against time, one chart for each bucket that was used. */
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
    const top = topOf(samples);
    const lines = linesOf(samples, { now, span: window, top }, blockedAt);
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
  if (blockedAt === undefined) return 'no block ahead at this rate';
  return blockedAt <= now
    ? 'blocked now'
    : `without the limiter a block in ${spanText(blockedAt - now)}`;
}

interface Chart {
  readonly picture: SVGElement;
  readonly words: HTMLElement;
  /** What the ends of the axes are. */
  readonly top: HTMLElement;
  readonly past: HTMLElement;
  readonly future: HTMLElement;
  readonly lines: Readonly<Record<(typeof LINES)[number], SVGElement>>;
}

function newChart(): Chart {
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
