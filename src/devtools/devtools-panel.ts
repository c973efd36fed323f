import { type Connection, internals, watchRateLimits } from '../core/http/index.ts';
import { defineOnce } from '../elements/element-class.ts';
import type { DevtoolsProperties } from '../elements/devtools-tag.ts';
import { fill, type Line, make, mark, say } from '../elements/dom.ts';
import { elementClass, type Shown } from '../elements/element-class.ts';
import { RADIUS, ROW } from '../elements/look.ts';
import type { Store } from '../stores/store.ts';
import { journalLines, timelineLines, watchLines, JournalRows, requestLines } from './lines.ts';
import { type ClientInspection, inspectClient } from './inspect-client.ts';
import { RateCharts, RateSamples } from './rate-charts.ts';

const devtoolsLook =
  (): string => `[part=card]{display:block;max-width:none;margin:0;padding:16px;font-size:13px}
[part=title]{font-size:16px}
[part=bar]{display:flex;flex-wrap:wrap;gap:8px;align-items:center;justify-content:space-between;margin-bottom:12px}
[part=acts],[part=tabs]{display:flex;flex-wrap:wrap;gap:8px}
button,input{min-height:32px;padding:0 12px;border:1px solid var(--quiet);border-radius:${RADIUS};font-weight:500}
[part=tabs]{gap:4px;border-bottom:1px solid var(--line)}
[part=tab]{border:0;border-bottom:2px solid transparent;border-radius:0;font-weight:400}
[aria-selected=true]{border-color:var(--ink);background:color-mix(in srgb,var(--accent) 10%,var(--card))}
[part=panel]{margin-top:12px;max-height:30rem;padding-bottom:2rem;overflow:auto;mask-image:linear-gradient(#000 calc(100% - 2rem),transparent)}
[part=ends]{display:flex;justify-content:space-between}
ol{padding:0;list-style:none}
[part=row]{min-height:${ROW};padding:4px 0;border-top:1px solid var(--line)}
[part=head]{min-height:${ROW};cursor:pointer}
[part=what],[part=choose],[part=name]{font-weight:600}
[part=choose]{justify-content:start;min-height:${ROW};padding:0;border:0;text-align:start}
[part=facts]{display:block;color:var(--quiet)}
[part=what][data-bad=true]{color:var(--bad)}
[part=text]{max-height:16rem;margin:.25rem 0;padding:8px;overflow:auto;border:1px solid var(--line);border-radius:${RADIUS};white-space:pre-wrap}
[part=field]{display:flex;flex-wrap:wrap;gap:8px;align-items:center;margin-bottom:8px}
input{flex:1 1 16rem;min-width:0;border-color:var(--quiet);background:none;color:inherit;font:inherit}
[part=chart]{margin-bottom:16px}
[part=picture]{display:block;width:100%;height:64px;border:1px solid var(--line);border-radius:${RADIUS}}
[part~=line]{fill:none;stroke:currentColor;stroke-width:2;vector-effect:non-scaling-stroke}
[part~=used]{color:var(--accent)}
[part~=limit]{color:var(--bad)}
[part~=now]{color:var(--line)}
[part~=forecast]{color:var(--wait);stroke-dasharray:6 4}
@media (pointer:coarse),(max-width:480px){button,input,[part=head],[part=choose]{min-height:44px}}
`;

interface Tab {
  readonly name: string;
  readonly panel: HTMLElement;
  show(): void;
}

interface Tabs {
  readonly bar: HTMLElement;
  readonly panels: readonly HTMLElement[];
  choose(name: string): void;
}

/** Steps of the arrow keys (WAI-ARIA APG, tabs). */
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/**
 * Makes tabs for keyboard and pointer, with the first one selected. Calls `chosen` for each
 * selected tab.
 */
function makeTabs(tabs: readonly Tab[], chosen: (tab: Tab) => void): Tabs {
  const heads = tabs.map(({ name }, at) =>
    mark(make('button', 'tab', name), {
      role: 'tab',
      id: `tab-${at}`,
      'aria-controls': `panel-${at}`,
    }),
  );
  const panels = tabs.map(({ panel }, at) =>
    mark(make('div', 'panel', panel), {
      role: 'tabpanel',
      id: `panel-${at}`,
      tabindex: '0',
      'aria-labelledby': `tab-${at}`,
    }),
  );
  const choose = (at: number): void => {
    heads.forEach((head, index) =>
      mark(head, { 'aria-selected': `${index === at}`, tabindex: index === at ? '0' : '-1' }),
    );
    panels.forEach((panel, index) => (panel.hidden = index !== at));
    chosen(tabs[at]!);
  };
  heads.forEach((head, at) => {
    head.onclick = () => choose(at);
    head.onkeydown = ({ key }) => {
      const step = STEPS[key];
      if (!step) return;
      const next = (at + step + heads.length) % heads.length;
      choose(next);
      heads[next]!.focus();
    };
  });
  choose(0);
  const bar = mark(make('div', 'tabs', ...heads), { role: 'tablist' });
  return { bar, panels, choose: (name) => choose(tabs.findIndex((tab) => tab.name === name)) };
}

const MOST = 200;
/** Interval at which ages and charts are redrawn, in milliseconds. */
const PACE = 1_000;

interface Subject {
  readonly client: Connection;
  readonly journal?: Store | undefined;
  readonly invoiceId?: string | undefined;
}

class DevtoolsPanel {
  readonly root: HTMLElement;
  readonly #client: Connection;
  readonly #inspection: ClientInspection;
  readonly #samples: RateSamples = new RateSamples();
  readonly #charts: RateCharts;
  readonly #journal: JournalRows | undefined;
  readonly #id: HTMLInputElement = mark(make('input', 'id'), {
    'aria-label': 'Id of an invoice, or of any other resource',
    placeholder: 'id of an invoice',
  });
  readonly #tabs: readonly Tab[];
  readonly #stops: (() => void)[] = [];
  #show: () => void = () => {};
  #isPlanned = false;
  #isLive = true;

  constructor({ client, journal, invoiceId = '' }: Subject) {
    this.#client = client;
    this.#inspection = inspectClient(client);
    this.#charts = new RateCharts(client, this.#samples);
    this.#journal = journal && new JournalRows(journal);
    this.#id.value = invoiceId;
    this.#id.oninput = () => this.#plan();
    this.#tabs = this.#makeTabs();
    const { bar, panels, choose } = makeTabs(this.#tabs, (tab) => {
      this.#show = tab.show;
      this.#plan();
    });
    this.#choose = (id) => {
      this.#id.value = id;
      choose('Timeline');
    };
    this.root = make('section', 'card', this.#makeHead(), bar, ...panels);
    mark(this.root, { lang: 'en', dir: 'ltr', 'aria-label': 'Devtools' });
    this.#start();
  }

  readonly #choose: (id: string) => void;

  #start(): void {
    const { clock } = this.#client[internals];
    const limits = watchRateLimits(this.#client);
    this.#stops.push(
      this.#inspection.subscribe(() => {
        this.#journal?.note(); // a run may end before its tab is opened
        this.#plan();
      }),
      limits.subscribe((state) => this.#samples.add(clock.now(), state)),
      () => this.#inspection.stop(),
    );
    let stop = (): void => {};
    const tick = (): void => {
      stop = clock.after(PACE, tick);
      this.#samples.add(clock.now(), limits.current());
      this.#plan();
    };
    tick();
    this.#stops.push(() => stop());
  }

  stop(): void {
    this.#isLive = false;
    for (const stop of this.#stops) stop();
  }

  /** Redraws the visible tab, once for all simultaneous changes. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      if (this.#isLive) this.#show();
    });
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
    return make('div', 'bar', make('h2', 'title', 'paystate'), make('div', 'acts', save, clear));
  }

  #makeTabs(): readonly Tab[] {
    const { clock } = this.#client[internals];
    const watches = (): readonly Line[] =>
      watchLines(this.#inspection.watches(MOST), clock.now(), (id) => this.#choose(id));
    const timeline = listTab(
      'Timeline',
      'Nothing is known about it. Choose a watch or enter an id.',
      () => timelineLines(this.#inspection.timeline(this.#id.value.trim()).slice(-MOST)),
    );
    timeline.panel.prepend(make('label', 'field', 'Id', this.#id));
    const limits = {
      name: 'Rate limits',
      panel: this.#charts.root,
      show: () => this.#charts.draw(),
    };
    return [
      listTab('Requests', 'None yet. They are listed here from now on.', () =>
        requestLines(this.#inspection.requests().slice(-MOST)),
      ),
      listTab('Watches', 'Nothing is watched.', watches),
      limits,
      timeline,
      ...(this.#journal ? [journalTab(this.#journal)] : []),
    ];
  }
}

function listTab(name: string, empty: string, linesNow: () => readonly Line[]): Tab {
  const list = make('ol', 'list');
  const none = make('p', 'facts');
  return {
    name,
    panel: make('div', 'lines', none, list),
    show() {
      const lines = linesNow();
      fill(list, lines);
      say(none, lines[0] ? '' : empty);
    },
  };
}

/** Reads the journal whenever the tab is shown, and shows the previous content meanwhile. */
function journalTab(journal: JournalRows): Tab {
  let lines: readonly Line[] = [];
  let isReading = false;
  const tab = listTab('Journal', 'No run is open.', () => lines);
  return {
    ...tab,
    show() {
      tab.show();
      if (isReading) return;
      isReading = true;
      journal
        .read()
        .then(
          (rows) => void ([lines, isReading] = [journalLines(rows), false]),
          () => void (isReading = false),
        )
        .then(tab.show);
    },
  };
}

/**
 * Defines `<paystate-devtools>`, which shows a client's requests, watches, rate limits, a timeline
 * and a recording. Does nothing without a document, or if it's already defined.
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
  const panel = new DevtoolsPanel({ client, journal, invoiceId });
  return { root: panel.root, look, stop: () => panel.stop() };
}
