import { type Connection, internals, watchRateLimits } from '../core/http/index.ts';
import { defineOnce } from '../elements/element-class.ts';
import type { DevtoolsProperties } from '../elements/devtools-tag.ts';
import { make, mark } from '../elements/dom.ts';
import { elementClass, type Shown } from '../elements/element-class.ts';
import { RADIUS, ROW } from '../elements/look.ts';
import type { Store } from '../stores/store.ts';
import { clientRow, JournalRows, requestDetail, watchRows } from './client-rows.ts';
import { DetailPane, foldPolls, makeButton, makeTabs, rowHead, type Tabs } from './detail.ts';
import { type ClientInspection, inspectClient } from './inspect-client.ts';
import { timelineLook } from './look.ts';
import { RateCharts, RateSamples } from './rate-charts.ts';
import { clockText, shortIds } from './rows.ts';
import { listRows, pressKey, Timeline } from './timeline.ts';

const devtoolsLook = (): string =>
  `[part=card]{display:block;max-width:none;margin:0;padding:16px;font-size:13px;--surface:var(--card);--muted:var(--quiet);--control:var(--quiet);--radius:${RADIUS};--row:${ROW};--mono:ui-monospace,monospace;--success:var(--good);--success-tint:color-mix(in srgb,var(--good) 12%,var(--card));--warning:var(--wait);--warning-tint:color-mix(in srgb,var(--wait) 12%,var(--card));--danger:var(--bad);--danger-tint:color-mix(in srgb,var(--bad) 12%,var(--card));--page:color-mix(in srgb,var(--ink) 4%,var(--card));--tint:color-mix(in srgb,var(--accent) 10%,var(--card))}
[part=heading]{font-size:16px}
[part=bar]{display:flex;flex-wrap:wrap;gap:8px;align-items:center;justify-content:space-between;margin-bottom:12px}
[part=acts]{display:flex;gap:8px}
button{min-height:32px;padding:0 12px;border-radius:var(--radius)}
details{font-size:inherit;color:inherit}
[part=tabs]+[part=panel],[part=card]>[part=panel]{margin-top:0}
[part=card]>[part=panel]{height:30rem;overflow:auto}
[part=split]{height:100%}
[part=hint]{font-size:inherit}
[part=facts]{color:var(--quiet)}
[part=ends] [part=name]{font-weight:600}
[part=chart]{margin-top:16px}
[part=ends]{display:flex;justify-content:space-between}
[part=picture]{display:block;width:100%;height:64px;border:1px solid var(--line);border-radius:var(--radius)}
[part~=line]{fill:none;stroke:currentColor;stroke-width:2;vector-effect:non-scaling-stroke}
[part~=used]{color:var(--accent)}
[part~=limit]{color:var(--bad)}
[part~=now]{color:var(--line)}
[part~=forecast]{color:var(--wait);stroke-dasharray:6 4}
@media (pointer:coarse),(max-width:480px){button{min-height:44px}}
${timelineLook}`;

const MOST = 200;
/** Interval between updates to ages and charts, in milliseconds. */
const PACE = 1_000;

const KINDS = { request: 'Requests', event: 'Events', state: 'States' };
const EMPTY = 'None yet. New requests will appear here.';

class DevtoolsPanel {
  readonly root: HTMLElement;
  readonly #client: Connection;
  readonly #inspection: ClientInspection;
  readonly #samples: RateSamples = new RateSamples();
  readonly #journal: JournalRows | undefined;
  readonly #stops: (() => void)[] = [];
  readonly #timeline: Timeline;
  readonly #detail: DetailPane;
  readonly #tabs: Tabs;
  /** Key of the row shown in the detail pane. */
  #key: string | undefined;
  readonly #parts = { chosen: 'Response' };
  #show: () => void = () => {};
  #isPlanned = false;
  #isLive = true;

  constructor(client: Connection, journal: Store | undefined, invoiceId: string | undefined) {
    this.#client = client;
    this.#inspection = inspectClient(client);
    this.#journal = journal && new JournalRows(journal);
    const select = (key?: string): void => this.#select(key);
    this.#timeline = new Timeline(KINDS, select);
    this.#timeline.words = invoiceId ?? '';
    this.#timeline.root.oninput = () => this.#drawTimeline();
    this.#detail = new DetailPane(make('aside', 'detail'), select);
    const tabs = this.#listTabs();
    const contents = Object.entries(tabs).map(([name, [content]]) => [name, [content]] as const);
    this.#tabs = makeTabs('Devtools', Object.fromEntries(contents), (chosen) => {
      [, this.#show] = tabs[chosen]!;
      this.#plan();
    });
    this.#tabs.choose('Timeline');
    this.root = make('section', 'card', this.#makeHead(), ...this.#tabs.parts);
    mark(this.root, { lang: 'en', dir: 'ltr', 'aria-label': 'Devtools' });
    const keys = { ...this.#timeline.keys, Escape: select };
    this.root.onkeydown = (pressed) => pressKey(pressed, keys);
    this.#start();
  }

  #start(): void {
    const { clock } = this.#client[internals];
    const limits = watchRateLimits(this.#client);
    const change = (): void => {
      void this.#journal?.read().then(() => this.#plan()); // a run may end before its tab opens
      this.#plan();
    };
    let stop = (): void => {};
    const tick = (): void => {
      stop = clock.after(PACE, tick);
      this.#samples.add(clock.now(), limits.current());
      change();
    };
    this.#stops.push(
      this.#inspection.subscribe(change),
      limits.subscribe((state) => this.#samples.add(clock.now(), state)),
      () => this.#inspection.stop(),
      () => stop(),
    );
    tick();
  }

  stop(): void {
    this.#isLive = false;
    for (const stop of this.#stops) stop();
  }

  /** Schedules one redraw of the visible tab for all changes of the current task. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      if (this.#isLive) this.#show();
    });
  }

  #select(key: string | undefined): void {
    this.#key = key;
    this.#drawTimeline();
  }

  /** Opens the timeline with the history of one resource. */
  #showOnly(id: string): void {
    this.#tabs.choose('Timeline');
    this.#timeline.words = id;
  }

  /**
   * Draws the whole client's history, or one resource's history if the user searched for its id.
   */
  #drawTimeline(): void {
    const { words } = this.#timeline;
    const story = words ? this.#inspection.timeline(words) : [];
    const isOne = story.some(({ kind }) => kind !== 'request');
    const entries = isOne ? story : this.#inspection.timeline();
    const rows = entries.map(clientRow);
    const key = this.#key;
    this.#timeline.show(rows, { key }, EMPTY);
    const row = rows.find((one) => one.key === key);
    if (!row) return this.#detail.show('');
    const polls = this.#timeline.polls(row.key);
    const request = this.#inspection.requests().find(({ number }) => `r${number}` === key);
    const only = row.about.map((id) =>
      makeButton(`Show only ${shortIds(id)}`, `Show only ${id}`, () => this.#showOnly(id)),
    );
    this.#detail.show(
      `${key}\n${row.end} ${row.took} ${request?.decision?.kind} ${polls.length}`,
      ...(request ? requestDetail(request, row, this.#parts) : rowHead(row, clockText(row.at))),
      ...only,
      ...foldPolls(polls, (one) => this.#select(one.key)),
    );
  }

  #makeHead(): HTMLElement {
    const save = make('button', 'save', 'Export recording');
    const clear = make('button', 'clear', 'Clear');
    const link = make('a', 'link');
    let address: string | undefined;
    const forget = (): void => void (address && URL.revokeObjectURL(address));
    this.#stops.push(forget);
    save.onclick = () => {
      forget();
      const text = JSON.stringify(this.#inspection.recording(), null, 1);
      address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
      Object.assign(link, { href: address, download: 'recording.json' }).click();
    };
    clear.onclick = () => this.#inspection.clear();
    return make('div', 'bar', make('h2', 'heading', 'paystate'), make('div', 'acts', save, clear));
  }

  #listTabs(): Readonly<Record<string, Tab>> {
    const { clock } = this.#client[internals];
    const charts = new RateCharts(this.#client, this.#samples);
    const split = make('div', 'split', this.#timeline.root, this.#detail.root);
    const watches = (list: HTMLElement): void => {
      const rows = watchRows(this.#inspection.watches(MOST), clock.now());
      listRows(list, rows, 'Nothing is watched.', ({ about }) => this.#showOnly(about[0]!));
    };
    const runs = (list: HTMLElement): void =>
      listRows(list, this.#journal!.rows, 'No run is open.');
    return {
      Timeline: [split, () => this.#drawTimeline()],
      Watches: listTab(watches),
      'Rate limits': [charts.root, () => charts.draw()],
      ...(this.#journal && { Journal: listTab(runs) }),
    };
  }
}

/** A tab's content and the function that draws it. */
type Tab = readonly [HTMLElement, () => void];

function listTab(draw: (list: HTMLElement) => void): Tab {
  const list = make('ul', 'related');
  return [make('div', 'list', list), () => draw(list)];
}

/**
 * Defines the `<paystate-devtools>` element, which shows a client's requests, watches and rate
 * limits and can export a recording. Does nothing without a document, or if the element is already
 * defined.
 *
 * @example
 * defineDevtools();
 */
export function defineDevtools(): void {
  const names = ['client', 'journal', 'invoiceId'];
  defineOnce('paystate-devtools', () =>
    elementClass<DevtoolsProperties, never>(names, () => startDevtools),
  );
}

function startDevtools({ client, journal, invoiceId }: DevtoolsProperties): Shown {
  const look = devtoolsLook();
  if (!client) {
    const root = make('section', 'card', 'Waiting for a client.');
    return { root, look, stop() {} };
  }
  const panel = new DevtoolsPanel(client, journal, invoiceId);
  return { root: panel.root, look, stop: () => panel.stop() };
}
