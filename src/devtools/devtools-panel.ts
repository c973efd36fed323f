import { type Connection, internals, watchRateLimits } from '../core/http/index.ts';
import { make, mark, say } from '../elements/dom.ts';
import { fill, type Line } from '../elements/lines.ts';
import type { Store } from '../stores/store.ts';
import { journalLines, timelineLines, watchLines } from './fact-lines.ts';
import { type ClientInspection, inspectClient } from './inspect-client.ts';
import { JournalRows } from './journal-rows.ts';
import { RateCharts } from './rate-charts.ts';
import { RateSamples } from './rate-samples.ts';
import { requestLines } from './request-lines.ts';
import { makeTabs, type Tab } from './tabs.ts';

/** Lines that a list shows. */
const MOST = 200;
/** How often ages and charts are drawn anew, milliseconds. */
const PACE = 1_000;

/** What the devtools look at. */
interface Subject {
  readonly client: Connection;
  readonly journal?: Store | undefined;
  readonly invoiceId?: string | undefined;
}

/** The devtools of one client. */
export class DevtoolsPanel {
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
        this.#journal?.note(); // a run may be over before its tab is looked at
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

  /** Draws what is in front, once for all that happens at once. */
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

/** A tab with a list, and what it says where that is empty. */
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

/** Reads the journal whenever it is shown, and shows what it was meanwhile. */
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
